"""What the views of a profile have in common: an entry with its numbers, which entries are shown, and in which order."""

from __future__ import annotations

from collections.abc import Callable

from tracefn._proto import message_class
from tracefn.compat.v1.model_profiles.nodes import Node
from tracefn.compat.v1.model_profiles.options import Options
from tracefn.compat.v1.model_profiles.texts import ORDERS

ROOT = "_TFProfRoot"
# The statistics that options set least numbers for.
_TOTALS = ("bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros", "accelerator_micros", "cpu_micros")


class Entry:
    """A line of a report.

    Attributes:
      name: str.
      own, total: dicts of int by the statistic: of itself, and with those below it.
      is_counted: whether the options count its own numbers.
    """

    def __init__(self, name: str, own: dict[str, int]) -> None:
        self.name, self.own = name, own
        self.total = dict.fromkeys(own, 0)
        self.is_counted = False

    def reset_total(self, with_own: bool = True) -> None:
        """Sets the total to its own numbers, or to 0."""
        self.total = dict(self.own) if with_own else dict.fromkeys(self.own, 0)

    def add(self, other: Entry) -> None:
        """Adds the total of another one to the total."""
        for name, number in other.total.items():
            self.total[name] += number

    def fields(self) -> dict[str, int | str]:
        """The fields of its message."""
        return {"name": self.name, **self.own, **{f"total_{name}": number for name, number in self.total.items()}}


def is_shown(entry: Entry, options: Options, depth: int, counts: dict[str, int]) -> bool:
    """Whether the options show an entry; `counts` are the numbers whose parameters, operations and runs they compare."""
    if entry.name == ROOT:
        return True
    if depth > options.max_depth:
        return False
    if any(entry.total[ORDERS[name]] < options.least[name] for name in _TOTALS):
        return False
    compared = {"params": "parameters", "float_ops": "float_ops", "occurrence": "run_count"}
    if any(counts[name] < options.least[least] for least, name in compared.items() if name in counts):
        return False
    shown, hidden = options.patterns["show_name_regexes"], options.patterns["hide_name_regexes"]
    return (shown.is_any or shown.match(entry.name)) and not hidden.match(entry.name)


def in_order(entries: list, options: Options, **orders: Callable) -> list:
    """Entries as the options order them: by a number, the largest first, or by name; `orders` are functions for more of them."""
    if not options.order_by:
        return entries
    if options.order_by in orders:
        return sorted(entries, key=orders[options.order_by])
    if options.order_by in ORDERS:
        statistic = ORDERS[options.order_by]
        return sorted(entries, key=lambda entry: -entry.total[statistic])
    return sorted(entries, key=lambda entry: entry.name)


def graph_node(node: Node, nodes: dict[str, Node], entry: Entry):
    """The message GraphNodeProto of a node, without children."""
    message = message_class("GraphNodeProto")(**entry.fields())
    if node.device:
        message.devices.append(node.device)
    for index, shape in enumerate(node.input_shapes(nodes)):
        sizes = message.input_shapes[index]
        sizes.unknown_rank = not shape
        for size in shape:
            sizes.dim.add(size=size)
    return message


def shape_text(shape: list[int]) -> str:
    """A shape such as 2x3."""
    return "x".join(map(str, shape))


def input_texts(shapes: list[list[int]]) -> list[str]:
    """The texts of the shapes of inputs, with their numbers."""
    return [f"{index}:{shape_text(shape) or 'unknown'}" for index, shape in enumerate(shapes)]


