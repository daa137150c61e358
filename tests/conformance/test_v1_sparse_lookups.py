"""`tf.compat.v1.nn`: lookups of sparse ids, and losses of sampled classes, where tables are in pieces."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def pieces(tf):
    return [tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])]


@pytest.fixture
def ids(tf):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])


def test_combined_rows(tf, pieces, ids):
    lookup = tf.compat.v1.nn.embedding_lookup_sparse
    assert lookup(pieces, ids, None, combiner="sum").numpy().tolist() == [[4, 6], [3, 4]]
    assert lookup(pieces, ids, None).numpy().tolist() == [[2, 3], [3, 4]]
    weights = ids.with_values([1.0, 2.0, 3.0])
    found = lookup(pieces, ids, weights, partition_strategy="div", combiner="sqrtn")
    assert np.allclose(found, [[7 / 5**0.5, 10 / 5**0.5], [3, 4]])


def test_the_strategies_differ(tf):
    pieces = [tf.constant([[1.0], [3.0]]), tf.constant([[2.0], [4.0]])]
    ids = tf.SparseTensor([[0, 0], [1, 0]], tf.constant([1, 2], tf.int64), [2, 1])
    lookup, safe = tf.compat.v1.nn.embedding_lookup_sparse, tf.compat.v1.nn.safe_embedding_lookup_sparse
    assert lookup(pieces, ids, None, combiner="sum").numpy().tolist() == [[2], [3]]
    assert lookup(pieces, ids, None, "div", combiner="sum").numpy().tolist() == [[3], [2]]
    assert safe(pieces, ids).numpy().tolist() == [[3], [2]]
    assert safe(pieces, ids, partition_strategy="mod").numpy().tolist() == [[2], [3]]


def test_rows_without_ids(tf, pieces):
    ids = tf.SparseTensor([[0, 0], [2, 0]], tf.constant([1, -1], tf.int64), [3, 1])
    safe = tf.compat.v1.nn.safe_embedding_lookup_sparse
    assert safe(pieces, ids).numpy().tolist() == [[3, 4], [0, 0], [0, 0]]
    assert safe(pieces, ids, None, "sum", 0).numpy().tolist() == [[3, 4], [1, 2], [1, 2]]


def test_mistakes(tf, pieces, ids):
    lookup = tf.compat.v1.nn.embedding_lookup_sparse
    with pytest.raises(ValueError, match="Unrecognized partition strategy: foo"):
        lookup(pieces, ids, None, partition_strategy="foo", combiner="sum")
    with pytest.raises(ValueError, match="combiner must be one of 'mean', 'sqrtn' or 'sum'"):
        lookup(pieces, ids, None, combiner="foo")
    with pytest.raises(TypeError, match="sp_ids must be SparseTensor"):
        lookup(pieces, [1], None, combiner="sum")
    with pytest.raises(ValueError, match="Missing embedding_weights None"):
        tf.compat.v1.nn.safe_embedding_lookup_sparse(None, ids)


def test_a_variable_in_parts(tf, ids):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])
        table = v1.get_variable(
            "table", [2, 2], partitioner=v1.fixed_size_partitioner(2), initializer=v1.constant_initializer(2.0)
        )
        found = v1.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")
        session.run(v1.global_variables_initializer())
        assert session.run(found).tolist() == [[4, 4], [2, 2]]


@pytest.mark.parametrize("loss", ["nce_loss", "sampled_softmax_loss"])
def test_losses_of_sampled_classes(tf, loss):
    rows = np.float32([[0, 1], [2, 3], [4, 5], [7, 8], [9, 10]]) / 10
    sampled = ([0, 3], [[0.1], [0.2]], [0.3, 0.4])
    rest = tf.zeros([5]), tf.constant([[2], [1]], tf.int64), tf.ones([2, 2]), 2, 5
    whole = getattr(tf.nn, loss)(tf.constant(rows), *rest, sampled_values=sampled)
    function = getattr(tf.compat.v1.nn, loss)
    by_remainder = [tf.constant(rows[::2]), tf.constant(rows[1::2])]
    assert np.allclose(function(by_remainder, *rest, sampled_values=sampled), whole)
    consecutive = [tf.constant(rows[:3]), tf.constant(rows[3:])]
    assert np.allclose(function(consecutive, *rest, sampled_values=sampled, partition_strategy="div"), whole)


def test_ragged_and_sparse_ids_and_weights(tf):
    """The plain lookup takes ids and weights of one kind only; the safe one takes any."""
    table, ids = tf.constant([[1.0], [2.0], [4.0]]), tf.ragged.constant([[0, 1], [2]], dtype=tf.int64)
    weights = tf.ragged.constant([[1.0, 2.0], [3.0]])
    for kinds in ((ids, weights), (ids.to_sparse(), weights.to_sparse())):
        assert tf.nn.embedding_lookup_sparse(table, *kinds, combiner="sum").numpy().tolist() == [[5.0], [12.0]]
    with pytest.raises(TypeError, match="sp_ids must be of the same type as sp_weights, received"):
        tf.nn.embedding_lookup_sparse(table, ids, weights.to_sparse(), combiner="sum")
    with pytest.raises(TypeError, match="sp_weights must be either None or SparseTensor"):
        tf.nn.embedding_lookup_sparse(table, ids.to_sparse(), weights, combiner="sum")
    safe = tf.nn.safe_embedding_lookup_sparse
    assert safe(table, ids, weights.to_sparse(), combiner="sum").numpy().tolist() == [[5.0], [12.0]]
