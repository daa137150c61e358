"""What reports of profiles say: numbers with their units, the titles of columns, and what these mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


def _scaled(number: int, small: str, units: list[tuple[int, str]]) -> str:
    """A number in the largest unit that it reaches; `small` is what stands behind one below them all."""
    reached = [(size, unit) for size, unit in units if number >= size]
    if not reached:
        return f"{number}{small}"
    size, unit = reached[-1]
    return f"{number / size:.2f}{unit}"


def number_text(number: int) -> str:
    """A number of things: 12, 1.20k, 3.00m, 4.00b."""
    return _scaled(number, "", [(1000, "k"), (1000000, "m"), (1000000000, "b")])


def time_text(micros: int) -> str:
    """A time: 12us, 1.20ms, 3.00sec."""
    return _scaled(micros, "us", [(1000, "ms"), (1000000, "sec")])


def memory_text(size: int) -> str:
    """A number of bytes: 12B, 1.20KB, 3.00MB."""
    return _scaled(size, "B", [(1000, "KB"), (1000000, "MB")])


class Quantity(NamedTuple):
    """A column of numbers: the statistic, its title, the text of a number, and what stands behind numbers in a tree and in a list."""

    statistic: str
    title: str
    text: Callable[[int], str]
    in_tree: str = ""
    in_list: str = ""


_ACCELERATOR = Quantity("accelerator_exec_micros", "accelerator execution time", time_text)
_CPU = Quantity("cpu_exec_micros", "cpu execution time", time_text)
# What "micros" stands for.
_TIMES = (Quantity("exec_micros", "total execution time", time_text), _ACCELERATOR, _CPU)
_QUANTITIES = {
    "params": Quantity("parameters", "# parameters", number_text, " params", " params"),
    "float_ops": Quantity("float_ops", "# float_ops", number_text, " flops", " float_ops"),
    "bytes": Quantity("requested_bytes", "requested bytes", memory_text),
    "peak_bytes": Quantity("peak_bytes", "peak bytes", memory_text),
    "residual_bytes": Quantity("residual_bytes", "residual bytes", memory_text),
    "output_bytes": Quantity("output_bytes", "output bytes", memory_text),
    "micros": _TIMES[0],
    "accelerator_micros": _ACCELERATOR,
    "cpu_micros": _CPU,
}
_COUNTS = ("params", "float_ops")
# The statistics of the names that options may order by.
ORDERS = {name: quantity.statistic for name, quantity in _QUANTITIES.items()}


def quantities(selected: list[str], counts_first: bool) -> list[Quantity]:
    """The columns of numbers that are selected, in their order in a tree (where counts stand first) or in a list."""
    others = [name for name in _QUANTITIES if name not in _COUNTS]
    found: list[Quantity] = []
    for name in (*_COUNTS, *others) if counts_first else (*others, *_COUNTS):
        if name == "micros" and name in selected:
            found += _TIMES
        elif name in selected and _QUANTITIES[name] not in found:
            found.append(_QUANTITIES[name])
    return found


def heading(selected: list[str], columns: list[Quantity], occurrence: str) -> str:
    """The line above a report; `occurrence` is what it calls that column."""
    others = {"device": "assigned devices", "op_types": "op types", "occurrence": f"{occurrence} (run|defined)", "input_shapes": "input shapes"}
    titles = [column.title for column in columns] + [title for name, title in others.items() if name in selected]
    return f"node name | {' | '.join(titles)}\n"


_BY_NAME = "scope: The nodes in the model graph are organized by their names, which is hierarchical like filesystem."
_COMMANDS = {
    "scope": _BY_NAME,
    "graph": _BY_NAME,
    "op": "op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes belonging to the same type are aggregated together.",
}  # fmt: skip
_ACCELERATOR_HELP = "accelerator execution time: Time spent executing on the accelerator. This is normally measured by the actual hardware library."
_CPU_HELP = (
    "cpu execution time: The time from the start to the end of the operation. It's the sum of actual cpu run time plus the time that it "
    "spends waiting if part of computation is launched asynchronously."
)
_HELP = {
    "bytes": "requested bytes: The memory requested by the operation, accumulatively.",
    "micros": f"total execution time: Sum of accelerator execution time and cpu execution time.\n{_CPU_HELP}\n{_ACCELERATOR_HELP}",
    "params": "param: Number of parameters (in the Variable).",
    "float_ops": "flops: Number of float operations. Note: Please read the implementation for the math behind it.",
    "tensor_value": "tensor_value: Not supported now.",
    "device": "device: which device is placed on.",
    "op_types": "op_types: The attributes of the operation, includes the Kernel name device placed on and user-defined strings.",
    "occurrence": "occurrence: The number of times it occurs",
    "input_shapes": "input shape: The shape of input tensors",
    "accelerator_micros": _ACCELERATOR_HELP,
    "cpu_micros": _CPU_HELP,
    "peak_bytes": "peak bytes: The peak amount of memory that the operation is holding at some point.",
    "residual_bytes": "residual bytes: The memory not de-allocated after the operation finishes.",
    "output_bytes": "output bytes: The memory that is output from the operation (not necessarily allocated by the operation)",
}


def preface(command: str, selected: list[str]) -> str:
    """What stands above a report: what the view and its columns are."""
    columns = "\n".join(_HELP.get(name, f"Unknown select: {name}") for name in selected)
    return f"\nDoc:\n{_COMMANDS[command]}\n{columns}\n\nProfile:\n"
