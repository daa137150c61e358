"""`tensorflow.python.distribute.strategy_combinations`: strategies for tests by name, and devices for them."""

from __future__ import annotations

from tracefn import config
from tracefn._namespaces import root
from tracefn.python.distribute.combinations import NamedDistribution, combine


def _mirrored(name: str, *devices: str, gpus: int = 0, **more) -> NamedDistribution:
    return NamedDistribution(name, lambda: root().distribute.MirroredStrategy(list(devices)), required_gpus=gpus, **more)


def _one_device(name: str, device: str, gpus: int | None = None) -> NamedDistribution:
    return NamedDistribution(name, lambda: root().distribute.OneDeviceStrategy(device), required_gpus=gpus)


def _absent() -> None:
    """Makes a strategy of which tests are skipped before it is made."""
    raise NotImplementedError("There are no GPUs, TPUs and other machines.")


def _tpu(name: str, **more) -> NamedDistribution:
    return NamedDistribution(name, _absent, required_tpu=True, **more)


def _workers(name: str, count: int, gpus: int = 0, **more) -> NamedDistribution:
    return NamedDistribution(name, _absent, has_chief=True, num_workers=count, required_gpus=gpus, **more)


def _parameter_servers(name: str, workers: int, gpus: int = 0) -> NamedDistribution:
    return NamedDistribution(name, _absent, has_chief=True, num_workers=workers, num_ps=2, required_gpus=gpus)


default_strategy = NamedDistribution("Default", lambda: root().distribute.get_strategy())
one_device_strategy = _one_device("OneDeviceCPU", "/cpu:0")
one_device_strategy_gpu = _one_device("OneDeviceGPU", "/gpu:0", gpus=1)
tpu_strategy = _tpu("TPU")
tpu_strategy_packed_var = _tpu("TPUPackedVar")
tpu_strategy_spmd = _tpu("TPUUseSPMD")
tpu_strategy_one_step = _tpu("TPUOneStep")
tpu_strategy_one_core = _tpu("TPUOneCore")
tpu_strategy_one_step_one_core = _tpu("TPUOneStepOneCore")
cloud_tpu_strategy = _tpu("CloudTPU", use_cloud_tpu=True)
mirrored_strategy_with_one_cpu = _mirrored("Mirrored1CPU", "/cpu:0")
mirrored_strategy_with_one_gpu = _mirrored("Mirrored1GPU", "/gpu:0", gpus=1)
mirrored_strategy_with_gpu_and_cpu = _mirrored("MirroredCPUAndGPU", "/gpu:0", "/cpu:0", gpus=1)
mirrored_strategy_with_two_cpus = _mirrored("Mirrored2CPUs", "/cpu:0", "/cpu:1")
mirrored_strategy_with_cpu_1_and_2 = _mirrored("Mirrored2CPU", "/cpu:1", "/cpu:2")
mirrored_strategy_with_two_gpus = _mirrored("Mirrored2GPUs", "/gpu:0", "/gpu:1", gpus=2)
mirrored_strategy_with_two_gpus_no_merge_call = _mirrored("Mirrored2GPUsNoMergeCall", "/gpu:0", "/gpu:1", gpus=2)
central_storage_strategy_with_two_gpus = NamedDistribution("CentralStorage2GPUs", _absent, required_gpus=2)
central_storage_strategy_with_gpu_and_cpu = NamedDistribution("CentralStorageCPUAndGPU", _absent, required_gpus=1)
multi_worker_mirrored_2x1_cpu = _workers("MultiWorkerMirrored2x1CPU", 1)
multi_worker_mirrored_2x1_gpu = _workers("MultiWorkerMirrored2x1GPU", 1, gpus=1)
multi_worker_mirrored_2x1_gpu_noshare = _workers("MultiWorkerMirrored2x1GPUNoShare", 1, gpus=1, share_gpu=False)
multi_worker_mirrored_2x2_gpu = _workers("MultiWorkerMirrored2x2GPU", 1, gpus=2)
multi_worker_mirrored_2x2_gpu_no_merge_call = _workers("MultiWorkerMirrored2x2GPUNoMergeCall", 1, gpus=2)
multi_worker_mirrored_4x1_cpu = _workers("MultiWorkerMirrored4x1CPU", 3)
parameter_server_strategy_3worker_2ps_cpu = _parameter_servers("ParameterServer3Worker2PSCPU", 3)
parameter_server_strategy_1worker_2ps_cpu = _parameter_servers("ParameterServer1Worker2PSCPU", 1)
parameter_server_strategy_3worker_2ps_1gpu = _parameter_servers("ParameterServer3Worker2PS1GPU", 3, gpus=1)
parameter_server_strategy_1worker_2ps_1gpu = _parameter_servers("ParameterServer1Worker2PS1GPU", 1, gpus=1)

graph_and_eager_modes = ["graph", "eager"]
strategies_minus_default_and_tpu = [
    one_device_strategy,
    one_device_strategy_gpu,
    mirrored_strategy_with_gpu_and_cpu,
    mirrored_strategy_with_two_gpus,
]
strategies_minus_tpu = [default_strategy, *strategies_minus_default_and_tpu, central_storage_strategy_with_gpu_and_cpu]
tpu_strategies = [tpu_strategy, tpu_strategy_one_step, tpu_strategy_packed_var, cloud_tpu_strategy]
all_strategies_minus_default = strategies_minus_default_and_tpu + tpu_strategies
all_strategies = strategies_minus_tpu + tpu_strategies
multidevice_strategies = [
    mirrored_strategy_with_gpu_and_cpu,
    mirrored_strategy_with_two_gpus,
    tpu_strategy,
    tpu_strategy_one_step,
]
two_replica_strategies = [
    mirrored_strategy_with_gpu_and_cpu,
    mirrored_strategy_with_two_gpus,
    multi_worker_mirrored_2x1_cpu,
    multi_worker_mirrored_2x1_gpu,
    tpu_strategy,
    tpu_strategy_one_step,
    central_storage_strategy_with_gpu_and_cpu,
]
four_replica_strategies = [multi_worker_mirrored_2x2_gpu, multi_worker_mirrored_4x1_cpu]
multiworker_strategies = [multi_worker_mirrored_2x1_cpu, multi_worker_mirrored_2x1_gpu, multi_worker_mirrored_2x2_gpu]


def strategy_minus_tpu_combinations() -> list:
    """Strategies without TPUs, in both modes."""
    return combine(distribution=strategies_minus_tpu, mode=graph_and_eager_modes)


def tpu_strategy_combinations() -> list:
    """Strategies of TPUs, in graphs."""
    return combine(distribution=tpu_strategies, mode=["graph"])


def all_strategy_combinations() -> list:
    """All strategies, in the modes that they have."""
    return strategy_minus_tpu_combinations() + tpu_strategy_combinations()


def all_strategy_minus_default_and_tpu_combinations() -> list:
    """Strategies without TPUs that are not the default one, in both modes."""
    return combine(distribution=strategies_minus_default_and_tpu, mode=graph_and_eager_modes)


def all_strategy_combinations_minus_default() -> list:
    """Strategies that are not the default one, in the modes that they have."""
    return all_strategy_minus_default_and_tpu_combinations() + tpu_strategy_combinations()


def set_virtual_cpus_to_at_least(num_virtual_cpus) -> None:
    """Makes the processor that many devices, if it is fewer.

    Args:
      num_virtual_cpus: int.

    Raises:
      ValueError: it is less than 1, or there is no processor.
      RuntimeError: it is fewer devices, and they are in use already.
    """
    if num_virtual_cpus < 1:
        raise ValueError(f"`num_virtual_cpus` must be at least 1 not {num_virtual_cpus!r}")
    processors = config.list_physical_devices("CPU")
    if not processors:
        raise RuntimeError("No CPUs found")
    known = config.get_logical_device_configuration(processors[0])
    if known is not None and len(known) >= num_virtual_cpus:
        return
    if known is not None and num_virtual_cpus > len(known):
        raise RuntimeError(f"Already configured with {len(known)} < {num_virtual_cpus} virtual CPUs")
    devices = [config.LogicalDeviceConfiguration()] * num_virtual_cpus
    config.set_logical_device_configuration(processors[0], devices)


__all__ = [name for name, value in list(globals().items()) if not name.startswith("_") and name not in ("annotations", "config")]
