"""What a class of messages says of its fields."""

from __future__ import annotations

from tracefn._proto.definitions import Field


class Descriptor:
    """The name of a message, and its fields.

    Attributes:
      name: str, such as "AttrValue.ListValue".
      full_name: the same after "tensorflow.".
      fields_by_name, fields_by_number: dicts of Fields, in the order of their numbers.
    """

    __slots__ = ("fields_by_name", "fields_by_number", "full_name", "name")

    def __init__(self, name: str, fields: dict[str, Field]) -> None:
        self.name, self.full_name = name, f"tensorflow.{name}"
        self.fields_by_number = {field.number: field for field in sorted(fields.values(), key=lambda field: field.number)}
        self.fields_by_name = {field.name: field for field in self.fields_by_number.values()}
