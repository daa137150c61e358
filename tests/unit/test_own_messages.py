"""The classes for messages that stand in where protobuf's are not installed."""

import os
import pathlib
import subprocess
import sys

import pytest
import tracefn as tf
from tracefn._proto.definitions import DEFINITIONS
from tracefn._proto.messages import own_class

TESTS = pathlib.Path(__file__).parents[1]


def test_the_conformance_tests_hold_without_protobuf():
    files = [str(TESTS / "conformance" / f"test_{name}.py") for name in ("graph_messages", "operation_attributes", "meta_graphs")]
    path = os.pathsep.join([str(pathlib.Path(tf.__file__).parents[1]), str(TESTS)])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "support.without_protobuf", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_definitions_are_protobufs(name):
    """Every field has the number and kind that protobuf's class has for it."""
    pytest.importorskip("tensorboard")
    from tracefn._proto import message_class

    kinds = {1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 8: "bool", 9: "string", 12: "bytes", 13: "uint32"}
    theirs = message_class(name).DESCRIPTOR
    for field in DEFINITIONS[name].fields.values():
        other = theirs.fields_by_number.get(field.number)
        if other is None:  # newer than tensorboard
            continue
        value = other.message_type.fields_by_name["value"] if field.key is not None else other
        of = value.message_type or value.enum_type
        kind = of.full_name.removeprefix("tensorflow.").removeprefix("tfprof.").removeprefix("error.") if of else kinds[value.type]
        group = other.containing_oneof.name if other.containing_oneof else None
        assert (other.name, kind.removeprefix("google.protobuf."), group) == (field.name, field.kind, field.group)


def test_bytes_that_are_not_understood_stay():
    unknown = b"\x98\x06\x05" + b"\x9a\x06\x03abc"
    message = own_class("NodeDef").FromString(b"\x0a\x01a" + unknown)
    message.name = "b"
    assert message.SerializeToString() == b"\x0a\x01b" + unknown


def test_fields_that_come_twice_are_merged():
    graph_def = own_class("GraphDef")
    one, other = graph_def(), graph_def()
    one.versions.producer, other.versions.min_consumer = 1, 2
    one.node.add(name="a")
    other.node.add(name="b")
    read = graph_def.FromString(one.SerializeToString() + other.SerializeToString())
    assert [node.name for node in read.node] == ["a", "b"]
    assert (read.versions.producer, read.versions.min_consumer) == (1, 2)


def test_packed_numbers_and_single_ones():
    numbers = own_class("AttrValue.ListValue")
    assert list(numbers.FromString(b"\x1a\x03\x01\x96\x01").i) == list(numbers.FromString(b"\x18\x01\x18\x96\x01").i) == [1, 150]
    made = numbers(i=[1, -2], f=[0.5], b=[True], type=["DT_FLOAT"])
    assert made.SerializeToString() == b"\x1a\x0b\x01\xfe" + b"\xff" * 8 + b"\x01" + b"\x22\x04\x00\x00\x00\x3f" + b"\x2a\x01\x01" + b"\x32\x01\x01"
    assert numbers.FromString(made.SerializeToString()) == made


def test_a_message_that_was_taken_out_stays_whole():
    value = own_class("AttrValue")()
    shape = value.shape
    assert not value.HasField("shape")
    shape.dim.add(size=3)
    assert value.HasField("shape")
    value.i = 4
    shape.dim.add(size=5)
    assert value.WhichOneof("value") == "i" and [dim.size for dim in shape.dim] == [3, 5]
