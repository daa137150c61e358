"""Section C of the tracing rules: which calls share a trace; tensors, Python values and the binding of arguments."""

import numpy as np
import pytest


class Plain:
    """Compared by identity."""


@pytest.mark.rule(28)
def test_binding_makes_one_key(tf, traces):
    @tf.function
    def f(a, b=2, *, c=3):
        traces.append((a, b, c))

    f(1), f(1, 2), f(a=1), f(b=2, a=1), f(1, c=3), f(1, 2, c=3)
    assert traces == [(1, 2, 3)]
    f(1, c=4), f(1, 3)
    assert traces[1:] == [(1, 2, 4), (1, 3, 3)]


@pytest.mark.rule(28)
def test_tensor_default(tf, traces):
    @tf.function
    def f(a, scale=None):
        traces.append(scale)
        return a

    one = tf.constant(1.0)
    f(one), f(one, None), f(one, scale=None), f(a=one)
    assert traces == [None]


@pytest.mark.rule(29)
def test_tensors_by_dtype_and_shape(tf, traces_of):
    assert traces_of(tf.constant(1), tf.constant(7)) == 1
    assert traces_of(tf.zeros([2]), tf.ones([2])) == 1
    assert traces_of(tf.zeros([2]), tf.zeros([3])) == 2
    assert traces_of(tf.zeros([2]), tf.zeros([2, 1]), tf.zeros([1, 2])) == 3
    assert traces_of(tf.constant(1), tf.constant(1, tf.int64)) == 2
    assert traces_of(tf.constant(1.0), tf.constant([1.0])) == 2
    assert traces_of(tf.constant("a"), tf.constant("bcd")) == 1
    assert traces_of(tf.zeros([0]), tf.zeros([0, 3])) == 2


@pytest.mark.rule(29)
def test_symbolic_tensors_by_static_shape(tf, traces):
    inner = tf.function(lambda x: traces.append(x.shape.as_list()))
    outer = tf.function(lambda x: (inner(x), inner(tf.reshape(x, [2, 2])), inner(x + 1.0))[0])
    outer.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert traces == [[None], [2, 2]]


@pytest.mark.rule(30)
def test_numpy_values_are_tensors(tf, traces_of):
    assert traces_of(np.float32(1), np.float32(2), tf.constant(3.0)) == 1
    assert traces_of(np.float64(1), tf.constant(1.0, tf.float64), np.array(1.0)) == 1
    assert traces_of(np.zeros(2, np.float32), tf.ones([2])) == 1
    assert traces_of(np.zeros(2), tf.zeros([2])) == 2
    assert traces_of(np.int64(1), np.int32(1)) == 2
    assert traces_of(np.bool_(True), np.bool_(False), tf.constant(True)) == 1
    assert traces_of(np.int32(1), 1) == 2
    assert traces_of(np.array(["a", "b"]), np.array(["c", "ddd"])) == 1


@pytest.mark.rule(30)
@pytest.mark.parametrize(
    "value, dtype",
    [(np.float64(1), "float64"), (np.arange(3), "int64"), (np.bool_(True), "bool"), (np.ones((1, 2)), "float64"),
     (np.float16(1), "float16"), (np.complex64(1), "complex64"), (np.uint8(3), "uint8"), (np.array("a"), "string")],
)  # fmt: skip
def test_numpy_values_are_symbolic_inside(tf, traced_value, value, dtype):
    assert traced_value(lambda x: (x.dtype.name, x.shape.as_list(), hasattr(x, "numpy")), value) == (
        dtype,
        list(np.shape(value)),
        False,
    )


@pytest.mark.rule(31)
def test_equal_numbers_share(tf, traces_of):
    assert traces_of(1, 1.0, True) == 1
    assert traces_of(0, False, 0.0, -0.0) == 1
    assert traces_of(1, 1 + 0j) == 1
    assert traces_of(1, 2, 1, 2) == 2
    assert traces_of(10**30, 10**30, 10**30 + 1) == 2
    assert traces_of(2.5, 2.5, 2) == 2


@pytest.mark.rule(31)
def test_other_literals(tf, traces_of):
    assert traces_of("a", str(b"a", "ascii"), "b") == 2
    assert traces_of("a", b"a") == 2
    assert traces_of(b"x", b"x") == 1
    assert traces_of(None, None) == 1
    assert traces_of(None, 0, False) == 2
    assert traces_of(..., Ellipsis) == 1
    assert traces_of(frozenset([1, 2]), frozenset([2, 1]), frozenset([1])) == 2
    assert traces_of("1", 1) == 2


@pytest.mark.rule(31)
def test_ranges(tf, traces_of, traced_value):
    assert traces_of(range(3), range(0, 3, 1), range(0, 3)) == 1
    assert traces_of(range(3), range(4)) == 2
    assert traced_value(lambda r: r, range(2, 5)) == [2, 3, 4]


@pytest.mark.rule(31)
@pytest.mark.parametrize("value", [3, 2.5, True, "text", b"bytes", 1 + 2j, None, frozenset([1]), ...])
def test_literals_stay_python_inside(tf, traced_value, value):
    inside = traced_value(lambda x: x, value)
    assert inside == value and type(inside) is type(value)


@pytest.mark.rule(31)
def test_a_subclass_of_int_is_its_value(tf, traces_of):
    class Number(int):
        pass

    assert traces_of(1, Number(1)) == 1


@pytest.mark.rule(32)
def test_the_first_of_equal_values_is_baked_in(tf, traces):
    f = tf.function(lambda x: (traces.append(x), tf.constant(str(x)))[1])
    assert f(1).numpy() == b"1" and f(True).numpy() == b"1" and f(1.0).numpy() == b"1"
    assert len(traces) == 1
    g = tf.function(lambda x: tf.constant(str(x)))
    assert g(True).numpy() == b"True" and g(1).numpy() == b"True"


@pytest.mark.rule(32)
def test_the_first_of_equal_values_in_a_structure(tf):
    f = tf.function(lambda pair: tf.constant(str(pair)))
    assert f([0, "a"]).numpy() == b"[0, 'a']" and f([False, "a"]).numpy() == b"[0, 'a']"


@pytest.mark.rule(33)
def test_nan_matches_nan(tf, traces_of):
    assert traces_of(float("nan"), float("nan"), np.nan, -float("nan")) == 1
    assert traces_of([float("nan"), 1], [float("nan"), 1], [float("nan"), 2]) == 2


@pytest.mark.rule(43)
def test_varargs_by_position(tf, traces):
    f = tf.function(lambda *args: traces.append(len(args)))
    f(), f(1), f(1, 2), f(1), f(2, 1), f()
    assert traces == [0, 1, 2, 2]
    f(tf.constant(1), tf.constant(2)), f(tf.constant(3), tf.constant(4))
    assert len(traces) == 5


@pytest.mark.rule(43)
def test_keywords_by_name(tf, traces):
    f = tf.function(lambda **kwargs: traces.append(sorted(kwargs)))
    f(a=1, b=2), f(b=2, a=1), f(a=1), f(b=1)
    assert traces == [["a", "b"], ["a"], ["b"]]


@pytest.mark.rule(43)
def test_varargs_and_a_tuple_are_different(tf, traces):
    f = tf.function(lambda *args: traces.append(args))
    f(1, 2), f((1, 2))
    assert traces == [(1, 2), ((1, 2),)]


@pytest.mark.rule(44, 109)
def test_free_variables_are_not_in_the_key(tf, traces):
    factor = 2
    table = {"offset": 0}
    holder = Plain()
    holder.power = 1

    @tf.function
    def f(x):
        traces.append(0)
        return x**holder.power * factor + table["offset"]

    assert f(tf.constant(3)).numpy() == 6
    factor, table["offset"], holder.power = 5, 100, 2
    assert f(tf.constant(3)).numpy() == 6 and len(traces) == 1
    assert f(tf.constant([3])).numpy().tolist() == [145]


@pytest.mark.rule(45)
def test_specs_stand_for_tensors(tf, traces):
    f = tf.function(lambda x: traces.append(x))
    f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    f(tf.zeros([2])), f(np.zeros(2, np.float32))
    assert len(traces) == 1
    f.get_concrete_function(tf.zeros([2]))
    assert len(traces) == 1
    f.get_concrete_function(tf.TensorSpec([2], tf.float32, name="other"))
    assert len(traces) == 2  # A name is part of the spec.


@pytest.mark.rule(45)
def test_specs_inside_structures(tf, traces):
    f = tf.function(lambda d: traces.append(0))
    spec = tf.TensorSpec([], tf.int32)
    f.get_concrete_function({"a": spec, "b": [spec, 3]})
    f({"a": tf.constant(1), "b": [tf.constant(2), 3]})
    assert len(traces) == 1


@pytest.mark.rule(46)
def test_calls_from_a_trace_share_the_cache(tf, traces):
    inner = tf.function(lambda x: (traces.append(0), x + 1)[1])
    outer = tf.function(lambda x: inner(x) + inner(x * 2))
    assert outer(tf.constant(1)).numpy() == 5
    assert inner(tf.constant(9)).numpy() == 10
    assert len(traces) == 1
    inner(tf.constant([1]))
    outer(tf.constant([1]))
    assert len(traces) == 2
