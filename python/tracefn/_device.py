"""`tf.device`."""

from __future__ import annotations

from contextlib import contextmanager

from tracefn import _core
from tracefn.config._devices import get_soft_device_placement

_HERE = "/job:localhost/replica:0/task:0"
_TYPES = frozenset(["CPU", "GPU", "TPU", "TPU_SYSTEM", "XLA_CPU", "XLA_GPU"])


@contextmanager
def device(device_name):
    """A context for a device; the CPU is the only one here.

    In a trace the nodes made in it carry the device's name; everything runs on the CPU.

    Args:
      device_name: str such as "/CPU:0" or "/job:localhost/device:CPU:0", a device object, or None for no device in
        particular.

    Raises:
      ValueError: it is not a device's name.
      RuntimeError: it is a function.
      InvalidArgumentError: there is no such device and soft placement is off (`tf.config.set_soft_device_placement`), or
        the name is of another machine.

    Example:
      >>> import tracefn as tf
      >>> with tf.device("/CPU:0"):
      ...     print(int(tf.constant(1)))
      1
    """
    name = getattr(device_name, "name", device_name)
    if callable(name):
        raise RuntimeError("tf.device does not support functions.")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
    place = _parse(name or "")
    graph = _core.current_graph()
    if graph is None:
        _check_exists(place)
        yield
        return
    if place.get("device") and not get_soft_device_placement():
        _check_exists(place)
    previous = graph.device
    graph.device = _merged(previous, place) if name is not None else ""
    try:
        yield
    finally:
        graph.device = previous


def _parse(name: str) -> dict[str, str]:
    """The parts of a device name by key: job, replica, task, device ("GPU:0")."""
    place: dict[str, str] = {}
    for part in filter(None, name.split("/")):
        key, _, rest = part.partition(":")
        kind, _, number = (rest if key.lower() == "device" else part).upper().partition(":")
        if kind in _TYPES and (number in ("", "*") or number.isdigit()):
            place["device"] = f"{kind}:{number or '0'}"
        elif key in ("job", "replica", "task") and rest:
            place[key] = rest
        else:
            raise ValueError(f"Unknown attribute {part!r} is encountered while parsing the device spec: {name!r}.")
    return place


def _full_name(place: dict[str, str]) -> str:
    kind = place.get("device", "CPU:0").replace(":*", ":0")
    return f"/job:{place.get('job', 'localhost')}/replica:{place.get('replica', 0)}/task:{place.get('task', 0)}/device:{kind}"


def _check_exists(place: dict[str, str]) -> None:
    from tracefn.errors import InvalidArgumentError

    full = _full_name(place)
    if not full.startswith(_HERE + "/"):
        raise InvalidArgumentError(None, None, f"{full} unknown device.")
    if full != f"{_HERE}/device:CPU:0" and not get_soft_device_placement():
        raise InvalidArgumentError(
            None,
            None,
            f"Could not satisfy device specification '{full}'. enable_soft_placement=0. Supported device types [CPU]. All "
            f"available devices [{_HERE}/device:CPU:0].",
        )


def _merged(outer: str, place: dict[str, str]) -> str:
    """The name of the place in a graph; what it leaves open is as around it."""
    whole = {**_parse(outer), **place}
    return "".join(f"/{key}:{whole[key]}" for key in ("job", "replica", "task", "device") if key in whole)
