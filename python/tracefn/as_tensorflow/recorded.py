"""What TensorFlow's modules hold, as recorded by tests/oracle/record_modules.py."""

from __future__ import annotations

import functools
import pathlib
from typing import NamedTuple

FOLDERS = frozenset({"python", "core", "compiler", "security", "tools"})
# TensorFlow's other folders: of their modules nothing is recorded.
UNRECORDED = frozenset({"distribute", "dtensor", "include", "lite", "tsl", "xla_aot_runtime_src"})
_FILE = pathlib.Path(__file__).with_name("tensorflow_modules.txt")


class Names(NamedTuple):
    """The public objects that a module defines and those that it imports, by their names there: public paths. Other names."""

    own: dict[str, str]
    imported: dict[str, str]
    other: frozenset[str]

    @property
    def public(self) -> dict[str, str]:
        """All public objects."""
        return {**self.imported, **self.own}


@functools.cache
def _lines() -> dict[str, str]:
    """The text about each module, by its path below `tensorflow`."""
    found = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        module, _, names = line.partition(":")
        found[module.removeprefix("tensorflow.")] = names
    return found


def is_module(path: str) -> bool:
    """Whether TensorFlow has a module `tensorflow.<path>`."""
    return path in _lines() or path in _folders()


def modules_in(path: str) -> set[str]:
    """The names of the modules in a package `tensorflow.<path>`."""
    start = f"{path}."
    return {module.removeprefix(start).partition(".")[0] for module in _lines() if module.startswith(start)}


@functools.cache
def _folders() -> frozenset[str]:
    return frozenset(path[:end] for path in _lines() for end in _dots(path))


def _dots(path: str) -> list[int]:
    return [i for i, character in enumerate(path) if character == "."]


@functools.cache
def names_of(path: str) -> Names:
    """The names in a module; none for one that TensorFlow has not got."""
    parts = [part.split() for part in _lines().get(path, "").split("|")]
    own, imported, other = parts if len(parts) == 3 else ([], [], [])
    return Names(_targets(own), _targets(imported), frozenset(other))


def _targets(pairs: list[str]) -> dict[str, str]:
    return {name: target or name for name, _, target in (pair.partition("=") for pair in pairs)}
