"""The message SaverDef: which nodes of a graph are those of a Saver."""

from __future__ import annotations

from tracefn._messages import Printed, text_lines
from tracefn._wire import float_text


class SaverDef(Printed):
    """The names of a Saver's nodes, and how it deletes.

    Attributes:
      filename_tensor_name, save_tensor_name, restore_op_name: str.
      max_to_keep: int.
      keep_checkpoint_every_n_hours: float.
      version: int, 2.
    """

    LEGACY, V1, V2 = 0, 1, 2

    def __init__(self, filename, save, restore, max_to_keep, hours) -> None:
        self.filename_tensor_name = filename
        self.save_tensor_name = save
        self.restore_op_name = restore
        self.max_to_keep = max_to_keep
        self.keep_checkpoint_every_n_hours = hours
        self.sharded = False
        self.version = self.V2

    def _lines(self) -> list[str]:
        names = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
        lines = [line for name in names for line in text_lines(name, getattr(self, name))]
        lines += [f"max_to_keep: {self.max_to_keep}"] * bool(self.max_to_keep) + ["sharded: true"] * bool(self.sharded)
        if self.keep_checkpoint_every_n_hours:
            lines.append(f"keep_checkpoint_every_n_hours: {float_text(self.keep_checkpoint_every_n_hours)}")
        return [*lines, f"version: V{self.version}"] if self.version else lines
