"""Advice on containers of tensors: lists, TensorArrays, Variables, and tensors that leaked from another graph."""

from __future__ import annotations

import ast
import re
from typing import Any

from tracefn._user_code import edits, words
from tracefn._user_code.place import Place, settings


def list_dtype(place: Place, match) -> list[str]:
    """Advice on an element whose dtype differs from that of the list in a staged loop."""
    calls = [n for n in place.nodes(ast.Call) if n.lineno == place.line and ast.unparse(n.func).endswith(".append")]
    node = calls[0] if len(calls) == 1 else None
    if not isinstance(node, ast.Call) or len(node.args) != 1 or words.wider(match["has"], match["gets"]) != match["has"]:
        return []
    element = node.args[0]
    code = words.literal(element, place.segment(element), match["has"], place.tf)
    return edits.told([], edits.replaced(place, element, code))


def array_dtype(place: Place, match) -> list[str]:
    """Advice on a value whose dtype differs from that of its TensorArray: the array should have the wider one."""
    node = place.expression()
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return []
    to = words.wider(match["has"], match["gets"])
    if to is None:
        return []
    if to == match["has"]:
        value = node.args[-1]
        return edits.told([], edits.replaced(place, value, words.literal(value, place.segment(value), to, place.tf)))
    name = place.segment(node.func.value)
    made: list[Any] = [n.value for n in settings([place.function], name) if isinstance(n, ast.Assign) and _makes_array(n.value)]
    if len(made) != 1:
        return []
    return edits.told([f"`{name}` holds {match['has']}."], edits.replaced(place, made[0].args[0], f"{place.tf}.{to}"))


def _makes_array(node) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("TensorArray") and bool(node.args)


def variable(place: Place, match) -> list[str]:
    """Advice on a Variable that is created in every call."""
    del match
    statement = edits.statement_of(place, place.expression())
    name = place.code.co_name
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Attribute):
            owner = place.segment(target.value)
            text = f"if not hasattr({owner}, {target.attr!r}): {place.text_of(statement.lineno)}"
            return edits.told([f"{name} makes `{place.segment(target)}` in each call."], edits.write(place, statement, text))
        made = place.segment(target)
        return [f"{name} makes `{made}` in each call: move line {statement.lineno} out of the function, in front of it."]
    return [f"{name} makes it in each call: make it in front of the function, and keep it."]


def leaked(place: Place, match) -> list[str]:
    """Advice on a tensor of another graph that was stored in a Python object."""
    kind = re.search(r"_(body|cond|true|false)_\d+$", match["graph"])
    if kind is None:
        return []
    for node in place.nodes(ast.Call):
        loop = edits.statement_of(place, node)
        inside = loop is not None and place.outermost(loop) is not loop and isinstance(place.outermost(loop), ast.For)
        is_append = isinstance(node.func, ast.Attribute) and node.func.attr == "append" and len(node.args) == 1
        if inside and is_append and not isinstance(node.func.value, ast.Name) and kind[1] == "body":
            held = place.segment(node.func.value)
            return [
                (f"A loop of the graph runs once in Python, so that `{held}` got one element, of the loop's own graph. Append to "
                f"a list that is a local variable (elements = []), and put {place.tf}.stack(elements) behind the loop.")
            ]
    return []
