"""`tf.compat.v1.summary`: summaries as strings, and the writer of files for them."""

from __future__ import annotations

import contextlib
import re
import threading
import time
import warnings

from tracefn import _core
from tracefn._default_session import entered
from tracefn._export import export
from tracefn._saved_model.messages import Record, encoded
from tracefn.compat.v1.decays import get_global_step
from tracefn.compat.v1.switches import executing_eagerly_outside_functions
from tracefn.framework import executing_eagerly, name_scope
from tracefn.ops._build import constant, convert, op

_SUMMARIES = "summaries"
_NOT_IN_TAGS = re.compile(r"[^-/\w\.]")
_SUFFIX = ".v1"
_SUFFIX_IN_SESSION = ".v2"


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


def _serialized_graph(graph) -> bytes:
    """The GraphDef of a `tf.Graph`, or a given one.

    Raises:
      TypeError: it is something else.
    """
    if isinstance(graph, _core.Graph):
        graph = graph.as_graph_def(add_shapes=True)
    elif not hasattr(graph, "SerializeToString") or not hasattr(graph, "node"):
        raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")
    return graph.SerializeToString()


def _meta_graph(graph: bytes) -> bytes:
    """A serialized MetaGraphDef that has nothing but the nodes."""
    return encoded(Record("MetaGraphDef", graph_def=graph))


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
        data = constant(_serialized_graph(graph), "string")
        session.run(op("WriteGraphSummary")(writer=STATE.writer._resource, step=constant(0, "int64"), tensor=data))


@export("compat.v1.summary.FileWriter")
class FileWriter:
    """Writes summaries and graphs to a new file in a directory. It works in a graph only.

    Args:
      logdir: path of the directory, which is made if it does not exist.
      graph: a `tf.Graph` to write, or None.
      max_queue: the most events that wait to be written.
      flush_secs: after so many seconds, the next event makes those that wait be written.
      graph_def: has the place of `graph`, and is deprecated.
      filename_suffix: the end of the file's name; ".v1" by default, ".v2" with a session.
      session: a session, whose writers of one directory share a file; or None.

    Raises:
      RuntimeError: ops run eagerly.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
      ...     loss = tf.compat.v1.summary.scalar("loss", 0.5)
      ...     with tf.compat.v1.summary.FileWriter(tempfile.mkdtemp(), graph) as writer:
      ...         writer.add_summary(session.run(loss), global_step=0)
    """

    def __init__(
        self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None
    ):
        if executing_eagerly():
            raise RuntimeError(
                "v1.summary.FileWriter is not compatible with eager execution. Use `tf.summary.create_file_writer`,or a "
                "`with v1.Graph().as_default():` context"
            )
        self._session = session
        self._logdir = logdir
        self._options = {
            "max_queue": max_queue,
            "flush_millis": int(1000 * flush_secs),
            "filename_suffix": filename_suffix or (_SUFFIX if session is None else _SUFFIX_IN_SESSION),
        }
        self._closed = True
        self._seen_tags: set[bytes] = set()
        self._run_tags: set[str] = set()
        self.reopen()
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)
            self.add_meta_graph(_meta_graph(_serialized_graph(graph_def if graph is None else graph)))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def get_logdir(self):
        """The directory."""
        return self._logdir

    def _run(self, name: str, **arguments):
        with _core.TargetContext(None):
            return op(name)(writer=self._resource, **arguments)

    def _warn_if_closed(self) -> bool:
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is explicitly "
                "reopened.",
                stacklevel=3,
            )
        return self._closed

    def _add(self, field: int, message: bytes, step) -> None:
        from tracefn.ops.summary.messages import double_field, int_field, message_field  # start-up time: as above

        if self._warn_if_closed():
            return
        event = double_field(1, time.time()) + int_field(2, 0 if step is None else int(step))
        self._run("ImportEvent", event=event + message_field(field, message))

    def add_event(self, event):
        """Writes a `tf.compat.v1.Event`, or one that is serialized."""
        if not self._warn_if_closed():
            self._run("ImportEvent", event=event if isinstance(event, bytes) else event.SerializeToString())

    def add_summary(self, summary, global_step=None):
        """Writes a serialized Summary, or an object with `SerializeToString`. Metadata are kept for a tag's first value.

        Args:
          summary: bytes, or a message.
          global_step: an int, or None.
        """
        from tracefn.ops.summary.messages import without_known_metadata  # start-up time: as above

        data = summary if isinstance(summary, bytes) else summary.SerializeToString()
        self._add(5, without_known_metadata(data, self._seen_tags), global_step)

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Writes a graph.

        Args:
          graph: a `tf.Graph`, or a `tf.compat.v1.GraphDef`.
          global_step: an int, or None.
          graph_def: has the place of `graph`, and is deprecated.

        Raises:
          ValueError: both are given.
          TypeError: it is something else.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        self._add(4, _serialized_graph(graph_def if graph is None else graph), global_step)

    def add_meta_graph(self, meta_graph_def, global_step=None):
        """Writes a message MetaGraphDef, or one that is serialized, as `tf.compat.v1.train.export_meta_graph` gives it.

        Args:
          meta_graph_def: bytes, or a message.
          global_step: an int, or None.

        Raises:
          TypeError: it is something else.
        """
        if hasattr(meta_graph_def, "SerializeToString"):
            meta_graph_def = meta_graph_def.SerializeToString()
        if not isinstance(meta_graph_def, bytes):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._add(9, meta_graph_def, global_step)

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Writes a RunMetadata message, or bytes, under a tag.

        Raises:
          ValueError: the tag has been used.
        """
        from tracefn.ops.summary.messages import text_field  # start-up time: as above

        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        data = run_metadata if isinstance(run_metadata, bytes) else run_metadata.SerializeToString()
        self._add(8, text_field(1, tag) + text_field(2, data), global_step)

    def add_session_log(self, session_log, global_step=None):
        """Writes a SessionLog message."""
        self._add(7, session_log.SerializeToString(), global_step)

    def flush(self):
        """Writes what is waiting to be written."""
        if not self._warn_if_closed():
            self._run("FlushSummaryWriter")

    def close(self):
        """Writes what is waiting, and closes the file. A second call does nothing."""
        if not self._closed:
            self._closed = True
            self._run("CloseSummaryWriter")

    def reopen(self):
        """Opens a new file, if it is closed."""
        if not self._closed:
            return
        if self._session is None:
            with _core.TargetContext(None):
                self._resource = op("SummaryWriter")(shared_name=f"FileWriter_{self._logdir}")
        else:
            self._resource = self._session._file_writer(self._logdir)
        self._run("CreateSummaryFileWriter", logdir=self._logdir, **self._options)
        self._closed = False


@export("compat.v1.summary.FileWriterCache")
class FileWriterCache:
    """One `FileWriter` for each directory.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> cache, directory = tf.compat.v1.summary.FileWriterCache, tempfile.mkdtemp()
      >>> with tf.Graph().as_default():
      ...     print(cache.get(directory) is cache.get(directory))
      True
      >>> cache.clear()
    """

    _writers: dict = {}
    _lock = threading.RLock()

    @staticmethod
    def clear():
        """Closes all writers and forgets them."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers.clear()

    @staticmethod
    def get(logdir):
        """The writer for a directory, with the default graph if it is new."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._writers:
                FileWriterCache._writers[logdir] = FileWriter(logdir, graph=_core.current_graph())
            return FileWriterCache._writers[logdir]
