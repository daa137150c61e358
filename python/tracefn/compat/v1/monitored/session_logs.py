"""The messages that hooks write to files of events."""

from __future__ import annotations

import struct
from typing import NamedTuple

from tracefn.ops.summary.messages import int_field, message_field, text_field

START, STOP, CHECKPOINT = 1, 2, 3
_SIMPLE_VALUE = b"\x15"  # field 2 of Summary.Value, a float


class SessionLog(NamedTuple):
    """What happened to a session: `status` START, STOP or CHECKPOINT, and the path of the checkpoint."""

    status: int
    checkpoint_path: str = ""

    def SerializeToString(self) -> bytes:
        """The serialized message tensorflow.SessionLog."""
        return int_field(1, self.status) + text_field(2, self.checkpoint_path)


def scalar_summary(tag: str, value: float) -> bytes:
    """A serialized Summary of one number."""
    return message_field(1, text_field(1, tag), _SIMPLE_VALUE + struct.pack("<f", value))
