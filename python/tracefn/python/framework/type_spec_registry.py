"""`tensorflow.python.framework.type_spec_registry`: classes of type specs by the names under which they are stored."""

from tracefn._type_spec_registry import _classes as _NAME_TO_TYPE_SPEC
from tracefn._type_spec_registry import _names as _TYPE_SPEC_TO_NAME
from tracefn._type_spec_registry import get_name, lookup, register

__all__ = ["_NAME_TO_TYPE_SPEC", "_TYPE_SPEC_TO_NAME", "get_name", "lookup", "register"]
