"""Strategies for several machines or devices, of which there is one here."""

from __future__ import annotations

from tracefn._logging import get_logger
from tracefn._missing.refused import refuse
from tracefn.distribute._devices import full_name
from tracefn.distribute._mirrored import _MirroredExtended, tell_devices
from tracefn.distribute._options import CommunicationImplementation, Options
from tracefn.distribute._resolvers import SEVERAL_MACHINES, ClusterResolver, TFConfigClusterResolver
from tracefn.distribute._single import _OneDeviceExtended
from tracefn.distribute._strategy import Strategy


class MultiWorkerMirroredStrategy(Strategy):
    """`tf.distribute.MirroredStrategy` on several machines, of which there can be only one: this one, with one replica.

    Args:
      cluster_resolver: tf.distribute.cluster_resolver.ClusterResolver; by default what TF_CONFIG says.
      communication_options: accepted, without effect.

    Raises:
      NotImplementedError: the cluster has other tasks.
      ValueError: an argument is of another class.

    Example:
      >>> import tracefn as tf
      >>> tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync
      1
    """

    def __init__(self, cluster_resolver=None, communication_options=None) -> None:
        resolver = TFConfigClusterResolver() if cluster_resolver is None else cluster_resolver
        if not isinstance(resolver, ClusterResolver):
            raise ValueError("cluster_resolver must be an instance of tf.distribute.cluster_resolver.ClusterResolver")
        if not isinstance(communication_options, (Options, type(None))):
            raise ValueError("communication_options must be an instance of tf.distribute.experimental.CommunicationOptions")
        spec = resolver.cluster_spec()
        if sum(spec.num_tasks(job) for job in spec.jobs if job != "evaluator") > 1:
            refuse("distribute.MultiWorkerMirroredStrategy", SEVERAL_MACHINES)
        super().__init__(_MirroredExtended(self, ["CPU:0"], None))
        self._cluster_resolver = resolver
        here = ("/device:CPU:0",)
        tell_devices(here)
        get_logger().info(
            "Single-worker MultiWorkerMirroredStrategy with local_devices = %r, communication = %s",
            here,
            (communication_options or Options()).implementation,
        )

    @property
    def cluster_resolver(self):
        """What knows the cluster."""
        return self._cluster_resolver


class ExperimentalMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy):
    """`tf.distribute.MultiWorkerMirroredStrategy` with its older arguments.

    Args:
      communication: tf.distribute.experimental.CommunicationImplementation: accepted, without effect.
      cluster_resolver: as there.

    Raises:
      NotImplementedError: the cluster has other tasks.
    """

    def __init__(self, communication=CommunicationImplementation.AUTO, cluster_resolver=None) -> None:
        super().__init__(cluster_resolver, Options(implementation=communication))


ExperimentalMultiWorkerMirroredStrategy.__name__ = "MultiWorkerMirroredStrategy"


class CentralStorageStrategy(Strategy):
    """Variables in one place, the CPU, for several devices that compute, of which there is one: the CPU.

    Args:
      compute_devices: list of the names of devices, of which there can be one.
      parameter_device: the name of the device of Variables.

    Raises:
      ValueError: a name is not that of a device.
      NotImplementedError: there are several devices.

    Example:
      >>> import tracefn as tf
      >>> strategy = tf.distribute.experimental.CentralStorageStrategy()
      >>> int(strategy.run(lambda x: x + 1, args=(tf.constant(1),)))
      2
    """

    def __init__(self, compute_devices=None, parameter_device=None) -> None:
        if compute_devices is not None and len(compute_devices) > 1:
            refuse("distribute.experimental.CentralStorageStrategy", "there is only the CPU. Use tf.distribute.MirroredStrategy.")
        device = parameter_device or (compute_devices or ["CPU:0"])[0]
        super().__init__(_OneDeviceExtended(self, device))
        get_logger().info(
            "ParameterServerStrategy (CentralStorageStrategy if you are using a single machine) with compute_devices = %r, "
            "variable_device = %r",
            [full_name(device) for device in compute_devices or ["CPU:0"]],
            parameter_device or full_name("CPU:0"),
        )
