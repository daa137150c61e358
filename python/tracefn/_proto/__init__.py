"""The messages of graphs: protobuf's classes where protobuf and tensorboard are installed, else classes of this package that have
the same methods."""

from __future__ import annotations

import functools
import types
from typing import Any

from tracefn._proto.definitions import DEFINITIONS, DESCRIBED
from tracefn._proto_modules import is_lacking, proto_module

NAMES = frozenset(DEFINITIONS)


def message_module(file: str) -> types.ModuleType:
    """The module of protobuf's classes in a file, by its name without folder and ending.

    Raises:
      ModuleNotFoundError: tensorboard or protobuf is not installed, or there is no such file.
    """
    if file in DESCRIBED:
        from tracefn._proto.described import described_module  # start-up time: few programs need it

        return described_module(file)
    return proto_module(file)


@functools.cache
def message_class(name: str) -> Any:
    """The class of a message by its name, such as "GraphDef" or "AttrValue.ListValue"."""
    try:
        found: Any = message_module(DEFINITIONS[name].file)
    except ModuleNotFoundError as error:
        if not is_lacking(error):
            raise
        from tracefn._proto.messages import own_class  # start-up time: few programs need messages

        return own_class(name)
    for part in name.split("."):
        found = getattr(found, part)
    return found
