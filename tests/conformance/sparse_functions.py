"""Programs with tf.sparse, and their results in TensorFlow 2.21."""

from sparse_values import A, B, C, F, S

# Name: program, and its result.
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
}
