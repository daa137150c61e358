"""`tf.compat.v1`: the old names that programs with `tf.function` still use."""

from __future__ import annotations

from tracefn._namespaces import fill
from tracefn._namespaces import load as _load
from tracefn._namespaces import root as _root
from tracefn.compat.v1 import aliases, initializers, session, variables, wrap_function  # noqa: F401 - they register their names
from tracefn.compat.v1.same import NAMES as _NAMES

fill(globals(), "compat.v1")


def __getattr__(name: str):
    if name == "GraphDef":
        from tracefn._graph_def import GraphDef  # start-up time: only programs that store graphs need messages

        return GraphDef
    if name == "image":
        import tracefn.compat.v1.image as image  # start-up time: few programs need it

        return image
    if name == "spectral":
        import tracefn.compat.v1.spectral as spectral  # start-up time: few programs need it

        return spectral
    if name == "logging":
        import tracefn.compat.v1.logging as logging  # start-up time: it imports Python's logging

        return logging
    if name not in _NAMES:
        return _load(globals(), "compat.v1", name)
    return getattr(_root(), name)
