"""Errors for missing names, which say what to write instead.

The search takes time, and programs probe for names with `hasattr`. An error therefore searches for advice only when its
text is read.
"""

from __future__ import annotations

import opcode
import sys
import types

_IMPORT_FROM = opcode.opmap["IMPORT_FROM"]
# Functions between the program that reads a name and the question whether it imports it.
_READERS = frozenset({"missing", "load", "__getattr__", "<lambda>", "_attribute", "_missing", "_keras"})
_PACKAGE = __file__.rpartition("/_missing/")[0] + "/"


class MissingError(AttributeError):
    """An AttributeError whose text ends with the result of `advice()`, unless the text is replaced. Programs make an error of
    the same class with another text, as in `type(error)(text)`: that is a plain AttributeError."""

    def __init__(self, *args, advice=None, **keywords) -> None:
        super().__init__(*args, **keywords)
        self._text = args[0] if args else ""
        self._advice = advice

    def __str__(self) -> str:
        text = super().__str__()
        advice = self._advice() if self._advice is not None and text == self._text else ""
        return f"{text}. {advice}" if advice else text

    def __reduce__(self):
        return AttributeError, (str(self),)


# Tracebacks show it under the name of its base class.
MissingError.__name__ = MissingError.__qualname__ = "AttributeError"
MissingError.__module__ = "builtins"


def missing(path: str, name: str) -> Exception:
    """The exception that the `__getattr__` of a namespace raises for a missing name.

    Args:
      path: the namespace, "" or "math" or "compat.v1".
      name: the name.

    Returns:
      AttributeError; in `from ... import name` an ImportError, because Python would drop the text of an AttributeError.
    """
    module = _module(path)
    text = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(text)
    if not is_imported_from() or f"{module}.{name}" in sys.modules:  # `from` reads it if the attribute is missing
        return MissingError(text, name=name, advice=lambda: _advice(path, name))
    file = getattr(sys.modules.get(module), "__file__", None)
    return ImportError(_with_advice(f"cannot import name {name!r} from {module!r} ({file})", path, name), name=module, path=file)


def _module(path: str) -> str:
    return f"tracefn.{path}" if path else "tracefn"


def _advice(path: str, name: str) -> str:
    from tracefn._missing.names import advice_for  # start-up time: programs that misspell nothing do not need it

    return advice_for(path, name)


def _with_advice(text: str, path: str, name: str) -> str:
    advice = _advice(path, name)
    return f"{text}. {advice}" if advice else text


def is_imported_from() -> bool:
    """Whether the program is executing `from ... import ...`. Imports of the package itself go on to find modules."""
    frame: types.FrameType = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_name in _READERS:
        frame = frame.f_back
    code = frame.f_code
    return code.co_code[frame.f_lasti] == _IMPORT_FROM and not code.co_filename.startswith(_PACKAGE)


def getter(path: str):
    """The `__getattr__` of a complete namespace."""

    def __getattr__(name: str):
        raise missing(path, name)

    return __getattr__


def namespace(path: str, text: str, names: dict) -> types.ModuleType:
    """A small complete namespace, which is created when it is asked for, and found by imports from then on."""
    module = sys.modules.get(_module(path))
    if module is None:
        module = types.ModuleType(_module(path), text)
        vars(module).update(names, __all__=sorted(names), __getattr__=getter(path))
        sys.modules[_module(path)] = module
    return module


class _ModuleAdvice:
    """The last finder of `sys.meta_path`: words the error of `import tracefn.keras`."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None) -> None:
        del path, target
        package, _, name = fullname.rpartition(".")
        is_ours = package == "tracefn" or package.startswith("tracefn.")
        # importlib.util.find_spec asks whether the module exists, and gets None.
        if not is_ours or name.startswith("_") or sys._getframe(2).f_code.co_name != "_find_and_load_unlocked":
            return
        text = f"No module named {fullname!r}"
        raise ModuleNotFoundError(_with_advice(text, package.removeprefix("tracefn").removeprefix("."), name), name=fullname)


def word_imports() -> None:
    """Adds advice to the errors of imports of missing modules."""
    sys.meta_path.append(_ModuleAdvice)
