"""Samplers of candidate classes, and the losses that are computed with a sample of the classes."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, ints, name_scope, op
from tracefn.ops.neural import softmax_cross_entropy_with_logits
from tracefn.random_seed import get_seed


def _sampled(kind: str, true_classes, num_true, num_sampled, unique, seed, name, **attrs):
    seed1, seed2 = get_seed(seed)
    return op(kind)(
        true_classes=convert(true_classes, dtype="int64", name="true_classes"),
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        seed=seed1,
        seed2=seed2,
        name=name,
        **attrs,
    )


@export("random.uniform_candidate_sampler")
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes with equal probabilities.

    Args:
      true_classes: int64 tensor [batch, num_true]: the true classes of each example.
      num_true: int, the number of true classes of an example.
      num_sampled: int, how many classes are drawn.
      unique: whether the drawn classes differ.
      range_max: int, the number of classes.
      seed: int, or None.
      name: name of the node.

    Returns:
      (sampled_candidates, true_expected_count, sampled_expected_count): int64 vector of drawn classes; how often each
      true class, and each drawn one, is expected in such a sample.

    Raises:
      InvalidArgumentError: `unique` classes are wanted, and there are fewer than `num_sampled`; or a true class is not one.

    Example:
      >>> import tracefn as tf
      >>> sampled, _, count = tf.random.uniform_candidate_sampler([[0]], 1, 4, True, 4)
      >>> sorted(sampled.numpy().tolist()), sampled.shape == count.shape
      ([0, 1, 2, 3], True)
    """
    return _sampled(
        "UniformCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


@export("random.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes of decreasing frequency: class k with probability log(1 + 1 / (k + 1)) / log(range_max + 1).

    Arguments, results and errors are those of `tf.random.uniform_candidate_sampler`.

    Example:
      >>> import tracefn as tf
      >>> [t.shape for t in tf.random.log_uniform_candidate_sampler([[0], [3]], 1, 2, True, 4)]
      [TensorShape([2]), TensorShape([2, 1]), TensorShape([2])]
    """
    return _sampled(
        "LogUniformCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


@export("random.learned_unigram_candidate_sampler", "nn.learned_unigram_candidate_sampler")
def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes in proportion to how often they were true classes in earlier calls of the node, plus one.

    Arguments, results and errors are those of `tf.random.uniform_candidate_sampler`.

    Example:
      >>> import tracefn as tf
      >>> tf.random.learned_unigram_candidate_sampler([[0]], 1, 2, True, 4)[2].shape
      TensorShape([2])
    """
    return _sampled(
        "LearnedUnigramCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


@export("random.fixed_unigram_candidate_sampler", "nn.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes,
    num_true,
    num_sampled,
    unique,
    range_max,
    vocab_file="",
    distortion=1.0,
    num_reserved_ids=0,
    num_shards=1,
    shard=0,
    unigrams=(),
    seed=None,
    name=None,
):
    """Draws classes in proportion to given weights.

    Args:
      true_classes: int64 tensor [batch, num_true]: the true classes of each example.
      num_true: int, the number of true classes of an example.
      num_sampled: int, how many classes are drawn.
      unique: whether the drawn classes differ.
      range_max: int, the number of classes.
      vocab_file: str, a file with a line for each class, whose last field after a comma is the weight.
      distortion: float, the power to which weights are raised.
      num_reserved_ids: int, the number of classes before those with weights; they are never drawn.
      num_shards, shard: ints; only every class k with k % num_shards == shard is used.
      unigrams: list of weights, instead of a file.
      seed: int, or None.
      name: name of the node.

    Returns:
      As `tf.random.uniform_candidate_sampler`.

    Raises:
      InvalidArgumentError: the number of weights is not `range_max`, or not exactly one of file and list is given.

    Example:
      >>> import tracefn as tf
      >>> tf.random.fixed_unigram_candidate_sampler([[0]], 1, 2, False, 3, unigrams=[0.0, 0.0, 1.0])[0].numpy().tolist()
      [2, 2]
    """
    return _sampled(
        "FixedUnigramCandidateSampler",
        true_classes,
        num_true,
        num_sampled,
        unique,
        seed,
        name,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=list(unigrams),
    )


@export("random.all_candidate_sampler", "nn.all_candidate_sampler")
def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """All classes instead of a sample, for comparisons.

    Args:
      true_classes: int64 tensor [batch, num_true]: the true classes of each example.
      num_true: int, the number of true classes of an example.
      num_sampled: int, the number of classes.
      unique: accepted, without effect.
      seed: int, or None, without effect.
      name: name of the node.

    Returns:
      (0, 1, ..., num_sampled - 1; ones; ones), of the shapes that other samplers return.

    Example:
      >>> import tracefn as tf
      >>> tf.random.all_candidate_sampler([[0]], 1, 3, True)[0].numpy().tolist()
      [0, 1, 2]
    """
    return _sampled("AllCandidateSampler", true_classes, num_true, num_sampled, unique, seed, name)


@export("nn.compute_accidental_hits")
def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """The places where a sampled class is one of an example's true classes.

    Args:
      true_classes: int64 tensor [batch, num_true].
      sampled_candidates: int64 vector of sampled classes.
      num_true: int, the number of true classes of an example.
      seed: accepted, without effect.
      name: name of the node.

    Returns:
      (indices, ids, weights): for each place the example, the place among the sampled classes, and the lowest float.

    Raises:
      InvalidArgumentError: the arguments are not a matrix with `num_true` columns and a vector.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.nn.compute_accidental_hits([[1], [5]], [7, 5], 1)[:2]]
      [[1], [1]]
    """
    seed1, seed2 = get_seed(seed)
    return op("ComputeAccidentalHits")(
        true_classes=convert(true_classes, dtype="int64"),
        sampled_candidates=convert(sampled_candidates, dtype="int64"),
        num_true=num_true,
        seed=seed1,
        seed2=seed2,
        name=name,
    )


def _rows_of(table, ids, dtype, lookup):
    from tracefn.ops.embedding import embedding_lookup  # start-up time: importing a file registers its public names

    rows = (lookup or embedding_lookup)(table, ids)
    return rows if rows.dtype == dtype else op("Cast")(x=rows, DstT=dtype)


def sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_hits, seed,
                   name, subtract_log_q=True, lookup=None):  # fmt: skip
    """The logits of the true classes, then of the sampled ones, and their labels.

    Args:
      weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, seed: as in
        `tf.nn.sampled_softmax_loss`.
      remove_hits: bool, whether sampled classes that are true ones are left out.
      name: str, name of the scope.
      subtract_log_q: bool, whether the logarithms of the expected counts are subtracted.
      lookup: function of a table and ids; None: `tf.nn.embedding_lookup`.

    Returns:
      (logits, labels), tensors [batch, num_true + num_sampled].
    """
    with name_scope(name):
        inputs, labels = convert(inputs), convert(labels)
        labels = labels if labels.dtype == "int64" else op("Cast")(x=labels, DstT="int64")
        flat_labels = op("Reshape")(tensor=labels, shape=[-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
        sampled, true_count, sampled_count = (op("StopGradient")(input=convert(s)) for s in sampled_values)
        sampled = op("Cast")(x=sampled, DstT="int64")
        ids = op("ConcatV2")(values=[flat_labels, sampled], axis=0)
        rows, row_biases = (_rows_of(table, ids, inputs.dtype, lookup) for table in (weights, biases))
        n = op("Shape")(input=flat_labels)[0]
        width = op("Shape")(input=rows)[-1]
        true_rows = op("Reshape")(tensor=rows[:n], shape=op("Pack")(values=[-1, num_true, width]))
        products = op("Mul")(x=op("ExpandDims")(input=inputs, dim=1), y=true_rows)
        true_logits = op("Sum")(input=products, reduction_indices=[2])
        true_logits += op("Reshape")(tensor=row_biases[:n], shape=[-1, num_true])
        others = op("MatMul")(a=inputs, b=rows[n:], transpose_b=True) + row_biases[n:]
        if remove_hits:
            examples, places, lowest = compute_accidental_hits(labels, sampled, num_true)
            at = op("Pack")(values=[examples, op("Cast")(x=places, DstT="int32")], axis=1)
            none = op("ZerosLike")(x=others)
            lowest = op("Cast")(x=lowest, DstT=inputs.dtype)
            others += op("TensorScatterUpdate")(tensor=none, indices=at, updates=lowest)
        if subtract_log_q:
            true_logits -= op("Cast")(x=op("Log")(x=true_count), DstT=inputs.dtype)
            others -= op("Cast")(x=op("Log")(x=sampled_count), DstT=inputs.dtype)
        logits = op("ConcatV2")(values=[true_logits, others], axis=1)
        ones, zeros = op("OnesLike")(x=true_logits), op("ZerosLike")(x=others)
        return logits, op("ConcatV2")(values=[ones / num_true, zeros], axis=1)


@export("nn.nce_loss")
def nce_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=False,
    name="nce_loss",
):
    """The noise-contrastive estimation loss: each example's true classes against a sample of all classes.

    Args:
      weights: tensor or Variable [num_classes, width], or a list of such, one below the other.
      biases: tensor or Variable [num_classes].
      labels: int tensor [batch, num_true] of true classes.
      inputs: float tensor [batch, width].
      num_sampled: int, how many classes are drawn.
      num_classes: int, the number of classes.
      num_true: int, the number of true classes of an example.
      sampled_values: results of a sampler; None: `tf.random.log_uniform_candidate_sampler`.
      remove_accidental_hits: whether sampled classes that are true classes of the example are left out.
      name: name of the scope.

    Returns:
      Tensor [batch] of losses.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.nce_loss(tf.ones([5, 2]), tf.zeros([5]), [[1], [2]], tf.ones([2, 2]), 3, 5).shape
      TensorShape([2])

    Source: Gutmann and Hyvärinen, "Noise-contrastive estimation", 2010.
    """
    return contrastive_losses(*sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, None,
        f"{name}/compute_sampled_logits",
    ))  # fmt: skip


def contrastive_losses(logits, targets):
    """The losses of examples by their sampled logits and labels, each a class for itself."""
    from tracefn.ops import losses  # start-up time: importing a file registers its public names

    each = losses.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses")
    return op("Sum")(input=each, reduction_indices=ints([1]), name="Reshape")  # the name in TensorFlow


@export("nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=True,
    seed=None,
    name="sampled_softmax_loss",
):
    """The softmax cross entropy over each example's true classes and a sample of all classes.

    Args:
      weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, name: as
        in `tf.nn.nce_loss`.
      seed: int, the sampler's seed, or None.

    Returns:
      Tensor [batch] of losses.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.sampled_softmax_loss(tf.ones([5, 2]), tf.zeros([5]), [[1], [2]], tf.ones([2, 2]), 3, 5).shape
      TensorShape([2])

    Source: Jean et al., "On using very large target vocabulary for neural machine translation", 2015.
    """
    return softmax_losses(*sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits, seed,
        f"{name}/compute_sampled_logits",
    ))  # fmt: skip


def softmax_losses(logits, targets):
    """The losses of examples by their sampled logits and labels, all together."""
    return softmax_cross_entropy_with_logits(labels=op("StopGradient")(input=targets), logits=logits)
