"""Records TensorFlow's gradients of every op and of public functions, in an environment that has TensorFlow and can import tracefn:

    PYTHONPATH=python python tests/grad/record_rules.py
"""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import tensorflow as tf
import tracefn
from grad.function_cases import expressions, gradients
from grad.rule_cases import answer, cases, kind_of

FOLDER = pathlib.Path(__file__).parent / "recorded"
DIGITS = {"float64": 13, "complex128": 13, "float32": 8, "complex64": 8, "float16": 5, "bfloat16": 4}


def text(array: np.ndarray) -> dict:
    """An array as JSON has it: dtype, shape, and its numbers with as many digits as count."""
    wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64).ravel()
    numbers = np.stack([wide.real, wide.imag], -1).ravel() if array.dtype.kind == "c" else wide
    digits = DIGITS[array.dtype.name]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": [float(f"{x:.{digits}g}") for x in numbers]}


def recorded(found) -> dict | str | None:
    """An answer as JSON has it."""
    if found is None or isinstance(found, str):
        return found
    return {
        order: value if isinstance(value, str) else [None if g is None else text(g) for g in value]
        for order, value in found.items()
    }


def line(name: str, found) -> str:
    return f"{json.dumps(name)}: {json.dumps(recorded(found), separators=(',', ':'))}"


def write(file: str, lines: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / file).write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{file}: {len(lines)} cases")


def record_rules() -> None:
    lines = []
    for op in sorted(tracefn._core.op_names()):
        for name, arguments, one_tensor in cases(op):
            found = answer(op, arguments, one_tensor, tf)
            if found is not None:
                lines.append(line(f"{op} {name}", found))
    write("rules.json", lines)


def record_functions() -> None:
    lines = []
    for expression in expressions():
        try:
            found = gradients(expression, tf)
        except Exception as error: # its kind is recorded
            found = kind_of(error)
        lines.append(line(expression, found))
    write("functions.json", lines)


def main() -> None:
    record_rules()
    record_functions()


if __name__ == "__main__":
    main()
