"""`tensorflow.python.util.all_util`: the names that modules show."""

from __future__ import annotations

import re
import sys

__all__ = ["make_all", "remove_undocumented"]
# "@@name" on a line of a module's text makes a name public.
_MARK = re.compile(r"^\s*@@(\w+)\s*$", re.MULTILINE)


def make_all(module_name, doc_string_modules=None) -> list[str]:
    """The names that the texts of modules mark as public with "@@name".

    Args:
      module_name: str, the module that has the names.
      doc_string_modules: modules whose texts are read; None for that one.

    Returns:
      The names, in order.
    """
    module = sys.modules[module_name]
    texts = [module] if doc_string_modules is None else doc_string_modules
    found = {name for text in texts for name in _MARK.findall(text.__doc__ or "")}
    return sorted(found | {name for name in ("__doc__",) if name in found})


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None) -> None:
    """Deletes the names of a module that are not public.

    Args:
      module_name: str.
      allowed_exception_list: names that stay as well; without it, and without marks, all names go but those with "__".
      doc_string_modules: as in `make_all`.
    """
    module = sys.modules[module_name]
    stay = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    for name in list(vars(module)):
        if name not in stay and not name.startswith("__"):
            delattr(module, name)
