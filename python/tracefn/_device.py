"""`tf.device`."""

from __future__ import annotations

import threading

from tracefn import _core
from tracefn._contexts import context
from tracefn.config._devices import get_soft_device_placement, list_logical_devices

_HERE = "/job:localhost/replica:0/task:0"
_TYPES = frozenset(["CPU", "GPU", "TPU", "TPU_SYSTEM"])


def device(device_name):
    """A context that places ops on a device. The CPU is the only device.

    In a trace, nodes created in the context carry the name of the device. Everything runs on the CPU.

    Args:
      device_name: str such as "/CPU:0" or "/job:localhost/device:CPU:0", a device object, a `tf.DeviceSpec`, or
        None for any device.

    Raises:
      ValueError: `device_name` is not the name of a device.
      RuntimeError: `device_name` is a function.
      InvalidArgumentError: raised by ops in the context, or when the traced function is called: the device does not exist
        and soft placement is off (`tf.config.set_soft_device_placement`), or the name is that of another machine.

    Example:
      >>> import tracefn as tf
      >>> with tf.device("/CPU:0"):
      ...     print(int(tf.constant(1)))
      1
    """
    return placed(_core.current_graph(), device_name)


@context
def placed(graph, device_name):
    """Places ops on the named device: those created in `graph`, or eager ops if that is None; see `device`."""
    place = _place_of(device_name)
    if graph is None:
        return None, _placed_eagerly(place)
    outer = graph.placement
    if place is None:
        placement = ""
    elif isinstance(outer, str):
        placement = _text({**_parse(outer), **place})
    else:
        placement = _DeviceFunctions(place, outer)
    return None, (_core.Setting(graph, "placement", placement),)


def placed_on_or_by(graph, device):
    """As `placed`; a function of Operations places those created in `graph` where it says."""
    return _placed_by(graph, device) if callable(device) else placed(graph, device)


@context
def _placed_by(graph, function):
    if graph is None:
        raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
    return None, (_core.Setting(graph, "placement", _DeviceFunctions(function, graph.placement)),)


def apply_placement(graph, op) -> None:
    """Tells an object such as an Operation, by its `_set_device_from_string`, the device of the contexts of a graph, if they
    name one.
    """
    placement = graph.placement
    if not isinstance(placement, str):
        placement(op)
    elif placement:
        op._set_device_from_string(placement)


class _DeviceFunctions:
    """The devices of nested contexts of which one is a function: called with an Operation that has none, places it."""

    def __init__(self, inner, outer) -> None:
        # Each level is a function, or the parts of a name; innermost first.
        around = outer._levels if isinstance(outer, _DeviceFunctions) else (_parse(outer),)
        self._levels: tuple = tuple(level for level in (inner, *around) if callable(level) or level)

    def __call__(self, op) -> None:
        for level in self._levels:
            if callable(level):
                op._set_device(level(op))
            else:
                op._set_device_from_string(_text({**level, **_parse(op.device)}))


def device_text(device) -> str:
    """The text of a device that a function gives: a `tf.DeviceSpec` or a str.

    Raises:
      TypeError: it is something else.
    """
    text = device.to_string() if hasattr(device, "to_string") else device
    if isinstance(text, bytes):
        return text.decode()
    if not isinstance(text, str):
        raise TypeError(f"Expected binary or unicode string, got {text!r}")
    return text


def _place_of(device_name) -> dict[str, str] | None:
    name = getattr(device_name, "name", device_name)
    if hasattr(name, "to_string"):  # a DeviceSpec
        name = name.to_string()
    if callable(name):
        raise RuntimeError("tf.device does not support functions.")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
    return None if name is None else _parse(name)


class _Thread(threading.local):
    """The placement of eager ops on one thread, as set by enclosing contexts."""

    place: dict[str, str] = {}  # never modified, only replaced


_thread = _Thread()


def _placed_eagerly(place: dict[str, str] | None) -> tuple:
    """The contexts that place eager ops on `place`, merged with the enclosing contexts; None: on any device."""
    outer = _thread.place
    inner = {} if place is None else {**outer, **place}
    placed_there = _core.Setting(_thread, "place", inner)
    missing = _missing(inner)
    if missing:
        return placed_there, _core.MissingDevice(missing)
    if _missing(outer):
        return placed_there, _core.TargetContext(None)
    return (placed_there,)


def _parse(name: str) -> dict[str, str]:
    """The parts of a device name by key: job, replica, task, device ("GPU:0")."""
    place: dict[str, str] = {}
    for part in filter(None, name.split("/")):
        key, *rest = part.split(":")
        short = key.upper() in _TYPES and len(rest) < 2
        if short or (key == "device" and len(rest) == 2):
            if "device" in place:
                raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {name}.")
            kind, number = (key.upper(), rest[0] if rest else "*") if short else rest
            kind = kind.upper() if kind.upper() in _TYPES else kind
            place["device"] = f"{kind}:{'*' if number == '*' else int(number)}"
        elif key == "job" and len(rest) == 1:
            place[key] = rest[0]
        elif key in ("replica", "task") and len(rest) == 1:
            place[key] = str(int(rest[0]))
        else:
            raise ValueError(f"Unknown attribute '{key}' is encountered while parsing the device spec: '{name}'.")
    return place


def placement_of_thread() -> str:
    """The name of the device on which eager ops of this thread are placed; "" for any device."""
    return _text(_thread.place)


def _text(place: dict[str, str]) -> str:
    return "".join(f"/{key}:{place[key]}" for key in ("job", "replica", "task", "device") if key in place)


def _missing(place: dict[str, str]) -> str | None:
    """Why ops cannot run on a device; None if they can."""
    whole = {"job": "localhost", "replica": "0", "task": "0", "device": "CPU:0", **place}
    if whole["device"] == "CPU:*":
        whole["device"] = "CPU:0"
    full = _text(whole)
    if whole["device"].partition(":")[2].startswith("-"):
        return f"Malformed device specification '{full}' in eager op"
    if not full.startswith(_HERE + "/"):
        return f"{full} unknown device."
    known = [f"{_HERE}{logical.name}" for logical in list_logical_devices()]
    if full in known or get_soft_device_placement():
        return None
    return (
        f"Could not satisfy device specification '{full}'. enable_soft_placement=0. Supported device types [CPU]. All "
        f"available devices [{', '.join(known)}]."
    )
