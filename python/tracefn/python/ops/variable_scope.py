"""`tensorflow.python.ops.variable_scope`: what is not public of the Variables that are found by their names."""

from __future__ import annotations

from tracefn.compat.v1.variable_scopes import EagerVariableStore, with_variable_store
from tracefn.compat.v1.variable_scopes import default_variable_store as _get_default_variable_store

__all__ = ["EagerVariableStore", "_get_default_variable_store", "with_variable_store"]
