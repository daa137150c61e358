"""Small values that strategies take and give: contexts of input functions, and options."""

from __future__ import annotations

import enum
from typing import NamedTuple


class InputReplicationMode(enum.Enum):
    """How often an input function is called: for each worker, or for each replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputContext:
    """What the function of `tf.distribute.Strategy.distribute_datasets_from_function` is told.

    Args:
      num_input_pipelines: int, how many pipelines there are.
      input_pipeline_id: int, the number of this one.
      num_replicas_in_sync: int, how many replicas there are.

    Example:
      >>> import tracefn as tf
      >>> tf.distribute.InputContext(num_replicas_in_sync=4).get_per_replica_batch_size(32)
      8
    """

    __slots__ = ("_input_pipeline_id", "_num_input_pipelines", "_num_replicas_in_sync")

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self) -> int:
        """The number of this pipeline."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self) -> int:
        """How many pipelines there are."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The part of a batch that each replica gets.

        Raises:
          ValueError: the replicas would get different numbers.
        """
        if global_batch_size % self._num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self._num_replicas_in_sync!r} "
            )
        return global_batch_size // self._num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self._input_pipeline_id}, total: {self._num_input_pipelines})"
        )


class ValueContext:
    """What the function of `tf.distribute.Strategy.experimental_distribute_values_from_function` is told.

    Args:
      replica_id_in_sync_group: int, the number of the replica.
      num_replicas_in_sync: int, how many there are.

    Example:
      >>> import tracefn as tf
      >>> print(tf.distribute.experimental.ValueContext(2, 4))
      tf.distribute.ValueContext(replica id 2,  total replicas in sync: 4)
    """

    __slots__ = ("_num_replicas_in_sync", "_replica_id_in_sync_group")

    def __init__(self, replica_id_in_sync_group=0, num_replicas_in_sync=1) -> None:
        self._replica_id_in_sync_group = replica_id_in_sync_group
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> int:
        """The number of the replica."""
        return self._replica_id_in_sync_group

    def __str__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self._replica_id_in_sync_group},  total replicas in sync: "
            f"{self._num_replicas_in_sync})"
        )


class RunOptions(NamedTuple):
    """Options of `tf.distribute.Strategy.run` for TPUs, without effect here.

    Args:
      experimental_enable_dynamic_batch_size, experimental_bucketizing_dynamic_shape: bool.
      experimental_xla_options: `tf.tpu.XLAOptions` or None.
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: object = None


class _InputOptions(NamedTuple):
    experimental_fetch_to_device: bool
    experimental_replication_mode: InputReplicationMode
    experimental_place_dataset_on_device: bool
    experimental_per_replica_buffer_size: int


class InputOptions(_InputOptions):
    """Options of `tf.distribute.Strategy.experimental_distribute_dataset` and `distribute_datasets_from_function`.

    Args:
      experimental_fetch_to_device: bool, without effect: there is one memory. None means True.
      experimental_replication_mode: InputReplicationMode.
      experimental_place_dataset_on_device: bool, without effect.
      experimental_per_replica_buffer_size: int, without effect.
    """

    __slots__ = ()

    def __new__(
        cls,
        experimental_fetch_to_device=None,
        experimental_replication_mode=InputReplicationMode.PER_WORKER,
        experimental_place_dataset_on_device=False,
        experimental_per_replica_buffer_size=1,
    ):
        return super().__new__(
            cls,
            True if experimental_fetch_to_device is None else experimental_fetch_to_device,
            experimental_replication_mode,
            experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"InputOptions({parts})"


class CommunicationImplementation(enum.Enum):
    """How machines talk to each other, in strategies over several of them."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


CollectiveCommunication = CommunicationImplementation


class Options:
    """Options of reductions across devices; see CommunicationOptions.

    Args:
      bytes_per_pack: int, not negative; how many bytes are reduced at a time. 0: as the machine likes.
      timeout_seconds: float, or None for no limit.
      implementation: CommunicationImplementation.

    Raises:
      ValueError: `bytes_per_pack` is negative, or there is no such implementation.
    """

    def __init__(
        self, bytes_per_pack=0, timeout_seconds=None, implementation=CommunicationImplementation.AUTO
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        if not isinstance(implementation, CommunicationImplementation):
            raise ValueError(
                "Argument `implementation` must be instance of `tf.distribute.experimental.CommunicationImplementation`."
            )
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation

    def merge(self, options):
        """Options of which `options` decide what they set.

        Args:
          options: Options, or None.
        """
        merged = Options(self.bytes_per_pack, self.timeout_seconds, self.implementation)
        if options is None:
            return merged
        if options.bytes_per_pack != 0:
            merged.bytes_per_pack = options.bytes_per_pack
        if options.timeout_seconds is not None:
            merged.timeout_seconds = options.timeout_seconds
        if options.implementation != CommunicationImplementation.AUTO:
            merged.implementation = options.implementation
        return merged

    def __str__(self) -> str:
        return (
            f"Options(bytes_per_pack={self.bytes_per_pack},timeout_seconds={self.timeout_seconds}, "
            f"implementation={self.implementation})"
        )


class CommunicationOptions:
    """Options of reductions across devices, without effect: replicas share one memory here.

    Args:
      bytes_per_pack: int, not negative; how many bytes are reduced at a time. 0: as the machine likes.
      timeout_seconds: float, or None for no limit.
      implementation: CommunicationImplementation.

    Raises:
      ValueError: `bytes_per_pack` is negative, or there is no such implementation.

    Example:
      >>> import tracefn as tf
      >>> tf.distribute.experimental.CommunicationOptions(bytes_per_pack=1024).bytes_per_pack
      1024
    """

    def __new__(cls, *args, **kwargs):
        return Options(*args, **kwargs)


class CollectiveHints:
    """The older form of CommunicationOptions.

    Args:
      bytes_per_pack, timeout_seconds: see CommunicationOptions.

    Raises:
      ValueError: `bytes_per_pack` is negative.
    """

    def __new__(cls, bytes_per_pack=0, timeout_seconds=None):
        return Options(bytes_per_pack, timeout_seconds)
