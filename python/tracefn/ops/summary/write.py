"""`tf.summary.write`, and what else goes to the default writer as it is: raw messages, graphs, events."""

from __future__ import annotations

import contextlib
import re

from tracefn import _core
from tracefn._export import export
from tracefn.framework import control_dependencies, current_scope, executing_eagerly
from tracefn.framework import name_scope as public_scope
from tracefn.ops._build import constant, name_scope, op
from tracefn.ops.array_shape import identity
from tracefn.ops.control_flow import cond
from tracefn.ops.summary.state import NO_STEP, STATE, check_step, chosen_step, recording

_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")


@export("summary.experimental.summary_scope")
@contextlib.contextmanager
def summary_scope(name, default_name="summary", values=None):
    """A name scope for a summary function, with the tag of its summary: the name after those of the enclosing scopes.

    Args:
      name: str; characters that no scope may have are in the tag only.
      default_name: the name if `name` is None or empty.
      values: has no effect.

    Yields:
      (tag, scope), both str.

    Example:
      >>> import tracefn as tf
      >>> with tf.name_scope("layer"), tf.summary.experimental.summary_scope("my loss") as (tag, scope):
      ...     print(tag, scope)
      layer/my loss layer/myloss/
    """
    del values
    name = name or default_name
    enclosing = current_scope().rstrip("/")
    tag = f"{enclosing}/{name}" if enclosing else name
    with public_scope(_NOT_IN_SCOPES.sub("", name) or default_name) as scope:
        yield tag, scope


def _recorded(record):
    """`record()` and True if summaries are recorded, else False."""
    should, known = recording()
    if known is None:
        result = cond(should, record, lambda: constant(False), name="summary_cond")
    else:
        result = record() if known else constant(False)
    graph = _core.current_graph()
    if graph is not None:
        graph.add_to_collection("_SUMMARY_V2", result)
    return result


def _true_after(written):
    with control_dependencies([written] if written is not None else []):
        return constant(True)


def _metadata_bytes(metadata) -> bytes:
    if metadata is None:
        return b""
    return metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata


@export("summary.write")
def write(tag, tensor, step=None, metadata=None, name=None):
    """Writes a tensor to the default writer.

    Args:
      tag: str, the name of the summary.
      tensor: tensor of any shape and dtype, or a callable that returns one, which is called only if it is written.
      step: integer, int64 scalar tensor or Variable; None: the default step.
      metadata: serialized SummaryMetadata, as bytes or an object with `SerializeToString`, or None.
      name: name of the scope.

    Returns:
      Scalar bool tensor: whether it was written; False without a default writer.

    Raises:
      ValueError: there is a writer and no step, or the step is no scalar.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=0):
      ...     print(bool(tf.summary.write("positions", tf.zeros([2, 3]))))
      True
    """
    check_step(step)
    with name_scope(name or "write_summary") as scope:
        if STATE.writer is None:
            return constant(False)
        writer, step, serialized = STATE.writer, chosen_step(step), _metadata_bytes(metadata)

        def record():
            if step is None:
                raise ValueError(NO_STEP)
            value = tensor() if callable(tensor) else identity(tensor)
            return _true_after(
                op("WriteSummary")(
                    writer=writer._resource,
                    step=step,
                    tensor=value,
                    tag=tag,
                    summary_metadata=serialized,
                    name=scope or None,
                )
            )

        return _recorded(record)


@export("summary.experimental.write_raw_pb")
def write_raw_pb(tensor, step=None, name=None):
    """Writes serialized `tf.compat.v1.Summary` messages to the default writer, as one.

    Args:
      tensor: string tensor of any shape, or bytes.
      step: integer, int64 scalar tensor or Variable; None: the default step.
      name: name of the scope.

    Returns:
      Scalar bool tensor: whether they were written; False without a default writer.

    Raises:
      ValueError: there is a writer and no step, or the step is no scalar.
      DataLossError: they are no such messages.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.summary.experimental.write_raw_pb(b"", step=0))
      False
    """
    check_step(step)
    with name_scope(name or "write_raw_pb") as scope:
        if STATE.writer is None:
            return constant(False)
        writer, step = STATE.writer, chosen_step(step)
        if step is None:
            raise ValueError(NO_STEP)

        def record():
            return _true_after(
                op("WriteRawProtoSummary")(
                    writer=writer._resource, step=step, tensor=identity(tensor), name=scope or None
                )
            )

        return _recorded(record)


@export("summary.graph")
def graph(graph_data):
    """Writes a graph to the default writer, for TensorBoard's graph tab.

    Args:
      graph_data: a `tf.Graph`, such as that of a concrete function, or a `tf.compat.v1.GraphDef`.

    Returns:
      Scalar bool tensor: whether it was written; False without a default writer.

    Raises:
      ValueError: it is called while a function is traced, or `graph_data` is something else.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> double = tf.function(lambda x: 2 * x).get_concrete_function(tf.TensorSpec([]))
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
      ...     print(bool(tf.summary.graph(double.graph)))
      True
    """
    if not executing_eagerly():
        raise ValueError("graph() cannot be invoked inside a graph context.")
    if STATE.writer is None or not recording()[0]:
        return constant(False)
    if isinstance(graph_data, _core.Graph):
        graph_data = graph_data.as_graph_def(add_shapes=True)
    elif not hasattr(graph_data, "SerializeToString") or not hasattr(graph_data, "node"):
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
            f"graph_data={graph_data} of type {type(graph_data).__name__}."
        )
    op("WriteGraphSummary")(writer=STATE.writer._resource, step=0, tensor=graph_data.SerializeToString())
    return constant(True)
