"""`tensorflow.python.framework.c_api_util`: the definitions of all ops."""

from __future__ import annotations

from tracefn import _core
from tracefn._graph_def import op_def_of

__all__ = ["ApiDefMap"]


class ApiDefMap:
    """The OpDefs of all ops, by name.

    Example:
      >>> import tracefn as tf
      >>> ops = tf.python.framework.c_api_util.ApiDefMap()
      >>> [arg.name for arg in ops.get_op_def("MatMul").input_arg], "MatMul" in ops.op_names()
      (['a', 'b'], True)
    """

    def __init__(self) -> None:
        self._names = dict.fromkeys(_core.op_names())

    def get_op_def(self, op_name: str):
        """The OpDef of an op.

        Raises:
          ValueError: there is no op of that name.
        """
        if op_name not in self._names:
            raise ValueError(f"No op_def found for op name {op_name}.")
        return op_def_of(op_name)

    def op_names(self):
        """The names of all ops, a view of a dict's keys."""
        return self._names.keys()
