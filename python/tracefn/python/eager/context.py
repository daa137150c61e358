"""`tensorflow.python.eager.context`: what libraries ask eager execution for."""

from __future__ import annotations

import contextlib
from typing import Any

from tracefn import _core
from tracefn._device import device, placement_of_thread
from tracefn._graph_def import graph_def_of
from tracefn._internal import eager_mode
from tracefn.compat.v1.switches import graph_mode
from tracefn.config import _devices, experimental, optimizer, threading
from tracefn.config._devices import LogicalDevice, LogicalDeviceConfiguration, PhysicalDevice, forget_configuration
from tracefn.framework import executing_eagerly
from tracefn.ops.device_spec import DeviceSpec
from tracefn.random_seed import eager_op_seed, eager_seed, set_seed

__all__ = [
    "ASYNC",
    "EAGER_MODE",
    "GRAPH_MODE",
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "SYNC",
    "async_wait",
    "collect_graphs",
    "context",
    "device",
    "eager_mode",
    "ensure_initialized",
    "executing_eagerly",
    "execution_mode",
    "get_device_name",
    "global_seed",
    "graph_mode",
    "in_eager_mode",
    "internal_operation_seed",
    "num_gpus",
    "set_execution_mode",
    "set_global_seed",
]

GRAPH_MODE, EAGER_MODE = 0, 1
SYNC, ASYNC = 0, 1
_PREFIX = "/job:localhost/replica:0/task:0"


def _device_of_thread() -> str:
    placement = placement_of_thread()
    if not placement:
        return ""
    return DeviceSpec.from_string(_PREFIX).make_merged_spec(DeviceSpec.from_string(placement)).to_string()


class _Context:
    """The state of eager execution; ops have run when they return, and kernels are not kept."""

    def clear_kernel_cache(self) -> None:
        """Does nothing."""

    def ensure_initialized(self) -> None:
        """Does nothing: there is nothing to initialize."""

    def executing_eagerly(self) -> bool:
        """Whether ops run eagerly."""
        return executing_eagerly()

    def is_async(self) -> bool:
        """False: an op has run when it returns."""
        return False

    execution_mode = SYNC

    def sync_executors(self) -> None:
        """Does nothing: all ops have run."""

    def clear_executor_errors(self) -> None:
        """Does nothing: errors are raised where they happen."""

    # devices
    @property
    def device_name(self) -> str:
        """The name of the device on which eager ops are placed; "" for any device."""
        return _device_of_thread()

    @property
    def device_spec(self):
        """The same as a `tf.DeviceSpec`."""
        return DeviceSpec.from_string(_device_of_thread())

    def device(self, name):
        """A context that places eager ops on the device of this name: `tf.device`."""
        return device(name)

    def devices(self) -> list[str]:
        """The names of the devices on which ops can be placed."""
        return [_PREFIX + each.name for each in _devices.list_logical_devices()]

    def num_gpus(self) -> int:
        """0."""
        return 0

    list_physical_devices = staticmethod(_devices.list_physical_devices)
    list_logical_devices = staticmethod(_devices.list_logical_devices)
    get_visible_devices = staticmethod(_devices.get_visible_devices)
    set_visible_devices = staticmethod(_devices.set_visible_devices)
    get_logical_device_configuration = staticmethod(_devices.get_logical_device_configuration)
    set_logical_device_configuration = staticmethod(_devices.set_logical_device_configuration)
    get_memory_info = staticmethod(experimental.get_memory_info)
    reset_memory_stats = staticmethod(experimental.reset_memory_stats)
    get_memory_growth = staticmethod(experimental.get_memory_growth)
    set_memory_growth = staticmethod(experimental.set_memory_growth)
    get_device_details = staticmethod(experimental.get_device_details)

    # settings
    get_optimizer_experimental_options = staticmethod(optimizer.get_experimental_options)
    set_optimizer_experimental_options = staticmethod(optimizer.set_experimental_options)

    @property
    def soft_device_placement(self) -> bool:
        """Whether an op on a device that does not exist runs on the CPU."""
        return _devices.get_soft_device_placement()

    @soft_device_placement.setter
    def soft_device_placement(self, enabled: bool) -> None:
        _devices.set_soft_device_placement(enabled)

    @property
    def intra_op_parallelism_threads(self) -> int:
        """The number of threads that work on one op; 0 if the system chooses it."""
        return threading.get_intra_op_parallelism_threads()

    @intra_op_parallelism_threads.setter
    def intra_op_parallelism_threads(self, num_threads: int) -> None:
        threading.set_intra_op_parallelism_threads(num_threads)

    @property
    def inter_op_parallelism_threads(self) -> int:
        """The number of ops that run at a time, as it was set."""
        return threading.get_inter_op_parallelism_threads()

    @inter_op_parallelism_threads.setter
    def inter_op_parallelism_threads(self, num_threads: int) -> None:
        threading.set_inter_op_parallelism_threads(num_threads)

    # seeds
    def _set_global_seed(self, seed) -> None:
        set_global_seed(seed)

    def _internal_operation_seed(self) -> int:
        return internal_operation_seed()


_context = _Context()


def context() -> _Context:
    """The state of eager execution."""
    return _context


def _reset_context() -> None:
    """Makes the devices those that a program starts with."""
    forget_configuration()


def async_wait() -> None:
    """Waits for ops that run asynchronously, of which there are none."""


def ensure_initialized() -> None:
    """Does nothing: there is nothing to initialize."""


def in_eager_mode() -> bool:
    """Whether ops run eagerly."""
    return executing_eagerly()


def num_gpus() -> int:
    """0."""
    return 0


def set_execution_mode(mode) -> None:
    """Accepts `SYNC`, `ASYNC` and None, without effect: an op has run when it returns.

    Raises:
      ValueError: `mode` is another value.
    """
    if mode not in (None, SYNC, ASYNC):
        raise ValueError(f"Execution mode should be None/SYNC/ASYNC. Got {mode}")


@contextlib.contextmanager
def execution_mode(mode):
    """A context in which `set_execution_mode(mode)` holds."""
    set_execution_mode(mode)
    yield


def global_seed():
    """The seed that `tf.random.set_seed` set; None without one."""
    return eager_seed()


def set_global_seed(seed) -> None:
    """Sets the seed of eager ops.

    Args:
      seed: an integer, also NumPy's or a scalar tensor; None: no seed.

    Example:
      >>> import tracefn as tf
      >>> tf.python.eager.context.set_global_seed(5)
      >>> tf.python.eager.context.global_seed()
      5
    """
    with _core.TargetContext(None):
        set_seed(seed if seed is None else int(seed))


def internal_operation_seed() -> int:
    """The seed that the next eager op gets that has none of its own, which is used up.

    Raises:
      ValueError: there is no global seed.
    """
    return eager_op_seed()


@contextlib.contextmanager
def collect_graphs(optimized: bool = True):
    """A context that collects the graphs of functions which run in it.

    Args:
      optimized: without effect: graphs are as they were traced.

    Returns:
      Context of a list, which has a GraphDef for each graph when the context ends.

    Example:
      >>> import tracefn as tf
      >>> f = tf.function(lambda x: x + 1.0)
      >>> with tf.python.eager.context.collect_graphs() as graphs:
      ...     _ = f(tf.constant(1.0))
      >>> "AddV2" in [node.op for node in graphs[0].node]
      True
    """
    del optimized
    graphs: list[Any] = []
    _core.collect_graphs(True)
    try:
        yield graphs
        graphs.extend(graph_def_of(graph) for graph in _core.collected_graphs())
    finally:
        _core.collect_graphs(False)


def get_device_name() -> str:
    """The name of the device on which eager ops are placed; "" for any device.

    Example:
      >>> import tracefn as tf
      >>> tf.python.eager.context.get_device_name()
      ''
    """
    return _device_of_thread()
