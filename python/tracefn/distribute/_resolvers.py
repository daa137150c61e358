"""What tells a program which machines there are: from arguments, and from the environment variable TF_CONFIG."""

from __future__ import annotations

import json
import os

from tracefn._missing.refused import refuse
from tracefn.distribute._cluster_spec import ClusterSpec

SEVERAL_MACHINES = "it is for several machines, and everything runs in this process. Use tf.distribute.MirroredStrategy."


def _url(address: str, rpc_layer) -> str:
    return f"{rpc_layer}://{address}" if address and rpc_layer else address


class ClusterResolver:
    """What knows the tasks of a cluster, and which one this process is. Subclasses have `cluster_spec` and `master`."""

    task_type: str | None = None
    task_id: int | None = None

    def cluster_spec(self) -> ClusterSpec:
        """The tasks."""
        raise NotImplementedError

    def master(self, task_type=None, task_id=None, rpc_layer=None) -> str:
        """The address of a task."""
        raise NotImplementedError

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None) -> dict:
        """How many accelerators a task has by kind: there are none."""
        del task_type, task_id, config_proto
        return {}

    @property
    def environment(self) -> str:
        """The name of the place that the program runs in."""
        return ""


class SimpleClusterResolver(ClusterResolver):
    """A resolver that is told everything.

    Args:
      cluster_spec: tf.train.ClusterSpec.
      master: str, the address to connect to.
      task_type: str, the job of this process.
      task_id: int, its number.
      environment: str.
      num_accelerators: dict from kinds of devices to their number.
      rpc_layer: str, such as "grpc", in front of addresses.

    Raises:
      TypeError: `cluster_spec` is something else.
    """

    def __init__(self, cluster_spec, master="", task_type=None, task_id=None, environment="", num_accelerators=None,
                 rpc_layer=None) -> None:  # fmt: skip
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._cluster_spec, self._master = cluster_spec, master
        self.task_type, self.task_id = task_type, task_id
        self._environment, self._num_accelerators, self.rpc_layer = environment, num_accelerators, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The tasks."""
        return self._cluster_spec

    def master(self, task_type=None, task_id=None, rpc_layer=None) -> str:
        """The address of a task; without one, that which the resolver was told."""
        known = task_type is not None and task_id is not None
        address = self._cluster_spec.task_address(task_type, task_id) if known else self._master
        return _url(address, rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None) -> dict:
        """How many accelerators there are by kind, as the resolver was told."""
        del task_type, task_id, config_proto
        return self._num_accelerators or {}

    @property
    def environment(self) -> str:
        """The name that the resolver was told."""
        return self._environment


class TFConfigClusterResolver(ClusterResolver):
    """A resolver that reads the environment variable TF_CONFIG: JSON of `cluster` and `task`.

    Args:
      task_type, task_id, rpc_layer, environment: in place of those in TF_CONFIG.

    Example:
      >>> import os
      >>> import tracefn as tf
      >>> os.environ["TF_CONFIG"] = '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}}'
      >>> resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
      >>> resolver.cluster_spec(), resolver.task_type, resolver.task_id
      (ClusterSpec({'worker': ['a:1']}), 'worker', 0)
      >>> del os.environ["TF_CONFIG"]
    """

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None) -> None:
        self._task = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @staticmethod
    def _config() -> dict:
        return json.loads(os.environ.get("TF_CONFIG", "{}"))

    @property
    def task_type(self):  # type: ignore[override]
        """The job of this process, or None."""
        found = self._config().get("task", {}).get("type") if self._task[0] is None else self._task[0]
        return None if found is None else str(found)

    @property
    def task_id(self):  # type: ignore[override]
        """The number of this process in its job, or None."""
        found = self._config().get("task", {}).get("index") if self._task[1] is None else self._task[1]
        return None if found is None else int(found)

    @property
    def rpc_layer(self):
        """What is in front of addresses, or None."""
        return self._config().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @property
    def environment(self):
        """The name of the place that the program runs in, or None."""
        return self._config().get("environment") if self._environment is None else self._environment

    def cluster_spec(self) -> ClusterSpec:
        """The tasks; none without TF_CONFIG."""
        return ClusterSpec(self._config().get("cluster", {}))

    def master(self, task_type=None, task_id=None, rpc_layer=None) -> str:
        """The address of a task, of this one by default; "" if there is one alone."""
        spec = self.cluster_spec()
        if not spec or (len(spec.jobs) == 1 and spec.num_tasks(spec.jobs[0]) == 1):
            return ""
        job = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        return _url(spec.task_address(job, number), rpc_layer or self.rpc_layer)


class TPUClusterResolver(ClusterResolver):
    """Where TPUs are: there are none, which programs take for the reason to do without.

    Args:
      tpu: the name of a TPU.

    Raises:
      ValueError: there is no name.
      NotImplementedError: there is one.
    """

    is_refused = True

    def __init__(self, tpu=None, *args, **kwargs) -> None:
        del args, kwargs
        if not tpu:
            raise ValueError("Please provide a TPU Name to connect to.")
        refuse("distribute.cluster_resolver.TPUClusterResolver", "there is only the CPU.")

    @staticmethod
    def connect(tpu=None, zone=None, project=None):
        """A resolver that is connected to its TPU.

        Raises:
          ValueError: there is no name.
          NotImplementedError: there is one.
        """
        return TPUClusterResolver(tpu, zone, project)
