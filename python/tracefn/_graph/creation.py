"""`tf.Graph.create_op`: nodes by the names of their ops."""

from __future__ import annotations

from tracefn import _core
from tracefn._core import Graph, Tensor
from tracefn.dtypes import as_dtype


def create_op(
    self: Graph,
    op_type,
    inputs,
    dtypes=None,
    input_types=None,
    name=None,
    attrs=None,
    op_def=None,
    compute_shapes=True,
    compute_device=True,
):
    """A new Operation of the graph.

    Args:
      op_type: str, the registered name of the op.
      inputs: list of tensors of the graph, those of lists one after the other.
      dtypes, input_types, op_def, compute_shapes, compute_device: accepted, without effect: the op says them.
      name: str, or None for the op's; one that ends with "/" is taken as it is, without the name scope.
      attrs: dict from names of attributes to AttrValues, or None.

    Returns:
      An Operation.

    Raises:
      TypeError: an input is no tensor.
      RuntimeError: there is no such op.
      ValueError: there are not as many inputs as the op has.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     x = tf.constant(2.0)
      ...     graph.create_op("Mul", [x, x], name="square").outputs
      [<tf.Tensor 'square:0' shape=() dtype=float32>]
    """
    del dtypes, input_types, op_def, compute_shapes, compute_device
    for i, tensor in enumerate(inputs):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Input #{i} is not a tensor: {tensor}")
    given = dict(attrs or {})
    arguments = arguments_of(self.op_def_for_type(op_type), inputs, given)
    before = len(self)
    with _core.TargetContext(self), _core.ScopeOf(self, "" if name and name.endswith("/") else self.scope):
        _core.raw_op(op_type)(**arguments, name=(name or op_type).removesuffix("/"))
    made = self.operation(before)
    for key, value in given.items():
        if key.startswith("_"):
            made._set_attr(key, value)
    return made


def arguments_of(declared, inputs, attrs: dict) -> dict:
    """The arguments, by their names, of the function that makes nodes of an op or runs it.

    Args:
      declared: OpDef.
      inputs: list of tensors, those of lists one after the other.
      attrs: dict from names of attributes to AttrValues.

    Raises:
      ValueError: there are not as many inputs as the op has.
    """
    arguments, waiting = {}, list(inputs)
    for argument in declared.input_arg:
        count, is_list = _size(argument, attrs, len(waiting))
        if len(waiting) < count:
            raise ValueError(f"The op {declared.name} has more inputs than the {len(inputs)} that are given.")
        arguments[argument.name] = waiting[:count] if is_list else waiting[0]
        del waiting[:count]
    if waiting:
        raise ValueError(f"The op {declared.name} has fewer inputs than the {len(inputs)} that are given.")
    told = {a for one in declared.input_arg for a in (one.type_attr, one.number_attr, one.type_list_attr)}
    return arguments | {key: _plain(value) for key, value in attrs.items() if key not in told and not key.startswith("_")}


def _size(argument, attrs: dict, left: int) -> tuple[int, bool]:
    """How many tensors an input takes, and whether it is a list."""
    if argument.number_attr:
        return attrs[argument.number_attr].i if argument.number_attr in attrs else left, True
    if argument.type_list_attr:
        return len(attrs[argument.type_list_attr].list.type) if argument.type_list_attr in attrs else left, True
    return 1, False


def _plain(attribute):
    """The value of an AttrValue as ops take it."""
    field = attribute.WhichOneof("value")
    if field == "list":
        fields = attribute.list.ListFields()
        return [_element(kind.name, one) for kind, values in fields for one in values]
    return _element(field, getattr(attribute, field)) if field else None


def _element(field: str, value):
    if field == "type":
        return as_dtype(value)
    if field == "shape":
        return None if value.unknown_rank else [None if dim.size == -1 else dim.size for dim in value.dim]
    return _core.read_tensor(value.SerializeToString()) if field == "tensor" else value.name if field == "func" else value
