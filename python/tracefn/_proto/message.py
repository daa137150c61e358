"""What all messages have: protobuf's methods, over the definitions of their fields."""

from __future__ import annotations

from typing import Any, ClassVar

from tracefn._proto.containers import Map, MapOfMessages, Repeated, RepeatedMessages
from tracefn._proto.definitions import DEFINITIONS, Field
from tracefn._proto.descriptors import Descriptor
from tracefn._proto.kinds import KINDS
from tracefn._proto.printing import text_of
from tracefn._proto.wire_values import check, encoded_field, entry_of, values_of
from tracefn._wire import DELIMITED, DecodeError, fields_of, refused_message

CLASSES: dict[str, type[Message]] = {}


class Message:
    """A message. Its fields are attributes, as protobuf has them: a field that is not set reads as its default value, and what is
    changed in a message that lies in a field sets that field.

    The bytes of a message are read when a field of it is first used.

    Args:
      **fields: the values of fields; None leaves one as it is, and a dict stands for a message.

    Raises:
      TypeError: a value is of another type.
      ValueError: there is no such field, or a number is out of range.
    """

    __slots__ = ("_is_set", "_owner", "_raw", "_unknown", "_values")
    DESCRIPTOR: ClassVar[Descriptor]

    def __init__(self, *positional, **fields) -> None:
        if positional:
            raise TypeError("No positional arguments allowed")
        self._is_set = True
        self._owner: tuple[Message, Field] | None = None  # until the message is set, that in which it lies
        self._empty(None)
        for name, value in fields.items():
            self._field(name)
            if value is not None:
                self._fill(name, value)

    def _empty(self, raw: bytes | None) -> None:
        self._raw, self._unknown = raw, b""
        self._values: dict[str, Any] = {}

    def _fill(self, name: str, value) -> None:
        field = self.DESCRIPTOR.fields_by_name[name]
        if field.key is not None:
            entries = self._get(field)
            for key, one in value.items():
                if field.kind in KINDS:
                    entries[key] = one
                else:
                    entries[key].MergeFrom(as_message(field.kind, one))
        elif field.is_repeated:
            self._get(field).extend(as_message(field.kind, one) if isinstance(one, dict) else one for one in value)
        elif field.kind in KINDS:
            self._set(field, value)
        else:
            child = self._get(field)
            child.MergeFrom(as_message(field.kind, value))
            child._touch()

    @classmethod
    def _field(cls, name: str) -> Field:
        """
        Raises:
          ValueError: there is no such field.
        """
        field = cls.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise ValueError(f'Protocol message {cls.__name__} has no "{name}" field.')
        return field

    # What fields hold.

    def _load(self) -> dict[str, Any]:
        """The values by the names of fields, read from the bytes if they are not yet."""
        if self._raw is not None:
            raw, self._raw = self._raw, None
            self._read(raw)
        return self._values

    def _read(self, raw: bytes) -> None:
        """Adds what stands in bytes."""
        for number, wire, value, whole in fields_of(raw):
            field = self.DESCRIPTOR.fields_by_number.get(number)
            if field is None or not self._took(field, wire, value):
                self._unknown += bytes(whole)

    def _took(self, field: Field, wire: int, value) -> bool:
        """Adds the value of a field; false if its bytes are those of another kind."""
        if field.key is not None:
            if wire != DELIMITED:
                return False
            key, one = entry_of(field, value)
            entries = self._get(field)._entries
            entries[key] = KINDS[field.kind].default if one is None and field.kind in KINDS else one
            if field.kind not in KINDS:
                entries[key] = of_bytes(field.kind, one or b"")
            return True
        if field.kind in KINDS:
            found = values_of(field, wire, value)
            if found is None:
                return False
            if field.is_repeated:
                self._get(field)._values += found
            else:
                self._claim(field)
                self._values[field.name] = found[-1]
            return True
        if wire != DELIMITED:
            return False
        if field.is_repeated:
            self._get(field)._values.append(of_bytes(field.kind, bytes(value)))
        else:
            self._claim(field)
            self._get(field)._merge(bytes(value))
        return True

    def _merge(self, raw: bytes) -> None:
        """Adds what stands in bytes, and marks the message as set."""
        if self._raw is not None:
            self._raw += raw
        elif self._values or self._unknown:
            self._read(raw)
        else:
            self._raw = raw
        self._touch()

    def _get(self, field: Field) -> Any:
        values = self._load()
        if field.name in values:
            return values[field.name]
        if field.key is None and not field.is_repeated and field.kind in KINDS:
            return KINDS[field.kind].default
        values[field.name] = made = self._default(field)
        return made

    def _default(self, field: Field):
        is_message = field.kind not in KINDS
        value = _copying(field.kind) if is_message else _checking(field.kind, field.name)
        if field.key is not None:
            key = _checking(field.key, "key")
            if is_message:
                return MapOfMessages(self, key, value, CLASSES[field.kind])
            return Map(self, key, value, lambda: KINDS[field.kind].default)
        if field.is_repeated:
            return RepeatedMessages(self, value) if is_message else Repeated(self, value)
        child = CLASSES[field.kind]()
        child._is_set, child._owner = False, (self, field)
        return child

    def _set(self, field: Field, value) -> None:
        if field.key is not None or field.is_repeated:
            raise AttributeError(
                f'Assignment not allowed to map, or repeated field "{field.name}" in protocol message object.'
            )
        if field.kind not in KINDS:
            raise AttributeError(f'Assignment not allowed to message field "{field.name}" in protocol message object.')
        checked = KINDS[field.kind].checked(value, f"tensorflow.{self.DESCRIPTOR.name}.{field.name}")
        self._load()[field.name] = checked
        self._claim(field)
        self._touch()

    def _claim(self, field: Field) -> None:
        """Unsets the other fields of the group of one that is set."""
        if field.group is not None:
            for other in self.DESCRIPTOR.fields_by_name.values():
                if other.group == field.group and other is not field:
                    self._drop(other)

    def _drop(self, field: Field) -> None:
        value = self._values.pop(field.name, None)
        if isinstance(value, Message):  # who has it keeps it
            value._is_set, value._owner = True, None

    def _touch(self) -> None:
        """Marks the message as set, in the message that it lies in too."""
        if not self._is_set and self._owner is not None:
            self._is_set = True
            owner, field = self._owner
            owner._claim(field)
            owner._touch()

    def _is_field_set(self, field: Field) -> bool:
        value = self._load().get(field.name)
        if value is None:
            return False
        if field.key is not None or field.is_repeated:
            return len(value) > 0
        if field.kind in KINDS:
            return field.group is not None or value != KINDS[field.kind].default
        return value._is_set

    # protobuf's methods

    def HasField(self, name: str) -> bool:
        """Whether a field that is a message, or in a group, is set.

        Raises:
          ValueError: there is no such field, or nothing says whether it is set.
        """
        field = self._field(name)
        if field.key is not None or field.is_repeated or (field.kind in KINDS and field.group is None):
            raise ValueError(f"Field {self.DESCRIPTOR.full_name}.{name} does not have presence.")
        return self._is_field_set(field)

    def WhichOneof(self, name: str) -> str | None:
        """The name of the field that is set in a group; None if none is.

        Raises:
          ValueError: there is no such group.
        """
        members = [field for field in self.DESCRIPTOR.fields_by_name.values() if field.group == name]
        if not members:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        return next((field.name for field in members if self._is_field_set(field)), None)

    def ListFields(self) -> list[tuple[Field, Any]]:
        """The fields that are set, each with its value, by their numbers."""
        fields = self.DESCRIPTOR.fields_by_number.values()
        return [(field, self._get(field)) for field in fields if self._is_field_set(field)]

    def ClearField(self, name: str) -> None:
        """Unsets a field; for the name of a group, the one that is set in it.

        Raises:
          ValueError: there is no such field.
        """
        if name not in self.DESCRIPTOR.fields_by_name and any(f.group == name for f in self.DESCRIPTOR.fields_by_name.values()):
            found = self.WhichOneof(name)
            if found is None:
                return
            name = found
        field = self._field(name)
        self._load()
        self._drop(field)
        self._touch()

    def Clear(self) -> None:
        """Unsets all fields."""
        for field in self.DESCRIPTOR.fields_by_name.values():
            self._drop(field)
        self._empty(None)
        self._touch()

    def CopyFrom(self, other) -> None:
        """Replaces the contents with those of another message of the class.

        Raises:
          TypeError: `other` is no such message.
        """
        self._refuse_other(other, "CopyFrom")
        if other is not self:
            self.Clear()
            self._merge(other.SerializeToString())

    def MergeFrom(self, other) -> None:
        """Adds the contents of another message of the class: values replace values, lists and messages grow.

        Raises:
          TypeError: `other` is no such message.
        """
        self._refuse_other(other, "MergeFrom")
        self._merge(other.SerializeToString())

    def _refuse_other(self, other, method: str) -> None:
        if not isinstance(other, type(self)):
            raise TypeError(
                f"Parameter to {method}() must be instance of same class: expected {type(self)} got {type(other)}."
            )

    def SetInParent(self) -> None:
        """Marks the message as set in the one that it lies in."""
        self._touch()

    def IsInitialized(self) -> bool:
        """True: no field is required."""
        return True

    def SerializeToString(self, **options) -> bytes:
        """The message as bytes. Options of protobuf are accepted; the entries of maps are sorted always."""
        del options
        if self._raw is not None:
            return self._raw
        fields = self.DESCRIPTOR.fields_by_number.values()
        return b"".join(encoded_field(field, self._get(field)) for field in fields if self._is_field_set(field)) + self._unknown

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:
        """The number of bytes of `SerializeToString`."""
        return len(self.SerializeToString())

    def MergeFromString(self, serialized) -> int:
        """Adds the contents of a message in bytes; returns their number.

        Raises:
          TypeError: `serialized` is not bytes.
          DecodeError: the bytes are not such a message.
        """
        if not isinstance(serialized, (bytes, bytearray, memoryview)):
            raise TypeError(f"expected bytes, {type(serialized).__name__} found")
        raw = bytes(serialized)
        try:
            check(self.DESCRIPTOR.name, raw)
        except (DecodeError, UnicodeDecodeError) as error:
            raise refused_message(f"Error parsing message with type '{self.DESCRIPTOR.full_name}': {error}") from None
        self._merge(raw)
        return len(raw)

    def ParseFromString(self, serialized) -> int:
        """Replaces the contents by those of a message in bytes; returns their number.

        Raises:
          TypeError, DecodeError: as `MergeFromString`.
        """
        self.Clear()
        return self.MergeFromString(serialized)

    @classmethod
    def FromString(cls, serialized):
        """The message in bytes.

        Raises:
          TypeError, DecodeError: as `MergeFromString`.
        """
        made = cls()
        made.MergeFromString(serialized)
        return made

    # Python's methods

    def __eq__(self, other) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return type(other) is type(self) and self._canonical() == other._canonical()

    __hash__ = None  # type: ignore[assignment]

    def _canonical(self) -> bytes:
        """Its bytes as this package writes them: others order the entries of maps otherwise."""
        self._load()
        for _, value in self.ListFields():
            inner = value.values() if isinstance(value, Map) else value if isinstance(value, Repeated) else [value]
            for one in inner:
                if isinstance(one, Message):
                    one._canonical()
        return self.SerializeToString()

    def __reduce__(self):
        return of_bytes, (self.DESCRIPTOR.name, self.SerializeToString())

    def __deepcopy__(self, memo):
        return of_bytes(self.DESCRIPTOR.name, self.SerializeToString())

    def __str__(self) -> str:
        return text_of(self)

    __repr__ = __str__


def of_bytes(name: str, raw: bytes) -> Message:
    """The message of a name in bytes that are known to be one."""
    made = CLASSES[name]()
    made._raw = raw
    return made


def as_message(name: str, value):
    """The message that a dict of its fields stands for; other values as they are."""
    return CLASSES[name](**value) if isinstance(value, dict) else value


def _checking(kind: str, name: str):
    checked = KINDS[kind].checked
    return lambda value: checked(value, name)


class _Copying:
    """Makes of messages the copies that repeated fields hold."""

    def __init__(self, name: str) -> None:
        self.message_class = CLASSES[name]

    def __call__(self, value):
        if not isinstance(value, self.message_class):
            raise TypeError(f"Expected a message object, but got {value!r}.")
        return of_bytes(value.DESCRIPTOR.name, value.SerializeToString())


def _copying(name: str) -> _Copying:
    return _Copying(name)


class _Attribute:
    """A field as an attribute of the class."""

    __slots__ = ("_field",)

    def __init__(self, field: Field) -> None:
        self._field = field

    def __get__(self, message, owner):
        return self if message is None else message._get(self._field)

    def __set__(self, message, value) -> None:
        message._set(self._field, value)

    def __delete__(self, message) -> None:
        raise AttributeError("Cannot delete field attribute")


def make_class(name: str) -> type[Message]:
    """The class of a message by its name in the definitions."""
    fields = DEFINITIONS[name].fields
    own = {**{field.name: _Attribute(field) for field in fields.values()}, "__slots__": (), "DESCRIPTOR": Descriptor(name, fields)}
    CLASSES[name] = made = type(name.rpartition(".")[2], (Message,), own)
    made.__qualname__, made.__module__ = name, "tracefn._proto.messages"
    return made
