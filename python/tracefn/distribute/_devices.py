"""Names of devices as strategies show them."""

from __future__ import annotations

from tracefn._device import _HERE, _parse, _text


def full_name(device) -> str:
    """The whole name of a device of this machine.

    Args:
      device: str such as "CPU:0", or a device object.

    Raises:
      ValueError: it is not the name of a device.
    """
    return _text({**_parse(_HERE), "device": "CPU:0", **_parse(getattr(device, "name", device))})
