"""`tensorflow.python.client.timeline`: what ran when in a step of a session, for chrome://tracing."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

__all__ = ["AllocationMaximum", "StepStatsAnalysis", "Timeline"]
_LABEL = re.compile(r"(.*) = (.*)\((.*)\)")


class AllocationMaximum(NamedTuple):
    """When an allocator held most: the time in microseconds, the bytes, and the names of the tensors."""

    timestamp: int
    num_bytes: int
    tensors: set


class StepStatsAnalysis(NamedTuple):
    """The trace of a step, and an AllocationMaximum for each allocator by name, if memory was asked for."""

    chrome_trace: _Trace
    allocator_maximums: dict | None


class _Trace:
    """Events in the format of chrome://tracing."""

    def __init__(self) -> None:
        self._processes: list[dict] = []
        self._events: list[dict] = []

    def process(self, name: str, pid: int) -> None:
        """Names a process."""
        self._processes.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}})

    def add(self, phase: str, category: str, name: str, pid: int, tid: int, time: int, **more) -> None:
        """Adds an event."""
        self._events.append(
            {"ph": phase, "cat": category, "name": name, "pid": pid, "tid": tid, "ts": time, **more}
        )

    def format_to_string(self, pretty: bool = False) -> str:
        """The events as JSON; `pretty`: in lines."""
        trace = {"traceEvents": self._processes + self._events}
        return json.dumps(trace, indent=4, separators=(",", ": ")) if pretty else json.dumps(trace, separators=(",", ":"))


class _Held:
    """A tensor: from when to when it is held, and by what."""

    def __init__(self, number: int, pid: int, start: int, allocation) -> None:
        self.number, self.pid, self.start, self.end = number, pid, start, start
        self.allocator, self.num_bytes = allocation.allocator_name, allocation.requested_bytes

    def use_until(self, time: int) -> None:
        """It is needed until then at least."""
        self.end = max(self.end, time)


class Timeline:
    """The timeline of a step.

    Args:
      step_stats: the message StepStats of a `tf.compat.v1.RunMetadata` that a run with
        `RunOptions(trace_level=RunOptions.FULL_TRACE)` has filled.
      graph: accepted, without effect.
    """

    def __init__(self, step_stats, graph=None) -> None:
        del graph
        self._step_stats = step_stats

    def generate_chrome_trace_format(self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule") -> str:
        """The timeline as JSON for chrome://tracing.

        Args:
          show_dataflow: whether arrows lead from what makes a tensor to what uses it on another lane.
          show_memory: whether tensors and the memory that they take are shown.
          op_time: accepted, without effect: there is one clock.
        """
        return self.analyze_step_stats(show_dataflow, show_memory, op_time).chrome_trace.format_to_string(pretty=True)

    def analyze_step_stats(self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule") -> StepStatsAnalysis:
        """The timeline, with what allocators held at most; the arguments are those of `generate_chrome_trace_format`."""
        del op_time
        made = _Builder(self._step_stats)
        made.tensors(show_memory)
        made.ops(show_dataflow)
        return StepStatsAnalysis(made.trace, made.memory() if show_memory else None)


class _Builder:
    """Makes the trace of a step: pids are those of allocators, then two for each device."""

    def __init__(self, step_stats) -> None:
        self.trace = _Trace()
        self.trace.process("Allocators", 0)
        self._devices = list(enumerate(step_stats.dev_stats))
        for number, device in self._devices:
            self.trace.process(f"{device.device} Compute", 2 * number + 1)
            self.trace.process(f"{device.device} Tensors", 2 * number + 2)
        self._lanes = [_lanes(device.node_stats) for _, device in self._devices]
        self._held: dict[str, _Held] = {}
        self._made: dict[str, tuple[int, int, int]] = {}  # when and where
        self._arrows = 0

    def tensors(self, show: bool) -> None:
        """Finds the tensors that nodes make."""
        for number, device in self._devices:
            for node, lane in zip(device.node_stats, self._lanes[number], strict=True):
                start, end = _times(node)
                for place, output in enumerate(node.output):
                    name = f"{node.node_name}:{place}" if place else node.node_name
                    pid = 2 * number + 2
                    held = _Held(len(self._held), pid, start, output.tensor_description.allocation_description)
                    held.use_until(end)
                    self._held[name], self._made[name] = held, (end, pid - 1, lane)
                    if show:
                        text = str(output.tensor_description).replace('"', "")
                        self.trace.add("N", "Tensor", name, pid, lane, start, id=held.number)
                        snapshot = {"snapshot": {"tensor_description": text}}
                        self.trace.add("O", "Tensor", name, pid, lane, end - 1, id=held.number, args=snapshot)

    def ops(self, show_dataflow: bool) -> None:
        """Shows the nodes."""
        for number, device in self._devices:
            pid = 2 * number + 1
            for node, lane in zip(device.node_stats, self._lanes[number], strict=True):
                start, end = _times(node)
                label = _LABEL.match(node.timeline_label)
                name, op, inputs = label.groups() if label else (node.node_name, "unknown", "")
                used = inputs.split(", ") if inputs else []
                given = {f"input{i}": each for i, each in enumerate(used)}
                self.trace.add("X", "Op", op, pid, lane, start, dur=end - start, args={"name": name, "op": op, **given})
                for each in used:
                    if each in self._held:
                        self._held[each].use_until(end - 1)
                        if show_dataflow:
                            self._arrow(each, pid, lane, start)

    def _arrow(self, name: str, pid: int, lane: int, time: int) -> None:
        made, made_pid, made_lane = self._made[name]
        if (made_pid, made_lane) != (pid, lane):
            self.trace.add("s", "DataFlow", name, made_pid, made_lane, made, id=self._arrows)
            self.trace.add("t", "DataFlow", name, pid, lane, time, id=self._arrows)
            self._arrows += 1

    def memory(self) -> dict[str, AllocationMaximum]:
        """Shows what allocators hold, and returns what they hold at most."""
        changes: dict[str, list] = {}
        for name, held in self._held.items():
            self.trace.add("D", "Tensor", name, held.pid, 0, held.end, id=held.number)
            changes.setdefault(held.allocator, []).extend(
                [(held.start, held.num_bytes, name), (held.end, -held.num_bytes, name)]
            )
        most = {}
        for allocator, listed in changes.items():
            total = 0
            names: set[str] = set()
            most[allocator] = AllocationMaximum(0, 0, set())
            for time, num_bytes, name in sorted(listed):
                total += num_bytes
                (names.discard if num_bytes < 0 else names.add)(name)
                if total > most[allocator].num_bytes:
                    most[allocator] = AllocationMaximum(time, total, set(names))
                self.trace.add("C", "Memory", allocator, 0, 0, time, args={allocator: total})
        return most


def _times(node) -> tuple[int, int]:
    """When a node began and ended, in microseconds."""
    return node.all_start_micros, node.all_start_micros + node.all_end_rel_micros


def _lanes(nodes) -> list[int]:
    """The lane of each node: the first one where nothing runs any more when it begins."""
    ends, found = [0], []
    for node in nodes:
        start, end = _times(node)
        lane = next((i for i, last in enumerate(ends) if start > last), len(ends))
        ends[lane : lane + 1] = [end]
        found.append(lane)
    return found
