"""tf.compat.v1.losses: losses with weights, and the collections of a graph."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27, 50)

Y = np.float32([[0, 1, 1], [1, 0, 0]])
P = np.float32([[0.2, 0.7, 0.4], [0.9, 0.1, 0.6]])
E = P - Y
HUBER = np.where(np.abs(E) < 0.5, E * E / 2, 0.5 * (np.abs(E) - 0.25))
ENTROPY = -Y * np.log(P + 1e-7) - (1 - Y) * np.log(1 - P + 1e-7)
SIGMOID = np.log1p(np.exp(P)) - Y * P


@pytest.fixture
def losses(tf):
    return tf.compat.v1.losses


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [
        ("none", [1, 0, 6]),
        ("weighted_sum", 7),
        ("weighted_mean", 7 / 3),
        ("weighted_sum_over_batch_size", 7 / 3),
        ("weighted_sum_by_nonzero_weights", 3.5),
    ],
)
def test_reductions(tf, losses, reduction, expected):
    found = losses.compute_weighted_loss([1.0, 2.0, 3.0], [1.0, 0.0, 2.0], reduction=reduction)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    losses.Reduction.validate(reduction)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        found = losses.compute_weighted_loss([1.0, 2.0, 3.0], [1.0, 0.0, 2.0], "s", "mine", reduction)
        np.testing.assert_allclose(session.run(found), expected, rtol=1e-6)
        assert tf.compat.v1.get_collection("mine") == [found] and losses.get_losses() == []


def test_weights(tf, losses):
    values = np.float32([[1, 2], [3, 4]])
    for weights, expected in ((1.0, 2.5), (0.0, 0.0), (2, 5.0), ([[1.0], [0.0]], 1.5), ([[1.0, 0.0]], 2.0)):
        np.testing.assert_allclose(losses.compute_weighted_loss(values, weights).numpy(), expected)
    assert losses.compute_weighted_loss(tf.constant([1, 2])).dtype == tf.int32
    for wrong in ([1.0, 2.0], [[1.0, 2.0, 3.0]]):
        with pytest.raises(ValueError, match="weights can not be broadcast to values"):
            losses.compute_weighted_loss(values, wrong)
    with pytest.raises(ValueError, match="Invalid Reduction Key"):
        losses.compute_weighted_loss(values, reduction="most")


def test_values(tf, losses):
    for found, expected in (
        (losses.absolute_difference(Y, P), np.abs(E).mean()),
        (losses.mean_squared_error(Y, P, [[1.0], [0.0]]), (E[0] ** 2).mean()),
        (losses.huber_loss(Y, P, delta=0.5), HUBER.mean()),
        (losses.log_loss(Y, P), ENTROPY.mean()),
        (losses.hinge_loss(Y, P), np.maximum(0, 1 - (2 * Y - 1) * P).mean()),
        (losses.cosine_distance(Y, P, axis=1), (1 - (Y * P).sum(1)).mean()),
        (losses.cosine_distance(Y, P, dim=0), (1 - (Y * P).sum(0)).mean()),
        (losses.sigmoid_cross_entropy(Y, P), SIGMOID.mean()),
        (losses.sigmoid_cross_entropy(Y, P, label_smoothing=0.5), (np.log1p(np.exp(P)) - (Y / 2 + 0.25) * P).mean()),
    ):
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)
    log_softmax = P - np.log(np.exp(P).sum(1, keepdims=True))
    hot = np.float32([[0, 1, 0], [1, 0, 0]])
    expected = -(hot * log_softmax).sum(1)
    np.testing.assert_allclose(losses.softmax_cross_entropy(hot, P).numpy(), expected.mean(), rtol=1e-5)
    np.testing.assert_allclose(losses.sparse_softmax_cross_entropy([[1], [0]], P, [[2.0], [0.0]]).numpy(), 2 * expected[0], rtol=1e-5)
    smooth = -((hot * 0.7 + 0.1) * log_softmax).sum(1).mean()
    np.testing.assert_allclose(losses.softmax_cross_entropy(hot, P, label_smoothing=0.3).numpy(), smooth, rtol=1e-5)
    with pytest.raises(ValueError, match="Argument `labels` must not be None"):
        losses.mean_squared_error(None, P)
    with pytest.raises(ValueError, match="You must specify argument `axis`|axis"):
        losses.cosine_distance(Y, P)
    with pytest.raises(ValueError, match="are incompatible"):
        losses.absolute_difference(Y, P[:1])


def test_pairs(tf, losses):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        found = session.run(losses.mean_pairwise_squared_error(Y, P, [[1.0], [2.0]]))
    pairs = [np.mean([(e[i] - e[j]) ** 2 for i in range(3) for j in range(i)]) for e in E]
    np.testing.assert_allclose(found, pairs[0] + 2 * pairs[1], rtol=1e-5)


def test_collections(tf, losses):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        a = losses.mean_squared_error(Y, P, scope="a")
        losses.absolute_difference(Y, P, loss_collection=None)
        losses.add_loss(tf.constant(3.0, name="b"))
        v1.add_to_collection("regularization_losses", tf.constant(4.0))
        assert losses.get_losses("a") == [a] and len(losses.get_losses()) == 2
        totals = [losses.get_total_loss(), losses.get_total_loss(False), losses.get_regularization_loss()]
        np.testing.assert_allclose(session.run(totals), [(E * E).mean() + 7, (E * E).mean() + 3, 4], rtol=1e-6)
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(losses.get_regularization_loss()) == 0


WEIGHTS = [[[2.0]], [[1.0], [2.0]], [[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0], [1.0, 0.0, 0.0]]]
WRONG = [([1.0, 0.0, 2.0], "values.rank=2. weights.rank=1"), ([[1.0]] * 3, r"Mismatch at dim 0. values.shape=\[2 3\]")]


@pytest.mark.parametrize("name", ["compute_weighted_loss", "mean_pairwise_squared_error"])
def test_weights_are_checked_when_shapes_are_known(tf, name):
    v1 = tf.compat.v1
    values = np.arange(6.0, dtype=np.float32).reshape(2, 3)

    def loss(x, weights):
        return v1.losses.compute_weighted_loss(x, weights) if name[0] == "c" else getattr(v1.losses, name)(x, 2 * x, weights)

    for weights, text in WRONG:
        with pytest.raises(ValueError, match=rf"weights can not be broadcast to values. {text}.*Received weights="):
            loss(values, weights)
    eager = [float(loss(values, weights)) for weights in WEIGHTS]
    with tf.Graph().as_default(), v1.Session() as session:
        x, weights = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
        result = loss(x, weights)
        for one, expected in zip(WEIGHTS, eager, strict=True):
            assert session.run(result, {x: values, weights: one}) == pytest.approx(expected, rel=1e-5)
        for one, _ in WRONG:
            with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast to values"):
                session.run(result, {x: values, weights: one})
