"""The messages of a saved model (saved_model.proto, meta_graph.proto, saved_object_graph.proto), read and written by tables.

A field's kind is the name of a message, or one of: int, sint, bool, text, float, bytes (which other messages are, that this
package reads elsewhere). `*` marks a repeated field, `floats` is one of floats, `map` a map from text.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from tracefn._wire import (
    DELIMITED,
    FIXED32,
    VARINT,
    DecodeError,
    delimited,
    fields_of,
    read_floats,
    read_ints,
    signed,
    varint,
)

FIELDS: dict[str, dict[int, tuple[str, str]]] = {
    "SavedModel": {1: ("saved_model_schema_version", "int"), 2: ("meta_graphs", "MetaGraphDef*")},
    "MetaGraphDef": {
        1: ("meta_info_def", "MetaInfoDef"),
        2: ("graph_def", "bytes"),
        3: ("saver_def", "SaverDef"),
        4: ("collection_def", "map CollectionDef"),
        5: ("signature_def", "map SignatureDef"),
        6: ("asset_file_def", "AssetFileDef*"),
        7: ("object_graph_def", "SavedObjectGraph"),
    },
    "MetaInfoDef": {
        1: ("meta_graph_version", "text"),
        2: ("stripped_op_list", "bytes"),
        3: ("any_info", "bytes"),
        4: ("tags", "text*"),
        5: ("tensorflow_version", "text"),
        6: ("tensorflow_git_version", "text"),
        7: ("stripped_default_attrs", "bool"),
        8: ("function_aliases", "map text"),
    },
    "SaverDef": {
        1: ("filename_tensor_name", "text"),
        2: ("save_tensor_name", "text"),
        3: ("restore_op_name", "text"),
        4: ("max_to_keep", "int"),
        5: ("sharded", "bool"),
        6: ("keep_checkpoint_every_n_hours", "float"),
        7: ("version", "int"),
    },
    "CollectionDef": {
        1: ("node_list", "TextList"),
        2: ("bytes_list", "BytesList"),
        3: ("int64_list", "IntList"),
        4: ("float_list", "Floats"),
        5: ("any_list", "AnyList"),
    },
    "TextList": {1: ("value", "text*")},
    "BytesList": {1: ("value", "bytes*")},
    "IntList": {1: ("value", "int*")},
    "Floats": {1: ("value", "floats")},
    "AnyList": {1: ("value", "Any*")},
    "Any": {1: ("type_url", "text"), 2: ("value", "bytes")},
    "VariableDef": {
        1: ("variable_name", "text"),
        2: ("initializer_name", "text"),
        3: ("snapshot_name", "text"),
        5: ("is_resource", "bool"),
        6: ("initial_value_name", "text"),
        7: ("trainable", "bool"),
    },
    "SignatureDef": {
        1: ("inputs", "map TensorInfo"),
        2: ("outputs", "map TensorInfo"),
        3: ("method_name", "text"),
        4: ("defaults", "map bytes"),
    },
    "TensorShapeProto": {2: ("dim", "Dim*"), 3: ("unknown_rank", "bool")},
    "Dim": {1: ("size", "int")},
    "TensorInfo": {
        1: ("name", "text"),
        2: ("dtype", "int"),
        3: ("tensor_shape", "bytes"),
        4: ("coo_sparse", "CooSparse"),
        5: ("composite_tensor", "CompositeTensor"),
    },
    "CooSparse": {
        1: ("values_tensor_name", "text"),
        2: ("indices_tensor_name", "text"),
        3: ("dense_shape_tensor_name", "text"),
    },
    "CompositeTensor": {1: ("type_spec", "bytes"), 2: ("components", "TensorInfo*")},
    "AssetFileDef": {1: ("tensor_info", "TensorInfo"), 2: ("filename", "text")},
    "SavedObjectGraph": {1: ("nodes", "SavedObject*"), 2: ("concrete_functions", "map SavedConcreteFunction")},
    "SavedObject": {
        1: ("children", "ObjectReference*"),
        3: ("slot_variables", "SlotVariableReference*"),
        4: ("user_object", "SavedUserObject"),
        5: ("asset", "SavedAsset"),
        6: ("function", "SavedFunction"),
        7: ("variable", "SavedVariable"),
        8: ("bare_concrete_function", "SavedBareConcreteFunction"),
        9: ("constant", "SavedConstant"),
        10: ("resource", "SavedResource"),
        11: ("saveable_objects", "map SaveableObject"),
        12: ("captured_tensor", "CapturedTensor"),
        13: ("registered_name", "text"),
        15: ("dependencies", "ObjectReference*"),
    },
    "ObjectReference": {1: ("node_id", "int"), 2: ("local_name", "text")},
    "SlotVariableReference": {
        1: ("original_variable_node_id", "int"),
        2: ("slot_name", "text"),
        3: ("slot_variable_node_id", "int"),
    },
    "SavedUserObject": {1: ("identifier", "text"), 2: ("version", "VersionDef"), 3: ("metadata", "text")},
    "VersionDef": {1: ("producer", "int"), 2: ("min_consumer", "int"), 3: ("bad_consumers", "int*")},
    "SavedAsset": {1: ("asset_file_def_index", "int")},
    "SavedFunction": {1: ("concrete_functions", "text*"), 2: ("function_spec", "FunctionSpec")},
    "FunctionSpec": {
        1: ("fullargspec", "bytes"),
        2: ("is_method", "bool"),
        5: ("input_signature", "bytes"),
        6: ("jit_compile", "int"),
    },
    "SavedVariable": {
        1: ("dtype", "int"),
        2: ("shape", "bytes"),
        3: ("trainable", "bool"),
        4: ("synchronization", "int"),
        5: ("aggregation", "int"),
        6: ("name", "text"),
        7: ("device", "text"),
    },
    "SavedBareConcreteFunction": {
        1: ("concrete_function_name", "text"),
        2: ("argument_keywords", "text*"),
        3: ("allowed_positional_arguments", "int"),
        4: ("function_spec", "FunctionSpec"),
    },
    "SavedConcreteFunction": {
        2: ("bound_inputs", "int*"),
        3: ("canonicalized_input_signature", "bytes"),
        4: ("output_signature", "bytes"),
    },
    "SavedConstant": {1: ("operation", "text")},
    "SavedResource": {1: ("device", "text")},
    "SaveableObject": {2: ("save_function", "int"), 3: ("restore_function", "int")},
    "CapturedTensor": {1: ("name", "text"), 2: ("concrete_function", "text")},
    "FingerprintDef": {
        1: ("saved_model_checksum", "int"),
        2: ("graph_def_program_hash", "int"),
        3: ("signature_def_hash", "int"),
        4: ("saved_object_graph_hash", "int"),
        5: ("checkpoint_hash", "int"),
        6: ("version", "VersionDef"),
    },
    # Graphs, as far as loading looks into them.
    "GraphDef": {1: ("node", "NodeDef*"), 2: ("library", "FunctionDefLibrary")},
    "FunctionDefLibrary": {1: ("function", "bytes*"), 3: ("registered_gradients", "RegisteredGradient*")},
    "RegisteredGradient": {1: ("gradient_func", "text"), 2: ("registered_op_type", "text")},
    "FunctionDef": {1: ("signature", "OpDef"), 3: ("node_def", "NodeDef*")},
    "OpDef": {
        1: ("name", "text"),
        2: ("input_arg", "ArgDef*"),
        3: ("output_arg", "ArgDef*"),
        17: ("is_stateful", "bool"),
    },
    "ArgDef": {1: ("name", "text"), 3: ("type", "int")},
    "NodeDef": {1: ("name", "text"), 2: ("op", "text"), 3: ("input", "text*"), 5: ("attr", "map AttrValue")},
    "AttrValue": {
        1: ("list", "ListValue"),
        2: ("s", "bytes"),
        6: ("type", "int"),
        8: ("tensor", "bytes"),
        10: ("func", "NameAttrList"),
    },
    "ListValue": {6: ("type", "int*"), 9: ("func", "NameAttrList*")},
    "NameAttrList": {1: ("name", "text")},
}


class Record:
    """A message: its fields are attributes. A field that is not set is None, an empty list or an empty dict.

    Args:
      kind: str, the message's name.
      fields: values of fields.
    """

    def __init__(self, kind: str, **fields) -> None:
        self.kind = kind
        for name, field_kind in FIELDS[kind].values():
            empty: Any = [] if field_kind.endswith("*") or field_kind == "floats" else {} if field_kind.startswith("map ") else None
            setattr(self, name, fields.pop(name, empty))
        if fields:
            raise TypeError(f"{kind} has no field {next(iter(fields))!r}")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def __repr__(self) -> str:
        shown = {name: getattr(self, name) for name, _ in FIELDS[self.kind].values()}
        return f"{self.kind}({', '.join(f'{name}={value!r}' for name, value in shown.items() if value not in (None, [], {}))})"


def _field(number: int, kind: str, value) -> bytes:
    if kind in ("int", "bool"):
        return varint(number << 3 | VARINT) + varint(int(value))
    if kind == "float":
        return varint(number << 3 | FIXED32) + struct.pack("<f", value)
    if kind == "text":
        return delimited(number, value.encode())
    return delimited(number, value if kind == "bytes" else encoded(value))


def encoded(record: Record) -> bytes:
    """The message's bytes."""
    out = []
    for number, (name, kind) in FIELDS[record.kind].items():
        value = getattr(record, name)
        if kind.startswith("map "):
            inner = kind.removeprefix("map ")
            out += [
                delimited(number, delimited(1, key.encode()) + _field(2, inner, value[key])) for key in sorted(value)
            ]
        elif kind == "floats":
            if value:
                out.append(delimited(number, struct.pack(f"<{len(value)}f", *value)))
        elif kind == "int*":
            if value:
                out.append(delimited(number, b"".join(map(varint, value))))
        elif kind.endswith("*"):
            out += [_field(number, kind[:-1], one) for one in value]
        elif value is not None:
            out.append(_field(number, kind, value))
    return b"".join(out)


def _floats(wire: int, value, reader_of: str) -> list:
    if wire not in (FIXED32, DELIMITED):
        raise DecodeError(f"{reader_of} has another type")
    return read_floats(wire, value)


def _value(kind: str, wire: int, value, reader_of: str):
    if kind == "float":
        return _floats(wire, value, reader_of)[0]
    if kind in ("int", "bool"):
        if wire != VARINT:
            raise DecodeError(f"{reader_of} is no number")
        return bool(value) if kind == "bool" else signed(value)
    if wire != DELIMITED:
        raise DecodeError(f"{reader_of} has another type")
    if kind == "text":
        return value.decode()
    return bytes(value) if kind == "bytes" else decoded(kind, value)


def _entry(kind: str, data: bytes, reader_of: str) -> tuple:
    key, found = "", None
    for number, wire, value, _ in fields_of(data):
        if number == 1:
            key = _value("text", wire, value, reader_of)
        elif number == 2:
            found = _value(kind, wire, value, reader_of)
    if found is None:
        found = "" if kind == "text" else b"" if kind == "bytes" else Record(kind)
    return key, found


def decoded(kind: str, data: bytes) -> Record:
    """The message in bytes; fields without a table are passed over.

    Raises:
      DecodeError: they are no such message.
    """
    record, fields = Record(kind), FIELDS[kind]
    try:
        for number, wire, value, _ in fields_of(data):
            if number not in fields:
                continue
            name, field_kind = fields[number]
            place = f"{kind}.{name}"
            if field_kind.startswith("map "):
                key, one = _entry(field_kind.removeprefix("map "), value if wire == DELIMITED else b"", place)
                getattr(record, name)[key] = one
            elif field_kind == "int*":
                getattr(record, name).extend(read_ints(wire, value))
            elif field_kind == "floats":
                getattr(record, name).extend(_floats(wire, value, place))
            elif field_kind.endswith("*"):
                getattr(record, name).append(_value(field_kind[:-1], wire, value, place))
            else:
                setattr(record, name, _value(field_kind, wire, value, place))
    except UnicodeDecodeError as error:
        raise DecodeError(f"a text of {kind} is no UTF-8") from error
    return record
