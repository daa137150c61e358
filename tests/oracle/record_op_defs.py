"""Records TensorFlow's OpDef of every op in tf.raw_ops, as tests/oracle/op_defs.json.

Run with the oracle's interpreter (TensorFlow 2.21), from anywhere:

    python tests/oracle/record_op_defs.py

The registry test compares our op records with this file. The output is sorted and one op per line, so that a
re-recording reads as a diff.
"""

from __future__ import annotations

import inspect
import json
import pathlib
import sys

import tensorflow as tf
from google.protobuf.json_format import MessageToDict
from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import op_def_registry, ops

OUTPUT = pathlib.Path(__file__).with_name("op_defs.json")


def dtype_name(number: int) -> str:
    """TensorFlow's dtype name ("float32") of a DataType enum value."""
    return tf.as_dtype(number).name


def attr_value(value) -> object:
    """One AttrValue as plain JSON: dtype names, ints, floats, bools, strings, shapes as lists (None: unknown)."""
    kind = value.WhichOneof("value")
    if kind == "type":
        return dtype_name(value.type)
    if kind == "s":
        return value.s.decode()
    if kind == "shape":
        return None if value.shape.unknown_rank else [d.size if d.size >= 0 else None for d in value.shape.dim]
    if kind == "tensor":
        return MessageToDict(value.tensor)
    if kind == "func":
        return value.func.name
    if kind == "list":
        items = value.list
        if items.type:
            return [dtype_name(t) for t in items.type]
        return [s.decode() for s in items.s] or list(items.i) or list(items.f) or list(items.b)
    return getattr(value, kind)


def arg_record(arg) -> dict:
    """One input or output: its name, and a fixed type or the attributes that decide type and number."""
    record = {"name": arg.name}
    if arg.type != types_pb2.DT_INVALID:
        record["type"] = dtype_name(arg.type)
    for field in ("type_attr", "number_attr", "type_list_attr"):
        if getattr(arg, field):
            record[field] = getattr(arg, field)
    if arg.is_ref:
        record["is_ref"] = True
    return record


def attr_record(attr) -> dict:
    """One attribute: name, type, and where given its default, allowed values and minimum."""
    record = {"name": attr.name, "type": attr.type}
    if attr.HasField("default_value"):
        record["default"] = attr_value(attr.default_value)
    if attr.HasField("allowed_values"):
        record["allowed"] = attr_value(attr.allowed_values)
    if attr.has_minimum:
        record["minimum"] = attr.minimum
    return record


def gradient_kind(name: str) -> str:
    """What TensorFlow declares: "rule" a gradient function, "none" that there is none, "missing" nothing at all."""
    try:
        return "none" if ops.gradient_registry.lookup(name) is None else "rule"
    except LookupError:
        return "missing"


def op_record(op_def) -> dict:
    """An OpDef as plain JSON, with its gradient declaration and its parameters in tf.raw_ops, which are Python's."""
    return {
        "inputs": [arg_record(a) for a in op_def.input_arg],
        "outputs": [arg_record(a) for a in op_def.output_arg],
        "attrs": [attr_record(a) for a in op_def.attr],
        "is_stateful": op_def.is_stateful,
        "is_commutative": op_def.is_commutative,
        "is_aggregate": op_def.is_aggregate,
        "gradient": gradient_kind(op_def.name),
        "raw": list(inspect.signature(getattr(tf.raw_ops, op_def.name)).parameters),
    }


def main() -> None:
    names = sorted(name for name in dir(tf.raw_ops) if not name.startswith("_"))
    lines = [f"{json.dumps(name)}: {json.dumps(op_record(op_def_registry.get(name)))}" for name in names]
    ops_text = ",\n".join(lines)
    OUTPUT.write_text(f'{{"tensorflow": "{tf.__version__}",\n"ops": {{\n{ops_text}\n}}}}\n')
    print(f"{len(lines)} ops recorded", file=sys.stderr)


if __name__ == "__main__":
    main()
