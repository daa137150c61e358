"""What the messages in `tf.train.Example` share, without protobuf: how they are changed, read and serialized."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from tracefn._wire import DecodeError, fields_of, refused_message
from tracefn.ops import example_descriptors


class _Descriptor(NamedTuple):
    name: str
    number: int


class ExampleMessage:
    """What the messages share. A subclass names its fields."""

    # Number by field: of the one list, of the one map, or of messages.
    _FIELDS: ClassVar[dict[str, int]]
    _IS_MADE_OF_MESSAGES: ClassVar[bool] = False
    DESCRIPTOR = example_descriptors.DescriptorOfClass()
    __slots__ = ("_owner", "_present", "_unknown")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *args, **fields):
        if args:
            raise TypeError("No positional arguments allowed")
        self._owner: ExampleMessage | None = None
        self._present = False  # in its owner, where that is not a list or a map
        self._unknown = b""
        self._clear()
        for name, value in fields.items():
            if name not in self._FIELDS:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                self._initialize(name, value)

    def _touch(self) -> None:
        """The message has been changed: it is present in its owner from now on."""
        if not self._present:
            self._present = True
            if self._owner is not None:
                self._owner._became_present(self)
        if self._owner is not None:
            self._owner._touch()

    def _became_present(self, part) -> None:
        pass

    def __setattr__(self, name, value):
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in self._FIELDS:
            kind = "message field" if self._IS_MADE_OF_MESSAGES else "repeated field"
            raise AttributeError(f'Assignment not allowed to {kind} "{name}" in protocol message object.')
        else:
            raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')

    def _check_field(self, name: str) -> None:
        if name not in self._FIELDS:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')

    @classmethod
    def FromString(cls, data):
        """The message in bytes.

        Raises:
          DecodeError: they are no such message.
        """
        message = cls()
        message.ParseFromString(data)
        return message

    def ParseFromString(self, data) -> int:
        """Replaces the contents by those in bytes; returns their number."""
        if isinstance(data, str):
            raise TypeError("expected bytes, str found")
        self.Clear()
        return self.MergeFromString(data)

    def MergeFromString(self, data) -> int:
        """Adds the contents in bytes; returns their number."""
        data = bytes(data)
        try:
            self._merge_bytes(data)
        except DecodeError as error:
            refusal = refused_message(
                f"Error parsing message with type 'tensorflow.{type(self).__name__}': Wire format was corrupt"
            )
            refusal.add_note(str(error))
            raise refusal from None
        self._touch()
        return len(data)

    def _merge_bytes(self, data: bytes) -> None:
        for number, kind, value, whole in fields_of(data):
            if not self._take(number, kind, value):
                self._unknown += whole

    def SerializeToString(self, deterministic=None) -> bytes:
        """The serialized message; `deterministic` sorts the keys of maps."""
        return self._binary(bool(deterministic)) + self._unknown

    def SerializePartialToString(self, deterministic=None) -> bytes:
        """The serialized message."""
        return self.SerializeToString(deterministic)

    def ByteSize(self) -> int:
        """The length of the serialized message."""
        return len(self.SerializeToString())

    def IsInitialized(self) -> bool:
        """True: there are no fields that must be set."""
        return True

    def SetInParent(self) -> None:
        """Makes the message present where it is a field."""
        self._touch()

    def Clear(self) -> None:
        """Removes the contents."""
        self._unknown = b""
        self._clear()
        self._touch()

    def ClearField(self, field_name: str) -> None:
        """Removes the contents of a field.

        Raises:
          ValueError: there is no such field.
        """
        self._check_field(field_name)
        self._clear_field(field_name)

    def CopyFrom(self, other) -> None:
        """Replaces the contents by a copy of another message's."""
        if other is self:
            return
        self.Clear()
        self.MergeFrom(other)

    def MergeFrom(self, other) -> None:
        """Adds the contents of another message, of this package or protobuf's own for the same message.

        Raises:
          TypeError: it is of another class.
        """
        if type(other) is not type(self):
            named = getattr(getattr(other, "DESCRIPTOR", None), "full_name", None)
            if named == f"tensorflow.{type(self).__name__}":
                self.MergeFromString(other.SerializeToString())
                return
            raise TypeError(
                "Parameter to MergeFrom() must be instance of same class: expected "
                f"{type(self).__name__} got {type(other).__name__}."
            )
        self._merge(other)
        self._unknown += other._unknown
        self._touch()

    def ListFields(self) -> list:
        """(descriptor with `name` and `number`, value) for each field that is not empty."""
        known = example_descriptors.field_descriptors(type(self).__name__)
        return [
            (_Descriptor(n, number) if known is None else known[n], getattr(self, n))
            for n, number in self._FIELDS.items()
            if self._is_set(n)
        ]

    def WhichOneof(self, oneof_group: str):
        """The name of the field that is set.

        Raises:
          ValueError: the message has no such group.
        """
        raise ValueError(f'Protocol message {type(self).__name__} has no oneof "{oneof_group}" field.')

    def HasField(self, field_name: str) -> bool:
        """Whether a message in this one is present.

        Raises:
          ValueError: there is no such field, or it is a list or map.
        """
        self._check_field(field_name)
        raise ValueError(f'Protocol message {type(self).__name__} has no singular "{field_name}" field.')

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and self._unknown == other._unknown and self._equals(other)

    def __str__(self) -> str:
        return "".join(line + "\n" for line in self._lines())

    __repr__ = __str__

    def __reduce__(self):
        return type(self).FromString, (self.SerializeToString(),)

    def __deepcopy__(self, memo):
        return type(self).FromString(self.SerializeToString())

    # What a subclass says of its fields.
    def _clear(self) -> None:
        raise NotImplementedError

    def _clear_field(self, name: str) -> None:
        self._clear()

    def _initialize(self, name: str, value) -> None:
        raise NotImplementedError

    def _take(self, number: int, kind: int, value) -> bool:
        raise NotImplementedError

    def _binary(self, deterministic: bool) -> bytes:
        raise NotImplementedError

    def _merge(self, other) -> None:
        raise NotImplementedError

    def _equals(self, other) -> bool:
        raise NotImplementedError

    def _is_set(self, name: str) -> bool:
        return len(getattr(self, name)) > 0

    def _lines(self) -> list[str]:
        raise NotImplementedError


def block(name: str, message: ExampleMessage) -> list[str]:
    return [f"{name} {{", *("  " + line for line in message._lines()), "}"]
