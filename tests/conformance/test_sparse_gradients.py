"""Gradients of functions that take or make SparseTensors."""

import numpy as np
import pytest

from sparse_values import IDS, J, T, W

pytestmark = pytest.mark.rule(27)

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


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("weighted", [False, True])
def test_ragged_ids_are_looked_up_as_sparse_ones(tf, combiner, weighted):
    table = tf.reshape(tf.range(12.0), [6, 2])
    ids = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
    weights = tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 5.0]]) if weighted else None
    for look_up in (tf.nn.embedding_lookup_sparse, tf.nn.safe_embedding_lookup_sparse):
        expected = look_up(table, ids.to_sparse(), weights.to_sparse() if weighted else None, combiner=combiner)
        np.testing.assert_allclose(look_up(table, ids, weights, combiner=combiner), expected, rtol=1e-6)
        traced = tf.function(lambda ids, look_up=look_up: look_up(table, ids, weights, combiner=combiner))
        np.testing.assert_allclose(traced(ids), expected, rtol=1e-6)
