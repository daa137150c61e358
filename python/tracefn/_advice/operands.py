"""Advice on incompatible operands: None, tensors of two dtypes, shapes that do not broadcast."""

from __future__ import annotations

import ast
import re

from tracefn import _core
from tracefn._advice import dimensions, gradients
from tracefn._user_code import edits, words
from tracefn._user_code.place import Place, line_of, settings, unknown

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
          ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}  # fmt: skip
# TensorFlow's names of dtypes in messages.
_NAMES = {"float": "float32", "double": "float64", "half": "float16"}


def operands_of(node) -> list:
    """The operands of an expression."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Call):
        found = []
        for argument in [*node.args, *(k.value for k in node.keywords)]:
            found += argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
        return found
    return []


def none(place: Place, match) -> list[str]:
    """Which operand is None, and where it comes from."""
    told = dimensions.none(place, match)
    if told:
        return told
    node = place.expression()
    operands = operands_of(node)
    known = [(operand, place.value(operand)) for operand in operands]
    found = [operand for operand, value in known if value is None]
    if not found:
        open_ones = [operand for operand, value in known if value is unknown and not isinstance(operand, ast.Starred)]
        found = open_ones if len(open_ones) == 1 else []
    if not found:
        return []
    operand = found[0]
    text = place.segment(operand)
    if isinstance(operand, ast.Constant):
        return [f"None has no value to compute with, in `{place.segment(node)}`."]
    told = gradients.why_none(place, operand)
    if told:
        return [f"`{text}` is None: {told[0]}", *told[1:]]
    if isinstance(operand, ast.Call):
        return _returned_none(place, operand)
    found = settings([place.function], text) if place.function is not None else []
    to_none = [n for n in found if edits.is_none(n)]
    if len(to_none) == 1 or len(found) == 1:
        line = line_of((to_none or found)[0])
        return [f"`{text}` is None, as line {line} sets it: `{place.text_of(line)}`."]
    return [f"`{text}` is None."]


def _returned_none(place: Place, call) -> list[str]:
    return [f"`{place.segment(call)}` gave None{_returns_of(place, call.func)}."]


def _returns_of(place: Place, function) -> str:
    code = getattr(place.value(function), "__code__", None)
    return "" if code is None else f": see the return statements of {code.co_name}, line {code.co_firstlineno}"


def mapped_to_none(place: Place, match) -> list[str]:
    """Which function of a dataset returns nothing."""
    del match
    node = place.expression()
    if not isinstance(node, ast.Call) or not node.args:
        return []
    return [f"`{place.segment(node.args[0])}` gave None for an element{_returns_of(place, node.args[0])}."]


def two_dtypes(place: Place, match) -> list[str]:
    """Advice on operands of two dtypes in a trace, from the dtype names in the message."""
    second, first = match["second"], match["first"]
    index = {"x": 0, "y": 1, "a": 0, "b": 1}.get(match["name"])
    return _cast_one(place, first, second) if index == 1 else []


def two_dtypes_eager(place: Place, match) -> list[str]:
    """The same for the message of an eager op."""
    if match["index"] != "1":
        return []
    return _cast_one(place, *(_NAMES.get(match[k], match[k]) for k in ("first", "second")))


def _cast_one(place: Place, first: str, second: str) -> list[str]:
    """The advice on two operands of different dtypes."""
    node = place.expression()
    operands = operands_of(node)[:2]
    if len(operands) != 2:
        return []
    pairs = list(zip(operands, (first, second), strict=True))
    if not _are(pairs, [_dtype(place.value(o)) for o in operands], isinstance(node, ast.Call)):
        return []
    facts = " and ".join(f"`{place.segment(o)}` is {dtype}" for o, dtype in pairs) + "."
    to = words.wider(first, second)
    narrow = [operand for operand, dtype in pairs if dtype != to]
    if to is None or len(narrow) != 1:
        return [facts]
    return edits.told([facts], _cast(place, node, narrow[0], to))


def _are(pairs: list, known: list, called: bool) -> bool:
    """Whether operands are those of the op in a message: a function that is called may give its ops others.

    Args:
      pairs: (operand, what the message says of it).
      known: the same of the operands' values, None where it is unknown.
      called: whether the operands are arguments of a function.
    """
    if any(value not in (None, told) for value, (_, told) in zip(known, pairs, strict=True)):
        return False
    return not called or any(value is not None for value in known)


def _cast(place: Place, node, operand, to: str) -> str | None:
    """The edit that widens one operand; if the function assigns it a number, it edits that number."""
    if isinstance(operand, ast.Name):
        found = edits.settings_before(place, operand)
        if found and _is_number(found[0]):
            return edits.retyped_assignment(place, found[0], operand.id, to)
    text = f"{place.tf}.cast({place.segment(operand)}, {place.tf}.{to})"
    if isinstance(node, ast.AugAssign) and operand is node.target:
        return edits.write(place, node, f"{place.segment(operand)} = {text} {SIGNS[type(node.op)]} {place.segment(node.value)}")
    return edits.replaced(place, operand, text)


def _is_number(node) -> bool:
    value = getattr(node, "value", None)
    value = value.operand if isinstance(value, ast.UnaryOp) else value
    return isinstance(node, ast.Assign) and isinstance(value, ast.Constant) and type(value.value) in (int, float)



def number(place: Place, match) -> list[str]:
    """Advice on a Python float with an integer tensor: casts the tensor to float32."""
    if match["kind"] not in ("", "float") or not re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", match["value"]):
        return []
    node = place.expression()
    operands = operands_of(node)
    of_tensors = [o for o in operands if not _is_float(place, o)]
    if isinstance(node, ast.Call):
        of_tensors = [o for o in of_tensors if _dtype(place.value(o)) == match["dtype"]]
    if len(of_tensors) != 1 or len(operands) == len(of_tensors):
        return []
    (operand,) = of_tensors
    facts = f"`{place.segment(operand)}` is {match['dtype']}, which does not hold {match['value']}."
    to = words.wider(match["dtype"], "float32")
    return [facts] if to is None else edits.told([facts], _cast(place, node, operand, to))


def _is_float(place: Place, node) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(place.value(node), float)


def _dtype(value) -> str | None:
    dtype = getattr(value, "dtype", None) if isinstance(value, _core.Tensor) or hasattr(value, "handle") else None
    return getattr(dtype, "name", None)


def not_allowed(place: Place, match) -> list[str]:
    """Advice on an integer where an op accepts only floats."""
    allowed = [_NAMES.get(name, name) for name in re.split(r",\s*", match["allowed"].strip())]
    dtype = _NAMES.get(match["dtype"], match["dtype"])
    if "float32" not in allowed or words.wider(dtype, "float32") != "float32":
        return []
    node = place.expression()
    operands = operands_of(node)
    candidates = [o for o in operands if _dtype(place.value(o)) == dtype]
    if not candidates and len(operands) == 1:
        candidates = operands
    return edits.told([], _cast(place, node, candidates[0], "float32")) if len(candidates) == 1 else []


def assigned_dtype(place: Place, match) -> list[str]:
    """Advice on a value whose dtype differs from that of its Variable."""
    node = place.expression()
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return []
    variable, value = node.func.value, node.args[0]
    name, wanted, given = place.segment(variable), match["wanted"], match["given"]
    if _dtype(place.value(variable)) != wanted:
        return []
    facts = f"`{name}` is {wanted}, `{place.segment(value)}` is {given}."
    if words.wider(wanted, given) == wanted:
        return edits.told([facts], _cast(place, node, value, wanted))
    return [facts + f" {wanted} does not hold every {given}: make the Variable with dtype={place.tf}.{given}."]


def _shapes(text: str) -> list[tuple] | None:
    """The shapes in "[2,3], [?,4]", or None if one has unknown rank."""
    if "<unknown>" in text:
        return None
    found = re.findall(r"\[([^\]]*)\]", re.sub(r"In\[\d+\]", "", text))
    return [tuple(None if d == "?" else int(d) for d in part.split(",") if d) for part in found]


def _may_have(value, shape: tuple) -> bool:
    """Whether the value of an expression, perhaps unknown, may be an operand of that shape: a number has none."""
    if _dtype(value) is not None:
        return value.shape.is_compatible_with(shape)
    return not isinstance(value, (bool, int, float, complex)) or shape == ()


def shapes(place: Place, match) -> list[str]:
    """The shapes of two incompatible operands, by the operands' names."""
    node = place.expression()
    operands = [o for o in operands_of(node) if not isinstance(place.value(o), str)][:2]
    found = _shapes(match["shapes"])
    if found is None or len(found) != 2 or len(operands) != 2:
        return []
    values = [place.value(o) for o in operands]
    if not all(_may_have(value, shape) for value, shape in zip(values, found, strict=True)):
        return []
    if any(_dtype(value) is None for value in values) and not _is_of(place, node, match["op"]):
        return []  # a function that is composed of ops gives them other operands than its own
    texts = [place.segment(o) for o in operands]
    facts = " and ".join(f"`{t}` has shape {s}" for t, s in zip(texts, found, strict=True)) + "."
    if match["op"] == "Einsum":
        return [f"{facts} Axes with the same letter must have the same size."]
    if match["op"] not in ("MatMul", "BatchMatMulV2"):
        return [f"{facts} Dimensions that meet must be equal, or one of them 1."]
    facts = f"{facts} The last dimension of the first must equal the next to last of the second."
    product = _product(place, texts, *found)
    code = product if isinstance(node, (ast.BinOp, ast.Call)) and _is_product(node) else None
    return edits.told([facts], None if code is None else edits.replaced(place, node, code))


def _is_of(place: Place, node, op: str) -> bool:
    """Whether an expression gives its operands to the op in a message."""
    if not isinstance(node, ast.Call) or isinstance(place.value(node.func), _core.OpCallable):
        return True
    function, op = ast.unparse(node.func).rpartition(".")[2].replace("_", "").lower(), op.lower()
    return function in op or op in function


def _is_product(node) -> bool:
    """`a @ b`, or a call of matmul with two operands and no option."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    return len(node.args) == 2 and not node.keywords and ast.unparse(node.func).endswith("matmul")


def _product(place: Place, operands: list[str], first: tuple, second: tuple) -> str | None:
    """The code of the only matrix product of two tensors that their shapes allow."""
    tf = place.tf
    a, b = operands
    if len(first) == 1 and len(second) == 1:
        return f"{tf}.tensordot({a}, {b}, 1)" if first == second else None
    if len(first) == 2 and len(second) == 1:
        return f"{tf}.linalg.matvec({a}, {b})" if first[1] == second[0] else None
    if len(first) != 2 or len(second) != 2 or None in first + second:
        return None
    ways = []
    if first[1] == second[1]:
        ways.append("transpose_b=True")
    if first[0] == second[0]:
        ways.append("transpose_a=True")
    return f"{tf}.matmul({a}, {b}, {ways[0]})" if len(ways) == 1 else None
