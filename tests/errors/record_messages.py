"""Writes the messages of failing.py into messages.txt: `python tests/errors/record_messages.py` with tracefn on the path."""

from __future__ import annotations

import inspect
import pathlib
import re

import failing
import tracefn as tf

HERE = pathlib.Path(__file__).parent
MESSAGES = HERE / "messages.txt"
HELPERS = {"called"}


def all_programs() -> dict:
    """Name -> function, for every program of failing.py."""
    found = inspect.getmembers(failing, inspect.isfunction)
    return {name: f for name, f in found if f.__module__ == failing.__name__ and name not in HELPERS}


def message_of(program) -> str:
    """Type and text of what tracing a program raises; lines are counted from the program's first."""
    try:
        tf.function(program)(tf.constant(1))
    except Exception as error:
        return f"{type(error).__name__}\n{_relative(str(error).strip(), program)}"
    raise AssertionError(f"{program.__name__} does not fail")


def _relative(text: str, program) -> str:
    first = inspect.getsourcelines(program)[1]
    text = text.replace(str(HERE) + "/", "")
    text = re.sub(r"\bline (\d+)", lambda m: f"line +{int(m.group(1)) - first}", text)
    return re.sub(r"0x[0-9a-f]+", "0xADDR", text)


def read() -> dict:
    """Name -> message, as recorded."""
    parts = re.split(r"^== (\w+) ==\n", MESSAGES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def main() -> None:
    texts = [f"== {name} ==\n{message_of(program)}\n" for name, program in all_programs().items()]
    MESSAGES.write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
