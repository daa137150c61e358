"""`tf.compat.v1.flags`: the flags of a program's command line, which the package absl-py defines."""

from __future__ import annotations

import importlib

_ABSENT = "tf.compat.v1.flags: flags are those of the package absl-py, which is not installed. Run `pip install absl-py`."


def absl_flags():
    """The module absl.flags.

    Raises:
      ModuleNotFoundError: absl-py is not installed.
    """
    try:
        return importlib.import_module("absl.flags")  # optional: a package of its own
    except ImportError:
        raise ModuleNotFoundError(_ABSENT, name="absl") from None


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(absl_flags(), name)
