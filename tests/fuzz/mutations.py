"""Changes of GraphDefs: of their bytes, and of the messages that they are made of."""

from __future__ import annotations

import random
from collections.abc import Iterator

from support.graph_def_messages import NUMBERS, SCHEMA, VARINT, Field, Message, encode

INTEGERS = (0, 1, 2, 3, 7, -1, -2, 100, 2**16, 2**31 - 1, -(2**31), 2**31, 2**40, 2**62, 2**63 - 1, -(2**63))
TYPES = (*range(25), 29, 101, 1000)
TEXTS = (b"", b"x", b"^x", b"x:1", b"x:y:0", b"\xff\xfe", b"a" * 300, b"_hidden", b"SAME", b"\0")


def changed_bytes(rng: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The bytes with some flipped, cut, put in or doubled."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(out) + 1)
        end = min(len(out), at + rng.choice((1, 2, 4, 16, 64)))
        match rng.randrange(7):
            case 0 if at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(out):
                out[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            case 2:
                del out[at:end]
            case 3:
                out[at:at] = rng.randbytes(rng.choice((1, 3, 10)))
            case 4:
                out[at:at] = out[at:end]
            case 5:
                other = rng.choice(others)
                begin = rng.randrange(len(other) + 1)
                out[at:end] = other[begin : begin + rng.choice((4, 16, 64, 256))]
            case _:
                if rng.random() < 0.2:
                    del out[at:]
    return bytes(out)


def _messages(message: Message) -> Iterator[Message]:
    yield message
    for part in message.fields:
        if isinstance(part.value, Message):
            yield from _messages(part.value)


def _copy(message: Message) -> Message:
    fields = [Field(f.number, f.wire, _copy(f.value) if isinstance(f.value, Message) else f.value) for f in message.fields]
    return Message(message.kind, fields)


class Mutator:
    """Changes messages at random. `donors` are trees whose parts come in; `ops` are names of ops."""

    def __init__(self, rng: random.Random, donors: list[Message], ops: list[bytes]) -> None:
        self._rng = rng
        self._donors = donors
        self._ops = ops

    def changed(self, tree: Message) -> bytes:
        """The tree with one change or a few, written out."""
        tree = _copy(tree)
        for _ in range(self._rng.choice((1, 1, 1, 2, 3, 6))):
            self._change(tree)
        return encode(tree)

    def _change(self, tree: Message) -> None:
        messages = [m for m in _messages(tree) if m.fields]
        if not messages:
            return
        # Kinds are chosen first: there are more attributes than functions.
        kind = self._rng.choice(sorted({m.kind for m in messages}))
        message = self._rng.choice([m for m in messages if m.kind == kind])
        at = self._rng.randrange(len(message.fields))
        match self._rng.randrange(10):
            case 0:
                del message.fields[at]
            case 1:
                part = message.fields[at]
                message.fields.insert(self._rng.randrange(len(message.fields) + 1), _copy(Message(kind, [part])).fields[0])
            case 2:
                other = self._rng.randrange(len(message.fields))
                message.fields[at], message.fields[other] = message.fields[other], message.fields[at]
            case 3:
                self._take(message, at)
            case 4:
                self._reroute(tree)
            case 5:
                self._rename_function(tree)
            case _:
                self._value(tree, message, message.fields[at])

    def _take(self, message: Message, at: int) -> None:
        """A part of another tree, or of this one, in the place of this part or beside it."""
        part = message.fields[at]
        donor = self._rng.choice(self._donors)
        parts = [f for m in _messages(donor) if m.kind == message.kind for f in m.fields if f.number == part.number]
        if parts:
            taken = _copy(Message(message.kind, [self._rng.choice(parts)])).fields[0]
            if self._rng.random() < 0.5:
                message.fields[at] = taken
            else:
                message.fields.insert(at, taken)

    def _nodes(self, tree: Message) -> list[Message]:
        return [m for m in _messages(tree) if m.kind == "NodeDef"]

    def _reroute(self, tree: Message) -> None:
        """Another value of the graph as an input of a node: of another type, of a later node, of the node itself."""
        nodes = self._nodes(tree)
        if not nodes:
            return
        node = self._rng.choice(nodes)
        inputs = [b for n in nodes for b in n.all("input")]
        names = [b for n in nodes for b in n.all("name")]
        wanted = self._rng.choice([*inputs, *names]) if inputs or names else b"x"
        index = self._rng.choice((b"", b"", b":0", b":1", b":output:0"))
        number = NUMBERS["NodeDef"]["input"][0]
        places = [f for f in node.fields if f.number == number]
        if places and self._rng.random() < 0.7:
            self._rng.choice(places).value = wanted + index if isinstance(wanted, bytes) else wanted
        else:
            node.fields.append(Field(number, 2, b"^" + wanted if self._rng.random() < 0.5 else wanted))

    def _rename_function(self, tree: Message) -> None:
        """Another function of the library where one is named: of other types, or the one around it."""
        named = [m for m in _messages(tree) if m.kind == "NameAttrList"]
        names = [b for m in _messages(tree) if m.kind == "OpDef" for b in m.all("name")]
        if named and names:
            field = [f for f in self._rng.choice(named).fields if f.number == 1]
            if field:
                field[0].value = self._rng.choice(names)

    def _value(self, tree: Message, message: Message, part: Field) -> None:
        name, inner = SCHEMA[message.kind].get(part.number, ("", None))
        if isinstance(part.value, Message):
            if self._rng.random() < 0.3:
                part.value = Message(inner or part.value.kind)
            else:
                self._take(message, message.fields.index(part))
        elif part.wire == VARINT:
            is_type = name in ("type", "dtype")
            part.value = self._rng.choice(TYPES if is_type and self._rng.random() < 0.9 else INTEGERS)
        elif part.wire != 2:
            part.value = self._rng.choice((bytes(len(part.value)), b"\xff" * len(part.value), self._rng.randbytes(len(part.value))))
        elif message.kind == "NodeDef" and name == "op":
            part.value = self._rng.choice(self._ops)
        else:
            pool = [f.value for m in _messages(tree) if m.kind == message.kind for f in m.fields if f.number == part.number]
            pool = [value for value in pool if isinstance(value, bytes)]
            part.value = self._rng.choice(pool if pool and self._rng.random() < 0.6 else TEXTS)
