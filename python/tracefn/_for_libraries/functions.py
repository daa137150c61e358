"""`tf.__internal__.function`: the class of what `tf.function` makes, as libraries make such objects."""

from __future__ import annotations

from tracefn import _core
from tracefn.function import function

__all__ = ["Function"]


class _Functions(type):
    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, _core.Function)

    def __call__(cls, python_function, name, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False,
                 experimental_implements=None, experimental_autograph_options=None, experimental_attributes=None):  # fmt: skip
        del name
        return function(
            python_function,
            input_signature,
            autograph,
            jit_compile,
            reduce_retracing,
            experimental_implements,
            experimental_autograph_options,
            experimental_attributes,
        )


class Function(metaclass=_Functions):
    """What `tf.function` makes.

    Args:
      python_function: callable.
      name: accepted, without effect: a graph has the name of its function.
      input_signature, autograph, jit_compile, reduce_retracing, experimental_implements, experimental_autograph_options,
        experimental_attributes: as in `tf.function`.

    Example:
      >>> import tracefn as tf
      >>> double = tf.__internal__.function.Function(lambda x: 2 * x, "double")
      >>> int(double(3)), isinstance(double, tf.__internal__.function.Function)
      (6, True)
    """
