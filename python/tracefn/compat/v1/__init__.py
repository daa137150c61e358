"""`tf.compat.v1`: the names of TensorFlow 1."""

import sys as _sys

import tracefn._queues.kinds  # noqa: F401 - it registers its names
from tracefn._deprecated import noticed as _noticed
from tracefn._missing import missing as _missing
from tracefn._namespaces import fill as _fill
from tracefn._namespaces import root as _root
from tracefn.compat.v1 import (  # noqa: F401 - they register their names
    accumulators,
    aliases,
    arrays,
    batches,
    checkpoint_initializers,
    checkpoints,
    checks,
    control,
    convolutions,
    decays,
    embedding_sparse,
    error_codes,
    graph_defs,
    graphs,
    initial_values,
    meta_graphs,
    metrics_at_k,
    model_profiles,
    monitored,
    neural,
    numbers,
    optimizers,
    optimizers_regularized,
    partitioners,
    placement,
    producers,
    queue_runners,
    ragged_values,
    readers,
    recurrent,
    reductions,
    sampled_losses,
    scaled_losses,
    session,
    session_hooks,
    sparse_accumulators,
    sparse_tensors,
    strategies,
    streaming_metrics,
    summaries,
    summary_messages,
    switches,
    sync_replicas,
    tables,
    templates,
    tensor_equality,
    testing,
    training,
    variables,
    warm_starts,
    weighted_losses,
    wrap_function,
)
from tracefn.compat.v1.arguments import today as _today
from tracefn.compat.v1.names import MOVED as _MOVED
from tracefn.compat.v1.namespaces import namespace as _namespace
from tracefn.compat.v1.namespaces import namespaces as _namespaces
from tracefn.compat.v1.same import NAMES as _NAMES
from tracefn.compat.v1.session_options import CLASSES as _OPTIONS
from tracefn.compat.v1.summary_messages import SummaryMetadata as _SummaryMetadata
from tracefn.ops.by_path import registered as _registered

# Its own files are no public names.
for _name in [name for name in globals() if f"{__name__}.{name}" in _sys.modules]:
    del globals()[_name]
_fill(globals(), "compat.v1")
for _name in _namespaces():
    _namespace(_name)  # so that `import tracefn.compat.v1.nn` finds it
del _name

# What messages are where tensorboard, which has their classes, is not installed.
_OWN_MESSAGES = {**_OPTIONS, "SummaryMetadata": _SummaryMetadata}

# Modules that `__getattr__` imports, the messages of `_proto`, and those of event files.
_MODULES = ("app", "audio", "compat", "data", "distributions", "feature_column", "flags", "image", "layers", "logging",
            "raw_ops", "resource_loader", "types")  # fmt: skip
_MESSAGES = ("AttrValue", "GraphDef", "MetaGraphDef", "NameAttrList", "NodeDef", "TensorInfo")


def __dir__() -> list[str]:
    from tracefn.compat.v1.event_messages import names  # start-up time: few programs write these

    own = {*globals(), *globals()["__all__"], *_MODULES, *_MESSAGES, *_OWN_MESSAGES, *names()}
    top = {name for name in (*_MOVED, *_namespaces()) if "." not in name} - own
    return sorted(own | (_NAMES & set(dir(_root()))) | {name for name in top if hasattr(_sys.modules[__name__], name)})


def __getattr__(name: str):
    return _noticed(f"compat.v1.{name}", _found(name))


def _found(name: str):
    if name == "image":
        import tracefn.compat.v1.image as image  # start-up time: few programs need it

        return image
    if name == "app":
        import tracefn.compat.v1.app as app  # start-up time: few programs have flags

        return app
    if name == "data":
        import tracefn.compat.v1.data as data  # start-up time: few programs read datasets in sessions

        return data
    if name == "distributions":
        import tracefn.compat.v1.distributions as distributions  # start-up time: few programs use them

        return distributions
    if name == "feature_column":
        import tracefn.compat.v1.feature_column as feature_column  # start-up time: few programs need it

        return feature_column
    if name == "flags":
        import tracefn.compat.v1.flags as flags  # start-up time: few programs have flags

        return flags
    if name == "logging":
        import tracefn.compat.v1.logging as logging  # start-up time: it imports Python's logging

        return logging
    if name == "resource_loader":
        import tracefn.compat.v1.resource_loader as resource_loader  # start-up time: few programs need it

        return resource_loader
    if name in _MESSAGES:
        from tracefn._proto import message_class  # start-up time: only programs that store graphs need messages

        return message_class(name)
    if name in ("audio", "types"):
        return getattr(_root(), name)
    if name == "keras":
        _ = _root().keras  # so that a missing one gets the usual error
        from tracefn.as_tensorflow.keras_modules import keras_of_v1  # start-up time: few programs need it

        return keras_of_v1()
    if name == "layers":
        from tracefn.as_tensorflow.keras_modules import LegacyModule  # start-up time: few programs need it

        globals()[name] = LegacyModule(name, "__internal__.legacy.layers")
        return globals()[name]
    if name == "compat":
        return _root().compat
    import tracefn.compat.v1.event_messages as event_messages  # start-up time: few programs write these

    message = event_messages.message_class(name) or _OWN_MESSAGES.get(name)
    if message is not None:
        return message
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
