"""Records TensorFlow's gradients of the wide random programs, in an environment that has TensorFlow:

python tests/grad/record_wide_programs.py
"""

from __future__ import annotations

import json
import pathlib
import sys

import tensorflow as tf

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from grad.float_programs import ARGUMENTS, tensors
from grad.wide_programs import WITH_SECOND, gradients, program_of, text_of

COUNT = 80


def answers(text: str, second_too: bool) -> list | None:
    """None for a program that TensorFlow fails to run; else for each of ARGUMENTS the first and second gradients of the traced
    program; None where there is none, and in the place of second ones that TensorFlow fails to compute."""
    program, variables = program_of(text, tf)
    traced = tf.function(program)
    try:
        found = [gradients(traced, tensors(values, tf), variables, tf, second_too) for values in ARGUMENTS]
    except Exception as error:  # TensorFlow's own, of which it is told here
        print(f"{type(error).__name__}: {error}\n{text}")
        return None
    return [[numbers(order) for order in orders] for orders in found]


def numbers(gradients) -> list | None:
    """Gradients as JSON has them."""
    if gradients is None or isinstance(gradients, Exception):
        return None
    return [None if g is None else g.numpy().tolist() for g in gradients]


def main() -> None:
    file = pathlib.Path(__file__).parent / "recorded" / "wide_programs.json"
    lines: list[str] = []
    for seed in range(COUNT):
        text = text_of(seed)
        lines.append(f"{json.dumps(text)}:\n{json.dumps(answers(text, seed < WITH_SECOND))}")
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n")  # each time: it takes minutes
    print(f"{len(lines)} programs")


if __name__ == "__main__":
    main()
