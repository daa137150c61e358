"""Gradient functions of nodes, by tf.custom_gradient, in saved models: loaded functions have the same gradients."""

import pytest

pytestmark = pytest.mark.rule("surface")


def saved_and_loaded(tf, tmp_path, module, **options):
    path = str(tmp_path / "model")
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True, **options)
    tf.saved_model.save(module, path, options=options)
    return tf.saved_model.load(path)


def module_of(tf, function, *specs, **attributes):
    module = tf.Module()
    for name, value in attributes.items():
        setattr(module, name, value)
    module.f = tf.function(function, input_signature=specs or [tf.TensorSpec([None], tf.float32)])
    return module


def gradient(tf, function, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def loaded_gradient(tf, tmp_path, function, x=(1.0, 2.0, 3.0), **attributes):
    """The gradient of a loaded function, as a list; that of the function itself is the same."""
    module = module_of(tf, function, **attributes)
    before = gradient(tf, module.f, x).numpy().tolist()
    after = gradient(tf, saved_and_loaded(tf, tmp_path, module).f, x).numpy().tolist()
    assert after == before
    return after


def test_gradient_that_uses_the_gradient_alone(tf, tmp_path):
    @tf.custom_gradient
    def tenfold(x):
        return x * 2.0, lambda dy: dy * 10.0

    assert loaded_gradient(tf, tmp_path, tenfold) == [10.0, 10.0, 10.0]


def test_captured_argument(tf, tmp_path):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 20.0 * x

    assert loaded_gradient(tf, tmp_path, square) == [20.0, 40.0, 60.0]


def test_captured_intermediate(tf, tmp_path):
    @tf.custom_gradient
    def exponential(x):
        e = tf.floor(tf.exp(x))
        return e + 1.0, lambda dy: dy * e * 3.0

    assert loaded_gradient(tf, tmp_path, exponential) == [6.0, 21.0, 60.0]


def test_captured_constant_and_number(tf, tmp_path):
    factors = (1.0, 10.0, 100.0)

    @tf.custom_gradient
    def scaled(x):
        factor = tf.constant(factors)
        return x, lambda dy: dy * factor * 2.0

    assert loaded_gradient(tf, tmp_path, scaled) == [2.0, 20.0, 200.0]


def test_captured_variable_follows_its_value(tf, tmp_path):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            given = [tf.reduce_sum(dy)] * len(variables or [])
            return (dy * v * 7.0, given) if variables else dy * v * 7.0

        return x * v, grad

    module = module_of(tf, scaled, v=v)
    loaded = saved_and_loaded(tf, tmp_path, module)
    assert gradient(tf, loaded.f, [1.0, 2.0]).numpy().tolist() == [21.0, 21.0]
    loaded.v.assign(5.0)
    assert gradient(tf, loaded.f, [1.0, 2.0]).numpy().tolist() == [35.0, 35.0]
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = loaded.f(x)
    assert float(tape.gradient(y, loaded.v)) == 2.0


def test_several_arguments_and_results(tf, tmp_path):
    @tf.custom_gradient
    def both(x, y):
        return (x * y, x + y), lambda a, b: (a * 100.0 + b * y, a * x)

    def f(x):
        product, total = both(x, x + 1.0)
        return product + 2.0 * total

    assert loaded_gradient(tf, tmp_path, f) == [105.0, 108.0, 111.0]


def test_result_without_a_gradient(tf, tmp_path):
    @tf.custom_gradient
    def both(x):
        return (x * 2.0, x * 3.0), lambda a, b: a * 5.0 + b * 7.0

    assert loaded_gradient(tf, tmp_path, lambda x: both(x)[1]) == [7.0, 7.0, 7.0]


def test_one_after_the_other(tf, tmp_path):
    @tf.custom_gradient
    def triple(x):
        y = x * 2.0
        return y, lambda dy: dy * y * 3.0

    assert loaded_gradient(tf, tmp_path, lambda x: triple(triple(x))) == [72.0, 288.0, 648.0]


def test_in_a_function_that_is_called(tf, tmp_path):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 20.0 * x

    inner = tf.function(square)
    assert loaded_gradient(tf, tmp_path, lambda x: inner(x) + inner(x + 1.0)) == [60.0, 100.0, 140.0]


def test_function_in_the_gradient(tf, tmp_path):
    scaled = tf.function(lambda a, b: a * b * 3.0)

    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: scaled(dy, x)

    assert loaded_gradient(tf, tmp_path, square) == [3.0, 6.0, 9.0]


def test_loop_in_the_gradient(tf, tmp_path):
    @tf.custom_gradient
    def square(x):
        def grad(dy):
            return tf.while_loop(lambda i, g: i < 3, lambda i, g: (i + 1, g * x), [0, dy])[1]

        return x * x, grad

    assert loaded_gradient(tf, tmp_path, square) == [1.0, 8.0, 27.0]


def test_second_order(tf, tmp_path):
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda dy: dy * 3.0 * x**2

    module = module_of(tf, cube)
    loaded = saved_and_loaded(tf, tmp_path, module)
    for f in module.f, loaded.f:
        x = tf.constant([2.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            slope = gradient(tf, f, x)
        assert outer.gradient(slope, x).numpy().tolist() == [12.0]


def test_inside_another(tf, tmp_path):
    @tf.custom_gradient
    def inner(x):
        return x * 2.0, lambda dy: dy * 100.0

    @tf.custom_gradient
    def outer(x):
        y = inner(x)
        return y * 2.0, lambda dy: dy * inner(x)

    loaded = saved_and_loaded(tf, tmp_path, module_of(tf, outer))
    x = tf.constant([3.0])
    with tf.GradientTape() as second:
        second.watch(x)
        slope = gradient(tf, loaded.f, x)
    assert slope.numpy().tolist() == [6.0]
    assert second.gradient(slope, x).numpy().tolist() == [100.0]


def test_integers_beside(tf, tmp_path):
    @tf.custom_gradient
    def taken(x, places):
        def grad(dy):
            return tf.tensor_scatter_nd_add(tf.zeros_like(x), places[:, None], dy * 5.0), None

        return tf.gather(x, places), grad

    assert loaded_gradient(tf, tmp_path, lambda x: taken(x, tf.constant([2, 2]))) == [0.0, 0.0, 10.0]


def test_other_dtypes(tf, tmp_path):
    @tf.custom_gradient
    def tenfold(x):
        return x * 2, lambda dy: dy * 10

    for dtype in tf.float64, tf.float16, tf.bfloat16, tf.complex64:
        module = module_of(tf, tenfold, tf.TensorSpec([None], dtype))
        loaded = saved_and_loaded(tf, tmp_path / dtype.name, module)
        found = gradient(tf, loaded.f, tf.constant([1, 2], dtype))
        assert found.dtype == dtype
        assert tf.cast(found, tf.float32).numpy().tolist() == [10.0, 10.0]


def test_no_gradient_of_an_argument(tf, tmp_path):
    @tf.custom_gradient
    def stopped(x):
        return x * 2.0, lambda dy: None

    loaded = saved_and_loaded(tf, tmp_path, module_of(tf, stopped))
    assert gradient(tf, loaded.f, [1.0]) is None


def test_saved_and_loaded_again(tf, tmp_path):
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        y = x * x

        def grad(dy, variables=None):
            found = dy * y * v
            return (found, [tf.reduce_sum(dy)] * len(variables)) if variables else found

        return y * v, grad

    module = module_of(tf, lambda x: scaled(scaled(x)), v=v)
    expected = gradient(tf, module.f, [1.0, 2.0]).numpy().tolist()
    for name in "first", "second", "third":
        module = saved_and_loaded(tf, tmp_path / name, module)
        assert gradient(tf, module.f, [1.0, 2.0]).numpy().tolist() == expected


def test_loaded_function_in_another_model(tf, tmp_path):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 20.0 * x

    loaded = saved_and_loaded(tf, tmp_path / "inner", module_of(tf, square))
    again = saved_and_loaded(tf, tmp_path / "outer", module_of(tf, lambda x: loaded.f(x) * 2.0, inner=loaded))
    assert gradient(tf, again.f, [1.0, 3.0]).numpy().tolist() == [40.0, 120.0]


def test_models_do_not_take_each_others_gradients(tf, tmp_path):
    def made(factor):
        @tf.custom_gradient
        def scaled(x):
            return x, lambda dy: dy * factor

        return saved_and_loaded(tf, tmp_path / str(factor), module_of(tf, scaled))

    models = [made(2.0), made(3.0)]
    models += [tf.saved_model.load(str(tmp_path / "2.0" / "model"))]
    assert [gradient(tf, model.f, [1.0]).numpy().tolist() for model in models] == [[2.0], [3.0], [2.0]]


def test_concrete_function_and_signature(tf, tmp_path):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 20.0 * x

    module = module_of(tf, square)
    path = str(tmp_path)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    tf.saved_model.save(module, path, signatures=module.f.get_concrete_function(), options=options)
    signature = tf.saved_model.load(path).signatures["serving_default"]
    found = gradient(tf, lambda x: signature(x)["output_0"], [1.0, 2.0])
    assert found.numpy().tolist() == [20.0, 40.0]


def test_gradients_that_are_not_saved_are_not_there(tf, tmp_path):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 20.0 * x

    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module_of(tf, square), str(tmp_path), options=options)
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.f(tf.constant([3.0])).numpy().tolist() == [9.0]
    with pytest.raises((LookupError, TypeError)):
        gradient(tf, loaded.f, [1.0])


def test_nodes_name_their_gradients(tf):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 20.0 * x

    graph = tf.function(square).get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    nodes = [op for op in graph.get_operations() if op.type == "IdentityN"]
    assert len(nodes) == 1
    assert nodes[0].get_attr("_gradient_op_type").startswith(b"CustomGradient-")
    (record,) = [node for node in graph.as_graph_def().node if node.op == "IdentityN"]
    assert record.attr["_gradient_op_type"].s == nodes[0].get_attr("_gradient_op_type")


def test_a_model_that_holds_two_loaded_ones(tf, tmp_path):
    def made(name, factor):
        @tf.custom_gradient
        def scaled(x):
            return x, lambda dy: dy * factor * x

        saved_and_loaded(tf, tmp_path / name, module_of(tf, scaled))
        return tf.saved_model.load(str(tmp_path / name / "model"))

    first, second = made("first", 2.0), made("first", 2.0)
    third = made("third", 5.0)
    both = module_of(tf, lambda x: first.f(x) + second.f(x) + third.f(x), first=first, second=second, third=third)
    loaded = saved_and_loaded(tf, tmp_path / "both", both)
    assert gradient(tf, loaded.f, [1.0, 3.0]).numpy().tolist() == [9.0, 27.0]
    assert gradient(tf, loaded.third.f, [1.0]).numpy().tolist() == [5.0]
