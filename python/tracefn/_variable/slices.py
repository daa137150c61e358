"""`tf.Variable.SaveSliceInfo`: which part of a larger tensor a Variable is, for checkpoints."""

from __future__ import annotations


class SaveSliceInfo:
    """A Variable that is a part of a larger one.

    Args:
      full_name: str, the name of the whole.
      full_shape: list of int, its shape.
      var_offset: list of int, where the part begins.
      var_shape: list of int, the shape of the part.
    """

    def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None) -> None:
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The shape of the whole and the part, as the ops SaveV2 and RestoreV2 spell them: "10 4 0,5:0,4"."""
        whole = "".join(f"{size} " for size in self.full_shape)
        return whole + ":".join(f"{start},{size}" for start, size in zip(self.var_offset, self.var_shape, strict=True))
