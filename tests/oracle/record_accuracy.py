"""Records the rounding errors of TensorFlow for tests/support/accuracy_cases.py, as tests/oracle/accuracy.json.

Run with the oracle's interpreter (TensorFlow 2.21), from anywhere:

    python tests/oracle/record_accuracy.py

The file says which processor it was recorded on: TensorFlow's sums depend on it. oneDNN, whose errors are two to three
times as large in convolutions, is off.
"""

from __future__ import annotations

import json
import os
import pathlib
import platform
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import tensorflow as tf

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from support.accuracy_cases import CASES, DTYPES, errors

OUTPUT = pathlib.Path(__file__).with_name("accuracy.json")


def main() -> None:
    found: dict[str, object] = {"tensorflow": tf.__version__, "machine": platform.machine()}
    cases: dict[str, list[float]] = {}
    for dtype in DTYPES:
        for name in CASES:
            try:
                cases[f"{name}, {dtype}"] = [float(f"{e:.4g}") for e in errors(tf, name, dtype)]
            except (tf.errors.InvalidArgumentError, tf.errors.NotFoundError, tf.errors.UnimplementedError) as error:
                print(f"{name}, {dtype}: {str(error).splitlines()[0][:100]}", file=sys.stderr)
    found["errors"] = cases
    OUTPUT.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
