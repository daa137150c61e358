"""The small messages that summaries are written with, in the wire format of protocol buffers."""

from __future__ import annotations

import struct

from tracefn._wire import DecodeError, delimited, fields_of, varint


def text_field(number: int, value) -> bytes:
    """A field of text or bytes; nothing for an empty one."""
    data = value.encode() if isinstance(value, str) else value
    return delimited(number, data) if data else b""


def message_field(number: int, *parts: bytes) -> bytes:
    """A field that is a message with these fields, which may be empty."""
    return delimited(number, b"".join(parts))


def int_field(number: int, value: int) -> bytes:
    """A field of an integer; nothing for 0."""
    return varint(number << 3) + varint(value) if value else b""


def double_field(number: int, value: float) -> bytes:
    """A field of a double."""
    return varint(number << 3 | 1) + struct.pack("<d", value)


def fields(message: bytes):
    """(number, value, all bytes) of each field of a serialized message.

    Raises:
      ValueError: the bytes are no message.
    """
    try:
        for number, _, value, whole in fields_of(message):
            yield number, value, whole
    except DecodeError as error:
        raise ValueError(f"The bytes are no serialized message: {error}") from None


def without_known_metadata(summary: bytes, seen: set[bytes]) -> bytes:
    """A serialized Summary without the metadata of the values whose tags are in `seen`, which gets those of the others."""
    parts = []
    for number, value, whole in fields(summary):
        if number == 1:
            inside = list(fields(value))
            tag = next((v for n, v, _ in inside if n == 1), b"")
            if tag in seen:
                whole = message_field(1, *(field for n, _, field in inside if n != 9))
            seen.add(tag)
        parts.append(whole)
    return b"".join(parts)


def summary_metadata(plugin_name: str, content: bytes = b"", description: str | None = None) -> bytes:
    """A serialized SummaryMetadata: the plugin of TensorBoard that shows a summary, and what it is told."""
    plugin = message_field(1, text_field(1, plugin_name), text_field(2, content))
    return plugin + text_field(3, description or "")
