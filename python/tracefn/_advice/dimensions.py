"""Advice on dimensions that are not known while a function is traced: `x.shape[0]` is None there, and `tf.shape(x)[0]` the
number when the graph runs."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from tracefn import _core
from tracefn._user_code import edits
from tracefn._user_code.place import Place, name_of, settings
from tracefn._user_code.walk import children, every

# Functions that need all of a shape while they are traced.
_STATIC = frozenset({"constant", "TensorSpec", "Variable", "Input", "ensure_shape"})


class _Dimension(NamedTuple):
    """A dimension, or the whole shape, that an expression takes from a tensor while it is traced."""

    tensor: ast.expr
    shape: Any
    number: int | None  # None: the whole shape

    @property
    def is_known(self) -> bool:
        if self.number is None:
            return self.shape.is_fully_defined()
        rank = self.shape.rank
        return rank is not None and (not -rank <= self.number < rank or self.shape[self.number] is not None)

    def code(self, place: Place) -> str:
        """What it is when the graph runs."""
        item = "" if self.number is None else f"[{self.number}]"
        return f"{place.tf}.shape({place.segment(self.tensor)}){item}"


def none(place: Place, match) -> list[str]:
    """Advice on a message about None, or about a shape that is known in part; [] if no dimension is to blame."""
    del match
    node = place.expression()
    if node is None:
        return []
    parts = [node]
    for part in parts:
        found = _dimension(place, part)
        if isinstance(part, ast.Name) and place.value(part) is None:
            told = _set_to_none(place, part)
            if told:
                return told
        elif found is None:
            parts += children(part)
        elif not found.is_known:
            return _asked_later(place, node, part, found)
    return []


def _dimension(place: Place, node: Any) -> _Dimension | None:
    """The dimension that an expression is: `x.shape[0]`, `x.get_shape()[0]`, `x.shape.as_list()[0]`, `x.shape`.

    A variable may stand for the shape.
    """
    number = None
    if isinstance(node, ast.Subscript):
        number = _number(node.slice)
        if number is None:
            return None
        node = node.value
    if isinstance(node, ast.Name):
        node = _assigned(place, node)
    if _is_method(node, "as_list"):
        node = node.func.value
    if _is_method(node, "get_shape"):
        node = node.func
    elif not (isinstance(node, ast.Attribute) and node.attr == "shape"):
        return None
    tensor = place.value(node.value)
    return _Dimension(node.value, tensor.shape, number) if isinstance(tensor, _core.Tensor) else None


def _assigned(place: Place, name: ast.Name):
    """What the only assignment of a variable of the function gives it: `shape = x.shape`; None if there is no such one."""
    found = _only_setting(place, name)
    if not isinstance(found, (ast.Assign, ast.AnnAssign)):
        return None
    targets = found.targets if isinstance(found, ast.Assign) else [found.target]
    return found.value if [type(one) for one in targets] == [ast.Name] and _keeps_its_tensor(place, found.value) else None


def _only_setting(place: Place, name: ast.Name):
    found = settings([place.function], name.id) if place.function is not None else []
    return found[0] if len(found) == 1 else None


def _keeps_its_tensor(place: Place, value) -> bool:
    """Whether the names in an expression mean later what they mean there: none of them is set twice."""
    names = [node for node in every(value) if isinstance(node, ast.Name)] if value is not None else []
    return all(len(settings([place.function], node.id)) <= 1 for node in names)


def _is_method(node, name: str) -> bool:
    """Whether an expression is a call of a method without arguments."""
    return isinstance(node, ast.Call) and not node.args and isinstance(node.func, ast.Attribute) and node.func.attr == name


def _number(node) -> int | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    return sign * node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _facts(place: Place, text: str, found: _Dimension) -> str:
    shape = f"{place.segment(found.tensor)} has shape {found.shape} while it is traced"
    return f"`{text}` is not known: {shape}." if found.number is None else f"`{text}` is None: {shape}."


def _asked_later(place: Place, node, part, found: _Dimension) -> list[str]:
    """The advice on a dimension that an expression takes itself."""
    facts, code = _facts(place, place.segment(part), found), found.code(place)
    instead = None
    if isinstance(node, ast.BinOp):
        instead = _operand(place, node, part, code)
    elif isinstance(node, ast.Call) and _takes_tensors(place, node):
        instead = code
    if instead is not None:
        return edits.told([facts], edits.replaced(place, part, instead))
    return [facts, f"When the graph runs, {code} is the {'shape' if found.number is None else 'number'}."]


def _operand(place: Place, node: ast.BinOp, part, code: str) -> str | None:
    """An int32 as an operand beside another one; None if the dtype of that is not known."""
    if part is not node.left and part is not node.right:
        return code
    other = place.value(node.left if part is node.right else node.right)
    if isinstance(other, _core.Tensor):
        return code if other.dtype == "int32" else f"{place.tf}.cast({code}, {place.tf}.{other.dtype.name})"
    return code if type(other) is int else None


def _takes_tensors(place: Place, call: ast.Call) -> bool:
    """Whether a call takes a tensor where a dimension or a shape is given."""
    name = name_of(call.func) or ""
    if name == "range":  # of a `for` statement, which becomes a loop of the graph
        loop = place.parent(call)
        return isinstance(loop, ast.For) and loop.iter is call and place.autograph
    package, _, rest = name.partition(".")
    return package == place.tf and rest.rpartition(".")[2] not in _STATIC


def _set_to_none(place: Place, name: ast.Name) -> list[str]:
    """The advice on a variable that a line sets to a dimension, or to all of them."""
    assignment = _only_setting(place, name)
    if not isinstance(assignment, (ast.Assign, ast.AnnAssign)) or not _keeps_its_tensor(place, assignment.value):
        return []
    target, *others = assignment.targets if isinstance(assignment, ast.Assign) else [assignment.target]
    if others:
        return []
    dimension = _dimension(place, assignment.value)
    if dimension is None:
        return []
    if isinstance(target, (ast.Tuple, ast.List)) and dimension.number is None:
        names = [name_of(item) for item in target.elts]
        if None in names or names.count(name.id) != 1:
            return []
        dimension = dimension._replace(number=names.index(name.id))
    if dimension.number is None or dimension.is_known:
        return []
    facts = _facts(place, name.id, dimension)
    if not place.is_alone(assignment):
        return [facts]
    code = f"{name.id} = {dimension.code(place)}"
    is_name = isinstance(target, ast.Name)
    return edits.told([facts], edits.write(place, assignment, code) if is_name else edits.after(assignment.lineno, code))
