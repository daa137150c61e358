"""Programs with other functions that take SparseTensors, and their results in TensorFlow 2.21."""

from sparse_values import IDS, A, B, F, J, L, T, W

# Name: program, and its result.
CASES = {
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
