"""Edits of lines of the user's program, as code.

Each edit is a text in one of the forms "write `CODE` on line N", "add `CODE` before line N" and "add `CODE` after line N";
added code is indented like line N.
"""

from __future__ import annotations

import ast

from tracefn._user_code import words
from tracefn._user_code.place import Place, name_of, settings

_LOOPS = (ast.For, ast.While)
_MOST = 3  # edits that one message may ask for


def fix(edits) -> str | None:
    """The line of a message that asks for edits; None if one of them is None or there are too many."""
    edits = list(dict.fromkeys(edits))
    if not edits or None in edits or len(edits) > _MOST:
        return None
    return "Fix: " + ", and ".join(edits) + "."


def told(facts: list[str], edit: str | None) -> list[str]:
    """The facts about an error, with the fix of one edit on the same line if it is known."""
    line = fix([edit])
    return facts if line is None else [" ".join([*facts, line])]


def write(place: Place, node, code: str) -> str:
    """The edit that replaces the text of a line that holds only `node`."""
    del place
    return f"write `{code}` on line {node.lineno}"


def before(line: int, code: str) -> str:
    """The edit that inserts a line before another one."""
    return f"add `{code}` before line {line}"


def after(line: int, code: str) -> str:
    """The edit that inserts a line behind another one."""
    return f"add `{code}` after line {line}"


def retyped(place: Place, roots, name: str, dtype: str) -> list:
    """Edits that give a dtype to every assignment of a variable among `roots`; None stands for one that has no such edit.

    Args:
      place: where the statements are.
      roots: statements.
      name: the variable; `retval_` for the return value.
      dtype: name of the dtype.
    """
    if name == "retval_":
        returns = [n for root in roots for n in _own(root, ast.Return)]
        return [_retyped_return(place, node, dtype) for node in returns]
    return [retyped_assignment(place, node, name, dtype) for node in settings(roots, name)]


def _own(root, kind) -> list:
    """The nodes of a kind in a statement, except those of nested functions."""
    if isinstance(root, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return []
    found = [root] if isinstance(root, kind) else []
    for node in ast.iter_child_nodes(root):
        found += _own(node, kind)
    return found


def returns_of(roots) -> list:
    """The return statements among some statements."""
    return [n for root in roots for n in _own(root, ast.Return)]


def _retyped_return(place, node, dtype) -> str | None:
    if node.value is None or not place.is_alone(node) or isinstance(node.value, ast.Tuple):
        return None
    return write(place, node, f"return {words.literal(node.value, place.segment(node.value), dtype, place.tf)}")


def retyped_assignment(place: Place, node, name: str, dtype: str) -> str | None:
    """The edit that gives an assignment of a variable a dtype, or None."""
    if isinstance(node, ast.arg):
        statement = place.function.body
        return before(statement[0].lineno, cast(place, name, dtype)) if isinstance(statement, list) else None
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or name_of(node.targets[0]) != name:
        return None
    if not place.is_alone(node):
        return None
    value = words.literal(node.value, place.segment(node.value), dtype, place.tf)
    return write(place, node, f"{place.segment(node.targets[0])} = {value}")


def cast(place: Place, name: str, dtype: str) -> str:
    """The code `x = tf.cast(x, tf.float32)`."""
    return f"{name} = {place.tf}.cast({name}, {place.tf}.{dtype})"


def reaching(place: Place, statement, name: str) -> list:
    """The assignments of a variable that may reach a statement; just the last one if it certainly does."""
    found = [n for n in settings([place.function], name) if _line(n) < statement.lineno]
    last = found[-1:] and found[-1]
    if last and _block(place, last) in (_block(place, statement), "parameters"):
        return [last]
    return found


def _line(node) -> int:
    return getattr(node, "lineno", 0)


def _block(place, node):
    parent = place.parent(node)
    if isinstance(parent, ast.arguments):
        return "parameters"
    for field in ("body", "orelse", "finalbody"):
        if any(n is node for n in getattr(parent, field, None) or () if isinstance(n, ast.AST)):
            return id(parent), field
    return id(node)


def retyped_before(place: Place, statement, name: str, dtype: str) -> list:
    """Edits that give a variable a dtype before a statement."""
    edits = [retyped_assignment(place, node, name, dtype) for node in reaching(place, statement, name)]
    if edits and None not in edits:
        return edits
    line = place.outermost(statement).lineno if not isinstance(statement, _LOOPS) else statement.lineno
    return [before(line, cast(place, name, dtype))]


def start_value(place: Place, statement, name: str, code: str) -> str | None:
    """The edit that gives a variable a value before a statement, and before the loops around it.

    Args:
      place: where the statement is.
      statement: the loop or if that needs the value.
      name: the variable.
      code: the value.
    """
    anchor = place.outermost(statement)
    earlier = [n for n in settings([place.function], name) if _line(n) < anchor.lineno]
    if not earlier:
        return before(anchor.lineno, f"{name} = {code}")
    last = earlier[-1]
    if is_none(last) and place.is_alone(last) and _block(place, last) == _block(place, anchor):
        return write(place, last, f"{name} = {code}")
    return None


def is_none(node) -> bool:
    """Whether a statement only sets something to None."""
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None


def asks_for_none(place: Place, name: str) -> bool:
    """Whether the function compares a variable with None."""
    for node in place.nodes(ast.Compare):
        operands = [node.left, *node.comparators]
        named = any(name_of(o) == name for o in operands)
        if named and any(isinstance(o, ast.Constant) and o.value is None for o in operands):
            return True
    return False


def replaced(place: Place, node, code: str) -> str | None:
    """The edit that replaces an expression in its line; None unless it is on one line."""
    if node.lineno != node.end_lineno:
        return None
    line = place.lines[node.lineno - 1].encode()
    text = (line[: node.col_offset] + code.encode() + line[node.end_col_offset :]).decode()
    return f"write `{text.partition('  #')[0].strip()}` on line {node.lineno}"


def graph_loop(place: Place, loop) -> str | None:
    """The edit that turns a Python loop into a graph loop: its range or its condition becomes a tensor."""
    tf = place.tf
    if isinstance(loop, ast.While):
        if isinstance(loop.test, ast.Constant):
            return replaced(place, loop.test, f"{tf}.constant({place.segment(loop.test)})")
        for node in ast.walk(loop.test):
            found = reaching(place, loop, node.id) if isinstance(node, ast.Name) else []
            if len(found) == 1 and isinstance(found[0], ast.Assign) and isinstance(found[0].value, ast.Constant):
                if not isinstance(found[0].value.value, (bool, int, float)) or not place.is_alone(found[0]):
                    continue
                value = f"{tf}.constant({place.segment(found[0].value)})"
                return write(place, found[0], f"{place.segment(found[0].targets[0])} = {value}")
        return None
    source = loop.iter
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "range":
        return replaced(place, source.func, f"{tf}.range")
    value = place.value(source)
    if isinstance(value, (list, tuple)) and value and stacks(value):
        return replaced(place, source, f"{tf}.stack({place.segment(source)})")
    return None


def stacks(values) -> bool:
    """Whether tf.stack accepts the elements: numbers or tensors of one dtype and shape."""
    kinds = {(v.dtype, str(v.shape)) if hasattr(v, "shape") and hasattr(v, "dtype") else type(v) for v in values}
    return len(kinds) == 1 and (isinstance(next(iter(kinds)), tuple) or kinds <= {int, float, bool})


def settings_before(place: Place, operand) -> list:
    """The assignment that gave an operand, a name, its value at its line (or its loop); empty if that is not certain."""
    name = name_of(operand)
    statement = statement_of(place, operand)
    if name is None or statement is None:
        return []
    anchor = place.outermost(statement)
    found = [n for n in settings([place.function], name) if _line(n) < anchor.lineno]
    if len(found) > 1 and _block(place, found[-1]) == _block(place, anchor):
        return found[-1:]
    return found if len(found) == 1 else []


def statement_of(place: Place, node):
    """The statement that an expression of the function is in."""
    if place.function is None:
        return None
    while node is not None and not isinstance(node, ast.stmt):
        node = place.parent(node)
    return node


def settings_of(place: Place, name: str) -> list:
    """The assignments of a variable in the function."""
    return [] if place.function is None else settings([place.function], name)
