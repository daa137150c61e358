"""`tensorflow.python.ops.resource_variable_ops`: the classes of Variables."""

from tracefn._known_variables import variable_of_handle
from tracefn.dtypes import int32
from tracefn.ops._build import convert, op
from tracefn.tensor_spec import VariableSpec
from tracefn.variable import ResourceVariable, Variable

__all__ = ["BaseResourceVariable", "ResourceVariable", "VariableSpec", "is_resource_variable", "variable_shape"]
BaseResourceVariable = Variable


def is_resource_variable(var) -> bool:
    """Whether a value is a Variable."""
    return isinstance(var, Variable)


def variable_shape(handle, out_type=int32):
    """The shape of a Variable as a vector, by the Variable's handle.

    Args:
      handle: scalar resource tensor.
      out_type: DType of the result: int32 or int64.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.resource_variable_ops.variable_shape(tf.Variable([[1.0, 2.0]]).handle).numpy().tolist()
      [1, 2]
    """
    variable = variable_of_handle(handle)
    if variable is not None and variable.shape.is_fully_defined():
        return convert(variable.shape.as_list(), dtype=out_type)
    return op("VariableShape")(input=handle, out_type=out_type)
