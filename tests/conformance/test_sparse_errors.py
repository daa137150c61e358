"""Errors of tf.sparse, and of what else takes SparseTensors."""

import builtins

import pytest

from sparse_values import IDS, A, B, F, L, S, T

pytestmark = pytest.mark.rule(27)

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


@pytest.mark.parametrize("program, error, words", ERRORS)
def test_errors(tf, program, error, words):
    with pytest.raises(getattr(tf.errors, error, None) or getattr(builtins, error)) as caught:
        program(tf)
    assert words in str(caught.value)
