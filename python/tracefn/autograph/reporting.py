"""Conversion reports: `tf.autograph.set_verbosity`, or AUTOGRAPH_VERBOSITY in the environment."""

from __future__ import annotations

import os

from tracefn._logging import inform

_FUNCTIONS = 1  # the level that names converted functions, and unconverted ones with the reason
_CODE = 3  # the level that shows the code too


def _initial() -> int:
    try:
        return int(os.environ.get("AUTOGRAPH_VERBOSITY", "0"))
    except ValueError:
        return 0


_level = _initial()
_to_stdout = False


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Sets how much conversion reports, to the logger of `tf.get_logger()` at level INFO.

    Args:
      level: int; 0 nothing, 1 the functions that are converted or left as they are, 3 their code as well.
      alsologtostdout: whether the reports are also printed.

    Example:
      >>> import tracefn as tf
      >>> tf.autograph.set_verbosity(1, alsologtostdout=True)
      >>> def sign(x):
      ...     return 1 if x > 0 else -1
      >>> _ = tf.function(sign)(tf.constant(2))  # doctest: +ELLIPSIS
      Converted <function sign at 0x...>
      >>> tf.autograph.set_verbosity(0)
    """
    global _level, _to_stdout
    _level = level
    _to_stdout = alsologtostdout


def converted(function, node) -> None:
    """Reports that a function was converted; `node` is the resulting tree."""
    if _level >= _FUNCTIONS:
        _say(f"Converted {function}")
    if _level >= _CODE:
        import ast  # start-up time: few programs look at converted code

        _say(ast.unparse(node))


def left(function, reason) -> None:
    """Reports that a function was not converted."""
    if _level >= _FUNCTIONS:
        _say(f"Not converted: {function}: {reason}")


def _say(text: str) -> None:
    inform(text)
    if _to_stdout:
        print(text)
