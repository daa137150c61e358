"""Options of sessions and of their runs where tensorboard, which has the messages, is not installed; without effect."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar


class Options(SimpleNamespace):
    """Options of sessions by name; accepted, without effect. Classes that list their fields have no others.

    Raises:
      ValueError: there is no such field.
    """

    _fields: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, **options) -> None:
        for name in options:
            if not self._has(name):
                raise ValueError(self._lacks(name))
        super().__init__(**options)

    @classmethod
    def _has(cls, name: str) -> bool:
        return name in cls._fields or not cls._fields

    @classmethod
    def _lacks(cls, name: str) -> str:
        return f'Protocol message {cls.__name__} has no "{name}" field.'

    def __getattr__(self, name: str):
        if name.startswith("__") or not self._has(name):
            raise AttributeError(name)
        value = CLASSES.get(_KINDS.get(name, ""), Options)()
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value) -> None:
        if not self._has(name):
            raise AttributeError(self._lacks(name))
        super().__setattr__(name, value)


class ConfigProto(Options):
    """Options of a session; accepted, without effect.

    Example:
      >>> import tracefn as tf
      >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
      >>> config.gpu_options.allow_growth = True
    """

    _fields = frozenset(
        """
        device_count intra_op_parallelism_threads inter_op_parallelism_threads use_per_session_threads
        session_inter_op_thread_pool placement_period device_filters gpu_options pluggable_device_options allow_soft_placement
        log_device_placement graph_options operation_timeout_in_ms rpc_options cluster_def isolate_session_state
        share_cluster_devices_in_session experimental
        """.split()
    )


class GPUOptions(Options):
    """Options of GPUs; accepted, without effect."""

    _fields = frozenset(
        """
        per_process_gpu_memory_fraction allow_growth allocator_type deferred_deletion_bytes visible_device_list
        polling_active_delay_usecs polling_inactive_delay_msecs force_gpu_compatible experimental
        """.split()
    )


class GraphOptions(Options):
    """Options of graphs; accepted, without effect."""

    _fields = frozenset(
        """
        enable_recv_scheduling optimizer_options build_cost_model build_cost_model_after infer_shapes place_pruned_graph
        enable_bfloat16_sendrecv timeline_step rewrite_options
        """.split()
    )


class OptimizerOptions(Options):
    """Options of graph optimizers; accepted, without effect."""

    L0, L1 = -1, 0
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    _fields = frozenset(
        """
        do_common_subexpression_elimination do_constant_folding max_folded_constant_in_bytes do_function_inlining opt_level
        global_jit_level cpu_global_jit
        """.split()
    )


class RunOptions(Options):
    """Options of a run; accepted, without effect."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3
    _fields = frozenset(
        """
        trace_level timeout_in_ms inter_op_thread_pool output_partition_graphs debug_options
        report_tensor_allocations_upon_oom experimental
        """.split()
    )


class RunMetadata(Options):
    """What a run tells about itself: nothing."""

    _fields = frozenset("step_stats cost_graph partition_graphs function_graphs session_metadata".split())


# The classes of the fields that have one of these.
_KINDS = {
    "gpu_options": "GPUOptions",
    "graph_options": "GraphOptions",
    "optimizer_options": "OptimizerOptions",
    "pluggable_device_options": "GPUOptions",
}
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
