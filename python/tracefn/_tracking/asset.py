"""`tf.saved_model.Asset`: a file that belongs to a model."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._static_value import get_static_value
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
        graph = _core.current_graph()
        # An input of the function, not a constant in it: a loaded model gives it the path that the file has there.
        return self._path if graph is None or not graph.building_function else graph.capture_as_input(self._path)

    def __tf_tensor__(self, dtype=None, name=None):
        path = self.asset_path
        return path if dtype in (None, "string") else _core.convert_to_tensor(path, dtype=dtype, name=name)

    @property
    def path(self) -> str:
        """The path as a str."""
        return os.fsdecode(self.static_path)

    @property
    def static_path(self) -> bytes:
        """The path, also in a graph of TensorFlow 1."""
        value = get_static_value(self._path)
        return value if isinstance(value, bytes) else value.item()
