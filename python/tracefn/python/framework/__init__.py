"""`tensorflow.python.framework`: settings, tensors and specs, as far as libraries import from there."""

from tracefn.python.framework import config, tensor_util, type_spec_registry

__all__ = ["config", "tensor_util", "type_spec_registry"]
