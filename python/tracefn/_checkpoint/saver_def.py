"""The message SaverDef: which nodes of a graph are those of a Saver."""

from __future__ import annotations

from tracefn._proto import message_class

# The number of the format of checkpoints, by keys.
V2 = 2


def saver_def(filename: str, save: str, restore: str, max_to_keep: int, hours: float):
    """The SaverDef of a Saver, by the names of its nodes and how it deletes.

    Args:
      filename, save: names of tensors.
      restore: name of a node.
      max_to_keep: how many checkpoints stay.
      hours: after how many hours one stays for good.
    """
    return message_class("SaverDef")(
        filename_tensor_name=filename,
        save_tensor_name=save,
        restore_op_name=restore,
        max_to_keep=max_to_keep,
        keep_checkpoint_every_n_hours=hours,
        version=V2,
    )
