"""Statistics of nodes, such as the numbers of operations that they take: functions that programs register for types of ops."""

from __future__ import annotations

_functions: dict[tuple[str, str], object] = {}


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


def get_stats_for_node_def(graph, node, statistic_type) -> OpStats:
    """What the function registered for a node says; OpStats without a value if there is none.

    Args:
      graph: the tf.Graph that it belongs to.
      node: NodeDef.
      statistic_type: str, such as "flops".
    """
    found = _functions.get((node.op, statistic_type))
    return OpStats(statistic_type) if found is None else found(graph, node)  # type: ignore[operator]
