"""`tensorflow.python.training.checkpoint_management`: the names of `tensorflow.python.checkpoint.checkpoint_management`."""

from __future__ import annotations

from tracefn.as_tensorflow.internal_modules import module_at


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(module_at("python.checkpoint.checkpoint_management"), name)
