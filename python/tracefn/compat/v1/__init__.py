"""`tf.compat.v1`: the old spellings that programs for `tf.function` still use."""

from __future__ import annotations

from tracefn._export import fill
from tracefn._missing import missing as _missing
from tracefn.compat.v1 import aliases, initializers, wrap_function  # noqa: F401 - they register their names

fill(globals(), "compat.v1")


def __getattr__(name: str):
    from tracefn.compat.v1.same import NAMES

    if name == "GraphDef":
        from tracefn._graph_def import GraphDef

        return GraphDef
    if name == "logging":
        import tracefn.compat.v1.logging as logging

        return logging
    if name not in NAMES:
        raise _missing("compat.v1", name)
    import tracefn

    return getattr(tracefn, name)
