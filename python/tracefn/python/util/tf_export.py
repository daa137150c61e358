"""`tensorflow.python.util.tf_export`: decorators by which TensorFlow and Keras name what is public."""

from __future__ import annotations

import functools
import sys
from typing import NamedTuple

from tracefn._decorators import unwrap
from tracefn._export import exported, path_of

__all__ = ["api_export", "get_canonical_name_for_symbol", "get_symbol_from_name", "get_v1_names", "get_v2_names", "keras_export",
           "kwarg_only", "tf_export"]  # fmt: skip
KERAS_API_NAME, TENSORFLOW_API_NAME = "keras", "tensorflow"


class InvalidSymbolNameError(Exception):
    """A public name lies where it may not."""


class _Attributes(NamedTuple):
    names: str
    constants: str


API_ATTRS = {
    TENSORFLOW_API_NAME: _Attributes("_tf_api_names", "_tf_api_constants"),
    KERAS_API_NAME: _Attributes("_keras_api_names", "_keras_api_constants"),
}
API_ATTRS_V1 = {name: _Attributes(f"{a.names}_v1", f"{a.constants}_v1") for name, a in API_ATTRS.items()}
_symbols: dict = {}


class api_export:  # TensorFlow's name
    """A decorator that records the public names of a function or class in its attributes.

    Args:
      *args: str, the public paths.
      api_name: "tensorflow" or "keras".
      v1: the paths in TensorFlow 1; None for the same.
      allow_multiple_exports: accepted, without effect.

    Raises:
      InvalidSymbolNameError: a name of TensorFlow lies below "keras".

    Example:
      >>> from tracefn.python.util import tf_export
      >>> @tf_export.keras_export("keras.layers.Mine")
      ... class Mine:
      ...     pass
      >>> tf_export.get_canonical_name_for_symbol(Mine, api_name="keras")
      'keras.layers.Mine'
    """

    def __init__(self, *args, api_name=TENSORFLOW_API_NAME, v1=None, allow_multiple_exports=True) -> None:
        del allow_multiple_exports
        self._names = args
        self._names_v1 = args if v1 is None else v1
        self._api = api_name
        for path in (*args, *self._names_v1):
            if api_name == TENSORFLOW_API_NAME and path.startswith("keras."):
                raise InvalidSymbolNameError(f"@{path} is not allowed to export into the namespace of Keras.")

    def __call__(self, func):
        for attributes, names in ((API_ATTRS, self._names), (API_ATTRS_V1, self._names_v1)):
            setattr(unwrap(func)[1], attributes[self._api].names, names)
        _symbols.update(dict.fromkeys(self._names, func))
        _symbols.update({f"compat.v1.{name}": func for name in self._names_v1})
        return func

    def export_constant(self, module_name, name) -> None:
        """Records the public names of a constant of a module."""
        module = vars(sys.modules[module_name])
        for attributes, names in ((API_ATTRS, self._names), (API_ATTRS_V1, self._names_v1)):
            module.setdefault(attributes[self._api].constants, []).append((names, name))


tf_export = functools.partial(api_export, api_name=TENSORFLOW_API_NAME)
keras_export = functools.partial(api_export, api_name=KERAS_API_NAME)


def get_canonical_name_for_symbol(symbol, api_name=TENSORFLOW_API_NAME, add_prefix_to_v1_names=False) -> str | None:
    """The first public name of a function or class; None if it has none."""
    target = unwrap(symbol)[1]
    own = getattr(target, "__dict__", {})
    names = own.get(API_ATTRS[api_name].names) or ()
    old = own.get(API_ATTRS_V1[api_name].names) or ()
    if names:
        return names[0]
    if old:
        return f"compat.v1.{old[0]}" if add_prefix_to_v1_names else old[0]
    if api_name != TENSORFLOW_API_NAME:
        return None
    return _path_of_class(symbol) if isinstance(symbol, type) else path_of(symbol)


def _path_of_class(cls: type) -> str | None:
    if getattr(sys.modules["tracefn"], cls.__name__, None) is cls:
        return cls.__name__
    return next((path for path, value in exported().items() if value is cls), None)


def get_symbol_from_name(name: str):
    """The function or class of a public name; None if there is none."""
    if name in _symbols:
        return _symbols[name]
    value = sys.modules["tracefn"]
    for part in name.split("."):
        value = getattr(value, part, None)  # type: ignore[assignment]  # None ends the walk
    return value


def _names(symbol, attributes: dict) -> list:
    own = getattr(unwrap(symbol)[1], "__dict__", {})
    return [name for kind in attributes.values() for name in own.get(kind.names) or ()]


def get_v1_names(symbol) -> list:
    """The public names of a function or class in TensorFlow 1 and Keras."""
    return _names(symbol, API_ATTRS_V1)


def get_v2_names(symbol) -> list:
    """The public names of a function or class in TensorFlow 2 and Keras."""
    return _names(symbol, API_ATTRS)


def kwarg_only(f):
    """A function that takes keyword arguments only."""

    @functools.wraps(f)
    def named_only(*args, **kwargs):
        if args:
            raise TypeError(f"{f.__name__} only takes keyword args (possible keys: {list(f.__code__.co_varnames)}). "
                            "Please pass these args as kwargs instead.")
        return f(**kwargs)

    return named_only
