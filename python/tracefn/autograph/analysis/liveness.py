"""Liveness: each If, While and For node gets `ag_live`, the names that may be read after it.

Once jumps are lowered, every statement has one entry and one exit. One backward pass with the gen and kill sets of
scopes.py is then exact. Loops need no fixed point, because the names that a body reads are known beforehand.
"""

from __future__ import annotations

import ast

from tracefn.autograph.analysis.scopes import _TRIES, Scope


def annotate(body, scope: Scope) -> None:
    """Sets `ag_live` on the statements of a function's body."""
    always = scope.captured | scope.cells
    _block(body, always, always)


def _block(body, live: int, always: int) -> int:
    """Annotates a block backwards from the names live after it; returns those live before it."""
    for statement in reversed(body):
        kind = type(statement)
        if kind is ast.If:
            statement.ag_live = live
            _block(statement.body, live, always)
            _block(statement.orelse, live, always)
        elif kind is ast.While or kind is ast.For:
            statement.ag_live = live
            _block(statement.body, live | statement.ag_head_gen | always, always)
        elif kind is ast.With:
            _block(statement.body, live, always)
        elif kind is ast.Match:
            for case in statement.cases:
                _block(case.body, live, always)
        elif kind in _TRIES:
            _try(statement, live, always)
        live = statement.ag_gen | (live & ~statement.ag_kill) | always
    return live


def _try(statement, live: int, always: int) -> None:
    """Annotates a try statement. Any statement of its body may raise, so names that handlers read are live in all of it."""
    after = _block(statement.finalbody, live, always)
    caught = 0
    for handler in statement.handlers:
        caught |= _block(handler.body, after, always)
    if statement.finalbody:
        caught |= after
    inside = _block(statement.orelse, after, always)
    _block(statement.body, inside | caught, always | caught)
