"""`tensorflow.python.ops.resource_variable_ops`: the classes of Variables."""

from tracefn.tensor_spec import VariableSpec
from tracefn.variable import ResourceVariable, Variable

__all__ = ["BaseResourceVariable", "ResourceVariable", "VariableSpec", "is_resource_variable"]
BaseResourceVariable = Variable


def is_resource_variable(var) -> bool:
    """Whether a value is a Variable."""
    return isinstance(var, Variable)
