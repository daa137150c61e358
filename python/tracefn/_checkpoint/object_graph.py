"""The objects of a checkpoint, as it keeps them: TensorFlow's message TrackableObjectGraph; the keys of their tensors."""

from __future__ import annotations

import collections
import dataclasses

from tracefn._wire import DELIMITED, VARINT, DecodeError, delimited, fields_of, signed, values_by_number, varint

OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"  # the key of the message
VARIABLE_VALUE = "VARIABLE_VALUE"
PYTHON_STATE = "py_state"
_ATTRIBUTES = ".ATTRIBUTES"


def escaped(name: str) -> str:
    """A name as a part of a key, in which "." and "/" have other meanings."""
    return name.replace(".", "..").replace("/", ".S")


def path_text(path) -> str:
    """The names of references, as the part of a key that names an object."""
    return "/".join(escaped(reference.name) for reference in path)


def attribute_key(object_path: str, name: str) -> str:
    """The key of a tensor of an object."""
    return f"{object_path}/{_ATTRIBUTES}/{escaped(name)}"


def slot_path(variable_path: str, optimizer_path: str, slot_name: str) -> str:
    """The part of a key that names what an optimizer keeps for a Variable."""
    return f"{variable_path}/.OPTIMIZER_SLOT/{optimizer_path}/{escaped(slot_name)}"


def path_of_key(key: str) -> str:
    """The part of an attribute's key that names the object, with the separator."""
    end = key.find(_ATTRIBUTES + "/")
    return key if end < 0 else key[: end + len(_ATTRIBUTES) + 1]


@dataclasses.dataclass
class Child:
    """A reference to an object: its number in the graph, and the name that its parent has for it."""

    node_id: int = 0
    local_name: str = ""


@dataclasses.dataclass
class Attribute:
    """A tensor of an object: its name there, the name of the Variable in its graph, the key in the checkpoint."""

    name: str = ""
    full_name: str = ""
    checkpoint_key: str = ""


@dataclasses.dataclass
class Slot:
    """What an optimizer keeps for a Variable, under a name."""

    original_variable_node_id: int = 0
    slot_name: str = ""
    slot_variable_node_id: int = 0


@dataclasses.dataclass
class RegisteredSaver:
    """The function that saves an object, by its registered name, and the object's name for it."""

    name: str = ""
    object_name: str = ""


@dataclasses.dataclass
class Node:
    """An object of a checkpoint."""

    children: list[Child] = dataclasses.field(default_factory=list)
    attributes: list[Attribute] = dataclasses.field(default_factory=list)
    slot_variables: list[Slot] = dataclasses.field(default_factory=list)
    registered_saver: RegisteredSaver | None = None
    has_checkpoint_values: bool | None = None

    def may_have_values(self) -> bool:
        """Whether it, or what it holds, may have tensors."""
        if self.has_checkpoint_values is not None:
            return self.has_checkpoint_values
        return bool(self.children or self.attributes or self.slot_variables or self.registered_saver)

    def __str__(self) -> str:
        lines: list[str] = []
        for field in _FIELDS[Node]:
            value = getattr(self, field)
            for part in value if isinstance(value, list) else [value]:
                if part is None:
                    continue
                inner = _lines(part) if not isinstance(part, bool) else (["value: true"] if part else [])
                lines += [f"{field} {{", *(f"  {line}" for line in inner), "}"]
        return "\n".join(lines) + ("\n" if lines else "")


# The fields of each message by their numbers, from 1 on.
_FIELDS: dict[type, tuple[str, ...]] = {
    Child: ("node_id", "local_name"),
    Attribute: ("name", "full_name", "checkpoint_key"),
    Slot: ("original_variable_node_id", "slot_name", "slot_variable_node_id"),
    RegisteredSaver: ("name", "object_name"),
    Node: ("children", "attributes", "slot_variables", "registered_saver", "has_checkpoint_values"),
}
_PARTS: dict[str, type] = {
    "children": Child,
    "attributes": Attribute,
    "slot_variables": Slot,
    "registered_saver": RegisteredSaver,
}


def _lines(part) -> list[str]:
    """The text of a message without others in it."""
    shown = ((field, getattr(part, field)) for field in _FIELDS[type(part)])
    return [f'{field}: "{value}"' if isinstance(value, str) else f"{field}: {value}" for field, value in shown if value]


def _part_bytes(part) -> bytes:
    out = b""
    for number, field in enumerate(_FIELDS[type(part)], 1):
        value = getattr(part, field)
        if value:
            out += delimited(number, value.encode()) if isinstance(value, str) else varint(number << 3) + varint(value)
    return out


def _read_part(kind: type, data: bytes):
    part, fields = kind(), _FIELDS[kind]
    for number, wire, value, _ in fields_of(data):
        if number > len(fields):
            continue
        field = fields[number - 1]
        if isinstance(getattr(part, field), str) and wire == DELIMITED:
            setattr(part, field, value.decode())
        elif isinstance(getattr(part, field), int) and wire == VARINT:
            setattr(part, field, signed(value))
    return part


def _read_node(data: bytes) -> Node:
    node = Node()
    for number, wire, value, _ in fields_of(data):
        if wire != DELIMITED or number > len(_FIELDS[Node]):
            continue
        field = _FIELDS[Node][number - 1]
        if field == "has_checkpoint_values":
            node.has_checkpoint_values = bool(values_by_number(value).get(1, [False])[-1])
        elif field == "registered_saver":
            node.registered_saver = _read_part(RegisteredSaver, value)
        else:
            getattr(node, field).append(_read_part(_PARTS[field], value))
    return node


class ObjectGraph:
    """The objects of a checkpoint by their numbers; number 0 is the root.

    Attributes:
      nodes: list of Node.
    """

    def __init__(self, nodes=()) -> None:
        self.nodes: list[Node] = list(nodes)
        self._names: dict[int, str] | None = None

    def SerializeToString(self) -> bytes:
        """The message's bytes."""
        out = []
        for node in self.nodes:
            data = b"".join(delimited(1, _part_bytes(part)) for part in node.children)
            data += b"".join(delimited(2, _part_bytes(part)) for part in node.attributes)
            data += b"".join(delimited(3, _part_bytes(part)) for part in node.slot_variables)
            if node.registered_saver is not None:
                data += delimited(4, _part_bytes(node.registered_saver))
            if node.has_checkpoint_values is not None:
                data += delimited(5, varint(1 << 3) + b"\x01" if node.has_checkpoint_values else b"")
            out.append(delimited(1, data))
        return b"".join(out)

    @classmethod
    def FromString(cls, data: bytes) -> ObjectGraph:
        """The graph in a message's bytes.

        Raises:
          ValueError: they are no such message, or refer to objects that are not there.
        """
        try:
            nodes = [_read_node(value) for number, wire, value, _ in fields_of(data) if number == 1 and wire == DELIMITED]
        except (DecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"The object graph of the checkpoint cannot be read: {error}") from None
        graph = cls(nodes)
        if not nodes:
            raise ValueError("The object graph of the checkpoint is empty.")
        for node_id in graph._referred():
            if not 0 <= node_id < len(nodes):
                raise ValueError(f"The object graph of the checkpoint has {len(nodes)} objects and refers to number {node_id}.")
        return graph

    def _referred(self):
        for node in self.nodes:
            for child in node.children:
                yield child.node_id
            for slot in node.slot_variables:
                yield slot.original_variable_node_id
                yield slot.slot_variable_node_id

    def mark_values(self) -> None:
        """Sets `has_checkpoint_values`: those of objects with tensors, and of all that hold them."""
        parents: dict[int, set[int]] = collections.defaultdict(set)
        for node_id, node in enumerate(self.nodes):
            for child in node.children:
                parents[child.node_id].add(node_id)
        waiting = [
            node_id for node_id, node in enumerate(self.nodes)
            if node.attributes or node.slot_variables or node.registered_saver is not None
        ]  # fmt: skip
        marked = set(waiting)
        while waiting:
            for parent in parents[waiting.pop()] - marked:
                marked.add(parent)
                waiting.append(parent)
        for node_id, node in enumerate(self.nodes):
            node.has_checkpoint_values = node_id in marked

    def names(self) -> dict[int, str]:
        """The objects' names for messages: "(root).model.kernel"."""
        if self._names is None:
            paths: dict[int, str] = {0: "(root)"}
            waiting = collections.deque([0])
            while waiting:
                parent = waiting.popleft()
                for child in self.nodes[parent].children:
                    if child.node_id not in paths:
                        paths[child.node_id] = f"{paths[parent]}.{child.local_name}"
                        waiting.append(child.node_id)
            for node_id, node in enumerate(self.nodes):
                for slot in node.slot_variables:
                    owner, variable = paths.get(node_id), paths.get(slot.original_variable_node_id)
                    paths[slot.slot_variable_node_id] = f"{owner}'s state '{slot.slot_name}' for {variable}"
            self._names = paths
        return self._names


def read_object_graph(reader) -> ObjectGraph:
    """The objects of a checkpoint that has them.

    Args:
      reader: CheckpointReader.

    Raises:
      ValueError: they cannot be read.
    """
    message = reader.get_tensor(OBJECT_GRAPH)
    if not isinstance(message, bytes):
        raise ValueError("The object graph of the checkpoint cannot be read: it is no scalar string.")
    return ObjectGraph.FromString(message)


def keys_by_name(graph: ObjectGraph) -> dict[str, str]:
    """The keys of a checkpoint's tensors by the names of their Variables."""
    return {attribute.full_name: attribute.checkpoint_key for node in graph.nodes for attribute in node.attributes}
