"""`tf.compat.v1.profiler.write_op_log`: what is known of the nodes of a graph before it runs."""

from __future__ import annotations

import os
import sys

from tracefn._export import export
from tracefn._graph.statistics import get_stats_for_node_def, has_statistics
from tracefn._proto import message_class
from tracefn.compat.v1.model_profiles.runs import has_runs
from tracefn.framework import default_graph, executing_eagerly
from tracefn.io import gfile
from tracefn.tensor_shape import TensorShape

TRAINABLE_VARIABLES = "_trainable_variables"
REGISTERED_FLOP_STATS = "flops"


def graph_or_default(graph):
    """A graph; for None the default one, or None while ops run eagerly."""
    return default_graph() if graph is None and not executing_eagerly() else graph


def merge_default_with_oplog(graph, op_log=None, run_meta=None, add_trace=True, add_trainable_var=True):
    """A message OpLogProto of a graph's nodes: their floating point operations, and which are trainable Variables.

    Args:
      graph: Graph; None is the default one.
      op_log: OpLogProto whose entries are taken over, and completed in place; or None.
      run_meta: RunMetadata whose shapes of tensors are added to the graph, or None.
      add_trace: whether it holds the lines that made the nodes.
      add_trainable_var: whether it says which nodes are trainable Variables.
    """
    graph = graph_or_default(graph)
    merged = message_class("OpLogProto")()
    if graph is None:
        return merged
    if has_runs(run_meta):
        _add_shapes(graph, run_meta)
    ids = {"none": 0}
    found = _operations(graph, add_trace, ids, reports=run_meta is None)
    if add_trainable_var:
        for variable in graph.get_collection("trainable_variables"):
            _entry(found, variable.op.name).types.append(TRAINABLE_VARIABLES)
    given = {} if op_log is None else {entry.name: entry for entry in op_log.log_entries}
    for name, entry in found.items():
        if name in given:
            _complete(given[name], entry)
        else:
            given[name] = entry
    merged.log_entries.extend(given.values())
    for text, index in ids.items():
        merged.id_to_string[index] = text
    return merged


@export("compat.v1.profiler.write_op_log")
def write_op_log(graph, log_dir, op_log=None, run_meta=None, add_trace=True):
    """Writes the file "tfprof_log": an OpLogProto of a graph's nodes, with their floating point operations and trainable Variables.

    Args:
      graph: Graph; None is the default one.
      log_dir: path of a directory.
      op_log: OpLogProto whose entries are written too, or None.
      run_meta: RunMetadata whose shapes of tensors complete the graph's, or None.
      add_trace: whether it holds the lines that made the nodes.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     x = tf.square(tf.ones([2, 3]), name="x")
      >>> directory = tempfile.mkdtemp()
      >>> tf.compat.v1.profiler.write_op_log(graph, directory, add_trace=False)
      >>> tf.io.gfile.listdir(directory)
      ['tfprof_log']
    """
    log = merge_default_with_oplog(graph, op_log, run_meta, add_trace)
    with gfile.GFile(os.path.join(log_dir, "tfprof_log"), "wb") as file:
        file.write(log.SerializeToString())


def _entry(entries: dict, name: str):
    if name not in entries:
        entries[name] = message_class("OpLogEntry")(name=name)
    return entries[name]


def _operations(graph, add_trace: bool, ids: dict[str, int], reports: bool) -> dict:
    """The entries of a graph's nodes by their names; `reports` says that one tells how many nodes lack shapes."""
    found: dict = {}
    lacking = 0
    for operation in graph.get_operations():
        if has_statistics(operation.type, REGISTERED_FLOP_STATS):
            try:
                number = get_stats_for_node_def(graph, operation.node_def, REGISTERED_FLOP_STATS).value
            except ValueError:  # a shape is not known
                lacking += 1
            else:
                if number:
                    _entry(found, operation.name).float_ops = int(number)
        if add_trace:
            _add_trace(_entry(found, operation.name), operation, ids)
    if lacking and reports:
        print(f"{lacking} ops no flops stats due to incomplete shapes.", file=sys.stderr)
    return found


def _add_trace(entry, operation, ids: dict[str, int]) -> None:
    def index(text: str | None) -> int:
        return ids.setdefault(text, len(ids)) if text else 0

    for frame in operation.traceback or ():
        entry.code_def.traces.add(
            file_id=index(frame.filename),
            lineno=frame.lineno or -1,
            function_id=index(frame.name),
            line_id=index(frame.line),
            func_start_line=-1,
        )


def _complete(entry, found) -> None:
    entry.types.extend(found.types)
    if found.float_ops > 0 and entry.float_ops == 0:
        entry.float_ops = found.float_ops
    if found.code_def.traces and not entry.code_def.traces:
        entry.code_def.MergeFrom(found.code_def)


def _add_shapes(graph, run_meta) -> None:
    """Sets the shapes that tensors had in a run where the graph does not know them."""
    operations = {operation.name: operation for operation in graph.get_operations()}
    for device in run_meta.step_stats.dev_stats:
        for stats in device.node_stats:
            operation = operations.get(stats.node_name)
            if operation is None or not stats.output or len(stats.output) != len(operation.outputs):
                continue
            for tensor, output in zip(operation.outputs, stats.output, strict=True):
                if tensor.shape.is_fully_defined() or not output.tensor_description.HasField("shape"):
                    continue
                try:
                    tensor.set_shape(TensorShape([size.size for size in output.tensor_description.shape.dim]))
                except ValueError as error:
                    print(f"Node {stats.node_name} incompatible shapes: {error}.", file=sys.stderr)
