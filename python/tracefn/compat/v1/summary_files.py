"""`tf.compat.v1.summary.FileWriter`: files of summaries and graphs."""

from __future__ import annotations

import threading
import time
import warnings

from tracefn import _core
from tracefn._export import export
from tracefn._saved_model.messages import Record, encoded
from tracefn.framework import executing_eagerly
from tracefn.ops._build import op

_SUFFIX = ".v1"
_SUFFIX_IN_SESSION = ".v2"


def serialized_graph(graph) -> bytes:
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
            self.add_meta_graph(_meta_graph(serialized_graph(graph_def if graph is None else graph)))

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
        self._add(4, serialized_graph(graph_def if graph is None else graph), global_step)

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
