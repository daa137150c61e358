"""`tf.summary.create_file_writer`: writers of files that TensorBoard reads."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.framework import control_dependencies, executing_eagerly, init_scope, inside_function
from tracefn.ops._build import constant, name_scope, op
from tracefn.ops.summary.state import STATE

_MAX_QUEUE = 10
_FLUSH_MILLIS = 120_000
_SUFFIX = ".v2"


class _AsDefault:
    """The context of a default writer. `set_as_default` enters it and never leaves it."""

    def __init__(self, writer, step) -> None:
        self._writer = writer
        self._step = step

    def __enter__(self):
        self._before = STATE.writer, STATE.step
        STATE.writer = self._writer
        if self._step is not None:
            STATE.step = self._step
        return self._writer

    def __exit__(self, *error):
        STATE.writer.flush()
        STATE.writer, step = self._before
        if self._step is not None:
            STATE.step = step
        return False


@export("summary.SummaryWriter")
class SummaryWriter:
    """A writer of summaries: the interface of what `tf.summary.create_file_writer` returns.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> isinstance(tf.summary.create_file_writer(tempfile.mkdtemp()), tf.summary.SummaryWriter)
      True
    """

    def set_as_default(self, step=None):
        """Makes it the thread's default writer.

        Args:
          step: the default step from now on; None leaves it as it is.
        """
        self.as_default(step).__enter__()

    def as_default(self, step=None):
        """A context in which it is the thread's default writer, and which flushes it at the end.

        Args:
          step: the default step in the context; None leaves it as it is.
        """
        return _AsDefault(self, step)

    def init(self):
        """Opens the file."""
        raise NotImplementedError

    def flush(self):
        """Writes what is waiting to be written."""
        raise NotImplementedError

    def close(self):
        """Writes what is waiting, and closes the file."""
        raise NotImplementedError


class _FileWriter(SummaryWriter):
    """A writer by its handle."""

    def __init__(self, resource, init_op) -> None:
        self._resource = resource
        self._init_op = init_op
        self._closed = False
        graph = _core.current_graph()
        if graph is not None:
            graph.add_to_collection("_SUMMARY_WRITER_V2", init_op)

    def _check_open(self) -> None:
        if executing_eagerly() and self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def set_as_default(self, step=None):
        self._check_open()
        super().set_as_default(step)

    def as_default(self, step=None):
        self._check_open()
        return super().as_default(step)

    def init(self):
        self._check_open()
        return self._init_op

    def flush(self):
        if executing_eagerly() and self._closed:
            return None
        return op("FlushSummaryWriter")(writer=self._resource)

    def close(self):
        if executing_eagerly() and self._closed:
            return None
        if not executing_eagerly():
            with control_dependencies([self.flush()]):
                return op("CloseSummaryWriter")(writer=self._resource)
        self._closed = True
        return op("CloseSummaryWriter")(writer=self._resource)


class _NoopContext:
    def __enter__(self):
        return None

    def __exit__(self, *error):
        return False


class _NoopWriter(SummaryWriter):
    """Writes nothing, and does not become the default writer."""

    def set_as_default(self, step=None):
        pass

    def as_default(self, step=None):
        return _NoopContext()

    def init(self):
        pass

    def flush(self):
        pass

    def close(self):
        pass


def _refuse_graph_tensors(traced: bool, **arguments) -> None:
    for name, value in arguments.items():
        if not isinstance(value, _core.SymbolicTensor):
            continue
        if traced:
            raise ValueError(
                f"Invalid graph Tensor argument '{name}={value}' to create_file_writer() inside an @tf.function. The create "
                "call will be lifted into the outer eager execution context, so it cannot consume graph tensors defined "
                "inside the function body."
            )
        raise ValueError(f"Invalid graph Tensor argument '{name}={value}' to eagerly executed create_file_writer().")


@export("summary.create_file_writer")
def create_file_writer(
    logdir,
    max_queue=None,
    flush_millis=None,
    filename_suffix=None,
    name=None,
    experimental_trackable=False,
    experimental_mesh=None,
):
    """A writer of summaries to a new file in a directory.

    Summaries wait in a queue until there are more than `max_queue`, until one is written `flush_millis` after the last time
    that the queue was emptied, or until the writer is flushed or closed. Inside a traced function, the writer is made once,
    while the function is traced.

    Args:
      logdir: path of the directory, which is made if it does not exist.
      max_queue: the most summaries that wait; 10 by default.
      flush_millis: milliseconds; 120000 by default.
      filename_suffix: the end of the file's name; ".v2" by default.
      name: name of the node.
      experimental_trackable: accepted, without effect.
      experimental_mesh: not supported.

    Returns:
      A `tf.summary.SummaryWriter`.

    Raises:
      ValueError: `logdir` is None, or an argument is a tensor of a graph; or `experimental_mesh` is given.
      NotFoundError, PermissionDeniedError, FailedPreconditionError: the directory or the file cannot be made.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> directory = tempfile.mkdtemp()
      >>> with tf.summary.create_file_writer(directory).as_default():
      ...     for step in range(3):
      ...         written = tf.summary.scalar("loss", 1 / (step + 1), step=step)
      >>> len(tf.io.gfile.listdir(directory))
      1
    """
    del experimental_trackable
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    if experimental_mesh is not None:
        raise ValueError("create_file_writer: experimental_mesh is not supported: there is no tf.experimental.dtensor.")
    traced = inside_function()
    with name_scope(name or "create_file_writer") as scope, init_scope():
        eager = executing_eagerly()
        if eager:
            _refuse_graph_tensors(
                traced, logdir=logdir, max_queue=max_queue, flush_millis=flush_millis, filename_suffix=filename_suffix
            )
        shown = (scope or "").rstrip("/")
        arguments = {
            "logdir": _core.convert_to_tensor(logdir, dtype="string"),
            "max_queue": constant(_MAX_QUEUE, "int32") if max_queue is None else max_queue,
            "flush_millis": constant(_FLUSH_MILLIS, "int32") if flush_millis is None else flush_millis,
            "filename_suffix": constant(_SUFFIX, "string") if filename_suffix is None else filename_suffix,
        }
        resource = op("SummaryWriter")(shared_name=_unique_name() if eager else shown, name=name)
        return _FileWriter(resource, op("CreateSummaryFileWriter")(writer=resource, **arguments))


_made = 0


def _unique_name() -> str:
    global _made
    _made += 1
    return f"_SummaryWriter{_made}"


@export("summary.create_noop_writer")
def create_noop_writer():
    """A writer that writes nothing.

    Example:
      >>> import tracefn as tf
      >>> with tf.summary.create_noop_writer().as_default():
      ...     print(bool(tf.summary.scalar("loss", 0.5, step=0)))
      False
    """
    return _NoopWriter()


@export("summary.flush")
def flush(writer=None, name=None):
    """Writes what is waiting to be written.

    Args:
      writer: a `tf.summary.SummaryWriter`; None: the default writer, if there is one.
      name: has no effect.

    Returns:
      The operation; None when it ran eagerly.

    Raises:
      ValueError: `writer` is something else.

    Example:
      >>> import tracefn as tf
      >>> tf.summary.flush()
    """
    del name
    writer = STATE.writer if writer is None else writer
    if writer is None:
        return op("NoOp")()
    if isinstance(writer, SummaryWriter):
        return writer.flush()
    raise ValueError(f"Invalid argument to flush(): {writer!r}")
