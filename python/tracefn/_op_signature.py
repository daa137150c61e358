"""The inspect.Signature of op callables, created on demand."""

from __future__ import annotations

import inspect


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
