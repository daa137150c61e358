"""Names of TensorFlow 1 for devices, partitions of variables, and files beside the program."""

import os

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def test_device_specs_that_change(tf):
    spec = tf.compat.v1.DeviceSpec(job="worker", device_type="CPU")
    assert isinstance(spec, tf.DeviceSpec) and spec.to_string() == "/job:worker/device:CPU:*"
    spec.task, spec.device_index = 3, 0
    assert spec.to_string() == "/job:worker/task:3/device:CPU:0"
    assert spec.parse_from_string("/replica:2/gpu:1") is spec
    assert (spec.job, spec.replica, spec.device_type) == (None, 2, "GPU")
    spec.merge_from(tf.compat.v1.DeviceSpec(job="ps", replica=None))
    assert spec.to_string() == "/job:ps/replica:2/device:GPU:1"


@pytest.mark.parametrize("shape", [[8, 4], [3], [1000, 2]])
def test_partitioners(tf, shape):
    v1, shape = tf.compat.v1, tf.TensorShape(shape)
    pieces = v1.variable_axis_size_partitioner(64)(shape, tf.float32)
    assert pieces[0] == -(-shape[0] // max(1, 64 // (4 * (shape.num_elements() // shape[0]))))
    assert v1.variable_axis_size_partitioner(4, max_shards=2)(shape, tf.string)[0] == 2
    most = v1.min_max_variable_partitioner(max_partitions=5, min_slice_size=16)(shape, tf.float32)
    assert most[0] == min(5, shape[0], -(-4 * shape.num_elements() // 16))


def test_mistakes_of_partitioners(tf):
    with pytest.raises(ValueError, match="must be positive"):
        tf.compat.v1.variable_axis_size_partitioner(0)
    with pytest.raises(ValueError, match="fully defined"):
        tf.compat.v1.variable_axis_size_partitioner(4)(tf.TensorShape([None]), tf.float32)
    with pytest.raises(ValueError, match="along axis 2"):
        tf.compat.v1.min_max_variable_partitioner(axis=2)(tf.TensorShape([1]), tf.float32)


@pytest.mark.parametrize("how", ["sum", "mean", "sqrt_n"])
def test_sparse_segments(tf, how):
    old, new = getattr(tf.compat.v1, f"sparse_segment_{how}"), getattr(tf.sparse, f"segment_{how}")
    data = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(old(data, [0, 1, 1], [0, 0, 2], "name", 4), new(data, [0, 1, 1], [0, 0, 2], 4))


def test_files_beside_the_program(tf):
    loader, folder = tf.compat.v1.resource_loader, os.path.dirname(__file__)
    assert os.path.realpath(loader.get_path_to_datafile("a.txt")) == os.path.realpath(os.path.join(folder, "a.txt"))
    assert loader.readahead_file_path("x") == "x"


def test_logs_of_placement_are_accepted(tf):
    before = tf.debugging.get_log_device_placement()
    tf.debugging.set_log_device_placement(False)
    assert tf.debugging.get_log_device_placement() is False
    tf.debugging.set_log_device_placement(before)


def test_namespaces(tf):
    assert tf.compat.v1.audio.decode_wav is tf.audio.decode_wav
    assert tf.compat.v1.compat.as_text(b"a") == "a"
    assert hasattr(tf.compat.v1.types, "experimental")
