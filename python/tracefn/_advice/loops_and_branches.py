"""Advice on calls of tf.cond and tf.while_loop whose functions return the wrong values."""

from __future__ import annotations

import ast

from tracefn._user_code import edits, words
from tracefn._user_code.place import Place


def branches(place: Place, match) -> list[str]:
    """Advice on values passed to tf.cond in place of functions."""
    del match
    node = place.expression()
    if not isinstance(node, ast.Call) or len(node.args) != 3 or node.keywords:
        return []
    condition, *values = (place.segment(a) for a in node.args)
    parts = [
        text if isinstance(a, ast.Lambda) or callable(place.value(a)) else f"lambda: {text}"
        for a, text in zip(node.args[1:], values, strict=True)
    ]
    code = f"{place.segment(node.func)}({condition}, {parts[0]}, {parts[1]})"
    return edits.told([f"{place.tf}.cond takes functions, and calls the one that is needed."], edits.replaced(place, node, code))


def branch_dtypes(place: Place, match) -> list[str]:
    """Advice on functions of tf.cond that return different dtypes."""
    node = place.expression()
    to = words.wider(match["first"], match["second"])
    if not isinstance(node, ast.Call) or len(node.args) != 3 or to is None:
        return []
    given = zip(node.args[1:], (match["first"], match["second"]), strict=True)
    narrow = [function for function, dtype in given if dtype != to]
    if len(narrow) != 1 or not isinstance(narrow[0], ast.Lambda) or isinstance(narrow[0].body, (ast.Tuple, ast.List, ast.Dict)):
        return []
    body = narrow[0].body
    return edits.told([], edits.replaced(place, body, words.literal(body, place.segment(body), to, place.tf)))


def _loop_vars(node) -> list | None:
    """The expressions of the loop variables in a call of tf.while_loop."""
    if not isinstance(node, ast.Call):
        return None
    given = node.args[2] if len(node.args) > 2 else next((k.value for k in node.keywords if k.arg == "loop_vars"), None)
    return given.elts if isinstance(given, (ast.List, ast.Tuple)) else None


def loop_dtype(place: Place, match) -> list[str]:
    """Advice on a loop variable that changes its dtype: it should start as the wider one."""
    to = words.wider(match["first"], match["second"])
    variables = _loop_vars(place.expression())
    if variables is None or len(variables) != 1 or to is None or to != match["second"]:
        return []
    start = variables[0]
    return edits.told([], edits.replaced(place, start, words.literal(start, place.segment(start), to, place.tf)))


def loop_shape(place: Place, match) -> list[str]:
    """Advice on a loop variable that changes its shape."""
    del match
    node, tf = place.expression(), place.tf
    variables = _loop_vars(node)
    if variables is None or any(k.arg == "shape_invariants" for k in node.keywords) or len(node.args) > 3:
        return []
    shapes = ["[]" if isinstance(v, ast.Constant) else "None" for v in variables]
    listed = ", ".join(f"{tf}.TensorShape({shape})" for shape in shapes)
    code = f"{place.segment(node)[:-1]}, shape_invariants=[{listed}])"
    return edits.told([], edits.replaced(place, node, code))
