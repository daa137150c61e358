"""`tensorflow.python.training.slot_creator`: Variables that belong to other Variables, such as moments of optimizers."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.variable_scopes import get_variable_scope, variable_scope
from tracefn.compat.v1.variables import get_variable
from tracefn.ops.by_path import public_function
from tracefn.variable import Variable

__all__ = ["create_slot", "create_slot_with_initializer", "create_zeros_slot"]


def create_slot(primary, val, name, colocate_with_primary=True, *, copy_xla_sharding=False):
    """A Variable named below another one.

    Args:
      primary: the Variable that it belongs to, or a node's tensor.
      val: tensor, its initial value.
      name: str, its name below that of `primary`; it is made unique.
      colocate_with_primary, copy_xla_sharding: accepted, without effect.

    Returns:
      Variable that is not trainable.

    Raises:
      AttributeError: `primary` is an eager tensor, or `val` is no tensor.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable([1.0, 2.0], name="v")
      >>> tf.python.training.slot_creator.create_slot(v, tf.constant([0.5, 0.5]), "momentum").name
      'v/momentum:0'
    """
    del colocate_with_primary, copy_xla_sharding
    return _new(primary, name, val, None, val.dtype, val.get_shape().is_fully_defined())


def create_slot_with_initializer(
    primary, initializer, shape, dtype, name, colocate_with_primary=True, *, copy_xla_sharding=False
):
    """As `create_slot`, with an initializer for a shape and dtype instead of a value.

    Args:
      primary: the Variable that it belongs to, or a node's tensor.
      initializer: callable that takes a shape and a dtype.
      shape: TensorShape.
      dtype: dtype.
      name: str, its name below that of `primary`; it is made unique.
      colocate_with_primary, copy_xla_sharding: accepted, without effect.

    Returns:
      Variable that is not trainable.
    """
    del colocate_with_primary, copy_xla_sharding
    return _new(primary, name, initializer, shape, dtype, shape.is_fully_defined())


def create_zeros_slot(primary, name, dtype=None, colocate_with_primary=True, *, copy_xla_sharding=False):
    """As `create_slot`, with zeros of the shape of `primary`.

    Args:
      primary: the Variable that it belongs to, or a node's tensor.
      name: str, its name below that of `primary`; it is made unique.
      dtype: dtype; that of `primary` by default.
      colocate_with_primary, copy_xla_sharding: accepted, without effect.

    Returns:
      Variable that is not trainable.

    Example:
      >>> import tracefn as tf
      >>> v = tf.Variable([1.0, 2.0], name="v")
      >>> tf.python.training.slot_creator.create_zeros_slot(v, "zeros").numpy().tolist()
      [0.0, 0.0]
    """
    del colocate_with_primary, copy_xla_sharding
    dtype = primary.dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        initializer = public_function("compat.v1.zeros_initializer")()
        return create_slot_with_initializer(primary, initializer, shape, dtype, name)
    sizes = _core.raw_op("Shape")(input=_core.convert_to_tensor(primary))
    zero = _core.convert_to_tensor(0, dtype=dtype)
    return create_slot(primary, _core.raw_op("Fill")(dims=sizes, value=zero), name)


def _new(primary, name: str, initial, shape, dtype, validate_shape: bool):
    below = primary._shared_name if isinstance(primary, Variable) else primary.op.name
    with variable_scope(None, f"{below}/{name}"):
        scope = get_variable_scope()
        partitioner = scope.partitioner
        scope.set_partitioner(None)
        try:
            return get_variable(
                "", shape=shape, dtype=dtype, initializer=initial, trainable=False, validate_shape=validate_shape,
                use_resource=True if isinstance(primary, Variable) else None,
            )
        finally:
            scope.set_partitioner(partitioner)
