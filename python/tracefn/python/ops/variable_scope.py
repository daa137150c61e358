"""`tensorflow.python.ops.variable_scope`: what is not public of the Variables that are found by their names."""

from __future__ import annotations

from tracefn.compat.v1.variable_scopes import EagerVariableStore

__all__ = ["EagerVariableStore"]
