"""Lowers match statements to chains of ifs, so that tensor subjects and guards are staged like any condition.

Value patterns become comparisons with ==, and captures become assignments. Every other pattern keeps a match statement of
its own, which only tests the pattern and binds its names.
"""

from __future__ import annotations

import ast

from tracefn.autograph.converters.jumps import blocks
from tracefn.autograph.templates import Template

_SUBJECT = Template("NAME = VALUE")
_EQUAL = Template("SUBJECT == VALUE")
_IS = Template("SUBJECT is VALUE")
_FITS = Template("""
match SUBJECT:
    case _:
        FITS = True
    case _:
        FITS = False
""")


class _Numbers:
    def __init__(self) -> None:
        self.last = 0

    def next(self) -> int:
        self.last += 1
        return self.last


def lower(node: ast.FunctionDef) -> None:
    """Rewrites the match statements of a function in place."""
    _block(node.body, _Numbers())


def _block(body, numbers) -> None:
    i = 0
    while i < len(body):
        statement = body[i]
        for _, inner in blocks(statement):
            _block(inner, numbers)
        if type(statement) is ast.Match:
            body[i : i + 1] = _match(statement, numbers)
            i += 1
        i += 1


def _match(node: ast.Match, numbers) -> list:
    name = f"ag__subject_{numbers.next()}"
    return _SUBJECT.fill(node, NAME=name, VALUE=node.subject) + _cases(node.cases, name, numbers)


def _cases(cases, subject: str, numbers) -> list:
    if not cases:
        return []
    case, *rest = cases
    before, test = _pattern(case.pattern, subject, numbers)
    if case.guard is not None:
        test = case.guard if test is None else ast.copy_location(ast.BoolOp(ast.And(), [test, case.guard]), case.guard)
    if test is None:
        return before + case.body
    return [*before, ast.copy_location(ast.If(test, case.body, _cases(rest, subject, numbers)), test)]


def _pattern(pattern, subject: str, numbers):
    """(statements that bind names, condition or None for always) of one pattern."""
    condition = _condition(pattern, subject)
    if condition is not None:
        return [], condition
    if type(pattern) is ast.MatchAs and pattern.pattern is None:
        return (_SUBJECT.fill(pattern, NAME=pattern.name, VALUE=_load(pattern, subject)) if pattern.name else []), None
    fits = f"ag__fits_{numbers.next()}"
    statements = _FITS.fill(pattern, SUBJECT=subject, FITS=fits)
    fit, other = statements[0].cases
    fit.pattern = pattern
    ast.copy_location(other.pattern, pattern)  # patterns need a limit
    if _is_irrefutable(pattern):
        del statements[0].cases[1]
    return statements, _load(pattern, fits)


def _is_irrefutable(pattern) -> bool:
    if type(pattern) is ast.MatchAs:
        return pattern.pattern is None or _is_irrefutable(pattern.pattern)
    return type(pattern) is ast.MatchOr and any(_is_irrefutable(p) for p in pattern.patterns)


def _condition(pattern, subject: str):
    """The comparison that is equivalent to a pattern without names, or None."""
    kind = type(pattern)
    if kind is ast.MatchValue:
        return _EQUAL.expression(pattern, SUBJECT=subject, VALUE=pattern.value)
    if kind is ast.MatchSingleton:
        return _IS.expression(pattern, SUBJECT=subject, VALUE=pattern.value)
    if kind is ast.MatchOr:
        parts = [_condition(p, subject) for p in pattern.patterns]
        if all(part is not None for part in parts):
            return ast.copy_location(ast.BoolOp(ast.Or(), parts), pattern)
    return None


def _load(at, name: str):
    return ast.copy_location(ast.Name(name, ast.Load()), at)
