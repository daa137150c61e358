"""`tf.__internal__.types.Tensor`: the base class of tensors as libraries see it, from which they derive tensors of their own."""

from __future__ import annotations

import abc

from tracefn import _core
from tracefn.variable import Variable


class AbstractTensor(abc.ABC):  # noqa: B024 - everything is found by registration
    """Tensors, Variables, and objects of subclasses that libraries define and that convert by `__tf_tensor__`."""

    # What `tf.is_tensor` asks for.
    is_tensor_like = True

    dtype = None
    shape = None


AbstractTensor.__name__ = AbstractTensor.__qualname__ = "Tensor"
AbstractTensor.register(_core.Tensor)
AbstractTensor.register(Variable)
