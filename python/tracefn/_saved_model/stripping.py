"""Attributes of nodes that have their default values are left out of saved models, so that older releases can read these."""

from __future__ import annotations

import functools
from typing import Any

from tracefn import _core
from tracefn._structured_value import shape_from_proto
from tracefn.dtypes import as_dtype

_FIELDS = {"bool": "b", "float": "f", "int": "i", "shape": "shape", "string": "s", "type": "type"}


@functools.cache
def _ops() -> frozenset[str]:
    return frozenset(_core.op_names())


@functools.cache
def _defaults(op: str) -> dict[str, tuple[str, Any]]:
    """(type, default) of the attributes of an op that have defaults and of whose values it can be told whether they are these."""
    found = {}
    for attr in _core.op_record(op)["attrs"]:
        kind = attr["type"].removeprefix("list(").removesuffix(")")
        if "default" in attr and kind in _FIELDS:
            found[attr["name"]] = attr["type"], attr["default"]
    return found


def _plain(kind: str, value):
    """A part of an AttrValue as the op's declaration has it."""
    if kind == "type":
        return as_dtype(value)
    return shape_from_proto(value.SerializeToString()) if kind == "shape" else value


def _value(kind: str, message):
    """The value in an AttrValue; None if it is another one, such as the name of a function's attribute."""
    if kind.startswith("list("):
        kind = kind[5:-1]
        if message.WhichOneof("value") != "list":
            return None
        return [_plain(kind, one) for one in getattr(message.list, _FIELDS[kind])]
    return _plain(kind, getattr(message, _FIELDS[kind])) if message.WhichOneof("value") == _FIELDS[kind] else None


def strip_defaults(nodes) -> None:
    """Removes attributes with default values.

    Args:
      nodes: NodeDefs, which are changed. Those of ops that are not known stay as they are.
    """
    for node in nodes:
        if node.op not in _ops():
            continue
        for name, (kind, default) in _defaults(node.op).items():
            if name in node.attr and _value(kind, node.attr[name]) == default:
                del node.attr[name]
