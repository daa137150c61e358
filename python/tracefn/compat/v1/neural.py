"""`tf.compat.v1.nn`: the functions whose arguments had other names, another order or other meanings."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.compat.v1.arguments import either, today
from tracefn.ops.neural import require_both

_op = _core.raw_op


@export("compat.v1.math.softmax")
def softmax(logits, axis=None, name=None, dim=None):
    """`tf.nn.softmax`, whose `axis` was called `dim`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.nn.softmax([[0.0, 0.0]], dim=0).numpy().tolist()
      [[1.0, 1.0]]
    """
    return today("nn.softmax")(logits, _last_unless(either("axis", axis, "dim", dim)), name)


@export("compat.v1.math.log_softmax")
def log_softmax(logits, axis=None, name=None, dim=None):
    """`tf.nn.log_softmax`, whose `axis` was called `dim`."""
    return today("nn.log_softmax")(logits, _last_unless(either("axis", axis, "dim", dim)), name)


def _last_unless(axis):
    return -1 if axis is None else axis


@export("compat.v1.math.in_top_k")
def in_top_k(predictions, targets, k, name=None):
    """`tf.math.in_top_k`, with another order of arguments."""
    return today("math.in_top_k")(targets, predictions, k, name)


@export("compat.v1.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels=None, logits=None, dim=-1, name=None, axis=None):
    """`tf.nn.softmax_cross_entropy_with_logits`, through which no gradient reaches the labels.

    Args:
      labels, logits: tensors of one shape; given by name.
      dim: the dimension of the classes. `axis` cannot be given, as `dim` has a default.
      name: name of the op.

    Raises:
      ValueError: labels or logits are missing, or `axis` is given.
    """
    dim = either("axis", axis, "dim", dim)
    require_both("softmax_cross_entropy_with_logits", labels, logits)
    with _core.OpScope(name or "softmax_cross_entropy_with_logits_sg") as scope:
        labels = today("stop_gradient")(labels, name="labels_stop_gradient")
        return today("nn.softmax_cross_entropy_with_logits")(labels, logits, dim, scope)


@export("compat.v1.nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """`tf.nn.softmax_cross_entropy_with_logits`, whose `axis` was called `dim`."""
    return today("nn.softmax_cross_entropy_with_logits")(
        labels, logits, _last_unless(either("axis", axis, "dim", dim)), name
    )


@export("compat.v1.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """`tf.nn.sparse_softmax_cross_entropy_with_logits`, with arguments by name."""
    return today("nn.sparse_softmax_cross_entropy_with_logits")(labels, logits, name)


@export("compat.v1.nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
    """`tf.nn.weighted_cross_entropy_with_logits`, whose `labels` were called `targets`."""
    labels = either("labels", labels, "targets", targets)
    return today("nn.weighted_cross_entropy_with_logits")(labels, logits, pos_weight, name)


@export("compat.v1.nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """`tf.nn.dropout`, with the probability to keep an element instead of that to drop it.

    Args:
      x: floating tensor.
      keep_prob, rate: the probability to keep, or that to drop.
      noise_shape, seed, name: as in `tf.nn.dropout`.

    Raises:
      ValueError: both or none of the probabilities are given, or one is not in its range.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.nn.dropout([1.0, 2.0], keep_prob=1.0).numpy().tolist()
      [1.0, 2.0]
    """
    try:
        from_keep = 1.0 - keep_prob if keep_prob is not None else None
    except TypeError:
        raise ValueError(
            "`keep_prob` must be a floating point number or Tensor. Received: keep_prob=" + str(keep_prob)
        ) from None
    rate = either("rate", rate, "keep_prob", from_keep)
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    return today("nn.dropout")(x, rate, noise_shape, seed, name)


@export("compat.v1.nn.moments")
def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """`tf.nn.moments`, with another order of arguments."""
    keepdims = either("keepdims", keepdims, "keep_dims", keep_dims)
    return today("nn.moments")(x, axes, shift, bool(keepdims), name)


@export("compat.v1.nn.weighted_moments")
def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    """`tf.nn.weighted_moments`, with another order of arguments."""
    keepdims = either("keepdims", keepdims, "keep_dims", keep_dims)
    return today("nn.weighted_moments")(x, axes, frequency_weights, bool(keepdims), name)


@export("compat.v1.nn.sufficient_statistics")
def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    """`tf.nn.sufficient_statistics`, whose `keepdims` was called `keep_dims`."""
    keepdims = either("keepdims", keepdims, "keep_dims", keep_dims)
    return today("nn.sufficient_statistics")(x, axes, shift, bool(keepdims), name)


@export("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x,
    scale,
    offset,
    mean=None,
    variance=None,
    epsilon=0.001,
    data_format="NHWC",
    is_training=True,
    name=None,
    exponential_avg_factor=1.0,
):
    """Batch normalization in one op.

    Args:
      x: images [batch, height, width, channels], or as `data_format` says.
      scale, offset: float32 vectors, one element for each channel.
      mean, variance: vectors of channels: the statistics if `is_training` is false, or the running ones if
        `exponential_avg_factor` is not 1; else None.
      epsilon: added to the variance.
      is_training: whether the statistics are those of `x`.
      exponential_avg_factor: weight of new statistics in the running ones.
      name: name of the op.

    Returns:
      The normalized images, running mean and running variance.

    Raises:
      ValueError: mean or variance is missing.

    Example:
      >>> import tracefn as tf
      >>> y, mean, variance = tf.compat.v1.nn.fused_batch_norm(tf.ones([1, 2, 2, 1]), [1.0], [3.0])
      >>> float(y[0, 0, 0, 0]), float(mean[0])
      (3.0, 1.0)
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or `exponential_avg_factor` != "
            f"1.0. Received: `mean` {mean!r} and `variance` {variance!r}"
        )
    empty = today("constant")([], "float32")
    y, running_mean, running_variance, *_ = _op("FusedBatchNormV3")(
        x=x,
        scale=scale,
        offset=offset,
        mean=empty if mean is None else mean,
        variance=empty if variance is None else variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return y, running_mean, running_variance


@export("compat.v1.nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    t=None,
    m=None,
    v=None,
    beta=None,
    gamma=None,
    variance_epsilon=None,
    scale_after_normalization=None,
    name=None,
    input=None,
    mean=None,
    variance=None,
):
    """`tf.nn.batch_norm_with_global_normalization`, with old names of arguments."""
    t = either("input", input, "t", t)
    m = either("mean", mean, "m", m)
    v = either("variance", variance, "v", v)
    return today("nn.batch_normalization")(
        t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name
    )


@export("compat.v1.nn.embedding_lookup")
def embedding_lookup(params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None):
    """`tf.nn.embedding_lookup`, with a choice of how the rows of a table are spread over its pieces.

    Args:
      params: the table, or a list of pieces.
      ids: integer tensor.
      partition_strategy: "mod": row i is in piece i % n; "div": the pieces are consecutive.
      validate_indices: accepted: indices are always checked.
      max_norm: None, or the maximum norm of a row.
      name: name of the ops.

    Raises:
      ValueError: there is no such strategy.

    Example:
      >>> import tracefn as tf
      >>> pieces = [tf.constant([[1.0], [3.0]]), tf.constant([[2.0], [4.0]])]
      >>> tf.compat.v1.nn.embedding_lookup(pieces, [1, 2]).numpy().tolist()
      [[2.0], [3.0]]
    """
    del validate_indices
    pieces = list(params) if isinstance(params, (list, tuple)) else [params]
    if partition_strategy not in ("mod", "div"):
        if len(pieces) > 1:
            raise ValueError(
                f"Unrecognized partition strategy: {partition_strategy}.Must be one of either `mod` or `div`."
            )
    elif partition_strategy == "mod" and len(pieces) > 1:
        return _lookup_by_remainder(pieces, ids, max_norm, name)
    return today("nn.embedding_lookup")(pieces if len(pieces) != 1 else pieces[0], ids, max_norm, name)


def _lookup_by_remainder(pieces, ids, max_norm, name):
    """Rows of a table whose row i is row i // n of piece i % n."""
    with _core.OpScope(name or "embedding_lookup"):
        ids = _core.convert_to_tensor(ids, name="ids")
        flat = today("reshape")(ids, [-1])
        places = today("range")(today("size")(flat))
        count = today("constant")(len(pieces), ids.dtype)
        piece = today("cast")(flat % count, "int32")
        rows = today("dynamic_partition")(flat // count, piece, len(pieces))
        places = today("dynamic_partition")(places, piece, len(pieces))
        found = [today("nn.embedding_lookup")(p, r, max_norm) for p, r in zip(pieces, rows, strict=True)]
        together = _op("ParallelDynamicStitch")(indices=places, data=found)
        row_shape = today("shape")(pieces[0])[1:]
        result = today("reshape")(together, today("concat")([today("shape")(ids), row_shape], 0))
        result.set_shape(ids.shape.concatenate(pieces[0].shape[1:]))
        return result


@export("compat.v1.nn.crelu")
def crelu(features, name=None, axis=-1):
    """`tf.nn.crelu`, with another order of arguments."""
    return today("nn.crelu")(features, axis, name)


@export("compat.v1.nn.relu_layer")
def relu_layer(x, weights, biases, name=None):
    """relu(x @ weights + biases).

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.nn.relu_layer([[1.0]], [[2.0, -2.0]], [1.0, 1.0]).numpy().tolist()
      [[3.0, 0.0]]
    """
    with _core.OpScope(name or "relu_layer") as scope:
        return today("nn.relu")(_affine(x, weights, biases), name=scope)


@export("compat.v1.nn.xw_plus_b")
def xw_plus_b(x, weights, biases, name=None):
    """x @ weights + biases."""
    with _core.OpScope(name or "xw_plus_b") as scope:
        return _affine(x, weights, biases, scope)


def _affine(x, weights, biases, name=None):
    x = _core.convert_to_tensor(x, name="x")
    weights = _core.convert_to_tensor(weights, name="weights")
    biases = _core.convert_to_tensor(biases, name="biases")
    return today("nn.bias_add")(today("matmul")(x, weights), biases, name=name)


@export("compat.v1.nn.ctc_loss")
def ctc_loss(
    labels,
    inputs=None,
    sequence_length=None,
    preprocess_collapse_repeated=False,
    ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False,
    time_major=True,
    logits=None,
):
    """The connectionist temporal classification loss; the last class is the blank.

    Args:
      labels: int32 SparseTensor [batch, time].
      inputs, logits: one argument by two names: floating tensor [time, batch, classes].
      sequence_length: int32 vector, the lengths of the sequences.
      preprocess_collapse_repeated: whether repeated labels count once.
      ctc_merge_repeated: whether repeated classes without a blank between count once.
      ignore_longer_outputs_than_inputs: whether sequences shorter than their labels have no gradient, instead of an error.
      time_major: whether time is the first dimension; else the batch is.

    Returns:
      Vector of losses.

    Raises:
      TypeError: labels are not sparse.

    Example:
      >>> import tracefn as tf
      >>> labels = tf.SparseTensor([[0, 0]], [0], [1, 1])
      >>> [round(x, 4) for x in tf.compat.v1.nn.ctc_loss(labels, tf.zeros([2, 1, 2]), [2]).numpy().tolist()]
      [0.2877]
    """
    if not isinstance(labels, today("SparseTensor")):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor. Received labels={labels} of type: {type(labels).__name__}"
        )
    inputs = _core.convert_to_tensor(either("logits", logits, "inputs", inputs))
    if not time_major:
        inputs = today("transpose")(inputs, [1, 0, 2])
    dtype = inputs.dtype
    if dtype == "float16" or dtype == "bfloat16":
        inputs = today("cast")(inputs, "float32")
    loss, _ = _op("CTCLoss")(
        inputs=inputs,
        labels_indices=labels.indices,
        labels_values=labels.values,
        sequence_length=sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return today("cast")(loss, dtype)


@export("compat.v1.nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    """The most probable label sequences, by a beam search.

    Args:
      inputs: floating tensor [time, batch, classes]; the last class is the blank.
      sequence_length: int32 vector, the lengths of the sequences.
      beam_width: int, the number of sequences that are kept.
      top_paths: int, the number of sequences that are returned.
      merge_repeated: whether repeated classes in the result count once.

    Returns:
      List of SparseTensors, and the logarithms of their probabilities [batch, top_paths].

    Example:
      >>> import tracefn as tf
      >>> (path,), _ = tf.compat.v1.nn.ctc_beam_search_decoder(tf.constant([[[2.0, 0.0, 0.0]]]), [1])
      >>> path.values.numpy().tolist()
      [0]
    """
    indices, values, shapes, scores = _op("CTCBeamSearchDecoder")(
        inputs=inputs,
        sequence_length=sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    sparse = today("SparseTensor")
    return [sparse(i, v, s) for i, v, s in zip(indices, values, shapes, strict=True)], scores
