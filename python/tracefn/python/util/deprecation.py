"""`tensorflow.python.util.deprecation`: decorators that warn, once for each function, when something deprecated is used."""

import sys
import types

from tracefn._deprecated import decorators
from tracefn._deprecated.decorators import (
    _PRINTED_WARNING,
    HIDDEN_ATTRIBUTE,
    DeprecatedNamesAlreadySetError,
    HiddenTfApiAttribute,
    deprecated,
    deprecated_alias,
    deprecated_arg_values,
    deprecated_args,
    deprecated_argument_lookup,
    deprecated_endpoints,
    hide_attribute_from_api,
    rewrite_argument_docstring,
    silence,
)

__all__ = [
    "HIDDEN_ATTRIBUTE",
    "_PRINTED_WARNING",
    "DeprecatedNamesAlreadySetError",
    "HiddenTfApiAttribute",
    "deprecated",
    "deprecated_alias",
    "deprecated_arg_values",
    "deprecated_args",
    "deprecated_argument_lookup",
    "deprecated_endpoints",
    "hide_attribute_from_api",
    "rewrite_argument_docstring",
    "silence",
]


class _WithSwitch(types.ModuleType):
    """A module with a variable of the decorators', which programs set."""

    @property
    def _PRINT_DEPRECATION_WARNINGS(self) -> bool:
        return decorators._PRINT_DEPRECATION_WARNINGS

    @_PRINT_DEPRECATION_WARNINGS.setter
    def _PRINT_DEPRECATION_WARNINGS(self, value: bool) -> None:
        decorators._PRINT_DEPRECATION_WARNINGS = value


sys.modules[__name__].__class__ = _WithSwitch
