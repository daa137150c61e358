"""Names below `tensorflow.python.keras`, TensorFlow's old copy of Keras 2: those of tf_keras, or public ones of Keras 3.

On TensorFlow that copy is a Keras of its own, beside `tf.keras`. The package tf_keras goes on with its code.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import types

PATH = "python.keras"
# Modules of the copy, and where their names are below tf_keras.src. Names of a module that is not listed are in the one of the
# same path, or in the packages around it.
_MOVED = {
    "combinations": "testing_infra.test_combinations",
    "initializers.initializers_v2": "initializers.initializers",
    "keras_parameterized": "testing_infra.test_combinations",
    "layers.legacy_rnn.rnn_cell_impl": "layers.rnn.legacy_cells",
    "layers.legacy_rnn.rnn_cell_wrapper_impl": "layers.rnn.legacy_cell_wrappers",
    "layers.rnn_cell_wrapper_v2": "layers.rnn.cell_wrappers",
    "optimizer_v1": "optimizers.optimizer_v1",
    "optimizer_v2": "optimizers.legacy",
    "optimizer_v2.learning_rate_schedule": "optimizers.schedules.learning_rate_schedule",
    "optimizer_v2.legacy_learning_rate_decay": "optimizers.legacy_learning_rate_decay",
    "optimizer_v2.utils": "optimizers.utils",
    "saving": "saving.legacy",
    "testing_utils": "testing_infra.test_utils",
}
# Names of the copy that take models of any Keras: they are here.
_FOR_ANY_KERAS = {
    "saving.saving_utils": ("tracefn._for_libraries.traced_models", ("model_input_signature", "trace_model_call")),
}
_MISSING = object()


def find(path: str, name: str):
    """The object that `tensorflow.<path>.<name>` is; None if neither Keras has one, or none is installed.

    Args:
      path: str, PATH or below it.
      name: str.
    """
    below = path.removeprefix(PATH).removeprefix(".")
    module, names = _FOR_ANY_KERAS.get(below, ("", ()))
    if name in names:
        return getattr(importlib.import_module(module), name)  # start-up time: when it is asked for
    if _is_installed("tf_keras"):
        places = (f"tf_keras.src.{place}".rstrip(".") for place in _places(below, name))
    elif _is_installed("keras"):
        places = (f"keras.{place}".rstrip(".") for place in _public_places(below))
    else:
        return None
    for place in places:
        value = getattr(_module(place), name, _MISSING)
        if value is not _MISSING:
            return value
    return None


def module_at(path: str) -> types.ModuleType | None:
    """The module of tf_keras that a module of helpers for tests is, which the record leaves out; None for others.

    Args:
      path: str, below PATH.
    """
    place = _MOVED.get(path.removeprefix(f"{PATH}."))
    return _module(f"tf_keras.src.{place}") if place is not None and _is_installed("tf_keras") else None


def _places(below: str, name: str):
    """The modules below tf_keras.src in which a name of a module may be, the likeliest first."""
    parts = below.split(".")
    for end in range(len(parts), 0, -1):
        package, rest = ".".join(parts[:end]), parts[end:]
        if package in _MOVED:
            yield ".".join([_MOVED[package], *rest])
            if rest:
                yield _MOVED[package]
    for end in range(len(parts), 0, -1):
        yield ".".join(parts[:end])
    if name[:1].isupper():  # modules have their neighbours' classes: Model, InputSpec
        yield from ("models", "layers", "engine.base_layer")


def _public_places(below: str):
    """The modules of Keras 3 in which a name may be; its private modules are others than those of Keras 2."""
    first = below.partition(".")[0]
    yield {"optimizer_v2": "optimizers", "optimizer_v1": "optimizers"}.get(first, first)
    if first in ("engine", ""):
        yield from ("layers", "models", "")


@functools.cache
def _is_installed(package: str) -> bool:
    return package in sys.modules or importlib.util.find_spec(package) is not None


@functools.cache
def _module(name: str) -> types.ModuleType | None:
    """A module of Keras; None if there is none of that name."""
    try:
        return importlib.import_module(name)  # optional: Keras
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return None
