"""Candidate samplers and sampled losses, CTC, isotonic regression, initializers: numbers of TensorFlow's, and edges."""

import numpy as np
import pytest
import tracefn as tf

raw = tf.raw_ops
CLASSES = {"true_classes": [[1, 2], [0, 6]], "num_true": 2, "num_sampled": 4, "range_max": 7, "seed": 3, "seed2": 4}


def drawn(name, **attrs):
    """What three calls of one sampler draw, one after the other."""
    tf.random.set_seed(None)
    return [getattr(raw, name)(**{**CLASSES, **attrs})[0].numpy().tolist() for _ in range(3)]


def test_samplers_draw_the_numbers_of_tensorflow():
    assert drawn("UniformCandidateSampler", unique=True) == [[6, 3, 4, 1], [3, 4, 5, 1], [4, 0, 1, 5]]
    assert drawn("UniformCandidateSampler", unique=False) == [[6, 3, 4, 4], [3, 4, 5, 4], [4, 0, 1, 4]]
    assert drawn("LogUniformCandidateSampler", unique=True) == [[1, 2, 0, 5], [2, 3, 0, 1], [5, 3, 0, 1]]
    assert drawn("LearnedUnigramCandidateSampler", unique=False) == [[1, 3, 4, 5], [3, 0, 5, 5], [1, 1, 2, 1]]
    weights = [1.0, 2.0, 3.0, 4.0, 5.0, 1.0, 7.0]
    want = [[3, 6, 1, 6], [6, 6, 5, 0], [3, 1, 5, 3]]
    assert drawn("FixedUnigramCandidateSampler", unique=False, unigrams=weights) == want


def test_expected_counts():
    _, of_true, of_sampled = raw.UniformCandidateSampler(**CLASSES, unique=True)
    np.testing.assert_allclose(of_true, np.full((2, 2), 1 - (6 / 7) ** 6), rtol=1e-6)
    assert of_sampled.shape == (4,)
    _, of_true, _ = raw.LogUniformCandidateSampler(**CLASSES, unique=False)
    p = np.log1p(1 / (np.array([[1, 2], [0, 6]]) + 1)) / np.log(8)
    np.testing.assert_allclose(of_true, 4 * p, rtol=1e-6)


@pytest.mark.parametrize(
    "attrs, text",
    [
        ({"true_classes": [[1, 2, 3]]}, "true_classes must have num_true columns"),
        ({"true_classes": [1, 2]}, "true_classes must be a matrix"),
        ({"num_sampled": 8}, "Sampler's range is too small."),
        ({"true_classes": [[1, 20]]}, r"`true_candidate` out of range \[0, 7\), received 20"),
    ],
)
def test_samplers_refuse(attrs, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        raw.UniformCandidateSampler(**{**CLASSES, "unique": True, **attrs})


def test_weights_from_a_file(tmp_path):
    file = tmp_path / "weights"
    file.write_text("a,0\nb,0\nc,2\n")
    sampled, _, _ = tf.random.fixed_unigram_candidate_sampler([[0]], 1, 3, False, 3, vocab_file=str(file))
    assert sampled.numpy().tolist() == [2, 2, 2]
    for attrs, text in (({}, "Must provide either"), ({"vocab_file": "a", "unigrams": [1.0]}, "Must only provide one")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.random.fixed_unigram_candidate_sampler([[0]], 1, 3, False, 3, **attrs)
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        tf.random.fixed_unigram_candidate_sampler([[0]], 1, 3, False, 3, vocab_file=str(tmp_path / "none"))


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("num_true", [1, 2])
def test_sampled_losses(traced, num_true):
    rng = np.random.default_rng(0)
    weights, biases, inputs = (rng.normal(size=s).astype(np.float32) for s in ((7, 4), (7,), (3, 4)))
    labels = np.array([[1, 2], [3, 0], [4, 5]])[:, :num_true]
    sampled = ([1, 6, 3], np.full((3, num_true), 0.5, np.float32), np.full(3, 0.3, np.float32))
    ids = np.concatenate([labels, np.broadcast_to([1, 6, 3], (3, 3))], 1)
    logits = np.einsum("bd,bkd->bk", inputs, weights[ids]) + biases[ids] - np.log(np.float32([0.5] * num_true + [0.3] * 3))
    hits = (labels[:, :, None] == np.array([1, 6, 3])).any(1)
    for remove in (False, True):
        x = logits.copy()
        x[:, num_true:][hits & remove] = -3e38
        targets = np.float32([1 / num_true] * num_true + [0] * 3)
        nce = (np.maximum(x, 0) - x * targets + np.log1p(np.exp(-abs(x)))).sum(1)
        softmax = -(targets * (x - np.log(np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)) - x.max(1, keepdims=True)))[:, :num_true].sum(1)  # fmt: skip
        for loss, want in ((tf.nn.nce_loss, nce), (tf.nn.sampled_softmax_loss, softmax)):
            f = tf.function(loss) if traced else loss
            got = f(weights, biases, labels, inputs, 3, 7, num_true, sampled, remove_accidental_hits=remove)
            np.testing.assert_allclose(got, want, rtol=2e-5)


def by_all_paths(logits, labels, blank):
    """The loss by summing over all paths."""
    log_y = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    total = 0.0
    for path in np.ndindex(*[logits.shape[1]] * logits.shape[0]):
        merged = [k for i, k in enumerate(path) if (i == 0 or k != path[i - 1]) and k != blank]
        if merged == list(labels):
            total += np.exp(sum(log_y[t, k] for t, k in enumerate(path)))
    return -np.log(total)


@pytest.mark.parametrize("blank", [0, 2, -1])
@pytest.mark.parametrize("traced", [False, True])
def test_ctc_loss(blank, traced):
    x = np.random.default_rng(1).normal(size=(4, 3, 4)).astype(np.float32)
    labels = np.array([[1, 1], [3, 1], [1, 0]]) if blank != -1 else np.array([[1, 1], [2, 1], [1, 0]])
    lengths, times = [2, 2, 0], [4, 3, 2]

    def loss(x):
        return tf.nn.ctc_loss(labels, x, lengths, times, blank_index=blank)

    f = tf.function(loss, input_signature=[tf.TensorSpec(None)]) if traced else loss
    want = [by_all_paths(x[:t, b], labels[b][:n], blank % 4) for b, (n, t) in enumerate(zip(lengths, times, strict=True))]
    np.testing.assert_allclose(f(x), want, rtol=1e-5)
    with tf.GradientTape() as tape:
        given = tf.constant(x)
        tape.watch(given)
        y = tf.reduce_sum(f(given))
    slope = tape.gradient(y, given).numpy()
    step = np.zeros_like(x)
    step[1, 0, 1] = 1e-2
    numeric = (np.sum(f(x + step)) - np.sum(f(x - step))) / 2e-2
    np.testing.assert_allclose(slope[1, 0, 1], numeric, atol=1e-3)
    np.testing.assert_allclose(slope.sum(-1), 0, atol=1e-5)


def test_ctc_loss_of_sparse_labels_by_the_op():
    x = np.random.default_rng(1).normal(size=(4, 2, 3)).astype(np.float32)
    loss, _ = raw.CTCLoss(inputs=x, labels_indices=[[0, 0], [0, 1], [1, 0]], labels_values=[1, 1, 0], sequence_length=[4, 2])
    np.testing.assert_allclose(loss, [by_all_paths(x[:, 0], [1, 1], 2), by_all_paths(x[:2, 1], [0], 2)], rtol=1e-5)


@pytest.mark.parametrize(
    "given, text",
    [
        ({"sequence_length": [5, 2]}, r"sequence_length\(0\) <= 4"),
        ({"sequence_length": [-1, 2]}, r"seq_len\(0\) < 0"),
        ({"sequence_length": [1, 2]}, "Not enough time for target transition sequence"),
        ({"labels_values": [-1, 1, 0]}, "All labels must be nonnegative integers, batch: 0 labels: -1,1"),
        ({"labels_values": [2, 1, 0]}, "Saw a non-null label"),
        ({"labels_indices": [[0, 0], [0, 1], [0, 2]]}, "Labels length is zero in batch 1"),
        ({"labels_indices": [[0, 1], [0, 0], [1, 0]]}, r"indices\[1\] = \[0,0\] is out of order"),
        ({"labels_indices": [[0, 0], [0, 0], [1, 0]]}, r"indices\[1\] = \[0,0\] is repeated"),
        ({"labels_indices": [[0, 0], [0, 1], [2, 0]]}, r"is out of bounds: need 0 <= index < \[2,2\]"),
        ({"inputs": np.zeros((4, 2, 0), np.float32)}, "num_classes must not be 0"),
    ],
)
def test_ctc_loss_refuses(given, text):
    call = {
        "inputs": np.zeros((4, 2, 3), np.float32),
        "labels_indices": [[0, 0], [0, 1], [1, 0]],
        "labels_values": [1, 1, 0],
        "sequence_length": [4, 2],
    }
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        raw.CTCLoss(**{**call, **given})


def test_beam_search_finds_the_most_probable_labels():
    x = np.random.default_rng(2).normal(size=(4, 1, 3)).astype(np.float32)
    indices, values, _, scores = raw.CTCBeamSearchDecoder(
        inputs=x, sequence_length=[4], beam_width=200, top_paths=4, merge_repeated=False
    )
    found = [tuple(v.numpy().tolist()) for v in values]
    want = {labels: -by_all_paths(x[:, 0], labels, 2) for n in range(4) for labels in np.ndindex(*[2] * n)
            if n + sum(a == b for a, b in zip(labels, labels[1:], strict=False)) <= 4}  # fmt: skip
    best = sorted(want, key=want.get, reverse=True)[:4]
    assert found == best and len(indices) == 4
    np.testing.assert_allclose(scores[0], [want[labels] for labels in best], rtol=1e-4)


def test_isotonic_regression():
    x = np.float32([[3, 1, 2], [1, 3, 4]])
    y, segments = tf.nn.isotonic_regression(x)
    np.testing.assert_allclose(y, [[3, 1.5, 1.5], [8 / 3] * 3], rtol=1e-6)
    assert segments.numpy().tolist() == [[0, 1, 1], [0, 0, 0]]
    np.testing.assert_allclose(tf.nn.isotonic_regression(x.T, axis=0)[0], y.numpy().T)
    np.testing.assert_allclose(tf.nn.isotonic_regression(x, decreasing=False)[0], [[2, 2, 2], [1, 3, 4]])
    assert tf.nn.isotonic_regression([1, 2])[0].dtype == tf.float64
    assert tf.nn.isotonic_regression(tf.constant([1, 2], tf.int8))[0].dtype == tf.float32


def test_initializers():
    f = tf.initializers.GlorotUniform(seed=7)
    np.testing.assert_allclose(f((3, 4))[0, :3], [0.45750105, 0.31881571, -0.81883317], rtol=1e-6)
    assert f((3, 4)).numpy().tolist() == f.clone()((3, 4)).numpy().tolist()
    np.testing.assert_allclose(
        tf.initializers.HeNormal(seed=7)((4,))[:2], [-0.54194885, -0.28834304], rtol=1e-6
    )
    q = tf.initializers.Orthogonal(seed=7)((3, 4))
    np.testing.assert_allclose(q[0], [-0.3257, -0.7115, -0.5802, -0.2260], atol=1e-4)
    assert tf.initializers.get("he_normal").get_config()["seed"] is None
    assert tf.initializers.glorot_uniform is tf.initializers.GlorotUniform
    again = tf.initializers.deserialize(tf.initializers.serialize(tf.initializers.Constant(3)))
    assert again((2,)).numpy().tolist() == [3, 3]
    for bad in ("nope", 3):
        with pytest.raises(ValueError, match="Could not interpret initializer identifier"):
            tf.initializers.get(bad)
