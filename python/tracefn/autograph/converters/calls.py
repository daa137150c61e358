"""Converts calls: the callee is converted when the call runs; arguments are unchanged."""

from __future__ import annotations

import ast
import builtins

from tracefn.autograph.templates import Template

_CONVERTED = Template("ag__.converted(CALLEE)")
ELEMENTS = Template("ag__.elements(VALUE)")
_DISPLAYS = frozenset({ast.Tuple, ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp})
_VISIBLE = Template("ag__.visible(CALL)")

# These inspect the calling frame.
_FRAME_BUILTINS = frozenset({"super", "locals", "globals", "eval", "exec", "vars", "dir", "breakpoint"})
# These treat tensors like any object, and call no user function that would be converted.
_PLAIN_BUILTINS = frozenset(
    {
        "isinstance", "issubclass", "hasattr", "getattr", "setattr", "delattr", "callable", "type", "id", "repr", "str",
        "hash", "dict", "set", "frozenset", "bytes", "bytearray", "object", "ord", "chr", "hex", "oct", "bin", "slice",
        "property", "staticmethod", "classmethod", "memoryview", "open", "input", "ascii", "format", "complex", "bool",
        "divmod", "round", "pow",
    }
)  # fmt: skip


def _names_builtin(context, node, names) -> bool:
    return (
        type(node) is ast.Name
        and node.id in names
        and node.id not in context.local_names
        and node.id not in context.globals
        and hasattr(builtins, node.id)
    )


def _is_generated(callee) -> bool:
    """Whether the callee is a run-time function: lowered jumps contain such calls, and are lowered before calls."""
    return type(callee) is ast.Attribute and type(callee.value) is ast.Name and callee.value.id == "ag__"


def convert(context, node: ast.Call) -> ast.expr:
    """Converts `f(x)` to `ag__.converted(f)(x)`."""
    if _names_builtin(context, node.func, _FRAME_BUILTINS):
        name = node.func.id
        context.expressions_in(node)
        if name in ("locals", "vars", "dir") and not node.args and not node.keywords:
            return _VISIBLE.expression(node, CALL=node)
        return node
    plain = _names_builtin(context, node.func, _PLAIN_BUILTINS) or _is_generated(node.func)
    context.expressions_in(node)
    if not plain:
        node.func = _CONVERTED.expression(node.func, CALLEE=node.func)
    return node


def elements(context, node: ast.expr) -> ast.expr:
    """Converts an iterable that is consumed while tracing: a tensor of known length gives its slices."""
    converted = context.expression(node)
    return converted if type(node) in _DISPLAYS else ELEMENTS.expression(node, VALUE=converted)


def convert_starred(context, node: ast.Starred) -> ast.expr:
    """Converts `*x` in a call or a display; a starred target is unchanged."""
    if type(node.ctx) is ast.Load:
        node.value = elements(context, node.value)
    return node
