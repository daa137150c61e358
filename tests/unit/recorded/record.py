"""Records TensorFlow's answers: `cd tests/unit && python -m recorded.record` in an environment that has TensorFlow."""

from __future__ import annotations

import importlib
import json
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).parent
# Lines that this package adds to TensorFlow's text.
_ADDED = re.compile(
    r"\n(The types are: .*|.* does not exist here\.|AutoGraph is off: .*|Return the tensor and do this with the result of .*)"
    r"|: the structure contains itself or is nested .*"
)

# Both say after that what to write instead, each in its own way.
_MISSING = re.compile(r"(has no attribute '\w+')\..*", re.DOTALL)

# Where an eager op ran, and the op's registration: TensorFlow's own names.
_PLACE = re.compile(r"\{\{function_node [^}]*\}\} |\n\t; NodeDef: .*>(?= \[Op:)")


def names() -> list[str]:
    """The modules with expressions."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "record"))


def load(name: str):
    """The module `name` of this folder."""
    return importlib.import_module(f"recorded.{name}")


def expressions(name: str) -> list[str]:
    """The expressions of one module, in order."""
    return [line.strip() for line in load(name).EXPRESSIONS.strip().splitlines() if line.strip()]


def answer(expression: str, namespace: dict) -> str:
    """What evaluating `expression` gives, as text: the repr, or the error with its words."""
    try:
        text = repr(eval(expression, namespace))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
    text = re.sub(r"0x[0-9a-fA-F]+", "0x", text)
    text = re.sub(r"\b(tensorflow|tracefn)\.(\w+\.)*(?=[A-Z])", "", text)
    return _MISSING.sub(r"\1", _ADDED.sub("", _PLACE.sub("", text)))


def main() -> None:
    import tensorflow as tf

    for name in sys.argv[1:] or names():
        namespace = load(name).setup(tf)
        answers = {expression: answer(expression, namespace) for expression in expressions(name)}
        (FOLDER / f"{name}.json").write_text(json.dumps(answers, indent=0, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
