"""Messages as text, as protobuf prints them."""

from __future__ import annotations

from tracefn._proto.definitions import Field
from tracefn._proto.kinds import KINDS
from tracefn._wire import quoted_text


def text_of(message) -> str:
    """The text of a message: a line for each field, in the order of their numbers."""
    return "".join(f"{line}\n" for line in _lines(message))


def _lines(message) -> list[str]:
    lines: list[str] = []
    for field, value in message.ListFields():
        if field.key is not None:
            for key in sorted(value):
                key_text = quoted_text(key) if isinstance(key, str) else str(key)
                lines += _block(field.name, [f"key: {key_text}", *_value("value", field, value[key])])
        else:
            for one in value if field.is_repeated else [value]:
                lines += _value(field.name, field, one)
    return lines


def _block(name: str, lines: list[str]) -> list[str]:
    return [f"{name} {{", *(f"  {line}" for line in lines), "}"]


def _value(name: str, field: Field, value) -> list[str]:
    if field.kind in KINDS:
        return [f"{name}: {KINDS[field.kind].text(value)}"]
    return _block(name, _lines(value))
