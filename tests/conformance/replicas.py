"""Fixtures of the tests of `tf.distribute`: strategies of one and of two replicas."""

from __future__ import annotations

import pytest

KINDS = ("default", "one device", "one CPU", "two CPUs")


def _configure(tf, count: int) -> None:
    """Makes that many logical CPUs. TensorFlow takes them only before it has run anything, or after a reset."""
    if tf.__name__ == "tensorflow":
        from tensorflow.python.eager import context

        context._reset_context()
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)


@pytest.fixture(scope="module", autouse=True)
def two_cpus(tf):
    """Two logical CPUs, during the tests of a module."""
    _configure(tf, 2)
    yield
    _configure(tf, 1)


def make(tf, kind: str):
    """The strategy of a kind."""
    if kind == "default":
        return tf.distribute.get_strategy()
    if kind == "one device":
        return tf.distribute.OneDeviceStrategy("/cpu:0")
    devices = ["CPU:0"] if kind == "one CPU" else ["CPU:0", "CPU:1"]
    # In TensorFlow the default, collective ops, mixes up the reductions of several strategies of one process.
    return tf.distribute.MirroredStrategy(devices, cross_device_ops=tf.distribute.ReductionToOneDevice())


@pytest.fixture(params=KINDS)
def strategy(tf, request):
    """Each kind of strategy."""
    return make(tf, request.param)


@pytest.fixture
def two(tf):
    """A strategy of two replicas."""
    return make(tf, "two CPUs")


@pytest.fixture
def one(tf):
    """A mirrored strategy of one replica."""
    return make(tf, "one CPU")


def values_of(strategy, value) -> list:
    """The values of all replicas, as lists."""
    return [part.numpy().tolist() for part in strategy.experimental_local_results(value)]
