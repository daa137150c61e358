"""The layers of TensorFlow 1, which the package tf_keras has: `tensorflow.python.layers` is made of them."""

from __future__ import annotations

import importlib
from types import ModuleType


def legacy(path: str, theirs: str) -> ModuleType:
    """A module of tf_keras's layers of TensorFlow 1.

    Args:
      path: str, its path below tf_keras.src.
      theirs: str, the module of TensorFlow that is made of it.

    Raises:
      ModuleNotFoundError: tf_keras is not installed.
    """
    try:
        return importlib.import_module(f"tf_keras.src.{path}")  # optional: a package of its own
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("tf_keras"):
            raise
        raise ModuleNotFoundError(
            f"{theirs}: the layers of TensorFlow 1 are those of the package tf_keras, which is not installed. Run "
            "`pip install --no-deps tf_keras`.",
            name="tf_keras",
        ) from None


def legacy_layers(name: str) -> ModuleType:
    """The module of tf_keras that `tensorflow.python.layers.<name>` is made of; see `legacy`."""
    return legacy(f"legacy_tf_layers.{name}", f"tensorflow.python.layers.{name}")


def forwarding(name: str, aliases: dict[str, str] | None = None):
    """A module's `__getattr__` that asks tf_keras's module of that name; `aliases` are other names of its objects."""

    def attribute(wanted: str):
        if wanted.startswith("__"):
            raise AttributeError(wanted)
        return getattr(legacy_layers(name), (aliases or {}).get(wanted, wanted))

    return attribute
