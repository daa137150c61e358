"""Conversions to tensors for other classes."""

from __future__ import annotations


def register_tensor_conversion_function(base_type, conversion_func, priority: int = 100) -> None:
    """Registers a conversion of objects of a class to tensors, used wherever a tensor is expected.

    Args:
      base_type: class, or tuple of classes, defined by the program.
      conversion_func: callable that takes the object, the requested dtype or None, the name or None, and whether a
        reference is requested (never); returns a tensor.
      priority: accepted, without effect; a class has one conversion, and a subclass uses its own before that of its base.

    Raises:
      TypeError: `base_type` is not a class, or `conversion_func` is not callable.

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
