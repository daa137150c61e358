"""`tensorflow.python.distribute.strategy_combinations`: devices for tests of strategies."""

from __future__ import annotations

from tracefn import config

__all__ = ["set_virtual_cpus_to_at_least"]


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
