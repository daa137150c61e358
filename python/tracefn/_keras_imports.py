"""`import tracefn.keras.layers`: the modules of Keras under this package's name."""

from __future__ import annotations

import sys

_NAME = "tracefn.keras"


class _Finder:
    """Finds `tracefn.keras` and all below it."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None):
        del path, target
        if fullname != _NAME and not fullname.startswith(_NAME + "."):
            return None
        from tracefn.as_tensorflow.finder import alias_of  # start-up time: few programs use Keras
        from tracefn.as_tensorflow.keras_modules import KerasIsMissing, keras_module  # start-up time: few use it

        try:
            module = keras_module(fullname[len(_NAME) + 1 :])
        except KerasIsMissing:
            if sys._getframe(2).f_code.co_name != "_find_and_load_unlocked":
                return None  # importlib.util.find_spec asks
            raise
        return None if module is None else alias_of(fullname, module)


def find_keras() -> None:
    """Lets imports find Keras's modules."""
    sys.meta_path.append(_Finder)
