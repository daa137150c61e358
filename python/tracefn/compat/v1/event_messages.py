"""`tf.compat.v1.Summary`, `tf.compat.v1.Event` and the messages in them, those in files of graphs, and options of sessions:
protobuf's classes from the package tensorboard."""

from __future__ import annotations

from tracefn._proto_modules import is_lacking, proto_module

_MODULES = {
    "ConfigProto": "config",
    "Event": "event",
    "GPUOptions": "config",
    "GraphOptions": "config",
    "HistogramProto": "histogram",
    "LogMessage": "event",
    "OptimizerOptions": "config",
    "RunMetadata": "config",
    "RunOptions": "config",
    "SessionLog": "event",
    "Summary": "summary",
    "SummaryDescription": "summary",
    "SummaryMetadata": "summary",
    "TaggedRunMetadata": "event",
}


# These belong to `tf.compat.v1.summary`.
_OF_SUMMARY = frozenset({"SummaryDescription", "TaggedRunMetadata"})


def names() -> list[str]:
    """The messages that are public names of `tf.compat.v1`."""
    return [name for name in _MODULES if name not in _OF_SUMMARY and message_class(name) is not None]


def message_class(name: str):
    """The class of a message; None if there is none, or if tensorboard is not installed."""
    if name not in _MODULES:
        return None
    try:
        module = proto_module(_MODULES[name])
    except ModuleNotFoundError as error:
        if is_lacking(error):
            return None
        raise
    return getattr(module, name, None)
