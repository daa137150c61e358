"""Attributes of Operations: their values for Python, and those that a program adds."""

from __future__ import annotations

from tracefn import _core, _node_attributes
from tracefn._core import Operation
from tracefn.dtypes import DType, as_dtype
from tracefn.errors import InvalidArgumentError

_LISTS = ("s", "i", "f", "b", "type", "shape", "tensor", "func")
# The fields of an AttrValue whose values are no messages.
_PLAIN = ("s", "i", "f", "b", "type")


def _declared(operation: Operation, name: str):
    """The value of an attribute that the op declares."""
    for own, field, *value in _core.read_node_def(_core.node_def(operation.graph, operation._id)[0])[4]:
        if own == name:
            if field in _PLAIN or (field == "list" and value[0] in _PLAIN):
                return value[-1]
            return _value_of(operation.node_def.attr[name])
    raise ValueError(f"Operation '{operation.name}' has no attr named '{name}'.")


def _value_of(attribute):
    """What an AttrValue holds."""
    field = attribute.WhichOneof("value")
    if field == "list":
        values = attribute.list
        kind = next((one for one in _LISTS if len(getattr(values, one))), None)
        if kind is None:
            return []
        found = list(getattr(values, kind))
        return [as_dtype(number) for number in found] if kind == "type" else found
    value = getattr(attribute, field) if field else None
    return as_dtype(value) if field == "type" else value


def _found(operation: Operation, name: str):
    if not isinstance(name, str):
        raise TypeError(f"The name of an attribute must be a str, not {type(name).__name__}: {name!r}")
    added = _node_attributes.added_to(operation.graph, operation._id)
    return _value_of(added[name]) if name in added else _declared(operation, name)


def get_attr(self: Operation, name: str):
    """The value of an attribute.

    Returns:
      int, float, bool, bytes for text, a `tf.DType`, a message (TensorShapeProto, TensorProto, or NameAttrList for a function),
      or a list of these.

    Raises:
      ValueError: the operation has no such attribute.
      TypeError: `name` is no str.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     product = tf.matmul([[1.0]], [[2.0]], transpose_b=True)
      >>> product.op.get_attr("transpose_b"), product.op.get_attr("T")
      (True, tf.float32)
    """
    return _found(self, name)


def _getter(wanted: type, what: str):
    def get(self: Operation, name: str):
        value = get_attr(self, name)
        if not isinstance(value, wanted):
            raise InvalidArgumentError(None, None, f"Attribute '{name}' of operation '{self.name}' is no {what}.")
        return value

    return get


get_attr_bool = _getter(bool, "bool")
get_attr_int = _getter(int, "int")
get_attr_type = _getter(DType, "dtype")


def set_attr(self: Operation, attr_name: str, attr_value) -> None:
    """Adds an attribute to the operation; one that is not declared for its op, such as those that begin with "_".

    Args:
      attr_name: str.
      attr_value: `tf.compat.v1.AttrValue`.

    Raises:
      AttributeError: `attr_value` is no AttrValue.
      NotImplementedError: the op declares the attribute: the values of those do not change here.
    """
    if not hasattr(attr_value, "SerializeToString"):
        raise AttributeError(f"'{type(attr_value).__name__}' object has no attribute 'SerializeToString'")
    from tracefn._graph_def import as_message  # start-up time: few programs set attributes

    if any(attribute["name"] == attr_name for attribute in _core.op_record(self.type)["attrs"]):
        raise NotImplementedError(
            f"The attribute '{attr_name}' of operation '{self.name}' is one that the op {self.type} declares: it cannot be changed."
        )
    _node_attributes.add(self.graph, self._id, attr_name, as_message("AttrValue", attr_value))


def clear_attr(self: Operation, attr_name: str) -> None:
    """Removes an attribute that `_set_attr` has added."""
    _node_attributes.remove(self.graph, self._id, attr_name)
