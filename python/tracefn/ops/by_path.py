"""Public functions by their paths, such as "math.reduce_sum": the file of this package that registers one is imported when the
function is first asked for."""

from __future__ import annotations

import importlib
from collections.abc import KeysView
from typing import Any

from tracefn._export import exported
from tracefn._later import FILES

_file_of = {path: file for file, paths in FILES.items() for path in paths}


def is_later(path: str) -> bool:
    """Whether a file of this package registers the public function under a path."""
    return path in _file_of


def later_paths() -> KeysView[str]:
    """The paths of the public functions that files of this package register."""
    return _file_of.keys()


def paths() -> set[str]:
    """The public paths, those included whose files are not imported yet."""
    return exported().keys() | _file_of.keys()


def _import(file: str) -> None:
    importlib.import_module(f"tracefn.ops.{file}")  # start-up time: few programs need these files


def registered(path: str):
    """The public function under a path; None if there is none."""
    if path in _file_of:
        _import(_file_of[path])
    return exported().get(path)


def public_function(path: str) -> Any:
    """The public function under a path, which exists."""
    function = registered(path)
    assert function is not None, path
    return function


def public_paths() -> dict[str, object]:
    """All public paths and their values."""
    for file in FILES:
        _import(file)
    return dict(exported())
