"""Records TensorFlow's gradients of the random programs, in an environment that has TensorFlow:

    python tests/grad/record_programs.py
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf

from float_programs import ARGUMENTS, function_of, gradients, tensors, text_of

COUNT = 40


def answers(text: str) -> list:
    """For each of ARGUMENTS the first and second gradients of the traced program."""
    traced = tf.function(function_of(text, tf))
    found = [gradients(traced, tensors(values, tf), tf) for values in ARGUMENTS]
    return [[[g.numpy().tolist() for g in order] for order in orders] for orders in found]


def main() -> None:
    file = pathlib.Path(__file__).parent / "recorded" / "programs.json"
    lines: list[str] = []
    for text in map(text_of, range(COUNT)):
        lines.append(f"{json.dumps(text)}:\n{json.dumps(answers(text))}")
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n")  # each time: it takes minutes
    print(f"{len(lines)} programs")


if __name__ == "__main__":
    main()
