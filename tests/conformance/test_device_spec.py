"""`tf.DeviceSpec`: names of devices, taken apart and put together."""

import re

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", ""),
        (None, ""),
        ("/", ""),
        ("/cpu:0", "/device:CPU:0"),
        ("cpu", "/device:CPU:*"),
        ("/gpu:*", "/device:GPU:*"),
        ("/device:cpu:1", "/device:CPU:1"),
        ("/device:XLA_CPU:1", "/device:XLA_CPU:1"),
        ("/job:a/replica:1/task:2/device:GPU:3", "/job:a/replica:1/task:2/device:GPU:3"),
        ("/task:2//job:a", "/job:a/task:2"),
        ("TPU:7/job:b", "/job:b/device:TPU:7"),
        ("/job:a/job:b", "/job:b"),
        ("/device:CUSTOM:*", "/device:CUSTOM:*"),
    ],
)
def test_names(tf, name, text):
    spec = tf.DeviceSpec.from_string(name)
    assert spec.to_string() == text
    assert tf.DeviceSpec.from_string(text) == spec


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("/jobs:a", "Unknown attribute 'jobs' is encountered while parsing the device spec: '/jobs:a'."),
        ("/job", "Unknown attribute 'job'"),
        ("/device:CPU", "Unknown attribute 'device'"),
        ("/cpu:0/gpu:0", "Multiple device types are not allowed while parsing the device spec"),
        ("/device:CPU:x", "invalid literal for int"),
        ("/cpu:0:1", "Unknown attribute 'cpu'"),
        ("/task:x", "invalid literal for int"),
    ],
)
def test_bad_names(tf, name, match):
    with pytest.raises(ValueError, match=match):
        tf.DeviceSpec.from_string(name)


def test_parts(tf):
    spec = tf.DeviceSpec(job=3, replica="1", task=2.0, device_type="gpu", device_index="5")
    assert (spec.job, spec.replica, spec.task, spec.device_type, spec.device_index) == ("3", 1, 2, "GPU", 5)
    assert repr(spec) == "<DeviceSpec(job=3, replica=1, task=2, device_type=GPU, device_index=5)>"
    with pytest.raises(AttributeError):
        spec.job = "b"


def test_merging(tf):
    outer, inner = tf.DeviceSpec(job="a", device_type="CPU", device_index=1), tf.DeviceSpec(task=2, device_type="GPU")
    assert outer.make_merged_spec(inner).to_string() == "/job:a/task:2/device:GPU:1"
    assert inner.make_merged_spec(outer).to_string() == "/job:a/task:2/device:CPU:1"
    assert outer.replace(device_type=None).to_string() == "/job:a"
    assert outer.replace(job=None, task=1).to_string() == "/task:1/device:CPU:1"
    assert outer.parse_from_string("/gpu:0").to_string() == "/device:GPU:0"
    with pytest.raises(TypeError):
        outer.replace(device="CPU")


def test_equality(tf):
    one, other = tf.DeviceSpec.from_string("/cpu:0"), tf.DeviceSpec(device_type="CPU", device_index=0)
    assert one == other and hash(one) == hash(other)
    assert one != tf.DeviceSpec(device_type="CPU")
    assert one != "/device:CPU:0"


def test_placement(tf):
    with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0)):
        assert "CPU:0" in tf.constant(1).device

    @tf.function
    def function():
        with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0)):
            return tf.constant(1) + 1

    assert int(function()) == 2


@pytest.mark.parametrize("name, word", [
    ("/device:*", "device"), ("CPU:0:0", "CPU"), ("/Device:CPU:0", "Device"), (" /cpu:0", " "), ("a", "a"),
])
def test_the_part_of_a_device_name_that_is_not_understood(tf, name, word):
    text = re.escape(f"Unknown attribute '{word}' is encountered while parsing the device spec: '{name}'.")
    with pytest.raises(ValueError, match=text), tf.device(name):
        tf.constant(1.0)


def test_devices_of_unknown_types(tf):
    for device in ("/device:FOO:0", tf.DeviceSpec(device_type="FOO")):
        with tf.device(device):
            assert float(tf.constant(1.0) + 1.0) == 2
