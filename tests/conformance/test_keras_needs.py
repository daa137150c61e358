"""What Keras and other libraries ask of ops: IndexedSlices that stay so, shapes from tensors, ranges of floats, lists."""

import numpy as np
import pytest


@pytest.fixture
def slices(tf):
    return tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant([1, 3, 1]), tf.constant([4, 2]))


@pytest.mark.rule(155)
def test_indexed_slices_stay_so(tf, slices):
    for made in (tf.cast(slices, tf.float64), tf.math.scalar_mul(2.0, slices), tf.clip_by_value(slices, 2.0, 4.0)):
        assert isinstance(made, tf.IndexedSlices)
        assert made.indices.numpy().tolist() == [1, 3, 1] and made.dense_shape.numpy().tolist() == [4, 2]
    assert tf.cast(slices, tf.float64).dtype == tf.float64 and tf.cast(slices, tf.float32).dtype == tf.float32
    assert tf.math.scalar_mul(2.0, slices).values.numpy()[2].tolist() == [10.0, 12.0]
    assert tf.clip_by_value(slices, 2.0, 4.0).values.numpy().tolist() == [[2.0, 2.0], [3.0, 4.0], [4.0, 4.0]]


@pytest.mark.rule(155)
def test_indexed_slices_stay_so_in_a_function(tf, slices):
    @tf.function
    def f(x):
        return tf.cast(x, tf.float16), tf.math.scalar_mul(tf.constant(3.0), x)

    half, three = f(slices)
    assert half.dtype == tf.float16 and three.values.numpy()[0].tolist() == [3.0, 6.0]


@pytest.mark.rule(155)
@pytest.mark.parametrize(
    ("dtype", "limits", "count", "last"),
    [
        ("float32", (0.1, 1.1, 0.1), 10, 1.0),
        ("float16", (0.1, 2.3, 0.2), 12, 2.298828125),
        ("bfloat16", (1.0, 0.0, -0.1), 10, 0.09765625),
        ("bfloat16", (5.0, -5.0, -0.7), 15, -4.8125),
        ("float64", (0.0, 100.0, 0.1), 1000, 99.9),
    ],
)
def test_ranges_round_as_their_dtype_does(tf, dtype, limits, count, last):
    limits = [tf.cast(tf.constant(x, tf.float64), dtype) for x in limits]
    found = tf.range(*limits)
    assert found.shape == [count] and float(tf.cast(found[-1], tf.float64)) == pytest.approx(last, rel=1e-12)
    assert tf.function(lambda *x: tf.range(*x))(*limits).shape == [count]


@pytest.mark.rule(155)
def test_axes_as_arrays(tf):
    x, y = tf.ones([2, 3]), tf.ones([3, 4])
    for axes in (np.array([[1], [0]]), tf.constant([[1], [0]])):
        assert tf.tensordot(x, y, axes).numpy().tolist() == [[3.0] * 4] * 2


@pytest.mark.rule(155)
def test_dropout_with_sizes_that_are_tensors(tf):
    @tf.function
    def f(x):
        return tf.nn.experimental.stateless_dropout(x, 0.5, [1, 2], noise_shape=(tf.shape(x)[0], 1, tf.shape(x)[2]))

    found = f(tf.ones([2, 3, 4])).numpy()
    assert np.array_equal(found, np.broadcast_to(found[:, :1], found.shape)) and set(found.flat) == {0.0, 2.0}


@pytest.mark.rule(155)
def test_a_value_that_may_be_fed_is_not_known(tf):
    with tf.Graph().as_default():
        x = tf.compat.v1.sparse_placeholder(tf.float32, [None, 3, 3])
        assert x.shape.as_list() == [None, 3, 3]
        assert tf.sparse.to_dense(x).shape.as_list() == [None, None, None]


@pytest.mark.rule(155)
def test_a_graph_of_a_function_captures(tf):
    v = tf.Variable(2.0)
    with tf.__internal__.FuncGraph("g").as_default() as g:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        y = v * 3.0 + x
    assert y.graph is g and y.shape.as_list() == [None, 3] and len(g.captures) == 1


@pytest.mark.rule(155)
def test_own_classes_of_tensors(tf):
    class Mine(tf.__internal__.types.Tensor):
        dtype, shape = tf.float32, tf.TensorShape([])

        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant(3.0, dtype, name=name)

    x = Mine()
    assert tf.is_tensor(x) and not isinstance(x, tf.Tensor)
    assert float(tf.convert_to_tensor(x)) == 3.0 and float(tf.constant(1.0) + x) == 4.0
    base = tf.__internal__.types.Tensor
    assert isinstance(tf.constant(1), base) and isinstance(tf.Variable(1), base) and not isinstance(1, base)


@pytest.mark.rule(155)
def test_all_concrete_functions(tf):
    @tf.function
    def f(x):
        return x + 1

    assert f._list_all_concrete_functions() == []
    f(1)
    f(tf.constant(1.0))
    f(tf.constant(2.0))
    found = f._list_all_concrete_functions()
    assert len(found) == 2
    assert found[1] is f.get_concrete_function(tf.constant(3.0))
    assert float(found[1](tf.constant(4.0))) == 5.0


@pytest.mark.rule(155)
def test_variable_arguments_keep_their_name_and_unique_id(tf):
    seen, made = [], []

    @tf.function
    def f(v):
        seen.append((v.name, v._unique_id))
        if not made:
            made.append(tf.Variable(1.0))  # so that the first call traces twice
        return v * made[0]

    v = tf.Variable(3.0, name="weight")
    assert f(v).numpy() == 3.0
    assert set(seen) == {("weight:0", v._unique_id)} and len(seen) == 2
