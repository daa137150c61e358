"""`tensorflow.python.util.variable_utils`: Variables in structures."""

from __future__ import annotations

from tracefn import nest
from tracefn._known_variables import values_of_variables
from tracefn.variable import Variable

__all__ = ["convert_variables_to_tensors", "replace_variables_with_atoms"]


def convert_variables_to_tensors(values):
    """A structure with the values of its Variables in their place, also of those in values made of tensors.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.variable_utils.convert_variables_to_tensors([tf.Variable(1.0), 2])
      [<tf.Tensor: shape=(), dtype=float32, numpy=1.0>, 2]
    """
    return values_of_variables(values)


def replace_variables_with_atoms(values):
    """A structure with 0 in the place of each Variable, so that they count as leaves where composites are expanded.

    Example:
      >>> import tracefn as tf
      >>> tf.python.util.variable_utils.replace_variables_with_atoms([tf.Variable(1.0), "a"])
      [0, 'a']
    """
    return nest.map_structure(lambda value: 0 if isinstance(value, Variable) else value, values)
