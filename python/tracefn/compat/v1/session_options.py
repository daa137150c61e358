"""Options of sessions and of their runs where tensorboard, which has the messages, is not installed; without effect."""

from __future__ import annotations

from types import SimpleNamespace


class Options(SimpleNamespace):
    """Options of sessions by name; accepted, without effect."""

    def __init__(self, **options) -> None:
        super().__init__(**options)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        value = Options()
        setattr(self, name, value)
        return value


class ConfigProto(Options):
    """Options of a session; accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
      >>> config.gpu_options.allow_growth = True
    """


class GPUOptions(Options):
    """Options of GPUs; accepted, without effect."""


class GraphOptions(Options):
    """Options of graphs; accepted, without effect."""


class OptimizerOptions(Options):
    """Options of graph optimizers; accepted, without effect."""

    L0, L1 = -1, 0
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2


class RunOptions(Options):
    """Options of a run; accepted, without effect."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3


class RunMetadata(Options):
    """What a run tells about itself: nothing."""


CLASSES = {kind.__name__: kind for kind in (ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunOptions, RunMetadata)}


def check_run_messages(options, run_metadata) -> None:
    """Refuses what is no RunOptions, or no RunMetadata.

    Raises:
      AttributeError: it is something else; None is allowed.
    """
    for value, method in ((options, "SerializeToString"), (run_metadata, "ParseFromString")):
        if value and not isinstance(value, Options) and not hasattr(value, method):
            raise AttributeError(f"{type(value).__name__!r} object has no attribute {method!r}")


def is_config(value) -> bool:
    """Whether it is a ConfigProto, of this module or as protobuf makes it from `tensorflow.core.protobuf.config_pb2`."""
    descriptor = getattr(type(value), "DESCRIPTOR", None)
    return isinstance(value, ConfigProto) or getattr(descriptor, "name", None) == "ConfigProto"
