"""`tf.saved_model.Asset`: a file that belongs to a model."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._tracking.base import Trackable


class Asset(Trackable):
    """A file that is copied into saved models; functions read it by `asset_path`.

    Args:
      path: str, path, or scalar string tensor.

    Attributes:
      asset_path: scalar string tensor, where the file is: in a loaded model, that in the model's directory.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> file = tempfile.NamedTemporaryFile("w", suffix=".txt")
      >>> tf.saved_model.Asset(file.name).asset_path.dtype
      tf.string
    """

    def __init__(self, path) -> None:
        if isinstance(path, os.PathLike):
            path = path.__fspath__()
        self._path = _core.convert_to_tensor(path, dtype="string")

    @property
    def asset_path(self):
        return self._path

    @property
    def path(self) -> str:
        """The path as a str."""
        return os.fsdecode(self._path.numpy())
