"""`tf.Graph.create_op`: nodes by the names of their ops; `tf.__internal__.create_c_op`: nodes by their messages."""

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
    scope = "" if name and name.endswith("/") else self.scope
    return _made(self, op_type, inputs, dict(attrs or {}), scope, (name or op_type).removesuffix("/"))


def create_c_op(graph: Graph, node_def, inputs, control_inputs, op_def=None, extract_traceback=True):
    """A new Operation like that of a message, in no name scope and without the control dependencies of contexts.

    Args:
      graph: Graph.
      node_def: NodeDef; its inputs are not looked at.
      inputs: list of tensors of the graph, those of lists one after the other.
      control_inputs: list of Operations.
      op_def, extract_traceback: accepted, without effect.

    Returns:
      An Operation, which `Graph._create_op_from_tf_operation` takes.

    Raises:
      RuntimeError: there is no such op.
      ValueError: there are not as many inputs as the op has, or the graph has a node of that name.
    """
    del op_def, extract_traceback
    if graph.find(node_def.name) >= 0:
        raise ValueError(f"Duplicate node name in graph: {node_def.name!r}")
    with graph.control_dependencies(None), graph.control_dependencies(control_inputs):
        made = _made(graph, node_def.op, inputs, dict(node_def.attr), "", f"{node_def.name}/")
    if node_def.device:
        made._set_device_from_string(node_def.device)
    return made


def create_op_from_tf_operation(self: Graph, c_op, compute_device=True):
    """The Operation that `create_c_op` has made."""
    del compute_device
    return c_op


def _made(graph: Graph, op_type: str, inputs, attrs: dict, scope: str, name: str):
    """A new Operation; a name that ends with "/" is taken as it is."""
    arguments = arguments_of(graph.op_def_for_type(op_type), inputs, attrs)
    with _core.TargetContext(graph), _core.ScopeOf(graph, scope):
        _core.raw_op(op_type)(**arguments, name=name)
    made = graph.last_operation
    for key, value in attrs.items():
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
