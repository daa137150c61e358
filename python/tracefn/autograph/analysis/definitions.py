"""Definite assignment: If, While and For nodes get `ag_defined`, the names that are certainly assigned before them."""

from __future__ import annotations

import ast

from tracefn.autograph.analysis.scopes import _TRIES, Scope


def annotate(body, scope: Scope) -> None:
    """Sets `ag_defined` on the statements of a function's body."""
    _block(body, scope.parameters, scope.has_deletions)


def _block(body, defined: int, deletes: bool) -> int:
    for statement in body:
        kind = type(statement)
        if kind is ast.If:
            statement.ag_defined = defined | statement.ag_test_writes
            main = _block(statement.body, statement.ag_defined, deletes)
            orelse = _block(statement.orelse, statement.ag_defined, deletes)
            defined = main & orelse
        elif kind is ast.While:
            statement.ag_defined = defined
            _block(statement.body, defined | statement.ag_test_writes, deletes)
            defined = defined & ~_deleted(statement, deletes) | statement.ag_test_writes
        elif kind is ast.For:
            statement.ag_defined = defined
            _block(statement.body, defined | statement.ag_target, deletes)
            defined &= ~_deleted(statement, deletes)
        elif kind is ast.With:
            defined = _block(statement.body, defined | (statement.ag_kill & statement.ag_writes), deletes)
        elif kind is ast.Match:
            after = [_block(case.body, defined, deletes) for case in statement.cases]
            defined = _all_of([*after, defined | statement.ag_kill])
        elif kind in _TRIES:
            after = [_block(statement.orelse, _block(statement.body, defined, deletes), deletes)]
            after += [_block(handler.body, defined, deletes) for handler in statement.handlers]
            defined = _block(statement.finalbody, _all_of(after) & ~_deleted(statement, deletes), deletes)
        elif kind is ast.Delete:
            defined &= ~statement.ag_kill
        elif kind not in (ast.Return, ast.Raise):
            defined |= statement.ag_kill
    return defined


def _all_of(masks) -> int:
    result = -1
    for mask in masks:
        result &= mask
    return result


def _deleted(statement, deletes: bool) -> int:
    """Names deleted anywhere in a statement, handler names (which Python deletes) included."""
    return statement.ag_writes if deletes else 0
