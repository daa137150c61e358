"""`tf.compat.v1`: the names of TensorFlow 1."""

import sys as _sys

from tracefn._missing import missing as _missing
from tracefn._namespaces import fill as _fill
from tracefn._namespaces import registered as _registered
from tracefn._namespaces import root as _root
from tracefn.compat.v1 import (  # noqa: F401 - they register their names
    aliases,
    arrays,
    checks,
    control,
    convolutions,
    decays,
    graphs,
    initial_values,
    neural,
    numbers,
    optimizers,
    reductions,
    session,
    sparse_tensors,
    switches,
    variables,
    weighted_losses,
    wrap_function,
)
from tracefn.compat.v1.arguments import today as _today
from tracefn.compat.v1.names import MOVED as _MOVED
from tracefn.compat.v1.namespaces import namespace as _namespace
from tracefn.compat.v1.namespaces import namespaces as _namespaces
from tracefn.compat.v1.same import NAMES as _NAMES

# Its own files are no public names.
for _name in [name for name in globals() if f"{__name__}.{name}" in _sys.modules]:
    del globals()[_name]
_fill(globals(), "compat.v1")
for _name in _namespaces():
    _namespace(_name)  # so that `import tracefn.compat.v1.nn` finds it
del _name


def __getattr__(name: str):
    if name == "GraphDef":
        from tracefn._graph_def import GraphDef  # start-up time: only programs that store graphs need messages

        return GraphDef
    if name == "image":
        import tracefn.compat.v1.image as image  # start-up time: few programs need it

        return image
    if name == "app":
        import tracefn.compat.v1.app as app  # start-up time: few programs have flags

        return app
    if name == "flags":
        import tracefn.compat.v1.flags as flags  # start-up time: few programs have flags

        return flags
    if name == "logging":
        import tracefn.compat.v1.logging as logging  # start-up time: it imports Python's logging

        return logging
    own = _registered(f"compat.v1.{name}")
    if own is not None:
        return own
    if name in _NAMES:
        return getattr(_root(), name)
    if name in _MOVED:
        return _today(_MOVED[name])
    if name == "raw_ops":
        return _root().raw_ops
    if name in _namespaces():
        return _namespace(name)
    raise _missing("compat.v1", name)
