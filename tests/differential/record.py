"""Records TensorFlow's answers to the random expressions, in an environment that has TensorFlow:

    python tests/differential/record.py
"""

from __future__ import annotations

import json

import tensorflow as tf
from expressions import SUBJECTS, answer, generate
from test_random_expressions import FOLDER


def main() -> None:
    for subject in SUBJECTS:
        answers = {expression: answer(expression, tf) for expression in generate(subject)}
        lines = [f"{json.dumps(e)}: {json.dumps(a)}" for e, a in answers.items()]
        (FOLDER / f"{subject}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        errors = sum("error" in a for a in answers.values())
        print(f"{subject}: {len(answers)} expressions, {errors} of them errors")


if __name__ == "__main__":
    main()
