"""What runs of a node took: times and memory, from the messages NodeExecStats in a RunMetadata."""

from __future__ import annotations

import re
import sys

_ON_A_DEVICE = re.compile(r".*/(device:gpu|gpu|device:cpu|cpu):\d+")


def is_device(name: str) -> bool:
    """Whether a name, in lower case, is that of a device, not of one of its streams."""
    return _ON_A_DEVICE.fullmatch(name) is not None


def has_runs(run_metadata) -> bool:
    """Whether a RunMetadata, or None, tells of runs. Without the package tensorboard it is no message, and tells of none."""
    return hasattr(run_metadata, "HasField") and run_metadata.HasField("step_stats")


class Run:
    """The runs of a node in one step.

    Attributes:
      statistics: dict of ints by name.
    """

    def __init__(self) -> None:
        self.statistics = dict.fromkeys(
            ("run_count", "exec_micros", "accelerator_exec_micros", "cpu_exec_micros", "requested_bytes", "peak_bytes", "residual_bytes", "output_bytes"), 0
        )  # fmt: skip

    def _add(self, **numbers: int) -> None:
        for name, number in numbers.items():
            self.statistics[name] += number

    def add_time(self, device: str, stats) -> None:
        """Adds how long a node ran on a device or one of its streams."""
        if stats.all_start_micros <= 0:
            return
        micros = stats.op_end_rel_micros or 1  # so that what ran at all took some time
        if "stream:all" in device:
            self._add(exec_micros=micros, accelerator_exec_micros=micros)
        elif is_device(device):
            self._add(exec_micros=micros, cpu_exec_micros=micros, run_count=1)

    def add_memory(self, stats) -> None:
        """Adds what memory a run of a node took."""
        if stats.all_start_micros <= 0:
            print(f"{stats.node_name} has no start time, skipping", file=sys.stderr)
            return
        kept, for_a_while = stats.memory_stats.persistent_memory_size, stats.memory_stats.temp_memory_size
        sizes = [output.tensor_description.allocation_description for output in stats.output]
        self._add(
            requested_bytes=sum(used.total_bytes for used in stats.memory) + kept + for_a_while,
            peak_bytes=sum(used.peak_bytes for used in stats.memory) + kept + for_a_while,
            residual_bytes=sum(used.live_bytes for used in stats.memory) + kept,
            output_bytes=sum(max(size.allocated_bytes, size.requested_bytes) for size in sizes),
        )
