"""`tf.summary.trace_on`: the graphs of the functions that run, for TensorBoard's graph tab, and profiles."""

from __future__ import annotations

import threading
from typing import NamedTuple

from tracefn import _core
from tracefn._export import export
from tracefn._graph_def import graph_def_of
from tracefn._logging import get_logger
from tracefn.framework import executing_eagerly, inside_function
from tracefn.ops.profile import start, stop
from tracefn.ops.summary.function_graphs import function_graph
from tracefn.ops.summary.messages import message_field, summary_metadata
from tracefn.ops.summary.state import check_step
from tracefn.ops.summary.write import summary_scope, write


class _Trace(NamedTuple):
    graph: bool
    profiler: bool


_lock = threading.Lock()
_trace: _Trace | None = None


def _can(enable: str, where: str) -> bool:
    """Whether tracing can start or end here; warns if not."""
    if inside_function():
        get_logger().warning("Cannot %s trace inside a tf.function.", enable)
        return False
    if not executing_eagerly():
        get_logger().warning(where)
        return False
    return True


@export("summary.trace_on")
def trace_on(graph=True, profiler=False, profiler_outdir=None):
    """Starts to collect the graphs of the traced functions that run, in all threads.

    Args:
      graph: whether graphs are collected.
      profiler: whether a profile is recorded, as `tf.profiler.experimental.start` does.
      profiler_outdir: path of the directory for the profile; without it there is none.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> double = tf.function(lambda x: 2 * x)
      >>> tf.summary.trace_on()
      >>> y = double(tf.constant(3.0))
      >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
      ...     tf.summary.trace_export("double", step=0)
    """
    global _trace
    if not _can("enable", "Must enable trace in eager mode."):
        return
    with _lock:
        if _trace is not None:
            get_logger().warning("Trace already enabled")
            return
        if profiler:
            if profiler_outdir is None:
                get_logger().warning("No `profiler_outdir` passed to trace_on(). Profiler won't be enabled.")
                profiler = False
            else:
                start(profiler_outdir)
        if graph or profiler:
            _core.collect_graphs(True)
        _trace = _Trace(bool(graph), bool(profiler))


@export("summary.trace_export")
def trace_export(name, step=None, profiler_outdir=None):
    """Writes what was collected since `tf.summary.trace_on` to the default writer, and ends the collection.

    Args:
      name: str; the tag is the name after those of the enclosing scopes.
      step: integer, int64 scalar tensor or Variable; None: the default step.
      profiler_outdir: has no effect; see `tf.summary.trace_on`.

    Raises:
      ValueError: nothing is collected; or there is a writer and no step.

    Example:
      >>> import tracefn as tf
      >>> tf.summary.trace_on()
      >>> tf.summary.trace_export("nothing", step=0)
    """
    check_step(step)
    if not _can("export", "Can only export trace while executing eagerly."):
        return
    with _lock:
        if _trace is None:
            raise ValueError("Must enable trace before export through tf.summary.trace_on.")
        trace = _trace
    # Written after the collection has been read: what is run for the summary is no part of it.
    graphs = [function_graph(graph_def_of(graph), graph) for graph in _core.collected_graphs()]
    run_metadata = b"".join(message_field(4, message_field(2, graph)) for graph in graphs)
    plugin = "graph_run_metadata_graph" if trace.graph and not trace.profiler else "graph_run_metadata"
    with summary_scope(name, f"{plugin}_summary") as (tag, _):
        write(tag, _core.convert_to_tensor(run_metadata, dtype="string"), step, summary_metadata(plugin, b"1"))
    if trace.profiler:
        if profiler_outdir:
            get_logger().warning(
                "Ignoring `profiler_outdir` passed to trace_export(). Please pass it to trace_on() instead."
            )
        stop()
    _end(stop_profiler=False)


@export("summary.trace_off")
def trace_off():
    """Ends the collection that `tf.summary.trace_on` started, and forgets what was collected.

    Example:
      >>> import tracefn as tf
      >>> tf.summary.trace_on()
      >>> tf.summary.trace_off()
    """
    _end(stop_profiler=True)


def _end(stop_profiler: bool) -> None:
    global _trace
    with _lock:
        trace, _trace = _trace, None
    if trace is None:
        return
    _core.collect_graphs(False)
    if trace.profiler and stop_profiler:
        stop()
