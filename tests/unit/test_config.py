"""tf.config: threads and devices."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tracefn as tf
from tracefn.config._devices import forget_configuration


@pytest.fixture
def threads():
    yield tf.config.threading
    tf.config.threading.set_intra_op_parallelism_threads(0)
    tf.config.threading.set_inter_op_parallelism_threads(0)


def test_numbers_of_threads_are_kept(threads):
    threads.set_intra_op_parallelism_threads(np.int64(2))
    threads.set_inter_op_parallelism_threads(3)
    assert (threads.get_intra_op_parallelism_threads(), threads.get_inter_op_parallelism_threads()) == (2, 3)


def test_results_do_not_depend_on_threads(threads):
    x = tf.random.stateless_normal([300, 301], [1, 2])
    sums = []
    for n in (1, 2, 4):
        threads.set_intra_op_parallelism_threads(n)
        sums.append(tf.reduce_sum(tf.exp(tf.matmul(x, x, transpose_b=True) / 100)).numpy())
    assert sums[0] == sums[1] == sums[2]


@pytest.mark.parametrize("bad", [-1, 1.5, "two"])
def test_bad_numbers_of_threads(threads, bad):
    with pytest.raises((ValueError, TypeError)):
        threads.set_intra_op_parallelism_threads(bad)
    assert threads.get_intra_op_parallelism_threads() == 0


def test_the_environment_sets_the_threads():
    program = "import tracefn as tf; print(float(tf.reduce_sum(tf.ones([2000, 2000]))))"
    for value, code in (("1", 0), ("0", 1), ("many", 1)):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "TRACEFN_NUM_THREADS": value},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert done.stdout == "4000000.0\n" if code == 0 else "TRACEFN_NUM_THREADS=" + value in done.stderr


def test_devices_that_cannot_be_hidden():
    with pytest.raises(RuntimeError, match="Visible devices cannot be modified"):
        tf.config.set_visible_devices([])
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices(["GPU:0"])
    tf.config.set_visible_devices(tf.config.list_physical_devices())


def test_a_device_that_does_not_exist_in_a_trace():
    def f(x):
        with tf.device("/GPU:0"):
            return x + 1

    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="GPU:0"):
            tf.function(f, autograph=False)(tf.constant(1))
    finally:
        tf.config.set_soft_device_placement(True)
    assert int(tf.function(f, autograph=False)(tf.constant(1))) == 2


def test_memory_does_not_grow_on_a_cpu():
    cpu = tf.config.list_physical_devices()[0]
    forget_configuration()
    with pytest.raises(KeyError, match="physical_device:CPU:0"):
        tf.config.experimental.get_memory_growth(cpu)
    with pytest.raises(ValueError, match="Unrecognized device: 'CPU:0'"):
        tf.config.experimental.get_memory_growth("CPU:0")
    with pytest.raises(ValueError, match="Cannot set memory growth on non-GPU and non-Pluggable devices"):
        tf.config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(ValueError, match="Setting experimental_priority on CPU virtual  devices is currently not supported"):
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration(experimental_priority=1)])
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    with pytest.raises(ValueError, match="Cannot set memory growth on device when virtual devices configured"):
        tf.config.experimental.set_memory_growth(cpu, True)
    forget_configuration()
