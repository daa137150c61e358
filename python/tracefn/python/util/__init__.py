"""`tensorflow.python.util`: decorators, structures and inspection, as far as libraries import from there."""

from tracefn.python.util import deprecation, nest, object_identity, tf_decorator, tf_export, tf_inspect, variable_utils

__all__ = ["deprecation", "nest", "object_identity", "tf_decorator", "tf_export", "tf_inspect", "variable_utils"]
