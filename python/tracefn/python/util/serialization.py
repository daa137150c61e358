"""`tensorflow.python.util.serialization`: objects as what JSON can hold."""

from __future__ import annotations

import collections.abc

from tracefn.dimension import Dimension
from tracefn.dtypes import DType
from tracefn.tensor_shape import TensorShape

__all__ = ["get_json_type"]


def get_json_type(obj):
    """What stands for an object in JSON; for `json.dumps(..., default=get_json_type)`.

    Args:
      obj: object with `get_config`, NumPy value, callable, class, shape, dtype, mapping or Ellipsis.

    Raises:
      TypeError: it is something else.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.util.serialization import get_json_type
      >>> get_json_type(tf.TensorShape([2, None])), get_json_type(tf.float32)
      ([2, None], 'float32')
    """
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if type(obj).__module__ == "numpy":
        return obj.tolist() if type(obj).__name__ == "ndarray" else obj.item()
    if callable(obj):
        return obj.__name__
    if isinstance(obj, Dimension):
        return obj.value
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, DType):
        return obj.name
    if isinstance(obj, collections.abc.Mapping):
        return dict(obj)
    if obj is Ellipsis:
        return {"class_name": "__ellipsis__"}
    if type(obj).__module__.startswith("wrapt") and hasattr(obj, "__wrapped__"):
        return obj.__wrapped__
    raise TypeError(
        f"Object {obj} is not JSON-serializable. You may implement a `get_config()` method on the class (returning a "
        "JSON-serializable dictionary) to make it serializable."
    )
