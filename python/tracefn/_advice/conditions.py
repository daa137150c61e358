"""Advice on conditions that are not a single bool."""

from __future__ import annotations

import ast

from tracefn._user_code import edits
from tracefn._user_code.place import Place


def _test(place: Place):
    """The condition on the line whose truth value is being taken."""
    node = place.expression()
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return node.test
    found = [n.test for n in place.nodes(ast.If, ast.While, ast.IfExp, ast.Assert) if n.test.lineno == place.line]
    return found[0] if len(found) == 1 else None


def not_bool(place: Place, match) -> list[str]:
    """Advice on a number, or on several values, as a condition in a graph."""
    test = _test(place)
    if test is None:
        return []
    text, dtype, shape = place.segment(test), match["dtype"], match["shape"]
    if shape == "" and dtype not in ("bool", "variant", "resource"):
        zero = '""' if dtype == "string" else "0"
        left = text if isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text})"
        fix = edits.fix([edits.replaced(place, test, f"{left} != {zero}")])
        return [] if fix is None else [fix]
    return _of_many(place, test) if dtype == "bool" else []


def _of_many(place: Place, test) -> list[str]:
    tf, text = place.tf, _by_element(place, test)
    return [f"Where all must hold: `{tf}.reduce_all({text})`; where one is enough: `{tf}.reduce_any({text})`."]


def eager_vector(place: Place, match) -> list[str]:
    """Advice on taking the truth value of several values."""
    del match
    test = _test(place)
    return [] if test is None else _of_many(place, test)


def _by_element(place: Place, node) -> str:
    """The source of a condition with &, | and ~ in place of and, or and not, which take single bools."""
    if isinstance(node, ast.BoolOp):
        sign = " & " if isinstance(node.op, ast.And) else " | "
        return sign.join(f"({_by_element(place, value)})" for value in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"~({_by_element(place, node.operand)})"
    return place.segment(node)
