"""Connectionist temporal classification: the loss, decoders, and forms of labels.

Graves et al., "Connectionist temporal classification", 2006. Labels and blanks take turns on the path of an alignment:
place 2i + 1 is label i. Probabilities are logarithms, that of an impossible step is -inf.
"""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.custom_gradient import custom_gradient
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_creation import sequence_mask
from tracefn.ops.indexing import boolean_mask
from tracefn.ops.reduction import reduce_logsumexp
from tracefn.ops.sparse.tensor import SparseTensor, is_sparse

_NEVER = float("-inf")
# The logarithm of a path that ends elsewhere: finite, so that sequences without a path have a finite loss.
_ELSEWHERE = -706.8936235492395


def _sizes(tensor):
    return op("Shape")(input=tensor)


def _select(condition, x, y):
    return op("SelectV2")(condition=condition, t=x, e=y)


def _padded(x, before: int, after: int, value):
    """x [batch, n] with columns of `value` on both sides."""
    return op("PadV2")(input=x, paddings=[[0, 0], [before, after]], constant_values=value)


class _Paths:
    """The paths of a batch: their labels, where they may skip a blank, and where they end."""

    def __init__(self, labels, label_length, blank: int, dtype) -> None:
        batch, most = _sizes(labels)[0], _sizes(labels)[1]
        blanks = op("Fill")(dims=op("Pack")(values=[batch, most + 1]), value=convert(blank, dtype="int32"))
        shifted = _padded(labels, 0, 1, convert(blank, dtype="int32"))
        turns = op("Reshape")(tensor=op("Pack")(values=[blanks, shifted], axis=2), shape=op("Pack")(values=[batch, -1]))
        self.labels = turns[:, :-1]
        self.never = convert(_NEVER, dtype=dtype)
        self.count = 2 * most + 1
        places = op("Range")(start=0, limit=self.count, delta=1)
        ends = 2 * op("ExpandDims")(input=label_length, dim=1)
        # From place u - 2 to u: over a blank, between different labels.
        before = _padded(self.labels[:, :-2], 2, 0, convert(-1, dtype="int32"))
        odd = op("Equal")(x=op("FloorMod")(x=places, y=2), y=1)
        self.skips = op("LogicalAnd")(
            x=op("LogicalAnd")(x=odd, y=op("NotEqual")(x=self.labels, y=before)),
            y=op("GreaterEqual")(x=places, y=2),
        )
        at_end = op("LogicalOr")(x=op("Equal")(x=places, y=ends), y=op("Equal")(x=places, y=ends - 1))
        certain = op("ZerosLike")(x=self.never)
        self.ends = _select(at_end, certain, convert(_ELSEWHERE, dtype=dtype))
        may_start = op("LogicalAnd")(x=op("Less")(x=places, y=2), y=op("LessEqual")(x=places, y=ends))
        self.starts = _select(may_start, certain, self.never)

    def arriving(self, a):
        """The log-probability of a step that arrives at each place, given that of each place before it."""
        one = _padded(a[:, :-1], 1, 0, self.never)
        two = _select(self.skips, _padded(a[:, :-2], 2, 0, self.never), self.never)
        return reduce_logsumexp(op("Pack")(values=[a, one, two], axis=0), axis=0)

    def leaving(self, b):
        """The log-probability of what follows each place, given that of each place after it."""
        one = _padded(b[:, 1:], 0, 1, self.never)
        two = _padded(_select(self.skips, b, self.never)[:, 2:], 0, 2, self.never)
        return reduce_logsumexp(op("Pack")(values=[b, one, two], axis=0), axis=0)


def _loss_and_slope(logits, labels, label_length, logit_length, blank: int):
    """(losses [batch], their gradients [time, batch, classes]) for logits [time, batch, classes]."""
    from tracefn.ops.functional import scan  # start-up time: importing a file registers its public names

    log_y = op("LogSoftmax")(logits=logits)
    paths = _Paths(labels, label_length, blank, logits.dtype)
    time, classes = _sizes(logits)[0], _sizes(logits)[2]
    by_batch = op("Transpose")(x=log_y, perm=[1, 0, 2])
    emitted = op("GatherV2")(params=by_batch, indices=paths.labels, axis=2, batch_dims=1)
    emitted = op("Transpose")(x=emitted, perm=[1, 0, 2])  # [time, batch, places]
    steps = op("Range")(start=0, limit=time, delta=1)
    lasts = op("ExpandDims")(input=logit_length - 1, dim=1)

    def forward(a, row):
        t, e = row
        arrived = paths.arriving(a) + e
        return _select(op("LessEqual")(x=t, y=lasts), arrived, a)

    def backward(b, row):
        t, e = row  # of the step after
        return _select(op("LessEqual")(x=t, y=lasts), paths.leaving(b + e), paths.ends)

    first = paths.starts + emitted[0]
    after = scan(forward, (steps[1:], emitted[1:]), first)
    alpha = op("ConcatV2")(values=[op("ExpandDims")(input=first, dim=0), after], axis=0)
    likelihood = reduce_logsumexp(alpha[-1] + paths.ends, axis=1)
    ends = op("BroadcastTo")(input=paths.ends, shape=_sizes(first))
    following = scan(backward, (steps[1:], emitted[1:]), ends, reverse=True)
    beta = op("ConcatV2")(values=[following, op("ExpandDims")(input=ends, dim=0)], axis=0)
    shares = op("Exp")(x=alpha + beta - op("ExpandDims")(input=likelihood, dim=1))
    which = op("OneHot")(
        indices=paths.labels,
        depth=classes,
        on_value=convert(1, dtype=logits.dtype),
        off_value=convert(0, dtype=logits.dtype),
    )
    used = op("BatchMatMulV2")(x=op("Transpose")(x=shares, perm=[1, 0, 2]), y=which)
    slope = op("Exp")(x=log_y) - op("Transpose")(x=used, perm=[1, 0, 2])
    inside = op("LessEqual")(x=op("ExpandDims")(input=steps, dim=1), y=op("Reshape")(tensor=lasts, shape=[1, -1]))
    zero = convert(0, dtype=logits.dtype)
    return -likelihood, _select(op("ExpandDims")(input=inside, dim=2), slope, zero)


def dense_loss(labels, logits, label_length, logit_length, logits_time_major, blank_index):
    """The loss for labels [batch, most labels], of which the first `label_length` count."""
    logits = convert(logits, name="logits")
    labels, label_length, logit_length = (
        op("Cast")(x=convert(x), DstT="int32") for x in (labels, label_length, logit_length)
    )
    dtype = logits.dtype
    if dtype in ("float16", "bfloat16"):
        logits = op("Cast")(x=logits, DstT="float32")
    if not logits_time_major:
        logits = op("Transpose")(x=logits, perm=[1, 0, 2])
    blank = blank_index
    if blank < 0:
        classes = logits.shape[2]
        blank = _sizes(logits)[2] + blank if classes is None else classes + blank

    @custom_gradient
    def loss(given):
        value, slope = _loss_and_slope(given, labels, label_length, logit_length, blank)
        return value, lambda dy: op("Reshape")(tensor=dy, shape=[1, -1, 1]) * slope

    result = loss(logits)
    return result if result.dtype == dtype else op("Cast")(x=result, DstT=dtype)


def _sparse_loss(labels, logits, logit_length, logits_time_major: bool, blank_index):
    """The loss for a SparseTensor of labels: the blank becomes the last class, as the op CTCLoss has it."""
    classes = logits.shape[2]
    if blank_index < 0:
        blank_index = (_sizes(logits)[2] if classes is None else classes) + blank_index
    blank = blank_index
    parts = [logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]]
    values = _select(labels.values < blank, labels.values, labels.values - 1)
    return loss_of_sparse(
        labels.with_values(values), op("ConcatV2")(values=parts, axis=2), logit_length, time_major=logits_time_major
    )


def loss_of_sparse(labels, logits, sequence_length, time_major: bool = True, **options):
    """The op CTCLoss, whose blank is the last class; `options` are its attributes.

    Raises:
      TypeError: `labels` is not a SparseTensor.
    """
    if not is_sparse(labels):
        raise TypeError("Expected argument `labels` to be a SparseTensor. "
                        f"Received labels={labels} of type: {type(labels).__name__}")
    logits = convert(logits, name="logits")
    if not time_major:
        logits = op("Transpose")(x=logits, perm=[1, 0, 2])
    dtype = logits.dtype
    if dtype in ("float16", "bfloat16"):
        logits = op("Cast")(x=logits, DstT="float32")
    loss, _ = op("CTCLoss")(
        inputs=logits,
        labels_indices=labels.indices,
        labels_values=labels.values,
        sequence_length=sequence_length,
        **options,
    )
    return loss if loss.dtype == dtype else op("Cast")(x=loss, DstT=dtype)


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """The most probable class at each time, without blanks.

    Args:
      inputs: float tensor [time, batch, classes]: logits.
      sequence_length: int32 vector [batch].
      merge_repeated: whether a class counts once while it stays the most probable.
      blank_index: int, the class that stands for no label; a negative one counts from the end. None: the last one.

    Returns:
      ([labels], scores): a list of one int64 SparseTensor [batch, most labels]; and tensor [batch, 1] of minus the sums
      of the largest logits.

    Raises:
      InvalidArgumentError: a length is out of range.

    Example:
      >>> import tracefn as tf
      >>> logits = tf.constant([[[0.0, 2.0, 1.0]], [[3.0, 0.0, 1.0]]])
      >>> (labels,), _ = tf.nn.ctc_greedy_decoder(logits, [2])
      >>> labels.values.numpy().tolist()
      [1, 0]
    """
    options = {} if blank_index is None else {"blank_index": blank_index}
    *labels, score = op("CTCGreedyDecoder")(
        inputs=inputs, sequence_length=sequence_length, merge_repeated=merge_repeated, **options
    )
    return [SparseTensor(*labels)], score


@export("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """The most probable label sequences that a beam search finds.

    Args:
      inputs: float tensor [time, batch, classes]: logits; the last class is the blank.
      sequence_length: int32 vector [batch].
      beam_width: int, the number of sequences that the search keeps.
      top_paths: int, the number of results, at most `beam_width`.

    Returns:
      (labels, scores): a list of `top_paths` int64 SparseTensors [batch, most labels], the most probable first; and
      tensor [batch, top_paths] of log-probabilities.

    Raises:
      InvalidArgumentError: a length is out of range, or there are fewer paths.

    Example:
      >>> import tracefn as tf
      >>> logits = tf.constant([[[0.0, 2.0, 1.0]], [[3.0, 0.0, 1.0]]])
      >>> (labels,), _ = tf.nn.ctc_beam_search_decoder(logits, [2])
      >>> labels.values.numpy().tolist()
      [1, 0]
    """
    return beam_search(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)


def beam_search(inputs, sequence_length, beam_width: int, top_paths: int, merge_repeated: bool):
    """The op CTCBeamSearchDecoder: a list of SparseTensors, and the log-probabilities."""
    indices, values, shapes, scores = op("CTCBeamSearchDecoder")(
        inputs=inputs,
        sequence_length=sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    return [SparseTensor(*path) for path in zip(indices, values, shapes, strict=True)], scores


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels, name=None):
    """The distinct labels of each row, and the index of each label among them.

    Args:
      labels: int tensor [batch, n].
      name: name of the scope.

    Returns:
      (labels, indices): int64 tensor [batch, n] of distinct labels, filled up with zeros, and int32 tensor [batch, n].

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.nn.ctc_unique_labels([[3, 4, 4, 3]])]
      [[[3, 4, 0, 0]], [[0, 1, 1, 0]]]
    """
    from tracefn.ops.functional import map_fn  # start-up time: importing a file registers its public names

    with name_scope(name or "ctc_unique_labels"):
        labels = convert(labels, name="labels")

        def distinct(row):
            y, places = op("Unique")(x=row)
            missing = op("Size")(input=places) - op("Size")(input=y)
            filled = op("Pad")(input=y, paddings=op("Pack")(values=[op("Pack")(values=[0, missing])]))
            return op("Cast")(x=filled, DstT="int64"), places

        found = map_fn(distinct, labels, fn_output_signature=("int64", "int32"))
        for tensor in found:
            if not isinstance(tensor, _core.EagerTensor):
                tensor.set_shape(labels.shape)
        return list(found)


@export("nn.collapse_repeated")
def collapse_repeated(labels, seq_length, name=None):
    """Merges repeated labels of each row.

    Args:
      labels: tensor [batch, n].
      seq_length: int vector [batch]: how many labels of each row count.
      name: name of the scope.

    Returns:
      (labels, seq_length): the merged labels [batch, most], filled up with zeros, and their numbers.

    Example:
      >>> import tracefn as tf
      >>> [t.numpy().tolist() for t in tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [1, 2, 3, 4, 5]], [5, 5])]
      [[[1, 2, 1, 0, 0], [1, 2, 3, 4, 5]], [3, 5]]
    """
    with name_scope(name or "collapse_repeated_labels"):
        labels, seq_length = convert(labels, name="labels"), convert(seq_length, name="seq_length")
        changes = op("NotEqual")(x=labels[:, 1:], y=labels[:, :-1])
        first = op("NotEqual")(x=labels[:, :1], y=labels[:, :1])
        kept = op("ConcatV2")(values=[op("LogicalNot")(x=first), changes], axis=1)
        kept = op("LogicalAnd")(x=kept, y=sequence_mask(seq_length, _sizes(labels)[1]))
        counts = op("Sum")(input=op("Cast")(x=kept, DstT="int32"), reduction_indices=[1])
        most = op("Max")(input=counts, reduction_indices=[0])
        places = op("Where")(input=sequence_mask(counts, most))
        shape = op("Pack")(values=[op("Cast")(x=_sizes(labels)[0], DstT="int64"), op("Cast")(x=most, DstT="int64")])
        merged = op("ScatterNd")(indices=places, updates=boolean_mask(labels, kept), shape=shape)
        return merged, op("Cast")(x=counts, DstT=seq_length.dtype)


@export("nn.ctc_loss")
def ctc_loss(
    labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None
):
    """The negative log-likelihood of label sequences, summed over all their alignments with the logits.

    Args:
      labels: int tensor [batch, most labels]; or SparseTensor of int32 [batch, most labels].
      logits: float tensor [time, batch, classes].
      label_length: int vector [batch]: how many labels of each row count; not used if the labels are sparse.
      logit_length: int vector [batch]: how many times of each sequence count.
      logits_time_major: whether time is the first axis of `logits`; otherwise the batch is.
      unique: accepted, without effect.
      blank_index: int, the class that stands for no label; a negative one counts from the end. None: 0, for dense labels
        only.
      name: name of the scope.

    Returns:
      Tensor [batch] of losses; about 700 more where a sequence has too few times for its dense labels.

    Raises:
      ValueError: the labels are sparse and there is no `blank_index`.
      InvalidArgumentError: the labels are sparse, and a sequence has too few times for them.

    Example:
      >>> import tracefn as tf
      >>> float(tf.nn.ctc_loss([[1]], tf.zeros([2, 1, 2]), [1], [2])[0])  # 3 of 4 paths
      0.28768208622932434

    Source: Graves et al., "Connectionist temporal classification", 2006.
    """
    del unique
    if is_sparse(labels):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when `labels` is a `SparseTensor`.")
        return _sparse_loss(labels, convert(logits, name="logits"), logit_length, logits_time_major, blank_index)
    with name_scope(name or "ctc_loss_dense"):
        return dense_loss(labels, logits, label_length, logit_length, logits_time_major, 0 if blank_index is None else blank_index)
