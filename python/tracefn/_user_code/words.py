"""Types and values as words and as code: `float32 of shape (2,)`, `tf.zeros([2])`; and the wider of two dtypes."""

from __future__ import annotations

import ast

from tracefn import nest

_LONGEST = 120
_NESTS = (list, tuple, dict)
_ORDER = ("bool", "uint", "int", "float", "complex")
_NO_ZERO = frozenset({"variant", "resource"})


def spec(tensor) -> str:
    """ "float32 of shape (2, 3)"."""
    return f"{tensor.dtype.name} of shape {tensor.shape}"


class _Leaf:
    def __init__(self, tensor) -> None:
        self._text = "None" if tensor is None else f"{tensor.dtype.name} {tensor.shape}"

    def __repr__(self) -> str:
        return self._text


def structure(value, tensors) -> str:
    """A value in words; a nest is shown as its structure, with dtypes and shapes for leaves."""
    text = repr(nest.map_structure(_Leaf, value)) if isinstance(value, _NESTS) else " and ".join(map(spec, tensors))
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _kind_and_bits(name: str) -> tuple[str, int]:
    kind = name.rstrip("0123456789")
    return ("float", 16) if name == "bfloat16" else (kind, int(name[len(kind) :] or 0))


def wider(first: str, second: str) -> str | None:
    """The dtype that holds the values of two dtypes, as in Python: int and float give float. None if there is none.

    Args:
      first, second: names of dtypes.
    """
    if first == second:
        return first
    (kind, bits), (other, others) = _kind_and_bits(first), _kind_and_bits(second)
    if kind not in _ORDER or other not in _ORDER:
        return None
    if kind == other:
        if bits == others:
            return "float32"  # float16 and bfloat16
        return first if bits > others else second
    if _ORDER.index(kind) > _ORDER.index(other):
        (kind, bits), (other, others) = (other, others), (kind, bits)
        first, second = second, first
    if kind == "uint" and other == "int":
        needed = max(2 * bits, others)
        return f"int{needed}" if needed <= 64 else None
    if other == "complex" and kind == "float" and bits > others // 2:
        return "complex128"
    return second


def literal(node, text: str, dtype: str, tf: str) -> str:
    """The code of an expression in another dtype: a number is rewritten, anything else is cast.

    Args:
      node: the expression; text: its text.
      dtype: name of the dtype.
      tf: the user's name for the package.
    """
    number = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)) else node
    value = number.value if isinstance(number, ast.Constant) else None
    if type(value) is int and dtype == "float32" and text.lstrip("+-").isdigit():
        return f"{text}.0"
    if type(value) in (int, float, complex) and (dtype != "float32" or type(value) is int):
        return f"{tf}.constant({text}, {tf}.{dtype})"
    return f"{tf}.cast({text}, {tf}.{dtype})"


_SCALARS = {"int32": "0", "float32": "0.0", "bool": "False", "string": '""'}


def zeros(value, tensors, tf: str) -> str | None:
    """Code for a value of the same structure, dtypes and shapes, all zeros; None if shapes are unknown."""
    code = [_zero(t, tf) for t in tensors]
    if None in code:
        return None
    if not isinstance(value, _NESTS):
        return code[0] if len(code) == 1 else None
    if not _is_plain(value):
        return None
    rest = iter(code)
    return repr(nest.map_structure(lambda leaf: None if leaf is None else _Code(next(rest)), value))


class _Code(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _is_plain(value) -> bool:
    """Whether the repr of a nest is valid code."""
    if isinstance(value, _NESTS):
        return type(value) in _NESTS and all(map(_is_plain, value.values() if isinstance(value, dict) else value))
    return True


def _zero(tensor, tf: str) -> str | None:
    dtype, shape = tensor.dtype.name, tensor.shape
    if dtype in _NO_ZERO or not shape.is_fully_defined():
        return None
    if shape.rank == 0:
        return _SCALARS.get(dtype) or f"{tf}.constant(0, {tf}.{dtype})"
    sizes = shape.as_list()
    if dtype == "string":
        return f'{tf}.fill({sizes}, "")'
    return f"{tf}.zeros({sizes})" if dtype == "float32" else f"{tf}.zeros({sizes}, {tf}.{dtype})"
