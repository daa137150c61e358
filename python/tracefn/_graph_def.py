"""The messages of `Graph.as_graph_def()` and related methods; they can be read, printed and serialized."""

from __future__ import annotations

import re
from typing import NamedTuple

from tracefn import _core
from tracefn._attr_value import AttrValue
from tracefn._messages import Message
from tracefn._wire import delimited, first_text, texts_by_name, values_by_number
from tracefn.dtypes import as_dtype


class NodeDef(Message):
    """One node of a GraphDef.

    Attributes:
      name, op, device: str.
      input: list of str: "node", "node:1" for an output other than the first, "^node" for a control input; in a function
        "argument" and "node:output:0".
      attr: dict from name to AttrValue.
    """

    __slots__ = ("attr", "device", "input", "name", "op")

    def __init__(self, binary: bytes, text: str | None = None) -> None:
        super().__init__(binary, text)
        self.name, self.op, self.device, self.input, attrs = _core.read_node_def(binary)
        self.attr = {name: AttrValue(*value) for name, *value in attrs}

    def _summary(self) -> str:
        return f"<NodeDef {self.name!r}, a {self.op}>"


class ArgDef(NamedTuple):
    """An input or output in the declaration of an op; `type` is the number of a dtype, 0 if an attribute gives it."""

    name: str
    type: int
    type_attr: str
    number_attr: str
    type_list_attr: str
    description: str = ""
    is_ref: bool = False


def _argument(record: dict) -> ArgDef:
    number = as_dtype(record["type"]).as_datatype_enum if "type" in record else 0
    return ArgDef(record["name"], number, *(record.get(f"{name}_attr", "") for name in ("type", "number", "type_list")))


_FIELD_OF_TYPE = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "type", "shape": "shape", "tensor": "tensor"}


def _attr_value(type: str, value) -> AttrValue:
    inner = type.removeprefix("list(").removesuffix(")")
    field = _FIELD_OF_TYPE.get(inner, inner)
    value = [as_dtype(v) for v in value] if field == "type" and isinstance(value, list) else value
    return AttrValue(field, value) if inner == type else AttrValue("list", field, value)


class AttrDef:
    """An attribute in the declaration of an op.

    Attributes:
      name, type, description: str; `type` is such as "int" or "list(type)".
      default_value, allowed_values: AttrValue; no field of them is set if there are none.
      has_minimum: bool; minimum: int.
    """

    __slots__ = ("allowed_values", "default_value", "description", "has_minimum", "minimum", "name", "type")

    def __init__(self, record: dict) -> None:
        self.name, self.type, self.description = record["name"], record["type"], ""
        self.default_value = _attr_value(self.type, record["default"]) if "default" in record else AttrValue()
        allowed = record.get("allowed")
        self.allowed_values = AttrValue()
        if allowed is not None:
            of_types = "type" in self.type
            values = [as_dtype(v) for v in allowed] if of_types else [v.encode() for v in allowed]
            self.allowed_values = AttrValue("list", "type" if of_types else "s", values)
        self.has_minimum = "minimum" in record
        self.minimum = record.get("minimum", 0)

    def HasField(self, name: str) -> bool:
        """Whether `default_value` or `allowed_values` is set."""
        return getattr(self, name).WhichOneof("value") is not None

    def __repr__(self) -> str:
        return f"<AttrDef {self.name!r}, {self.type}>"


class OpDef(Message):
    """The declaration of an op, by its registered name.

    Attributes:
      name: str.
      input_arg, output_arg: lists of ArgDef.
      attr: list of AttrDef.
      is_stateful, is_commutative: bool.
    """

    __slots__ = ("attr", "input_arg", "is_commutative", "is_stateful", "name", "output_arg")

    def __init__(self, name: str) -> None:
        super().__init__(*_core.op_def(name))
        record = _core.op_record(name)
        self.name = name
        self.input_arg = [_argument(argument) for argument in record["inputs"]]
        self.output_arg = [_argument(argument) for argument in record["outputs"]]
        self.attr = [AttrDef(attribute) for attribute in record["attrs"]]
        self.is_stateful = record["is_stateful"]
        self.is_commutative = record["is_commutative"]


def _attributes(entries: list) -> dict[str, AttrValue]:
    """The entries of a map of attributes, which a NodeDef has as its field 5."""
    attrs = _core.read_node_def(b"".join(delimited(5, entry) for entry in entries))[4]
    return {name: AttrValue(*value) for name, *value in attrs}


class ArgAttrs:
    """The attributes of an argument: `attr`, a dict from name to AttrValue."""

    __slots__ = ("attr",)

    def __init__(self, binary: bytes) -> None:
        self.attr = _attributes(values_by_number(binary).get(1, []))


def _argument_of_function(binary: bytes) -> ArgDef:
    fields = values_by_number(binary)
    name, description, of_type, of_number, of_types = (first_text(fields, number) for number in (1, 2, 4, 5, 6))
    return ArgDef(name, fields.get(3, [0])[0], of_type, of_number, of_types, description)


class _Signature:
    """The declaration of a function: `name`; `input_arg` and `output_arg`, lists of ArgDef; `is_stateful`."""

    __slots__ = ("input_arg", "is_stateful", "name", "output_arg")

    def __init__(self, name: str, binary: bytes) -> None:
        fields = values_by_number(binary)
        self.name = name
        self.input_arg, self.output_arg = ([_argument_of_function(x) for x in fields.get(n, [])] for n in (2, 3))
        self.is_stateful = bool(fields.get(17, [0])[0])


class FunctionDef(Message):
    """One traced function, as an entry of a GraphDef's library.

    Attributes:
      signature: has `name`, `input_arg` and `output_arg`, as an OpDef.
      node_def: list of NodeDef.
      attr: dict from name to AttrValue.
      arg_attr: dict from the number of an argument to its attributes, in `attr`.
      ret, control_ret: dicts from the name of an output to what gives it: "node:output:0", and "node".
    """

    __slots__ = ("arg_attr", "attr", "control_ret", "node_def", "ret", "signature")

    def __init__(self, binary: bytes, text: str | None = None) -> None:
        super().__init__(binary, text)
        name, nodes = _core.read_function_def(binary)
        fields = values_by_number(binary)
        self.signature = _Signature(name, fields.get(1, [b""])[0])
        self.node_def = [NodeDef(node) for node in nodes]
        self.ret, self.control_ret = (texts_by_name(fields.get(number, [])) for number in (4, 6))
        self.attr = _attributes(fields.get(5, []))
        entries = map(values_by_number, fields.get(7, []))
        self.arg_attr = {entry.get(1, [0])[0]: ArgAttrs(entry.get(2, [b""])[0]) for entry in entries}

    def _summary(self) -> str:
        return f"<FunctionDef {self.signature.name!r} of {len(self.node_def)} nodes>"


def function_def_of(concrete) -> FunctionDef:
    """A ConcreteFunction as an entry of a library."""
    return FunctionDef(*_core.function_def(concrete.graph, concrete.name.decode()))


class VersionDef(Message):
    """The versions of a GraphDef: `producer` and `min_consumer`, ints; `min_consumer` is 0 if any reader will do."""

    __slots__ = ("min_consumer", "producer")

    def __init__(self, producer: int, min_consumer: int) -> None:
        super().__init__(*_core.version_def(producer, min_consumer))
        self.producer, self.min_consumer = producer, min_consumer


class _Library:
    __slots__ = ("function",)

    def __init__(self, function: list[FunctionDef]) -> None:
        self.function = function


class GraphDef(Message):
    """TensorFlow's serialization of a graph: the result of `as_graph_def`, or read from bytes.

    `GraphDef()` is that of an empty graph. Its contents are read-only.

    Attributes:
      node: list of NodeDef; from `as_graph_def`, in the order of creation.
      library: has `function`, list of FunctionDef.
      versions: VersionDef.

    Example:
      >>> import tracefn as tf
      >>> @tf.function
      ... def double(x):
      ...     return 2 * x
      >>> graph_def = double.get_concrete_function(tf.TensorSpec([])).graph.as_graph_def()
      >>> [node.name for node in graph_def.node]
      ['x', 'mul/x', 'mul', 'Identity']
      >>> str(graph_def).splitlines()[:3]
      ['node {', '  name: "x"', '  op: "Placeholder"']
      >>> read = tf.compat.v1.GraphDef.FromString(graph_def.SerializeToString())
      >>> read.node[2].op, list(read.node[2].input), read.node[2].attr["T"].type == tf.float32.as_datatype_enum
      ('Mul', ['mul/x', 'x'], True)
    """

    __slots__ = ("_parts",)

    def __init__(self, binary: bytes = b"", text: str | None = None) -> None:
        super().__init__(binary, text if binary else "")
        self._parts: tuple | None = None

    def ParseFromString(self, serialized) -> int:
        """Replaces the contents with the GraphDef in `serialized`; returns the number of bytes.

        Raises:
          TypeError: `serialized` is not bytes.
          ValueError: the bytes are not a GraphDef; the message says at which byte.
        """
        if not isinstance(serialized, (bytes, bytearray, memoryview)):
            raise TypeError(f"A GraphDef is parsed from bytes, not from {type(serialized).__name__}.")
        binary = bytes(serialized)
        try:
            self._parts = _read(binary, None)
        except ValueError as error:
            raise ValueError(f"Error parsing message with type 'tensorflow.GraphDef': {error}") from None
        self._binary, self._text = binary, None if binary else ""
        return len(binary)

    @classmethod
    def FromString(cls, serialized) -> GraphDef:
        """The GraphDef in the given bytes; see `ParseFromString`."""
        graph_def = cls()
        graph_def.ParseFromString(serialized)
        return graph_def

    def CopyFrom(self, other: GraphDef) -> None:
        """Replaces the contents with those of another GraphDef.

        Raises:
          TypeError: `other` is not a GraphDef.
        """
        if not isinstance(other, GraphDef):
            raise TypeError(f"Expected a GraphDef, got {type(other).__name__}.")
        self._binary, self._text, self._parts = other._binary, other._text, other._parts

    def _read(self) -> tuple:
        if self._parts is None:
            self._parts = _read(self._binary, self._text)
        return self._parts

    @property
    def node(self) -> list[NodeDef]:
        return self._read()[0]

    @property
    def library(self) -> _Library:
        return self._read()[1]

    @property
    def versions(self) -> VersionDef:
        return self._read()[2]

    def _summary(self) -> str:
        return f"<GraphDef of {len(self.node)} nodes and {len(self.library.function)} functions>"


def _read(binary: bytes, text: str | None) -> tuple:
    nodes, functions, producer, min_consumer = _core.read_graph_def(binary)
    library = _Library([FunctionDef(function) for function in functions])
    texts = [None] * len(nodes) if text is None else _texts_of_nodes(text)
    return [NodeDef(*both) for both in zip(nodes, texts, strict=True)], library, VersionDef(producer, min_consumer)


def _texts_of_nodes(text: str) -> list[str]:
    """The texts of the nodes, which are the blocks `node { … }`, in the text of a GraphDef."""
    blocks = re.findall(r"^node \{\n(.*?)^\}$", text, flags=re.MULTILINE | re.DOTALL)
    return [re.sub("^  ", "", block, flags=re.MULTILINE) for block in blocks]


def graph_def_of(graph) -> GraphDef:
    """A Graph as a GraphDef, with the attributes that its ops declare."""
    return GraphDef(*_core.graph_def(graph))
