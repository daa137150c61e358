"""`tensorflow.core.framework.summary_pb2` and the like: the classes that protobuf makes, from the package tensorboard, which has
the same messages. Without it their names are placeholders, as other missing names are."""

from __future__ import annotations

import importlib
import types

_PACKAGE = "tensorboard.compat.proto"


def message_module(path: str) -> types.ModuleType | None:
    """The module of messages at `tensorflow.<path>`; None if it is none, or if tensorboard or protobuf is not installed."""
    folder, _, name = path.rpartition(".")
    if not folder.startswith("core.") or not name.endswith("_pb2"):
        return None
    try:
        return importlib.import_module(f"{_PACKAGE}.{name}")  # optional: tensorboard
    except ModuleNotFoundError as error:
        if error.name is not None and (error.name == "google" or f"{_PACKAGE}.{name}".startswith(error.name)):
            return None
        raise


def required_message_module(path: str, user: str, name: str) -> types.ModuleType:
    """The module of messages at `tensorflow.<path>`, whose class `name` the function `user` needs.

    Raises:
      ModuleNotFoundError: tensorboard, which has the classes of messages, is not installed.
    """
    module = message_module(path)
    if module is None:
        raise ModuleNotFoundError(
            f"{user}: the class {name} is that of the package tensorboard, which is not installed. Run "
            "`pip install tensorboard`.",
            name="tensorboard",
        )
    return module
