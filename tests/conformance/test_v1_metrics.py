"""`tf.compat.v1.metrics`: values after each of several batches, names of Variables, mistakes."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27, 50)

RANDOM = np.random.default_rng(11)
LABELS = RANDOM.integers(0, 2, [3, 8]).astype(bool)
SCORES = RANDOM.random([3, 8]).astype("float32")
CLASSES = RANDOM.integers(0, 4, [3, 8])
GUESSES = RANDOM.integers(0, 4, [3, 8])
LOGITS = RANDOM.normal(size=[3, 4, 5]).astype("float32")
PAIRS = np.array([[[0, 1], [2, 4], [3, 3], [1, 0]], [[4, 2], [0, 3], [1, 1], [2, 0]], [[1, 2], [3, 4], [0, 2], [4, 4]]])
WEIGHTS = RANDOM.random([3, 8]).astype("float32")


def run(tf, make, *batches):
    """The update of each batch, the value after it, and the names of the local Variables."""
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        held = [v1.placeholder(batch.dtype, batch.shape[1:]) for batch in batches]
        value, update = make(v1.metrics, *held)
        names = sorted(v.name for v in v1.local_variables())
        assert sorted(v.name for v in v1.get_collection(v1.GraphKeys.METRIC_VARIABLES)) == names
        assert not v1.trainable_variables() and not v1.global_variables()
        results = []
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            for rows in zip(*batches, strict=True):
                feeds = dict(zip(held, rows, strict=True))
                results += [session.run(update, feeds), session.run(value)]
    return results, names


# A running value, by the formula of what was seen so far.
MEANS = {
    "mean": (lambda m, x: m.mean(x), [SCORES], lambda x: x.mean()),
    "mean of a scalar weight": (lambda m, x: m.mean(x, 2.0), [SCORES], lambda x: x.mean()),
    "weighted mean": (lambda m, x, w: m.mean(x, w), [SCORES, WEIGHTS], lambda x, w: (x * w).sum() / w.sum()),
    "accuracy": (lambda m, a, b: m.accuracy(a, b), [CLASSES, GUESSES], lambda a, b: (a == b).mean()),
    "mean_absolute_error": (lambda m, a, b: m.mean_absolute_error(a, b), [SCORES, WEIGHTS], lambda a, b: abs(a - b).mean()),
    "mean_squared_error": (lambda m, a, b: m.mean_squared_error(a, b), [SCORES, WEIGHTS], lambda a, b: ((a - b) ** 2).mean()),
    "root": (
        lambda m, a, b: m.root_mean_squared_error(a, b),
        [SCORES, WEIGHTS],
        lambda a, b: np.sqrt(((a - b) ** 2).mean()),
    ),
    "relative": (
        lambda m, a, b: m.mean_relative_error(a, b, a),
        [SCORES, WEIGHTS],
        lambda a, b: (abs(a - b) / a).mean(),
    ),
    "percentage": (lambda m, x: m.percentage_below(x, 0.5), [SCORES], lambda x: (x < 0.5).mean()),
    "true_positives": (lambda m, a, b: m.true_positives(a, b), [LABELS, CLASSES > 1], lambda a, b: (a & b).sum()),
    "false_positives": (lambda m, a, b: m.false_positives(a, b), [LABELS, CLASSES > 1], lambda a, b: (~a & b).sum()),
    "true_negatives": (lambda m, a, b: m.true_negatives(a, b), [LABELS, CLASSES > 1], lambda a, b: (~a & ~b).sum()),
    "false_negatives": (
        lambda m, a, b, w: m.false_negatives(a, b, w),
        [LABELS, CLASSES > 1, WEIGHTS],
        lambda a, b, w: ((a & ~b) * w).sum(),
    ),
    "precision": (lambda m, a, b: m.precision(a, b), [LABELS, CLASSES > 1], lambda a, b: (a & b).sum() / b.sum()),
    "recall": (lambda m, a, b: m.recall(a, b), [LABELS, CLASSES > 1], lambda a, b: (a & b).sum() / a.sum()),
    "per class": (
        lambda m, a, b: m.mean_per_class_accuracy(a, b, 4),
        [CLASSES, GUESSES],
        lambda a, b: np.mean([(a[a == c] == b[a == c]).mean() if (a == c).any() else 0 for c in range(4)]),
    ),
}


@pytest.mark.parametrize("case", MEANS)
def test_running_values(tf, case):
    make, batches, formula = MEANS[case]
    found, _ = run(tf, make, *batches)
    for i in range(3):
        want = formula(*(np.concatenate(batch[: i + 1]) for batch in batches))
        if case != "per class":  # whose update has an element for each class
            np.testing.assert_allclose(found[2 * i], want, rtol=1e-5)
        np.testing.assert_allclose(found[2 * i + 1], want, rtol=1e-5)


def test_means_of_tensors(tf):
    found, names = run(tf, lambda m, x, w: m.mean_tensor(x, w), SCORES, WEIGHTS)
    want = (SCORES * WEIGHTS).sum(0) / WEIGHTS.sum(0)
    np.testing.assert_allclose(found[-1], want, rtol=1e-5)
    assert names == ["mean/count_tensor:0", "mean/total_tensor:0"]


def test_cosine_distance(tf):
    units = LOGITS / np.linalg.norm(LOGITS, axis=-1, keepdims=True)
    found, names = run(tf, lambda m, a, b: m.mean_cosine_distance(a, b, 1), units, units[::-1])
    np.testing.assert_allclose(found[-1], 1 - (units * units[::-1]).sum(-1).mean(), rtol=1e-4)
    assert names == ["mean_cosine_distance/count:0", "mean_cosine_distance/total:0"]


def test_intersection_over_union(tf):
    found, names = run(tf, lambda m, a, b: m.mean_iou(a, b, 5), CLASSES, GUESSES)
    matrix = np.zeros([5, 5])
    np.add.at(matrix, (CLASSES.ravel(), GUESSES.ravel()), 1)
    np.testing.assert_array_equal(found[-2], matrix)
    either = matrix.sum(0) + matrix.sum(1) - np.diag(matrix)
    np.testing.assert_allclose(found[-1], (np.diag(matrix)[either > 0] / either[either > 0]).mean(), rtol=1e-6)
    assert names == ["mean_iou/total_confusion_matrix:0"]


THRESHOLDS = [0.2, 0.5, 0.9]


def counts():
    wanted, found = LABELS.ravel()[None], SCORES.ravel()[None] > np.array(THRESHOLDS)[:, None]
    return {
        "true_positives": (wanted & found).sum(1),
        "false_positives": (~wanted & found).sum(1),
        "true_negatives": (~wanted & ~found).sum(1),
        "false_negatives": (wanted & ~found).sum(1),
    }


@pytest.mark.parametrize("kind", ["true_positives", "false_positives", "true_negatives", "false_negatives"])
def test_counts_at_thresholds(tf, kind):
    found, names = run(tf, lambda m, a, b: getattr(m, f"{kind}_at_thresholds")(a, b, THRESHOLDS), LABELS, SCORES)
    np.testing.assert_array_equal(found[-1], counts()[kind])
    assert names == [f"{kind}/{kind}:0"]


@pytest.mark.parametrize("name, other", [("precision", "false_positives"), ("recall", "false_negatives")])
def test_ratios_at_thresholds(tf, name, other):
    found, _ = run(tf, lambda m, a, b: getattr(m, f"{name}_at_thresholds")(a, b, THRESHOLDS), LABELS, SCORES)
    hits = counts()["true_positives"]
    np.testing.assert_allclose(found[-1], hits / (hits + counts()[other]), rtol=1e-5)


@pytest.mark.parametrize(
    "options, want",
    [
        ({}, 0.5),
        ({"summation_method": "minoring"}, None),
        ({"summation_method": "majoring"}, None),
        ({"curve": "PR"}, None),
        ({"curve": "PR", "summation_method": "careful_interpolation"}, None),
        ({"thresholds": [0.9, 0.1, 0.5]}, None),
        ({"num_thresholds": 5}, None),
    ],
)
def test_areas(tf, options, want):
    found, names = run(tf, lambda m, a, b: m.auc(a, b, **options), LABELS, SCORES)
    assert names == [f"auc/{kind}_{sign}:0" for kind in ("false", "true") for sign in ("negatives", "positives")]
    assert 0.0 < found[-1] < 1.0
    np.testing.assert_allclose(found[-2], found[-1])
    if want is not None:
        pairs = [(p, n) for p in SCORES[LABELS] for n in SCORES[~LABELS]]
        np.testing.assert_allclose(found[-1], np.mean([p > n for p, n in pairs]), atol=0.01)



def test_rates_at_rates(tf):
    found, _ = run(tf, lambda m, a, b: m.sensitivity_at_specificity(a, b, 0.5), LABELS, SCORES)
    assert 0.0 <= found[-1] <= 1.0
    again, _ = run(tf, lambda m, a, b: m.specificity_at_sensitivity(a, b, 0.7), LABELS, SCORES)
    assert 0.0 <= again[-1] <= 1.0


def at_k(k, what):
    """The metric by its definition, of all rows."""
    best = np.argsort(-LOGITS, axis=-1, kind="stable")[..., :k].reshape(-1, k)
    labels = PAIRS.reshape(-1, 2)
    hits = sum(len({*b} & {*row}) for b, row in zip(best.tolist(), labels.tolist(), strict=True))
    every = sum(len({*row}) for row in labels.tolist()) if what == "recall" else best.size
    return hits / every


@pytest.mark.parametrize("what", ["recall", "precision"])
def test_ratios_at_k(tf, what):
    found, names = run(tf, lambda m, a, b: getattr(m, f"{what}_at_k")(a, b, 2), PAIRS, LOGITS)
    np.testing.assert_allclose(found[-1], at_k(2, what))
    other = {"recall": "false_negative", "precision": "false_positive"}[what]
    assert names == [f"{what}_at_2/{kind}_at_2:0" for kind in sorted([other, "true_positive"])]


def test_at_k_of_one_class(tf):
    found, names = run(tf, lambda m, a, b: m.recall_at_k(a, b, 3, class_id=1), PAIRS, LOGITS)
    best = np.argsort(-LOGITS, axis=-1, kind="stable")[..., :3].reshape(-1, 3)
    has, rows = (best == 1).any(-1), (PAIRS.reshape(-1, 2) == 1).any(-1)
    np.testing.assert_allclose(found[-1], (has & rows).sum() / rows.sum())
    assert names[0] == "recall_at_3_class1/false_negative_at_3_class1:0"


def test_at_k_with_one_label_and_weights(tf):
    labels, weights = PAIRS[..., 0], WEIGHTS[:, :4]
    found, _ = run(tf, lambda m, a, b, w: m.recall_at_k(a, b, 2, weights=w), labels, LOGITS, weights)
    best = np.argsort(-LOGITS, axis=-1, kind="stable")[..., :2]
    hits = (best == labels[..., None]).any(-1)
    np.testing.assert_allclose(found[-1], (hits * weights).sum() / weights.sum(), rtol=1e-5)


def test_sparse_labels(tf):
    def make(metrics, logits):
        labels = tf.sparse.from_dense(tf.constant([[1, 2], [3, 0], [4, 1], [2, 3]], tf.int64))
        return metrics.precision_at_k(labels, logits, 2)

    found, _ = run(tf, make, LOGITS)
    best = np.argsort(-LOGITS, axis=-1, kind="stable")[..., :2]
    rows = [{1, 2}, {3}, {4, 1}, {2, 3}]
    hits = sum(len({*best[i, j].tolist()} & rows[j]) for i in range(3) for j in range(4))
    np.testing.assert_allclose(found[-1], hits / best.size)


@pytest.mark.parametrize("k", [1, 3])
def test_average_precision(tf, k):
    found, names = run(tf, lambda m, a, b: m.average_precision_at_k(a, b, k), PAIRS[..., :1], LOGITS)
    best = np.argsort(-LOGITS, axis=-1, kind="stable")[..., :k]
    places = [np.flatnonzero(row == label) for row, label in zip(best.reshape(-1, k), PAIRS[..., 0].ravel(), strict=True)]
    want = np.mean([1 / (place[0] + 1) if len(place) else 0.0 for place in places])
    np.testing.assert_allclose(found[-1], want)
    assert names == [f"average_precision_at_{k}/max_1:0", f"average_precision_at_{k}/total:0"]


def test_names_and_collections(tf):
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        value, update = v1.metrics.accuracy([1, 2], [1, 3], metrics_collections=["values"], updates_collections=["updates"])
        again, _ = v1.metrics.accuracy([1, 2], [1, 3])
        named, _ = v1.metrics.mean([1.0], name="mine")
        assert v1.get_collection("values") == [value] and v1.get_collection("updates") == [update]
        assert (value.name, update.name) == ("accuracy/value:0", "accuracy/update_op:0")
        assert (again.name, named.name) == ("accuracy_1/value:0", "mine/value:0")
        names = [v.name for v in v1.local_variables()]
        assert names == [f"{s}/{v}:0" for s in ("accuracy", "accuracy_1", "mine") for v in ("total", "count")]


def test_one_more_dimension(tf):
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        _, update = v1.metrics.accuracy([[1], [2]], [1, 3])
        _, other = v1.metrics.mean([1.0, 3.0], weights=[[1.0], [0.0]])
        unknown = v1.placeholder(tf.int32, None)
        _, third = v1.metrics.accuracy([1, 2], unknown)
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            assert session.run([update, other]) == [0.5, 1.0]
            assert session.run(third, {unknown: [[1], [2]]}) == 1.0


MISTAKES = [
    (lambda m: m.mean([1.0, 2.0], weights=[1.0, 2.0, 3.0]), ValueError, "weights can not be broadcast to values"),
    (lambda m: m.accuracy([1, 2], [1, 2, 3]), ValueError, "incompatible"),
    (lambda m: m.auc(np.array([True]), np.float32([0.5]), curve="x"), ValueError, "Curve must be either ROC or PR"),
    (lambda m: m.auc(np.array([True]), np.float32([0.5]), summation_method="x"), ValueError, "Invalid summation_method"),
    (lambda m: m.sensitivity_at_specificity([True], [0.5], 1.5), ValueError, "must be in the range"),
    (lambda m: m.average_precision_at_k([[1]], [[0.5, 0.5]], 0), ValueError, "should be >= 1"),
]


def test_labels_of_another_rank(tf):
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Unexpected labels shape"):
        tf.compat.v1.metrics.recall_at_top_k(tf.constant([[[1]]]), tf.constant([1]))


@pytest.mark.parametrize("make, error, words", MISTAKES)
def test_mistakes(tf, make, error, words):
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        make(tf.compat.v1.metrics)


def test_predictions_out_of_range(tf):
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        held = v1.placeholder(tf.float32, [1])
        _, update = v1.metrics.precision_at_thresholds([True], held, [0.5])
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"predictions must be in \[0, 1\]"):
                session.run(update, {held: [1.5]})


def test_not_eagerly(tf):
    for name in ("mean", "accuracy", "auc", "precision_at_thresholds", "recall_at_k", "mean_iou"):
        arguments = [[1.0]] if name == "mean" else [[1], [1.0], *([2] if "_" in name else [])]
        with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
            getattr(tf.compat.v1.metrics, name)(*arguments)
