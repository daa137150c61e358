"""NthElement and Bucketize: places among sorted numbers."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

RNG = np.random.default_rng(15)
REALS = "float32 float64 int32 uint8 int16 int8 int64 uint16 float16 uint32 uint64".split()


@pytest.mark.parametrize("dtype", REALS)
def test_nth_element(tf, dtype):
    x = RNG.integers(0, 50, (3, 2, 9)).astype(dtype)
    for n in (0, 4, 8):
        for reverse in (False, True):

            def nth(x, n, reverse=reverse):
                return tf.raw_ops.NthElement(input=x, n=n, reverse=reverse)

            wanted = np.sort(x, -1)[..., 8 - n if reverse else n]
            for run in (nth, tf.function(nth)):
                y = run(tf.constant(x), n)
                assert y.dtype.name == dtype
                np.testing.assert_array_equal(y, wanted)
    assert tf.raw_ops.NthElement(input=tf.zeros([0, 3]), n=0).shape == (0,)


def test_gradient_of_nth_element(tf):
    x = tf.constant([[3.0, 1, 3], [5, 4, 1]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.NthElement(input=x, n=2)
    np.testing.assert_array_equal(tape.gradient(y, x), [[0.5, 0, 0.5], [1, 0, 0]])


def test_errors_of_nth_element(tf):
    invalid = tf.errors.InvalidArgumentError
    with pytest.raises(invalid, match="Input must have last dimension > n = 3"):
        tf.raw_ops.NthElement(input=[3.0, 1, 2], n=3)
    with pytest.raises(invalid, match="n must be non-negative but is -1"):
        tf.raw_ops.NthElement(input=[3.0, 1, 2], n=-1)
    with pytest.raises(invalid, match="N must be scalar but has rank 1"):
        tf.raw_ops.NthElement(input=[3.0, 1, 2], n=[0])
    with pytest.raises(invalid, match="Input must be at least rank 1 but is rank 0"):
        tf.raw_ops.NthElement(input=3.0, n=0)

    @tf.function
    def traced(x):
        with pytest.raises(ValueError, match="Input must have last dimension > n = 3 but is 3"):
            tf.raw_ops.NthElement(input=tf.zeros([2, 3]), n=3)
        return tf.raw_ops.NthElement(input=x, n=0)

    assert traced.get_concrete_function(tf.TensorSpec([None, 4])).structured_outputs.shape.as_list() == [None]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_bucketize(tf, dtype):
    x = np.array([[-5, 0, 1], [10, 150, 99]], dtype)
    for boundaries in ([0.0, 10.0, 100.0], [1.0, 1.0], []):
        y = tf.raw_ops.Bucketize(input=tf.constant(x), boundaries=boundaries)
        assert y.dtype == tf.int32
        np.testing.assert_array_equal(y, np.searchsorted(boundaries, x, side="right"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected sorted boundaries"):
        tf.raw_ops.Bucketize(input=tf.constant(x), boundaries=[2.0, 1.0])
    if dtype.startswith("float"):
        np.testing.assert_array_equal(tf.raw_ops.Bucketize(input=tf.constant([np.nan, np.inf], dtype), boundaries=[1.0]), [1, 1])


def test_memory_of_the_cpu(tf):
    e = tf.config.experimental
    if tf.__name__ == "tensorflow":
        try:
            e.get_memory_info("CPU:0")
        except ValueError as error:
            assert str(error) == "Allocator stats not available for device 'CPU:0'"
            pytest.skip("TensorFlow's allocator has statistics with oneDNN only")
    for device in ("CPU:0", "/device:CPU:0", "/CPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", "", None):
        info = e.get_memory_info(device)
        assert sorted(info) == ["current", "peak"] and 0 <= info["current"] <= info["peak"]
    assert e.get_memory_usage("CPU:0") >= 0 and e.reset_memory_stats("CPU:0") is None


def test_memory_of_other_devices(tf):
    e = tf.config.experimental
    for device in ("GPU:0", "CPU:5", "cpu:0", "/device:XPU:0"):
        with pytest.raises(ValueError, match=f"No matching devices found for '{device}'"):
            e.get_memory_info(device)
    with pytest.raises(ValueError, match="Failed parsing device name: 'foo'"):
        e.get_memory_info("foo")
    with pytest.raises(TypeError):
        e.get_memory_usage(3)


def test_asynchronous_execution_is_off_by_default(tf):
    e = tf.config.experimental
    e.set_synchronous_execution(None)
    assert e.get_synchronous_execution() is True


def test_local_devices(tf):
    if tf.__name__ == "tensorflow":
        from tensorflow.python.client import device_lib
    else:
        from tracefn.python.client import device_lib
    device = device_lib.list_local_devices()[0]
    assert (device.name, device.device_type, device.memory_limit) == ("/device:CPU:0", "CPU", 1 << 28)
    lines = str(device).splitlines()
    assert lines[:5] == ['name: "/device:CPU:0"', 'device_type: "CPU"', "memory_limit: 268435456", "locality {", "}"]
    assert lines[5] == f"incarnation: {device.incarnation}" and lines[6] == "xla_global_id: -1"
    assert [d for d in device_lib.list_local_devices() if d.device_type == "GPU"] == []


def test_how_eager_ops_run(tf):
    config = tf.config.experimental
    assert config.get_synchronous_execution()
    config.set_synchronous_execution(False)
    assert not config.get_synchronous_execution()
    assert int(tf.constant(1) + 1) == 2
    config.set_synchronous_execution(True)
    with pytest.raises(ValueError, match=r"Invalid argument `device_policy`: 'x'. .*set_device_policy for valid `device_policy` arg"):
        config.set_device_policy("x")
