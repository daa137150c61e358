"""Specs as TensorFlow's message TypeSpecProto."""

from __future__ import annotations

from tracefn._proto import message_class
from tracefn._structured_value import TYPE_SPEC, decoded, encoded
from tracefn._wire import delimited, values_by_number


def as_proto(spec):
    """A TypeSpec as a TypeSpecProto.

    Raises:
      NotEncodableError: its class is not registered.
    """
    return message_class("TypeSpecProto").FromString(values_by_number(encoded(spec))[TYPE_SPEC][0])


def from_proto(proto):
    """The TypeSpec of a TypeSpecProto.

    Raises:
      ValueError: its class is not registered.
    """
    return decoded(delimited(TYPE_SPEC, proto.SerializeToString()))
