"""Advice for places where Python, the standard library or NumPy needs the value of a symbolic tensor."""

from __future__ import annotations

import ast
import types

from tracefn import _core
from tracefn._user_code import edits
from tracefn._user_code.place import Place, unknown
from tracefn.autograph.api import why_unconverted
from tracefn.ops.by_path import paths

# Our names of functions in NumPy and math, if the first arguments are the same.
_SAME = frozenset(
    "abs acos acosh argsort asin asinh atan atan2 atanh ceil cos cosh cumsum equal exp expand_dims floor greater "
    "greater_equal less less_equal logical_and logical_not logical_or logical_xor matmul maximum minimum multiply negative "
    "not_equal pow reshape round shape sign sin sinh size sort sqrt square squeeze stack subtract tan tanh tile transpose "
    "where zeros_like ones_like add divide".split()
)
_RENAMED = {
    "sum": "reduce_sum",
    "mean": "reduce_mean",
    "max": "reduce_max",
    "min": "reduce_min",
    "amax": "reduce_max",
    "amin": "reduce_min",
    "prod": "reduce_prod",
    "any": "reduce_any",
    "all": "reduce_all",
    "std": "math.reduce_std",
    "var": "math.reduce_variance",
    "array": "convert_to_tensor",
    "asarray": "convert_to_tensor",
    "absolute": "abs",
    "power": "pow",
    "clip": "clip_by_value",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "concatenate": "concat",
    "isnan": "math.is_nan",
    "isinf": "math.is_inf",
    "isfinite": "math.is_finite",
    "linalg.norm": "norm",
    "linalg.inv": "linalg.inv",
    "linalg.det": "linalg.det",
    "fabs": "abs",
    "dot": "tensordot",
    "cumprod": "math.cumprod",
    "erf": "math.erf",
    "lgamma": "math.lgamma",
    "log": "math.log",
    "log1p": "math.log1p",
    "expm1": "math.expm1",
    "rint": "math.rint",
}
_NEEDS_VALUE = "which needs its value: while a function is traced, a tensor has none."


# How many arguments have the same meaning here; one for all others. (A second one of tf.round is a name.)
_ARGUMENTS = {
    **dict.fromkeys(
        "reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_any reduce_all math.reduce_std math.reduce_variance "
        "argsort sort cumsum math.cumprod squeeze transpose tile expand_dims stack concat reshape convert_to_tensor pow atan2 "
        "maximum minimum multiply subtract add divide equal not_equal greater greater_equal less less_equal logical_and "
        "logical_or logical_xor matmul tensordot".split(),
        2,
    ),
    "where": 3,
    "clip_by_value": 3,
}
_KEYWORDS = frozenset({"axis", "keepdims"})


def _elsewhere(place: Place) -> str:
    return (
        "Return the tensor and do this with the result of the traced function, or put it into a function that "
        f"{place.tf}.py_function calls."
    )


def _tensors_of(place: Place, node) -> list:
    """The operands of a call that are or may be tensors."""
    arguments = [*node.args, *(k.value for k in node.keywords)]
    return [a for a in arguments if isinstance(place.value(a), _core.Tensor)]



def counterpart(place: Place, function) -> str | None:
    """The tracefn counterpart of a function of NumPy or math, or None; `function` is an expression."""
    parts = ast.unparse(function).split(".")
    module = place.value(ast.Name(parts[0], ast.Load())) if len(parts) > 1 else unknown
    if not isinstance(module, types.ModuleType) or module.__name__ not in ("numpy", "math"):
        return None
    name = ".".join(parts[1:])
    found = _RENAMED.get(name, name)
    if found is name and name not in _SAME:
        return None
    return found if found in paths() or found == "convert_to_tensor" else None


def numpy_call(place: Place, match) -> list[str]:
    """Advice on a function of NumPy or math called with a tensor: its tracefn counterpart."""
    del match
    node = place.expression()
    if not isinstance(node, ast.Call):
        return [_elsewhere(place)]
    function = place.segment(node.func)
    name = counterpart(place, node.func)
    if name is None:
        return [f"`{function}` is no function of tensors. " + _elsewhere(place)]
    most = _ARGUMENTS.get(name, 1)
    same = len(node.args) <= most and all(k.arg in _KEYWORDS for k in node.keywords if most > 1 or k.arg is None)
    if not same or (most == 1 and node.keywords) or (most == 3 and len(node.args) != 3):
        return [f"`{function}` with these arguments has no counterpart here. " + _elsewhere(place)]
    rest = [*(place.segment(a) for a in node.args), *(_keyword(place, k) for k in node.keywords)]
    if name == "concat" and len(rest) == 1:
        rest.append("0")  # the axis, which NumPy leaves out
    if name == "tensordot":
        ranks = [getattr(getattr(place.value(a), "shape", None), "rank", None) for a in node.args]
        if len(rest) != 2 or not all(rank in (1, 2) for rank in ranks):
            return [_elsewhere(place)]
        rest.append("1")
    return edits.told([], edits.replaced(place, node, f"{place.tf}.{name}({', '.join(rest)})"))


def _keyword(place: Place, keyword) -> str:
    value = place.segment(keyword.value)
    return f"**{value}" if keyword.arg is None else f"{keyword.arg}={value}"


def scalar(place: Place, match) -> list[str]:
    """Advice on float, int, range, round and the like of a tensor, in unconverted code."""
    del match
    node, tf = place.expression(), place.tf
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        name, argument = node.func.id, place.segment(node.args[0])
        code = {
            "float": f"{tf}.cast({argument}, {tf}.float32)",
            "int": f"{tf}.cast({argument}, {tf}.int32)",
            "range": f"{tf}.range({argument})",
            "round": f"{tf}.round({argument})",
        }.get(name)
        if code is not None:
            facts = [] if name == "round" else [unconverted(place)]
            return edits.told([f for f in facts if f], edits.replaced(place, node, code) if name != "range" else None)
        return [f"`{name}` is given `{argument}`, {_NEEDS_VALUE}", _elsewhere(place)]
    if isinstance(node, ast.Call):
        if ast.unparse(node.func).rpartition(".")[2] in ("zeros", "ones") and len(node.args) == 1 and not node.keywords:
            made = f"{tf}.{ast.unparse(node.func).rpartition('.')[2]}([{place.segment(node.args[0])}], {tf}.float64)"
            return edits.told([], edits.replaced(place, node, made))
        if counterpart(place, node.func) is not None:
            return numpy_call(place, None)
        tensors = _tensors_of(place, node)
        given = f"`{place.segment(tensors[0])}`" if len(tensors) == 1 else "a tensor"
        return [f"`{place.segment(node.func)}` is given {given}, {_NEEDS_VALUE}", _elsewhere(place)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _text(place, node.right)
    return []


def _text(place: Place, operand) -> list[str]:
    text, tf = place.segment(operand), place.tf
    return [
        (f"A text cannot hold the value of `{text}` while a function is traced: {tf}.print shows it when the graph runs, "
        f"{tf}.strings.format and {tf}.strings.as_string make a tensor of text.")
    ]


def text(place: Place, match) -> list[str]:
    """Advice on a format specification for a tensor, as in f"{x:.2f}"."""
    del match
    # Parts of an f-string have no positions of their own before Python 3.12.
    for node in place.nodes(ast.FormattedValue):
        if node.lineno <= place.line <= node.end_lineno and isinstance(place.value(node.value), _core.Tensor):
            return _text(place, node.value)
    return []


def _changed(place: Place) -> str:
    return (f"{place.tf}.tensor_scatter_nd_update and {place.tf}.TensorArray.write set what is at a place that a tensor names; "
            "the result is another tensor.")


def index(place: Place, match) -> list[str]:
    """Advice on a Python list or tuple indexed by a tensor."""
    del match
    node, tf = place.expression(), place.tf
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return []
    base, at = place.segment(node.value), place.segment(node.slice)
    facts = f"`{base}` is a Python sequence, and `{at}` a tensor, which has no value while a function is traced."
    if isinstance(node.ctx, ast.Store):
        return [facts, _changed(place)]
    value = place.value(node.value)
    if isinstance(value, (list, tuple)) and value and edits.stacks(value) and isinstance(node.ctx, ast.Load):
        return edits.told([facts], edits.replaced(place, node, f"{tf}.gather({base}, {at})"))
    return [facts]


def key(place: Place, match) -> list[str]:
    """Advice on a tensor as the key of a dict or an element of a set."""
    del match
    node, tf = place.expression(), place.tf
    if isinstance(node, ast.Dict | ast.Set):
        keys = [k for k in (node.keys if isinstance(node, ast.Dict) else node.elts) if isinstance(place.value(k), _core.Tensor)]
        return edits.told([], edits.replaced(place, keys[0], f"{place.segment(keys[0])}.ref()")) if len(keys) == 1 else []
    if not isinstance(node, ast.Subscript):
        return []
    base, at = place.segment(node.value), place.segment(node.slice)
    found = place.value(node.value)
    if not isinstance(found, dict) or _core.current_graph() is None and not place.is_traced:
        return []
    facts = f"`{at}` is a tensor, which has no value to look up in `{base}` while a function is traced."
    if isinstance(node.ctx, ast.Store):
        return [facts, _changed(place)]
    if list(found) == list(range(len(found))) and found and edits.stacks(list(found.values())):
        return edits.told([facts], edits.replaced(place, node, f"{tf}.gather(list({base}.values()), {at})"))
    return [facts]


def index_slice(place: Place, match) -> list[str]:
    """Advice on a Python list sliced by a tensor."""
    del match
    node = place.expression()
    value = place.value(node.value) if isinstance(node, ast.Subscript) else None
    if not isinstance(value, (list, tuple)) or not value or not edits.stacks(value):
        return []
    base = place.segment(node.value)
    return edits.told([], edits.replaced(place, node.value, f"{place.tf}.convert_to_tensor({base})"))


def of_scalar(place: Place, match) -> list[str]:
    """Advice on iterating over a scalar."""
    del match
    node = place.expression()
    loop = place.statement(ast.For)
    if loop is not None:
        node = loop.iter
    elif isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    else:
        return []
    text = place.segment(node)
    tf = place.tf
    return [f"`{text}` is a scalar, which has no rows: {tf}.range({text}) counts to it, {tf}.reshape({text}, [1]) makes one row of it."]


_COMPREHENSIONS = "Comprehensions run in Python: write a `for` statement, which AutoGraph makes a loop of the graph."
_REDUCED = {"any": "reduce_any", "all": "reduce_all"}
_OF_SEQUENCE = {"max": "reduce_max", "min": "reduce_min", "sorted": "sort"}


def not_allowed(place: Place, match) -> list[str]:
    """Advice on the truth value or the elements of a tensor, in unconverted code or in Python's own operations."""
    node, tf = place.expression(), place.tf
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        left, right = place.segment(node.left), place.segment(node.comparators[0])
        code = f"{tf}.reduce_any({tf}.equal({left}, {right}))"
        return edits.told(
            [f"`in` asks Python for a bool, which `{place.segment(node)}` does not have while it is traced."],
            edits.replaced(place, node, code if isinstance(node.ops[0], ast.In) else f"{tf}.logical_not({code})"),
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        name, argument = node.func.id, node.args[0]
        given = place.segment(argument)
        if name in _REDUCED and not isinstance(argument, ast.GeneratorExp):
            given = f"{tf}.stack({given})" if isinstance(place.value(argument), (list, tuple)) else given
            return edits.told([], edits.replaced(place, node, f"{tf}.{_REDUCED[name]}({given})"))
        if name in _OF_SEQUENCE:
            return edits.told([], edits.replaced(place, node, f"{tf}.{_OF_SEQUENCE[name]}({tf}.stack({given}))"))
        if name == "bool":
            return edits.told([], edits.replaced(place, node, f"{tf}.cast({given}, {tf}.bool)"))
    reason = unconverted(place)
    if reason:
        return [reason]
    if "Iterating" in match[0] and _is_in_comprehension(place, node):
        return [_COMPREHENSIONS]
    if "Iterating" in match[0]:
        return [
            ("Over a tensor without a known first dimension only a `for` statement runs, as a loop of the graph; "
            f"{tf}.unstack(x, num=...) takes a tensor of a known size apart.")
        ]
    return []


def _is_in_comprehension(place: Place, node) -> bool:
    while node is not None and place.function is not None:
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            return True
        node = place.parent(node)
    return False


def unconverted(place: Place) -> str:
    """Why AutoGraph did not convert the function of a frame, and what to do; empty if it did."""
    code = place.code
    if "ag__" in code.co_freevars or "ag__" in code.co_varnames or code.co_varnames[:1] == ("ag__thunk",):
        return ""
    name = code.co_name
    if name in ("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>"):
        return _COMPREHENSIONS
    if name in ("__init__", "__new__"):
        return f"AutoGraph does not convert {name}: do this in another method, or use {place.tf}.cond or {place.tf}.where."
    if code.co_flags & 0x20:
        return f"{name} is a generator, which AutoGraph does not convert."
    reason = why_unconverted(code)
    if reason is not None:
        return (
            f"AutoGraph left {name} as it is: {reason}. Put the function in a file, or keep its text in linecache, or use "
            f"{place.tf}.cond and {place.tf}.while_loop."
        )
    ops = f"{place.tf}.cond, {place.tf}.where and {place.tf}.while_loop"
    if not place.autograph:
        return f"AutoGraph is off: {name} is traced with autograph=False. Leave that out, or use {ops}."
    return f"AutoGraph did not convert {name}, which is marked do_not_convert or called by a library. Change that, or use {ops}."
