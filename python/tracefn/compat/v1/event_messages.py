"""`tf.compat.v1.Summary`, `tf.compat.v1.Event` and the messages in them, and those in files of graphs: protobuf's classes from
the package tensorboard."""

from __future__ import annotations

import importlib

_MODULES = {
    "Event": "event_pb2",
    "HistogramProto": "histogram_pb2",
    "LogMessage": "event_pb2",
    "MetaGraphDef": "meta_graph_pb2",
    "SessionLog": "event_pb2",
    "Summary": "summary_pb2",
    "SummaryDescription": "summary_pb2",
    "TaggedRunMetadata": "event_pb2",
    "TensorInfo": "meta_graph_pb2",
}


def message_class(name: str):
    """The class of a message; None if there is none, or if tensorboard is not installed."""
    if name not in _MODULES:
        return None
    try:
        module = importlib.import_module(f"tensorboard.compat.proto.{_MODULES[name]}")  # optional: tensorboard
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] in ("tensorboard", "google"):
            return None
        raise
    return getattr(module, name, None)
