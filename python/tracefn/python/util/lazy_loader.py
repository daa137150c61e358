"""`tensorflow.python.util.lazy_loader`: modules that are imported when something of them is used."""

from __future__ import annotations

import importlib
import types

from tracefn._logging import get_logger

__all__ = ["LazyLoader"]
_OWN = "_tfll_"


class LazyLoader(types.ModuleType):
    """Stands for a module until something of it is used.

    Args:
      local_name: str, the name of the module in the program.
      parent_module_globals: dict, the globals that have it; the module takes this object's place there.
      name: str, the full name of the module.
      warning: str that is logged when it is imported, or None.

    Raises:
      ImportError: when something of it is used, if it cannot be imported.

    Example:
      >>> from tracefn.python.util.lazy_loader import LazyLoader
      >>> fractions = LazyLoader("fractions", globals(), "fractions")
      >>> fractions
      <LazyLoader fractions as fractions>
      >>> fractions.Fraction(1, 2)
      Fraction(1, 2)
    """

    def __init__(self, local_name, parent_module_globals, name, warning=None) -> None:
        self._tfll_local_name = local_name
        self._tfll_parent_module_globals = parent_module_globals
        self._tfll_warning = warning
        super().__setattr__("__module__", name.rpartition(".")[0] or name)
        super().__setattr__("__wrapped__", None)  # so that doctest and inspect do not import the module
        super().__init__(name)

    def _load(self) -> types.ModuleType:
        module = importlib.import_module(self.__name__)  # start-up time: that is what it is for
        self._tfll_parent_module_globals[self._tfll_local_name] = module
        if self._tfll_warning:
            get_logger().warning(self._tfll_warning)
            self._tfll_warning = None
        self.__dict__.update(module.__dict__)  # further names are found without this method
        return module

    def __getattr__(self, name):
        return getattr(self._load(), name)

    def __setattr__(self, name, value) -> None:
        super().__setattr__(name, value)
        if name.startswith(_OWN):
            return
        module = self._load()
        setattr(module, name, value)
        if name not in getattr(module, "__all__", [name, "__all__"]) and name != "__all__":
            module.__all__.append(name)

    def __delattr__(self, name) -> None:
        if name.startswith(_OWN):
            super().__delattr__(name)
            return
        module = self._load()
        delattr(module, name)
        self.__dict__.pop(name)
        if name in getattr(module, "__all__", ()):
            module.__all__.remove(name)

    def __repr__(self) -> str:
        return f"<LazyLoader {self.__name__} as {self._tfll_local_name}>"

    def __dir__(self):
        return dir(self._load())

    def __reduce__(self):
        return importlib.import_module, (self.__name__,)
