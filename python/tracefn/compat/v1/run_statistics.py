"""What a run of a session says about itself, if it is asked for: when which node ran."""

from __future__ import annotations

import contextlib
import json
import time

from tracefn import _core

_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


@contextlib.contextmanager
def recorded(graph, options, run_metadata):
    """A context in which a run is recorded in the field `step_stats` of a RunMetadata.

    Nothing is recorded unless `options` has a `trace_level`, the RunMetadata is a message, and no profile is on.

    Args:
      graph: the graph that runs.
      options: RunOptions or None.
      run_metadata: RunMetadata or None.
    """
    level = getattr(options, "trace_level", 0)
    wanted = isinstance(level, int) and level > 0 and hasattr(run_metadata, "step_stats") and hasattr(run_metadata, "Clear")
    if not wanted or _core.profiling():
        yield
        return
    began = time.time_ns()
    _core.start_profile()
    try:
        yield
    finally:
        _, trace = _core.stop_profile("localhost")
    run_metadata.Clear()
    device = run_metadata.step_stats.dev_stats.add(device=_DEVICE)
    events = [event for event in json.loads(trace)["traceEvents"] if event["ph"] == "X" and ":" in event["name"]]
    nodes = {operation.name: operation for operation in graph.get_operations()}
    for event in sorted(events, key=lambda event: event["ts"]):
        _add(device, event, began, nodes)


def _add(device, event: dict, began: int, nodes: dict) -> None:
    """Adds the statistics of a node, of which an event tells; several that run as one bear the last one's name."""
    name, _, op = event["name"].rpartition(":")
    start, length = began + round(event["ts"] * 1000), round(event["dur"] * 1000)
    node = nodes.get(name)
    given = node.inputs if node is not None and node.type == op else ()
    inputs = [t.op.name if t.value_index == 0 else f"{t.op.name}:{t.value_index}" for t in given]
    made = device.node_stats.add(
        node_name=name,
        all_start_micros=start // 1000,
        op_end_rel_micros=length // 1000,
        all_end_rel_micros=length // 1000,
        timeline_label=f"{name} = {op}({', '.join(inputs)})",
        scheduled_micros=start // 1000,
        thread_id=event["tid"],
        all_start_nanos=start,
        op_end_rel_nanos=length,
        all_end_rel_nanos=length,
        scheduled_nanos=start,
    )
    if (size := event["args"].get("output_bytes")) is not None:
        allocation = made.output.add(slot=0).tensor_description.allocation_description
        allocation.requested_bytes, allocation.allocator_name = size, "cpu"
        made.memory.add(allocator_name="cpu", total_bytes=size, peak_bytes=size, live_bytes=size)
