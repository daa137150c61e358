"""Which functions conversion can change, told by their bytecode."""

from __future__ import annotations

import types
from opcode import opname

_WORTH = frozenset(
    op
    for op, name in enumerate(opname)
    if name.startswith(("POP_JUMP", "JUMP_IF", "FOR_ITER", "CALL", "UNPACK_", "PRECALL", "LIST_EXTEND", "MATCH_"))
    or name in ("UNARY_NOT", "RAISE_VARARGS", "TO_BOOL", "SET_UPDATE", "JUMP_BACKWARD", "MAKE_FUNCTION")
)


def worth_converting(code: types.CodeType) -> bool:
    """Whether the bytecode has a branch, loop, boolean operator, call, unpacking or starred display."""
    return any(op in _WORTH for op in code.co_code[::2])


def may_change(function) -> bool:
    """Whether conversion may replace a callable: any but a Python function, or a method, that is not worth it."""
    function = function.__func__ if type(function) is types.MethodType else function
    return type(function) is not types.FunctionType or worth_converting(function.__code__)
