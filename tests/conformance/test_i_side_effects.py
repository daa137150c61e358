"""Section I of the tracing rules: what happens once per trace, and what at every call."""

import itertools
import random
import time

import numpy as np
import pytest


@pytest.mark.rule(98)
def test_python_effects_happen_once_per_trace(tf, capfd):
    counter = itertools.count()
    state = {"calls": 0}
    seen = []

    @tf.function
    def f(x):
        print("tracing")
        seen.append(next(counter))
        state["calls"] += 1
        return x

    for _ in range(3):
        f(tf.constant(1))
    f(tf.constant([1]))
    assert seen == [0, 1] and state["calls"] == 2
    assert capfd.readouterr().out == "tracing\ntracing\n"


@pytest.mark.rule(98)
def test_attribute_assignment_happens_once_per_trace(tf):
    class Model:
        steps = 0

        @tf.function
        def step(self, x):
            self.steps += 1
            return x * self.steps

    model = Model()
    assert [int(model.step(tf.constant(5))) for _ in range(3)] == [5, 5, 5] and model.steps == 1


@pytest.mark.rule(98)
@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(n=1),
        lambda d: d.pop("a"),
        lambda d: d["l"].append(1),
        lambda d: d["l"].clear(),
        lambda d: d.__setitem__("a", d["a"] + 1),
    ],
)
def test_arguments_must_not_be_changed(tf, change):
    def g(d):
        change(d)

    f = tf.function(g)
    for _ in range(2):
        with pytest.raises(ValueError) as error:
            f({"a": tf.constant(1), "l": [0]})
        assert str(error.value).endswith(
            "g(d) should not modify its Python input arguments. Modifying a copy is allowed."
            " The following parameter(s) were modified: d"
        )
    assert f.experimental_get_tracing_count() == 0


@pytest.mark.rule(98)
def test_every_changed_argument_is_named(tf):
    def g(x, d, *, k):
        x[0] = 5
        k.append(1)

    with pytest.raises(ValueError, match=r"g\(x, d, \*, k\) should not modify .* were modified: x, k$"):
        tf.function(g)([1], {}, k=[])


@pytest.mark.rule(98)
def test_a_copy_of_an_argument_may_be_changed(tf):
    def g(d):
        d = dict(d)
        d["a"] += 1
        return d

    given = {"a": tf.constant(1)}
    assert tf.function(g)(given)["a"].numpy() == 2 and given["a"].numpy() == 1


@pytest.mark.rule(99)
def test_an_unrolled_loop_repeats_them(tf, traces):
    @tf.function
    def f(x):
        for i in range(3):
            traces.append(i)
            x = x + i
        return x

    assert f(tf.constant(1)).numpy() == 4 and f(tf.constant(2)).numpy() == 5
    assert traces == [0, 1, 2]


@pytest.mark.needs("autograph")
@pytest.mark.rule(99)
def test_a_staged_loop_and_both_branches_run_them_once(tf, traces):
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            traces.append("body")
            if i > 1:
                traces.append("then")
                total += i
            else:
                traces.append("else")
        return total

    assert f(tf.constant(5)).numpy() == 9
    assert sorted(traces) == ["body", "else", "then"]


@pytest.mark.rule(99)
def test_both_branches_of_tf_cond_run_them_once(tf, traces):
    @tf.function
    def f(x):
        def then():
            traces.append("then")
            return x

        def other():
            traces.append("else")
            return -x

        return tf.cond(x > 0, then, other)

    assert [int(f(tf.constant(n))) for n in (2, -3)] == [2, 3]
    assert sorted(traces) == ["else", "then"]


@pytest.mark.rule(100)
def test_tf_print_runs_on_each_call(tf, capfd):
    @tf.function
    def f(x):
        tf.print("x is", x)
        return x

    for n in (1, 2, 1):
        f(tf.constant(n))
    assert capfd.readouterr().err == "x is 1\nx is 2\nx is 1\n"


@pytest.mark.rule(100, 111)
def test_assignments_run_on_each_call(tf):
    v, table = tf.Variable(0), tf.Variable([0, 0, 0])

    @tf.function
    def f(i):
        v.assign_add(2)
        v.assign_sub(1)
        table.scatter_nd_update([[i]], [5])

    for n in (0, 2, 0):
        f(tf.constant(n))
    assert v.numpy() == 3 and table.numpy().tolist() == [5, 0, 5]


@pytest.mark.rule(100)
def test_random_numbers_are_new_on_each_call(tf):
    f = tf.function(lambda: (tf.random.uniform([4]), tf.random.normal([4])))
    first, second = f(), f()
    assert not np.array_equal(first[0], second[0]) and not np.array_equal(first[1], second[1])
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.rule(100)
def test_assertions_run_on_each_call(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="must be positive")
        return x

    f(tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        f(tf.constant(-1))
    f(tf.constant(2))


@pytest.mark.rule(100, 101)
def test_py_function_gets_eager_tensors_on_each_call(tf):
    seen = []

    def host(x, y):
        seen.append((tf.executing_eagerly(), type(x.numpy()).__name__, y.numpy().tolist()))
        return tf.cast(x, tf.float32) * y

    f = tf.function(lambda x, y: tf.py_function(host, [x, y], tf.float32))
    for _ in range(2):
        assert f(tf.constant(3), tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]
    assert [s[0] for s in seen] == [True, True] and seen[0][2] == [1.0, 2.0]


@pytest.mark.rule(101)
def test_py_function_results(tf, traces):
    @tf.function
    def f(x):
        one = tf.py_function(lambda x: x + 1, [x], tf.int32)
        many = tf.py_function(lambda x: (x, tf.cast(x, tf.float32)), [x], [tf.int32, tf.float32])
        tf.py_function(lambda x: traces.append(int(x)), [x], [])
        traces.append((one.shape.rank, isinstance(many, list), len(many), many[1].dtype.name))
        return one, many

    one, many = f(tf.constant(4))
    assert traces == [(None, True, 2, "float32"), 4] and one.numpy() == 5 and many[1].numpy() == 4.0


@pytest.mark.rule(101)
def test_py_function_converts_its_result(tf):
    f = tf.function(lambda x: tf.py_function(lambda x: 3, [x], tf.float32))
    assert f(1).numpy() == 3.0 and f(1).dtype == tf.float32


@pytest.mark.rule(101)
def test_py_function_eagerly(tf):
    assert tf.py_function(lambda x: x * 2, [tf.constant(2)], tf.int32).numpy() == 4


@pytest.mark.needs("gradient")
@pytest.mark.rule(101)
def test_py_function_is_differentiable(tf):
    f = tf.function(lambda x: tf.py_function(lambda x: x * x, [x], tf.float32))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 6.0


@pytest.mark.rule(100, 102)
def test_numpy_function_gets_numpy_values(tf):
    seen = []

    def host(a, b):
        seen.append((type(a).__name__, type(b).__name__))
        return a + b

    f = tf.function(lambda a, b: tf.numpy_function(host, [a, b], tf.float32))
    for _ in range(2):
        assert f(tf.constant(1.0), tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]
    assert seen == [("float32", "ndarray")] * 2


@pytest.mark.rule(102)
def test_numpy_function_checks_dtypes(tf):
    f = tf.function(lambda x: tf.numpy_function(lambda x: np.int64(3), [x], tf.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="0-th value returned by .* is int64, but expects float"):
        f(1.0)


@pytest.mark.rule(102)
def test_py_func_is_the_old_spelling(tf, traces):
    f = tf.function(
        lambda x: tf.compat.v1.py_func(lambda a: (traces.append(type(a).__name__), a * a)[1], [x], tf.float64)
    )
    assert f(tf.constant(3.0, tf.float64)).numpy() == 9.0 and f(tf.constant(2.0, tf.float64)).numpy() == 4.0
    assert traces == ["float64", "float64"]


@pytest.mark.rule(103)
@pytest.mark.parametrize("wrapper", ["py_function", "numpy_function"])
@pytest.mark.parametrize(
    "raised, name",
    [(ValueError, "InvalidArgumentError"), (TypeError, "InvalidArgumentError"), (KeyError, "UnknownError"),
     (ZeroDivisionError, "UnknownError"), (RuntimeError, "UnknownError"), (AssertionError, "UnknownError"),
     (NotImplementedError, "UnimplementedError"), (StopIteration, "OutOfRangeError"),
     (MemoryError, "ResourceExhaustedError")],
)  # fmt: skip
def test_exceptions_in_host_calls(tf, wrapper, raised, name):
    def host(x):
        raise raised("the message")

    f = tf.function(lambda x: getattr(tf, wrapper)(host, [x], tf.float32))
    with pytest.raises(getattr(tf.errors, name)) as error:
        f(1.0)
    text = str(error.value)
    assert f"{raised.__name__}: " in text and "the message" in text and "Traceback (most recent call last)" in text


@pytest.mark.rule(104, 192)
def test_raise_while_tracing_propagates_and_nothing_is_cached(tf, traces):
    def f(x):
        traces.append(0)
        raise KeyError("broken")

    f = tf.function(f, autograph=False)
    for _ in range(2):
        with pytest.raises(KeyError, match="broken"):
            f(tf.constant(1))
    assert len(traces) == 2


@pytest.mark.rule(104)
def test_a_trace_after_a_failed_one(tf):
    allowed = []

    @tf.function
    def f(x):
        if not allowed:
            raise ValueError("not yet")
        return x + 1

    with pytest.raises(ValueError, match="not yet"):
        f(tf.constant(1))
    allowed.append(True)
    assert f(tf.constant(1)).numpy() == 2


@pytest.mark.needs("autograph")
@pytest.mark.rule(104)
def test_raise_in_a_staged_branch_is_met_while_tracing(tf):
    @tf.function
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x

    with pytest.raises(ValueError, match="negative"):
        f(tf.constant(1))


@pytest.mark.rule(105)
def test_python_values_are_constant_in_a_trace(tf):
    numbers = iter([10, 20, 30])
    f = tf.function(lambda x: x + next(numbers) + int(time.time() * 0) + random.randint(0, 0))
    assert [int(f(tf.constant(n))) for n in (1, 2)] == [11, 12]
    assert f(tf.constant([1])).numpy().tolist() == [21]


@pytest.mark.rule(106, 92)
def test_new_python_values_repeat_the_effects(tf, traces):
    f = tf.function(lambda n: traces.append(n))
    for n in (1, 2, 1, 3, 2):
        f(n)
    assert traces == [1, 2, 3]


@pytest.mark.rule(211, 100)
def test_dropout(tf):
    f = tf.function(lambda x, rate: tf.nn.dropout(x, rate))
    x = tf.ones([100, 100])
    first, second = f(x, 0.25).numpy(), f(x, 0.25).numpy()
    kept = first != 0
    assert 0.70 < kept.mean() < 0.80 and np.allclose(first[kept], 1 / 0.75) and not np.array_equal(first, second)
    assert np.array_equal(f(x, 0.0).numpy(), x.numpy())


@pytest.mark.rule(211)
def test_dropout_follows_the_seed(tf):
    x = tf.reshape(tf.range(12.0), [3, 4])
    tf.random.set_seed(3)
    first = [tf.nn.dropout(x, 0.5, seed=4), tf.nn.dropout(x, 0), tf.nn.dropout(x, tf.constant(0.5))]
    tf.random.set_seed(3)
    assert tf.nn.dropout(x, 0.5, seed=4).numpy().tolist() == first[0].numpy().tolist()
    tf.nn.dropout(x, 0.0)
    assert tf.nn.dropout(x, tf.constant(0.5)).numpy().tolist() == first[2].numpy().tolist()
    rows = tf.nn.dropout(tf.ones([50, 4]), 0.5, noise_shape=[None, 1]).numpy()
    assert all(len(set(row)) == 1 for row in rows) and set(rows.ravel()) == {0.0, 2.0}
    for rate, words in ((1.0, r"in the range \[0, 1\)"), ("a", "must be a scalar or scalar tensor"), ([0.5], "scalar")):
        with pytest.raises(ValueError, match=words):
            tf.nn.dropout(x, rate)
    with pytest.raises(ValueError, match="must be a floating point tensor"):
        tf.nn.dropout([1, 2], 0.5)
    given = [tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]).numpy().tolist() for _ in range(2)]
    assert given[0] == given[1] == [[0, 0, 4, 0], [0, 10, 0, 0], [0, 0, 0, 0]]


@pytest.mark.rule(98)
def test_a_modified_argument_is_told_with_the_functions_qualified_name(tf):
    class Adder:
        @tf.function
        def add(self, items):
            items.append(tf.constant(0))

    adder = Adder()
    with pytest.raises(ValueError) as error:
        adder.add([tf.constant(1)])
    name = "test_a_modified_argument_is_told_with_the_functions_qualified_name.<locals>.Adder.add(items)"
    assert str(error.value).startswith(name + " should not modify its Python input arguments.")


@pytest.mark.rule(100)
def test_print_of_what_is_like_a_variable(tf, capfd):
    class Weight(tf.__internal__.types.Tensor):  # as Keras's are
        dtype = "float32"
        shape = tf.TensorShape([2])

        def __init__(self):
            self.variable = tf.Variable([1.0, 2.0])

        def __tf_tensor__(self, dtype=None, name=None):
            return tf.convert_to_tensor(self.variable)

    weight = Weight()
    tf.print(weight)
    tf.print(weight, "x")
    tf.function(lambda: tf.print(weight, [weight]))
    tf.print(tf.Variable("s"))
    assert capfd.readouterr().err.splitlines()[-3:] == ["[1 2]", "[1 2] x", "s"]
