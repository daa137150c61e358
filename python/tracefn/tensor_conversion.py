"""Conversions of classes that do not know tensors."""

from __future__ import annotations


def register_tensor_conversion_function(base_type, conversion_func, priority: int = 100) -> None:
    """Has objects of a class converted to tensors wherever a tensor is expected.

    Args:
      base_type: class, or tuple of classes, of the program's own.
      conversion_func: takes the object, the dtype wanted or None, the name or None, and whether a reference is wanted
        (never); returns a tensor.
      priority: accepted; a class has one conversion, and a subclass its own before that of its base.

    Raises:
      TypeError: `base_type` is no class, or `conversion_func` is not callable.

    Example:
      >>> import tracefn as tf
      >>> class Meters:
      ...     def __init__(self, value):
      ...         self.value = value
      >>> tf.register_tensor_conversion_function(
      ...     Meters, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.value, dtype))
      >>> tf.add(Meters(2.0), 1.0).numpy()
      np.float32(3.0)
    """
    del priority
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    for cls in base_type if isinstance(base_type, tuple) else (base_type,):
        if not isinstance(cls, type):
            raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")

        def convert(self, dtype=None, name=None):
            return conversion_func(self, dtype=dtype, name=name, as_ref=False)

        cls.__tf_tensor__ = convert  # type: ignore[attr-defined]
