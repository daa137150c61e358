"""Advice on operations that tensors lack: methods of arrays and lists, item assignment."""

from __future__ import annotations

import ast
from typing import Any

from tracefn import _core
from tracefn._advice import texts
from tracefn._advice.operands import SIGNS
from tracefn._advice.python_values import scalar
from tracefn._user_code import edits, words
from tracefn._user_code.place import Place, unknown

_METHODS = {
    "mean": "reduce_mean",
    "sum": "reduce_sum",
    "max": "reduce_max",
    "min": "reduce_min",
    "prod": "reduce_prod",
    "any": "reduce_any",
    "all": "reduce_all",
    "std": "math.reduce_std",
    "var": "math.reduce_variance",
    "argmax": "argmax",
    "argmin": "argmin",
    "astype": "cast",
    "cumsum": "cumsum",
    "squeeze": "squeeze",
    "round": "round",
    "clip": "clip_by_value",
    "copy": "identity",
    "clone": "identity",
    "detach": "stop_gradient",
    "exp": "exp",
    "log": "math.log",
    "sqrt": "sqrt",
    "abs": "abs",
    "pow": "pow",
    "matmul": "matmul",
    "unsqueeze": "expand_dims",
    "transpose": "transpose",
}
_WITHOUT_ARGUMENTS = frozenset({"round", "copy", "clone", "detach", "exp", "log", "sqrt", "abs"})
_DIMENSIONS = {"reshape": "reshape", "view": "reshape", "permute": "transpose"}
_VALUES = frozenset({"numpy", "item", "tolist"})


def attribute(place: Place, match) -> list[str]:
    """Advice on a method of arrays or lists: the equivalent function."""
    node: Any = place.expression()
    call: Any = None
    tf = place.tf
    if isinstance(node, ast.Attribute):
        parent = place.parent(node)
        call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node, call = node.func, node
    if not isinstance(node, ast.Attribute):
        return scalar(place, match) if match["name"] == "astype" else []  # round() asks for it
    name, base = node.attr, place.segment(node.value)
    if name != match["name"]:
        return []
    if name in _VALUES:
        return _value(place, node, call, base, name)
    code = _code(place, call, base, name, place.value(node.value)) or (texts.method(place, call, name) if call is not None else None)
    if name == "append" and call is not None and len(call.args) == 1:
        statement = place.parent(call)
        code = f"{base} = {tf}.concat([{base}, [{place.segment(call.args[0])}]], 0)"
        return edits.told([f"`{base}` is a tensor, which does not change: make a longer one."], _whole(place, statement, code))
    return edits.told([], None if code is None else edits.replaced(place, call or node, code))


def _value(place: Place, node, call, base: str, name: str) -> list[str]:
    if name in ("item", "tolist") and _core.current_graph() is None and not place.is_traced:
        code = f"{base}.numpy().{name}()"
        return edits.told([], edits.replaced(place, call, code) if call is not None else None)
    return [
        (f"`{base}` has no value while a function is traced: return it and take .numpy() of the result, or give it to "
        f"{place.tf}.py_function, whose function gets tensors with values.")
    ]


def _code(place: Place, call, base: str, name: str, value) -> str | None:
    """The expression that replaces a method of NumPy or another library, or None."""
    tf = place.tf
    if call is None:
        return {"T": f"{tf}.transpose({base})", "size": f"{tf}.size({base})"}.get(name)
    given = [place.segment(a) for a in call.args]
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    named = [f"{k.arg}={place.segment(k.value)}" for k in call.keywords if k.arg in ("axis", "keepdims")]
    if len(named) != len(call.keywords):
        return None
    if given and name in _WITHOUT_ARGUMENTS:
        return None
    if name in _DIMENSIONS:
        known = place.value(call.args[0]) if len(given) == 1 else None
        one = isinstance(known, (list, tuple)) or (len(given) == 1 and isinstance(call.args[0], (ast.List, ast.Tuple)))
        if len(given) == 1 and not one and type(known) is not int and not isinstance(call.args[0], ast.UnaryOp):
            return None  # a number or a shape
        dims = given[0] if one else f"[{', '.join(given)}]"
        return f"{tf}.{_DIMENSIONS[name]}({base}, {dims})" if given else None
    if name in ("flatten", "ravel") and not given:
        return f"{tf}.reshape({base}, [-1])"
    if name == "transpose" and given:
        return None
    if name == "dot" and len(given) == 1:
        return f"{tf}.tensordot({base}, {given[0]}, 1)"
    if name in ("any", "all") and not _is_mask(value):
        base = f"{tf}.cast({base}, {tf}.bool)"
    if name in _METHODS:
        return f"{tf}.{_METHODS[name]}({', '.join([base, *given, *named])})"
    return None


def _whole(place: Place, statement, code: str) -> str | None:
    """The edit of a statement that consists of an expression."""
    return edits.write(place, statement, code) if isinstance(statement, ast.Expr) and place.is_alone(statement) else None



_UPDATES = {ast.Add: "add", ast.Sub: "sub"}
_FACT = "A tensor does not change; make a new one."


def item(place: Place, match) -> list[str]:
    """Advice on item assignment: code for a new tensor with these elements."""
    del match
    target, statement = _target(place)
    if target is None:
        return []
    base, index, tf = place.segment(target.value), target.slice, place.tf
    value = place.value(target.value)
    if hasattr(value, "handle") and hasattr(value, "assign"):
        return _of_variable(place, statement, target)
    if isinstance(statement, ast.Delete):
        return _deleted(place, statement, target)
    where = _indices(place, index, value)
    new = place.segment(statement.value)
    code = None
    if isinstance(statement, ast.AugAssign):
        kind = _UPDATES.get(type(statement.op))
        if where is not None and kind is not None:
            code = f"{base} = {tf}.tensor_scatter_nd_{kind}({base}, [{where}], [{_typed(statement.value, new, value)}])"
    elif where is not None:
        code = f"{base} = {tf}.tensor_scatter_nd_update({base}, [{where}], [{_typed(statement.value, new, value)}])"
    elif isinstance(index, ast.Compare) or _is_mask(place.value(index)):
        code = f"{base} = {tf}.where({place.segment(index)}, {_typed(statement.value, new, value)}, {base})"
    elif isinstance(index, ast.Slice) and index.step is None:
        code = _of_slice(place, base, index, _typed(statement.value, new, value))
    alone = place.is_alone(statement) and code is not None and len(getattr(statement, "targets", [0])) == 1
    return edits.told([], edits.write(place, statement, code or "") if alone else None) or [_FACT]


def _target(place: Place) -> tuple:
    """(the item, its statement) of the assignment that is running."""
    for statement in place.nodes(ast.Assign, ast.AugAssign, ast.Delete):
        targets = [statement.target] if isinstance(statement, ast.AugAssign) else statement.targets
        for target in targets:
            if isinstance(target, ast.Subscript) and statement.lineno <= place.line <= (statement.end_lineno or 0):
                return target, statement
    return None, None


def _is_mask(value) -> bool:
    return isinstance(value, _core.Tensor) and value.dtype.name == "bool"


def _indices(place: Place, index, value) -> str | None:
    """One index vector for scatter ops, made of numbers and names."""
    parts: list[Any] = index.elts if isinstance(index, ast.Tuple) else [index]
    found = []
    for axis, part in enumerate(parts):
        negative = isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) and isinstance(part.operand, ast.Constant)
        known = place.value(part)
        if negative:
            size = value.shape[axis] if isinstance(value, _core.Tensor) and value.shape.rank else None
            if size is None or type(part.operand.value) is not int:
                return None
            found.append(str(size - part.operand.value))
        elif type(known) is int or (isinstance(known, _core.Tensor) and known.dtype.is_integer and known.shape.rank == 0):
            found.append(place.segment(part))
        else:
            return None
    return f"[{', '.join(found)}]"


def _typed(node, text: str, value) -> str:
    """The code of a number in the dtype of a tensor."""
    dtype = value.dtype.name if isinstance(value, _core.Tensor) else None
    is_int = isinstance(node, ast.Constant) and type(node.value) is int
    return words.literal(node, text, "float32", "") if dtype == "float32" and is_int else text


def _of_slice(place: Place, base: str, index, new: str) -> str:
    tf = place.tf
    first = place.segment(index.lower) if index.lower else ""
    last = place.segment(index.upper) if index.upper else ""
    parts = [f"{base}[:{first}]"] if first else []
    parts.append(f"{tf}.broadcast_to({new}, {tf}.shape({base}[{first}:{last}]))")
    parts += [f"{base}[{last}:]"] if last else []
    return f"{base} = {tf}.concat([{', '.join(parts)}], 0)"


def _deleted(place: Place, statement, target) -> list[str]:
    base, index = place.segment(target.value), target.slice
    code = None
    if isinstance(index, ast.Constant) and type(index.value) is int and index.value >= 0 and len(statement.targets) == 1:
        rest = f"{base}[{index.value + 1}:]"
        code = f"{base} = {rest}" if index.value == 0 else f"{base} = {place.tf}.concat([{base}[:{index.value}], {rest}], 0)"
    alone = code is not None and statement.lineno == statement.end_lineno
    return edits.told([], edits.write(place, statement, code or "") if alone else None) or [_FACT]


def _of_variable(place: Place, statement, target) -> list[str]:
    if isinstance(statement, ast.Delete) or not place.is_alone(statement):
        return []
    part = place.segment(target)
    new: str | None = place.segment(statement.value)
    if isinstance(statement, ast.AugAssign):
        new = f"{part} {SIGNS[type(statement.op)]} ({new})" if type(statement.op) in SIGNS else None
    code = f"{part}.assign({new})"
    return [] if new is None else edits.told([], edits.write(place, statement, code))


def index(place: Place, match) -> list[str]:
    """Advice on a float as an index."""
    node = place.expression()
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant) or type(node.slice.value) is not float:
        return []
    value = node.slice.value
    del match
    return edits.told([], edits.replaced(place, node.slice, str(int(value)))) if value.is_integer() else []


def index_list(place: Place, match) -> list[str]:
    """Advice on a list as an index: NumPy reads it as row numbers, TensorFlow as one index per dimension."""
    del match
    node = place.expression()
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.List):
        return []
    base, rows = place.segment(node.value), place.segment(node.slice)
    return edits.told(
        [f"The numbers of `{rows}` are one index for each dimension, not rows."],
        edits.replaced(place, node, f"{place.tf}.gather({base}, {rows})"),
    )


def called(place: Place, match) -> list[str]:
    """Advice on a tensor that is called."""
    del match
    node = place.expression()
    if not isinstance(node, ast.Call) or place.value(node.func) is unknown:
        return []
    return [f"`{place.segment(node.func)}` is a tensor; elements are taken with [...], and a product needs a `*`."]
