"""`tf.compat.v1.summary`: summaries as strings."""

from __future__ import annotations

import contextlib
import re
import warnings

from tracefn import _core
from tracefn._default_session import entered
from tracefn._export import export
from tracefn.compat.v1.decays import get_global_step
from tracefn.compat.v1.summary_files import serialized_graph
from tracefn.compat.v1.switches import executing_eagerly_outside_functions
from tracefn.framework import executing_eagerly, name_scope
from tracefn.ops._build import constant, convert, op

_SUMMARIES = "summaries"
_NOT_IN_TAGS = re.compile(r"[^-/\w\.]")


def _clean(name):
    return None if name is None else _NOT_IN_TAGS.sub("_", name).lstrip("/")


@contextlib.contextmanager
def _scope(name, family, default_name=None):
    """A scope of its own for a summary; its name is the tag, after the family's."""
    name, family = _clean(name), _clean(family)
    name = name if family is None else f"{family}/{name}"
    with name_scope(name or default_name) as scope:
        tag = scope.rstrip("/")
        yield tag if family is None else f"{family}/{tag}", scope


def _collected(value, collections, default):
    graph = _core.current_graph()
    if graph is not None:
        for key in default if collections is None else collections:
            graph.add_to_collection(key, value)
    return value


def _step():
    from tracefn.ops.summary.state import STATE  # start-up time: few programs write summaries

    return get_global_step() if STATE.step is None else STATE.step


def _goes_to_writer() -> bool:
    """Whether the default writer of `tf.summary` takes it: there is one, a step, and no graph of TensorFlow 1."""
    if not executing_eagerly_outside_functions():
        return False
    from tracefn.ops.summary.state import STATE  # start-up time: few programs write summaries

    missing = None
    if STATE.writer is None:
        missing = "default summary writer not found."
    elif _step() is None:
        missing = (
            "global step not set. To set step for summary writer, use `tf.summary.SummaryWriter.as_default(step=_)`, "
            "`tf.summary.experimental.set_step()` or `tf.compat.v1.train.create_global_step()`."
        )
    if missing:
        warnings.warn(f"Cannot activate TF2 compatibility support for TF1 summary ops: {missing}", stacklevel=3)
    return missing is None


def _write(kind: str, name, family, *arguments, **options):
    from tracefn.ops.summary import plugins  # start-up time: few programs write summaries

    with _scope(name, family) as (tag, _), name_scope(""):
        getattr(plugins, kind)(tag, *arguments, step=_step(), **options)
    return constant(b"")


@export("compat.v1.summary.scalar")
def scalar(name, tensor, collections=None, family=None):
    """A number as a serialized `tf.compat.v1.Summary`.

    With a default writer of `tf.summary` and a step, it is written there, and the result is empty.

    Args:
      name: str; the tag is the scope that it names.
      tensor: scalar of real numbers.
      collections: the graph's collections to add it to; None: "summaries".
      family: str before the tag, or None.

    Returns:
      Scalar string tensor.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     loss = tf.compat.v1.summary.scalar("loss", 0.5)
      ...     print(session.run(loss))
      b'\\n\\x0b\\n\\x04loss\\x15\\x00\\x00\\x00?'
    """
    if _goes_to_writer():
        return _write("scalar", name, family, tensor)
    with _scope(name, family) as (tag, scope):
        return _collected(op("ScalarSummary")(tags=tag, values=tensor, name=scope), collections, [_SUMMARIES])


@export("compat.v1.summary.histogram")
def histogram(name, values, collections=None, family=None):
    """How often numbers occur, as a serialized `tf.compat.v1.Summary`.

    Args:
      name, collections, family: as for `tf.compat.v1.summary.scalar`.
      values: real numbers, of any shape.

    Returns:
      Scalar string tensor.

    Raises:
      InvalidArgumentError: a number is not finite.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.summary.histogram("weights", [1.0, 2.0]).op.type)
      HistogramSummary
    """
    if _goes_to_writer():
        return _write("histogram", name, family, values)
    with _scope(name, family, "HistogramSummary") as (tag, scope):
        return _collected(op("HistogramSummary")(tag=tag, values=convert(values), name=scope), collections, [_SUMMARIES])


@export("compat.v1.summary.image")
def image(name, tensor, max_outputs=3, collections=None, family=None):
    """Images as a serialized `tf.compat.v1.Summary` with PNG files.

    Args:
      name, collections, family: as for `tf.compat.v1.summary.scalar`.
      tensor: uint8 or floats [batch, height, width, channels] with 1, 3 or 4 channels. Floats are scaled: the largest is
        255, and if there are negative ones, 0 is in the middle.
      max_outputs: the most images that are kept.

    Returns:
      Scalar string tensor.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.summary.image("noise", tf.random.uniform([1, 4, 4, 1])).op.type)
      ImageSummary
    """
    if _goes_to_writer():
        return _write("image", name, family, tensor, max_outputs=max_outputs)
    with _scope(name, family) as (tag, scope):
        summary = op("ImageSummary")(tag=tag, tensor=convert(tensor), max_images=max_outputs, name=scope)
        return _collected(summary, collections, [_SUMMARIES])


@export("compat.v1.summary.audio")
def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    """Sound as a serialized `tf.compat.v1.Summary` with WAV files.

    Args:
      name, collections, family: as for `tf.compat.v1.summary.scalar`.
      tensor: float32 [batch, frames, channels] or [batch, frames].
      sample_rate: frames per second.
      max_outputs: the most clips that are kept.

    Returns:
      Scalar string tensor.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.summary.audio("silence", tf.zeros([1, 10]), 8000).op.type)
      AudioSummaryV2
    """
    if _goes_to_writer():
        tensor = convert(tensor)
        if tensor.shape.rank == 2:
            tensor = op("ExpandDims")(input=tensor, dim=2)
        return _write("audio", name, family, tensor, sample_rate, max_outputs=max_outputs)
    with _scope(name, family) as (tag, scope):
        rate = convert(sample_rate, dtype="float32")
        summary = op("AudioSummaryV2")(tag=tag, tensor=tensor, sample_rate=rate, max_outputs=max_outputs, name=scope)
        return _collected(summary, collections, [_SUMMARIES])


@export("compat.v1.summary.text")
def text(name, tensor, collections=None):
    """Text as a serialized `tf.compat.v1.Summary`.

    Args:
      name, collections: as for `tf.compat.v1.summary.scalar`.
      tensor: string tensor of any shape.

    Returns:
      Scalar string tensor.

    Raises:
      ValueError: `tensor` has another dtype.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.summary.text("note", tf.constant("*Hello*")).op.type)
      TensorSummaryV2
    """
    if tensor.dtype != "string":
        raise ValueError(f"Expected tensor {getattr(tensor, 'name', tensor)} to have dtype string, got {tensor.dtype!r}")
    if _goes_to_writer():
        return _write("text", name, None, tensor)
    from tracefn.ops.summary.messages import summary_metadata  # start-up time: few programs write summaries

    return tensor_summary(name, tensor, collections=collections, summary_metadata=summary_metadata("text"))


@export("compat.v1.summary.tensor_summary")
def tensor_summary(
    name, tensor, summary_description=None, collections=None, summary_metadata=None, family=None, display_name=None
):
    """A tensor as a serialized `tf.compat.v1.Summary`.

    Args:
      name, collections, family: as for `tf.compat.v1.summary.scalar`.
      tensor: tensor of any shape and dtype.
      summary_description: str in Markdown, or None.
      summary_metadata: serialized SummaryMetadata, as bytes or an object with `SerializeToString`, or None.
      display_name: str that TensorBoard shows instead of the tag, or None.

    Returns:
      Scalar string tensor.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.summary.tensor_summary("positions", tf.zeros([2, 3])).op.type)
      TensorSummaryV2
    """
    from tracefn.ops.summary.messages import text_field  # start-up time: few programs write summaries

    metadata = summary_metadata or b""
    metadata = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata
    # A field that is there twice has the last value.
    metadata += text_field(2, display_name or "") + text_field(3, summary_description or "")
    with _scope(name, family) as (tag, scope):
        summary = op("TensorSummaryV2")(tag=tag, tensor=tensor, serialized_summary_metadata=metadata, name=scope)
        return _collected(summary, collections, [_SUMMARIES])


def _refuse_eager() -> None:
    if executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead."
        )


@export("compat.v1.summary.merge")
def merge(inputs, collections=None, name=None):
    """Serialized `tf.compat.v1.Summary` messages as one.

    Args:
      inputs: list of string tensors.
      collections: the graph's collections to add it to; None: none.
      name: name of the scope.

    Returns:
      Scalar string tensor.

    Raises:
      RuntimeError: ops run eagerly.
      InvalidArgumentError: when it runs: a tag occurs twice.

    Example:
      >>> import tracefn as tf
      >>> summary = tf.compat.v1.summary
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     both = summary.merge([summary.scalar("a", 1), summary.scalar("b", 2)])
      ...     print(len(session.run(both)))
      20
    """
    _refuse_eager()
    name = _clean(name)
    with name_scope(name or "Merge"):
        return _collected(op("MergeSummary")(inputs=list(inputs), name=name), collections, [])


@export("compat.v1.summary.merge_all")
def merge_all(key=_SUMMARIES, scope=None, name=None):
    """All summaries of the default graph as one.

    Args:
      key: the collection that has them.
      scope: a regular expression for the starts of names; None: all.
      name: name of the scope.

    Returns:
      Scalar string tensor, or None if there are no summaries.

    Raises:
      RuntimeError: ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.summary.merge_all())
      None
    """
    _refuse_eager()
    summaries = _core.current_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


@export("compat.v1.summary.all_v2_summary_ops")
def all_v2_summary_ops():
    """What the functions of `tf.summary` have returned in the default graph; None when ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.summary.all_v2_summary_ops()
    """
    return None if executing_eagerly() else _core.current_graph().get_collection("_SUMMARY_V2")


@export("compat.v1.summary.initialize")
def initialize(graph=None, session=None):
    """Opens the files of the writers of the default graph. Nothing happens where ops run eagerly.

    Args:
      graph: a `tf.Graph` or GraphDef to write to the default writer, or None.
      session: a session; None: the default one.

    Raises:
      RuntimeError: there is no default writer.
      ValueError: there is no session.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> folder = tempfile.mkdtemp()
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     writer = tf.summary.create_file_writer(folder)
      ...     with writer.as_default():
      ...         written = tf.summary.scalar("loss", 0.5, step=0)
      ...         tf.compat.v1.summary.initialize(session=session)
      ...     _ = session.run(written), session.run(writer.flush())
      >>> len(tf.io.gfile.listdir(folder))
      1
    """
    if executing_eagerly():
        return
    from tracefn.ops.summary.state import STATE  # start-up time: few programs write summaries

    if STATE.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    if session is None:
        if not entered():
            raise ValueError("Argument `session must be passed if no default session exists")
        session = entered()[-1]
    session.run(_core.current_graph().get_collection("_SUMMARY_WRITER_V2"))
    if graph is not None:
        data = constant(serialized_graph(graph), "string")
        session.run(op("WriteGraphSummary")(writer=STATE.writer._resource, step=constant(0, "int64"), tensor=data))
