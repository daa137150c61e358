"""Threads of datasets: interrupts, early stops, forks, and host functions that they call."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import tracefn as tf

Dataset = tf.data.Dataset


def slow_sum(x):
    """Not elementwise, so that it is called for each element."""
    return tf.reduce_sum(tf.range(x % 7))


def never(x):
    return x < 0


ENDLESS = {
    "rows": lambda: Dataset.range(10**12).filter(never),
    "elements": lambda: Dataset.range(10**12).map(slow_sum).filter(never),
    "ahead": lambda: Dataset.range(10**12).filter(never).prefetch(2),
    "parallel": lambda: Dataset.range(10**12).map(slow_sum, num_parallel_calls=2).filter(never),
    "skip": lambda: Dataset.range(10**12).map(slow_sum).skip(10**11),
}


@pytest.fixture
def interrupts():
    """A process that a shell started in the background ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("pipeline", ENDLESS)
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_a_wait(pipeline):
    iterator = iter(ENDLESS[pipeline]())
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        next(iterator)
    timer.join()
    assert time.perf_counter() - sent[0] < 1  # 0.1 s where nobody else needs the processor


@pytest.mark.parametrize("calls", [None, 2, tf.data.AUTOTUNE])
def test_host_functions_run_on_the_threads(calls):
    threads = set()

    def host(x):
        threads.add(threading.get_ident())
        time.sleep(0.001)
        return x * 2

    def mapped(x):
        y = tf.numpy_function(host, [x], tf.int64)
        return tf.ensure_shape(y, [])

    dataset = Dataset.range(20).map(mapped, num_parallel_calls=calls).prefetch(2)
    assert [int(x) for x in dataset] == list(range(0, 40, 2))
    assert threading.get_ident() not in threads


def test_a_dropped_iterator_calls_no_more():
    called = []

    def host(x):
        called.append(int(x))
        time.sleep(0.005)
        return x

    iterator = iter(Dataset.range(10**6).map(lambda x: tf.numpy_function(host, [x], tf.int64), 2).prefetch(2))
    next(iterator)
    del iterator
    time.sleep(0.1)
    before = len(called)
    time.sleep(0.1)
    assert len(called) == before < 20


def test_a_child_makes_its_own_iterators():
    dataset = Dataset.range(20).map(slow_sum, num_parallel_calls=2).prefetch(2)
    expected = [int(x) for x in dataset]
    iterator = iter(dataset)
    next(iterator)
    child = os.fork()
    if child == 0:
        refused = False
        try:
            next(iterator)
        except tf.errors.FailedPreconditionError:
            refused = True
        os._exit(0 if refused and [int(x) for x in dataset] == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [int(x) for x in iterator] == expected[1:]


def test_threads_share_an_iterator():
    iterator = iter(Dataset.range(3000).map(slow_sum, num_parallel_calls=2))
    seen, errors = [], []

    def read():
        try:
            for x in iterator:
                seen.append(int(x))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sorted(seen) == sorted(int(slow_sum(tf.constant(i, tf.int64))) for i in range(3000))


def test_a_function_may_not_read_the_iterator_that_calls_it():
    holder = []
    iterator = iter(Dataset.range(3).map(lambda x: tf.numpy_function(lambda y: next(holder[0]).numpy(), [x], tf.int64)))
    holder.append(iterator)
    with pytest.raises(tf.errors.OpError, match="already being read"):
        next(iterator)


def test_each_pass_draws_the_same_numbers():
    dataset = Dataset.range(5).map(lambda x: tf.random.uniform([], seed=1))
    first, second = ([float(x) for x in dataset] for _ in range(2))
    assert first == second
    repeated = [float(x) for x in dataset.repeat(2)]
    assert repeated[:5] == first
    assert repeated[5:] != first


def test_variables_change_in_order():
    variable = tf.Variable(np.int64(0))

    def count(x):
        variable.assign_add(x)
        return variable.read_value()

    assert [int(x) for x in Dataset.range(6).map(count)] == [0, 1, 3, 6, 10, 15]
