"""What op callables have in common with Python functions, created on demand: their inspect.Signature, and a function."""

from __future__ import annotations

import functools
import inspect
import linecache
import types

from tracefn._core import OpCallable


def signature(rows, keyword_only: bool) -> inspect.Signature:
    """The signature for rows of (name, has default, default), with `name` last."""
    kind = inspect.Parameter.KEYWORD_ONLY if keyword_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        inspect.Parameter(name, kind, default=default if has_default else inspect.Parameter.empty)
        for name, has_default, default in rows
    ]
    # Python requires parameters without defaults first; an op may declare an attribute with one before an input.
    seen = False
    for i, p in enumerate(parameters):
        seen = seen or p.default is not inspect.Parameter.empty
        if seen and p.default is inspect.Parameter.empty and not keyword_only:
            parameters[i] = p.replace(default=None)
    parameters.append(inspect.Parameter("name", kind, default=None))
    return inspect.Signature(parameters)


@functools.cache
def as_function(op: OpCallable, path: str) -> types.FunctionType:
    """A Python function that calls the op, for those who read a function's attributes: its code, its defaults.

    Args:
      op: a public op.
      path: where it is: `nn.relu`, `raw_ops.Relu`.

    Example:
      >>> import tracefn as tf
      >>> tf.nn.relu.__code__.co_argcount, tf.nn.relu.__defaults__
      (2, (None,))
    """
    parameters = inspect.signature(op).parameters.values()
    shown = inspect.Signature([p if p.default is p.empty else p.replace(default=None) for p in parameters])
    first, _, last = path.rpartition(".")
    find, key = ("raw_op", last) if first == "raw_ops" else ("public_op", path)
    name = op.__name__
    # The import is in the body because some run a function's code with other globals.
    lines = [
        f"def {name}{shown}:",
        f"    {op.__doc__!r}",
        f"    from tracefn._core import {find} as _find",
        f"    return _find({key!r})({', '.join(f'{p.name}={p.name}' for p in parameters)})",
    ]
    file = f"<tracefn.{path}>"
    text = "\n".join(lines) + "\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    made: dict[str, types.FunctionType] = {}
    exec(compile(text, file, "exec"), {"__name__": op.__module__}, made)
    function = made[name]
    defaults = [p for p in parameters if p.default is not p.empty]
    if any(p.kind is p.KEYWORD_ONLY for p in parameters):
        function.__kwdefaults__ = {p.name: p.default for p in defaults}
    else:
        function.__defaults__ = tuple(p.default for p in defaults)
    return function
