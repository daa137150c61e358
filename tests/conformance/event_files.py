"""Reads event files: records of Event messages, as dicts. It knows the fields that the tests ask for."""

import pathlib
import struct

# Field numbers of messages: (name, type), where a type is "text", "bytes", "int", "float", "double", "doubles" or fields.
_ENUM = "int"
SHAPE = {2: ("dim", {1: ("size", "int")})}
TENSOR = {1: ("dtype", _ENUM), 2: ("shape", SHAPE), 4: ("content", "bytes"), 8: ("strings", "bytes")}
METADATA = {
    1: ("plugin", {1: ("name", "text"), 2: ("content", "bytes")}),
    2: ("display_name", "text"),
    3: ("description", "text"),
}
HISTOGRAM = {
    1: ("min", "double"),
    2: ("max", "double"),
    3: ("num", "double"),
    4: ("sum", "double"),
    5: ("sum_squares", "double"),
    6: ("limits", "doubles"),
    7: ("counts", "doubles"),
}
IMAGE = {1: ("height", "int"), 2: ("width", "int"), 3: ("colorspace", "int"), 4: ("file", "bytes")}
AUDIO = {1: ("rate", "float"), 2: ("channels", "int"), 3: ("frames", "int"), 4: ("file", "bytes"), 5: ("kind", "text")}
VALUE = {
    1: ("tag", "text"),
    2: ("simple_value", "float"),
    4: ("image", IMAGE),
    5: ("histo", HISTOGRAM),
    6: ("audio", AUDIO),
    8: ("tensor", TENSOR),
    9: ("metadata", METADATA),
}
SUMMARY = {1: ("value", VALUE)}
EVENT = {
    1: ("wall_time", "double"),
    2: ("step", "int"),
    3: ("file_version", "text"),
    4: ("graph_def", "bytes"),
    5: ("summary", SUMMARY),
    10: ("source", {1: ("writer", "text")}),
}
NODE = {1: ("name", "text"), 2: ("op", "text"), 3: ("input", "text"), 4: ("device", "text")}
GRAPH = {
    1: ("node", NODE),
    2: ("library", {1: ("function", {1: ("signature", {1: ("name", "text")}), 3: ("node", NODE)})}),
}
RUN_METADATA = {4: ("function_graphs", {2: ("graph", GRAPH)})}
_PLANE_NAMES = {1: ("key", "int"), 2: ("value", {1: ("id", "int"), 2: ("name", "text")})}
_STAT = {1: ("name", "int"), 4: ("int", "int"), 5: ("text", "text")}
_EVENT = {1: ("name", "int"), 2: ("offset", "int"), 3: ("duration", "int"), 4: ("stats", _STAT)}
PLANE = {
    2: ("name", "text"),
    3: ("lines", {1: ("id", "int"), 2: ("name", "text"), 3: ("timestamp_ns", "int"), 4: ("events", _EVENT)}),
    4: ("event_names", _PLANE_NAMES),
    5: ("stat_names", _PLANE_NAMES),
}
SPACE = {1: ("planes", PLANE), 4: ("hosts", "text")}


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data):
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
        else:
            if kind == 2:
                size, at = _varint(data, at)
            else:
                size = {1: 8, 5: 4}[kind]
            value, at = data[at : at + size], at + size
            assert len(value) == size
        yield key >> 3, value


def _value(kind, raw):
    if isinstance(kind, dict):
        return parse(raw, kind)
    if kind == "text":
        return raw.decode()
    if kind == "int":
        return raw - (1 << 64) if raw >> 63 else raw
    if kind == "doubles":
        return list(struct.unpack(f"<{len(raw) // 8}d", raw))
    if kind in ("float", "double"):
        return struct.unpack("<f" if kind == "float" else "<d", raw)[0]
    return raw


def parse(data, fields):
    """A message as a dict from field names to lists of values, for the fields that are there."""
    message = {}
    for number, raw in _fields(data):
        if number in fields:
            name, kind = fields[number]
            message.setdefault(name, []).append(_value(kind, raw))
    return message


def records(path):
    """The records of a file; the checksums are not looked at."""
    data, at = pathlib.Path(path).read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        record = data[at + 12 : at + 12 + length]
        assert len(record) == length
        yield record
        at += length + 16


def files(folder):
    """The event files of a directory, by name."""
    return sorted(pathlib.Path(folder).glob("events.out.tfevents.*"))


def events(folder):
    """All events of a directory but the first of each file."""
    found = []
    for path in files(folder):
        first, *rest = (parse(record, EVENT) for record in records(path))
        assert first["file_version"] == ["brain.Event:2"]
        found += rest
    return found


def values(folder):
    """The values in the summaries of a directory: (step, value)."""
    return [
        (event.get("step", [0])[0], value)
        for event in events(folder)
        for summary in event.get("summary", [])
        for value in summary.get("value", [])
    ]


def tags(folder):
    """(step, tag) of these."""
    return [(step, value["tag"][0]) for step, value in values(folder)]


_DTYPES = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8", 10: "?"}


def array(value):
    """The tensor of a value as nested lists."""
    import numpy as np

    (tensor,) = value["tensor"]
    shape = [dim.get("size", [0])[0] for dim in tensor["shape"][0].get("dim", [])]
    if tensor["dtype"] == [7]:
        return np.array(tensor.get("strings", []), object).reshape(shape).tolist()
    data = tensor["content"][0] if "content" in tensor else b""
    return np.frombuffer(data, _DTYPES[tensor["dtype"][0]]).reshape(shape).tolist()


def plugin(value):
    """(plugin's name, its content, description) of a value."""
    (metadata,) = value["metadata"]
    (told,) = metadata["plugin"]
    return told["name"][0], told.get("content", [b""])[0], metadata.get("description", [""])[0]
