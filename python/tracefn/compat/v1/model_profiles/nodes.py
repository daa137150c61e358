"""The nodes of a graph with what is known of each of them."""

from __future__ import annotations

import math

from tracefn.compat.v1.model_profiles.runs import Run, is_device
from tracefn.tensor_shape import TensorShape

OF_RUNS = tuple(Run().statistics)
STATISTICS = (*OF_RUNS, "parameters", "float_ops")


class Node:
    """A node of a graph, or what stands for several of them.

    Attributes:
      name, op: str.
      types: set of str: its op, its device, and what logs call it.
      shape: list of int, of what the node holds if it is a Variable or a placeholder; empty if it is not known.
      inputs: list of str, the names of the nodes that it reads or waits for.
      output_shapes: dict of lists of int by the index of the output.
      device: str, where it ran, in lower case.
    """

    def __init__(self, name: str, op: str) -> None:
        self.name, self.op, self.types = name, op, {op}
        self.shape: list[int] = []
        self.inputs: list[str] = []
        self.output_shapes: dict[int, list[int]] = {}
        self.device = ""
        self.float_ops = 0
        self._read_outputs: dict[str, int] = {}
        self._runs: dict[int, Run] = {}

    def add_input(self, name: str, index: int) -> None:
        """Adds an input: an output of another node."""
        self.inputs.append(name)
        self._read_outputs[name] = index

    def input_shapes(self, nodes: dict[str, Node]) -> list[list[int]]:
        """The shapes of the inputs; empty where they are not known."""
        shapes = []
        for name in self.inputs:
            source = nodes.get(name)
            shapes.append(source.output_shapes.get(self._read_outputs[name], []) if source is not None else [])
        return shapes

    def add_run(self, step: int, device: str, stats) -> None:
        """Adds a run of a step, on a device or one of its streams; none on a second device."""
        device = device.lower()
        if is_device(device):
            if self.device not in ("", device):
                return
            self.device = device
            self.types.add(device)
        run = self._runs.setdefault(step, Run())
        run.add_time(device, stats)
        if device == self.device:
            run.add_memory(stats)

    def statistics(self, step: int) -> dict[str, int]:
        """All numbers of a step, or the means of all steps for -1."""
        runs = [run for number, run in self._runs.items() if step in (number, -1)]
        found = {name: sum(run.statistics[name] for run in runs) // max(len(runs), 1) for name in OF_RUNS}
        found["parameters"] = math.prod(self.shape) if self.shape and min(self.shape) >= 0 else 0
        found["float_ops"] = self.float_ops * (found["run_count"] if self._runs else 1)
        return found


class Nodes:
    """The nodes of graphs, with what logs and runs say of them.

    Attributes:
      by_name: dict.
      steps: set of int.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, Node] = {}
        self.steps: set[int] = set()

    def in_order(self) -> list[Node]:
        """All nodes, by their names."""
        return [self.by_name[name] for name in sorted(self.by_name)]

    def add_graph(self, graph) -> None:
        """Adds the nodes of a graph that are new."""
        for operation in graph.get_operations():
            if operation.name not in self.by_name:
                self.by_name[operation.name] = _node(operation)

    def add_log(self, log) -> None:
        """Adds what an OpLogProto says of nodes."""
        for entry in log.log_entries:
            node = self.by_name.get(entry.name)
            if node is not None:
                node.types.update(entry.types)
                node.float_ops = entry.float_ops or node.float_ops

    def add_runs(self, step: int, run_metadata) -> None:
        """Adds the runs of a step. A node that is in no graph has its name as the type of its op, too."""
        self.steps.add(step)
        for device in run_metadata.step_stats.dev_stats:
            for stats in device.node_stats:
                name = stats.node_name.partition(":")[0]
                if name not in self.by_name:
                    if name in ("RecvTensor", "_SOURCE") or "MEMCPY" in name:
                        continue
                    self.by_name[name] = Node(name, name)
                self.by_name[name].add_run(step, device.device, stats)


def sizes(shape) -> list[int]:
    """The dimensions of a TensorShape, -1 where unknown: [1] for a scalar, empty for an unknown rank."""
    if shape.rank is None:
        return []
    return [-1 if size is None else size for size in shape.as_list()] or [1]


def _node(operation) -> Node:
    node = Node(operation.name, operation.type)
    if operation.type != "Const":  # whose message holds its value, which may be large
        attributes = operation.node_def.attr
        if "shape" in attributes and attributes["shape"].HasField("shape"):
            node.shape = sizes(TensorShape(attributes["shape"].shape))
    for tensor in operation.inputs:
        node.add_input(tensor.op.name, tensor.value_index)
    for other in operation.control_inputs:
        node.add_input(other.name, 0)
    node.output_shapes = {index: sizes(tensor.shape) for index, tensor in enumerate(operation.outputs)}
    return node
