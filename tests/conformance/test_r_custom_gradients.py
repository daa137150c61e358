"""Section R of the tracing rules: forms of tf.custom_gradient and tf.recompute_grad, eagerly, in and through functions."""

import inspect

import numpy as np
import pytest

pytestmark = pytest.mark.needs("gradient")


def slope(tf, function, x, sources=None):
    """The gradients of `function(x)` with respect to `sources`, else to `x`."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x if sources is None else sources)


def every_way(tf, function, value=3.0):
    """The gradient of a function of one scalar: eagerly, inside a function, and of a function."""
    x, traced = tf.constant(value), tf.function(function)
    return [float(g) for g in (slope(tf, function, x), tf.function(lambda x: slope(tf, function, x))(x), slope(tf, traced, x))]


def structures(tf):
    @tf.custom_gradient
    def f(d):
        return {"s": d["a"] + d["b"], "p": d["a"] * d["b"]}, lambda p, s: {"a": s, "b": p}

    return lambda x: f({"a": x, "b": x * 2.0})["s"] + 3.0 * f({"a": x, "b": x * 2.0})["p"]


def nested_results(tf):
    @tf.custom_gradient
    def f(a, b):
        return (a + b, [a * b, a]), lambda p, q, r: (p + q * 100.0 + r * 10000.0, p)

    def run(x):
        y = f(x, x * 2.0)
        return y[0] + 2.0 * y[1][0] + y[1][1]

    return run


def one_inside_another(tf):
    @tf.custom_gradient
    def f(a):
        @tf.custom_gradient
        def g(b):
            return b * b, lambda dy: dy * 7.0

        return g(a) * 2.0, lambda dy: dy * 5.0

    return lambda x: f(f(x))


def unused_result(tf):
    @tf.custom_gradient
    def f(a):
        return (a, a * 2.0), lambda p, q: p + 10.0 * q

    return lambda x: f(x)[0]


def passes_its_argument(tf):
    @tf.custom_gradient
    def f(a):
        return a, lambda dy: dy * 5.0

    return f


def nothing_for_one(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dy: (dy, None)

    return lambda x: f(x, tf.constant(2.0))


def saved_in_a_loop(tf):
    @tf.custom_gradient
    def f(a):
        k = a * 2.0
        return a * a, lambda dy: dy * k

    return lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, f(y) * 0.1), (0, x))[1]


def saved_in_a_branch(tf):
    @tf.custom_gradient
    def f(a):
        k = a * 2.0
        return a * a, lambda dy: dy * k

    return lambda x: tf.cond(x > 0.0, lambda: f(x), lambda: x)


def functions_inside(tf):
    h = tf.function(lambda x: x * 5.0)

    @tf.custom_gradient
    def f(a):
        return h(a), lambda dy: h(dy)

    return tf.function(f)


def made_of_a_capture(tf):
    def run(x):
        k = x * 2.0

        @tf.custom_gradient
        def f(z):
            return z * k, lambda dy: dy * k * 10.0

        return f(x)

    return run


def again(tf):
    f = tf.recompute_grad(lambda x: tf.sin(x) * x)
    return lambda x: f(f(x) * 0.1)


FORMS = {
    structures: 7.0,
    nested_results: 10202.0,
    one_inside_another: 25.0,
    unused_result: 1.0,
    passes_its_argument: 5.0,
    nothing_for_one: 1.0,
    saved_in_a_loop: 0.0017496,
    saved_in_a_branch: 6.0,
    functions_inside: 5.0,
    made_of_a_capture: 60.0,
    again: -0.0239382,
}


@pytest.mark.rule(195, 196)
@pytest.mark.parametrize("form", FORMS)
def test_forms(tf, form):
    function = form(tf)
    assert every_way(tf, function) == pytest.approx([FORMS[form]] * 3, rel=1e-3)


@pytest.mark.rule(195, 196)
def test_second_order_and_persistent_tapes(tf):
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables):
            return dy * 4.0 * x**2.0, [dy * x * v for _ in variables]

        return x**3.0 * v, grad

    def slopes(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
            slope = tape.gradient(y, x)
        return slope, tape.gradient(slope, x), tape.gradient(y, v)

    for run in (slopes, tf.function(slopes)):
        assert [float(g) for g in run(tf.constant(3.0))] == [36.0, 24.0, 6.0]


@pytest.mark.rule(195, 196)
def test_variables_given_and_used(tf):
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def given(x, w):
        return x * w, lambda dy: (dy * 10.0, dy * 20.0)

    @tf.custom_gradient
    def without_arguments():
        return v * 2.0, lambda dy, variables: ([], [dy * 5.0])

    def slopes():
        with tf.GradientTape(persistent=True) as tape:
            y, z = given(tf.constant(1.0), v), without_arguments()
        return tape.gradient(y, v), tape.gradient(z, v)

    for run in (slopes, tf.function(slopes)):
        assert [float(g) for g in run()] == [20.0, 5.0]


@pytest.mark.rule(195, 196)
def test_keywords(tf):
    @tf.custom_gradient
    def f(x, scale=1.0):
        return x * scale, lambda dy: dy * scale * 10.0

    x = tf.constant(3.0)
    assert float(slope(tf, lambda x: f(x, scale=5.0), x)) == 50.0
    with pytest.raises(ValueError, match="keywords arguments only when eager execution is enabled"):
        tf.function(lambda x: f(x, scale=5.0))(x)


@pytest.mark.rule(195)
def test_wrong_numbers_of_gradients(tf):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    many = tf.custom_gradient(lambda x: (x * x, lambda dy: (dy, dy)))
    with pytest.raises(ValueError, match="expected to return 1 gradients, but returned 2 instead"):
        slope(tf, many, x)
    fewer = tf.custom_gradient(lambda x: (x * v, lambda dy, variables: (dy, [])))
    with pytest.raises(ValueError, match="Must return gradient for each variable from @custom_gradient grad_fn"):
        slope(tf, fewer, x)
    without = tf.custom_gradient(lambda x: (x * v, lambda dy: dy))
    with pytest.raises(TypeError, match="grad_fn must accept keyword argument 'variables'"):
        without(x)


@pytest.mark.rule(195, 196)
def test_recomputed_with_variables_and_keywords(tf):
    v = tf.Variable(2.0)

    @tf.recompute_grad
    def f(x, y=1.0):
        return tf.sin(x * v) * y

    x = tf.constant(0.7)
    wanted = np.cos(1.4) * np.array([2.0, 0.7])
    np.testing.assert_allclose(slope(tf, lambda x: f(x, y=3.0), x, [x, v]), 3.0 * wanted, rtol=1e-6)
    np.testing.assert_allclose(tf.function(lambda x: slope(tf, f, x, [x, v]))(x), wanted, rtol=1e-6)


@pytest.mark.rule(195, 196)
def test_a_gradient_passed_through(tf):
    v, x = tf.Variable(2.0), tf.constant([0.4, 1.7])

    def f(x):
        return tf.grad_pass_through(lambda x: tf.round(x * v))(x) * x

    assert f(x).numpy().tolist() == pytest.approx([0.4, 5.1])
    for run in (f, tf.function(f)):
        dx, dv = slope(tf, run, x, [x, v])
        assert dx.numpy().tolist() == pytest.approx([1.4, 4.7]) and dv is None
    inside = tf.function(lambda x: slope(tf, f, x))
    assert inside(x).numpy().tolist() == pytest.approx([1.4, 4.7])
    x, z = tf.Variable(1.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(x.assign)(z**2.0)
    assert float(tape.gradient(y, z)) == 6.0 and float(x) == 9.0


@pytest.mark.rule(195, 196)
def test_roots_that_a_choice_leaves_out(tf):
    def of_positive(f, x):
        return slope(tf, lambda x: tf.where(x > 0.0, f(x), 0.0), x)

    for dtype in (tf.float32, tf.float64, tf.float16):
        x = tf.constant([0.0, 4.0, -1.0] * 12, dtype)
        for f, wanted in ((tf.sqrt, 0.25), (tf.math.rsqrt, -0.0625)):
            for run in (of_positive, tf.function(of_positive)):
                assert run(f, x).numpy().tolist() == pytest.approx([0.0, wanted, 0.0] * 12, rel=1e-5)


@pytest.mark.rule(195, 196)
def test_custom_gradients_in_and_of_functions(tf):
    scale = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x, y):
        e = tf.exp(x) * scale

        def grad(dy, variables):
            return (dy * e * 100.0, None), [dy * 7.0 for _ in variables]

        return e + y, grad

    def run(function, x):
        return [g.numpy() for g in slope(tf, lambda x: 2.0 * function(x, x), x, [x, scale])]

    x = tf.constant(0.0)
    assert run(f, x) == run(tf.function(f), x) == [600.0, 14.0]


@pytest.mark.rule(195, 196)
def test_a_gradient_function_gets_zeros_for_integers(tf):
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy, of_integers):
            seen.append((of_integers.dtype, of_integers.shape))
            return dy * 3.0

        return (x * 2.0, tf.cast(x, tf.int32)), grad

    def first(x):
        return slope(tf, lambda x: f(x)[0], x)

    for run in (first, tf.function(first)):
        assert float(run(tf.constant(3.0))) == 3.0
    assert seen == [(tf.int32, ())] * 2


@pytest.mark.rule(195, 196)
def test_a_method_takes_no_gradient_of_its_instance(tf):
    class Doubled:
        @tf.custom_gradient
        def of(self, x):
            """Twice x."""
            return x * self.factor, lambda dy: dy * 10.0

        factor = 2.0

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = Doubled().of(x)
        return y, tape.gradient(y, x)

    for run in (both, tf.function(both)):
        y, gradient = run(tf.constant(3.0))
        assert (float(y), float(gradient)) == (6.0, 10.0)
    assert Doubled.of.__name__ == "of" and Doubled.of.__doc__ == "Twice x."


@pytest.mark.rule(195, 196)
@pytest.mark.parametrize("wrap", ["custom_gradient", "recompute_grad", "grad_pass_through"])
def test_signatures(tf, wrap):
    def f(x, y=2, *, z=3):
        return x * y * z

    wrapped = getattr(tf, wrap)(f)
    assert inspect.signature(wrapped) == inspect.signature(f)
    assert inspect.getfullargspec(wrapped) == inspect.getfullargspec(f)


# Composite values: what is differentiated of a RaggedTensor is its values.


@pytest.fixture(params=[1, 2])
def ragged_of(tf, request):
    """Makes a RaggedTensor of a vector of 3 numbers, with one or two ragged dimensions."""

    def make(x):
        rows = tf.RaggedTensor.from_row_splits(x, [0, 1, 3])
        return rows if request.param == 1 else tf.RaggedTensor.from_row_splits(rows, [0, 2])

    return make


@pytest.mark.rule(195, 196)
@pytest.mark.parametrize("traced", [False, True])
def test_ragged_arguments_and_results(tf, traced, ragged_of):
    @tf.custom_gradient
    def scaled(rows):
        return rows * 2.0, lambda d: d * 5.0

    @tf.custom_gradient
    def values_of(rows):
        return rows.flat_values * 2.0, lambda d: rows.with_flat_values(d * 7.0)

    @tf.custom_gradient
    def rows_of(x):
        return ragged_of(x * 2.0), lambda d: d.flat_values * 9.0

    @tf.custom_gradient
    def both(rows, x):
        return (rows * 2.0, x + 1.0), lambda d, e: (d * 3.0, e)

    def run():
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            rows = ragged_of(x)
            results = [scaled(rows).flat_values, values_of(rows), rows_of(x).flat_values, both(rows, x)[0].flat_values]
        return results, [tape.gradient(result, x) for result in results]

    results, gradients = (tf.function(run) if traced else run)()
    assert [result.numpy().tolist() for result in results] == [[2, 4, 6]] * 4
    assert [float(gradient[0]) for gradient in gradients] == [5, 7, 9, 3]


@pytest.mark.rule(195, 196)
@pytest.mark.parametrize("traced", [False, True])
def test_slices_as_the_gradient_of_an_argument(tf, traced):
    @tf.custom_gradient
    def row(x):
        return x[1], lambda d: tf.IndexedSlices(d[tf.newaxis] * 3.0, tf.constant([1]), tf.constant([2, 2]))

    def run():
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = row(x)
        return tf.convert_to_tensor(tape.gradient(y, x))

    assert (tf.function(run) if traced else run)().numpy().tolist() == [[0, 0], [3, 3]]


@pytest.mark.rule(195, 196)
def test_variables_as_arguments_are_read_before(tf):
    """In a function they are tensors to the decorated function, so its gradient function gets no `variables`."""
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    kinds = []

    @tf.custom_gradient
    def scaled(x, factor):
        kinds.append(isinstance(factor, tf.Variable))

        def grad(dy, variables=None):
            assert variables is None
            return dy * 10.0, tf.reduce_sum(dy) * 100.0

        return x * factor, grad

    @tf.function
    def gradients():
        with tf.GradientTape() as tape:
            y = scaled(v, w)
        return tape.gradient(y, [v, w])

    assert [g.numpy().tolist() for g in gradients()] == [[10.0, 10.0], 200.0] and kinds == [False]
