"""A tensor for a checkpoint that is computed when the checkpoint is written."""

from __future__ import annotations


class TensorCallable:
    """What `_serialize_to_tensors` may return for a tensor; restoring an object asks for its dtype only.

    Args:
      function: function without arguments that returns the tensor, or None if there is nothing to save.
      dtype: the tensor's.
      device: str, the tensor's.
    """

    __slots__ = ("_function", "device", "dtype")

    def __init__(self, function, dtype, device) -> None:
        self._function = function
        self.dtype = dtype
        self.device = device

    @property
    def tensor(self):
        """The tensor."""
        return self._function()
