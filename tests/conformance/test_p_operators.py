"""Section P of the tracing rules: boolean operators, comparisons and builtins over tensors."""

import pytest

pytestmark = pytest.mark.needs("autograph")


@pytest.mark.rule(181)
def test_and_or_not(tf):
    @tf.function
    def f(a, b):
        return a and b, a or b, not a

    for a in (True, False):
        for b in (True, False):
            assert [t.numpy() for t in f(tf.constant(a), tf.constant(b))] == [a and b, a or b, not a]
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.rule(181)
def test_they_are_lazy(tf, capfd):
    def noisy(x):
        tf.print("asked")
        return x > 1

    @tf.function
    def f(x):
        return (x > 0) and noisy(x)

    assert [bool(f(tf.constant(n))) for n in (-1, 2, 1)] == [False, True, False]
    assert capfd.readouterr().err == "asked\nasked\n"


@pytest.mark.rule(181)
def test_python_left_operands(tf, traces):
    def seen(x):
        traces.append("seen")
        return x > 0

    @tf.function
    def f(x, flag):
        return flag and seen(x)

    assert not f(tf.constant(1), False) and traces == []
    assert f(tf.constant(1), True) and traces == ["seen"]


@pytest.mark.rule(182)
def test_comparisons(tf):
    @tf.function
    def f(x, y):
        return 0 < x < y, x == y, x != y, x == None, x is y

    chain, equal, different, none, same = f(tf.constant(1), tf.constant(2))
    assert [t.numpy() for t in (chain, equal, different, none, same)] == [True, False, True, False, False]
    vector = tf.constant([1, 2])
    assert tf.function(lambda x: x == [1, 3])(vector).numpy().tolist() == [True, False]


@pytest.mark.rule(183)
def test_len(tf):
    f = tf.function(lambda x: len(x))
    assert f(tf.zeros([3, 2])).numpy() == 3
    assert f.get_concrete_function(tf.TensorSpec([None], tf.float32))(tf.zeros([7])).numpy() == 7
    with pytest.raises(ValueError, match="len requires a non-scalar tensor"):
        f(tf.constant(1))


@pytest.mark.rule(183)
def test_len_is_an_int_where_it_is_known(tf, traces):
    @tf.function
    def f(x):
        traces.append(len(x))
        return len(x) + 1, list(range(len(x)))

    assert f(tf.zeros([2, 5]))[0].numpy() == 3 and f(tf.Variable([1, 2, 3]))[1][2].numpy() == 2
    assert f(tf.zeros([0]))[1] == [] and traces == [2, 3, 0]
    with pytest.raises(ValueError, match="len requires a non-scalar tensor"):
        f(tf.Variable(1))
    g = tf.function(lambda x: len(x)).get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert g(tf.zeros([4, 1])).numpy() == 4

    @tf.function
    def of_array(n):
        return len(tf.TensorArray(tf.int32, n))

    assert of_array(tf.constant(6)).numpy() == 6


@pytest.mark.rule(183, 185)
def test_len_all_and_any_of_a_dataset(tf):
    @tf.function
    def f(ds):
        flags = ds.map(lambda x: x < 3)
        return len(ds), all(flags), any(flags)

    assert [t.numpy() for t in f(tf.data.Dataset.range(5))] == [5, False, True]


@pytest.mark.rule(184)
def test_int_and_float(tf):
    @tf.function
    def f(x):
        return int(x), float(x)

    whole, real = f(tf.constant(2.75))
    assert (whole.numpy(), whole.dtype, real.numpy(), real.dtype) == (2, tf.int32, 2.75, tf.float32)
    assert tf.function(lambda s: int(s) + 1)(tf.constant("41")).numpy() == 42
    assert tf.function(lambda s: float(s))(tf.constant(3)).dtype == tf.float32


@pytest.mark.rule(185)
def test_abs_range_sorted(tf):
    @tf.function
    def f(x):
        return abs(x), sorted(x), sorted(x, reverse=True), sorted(x, key=lambda v: -v)

    results = [t.numpy().tolist() for t in f(tf.constant([2, -3, 1]))]
    assert results == [[2, 3, 1], [-3, 1, 2], [2, 1, -3], [2, 1, -3]]
    assert tf.function(lambda n: range(n) * 2)(tf.constant(3)).numpy().tolist() == [0, 2, 4]


@pytest.mark.rule(186)
def test_enumerate_zip_map_filter_of_datasets(tf):
    @tf.function
    def f(ds):
        total = tf.constant(0, tf.int64)
        for i, x in enumerate(ds):
            total += i * x
        for a, b in zip(ds, ds.skip(1)):
            total += a * b
        for x in map(lambda x: x * 100, filter(lambda x: x > 2, ds)):
            total += x
        return total

    assert f(tf.data.Dataset.range(4)).numpy() == 14 + 8 + 300


@pytest.mark.rule(186)
@pytest.mark.parametrize("builtin", ["map", "filter"])
def test_map_and_filter_of_a_tensor(tf, builtin):
    def with_map(x):
        for v in map(lambda v: v + 1, x):
            pass
        return x

    def with_filter(x):
        for v in filter(lambda v: v > 1, x):
            pass
        return x

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Iterating over a symbolic"):
        tf.function(with_map if builtin == "map" else with_filter)(tf.constant([1, 2]))


@pytest.mark.rule(187, 21)
@pytest.mark.parametrize(
    "use",
    [lambda x: bool(x > 0), lambda x: all(x), lambda x: any(x), lambda x: {1: 2}[x], lambda x: x in [x + 1]],
)
def test_what_stays_pythons(tf, use):
    with pytest.raises(TypeError):
        tf.function(lambda x: use(x))(tf.constant(1))


@pytest.mark.rule(187)
def test_str_is_pythons(tf, traces):
    tf.function(lambda x: traces.append(str(x)))(tf.constant(1))
    assert traces == ['Tensor("x:0", shape=(), dtype=int32)']


@pytest.mark.rule(188)
def test_append_is_pythons(tf):
    @tf.function
    def f(x):
        items = []
        for i in range(3):
            items.append(x * i)
        return items

    assert [t.numpy() for t in f(tf.constant(2))] == [0, 2, 4]


@pytest.mark.rule(189)
def test_item_assignment(tf):
    def f(x):
        x[0] = 1
        return x

    with pytest.raises(TypeError, match="'SymbolicTensor' object does not support item assignment"):
        tf.function(f)(tf.constant([1, 2]))


@pytest.mark.rule(190)
def test_python_numbers_take_the_tensors_dtype(tf):
    @tf.function
    def f(x):
        return x + 1, 2 * x, x / 4, 10 - x

    for dtype in ("float16", "float32", "float64"):
        assert {t.dtype.name for t in f(tf.constant(1, tf.as_dtype(dtype)))} == {dtype}
    with pytest.raises(TypeError):
        tf.function(lambda x: x + 1.5)(tf.constant(1))


TRUE_FALSE = {
    "truth values": lambda tf, b: b * tf.constant([True, True]),
    "integers on the right": lambda tf, b: b * tf.constant([2, 0]),
    "integers on the left": lambda tf, b: tf.constant([2, 0]) * b,
    "a number": lambda tf, b: b * 3,
    "a list": lambda tf, b: b * [1.5, 0.0],
    "a truth value": lambda tf, b: True * b,
    "more than once": lambda tf, b: b * b * b,
}


@pytest.mark.rule(28)
@pytest.mark.parametrize("case", TRUE_FALSE)
def test_truth_values_are_multiplied_as_integers(tf, case):
    b = tf.constant([True, False])
    for run in lambda x: TRUE_FALSE[case](tf, x), tf.function(lambda x: TRUE_FALSE[case](tf, x)):
        found = run(b)
        assert found.dtype == tf.bool and found.numpy().tolist() == [True, False]


@pytest.mark.rule(28)
def test_truth_values_and_variables(tf):
    v, w = tf.Variable([2, 0]), tf.Variable([True, True])
    for run in lambda b: (b * v, v * b, w * b, b * w), tf.function(lambda b: (b * v, v * b, w * b, b * w)):
        assert [x.numpy().tolist() for x in run(tf.constant([True, False]))] == [[True, False]] * 4


@pytest.mark.rule(28)
def test_fractions_of_truth_values_are_cut_off(tf):
    assert (tf.constant([True, True]) * tf.constant([0.5, 1.5])).numpy().tolist() == [False, True]
    assert (tf.constant([0.5, 2.0]) * True).numpy().tolist() == [0.5, 2.0]
    with pytest.raises(TypeError):
        3 * tf.constant([True])
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tf.multiply(tf.constant([True]), tf.constant([True]))


@pytest.mark.rule(28)
def test_a_variable_of_another_type_on_the_right_of_a_traced_operator(tf):
    v = tf.Variable([1.0])
    with pytest.raises(TypeError, match="Input 'y' of 'Mul' Op has type float32 that does not match type int32 of argument 'x'"):
        tf.function(lambda: tf.constant([2]) * v)()
