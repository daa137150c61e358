"""SparseTensors in traced functions, loops and branches, as placeholders and as values."""

import numpy as np
import pytest

from sparse_values import A, F, dense

pytestmark = pytest.mark.rule(27)


def test_arguments_captures_and_results_of_functions(tf):
    held = F(tf)

    @tf.function
    def f(sp, x):
        return tf.sparse.transpose(sp), held * x

    turned, scaled = f(F(tf), tf.constant(2.0))
    assert turned.shape.as_list() == [3, 2]
    assert dense(tf, turned) == [[0.0, 7.0], [5.0, 0.0], [0.0, 6.0]]
    assert dense(tf, scaled) == [[0.0, 10.0, 0.0], [14.0, 0.0, 12.0]]


def test_one_trace_for_a_signature_with_unknown_sizes(tf):
    traces = []

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def f(sp):
        traces.append(sp.shape.as_list())
        return tf.sparse.reduce_sum(sp, 1)

    assert f(F(tf)).numpy().tolist() == [5.0, 13.0]
    assert f(tf.sparse.concat(0, [F(tf), F(tf)])).numpy().tolist() == [5.0, 13.0, 5.0, 13.0]
    assert traces == [[None, 3]]
    with pytest.raises(TypeError):
        f(A(tf))


def test_functions_of_a_tensor_of_unknown_rank(tf):
    shapes = []

    @tf.function(input_signature=[tf.SparseTensorSpec(None, tf.float32)])
    def f(sp):
        results = [
            tf.sparse.reshape(sp, [-1]),
            tf.sparse.expand_dims(sp),
            tf.sparse.transpose(sp),
            tf.sparse.concat(0, [sp, sp]),
            tf.sparse.slice(sp, [0, 0], [1, 2]),
            tf.sparse.add(sp, sp),
            tf.sparse.reset_shape(sp),
            tf.sparse.softmax(sp),
        ]
        shapes.extend(r.shape.rank for r in results)
        return [tf.sparse.to_dense(r) for r in results], tf.sparse.reduce_sum(sp), tf.rank(sp), tf.shape(sp), tf.size(sp)

    results, total, rank, shape, size = f(F(tf))
    assert shapes == [1, None, None, None, None, None, None, None]
    assert results[0].numpy().tolist() == [0.0, 5.0, 0.0, 7.0, 0.0, 6.0]
    assert results[2].numpy().tolist() == [[0.0, 7.0], [5.0, 0.0], [0.0, 6.0]]
    assert results[4].numpy().tolist() == [[0.0, 5.0]]
    assert results[5].numpy().tolist() == [[0.0, 10.0, 0.0], [14.0, 0.0, 12.0]]
    assert float(total) == 18.0 and int(rank) == 2 and shape.numpy().tolist() == [2, 3] and int(size) == 6


def test_loop_variables(tf):
    def double(sp):
        return tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.sparse.add(s, s)), (0, sp))[1]

    for run in (double, tf.function(double)):
        assert dense(tf, run(F(tf))) == [[0.0, 40.0, 0.0], [56.0, 0.0, 48.0]]


def test_loop_variables_that_grow_need_an_invariant(tf):
    def grow(sp, invariants):
        return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, tf.sparse.concat(0, [s, s])), (0, sp), invariants)[1]

    grown = tf.function(lambda sp: grow(sp, (tf.TensorShape([]), tf.TensorShape([2]))))(F(tf))
    assert grown.dense_shape.numpy().tolist() == [8, 3]
    with pytest.raises(ValueError, match=r"Shapes \(4, 3\) and \(2, 3\) are not compatible"):
        tf.function(lambda sp: grow(sp, None))(F(tf))


def test_branches(tf):
    @tf.function
    def f(sp, turn):
        if turn:
            result = tf.sparse.transpose(sp)
        else:
            result = sp * 2.0
        return result

    @tf.function
    def g(sp, turn):
        result = tf.cond(turn, lambda: tf.sparse.transpose(sp), lambda: sp)
        assert result.shape.as_list() == [None, None]
        return result

    assert dense(tf, f(F(tf), tf.constant(False))) == [[0.0, 10.0, 0.0], [14.0, 0.0, 12.0]]
    assert dense(tf, g(F(tf), tf.constant(True))) == [[0.0, 7.0], [5.0, 0.0], [0.0, 6.0]]
    assert dense(tf, g(F(tf), tf.constant(False))) == [[0.0, 5.0, 0.0], [7.0, 0.0, 6.0]]


def test_placeholders(tf):
    with tf.Graph().as_default():
        sp = tf.compat.v1.sparse_placeholder(tf.float32, shape=[None, 3], name="x")
        assert sp.shape.as_list() == [None, 3]
        assert [t.name for t in (sp.indices, sp.values, sp.dense_shape)] == ["x/indices:0", "x/values:0", "x/shape:0"]
        unknown = tf.compat.v1.sparse_placeholder(tf.int32)
        assert unknown.shape.rank is None and unknown.dtype == tf.int32
    with pytest.raises(RuntimeError):
        tf.compat.v1.sparse_placeholder(tf.float32)


def test_values_make_specs_and_tensors(tf):
    value = tf.compat.v1.SparseTensorValue(np.array([[0, 1]]), np.array([5.0], np.float32), np.array([2, 3]))
    made = tf.SparseTensor.from_value(value)
    assert made.shape.as_list() == [2, 3] and made.dtype == tf.float32
    assert tf.sparse.reorder(value).values.numpy().tolist() == [5.0]


def test_print(tf, capfd):
    sp = tf.SparseTensor([[0, 1], [1, 0]], [5, 7], [2, 3])
    text = "SparseTensor(indices=[[0 1]\n [1 0]], values=[5 7], shape=[2 3])"
    tf.print("x", sp, [sp])
    tf.function(lambda: tf.print("x", sp, [sp]) and None)()
    assert capfd.readouterr().err == 2 * f"x '{text}' ['{text}']\n"


def test_known_sizes_in_functions_of_datasets(tf):
    rows = tf.data.Dataset.from_tensor_slices(tf.sparse.eye(4))
    assert rows.map(tf.sparse.to_dense).element_spec.shape == [4]
    assert rows.batch(3).map(tf.sparse.to_dense).element_spec.shape.as_list() == [None, 4]
    assert [row.shape.as_list() for row in rows.batch(3).map(tf.sparse.to_dense)] == [[3, 4], [1, 4]]
    whole = tf.data.Dataset.from_tensors(tf.sparse.eye(4))
    product = whole.map(lambda s: tf.sparse.sparse_dense_matmul(s, tf.ones([4, 2])))
    assert product.element_spec.shape.as_list() == [4, 2]
    assert whole.map(lambda s: tf.sparse.reduce_sum(s, 1)).element_spec.shape.as_list() == [4]
    spec = tf.SparseTensorSpec([None, 3])
    some = tf.data.Dataset.from_generator(lambda: iter([tf.sparse.eye(3)]), output_signature=spec).map(tf.sparse.to_dense)
    assert some.element_spec.shape.as_list() == [None, 3]
    unknown = tf.data.Dataset.from_generator(lambda: iter([tf.sparse.eye(3)]), output_signature=tf.SparseTensorSpec(None))
    assert unknown.map(tf.sparse.to_dense).element_spec.shape.rank is None

    @tf.function
    def first(iterator):
        return tf.sparse.to_dense(next(iterator))

    assert first.get_concrete_function(iter(whole)).output_shapes == [4, 4]


@pytest.mark.parametrize(
    ("make", "known"),
    [
        (lambda tf, x: tf.sparse.from_dense(x), [None, 3]),
        (lambda tf, x: tf.SparseTensor(tf.zeros([0, 2], tf.int64), [], tf.shape(x, tf.int64)), [None, 3]),
        (lambda tf, x: tf.SparseTensor(tf.zeros([0, 2], tf.int64), [], tf.cast(tf.shape(x), tf.int64)), [None, 3]),
        (lambda tf, x: tf.SparseTensor(tf.zeros([0, 2], tf.int64), [], tf.shape(x, tf.int64)[::-1]), [3, None]),
        (lambda tf, x: tf.SparseTensor(tf.zeros([0, 3], tf.int64), [], tf.concat([[5], tf.shape(x, tf.int64)], 0)), [5, None, 3]),
        (lambda tf, x: tf.SparseTensor(tf.zeros([0, 2], tf.int64), [], [tf.size(x, tf.int64), 4]), [None, 4]),
        (lambda tf, x: tf.SparseTensor(tf.zeros([0, 2], tf.int64), [], tf.shape(x, tf.int64) + 1), [None, None]),
    ],
)
def test_known_sizes_of_computed_shapes(tf, make, known):
    shapes = []
    f = tf.function(lambda x: shapes.append(make(tf, x).shape), autograph=False)
    f.get_concrete_function(tf.TensorSpec([None, 3]))
    assert shapes[0].as_list() == known
