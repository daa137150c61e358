"""The classes of this package for the messages in TensorFlow's files of graphs."""

from __future__ import annotations

from tracefn._proto.definitions import DEFINITIONS, ENUMS
from tracefn._proto.message import CLASSES, Message, make_class


def _make_classes() -> None:
    for name in DEFINITIONS:
        make_class(name)
    for name, made in CLASSES.items():
        outer, _, inner = name.rpartition(".")
        if outer:
            setattr(CLASSES[outer], inner, made)
    for name, numbers in ENUMS.items():
        outer = name.rpartition(".")[0]
        if outer:
            for number, label in numbers.items():
                setattr(CLASSES[outer], label, number)


_make_classes()


def own_class(name: str) -> type[Message]:
    """The class of a message by its name, such as "AttrValue.ListValue"."""
    return CLASSES[name]
