"""Section B of the tracing rules: one run of the Python function per trace, what becomes constant in it, and its static checks."""

import collections

import numpy as np
import pytest


@pytest.mark.rule(12)
def test_a_hit_runs_no_python(tf, traces):
    @tf.function
    def f(x):
        traces.append(x)
        return x + 1

    assert [int(f(tf.constant(n))) for n in (1, 2, 3)] == [2, 3, 4]
    assert len(traces) == 1


@pytest.mark.rule(12)
def test_a_miss_traces_and_then_runs(tf, traces):
    v = tf.Variable(0)

    @tf.function
    def f(x):
        traces.append(x)
        v.assign_add(1)

    f(1), f(2), f(2)
    assert len(traces) == 2 and v.numpy() == 3


@pytest.mark.rule(13)
def test_executing_eagerly(tf, traced_value):
    assert tf.executing_eagerly()
    assert traced_value(tf.executing_eagerly) is False
    assert tf.executing_eagerly()


@pytest.mark.rule(13)
def test_inside_function(tf, traced_value):
    assert not tf.inside_function()
    assert traced_value(tf.inside_function) is True


@pytest.mark.rule(13)
def test_init_scope_is_eager(tf, traced_value):
    def body():
        with tf.init_scope():
            return tf.executing_eagerly(), (tf.constant(2) + 3).numpy()

    assert traced_value(body) == (True, 5)


@pytest.mark.rule(13)
def test_nothing_is_computed_while_tracing(tf):
    f = tf.function(lambda x: tf.debugging.check_numerics(x, "bad"))
    f.get_concrete_function(tf.constant(float("nan")))
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        f(tf.constant(float("nan")))


@pytest.mark.rule(25)
@pytest.mark.parametrize("value", [2, 2.5, [1, 2], np.float64(1.5), np.arange(3), "text", True])
def test_python_values_become_constants(tf, value):
    concrete = tf.function(lambda: tf.identity(value)).get_concrete_function()
    assert "Const" in [op.type for op in concrete.graph.get_operations()]
    expected = value.encode() if isinstance(value, str) else np.asarray(value)
    assert np.array_equal(concrete().numpy(), expected)


@pytest.mark.rule(25)
def test_a_constant_takes_no_symbolic_tensor(tf):
    for part in (lambda x: x, lambda x: [x[0], 1.0], lambda x: [[x[0]], [2.0]]):
        f = tf.function(lambda x, part=part: tf.constant(part(x)), autograph=False)
        with pytest.raises(TypeError, match="Expected any non-tensor type, but got a tensor instead") as caught:
            f.get_concrete_function(tf.TensorSpec([2], tf.float32))
        assert type(caught.value) is TypeError
    iterated = tf.function(lambda x: tf.constant(list(x)), autograph=False)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Iterating over a symbolic `tf.Tensor` is not allowed"):
        iterated.get_concrete_function(tf.TensorSpec([2], tf.float32))


@pytest.mark.rule(25)
def test_numpy_value_is_fixed_at_trace_time(tf):
    table = np.array([1.0, 2.0])
    f = tf.function(lambda x: x + table)
    assert f(tf.constant([0.0, 0.0], tf.float64)).numpy().tolist() == [1.0, 2.0]
    table[0] = 100.0
    assert f(tf.constant([0.0, 0.0], tf.float64)).numpy().tolist() == [1.0, 2.0]


@pytest.mark.rule(26)
def test_captured_eager_tensor_stays_eager_in_python(tf, traced_value):
    outer = tf.constant([1.0, 2.0])
    text, value, derived = traced_value(lambda: (str(outer), outer.numpy().tolist(), str(outer + 1)))
    assert text == "tf.Tensor([1. 2.], shape=(2,), dtype=float32)" and value == [1.0, 2.0]
    assert derived == 'Tensor("add:0", shape=(2,), dtype=float32)'


@pytest.mark.rule(27)
def test_static_shapes_propagate(tf, traces):
    def f(x):
        row = tf.zeros([1, 3])
        traces.append(
            [(x + row).shape.as_list(), tf.reduce_sum(x, 1).shape.as_list(), tf.transpose(x).shape.as_list(),
             x[0].shape.as_list(), tf.reshape(x, [-1]).shape.as_list(), tf.matmul(x, tf.ones([3, 4])).shape.as_list()]
        )  # fmt: skip

    tf.function(f).get_concrete_function(tf.TensorSpec([None, 3], tf.float32))
    assert traces[0] == [[None, 3], [None], [3, None], [3], [None], [None, 4]]


@pytest.mark.rule(27)
@pytest.mark.parametrize(
    "op, words",
    [
        (lambda tf: tf.zeros([3]) + tf.zeros([2]), "Dimensions must be equal, but are 3 and 2"),
        (lambda tf: tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 5])), "Dimensions must be equal, but are 3 and 2"),
        (lambda tf: tf.maximum(tf.zeros([4, 3]), tf.zeros([5, 3])), "Dimensions must be equal, but are 4 and 5"),
    ],
)
def test_shape_errors_at_trace_time(tf, op, words):
    with pytest.raises(ValueError, match=words):
        tf.function(lambda: op(tf)).get_concrete_function()


@pytest.mark.rule(27, 190)
def test_dtype_errors_at_trace_time(tf):
    f = tf.function(lambda x, y: x + y)
    with pytest.raises(TypeError) as error:
        f.get_concrete_function(tf.constant(1), tf.constant(1.0))
    assert "Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of argument 'x'." in str(
        error.value
    )
    with pytest.raises(TypeError, match="Input 'y' of 'Mul' Op has type int64 that does not match type int32"):
        tf.function(lambda x, y: x * y)(tf.constant(1), tf.constant(1, tf.int64))


@pytest.mark.rule(27)
def test_dtype_errors_eagerly(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="AddV2"):
        tf.constant([1.0]) + tf.constant([1])


@pytest.mark.rule(27)
def test_shape_errors_eagerly(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[3\] vs. \[2\]"):
        tf.zeros([3]) + tf.zeros([2])


@pytest.mark.rule(13, 16)
def test_namedtuple_argument_keeps_its_class(tf, traces):
    Point = collections.namedtuple("Point", "x y")

    def f(p):
        traces.append((type(p), p.x.name, p.y.name))

    tf.function(f)(Point(tf.constant(1), tf.constant(2)))
    assert traces == [(Point, "p:0", "p_1:0")]


@pytest.mark.rule(27)
def test_static_shapes_follow_through_calls(tf):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec([], tf.int32)])
    def general(x, n):
        return tf.reshape(x, [-1, n]), tf.ones([tf.shape(x)[0], n])

    nested = tf.function(lambda x, n: general(x, n), reduce_retracing=True)
    shapes = []

    @tf.function
    def caller():
        for function in (general, nested):
            shapes.extend(result.shape.as_list() for result in function(tf.zeros([4, 6]), 3))
        return general(tf.zeros([4, 6]), 3)

    assert [result.shape.as_list() for result in caller()] == [[8, 3], [4, 3]]
    assert shapes == [[8, 3], [4, 3]] * 2


@pytest.mark.rule(27)
def test_a_call_whose_shapes_do_not_fit_fails_when_it_runs(tf):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)] * 2)
    def product(x, y):
        return tf.matmul(x, y)

    f = tf.function(lambda x: product(x, x))
    assert f(tf.ones([2, 2])).numpy().tolist() == [[2, 2], [2, 2]]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        f(tf.ones([2, 3]))
