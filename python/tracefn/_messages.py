"""What TensorFlow's messages say of dtypes and shapes."""

from __future__ import annotations

from typing import Any

from tracefn._proto import message_class
from tracefn._proto.definitions import ENUMS


def data_type_name(dtype) -> str:
    """The name of a dtype in the enum DataType, such as "DT_FLOAT"."""
    return ENUMS["DataType"][dtype.as_datatype_enum]


def shape_proto(shape):
    """A TensorShape as a TensorShapeProto; unknown sizes are -1 in it."""
    if shape.rank is None:
        return message_class("TensorShapeProto")(unknown_rank=True)
    sizes = [{"size": -1 if size is None else size} for size in shape.as_list()]
    return message_class("TensorShapeProto")(dim=sizes)


def dimensions(proto: Any):
    """The sizes in a TensorShapeProto; None if the rank is unknown."""
    if proto.unknown_rank:
        return None
    return [None if d.size == -1 else d.size for d in proto.dim]
