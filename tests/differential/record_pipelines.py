"""Records TensorFlow's answers to the random pipelines, in an environment that has TensorFlow:

    python tests/differential/record_pipelines.py
"""

from __future__ import annotations

import json

import tensorflow as tf
from pipelines import SUBJECTS, answer, generate
from test_recorded_pipelines import FOLDER


def main() -> None:
    for subject in SUBJECTS:
        answers = {expression: answer(expression, tf) for expression in generate(subject)}
        lines = [f"{json.dumps(e)}: {json.dumps(a)}" for e, a in answers.items()]
        (FOLDER / f"{subject}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        errors = sum("error" in a for a in answers.values())
        print(f"{subject}: {len(answers)} pipelines, {errors} of them with errors")


if __name__ == "__main__":
    main()
