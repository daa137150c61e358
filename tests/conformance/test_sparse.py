"""tf.sparse and what else takes SparseTensors: results and errors of TensorFlow 2.21."""

import builtins

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def A(tf):
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [5, 7, 6], [2, 3])


def B(tf):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 2]], [1, 2, 7], [2, 3])


def C(tf):
    return tf.SparseTensor([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]], [1, 2, 3, 4], [2, 2, 2])


def F(tf):
    return tf.cast(A(tf), tf.float32)


def S(tf):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [2, 2])


def T(tf):
    return tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def IDS(tf):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 2, 1, 1], [2, 2])


def J(tf):
    return tf.SparseTensor([[0, 0], [2, 0], [2, 1]], tf.constant([1, -1, 2], tf.int64), [4, 2])


def W(tf):
    return tf.SparseTensor(IDS(tf).indices, [1.0, 3.0, 0.5, 0.5], [2, 2])


def L(tf):
    return tf.sin(tf.reshape(tf.range(32.0), [4, 2, 4]) * 7.0)


def plain(value):
    """A result as numbers: (dtype, elements), and (kind, indices, values, shape) of a composite."""
    if hasattr(value, "dense_shape"):
        kind = "slices" if type(value).__name__ == "IndexedSlices" else "sparse"
        return (kind, *map(plain, (value.indices, value.values, value.dense_shape)))
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value.dtype.name, np.asarray(value.numpy()).tolist()


def assert_same(got, expected):
    """Equal but for the last digits of floats."""
    if isinstance(expected, (list, tuple)):
        assert isinstance(got, type(expected)) and len(got) == len(expected)
        for a, b in zip(got, expected):
            assert_same(a, b)
    elif isinstance(expected, float):
        assert got == pytest.approx(expected, rel=2e-4, abs=1e-6)
    else:
        assert got == expected


# Name: program, and its result in TensorFlow 2.21.
CASES = {
    "to_dense": (
        lambda tf: tf.sparse.to_dense(A(tf)),
        ("int32", [[0, 5, 0], [7, 0, 6]]),
    ),
    "to_dense default": (
        lambda tf: tf.sparse.to_dense(A(tf), default_value=-1),
        ("int32", [[-1, 5, -1], [7, -1, 6]]),
    ),
    "to_dense strings": (
        lambda tf: tf.sparse.to_dense(tf.SparseTensor([[0], [2]], ["a", "b"], [3])),
        ("string", [b"a", b'', b"b"]),
    ),
    "to_dense bools": (
        lambda tf: tf.sparse.to_dense(tf.SparseTensor([[0], [2]], [True, True], [3])),
        ("bool", [True, False, True]),
    ),
    "to_dense unchecked": (
        lambda tf: tf.sparse.to_dense(tf.SparseTensor([[1, 0], [0, 1]], [7, 5], [2, 3]), validate_indices=False),
        ("int32", [[0, 5, 0], [7, 0, 0]]),
    ),
    "from_dense": (
        lambda tf: tf.sparse.from_dense([[0, 3, 0], [4, 0, 5]]),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [3, 4, 5]), ("int64", [2, 3])),
    ),
    "from_dense strings": (
        lambda tf: tf.sparse.from_dense(["a", "", "b"]),
        ("sparse", ("int64", [[0], [2]]), ("string", [b"a", b"b"]), ("int64", [3])),
    ),
    "from_dense empty": (
        lambda tf: tf.sparse.from_dense(tf.zeros([0, 3])),
        ("sparse", ("int64", []), ("float32", []), ("int64", [0, 3])),
    ),
    "eye": (
        lambda tf: tf.sparse.eye(2, 3),
        ("sparse", ("int64", [[0, 0], [1, 1]]), ("float32", [1.0, 1.0]), ("int64", [2, 3])),
    ),
    "eye ints": (
        lambda tf: tf.sparse.eye(tf.constant(2), dtype=tf.int32),
        ("sparse", ("int64", [[0, 0], [1, 1]]), ("int32", [1, 1]), ("int64", [2, 2])),
    ),
    "reorder": (
        lambda tf: tf.sparse.reorder(tf.SparseTensor([[1, 2], [0, 1], [1, 0]], [6, 5, 7], [2, 3])),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [5, 7, 6]), ("int64", [2, 3])),
    ),
    "add": (
        lambda tf: tf.sparse.add(A(tf), B(tf)),
        ("sparse", ("int64", [[0, 0], [0, 1], [1, 0], [1, 2]]), ("int32", [1, 7, 7, 13]), ("int64", [2, 3])),
    ),
    "add threshold": (
        lambda tf: tf.sparse.add(A(tf), B(tf), threshold=9),
        ("sparse", ("int64", [[0, 0], [1, 0], [1, 2]]), ("int32", [1, 7, 13]), ("int64", [2, 3])),
    ),
    "add dense": (
        lambda tf: tf.sparse.add(A(tf), tf.ones([2, 3], tf.int32)),
        ("int32", [[1, 6, 1], [8, 1, 7]]),
    ),
    "add to dense": (
        lambda tf: tf.sparse.add(tf.ones([2, 3], tf.int32), A(tf)),
        ("int32", [[1, 6, 1], [8, 1, 7]]),
    ),
    "add complex": (
        lambda tf: tf.sparse.add(tf.SparseTensor([[0]], [1 + 2j], [2]), tf.SparseTensor([[0]], [2 - 2j], [2])),
        ("sparse", ("int64", [[0]]), ("complex128", [(3+0j)]), ("int64", [2])),
    ),
    "concat": (
        lambda tf: tf.sparse.concat(0, [A(tf), B(tf)]),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2], [2, 0], [2, 1], [3, 2]]), ("int32", [5, 7, 6, 1, 2, 7]),
         ("int64", [4, 3])),
    ),
    "concat columns": (
        lambda tf: tf.sparse.concat(-1, [A(tf), B(tf)]),
        ("sparse", ("int64", [[0, 1], [0, 3], [0, 4], [1, 0], [1, 2], [1, 5]]), ("int32", [5, 1, 2, 7, 6, 7]),
         ("int64", [2, 6])),
    ),
    "concat one": (
        lambda tf: tf.sparse.concat(0, [A(tf)]),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [5, 7, 6]), ("int64", [2, 3])),
    ),
    "concat expanded": (
        lambda tf: tf.sparse.concat(0, [A(tf), tf.SparseTensor([[0, 4]], [9], [1, 5])], expand_nonconcat_dims=True),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2], [2, 4]]), ("int32", [5, 7, 6, 9]), ("int64", [3, 5])),
    ),
    "concat expanded last": (
        lambda tf: tf.sparse.concat(-1, [A(tf), tf.SparseTensor([[3, 0]], [9], [4, 1])], expand_nonconcat_dims=True),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2], [3, 3]]), ("int32", [5, 7, 6, 9]), ("int64", [4, 4])),
    ),
    "expand_dims": (
        lambda tf: tf.sparse.expand_dims(A(tf)),
        ("sparse", ("int64", [[0, 1, 0], [1, 0, 0], [1, 2, 0]]), ("int32", [5, 7, 6]), ("int64", [2, 3, 1])),
    ),
    "expand_dims first": (
        lambda tf: tf.sparse.expand_dims(A(tf), 0),
        ("sparse", ("int64", [[0, 0, 1], [0, 1, 0], [0, 1, 2]]), ("int32", [5, 7, 6]), ("int64", [1, 2, 3])),
    ),
    "expand_dims negative": (
        lambda tf: tf.sparse.expand_dims(A(tf), -2),
        ("sparse", ("int64", [[0, 0, 1], [1, 0, 0], [1, 0, 2]]), ("int32", [5, 7, 6]), ("int64", [2, 1, 3])),
    ),
    "expand_dims tensor": (
        lambda tf: tf.sparse.expand_dims(A(tf), tf.constant(1)),
        ("sparse", ("int64", [[0, 0, 1], [1, 0, 0], [1, 0, 2]]), ("int32", [5, 7, 6]), ("int64", [2, 1, 3])),
    ),
    "fill_empty_rows": (
        lambda tf: tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1], [2, 0]], [5, 7], [4, 3]), 9),
        [("sparse", ("int64", [[0, 1], [1, 0], [2, 0], [3, 0]]), ("int32", [5, 9, 7, 9]), ("int64", [4, 3])),
         ("bool", [False, True, False, True])],
    ),
    "fill_empty_rows unordered": (
        lambda tf: tf.sparse.fill_empty_rows(tf.SparseTensor([[2, 1], [0, 0], [2, 0]], [5, 7, 8], [3, 3]), 9),
        [("sparse", ("int64", [[0, 0], [1, 0], [2, 1], [2, 0]]), ("int32", [7, 9, 5, 8]), ("int64", [3, 3])),
         ("bool", [False, True, False])],
    ),
    "fill_empty_rows nothing": (
        lambda tf: tf.sparse.fill_empty_rows(tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [2, 3]), 1.0),
        [("sparse", ("int64", [[0, 0], [1, 0]]), ("float32", [1.0, 1.0]), ("int64", [2, 3])), ("bool", [True, True])],
    ),
    "mask": (
        lambda tf: tf.sparse.mask(
            tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0], [4.0]]), tf.constant([12, 26, 37, 45]), tf.constant([100, 1])),
            [12, 45],
        ),
        ("slices", ("int32", [26, 37]), ("float32", [[2.0], [3.0]]), ("int32", [100, 1])),
    ),
    "map_values": (
        lambda tf: tf.sparse.map_values(tf.add, A(tf), 1),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [6, 8, 7]), ("int64", [2, 3])),
    ),
    "map_values two": (
        lambda tf: tf.sparse.map_values(tf.multiply, A(tf), A(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [25, 49, 36]), ("int64", [2, 3])),
    ),
    "map_values nested": (
        lambda tf: tf.sparse.map_values(tf.add_n, [A(tf), A(tf)]),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [10, 14, 12]), ("int64", [2, 3])),
    ),
    "maximum": (
        lambda tf: tf.sparse.maximum(A(tf), B(tf)),
        ("sparse", ("int64", [[0, 0], [0, 1], [1, 0], [1, 2]]), ("int32", [1, 5, 7, 7]), ("int64", [2, 3])),
    ),
    "minimum": (
        lambda tf: tf.sparse.minimum(A(tf), B(tf)),
        ("sparse", ("int64", [[0, 0], [0, 1], [1, 0], [1, 2]]), ("int32", [0, 2, 0, 6]), ("int64", [2, 3])),
    ),
    "reduce_sum": (
        lambda tf: tf.sparse.reduce_sum(A(tf)),
        ("int32", 18),
    ),
    "reduce_sum 0": (
        lambda tf: tf.sparse.reduce_sum(A(tf), 0),
        ("int32", [7, 5, 6]),
    ),
    "reduce_sum kept": (
        lambda tf: tf.sparse.reduce_sum(A(tf), [-1], keepdims=True),
        ("int32", [[5], [13]]),
    ),
    "reduce_sum kept all": (
        lambda tf: tf.sparse.reduce_sum(A(tf), keepdims=True),
        ("int32", [[18]]),
    ),
    "reduce_sum sparse": (
        lambda tf: tf.sparse.reduce_sum(A(tf), 1, output_is_sparse=True),
        ("sparse", ("int64", [[0], [1]]), ("int32", [5, 13]), ("int64", [2])),
    ),
    "reduce_sum sparse kept": (
        lambda tf: tf.sparse.reduce_sum(A(tf), 0, keepdims=True, output_is_sparse=True),
        ("sparse", ("int64", [[0, 0], [0, 1], [0, 2]]), ("int32", [7, 5, 6]), ("int64", [1, 3])),
    ),
    "reduce_sum 3": (
        lambda tf: tf.sparse.reduce_sum(C(tf), [0, 2]),
        ("int32", [8, 2]),
    ),
    "reduce_max": (
        lambda tf: tf.sparse.reduce_max(A(tf), 1),
        ("int32", [5, 7]),
    ),
    "reduce_max all": (
        lambda tf: tf.sparse.reduce_max(A(tf)),
        ("int32", 7),
    ),
    "reduce_max negative": (
        lambda tf: tf.sparse.reduce_max(tf.SparseTensor([[0, 0], [2, 1]], [-1, -2], [3, 3]), 1),
        ("int32", [-1, 0, -2]),
    ),
    "reduce_max sparse": (
        lambda tf: tf.sparse.reduce_max(A(tf), 0, output_is_sparse=True),
        ("sparse", ("int64", [[0], [1], [2]]), ("int32", [7, 5, 6]), ("int64", [3])),
    ),
    "reset_shape": (
        lambda tf: tf.sparse.reset_shape(A(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [5, 7, 6]), ("int64", [2, 3])),
    ),
    "reset_shape larger": (
        lambda tf: tf.sparse.reset_shape(A(tf), [4, 5]),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [5, 7, 6]), ("int64", [4, 5])),
    ),
    "reset_shape empty": (
        lambda tf: tf.sparse.reset_shape(tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [2, 3])),
        ("sparse", ("int64", []), ("float32", []), ("int64", [0, 0])),
    ),
    "reshape": (
        lambda tf: tf.sparse.reshape(A(tf), [3, -1]),
        ("sparse", ("int64", [[0, 1], [1, 1], [2, 1]]), ("int32", [5, 7, 6]), ("int64", [3, 2])),
    ),
    "reshape vector": (
        lambda tf: tf.sparse.reshape(A(tf), [6]),
        ("sparse", ("int64", [[1], [3], [5]]), ("int32", [5, 7, 6]), ("int64", [6])),
    ),
    "reshape cube": (
        lambda tf: tf.sparse.reshape(A(tf), [1, -1, 2]),
        ("sparse", ("int64", [[0, 0, 1], [0, 1, 1], [0, 2, 1]]), ("int32", [5, 7, 6]), ("int64", [1, 3, 2])),
    ),
    "retain": (
        lambda tf: tf.sparse.retain(A(tf), [True, False, True]),
        ("sparse", ("int64", [[0, 1], [1, 2]]), ("int32", [5, 6]), ("int64", [2, 3])),
    ),
    "slice": (
        lambda tf: tf.sparse.slice(A(tf), [0, 1], [2, 2]),
        ("sparse", ("int64", [[0, 0], [1, 1]]), ("int32", [5, 6]), ("int64", [2, 2])),
    ),
    "slice past": (
        lambda tf: tf.sparse.slice(A(tf), [1, 0], [5, 5]),
        ("sparse", ("int64", [[0, 0], [0, 2]]), ("int32", [7, 6]), ("int64", [1, 3])),
    ),
    "slice nothing": (
        lambda tf: tf.sparse.slice(A(tf), [0, 0], [1, 1]),
        ("sparse", ("int64", []), ("int32", []), ("int64", [1, 1])),
    ),
    "softmax": (
        lambda tf: tf.sparse.softmax(F(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("float32", [1.0, 0.73106, 0.26894]), ("int64", [2, 3])),
    ),
    "softmax 3": (
        lambda tf: tf.sparse.softmax(tf.cast(C(tf), tf.float64)),
        ("sparse", ("int64", [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]]), ("float64", [1.0, 1.0, 0.26894, 0.73106]),
         ("int64", [2, 2, 2])),
    ),
    "sparse_dense_matmul": (
        lambda tf: tf.sparse.sparse_dense_matmul(F(tf), tf.ones([3, 2])),
        ("float32", [[5.0, 5.0], [13.0, 13.0]]),
    ),
    "sparse_dense_matmul adjoint": (
        lambda tf: tf.sparse.sparse_dense_matmul(F(tf), [[1.0, 2.0], [3.0, 4.0]], adjoint_a=True, adjoint_b=True),
        ("float32", [[14.0, 28.0], [5.0, 15.0], [12.0, 24.0]]),
    ),
    "sparse_dense_matmul right": (
        lambda tf: tf.sparse.sparse_dense_matmul([[1.0, 2.0], [3.0, 4.0]], F(tf)),
        ("float32", [[14.0, 5.0, 12.0], [28.0, 15.0, 24.0]]),
    ),
    "sparse_dense_matmul right adjoint": (
        lambda tf: tf.sparse.sparse_dense_matmul(tf.ones([4, 3]), F(tf), adjoint_b=True),
        ("float32", [[5.0, 13.0], [5.0, 13.0], [5.0, 13.0], [5.0, 13.0]]),
    ),
    "sparse_dense_matmul complex": (
        lambda tf: tf.sparse.sparse_dense_matmul(
            tf.SparseTensor([[0, 1]], [1 + 2j], [2, 2]),
            tf.constant([[1j], [2 - 1j]]),
            adjoint_a=True,
        ),
        ("complex128", [[0j], [(2+1j)]]),
    ),
    "sparse_dense_matmul ints": (
        lambda tf: tf.sparse.sparse_dense_matmul(A(tf), tf.ones([3, 1], tf.int32)),
        ("int32", [[5], [13]]),
    ),
    "split": (
        lambda tf: tf.sparse.split(A(tf), 2, axis=1),
        [("sparse", ("int64", [[0, 1], [1, 0]]), ("int32", [5, 7]), ("int64", [2, 2])),
         ("sparse", ("int64", [[1, 0]]), ("int32", [6]), ("int64", [2, 1]))],
    ),
    "split keywords": (
        lambda tf: tf.sparse.split(sp_input=A(tf), num_split=2, axis=-2),
        [("sparse", ("int64", [[0, 1]]), ("int32", [5]), ("int64", [1, 3])),
         ("sparse", ("int64", [[0, 0], [0, 2]]), ("int32", [7, 6]), ("int64", [1, 3]))],
    ),
    "transpose": (
        lambda tf: tf.sparse.transpose(A(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [2, 1]]), ("int32", [7, 5, 6]), ("int64", [3, 2])),
    ),
    "transpose perm": (
        lambda tf: tf.sparse.transpose(C(tf), [1, 2, 0]),
        ("sparse", ("int64", [[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]]), ("int32", [3, 1, 4, 2]),
         ("int64", [2, 2, 2])),
    ),
    "to_indicator": (
        lambda tf: tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [2, 2, 0], [2, 2]), 4),
        ("bool", [[False, False, True, False], [True, False, False, False]]),
    ),
    "bincount": (
        lambda tf: tf.sparse.bincount([1, 1, 3]),
        ("sparse", ("int64", [[1], [3]]), ("int32", [2, 1]), ("int64", [4])),
    ),
    "bincount rows": (
        lambda tf: tf.sparse.bincount([[1, 1, 3], [0, 1, 0]], axis=-1),
        ("sparse", ("int64", [[0, 1], [0, 3], [1, 0], [1, 1]]), ("int32", [2, 1, 2, 1]), ("int64", [2, 4])),
    ),
    "bincount weights": (
        lambda tf: tf.sparse.bincount([[1, 1, 3], [0, 1, 0]], weights=[[0.5, 1.0, 2.0], [4.0, 8.0, 16.0]], axis=-1),
        ("sparse", ("int64", [[0, 1], [0, 3], [1, 0], [1, 1]]), ("float32", [1.5, 2.0, 20.0, 8.0]), ("int64", [2, 4])),
    ),
    "bincount bounds": (
        lambda tf: tf.sparse.bincount([1, 1, 3, 9], minlength=7, maxlength=5),
        ("sparse", ("int64", [[1], [3]]), ("int32", [2, 1]), ("int64", [5])),
    ),
    "bincount binary": (
        lambda tf: tf.sparse.bincount([1, 1, 3], binary_output=True, minlength=9),
        ("sparse", ("int64", [[1], [3]]), ("int32", [1, 1]), ("int64", [9])),
    ),
    "bincount sparse": (
        lambda tf: tf.sparse.bincount(A(tf)),
        ("sparse", ("int64", [[5], [6], [7]]), ("int32", [1, 1, 1]), ("int64", [8])),
    ),
    "bincount sparse rows": (
        lambda tf: tf.sparse.bincount(A(tf), axis=-1),
        ("sparse", ("int64", [[0, 5], [1, 6], [1, 7]]), ("int32", [1, 1, 1]), ("int64", [2, 8])),
    ),
    "bincount sparse weights": (
        lambda tf: tf.sparse.bincount(A(tf), weights=F(tf), axis=-1),
        ("sparse", ("int64", [[0, 5], [1, 6], [1, 7]]), ("float32", [5.0, 6.0, 7.0]), ("int64", [2, 8])),
    ),
    "bincount ragged": (
        lambda tf: tf.sparse.bincount(tf.ragged.constant([[1, 2], [], [2]]), axis=-1),
        ("sparse", ("int64", [[0, 1], [0, 2], [2, 2]]), ("int32", [1, 1, 1]), ("int64", [3, 3])),
    ),
    "bincount ragged weights": (
        lambda tf: tf.sparse.bincount(
            tf.ragged.constant([[1, 2], [], [2]]),
            weights=tf.ragged.constant([[0.5, 1.0], [], [2.0]]),
            axis=-1,
        ),
        ("sparse", ("int64", [[0, 1], [0, 2], [2, 2]]), ("float32", [0.5, 1.0, 2.0]), ("int64", [3, 3])),
    ),
    "math.bincount sparse": (
        lambda tf: tf.math.bincount(A(tf)),
        ("int32", [0, 0, 0, 0, 0, 1, 1, 1]),
    ),
    "math.bincount sparse rows": (
        lambda tf: tf.math.bincount(A(tf), axis=-1),
        ("int32", [[0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1]]),
    ),
    "math.bincount sparse weights": (
        lambda tf: tf.math.bincount(A(tf), weights=F(tf), axis=-1, dtype=tf.float32),
        ("float32", [[0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 6.0, 7.0]]),
    ),
    "math.bincount ragged": (
        lambda tf: tf.math.bincount(tf.ragged.constant([[1, 2], [], [2]]), axis=-1),
        ("int32", [[0, 1, 1], [0, 0, 0], [0, 0, 1]]),
    ),
    "math.bincount ragged all": (
        lambda tf: tf.math.bincount(tf.ragged.constant([[1, 2], [], [2]]), minlength=5),
        ("int32", [0, 1, 2, 0, 0]),
    ),
    "cross": (
        lambda tf: tf.sparse.cross([S(tf), tf.constant([["x"], ["y"]])]),
        ("sparse", ("int64", [[0, 0], [0, 1], [1, 0]]), ("string", [b"a_X_x", b"b_X_x", b"c_X_y"]), ("int64", [2, 2])),
    ),
    "cross separator": (
        lambda tf: tf.sparse.cross([S(tf), tf.constant([[1, 2], [3, 4]])], separator="-"),
        ("sparse", ("int64", [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]]),
         ("string", [b"a-1", b"a-2", b"b-1", b"b-2", b"c-3", b"c-4"]), ("int64", [2, 4])),
    ),
    "cross sparse": (
        lambda tf: tf.sparse.cross([S(tf), S(tf)]),
        ("sparse", ("int64", [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0]]),
         ("string", [b"a_X_a", b"a_X_b", b"b_X_a", b"b_X_b", b"c_X_c"]), ("int64", [2, 4])),
    ),
    "cross_hashed": (
        lambda tf: tf.sparse.cross_hashed([S(tf), tf.constant([["x"], ["y"]])], num_buckets=1000),
        ("sparse", ("int64", [[0, 0], [0, 1], [1, 0]]), ("int64", [892, 4, 360]), ("int64", [2, 2])),
    ),
    "cross_hashed key": (
        lambda tf: tf.sparse.cross_hashed([S(tf), tf.constant([[1, 2], [3, 4]])], hash_key=7),
        ("sparse", ("int64", [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]]),
         ("int64",
          [7182250513110948477, 3480595992508220133, 8808784363685766852, 3298970770301217986, 6430925145652085205,
           4361324198929954555]),
         ("int64", [2, 4])),
    ),
    "SparseCrossHashed": (
        lambda tf: tf.raw_ops.SparseCrossHashed(
            indices=[S(tf).indices],
            values=[S(tf).values],
            shapes=[S(tf).dense_shape],
            dense_inputs=[tf.constant([[5], [6]], tf.int64)],
            num_buckets=tf.constant(0, tf.int64),
            strong_hash=False,
            salt=tf.constant([1, 2], tf.int64),
        ),
        [("int64", [[0, 0], [0, 1], [1, 0]]),
         ("int64", [1581116392146741802, 2749404292992048660, 4053160129544218319]), ("int64", [2, 2])],
    ),
    "sampled_addmm": (
        lambda tf: tf.sparse.sampled_addmm(
            [[0, 0], [1, 1]],
            [0.5, 0.3],
            [2, 2],
            [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]],
            alpha=0.75,
            beta=0.25,
        ),
        [("int32", [[0, 0], [1, 1]]), ("float32", [43.625, 115.57]), ("int32", [2, 2])],
    ),
    "sampled_addmm batch": (
        lambda tf: tf.sparse.sampled_addmm(
            [[[0, 1], [1, 0]], [[0, 0], [1, 0]]],
            [[3.0, 5.0], [2.0, 7.0]],
            [2, 2],
            tf.reshape(tf.range(12.0), [2, 2, 3]),
            tf.reshape(tf.range(12.0), [2, 3, 2]),
        ),
        [("int32", [[[0, 1], [1, 0]], [[0, 0], [1, 0]]]), ("float32", [[16.0, 33.0], [174.0, 251.0]]),
         ("int32", [2, 2])],
    ),
    "times": (
        lambda tf: A(tf) * [1, 2, 3],
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [10, 7, 18]), ("int64", [2, 3])),
    ),
    "times column": (
        lambda tf: A(tf) * [[2], [3]],
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [10, 21, 18]), ("int64", [2, 3])),
    ),
    "dense times": (
        lambda tf: tf.constant([1, 2, 3]) * A(tf),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [10, 7, 18]), ("int64", [2, 3])),
    ),
    "divided": (
        lambda tf: F(tf) / [2.0, 4.0, 8.0],
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("float32", [1.25, 3.5, 0.75]), ("int64", [2, 3])),
    ),
    "divided ints": (
        lambda tf: A(tf) / 2,
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("float64", [2.5, 3.5, 3.0]), ("int64", [2, 3])),
    ),
    "abs": (
        lambda tf: tf.abs(-1 * tf.ones([], tf.int32) * A(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [5, 7, 6]), ("int64", [2, 3])),
    ),
    "square": (
        lambda tf: tf.square(A(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [25, 49, 36]), ("int64", [2, 3])),
    ),
    "sqrt": (
        lambda tf: tf.sqrt(F(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("float32", [2.2361, 2.6458, 2.4495]), ("int64", [2, 3])),
    ),
    "sign": (
        lambda tf: tf.sign(F(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("float32", [1.0, 1.0, 1.0]), ("int64", [2, 3])),
    ),
    "negative": (
        lambda tf: tf.negative(A(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [-5, -7, -6]), ("int64", [2, 3])),
    ),
    "cast": (
        lambda tf: tf.cast(A(tf), tf.float64),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("float64", [5.0, 7.0, 6.0]), ("int64", [2, 3])),
    ),
    "shape": (
        lambda tf: tf.shape(A(tf)),
        ("int32", [2, 3]),
    ),
    "shape int64": (
        lambda tf: tf.shape(A(tf), out_type=tf.int64),
        ("int64", [2, 3]),
    ),
    "size": (
        lambda tf: tf.size(A(tf)),
        ("int32", 6),
    ),
    "rank": (
        lambda tf: tf.rank(A(tf)),
        ("int32", 2),
    ),
    "identity": (
        lambda tf: tf.identity(A(tf)),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2]]), ("int32", [5, 7, 6]), ("int64", [2, 3])),
    ),
    "edit_distance": (
        lambda tf: tf.edit_distance(
            tf.SparseTensor([[0, 0], [1, 0]], ["a", "b"], [2, 1]),
            tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "c", "b"], [2, 2]),
        ),
        ("float32", [0.5, 0.0]),
    ),
    "edit_distance plain": (
        lambda tf: tf.edit_distance(
            tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1]),
            tf.SparseTensor([[0, 0], [0, 1]], [1, 3], [2, 2]),
            normalize=False,
        ),
        ("float32", [1.0, 1.0]),
    ),
    "embedding_lookup_sparse": (
        lambda tf: tf.nn.embedding_lookup_sparse(T(tf), IDS(tf), None),
        ("float32", [[3.0, 4.0], [3.0, 4.0]]),
    ),
    "embedding_lookup_sparse sum": (
        lambda tf: tf.nn.embedding_lookup_sparse(T(tf), IDS(tf), None, combiner="sum"),
        ("float32", [[6.0, 8.0], [6.0, 8.0]]),
    ),
    "embedding_lookup_sparse sqrtn variable": (
        lambda tf: tf.nn.embedding_lookup_sparse(tf.Variable(T(tf)), IDS(tf), None, combiner="sqrtn"),
        ("float32", [[4.2426, 5.6569], [4.2426, 5.6569]]),
    ),
    "embedding_lookup_sparse weighted": (
        lambda tf: tf.nn.embedding_lookup_sparse(T(tf), IDS(tf), W(tf)),
        ("float32", [[4.0, 5.0], [3.0, 4.0]]),
    ),
    "embedding_lookup_sparse weighted sqrtn": (
        lambda tf: tf.nn.embedding_lookup_sparse(T(tf), IDS(tf), W(tf), combiner="sqrtn"),
        ("float32", [[5.0596, 6.3246], [4.2426, 5.6569]]),
    ),
    "embedding_lookup_sparse weighted sum": (
        lambda tf: tf.nn.embedding_lookup_sparse([T(tf)[:2], T(tf)[2:]], IDS(tf), W(tf), combiner="sum"),
        ("float32", [[16.0, 20.0], [3.0, 4.0]]),
    ),
    "embedding_lookup_sparse norm": (
        lambda tf: tf.nn.embedding_lookup_sparse(T(tf), IDS(tf), None, max_norm=2.0),
        ("float32", [[1.0874, 1.6626], [1.2, 1.6]]),
    ),
    "embedding_lookup_sparse fast": (
        lambda tf: tf.nn.embedding_lookup_sparse(T(tf), IDS(tf), W(tf), allow_fast_lookup=True),
        ("float32", [[4.0, 5.0], [3.0, 4.0]]),
    ),
    "safe_embedding_lookup_sparse": (
        lambda tf: tf.nn.safe_embedding_lookup_sparse(T(tf), J(tf)),
        ("float32", [[3.0, 4.0], [0.0, 0.0], [5.0, 6.0], [0.0, 0.0]]),
    ),
    "safe_embedding_lookup_sparse default": (
        lambda tf: tf.nn.safe_embedding_lookup_sparse(T(tf), J(tf), default_id=2),
        ("float32", [[3.0, 4.0], [5.0, 6.0], [5.0, 6.0], [5.0, 6.0]]),
    ),
    "safe_embedding_lookup_sparse weighted": (
        lambda tf: tf.nn.safe_embedding_lookup_sparse(
            T(tf),
            J(tf),
            tf.SparseTensor(J(tf).indices, [1.0, 2.0, -1.0], [4, 2]),
            combiner="sqrtn",
        ),
        ("float32", [[3.0, 4.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
    ),
    "safe_embedding_lookup_sparse rank 3": (
        lambda tf: tf.nn.safe_embedding_lookup_sparse(
            T(tf),
            tf.SparseTensor([[0, 0, 0], [1, 1, 0]], tf.constant([1, 2], tf.int64), [2, 2, 1]),
            combiner="sum",
        ),
        ("float32", [[[3.0, 4.0], [0.0, 0.0]], [[0.0, 0.0], [5.0, 6.0]]]),
    ),
    "ctc_loss sparse": (
        lambda tf: tf.nn.ctc_loss(
            tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 1], [2, 2]),
            L(tf),
            None,
            [4, 3],
            blank_index=-1,
        ),
        ("float32", [2.9609, 3.0867]),
    ),
    "ctc_loss sparse blank 0": (
        lambda tf: tf.nn.ctc_loss(
            tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [3, 2, 1], [2, 2]),
            L(tf),
            None,
            [4, 3],
            blank_index=0,
        ),
        ("float32", [2.8604, 1.2964]),
    ),
    "ctc_loss batch major": (
        lambda tf: tf.nn.ctc_loss(
            tf.SparseTensor([[0, 0], [1, 0]], [2, 1], [2, 1]),
            tf.transpose(L(tf), [1, 0, 2]),
            None,
            [4, 3],
            logits_time_major=False,
            blank_index=3,
        ),
        ("float32", [1.7865, 3.0867]),
    ),
    "ctc_greedy_decoder": (
        lambda tf: tf.nn.ctc_greedy_decoder(L(tf), [4, 3]),
        [[("sparse", ("int64", [[0, 0], [1, 0]]), ("int64", [2, 0]), ("int64", [2, 1]))],
         ("float32", [[-3.3424], [-1.9843]])],
    ),
    "ctc_greedy_decoder blank": (
        lambda tf: tf.nn.ctc_greedy_decoder(L(tf), [4, 3], merge_repeated=False, blank_index=0),
        [[("sparse", ("int64", [[0, 0], [0, 1], [0, 2], [0, 3]]), ("int64", [2, 3, 3, 3]), ("int64", [2, 4]))],
         ("float32", [[-3.3424], [-1.9843]])],
    ),
    "ctc_beam_search_decoder": (
        lambda tf: tf.nn.ctc_beam_search_decoder(L(tf), [4, 3], beam_width=5, top_paths=2),
        [[("sparse", ("int64", [[0, 0], [1, 0]]), ("int64", [2, 0]), ("int64", [2, 1])),
          ("sparse", ("int64", [[0, 0], [0, 1], [1, 0], [1, 1]]), ("int64", [1, 2, 0, 1]), ("int64", [2, 2]))],
         ("float32", [[-1.7865, -2.2179], [-1.7779, -1.8318]])],
    ),
    "v1 sparse_add": (
        lambda tf: tf.compat.v1.sparse_add(A(tf), B(tf), thresh=9),
        ("sparse", ("int64", [[0, 0], [1, 0], [1, 2]]), ("int32", [1, 7, 13]), ("int64", [2, 3])),
    ),
    "v1 sparse_concat": (
        lambda tf: tf.compat.v1.sparse_concat(0, [A(tf), B(tf)]),
        ("sparse", ("int64", [[0, 1], [1, 0], [1, 2], [2, 0], [2, 1], [3, 2]]), ("int32", [5, 7, 6, 1, 2, 7]),
         ("int64", [4, 3])),
    ),
    "v1 sparse_reduce_sum": (
        lambda tf: tf.compat.v1.sparse_reduce_sum(A(tf), axis=1, keepdims=True),
        ("int32", [[5], [13]]),
    ),
    "v1 sparse_reduce_max_sparse": (
        lambda tf: tf.compat.v1.sparse_reduce_max_sparse(A(tf), axis=1),
        ("sparse", ("int64", [[0], [1]]), ("int32", [5, 7]), ("int64", [2])),
    ),
    "v1 sparse_split": (
        lambda tf: tf.compat.v1.sparse_split(sp_input=A(tf), num_split=2, axis=0),
        [("sparse", ("int64", [[0, 1]]), ("int32", [5]), ("int64", [1, 3])),
         ("sparse", ("int64", [[0, 0], [0, 2]]), ("int32", [7, 6]), ("int64", [1, 3]))],
    ),
    "v1 sparse_to_dense": (
        lambda tf: tf.compat.v1.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [5, 7], default_value=1),
        ("int32", [[1, 5], [7, 1]]),
    ),
    "v1 sparse_matmul": (
        lambda tf: tf.compat.v1.sparse_matmul([[1.0, 0.0], [0.0, 3.0]], [[1.0, 2.0], [3.0, 4.0]], a_is_sparse=True),
        ("float32", [[1.0, 2.0], [9.0, 12.0]]),
    ),
    "v1 sparse_merge": (
        lambda tf: tf.compat.v1.sparse_merge(
            tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [4, 1, 2], [2, 2]),
            tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 1.0, 2.0], [2, 2]),
            5,
        ),
        ("sparse", ("int64", [[0, 1], [0, 4], [1, 2]]), ("float32", [1.0, 0.5, 2.0]), ("int64", [2, 5])),
    ),
    "v1 value": (
        lambda tf: tf.compat.v1.sparse_tensor_to_dense(tf.compat.v1.SparseTensorValue([[0, 1]], [5], [2, 2])),
        ("int32", [[0, 5], [0, 0]]),
    ),
}

# Program: error class and words of its message.
ERRORS = [
    (lambda tf: tf.sparse.to_dense(5), "TypeError", "Input must be a SparseTensor."),
    (
        lambda tf: tf.sparse.to_dense(tf.SparseTensor([[1, 0], [0, 1]], [7, 5], [2, 3])),
        "InvalidArgumentError",
        "indices[1] = [0,1] is out of order",
    ),
    (
        lambda tf: tf.sparse.to_dense(tf.SparseTensor([[0, 3]], [7], [2, 3])),
        "InvalidArgumentError",
        "indices[0] = [0,3] is out of bounds: need 0",
    ),
    (
        lambda tf: tf.sparse.to_dense(tf.SparseTensor([[0, 1], [0, 1]], [7, 5], [2, 3])),
        "InvalidArgumentError",
        "indices[1] = [0,1] is repeated",
    ),
    (lambda tf: tf.sparse.eye(2.5), "TypeError", "num_rows must be an integer value"),
    (lambda tf: tf.sparse.add(1, 2), "TypeError", "At least one input should be SparseTensor; do you mean to use"),
    (
        lambda tf: tf.sparse.add(A(tf), tf.SparseTensor([[0]], [1], [3])),
        "InvalidArgumentError",
        "Input indices must have the same dimension, got 2 and 1",
    ),
    (
        lambda tf: tf.sparse.add(A(tf), tf.ones([3, 3], tf.int32)),
        "InvalidArgumentError",
        "Dimension 0 does not equal (no broadcasting is supported): sparse",
    ),
    (lambda tf: tf.sparse.concat(0, A(tf)), "TypeError", "Inputs must be a list or tuple."),
    (
        lambda tf: tf.sparse.concat(0, [A(tf), tf.SparseTensor([[0, 4]], [9], [1, 5])]),
        "InvalidArgumentError",
        "Input shapes must match: expected 3 for dimension 1 but got 5 at",
    ),
    (
        lambda tf: tf.sparse.concat(2, [A(tf), B(tf)]),
        "InvalidArgumentError",
        "Concat dimension must be in range [-2, 2), got 2",
    ),
    (
        lambda tf: tf.sparse.expand_dims(A(tf), 1.5),
        "TypeError",
        "axis must be an integer value in range [-rank(sp_input) - 1,",
    ),
    (
        lambda tf: tf.sparse.fill_empty_rows(tf.SparseTensor([[5, 0]], [1], [2, 2]), 0),
        "InvalidArgumentError",
        "indices(0, 0) is invalid: 5 >= 2",
    ),
    (lambda tf: tf.sparse.map_values(tf.add, 1, 2), "ValueError", "No SparseTensor in argument list of map_values"),
    (lambda tf: tf.sparse.map_values(tf.add, A(tf), B(tf)), "InvalidArgumentError", "Mismatched indices!"),
    (
        lambda tf: tf.sparse.maximum(A(tf), tf.SparseTensor([[0, 0]], [1], [2, 2])),
        "InvalidArgumentError",
        "Operands' shapes do not match: got 3 and 2 for dimension 1",
    ),
    (
        lambda tf: tf.sparse.reduce_sum(A(tf), 2),
        "InvalidArgumentError",
        "Invalid reduction dimension 2, for input with 2 dimensions.",
    ),
    (
        lambda tf: tf.sparse.reset_shape(A(tf), [1, 3]),
        "ValueError",
        "Requested new_shape should have dimension sizes >= sp_input.shape",
    ),
    (
        lambda tf: tf.sparse.reshape(A(tf), [4, 2]),
        "InvalidArgumentError",
        "Input to reshape is a tensor with 6 dense values, but the requested",
    ),
    (
        lambda tf: tf.sparse.reshape(A(tf), [-1, -1]),
        "InvalidArgumentError",
        "only one output dimension may be -1, not both 0 and 1",
    ),
    (lambda tf: tf.sparse.retain(A(tf), [True]), "ValueError", "Dimensions 3 and 1 are not compatible"),
    (lambda tf: tf.sparse.retain(A(tf), True), "ValueError", "Shape () must have rank 1"),
    (
        lambda tf: tf.sparse.slice(A(tf), [0], [1, 1]),
        "InvalidArgumentError",
        "Expected start to be a vector of length 2 but got length 1",
    ),
    (
        lambda tf: tf.sparse.slice(A(tf), [0, 0], [-1, 1]),
        "InvalidArgumentError",
        "Expected a non-negative size, got -1",
    ),
    (
        lambda tf: tf.sparse.softmax(tf.SparseTensor([[0]], [1.0], [2])),
        "InvalidArgumentError",
        "Input should have rank >= 2, but received shape: 2",
    ),
    (
        lambda tf: tf.sparse.sparse_dense_matmul(F(tf), tf.ones([2, 2])),
        "InvalidArgumentError",
        "Cannot multiply A and B because inner dimension does not match: 3 vs",
    ),
    (
        lambda tf: tf.sparse.sparse_dense_matmul(tf.ones([2, 2]), tf.ones([2, 2])),
        "TypeError",
        "Input must be a SparseTensor.",
    ),
    (lambda tf: tf.sparse.split(A(tf)), "ValueError", "num_split is required"),
    (lambda tf: tf.sparse.split(A(tf), 2), "ValueError", "axis is required"),
    (
        lambda tf: tf.sparse.split(A(tf), 4, axis=1),
        "InvalidArgumentError",
        "Input num_split should be between 1 and the splitting dimension size",
    ),
    (
        lambda tf: tf.sparse.split(A(tf), 2, axis=5),
        "InvalidArgumentError",
        "Input axis should be in range [-2, 2), got 5",
    ),
    (lambda tf: tf.sparse.bincount([1, -1]), "InvalidArgumentError", "Input values must all be non-negative"),
    (lambda tf: tf.sparse.bincount([1], axis=1), "ValueError", "Unsupported value for argument axis=1"),
    (
        lambda tf: tf.sparse.bincount([1], weights=[1], binary_output=True),
        "ValueError",
        "Arguments `binary_output` and `weights` are mutually exclusive",
    ),
    (
        lambda tf: tf.sparse.bincount(A(tf), weights=[1, 2, 3], axis=-1),
        "ValueError",
        "must be a SparseTensor if `values` is a SparseTensor",
    ),
    (lambda tf: tf.sparse.cross(A(tf)), "TypeError", "Inputs must be a list"),
    (lambda tf: tf.sparse.cross([1]), "TypeError", "All inputs must be Tensor or SparseTensor."),
    (lambda tf: tf.sparse.cross_hashed([1]), "TypeError", "All inputs must be SparseTensors"),
    (
        lambda tf: tf.sparse.cross([S(tf), tf.constant([["x"]])]),
        "InvalidArgumentError",
        "Expected batch size 2 got 1 at dense tensor 0",
    ),
    (
        lambda tf: tf.sparse.sampled_addmm([[0, 0]], [1.0], [2, 2], [[2.0, 3.0]], [[4.0], [5.0]]),
        "ValueError",
        "Dense shape: [2 2] does not match output shape: [1 1]",
    ),
    (lambda tf: A(tf) * "a", "TypeError", "int32"),
    (
        lambda tf: A(tf) * [1, 2],
        "InvalidArgumentError",
        "SparseDenseBinaryOpShared broadcasts dense to sparse only; got",
    ),
    (lambda tf: A(tf) + 1, "TypeError", "unsupported operand"),
    (lambda tf: tf.edit_distance(1, 2), "TypeError", "Hypothesis must be a SparseTensor."),
    (lambda tf: tf.edit_distance(A(tf), 2), "TypeError", "Truth must be a SparseTensor."),
    (lambda tf: tf.nn.embedding_lookup_sparse(T(tf), 1, None), "TypeError", "sp_ids must be SparseTensor, got"),
    (
        lambda tf: tf.nn.embedding_lookup_sparse(T(tf), IDS(tf), 1),
        "TypeError",
        "sp_weights must be either None or SparseTensor,got",
    ),
    (
        lambda tf: tf.nn.embedding_lookup_sparse(T(tf), IDS(tf), None, combiner="max"),
        "ValueError",
        "combiner must be one of 'mean', 'sqrtn' or 'sum', got max",
    ),
    (lambda tf: tf.nn.safe_embedding_lookup_sparse(None, IDS(tf)), "ValueError", "Missing embedding_weights None."),
    (
        lambda tf: tf.nn.ctc_loss(tf.SparseTensor([[0, 0]], [0], [1, 1]), L(tf), None, [4]),
        "ValueError",
        "Argument `blank_index` must be provided when `labels` is a",
    ),
    (
        lambda tf: tf.compat.v1.sparse_split(A(tf), 2, 1),
        "ValueError",
        "Keyword arguments are required for this function.",
    ),
    (
        lambda tf: tf.compat.v1.sparse_add(A(tf), B(tf), threshold=1, thresh=1),
        "ValueError",
        "Cannot specify both 'thresh' and 'threshold'.",
    ),
    (lambda tf: tf.convert_to_tensor(A(tf)), "ValueError", "SparseTensor"),
    (lambda tf: tf.sparse.from_dense(A(tf)), "ValueError", "SparseTensor"),
]


@pytest.mark.parametrize("name", CASES)
def test_eager(tf, name):
    program, expected = CASES[name]
    assert_same(plain(program(tf)), expected)


@pytest.mark.parametrize("name", [name for name in CASES if "sqrtn variable" not in name])
def test_traced(tf, name):
    program, expected = CASES[name]
    assert_same(plain(tf.function(lambda: program(tf))()), expected)


@pytest.mark.parametrize("program, error, words", ERRORS)
def test_errors(tf, program, error, words):
    with pytest.raises(getattr(tf.errors, error, None) or getattr(builtins, error)) as caught:
        program(tf)
    assert words in str(caught.value)


def dense(tf, sp):
    return tf.sparse.to_dense(sp).numpy().tolist()


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


PLACES = [[0, 1], [1, 0], [1, 2]]


def sparse(tf, v):
    return tf.SparseTensor(PLACES, v, [2, 3])


def weights(tf):
    return tf.constant([1.0, 2.0, 4.0])


# Name: function of a vector of three floats, and its gradient at [1, 2, 3].
GRADIENTS = {
    "to_dense": (lambda tf, v: tf.sparse.to_dense(sparse(tf, v)) ** 2, [2.0, 4.0, 6.0]),
    "default": (lambda tf, v: tf.sparse.to_dense(sparse(tf, v), default_value=v[0]) ** 2, [8.0, 4.0, 6.0]),
    "reorder": (
        lambda tf, v: tf.sparse.reorder(tf.SparseTensor([[1, 2], [0, 1], [1, 0]], v, [2, 3])).values * weights(tf),
        [4.0, 1.0, 2.0],
    ),
    "transpose": (lambda tf, v: tf.sparse.transpose(sparse(tf, v)).values * weights(tf), [2.0, 1.0, 4.0]),
    "matmul": (lambda tf, v: tf.sparse.sparse_dense_matmul(sparse(tf, v), T(tf) * v[0]) ** 2, [1646.0, 122.0, 434.0]),
    "matmul adj": (
        lambda tf, v: tf.sparse.sparse_dense_matmul(sparse(tf, v), tf.ones([4, 2]) * v[1], adjoint_a=True, adjoint_b=True) ** 2,
        [32.0, 288.0, 96.0],
    ),
    "matmul right": (
        lambda tf, v: tf.sparse.sparse_dense_matmul(tf.ones([4, 2]) * v[1], sparse(tf, v)) ** 2,
        [32.0, 288.0, 96.0],
    ),
    "add": (
        lambda tf, v: tf.sparse.add(sparse(tf, v), tf.SparseTensor([[0, 1], [1, 1]], v[:2] * 2.0, [2, 3])).values ** 2,
        [18.0, 20.0, 6.0],
    ),
    "add thresh": (
        lambda tf, v: tf.sparse.add(sparse(tf, v), tf.SparseTensor([[0, 1], [1, 1]], v[:2] * 2.0, [2, 3]), 4.0).values ** 2,
        [0.0, 20.0, 6.0],
    ),
    "dense add": (lambda tf, v: tf.sparse.add(sparse(tf, v), tf.ones([2, 3]) * v[2]) ** 2, [8.0, 10.0, 60.0]),
    "sum": (lambda tf, v: tf.sparse.reduce_sum(sparse(tf, v), 1) ** 2, [2.0, 10.0, 10.0]),
    "sum all": (lambda tf, v: tf.sparse.reduce_sum(sparse(tf, v)) ** 2, [12.0, 12.0, 12.0]),
    "sum keep": (lambda tf, v: tf.sparse.reduce_sum(sparse(tf, v), -2, keepdims=True) ** 2, [2.0, 4.0, 6.0]),
    "softmax": (lambda tf, v: tf.sparse.softmax(sparse(tf, v)).values * weights(tf), [0.0, -0.39322, 0.39322]),
    "slice": (lambda tf, v: tf.sparse.slice(sparse(tf, v), [0, 1], [2, 2]).values ** 2, [2.0, 0.0, 6.0]),
    "fill": (
        lambda tf, v: tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1], [2, 0], [2, 1]], v, [4, 3]), v[0])[0].values ** 2,
        [6.0, 4.0, 6.0],
    ),
    "mul": (lambda tf, v: (sparse(tf, v) * (weights(tf) * v[0])).values ** 2, [312.0, 4.0, 96.0]),
    "mul col": (lambda tf, v: (sparse(tf, v) * tf.reshape(v[:2], [2, 1])).values ** 2, [4.0, 68.0, 24.0]),
    "div": (lambda tf, v: (sparse(tf, v) / (weights(tf) * v[0])).values ** 2, [-9.125, 4.0, 0.375]),
    "map": (lambda tf, v: tf.sparse.map_values(tf.square, sparse(tf, v)).values, [2.0, 4.0, 6.0]),
    "abs": (lambda tf, v: tf.sparse.to_dense(tf.abs(sparse(tf, -v))), [1.0, 1.0, 1.0]),
    "reshape": (lambda tf, v: tf.sparse.to_dense(tf.sparse.reshape(sparse(tf, v), [3, 2])) ** 2, [2.0, 4.0, 6.0]),
    "sampled": (
        lambda tf, v: tf.sparse.sampled_addmm([[0, 0], [1, 1]], v[:2], [2, 2], tf.ones([2, 3]) * v, tf.ones([3, 2]) * v[1], beta=0.5)[1],
        [4.5, 16.5, 4.0],
    ),
    "embedding": (
        lambda tf, v: tf.nn.embedding_lookup_sparse(T(tf) * v[0], IDS(tf), tf.SparseTensor(IDS(tf).indices, tf.concat([v, v[:1]], 0), [2, 2])),
        [13.556, 0.88889, 0.0],
    ),
    "embedding mean": (lambda tf, v: tf.nn.embedding_lookup_sparse(T(tf) * v[0], IDS(tf), None) ** 2, [100.0, 0.0, 0.0]),
    "safe": (lambda tf, v: tf.nn.safe_embedding_lookup_sparse(T(tf) * v[0], J(tf)) ** 2, [172.0, 0.0, 0.0]),
    "ctc": (
        lambda tf, v: tf.nn.ctc_loss(tf.SparseTensor([[0, 0]], [0], [1, 1]), tf.reshape(tf.tile(v, [2]), [2, 1, 3]), None, [2], blank_index=-1),
        [-0.88332, 0.48946, 0.39386],
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("how", ["tape", "unknown sizes", "gradients"])
def test_gradients(tf, name, how):
    function, expected = GRADIENTS[name]

    def on_tape(v):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = function(tf, v)
        return tape.gradient(y, v)

    if how == "tape":
        run = on_tape
    elif how == "unknown sizes":
        run = tf.function(on_tape, input_signature=[tf.TensorSpec([None])])
    else:

        @tf.function
        def run(v):
            return tf.gradients(function(tf, v), v)[0]

    np.testing.assert_allclose(run(tf.constant([1.0, 2.0, 3.0])), expected, rtol=2e-4)


def test_there_is_no_gradient(tf):
    v = tf.constant([1.0, 2.0, 3.0])
    for function in (
        lambda sp: tf.sparse.split(sp, 2, axis=0)[0].values,
        lambda sp: tf.sparse.reduce_max(sp, 1),
        lambda sp: tf.sparse.reduce_sum(sp, 1, output_is_sparse=True).values,
    ):
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = function(sparse(tf, v))
        with pytest.raises(LookupError, match="gradient registry has no entry for: Sparse"):
            tape.gradient(y, v)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.sparse.concat(0, [sparse(tf, v), sparse(tf, v)]).values
    assert tape.gradient(y, v) is None


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


def test_gradients_of_tables_are_slices(tf):
    table, parts = tf.Variable(T(tf)), [tf.Variable(T(tf)[:2]), tf.Variable(T(tf)[2:])]
    ids = IDS(tf)
    with tf.GradientTape(persistent=True) as tape:
        plain = tf.reduce_sum(tf.nn.embedding_lookup_sparse(table, ids, None) ** 2)
        weighted = tf.reduce_sum(tf.nn.embedding_lookup_sparse(parts, ids, W(tf)) ** 2)
        safe = tf.reduce_sum(tf.nn.safe_embedding_lookup_sparse(table, J(tf)) ** 2)
    slices = tape.gradient(plain, table)
    assert isinstance(slices, tf.IndexedSlices)
    assert slices.indices.numpy().tolist() == [0, 2, 1]
    assert slices.values.numpy().tolist() == [[3.0, 4.0], [3.0, 4.0], [6.0, 8.0]]
    whole = [tf.convert_to_tensor(g).numpy() for g in tape.gradient(weighted, parts)]
    np.testing.assert_allclose(np.concatenate(whole), [[2.0, 2.5], [6.0, 8.0], [6.0, 7.5]])
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(safe, table)), [[0.0, 0.0], [6.0, 8.0], [10.0, 12.0]])
