"""`tf.keras`: Keras 3 on its TensorFlow backend, which runs on this package; or tf_keras where TF_USE_LEGACY_KERAS asks for it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types

_KERAS_3, _KERAS_2 = "keras._tf_keras.keras", "tf_keras.api._v2.keras"
_KERAS_2_V1 = "tf_keras.api._v1.keras"


class KerasIsMissing(ModuleNotFoundError):
    """Keras is not installed."""


def keras_module(below: str = "") -> types.ModuleType | None:
    """`tf.keras`, or its submodule; None if it has no such submodule.

    Raises:
      KerasIsMissing: Keras is not installed.
      RuntimeError: Keras runs on another backend in this process.
    """
    root = _root()
    if not below:
        return root
    for package in (root.__name__, root.__name__.partition(".")[0]):
        name = f"{package}.{below}"
        try:
            return importlib.import_module(name)  # optional: Keras
        except ModuleNotFoundError as error:
            if error.name is None or not (name + ".").startswith(error.name + "."):
                raise
    return None


def keras_of_v1() -> types.ModuleType:
    """`tf.compat.v1.keras`: tf_keras has other names there than in `tf.keras`, Keras 3 has the same.

    Raises:
      KerasIsMissing, RuntimeError: as `keras_module`.
    """
    root = _root()
    return importlib.import_module(_KERAS_2_V1) if _is_legacy() else root  # optional: tf_keras


class LegacyModule(types.ModuleType):
    """`tf.compat.v1.layers` and `nn.rnn_cell`, which tf_keras has and Keras 3 has not.

    Args:
      path: its path below `tf.compat.v1`.
      below: its path in tf_keras.
    """

    def __init__(self, path: str, below: str) -> None:
        super().__init__(f"tracefn.compat.v1.{path}", f"`tf.compat.v1.{path}`, of tf_keras.")
        self.__dict__["_below"] = below

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if not _is_legacy():
            raise AttributeError(f"`{name}` is not available with Keras 3.")
        return getattr(self._module(), name)

    def __dir__(self):
        return dir(self._module()) if _is_legacy() else []

    def _module(self) -> types.ModuleType:
        _root()
        return importlib.import_module(f"{_KERAS_2_V1}.{self.__dict__['_below']}")  # optional: tf_keras


def _is_legacy() -> bool:
    return os.environ.get("TF_USE_LEGACY_KERAS", "").lower() in ("1", "true")


def _root() -> types.ModuleType:
    legacy = _is_legacy()
    package = "tf_keras" if legacy else "keras"
    if sys.modules.get(package) is None and importlib.util.find_spec(package) is None:
        wanted = "tf_keras" if legacy else "'tracefn[keras]'"
        raise KerasIsMissing(
            f"tf.keras is the package {package}, which is not installed. Install it: pip install {wanted}"
        )
    sys.modules["tracefn"].install_as_tensorflow()  # Keras imports `tensorflow`
    if legacy:
        return importlib.import_module(_KERAS_2)  # optional: tf_keras
    if "keras" not in sys.modules:
        os.environ["KERAS_BACKEND"] = "tensorflow"
    root = importlib.import_module(_KERAS_3)  # optional: Keras
    backend = root.config.backend()
    if backend != "tensorflow":
        raise RuntimeError(
            f"tf.keras needs Keras's TensorFlow backend, and Keras was imported with the backend {backend!r} before. "
            "Set KERAS_BACKEND=tensorflow, or use tf.keras before `import keras`."
        )
    return root
