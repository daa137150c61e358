"""Writes the signatures of TensorFlow's public functions and classes into tests/oracle/signatures.txt:
`python tests/oracle/record_signatures.py`, where TensorFlow 2.21 is.

A line is a path and its signature: "math.add(x, y, name=None)". The names are those of tensorflow_names.txt, without
tf.raw_ops, whose functions take the attributes of their ops, and tf.keras.
"""

from __future__ import annotations

import pathlib
import sys

import tensorflow as tf

ROOT = pathlib.Path(__file__).parents[2]
TARGET = pathlib.Path(__file__).with_name("signatures.txt")
sys.path.insert(0, str(ROOT / "python" / "tools"))
from signature_text import signature_text

_LEFT_OUT = ("raw_ops", "keras", "losses", "metrics", "optimizers", "initializers")


def names() -> list[str]:
    """The public paths."""
    found = []
    lines = (ROOT / "python" / "tracefn" / "_missing" / "tensorflow_names.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        path, _, listed = line.partition(": ")
        namespace = path.removeprefix("tf").removeprefix(".")
        if path != "renamed" and namespace.partition(".")[0] not in _LEFT_OUT:
            found += [f"{namespace}.{name}" if namespace else name for name in listed.split()]
    return sorted(found)


def value_of(path: str):
    value = tf
    for part in path.split("."):
        value = getattr(value, part, None)
    return value


def main() -> None:
    lines = [f"{path}{text}" for path in names() if (text := signature_text(value_of(path))) is not None]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} signatures, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
