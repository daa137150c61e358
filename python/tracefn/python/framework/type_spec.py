"""`tensorflow.python.framework.type_spec`: the base classes of the types of values made of tensors."""

from tracefn.python.framework.type_spec_registry import get_name, lookup, register
from tracefn.type_spec import BatchableTypeSpec, TypeSpec, type_spec_from_value

__all__ = ["BatchableTypeSpec", "TypeSpec", "get_name", "lookup", "register", "type_spec_from_value"]
