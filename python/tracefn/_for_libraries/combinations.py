"""`tf.__internal__.test.combinations` and `tf.__internal__.distribute.combinations`: names of modules of `tensorflow.python`."""

from __future__ import annotations

import types

from tracefn._missing import missing
from tracefn.as_tensorflow.internal_modules import module_at

_MODULES = {
    "distribute": ("python.distribute.combinations", "python.distribute.strategy_combinations"),
    "test": ("python.framework.combinations", "python.framework.test_combinations"),
}


def add_to(namespace: types.ModuleType) -> None:
    """Gives `tf.__internal__` these namespaces."""
    for name in _MODULES:
        around = vars(namespace).setdefault(name, types.ModuleType(f"{namespace.__name__}.{name}"))
        around.combinations = types.ModuleType(f"{around.__name__}.combinations")
        around.combinations.__getattr__ = _getter(name)


def _getter(namespace: str):
    def load(name: str):
        for path in _MODULES[namespace]:
            module = module_at(path)
            if name in getattr(module, "__all__", ()):
                return getattr(module, name)
        raise missing(f"__internal__.{namespace}.combinations", name)

    return load
