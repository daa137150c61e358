"""TensorFlow's older interface of objects that checkpoints hold: SaveableObject and its SaveSpecs."""

from __future__ import annotations


class SaveSpec:
    """A tensor to save.

    Args:
      tensor: the tensor, or a function that returns it (None: there is nothing to save).
      slice_spec: str, which part of a larger tensor it is, as the op SaveV2 spells it; "" if it is whole.
      name: str, the key in the checkpoint.
      dtype: the tensor's, if it is given by a function.
      device: str, the tensor's, if it is given by a function.

    Raises:
      AssertionError: `dtype` or `device` is missing.
    """

    def __init__(self, tensor, slice_spec, name, dtype=None, device=None) -> None:
        if callable(tensor) and (dtype is None or device is None):
            raise AssertionError(
                "When passing a callable `tensor` to a SaveSpec, an explicit dtype and device must be provided."
            )
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        self.dtype = dtype if callable(tensor) else tensor.dtype
        self.device = getattr(tensor, "device", "") if device is None else device

    @property
    def tensor(self):
        """The tensor."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """An object by the tensors that are saved of it; `restore` is for subclasses.

    Args:
      op: what they belong to.
      specs: list of SaveSpec.
      name: str.
    """

    def __init__(self, op, specs, name) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def device(self):
        """The device of its tensors."""
        return self.specs[0].device

    def restore(self, restored_tensors, restored_shapes):
        """Restores the object.

        Args:
          restored_tensors: list of tensors, one for each spec.
          restored_shapes: list of shapes, or None.

        Raises:
          ValueError: a subclass does not define it.
        """
        raise ValueError("Calling an abstract method.")
