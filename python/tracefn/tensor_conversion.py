"""Conversions to tensors for other classes."""

from __future__ import annotations

from tracefn import _core
from tracefn import _numpy as np
from tracefn.dtypes import as_dtype


class _Conversion:
    """A registered function."""

    __slots__ = ("base_type", "function", "priority")

    def __init__(self, priority: int, base_type: type, function) -> None:
        self.priority = priority
        self.base_type = base_type
        self.function = function


_conversions: list[_Conversion] = []  # in the order in which they are tried


def register_tensor_conversion_function(base_type, conversion_func, priority: int = 100) -> None:
    """Registers a conversion of objects of a class to tensors, used wherever a tensor is expected.

    Args:
      base_type: class, or tuple of classes, defined by the program.
      conversion_func: callable that takes the object, the requested dtype or None, the name or None, and whether a
        reference is requested (never); returns a tensor.
      priority: int; of several functions for an object the one with the lowest is called first. One that returns
        NotImplemented leaves the object to the next.

    Raises:
      TypeError: `base_type` is not a class, or one of numbers or arrays; or `conversion_func` is not callable.

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
    classes = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(cls, type) for cls in classes):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if any(issubclass(cls, (int, float, np.generic, np.ndarray)) for cls in classes):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    for cls in classes:
        _conversions.append(_Conversion(priority, cls, conversion_func))
        cls.__tf_tensor__ = _converted
    _conversions.sort(key=lambda conversion: conversion.priority)  # of equal ones the first registered comes first


def _converted(value, dtype=None, name=None):
    """The tensor that the registered functions make of an object.

    Raises:
      RuntimeError: a function returns something else, or a tensor of another dtype.
      ValueError: none of them converts the object.
    """
    for conversion in _conversions:
        base_type, function = conversion.base_type, conversion.function
        if not isinstance(value, base_type):
            continue
        result = function(value, dtype=dtype, name=name, as_ref=False)
        if result is NotImplemented:
            continue
        told = f"Conversion function {function!r} for type {base_type} returned"
        if not isinstance(result, _core.Tensor):
            raise RuntimeError(f"{told} non-Tensor: {result!r}")
        if dtype is not None and result.dtype != dtype:
            raise RuntimeError(f"{told} incompatible dtype: requested = {as_dtype(dtype).name}, actual = {result.dtype.name}")
        return result
    raise ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.")
