"""Records TensorFlow's answers to the expressions of tests/support/composite_expressions.py:

    PYTHONPATH=tests python tests/oracle/record_composites.py

with TensorFlow's Python.
"""

from __future__ import annotations

import json
import pathlib

import tensorflow as tf
from support.composite_expressions import EXPRESSIONS, answer, names

FILE = pathlib.Path(__file__).with_name("composites.json")


def main() -> None:
    found = {}
    for subject, expressions in EXPRESSIONS.items():
        known = names(subject, tf)
        found[subject] = {expression: answer(expression, known) for expression in expressions}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
