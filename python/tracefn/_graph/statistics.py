"""Statistics of nodes, such as the numbers of operations that they take: functions that programs register for types of ops."""

from __future__ import annotations

from collections.abc import Callable

from tracefn._graph.flops import RULES, float_operations


class OpStats:
    """What a function says of a node.

    Args:
      statistic_type: str, such as "flops".
      value: a number, or None if it is not known.
    """

    __slots__ = ("statistic_type", "value")

    def __init__(self, statistic_type, value=None) -> None:
        self.statistic_type = statistic_type
        self.value = value

    def __iadd__(self, other):
        if other.statistic_type != self.statistic_type:
            raise ValueError(f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}.")
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


def _flops(graph, node) -> OpStats:
    return OpStats("flops", float_operations(graph, node, RULES[node.op]))


_functions: dict[tuple[str, str], Callable] = {(op, "flops"): _flops for op in RULES}


class RegisterStatistics:
    """A decorator that registers a function from a graph and a node's NodeDef to OpStats.

    Args:
      op_type: str, the type of the nodes.
      statistic_type: str, such as "flops".

    Raises:
      TypeError: one of them is no str, or has a comma.
      KeyError: there is such a function already (on the call).
    """

    __slots__ = ("_op_type", "_statistic_type")

    def __init__(self, op_type, statistic_type) -> None:
        for argument, value in (("op_type", op_type), ("statistic_type", statistic_type)):
            if not isinstance(value, str):
                raise TypeError(f"{argument} must be a string.")
            if "," in value:
                raise TypeError(f"{argument} must not contain a comma.")
        self._op_type = op_type
        self._statistic_type = statistic_type

    def __call__(self, f):
        key = (self._op_type, self._statistic_type)
        if key in _functions:
            raise KeyError(f"Registering two statistical functions with name '{','.join(key)}'!")
        _functions[key] = f
        return f


def has_statistics(op_type: str, statistic_type: str) -> bool:
    """Whether a function is registered for a type of nodes."""
    return (op_type, statistic_type) in _functions


def get_stats_for_node_def(graph, node, statistic_type) -> OpStats:
    """What the function registered for a node says; OpStats without a value if there is none, or if it raises a LookupError.

    Args:
      graph: the tf.Graph that it belongs to.
      node: NodeDef.
      statistic_type: str, such as "flops".
    """
    try:
        return _functions[node.op, statistic_type](graph, node)
    except LookupError:  # those of the function count as well, as in TensorFlow
        return OpStats(statistic_type)
