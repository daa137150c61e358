"""`tensorflow.core.framework.summary_pb2` and the like: the classes that protobuf makes, from the package tensorboard, which has
the same messages. Without it their names are placeholders, as other missing names are."""

from __future__ import annotations

import types

from tracefn._proto import message_module as module_of_file
from tracefn._proto_modules import is_lacking
from tracefn.ops.example_descriptors import add_to_default_pool


def message_module(path: str) -> types.ModuleType | None:
    """The module of messages at `tensorflow.<path>`; None if it is none, or if tensorboard or protobuf is not installed."""
    folder, _, name = path.rpartition(".")
    if not folder.startswith("core.") or not name.endswith("_pb2"):
        return None
    try:
        if folder == "core.example":  # its classes are this package's own
            add_to_default_pool()
            return None
        return module_of_file(name.removesuffix("_pb2"))
    except ModuleNotFoundError as error:
        if is_lacking(error):
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
