"""Small functions: the current name scope, symbolic tensors and `tf.tuple`."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.framework import control_dependencies, current_scope, name_scope

_identity = _core.raw_op("Identity")


@export("get_current_name_scope")
def get_current_name_scope() -> str:
    """The current name scope, without the trailing slash; "" at the root.

    Example:
      >>> import tracefn as tf
      >>> with tf.name_scope("a"), tf.name_scope("b"):
      ...     print(tf.get_current_name_scope())
      a/b
    """
    return current_scope().rstrip("/")


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor) -> bool:
    """Whether an object is a tensor of a graph, which has no value yet.

    Args:
      tensor: any object.

    Example:
      >>> import tracefn as tf
      >>> tf.is_symbolic_tensor(tf.constant(1))
      False
    """
    return isinstance(tensor, _core.SymbolicTensor)


@export("tuple")
def tuple_(tensors, control_inputs=None, name=None):
    """The same tensors; each is available only once all have been computed.

    Args:
      tensors: list of tensors and None.
      control_inputs: further operations or tensors to compute first.
      name: str, the scope of the ops.

    Returns:
      List like `tensors`; eagerly, `tensors` itself.

    Raises:
      ValueError: `tensors` has no tensor.

    Example:
      >>> import tracefn as tf
      >>> tf.function(lambda x: tf.tuple([x, x * 2]))(tf.constant(1))[1].numpy()
      np.int32(2)
    """
    if _core.current_graph() is None:
        return tensors
    with name_scope(name or "tuple"):
        present = [_core.convert_to_tensor(t) for t in tensors if t is not None]
        if not present:
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
        with control_dependencies([*present, *(control_inputs or [])]):
            gated = iter([_identity(input=t) for t in present])
        return [None if t is None else next(gated) for t in tensors]
