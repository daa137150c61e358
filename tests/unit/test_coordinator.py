"""Threads with a Coordinator: who stops whom, and how long joining takes."""

import gc
import logging
import threading
import time
import weakref

import pytest
import tracefn as tf


def workers(coordinator, works):
    threads = [threading.Thread(target=work, args=(coordinator,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def until_stopped(coordinator):
    while not coordinator.should_stop():
        time.sleep(0.001)


def test_one_thread_stops_all():
    def fails(coordinator):
        with coordinator.stop_on_exception():
            raise ValueError("failed")

    coordinator = tf.train.Coordinator()
    threads = workers(coordinator, [until_stopped, until_stopped, fails])
    with pytest.raises(ValueError, match="failed"):
        coordinator.join(threads)
    assert not any(thread.is_alive() for thread in threads)


def test_one_of_many_exceptions_is_raised():
    barrier = threading.Barrier(4)

    def fails(coordinator):
        with coordinator.stop_on_exception():
            barrier.wait()
            raise ValueError(threading.current_thread().name)

    coordinator = tf.train.Coordinator()
    threads = workers(coordinator, [fails] * 4)
    with pytest.raises(ValueError) as caught:
        coordinator.join(threads)
    assert str(caught.value) in [thread.name for thread in threads]


def test_join_returns_soon_after_threads_end_by_themselves():
    coordinator = tf.train.Coordinator()
    began = time.monotonic()
    coordinator.join(workers(coordinator, [lambda coordinator: time.sleep(0.02)] * 2))
    assert time.monotonic() - began < 0.9
    assert not coordinator.should_stop()


def test_threads_have_time_to_end_after_a_stop():
    def slow(coordinator):
        coordinator.wait_for_stop()
        time.sleep(0.1)

    coordinator = tf.train.Coordinator()
    threads = workers(coordinator, [slow, lambda coordinator: coordinator.request_stop()])
    coordinator.join(threads, stop_grace_period_secs=30)
    assert not any(thread.is_alive() for thread in threads)


def test_the_exception_comes_before_live_threads():
    end = threading.Event()
    coordinator = tf.train.Coordinator()
    threads = workers(coordinator, [lambda coordinator: end.wait()])
    with coordinator.stop_on_exception():
        raise KeyError("first")
    with pytest.raises(KeyError, match="first"):
        coordinator.join(threads, stop_grace_period_secs=0.01)
    end.set()


def test_registered_threads_and_those_given_are_joined():
    coordinator = tf.train.Coordinator()
    registered, given = workers(coordinator, [until_stopped, until_stopped])
    coordinator.register_thread(registered)
    coordinator.register_thread(given)
    coordinator.request_stop()
    coordinator.join([given])
    assert not registered.is_alive()
    assert not given.is_alive()


def test_threads_that_were_not_started_are_no_hindrance():
    tf.train.Coordinator().join([threading.Thread(target=print)])


def test_a_waiting_thread_wakes_up():
    coordinator, woken = tf.train.Coordinator(), []
    threads = workers(coordinator, [lambda coordinator: woken.append(coordinator.wait_for_stop(30))])
    coordinator.request_stop()
    coordinator.join(threads)
    assert woken == [True]


def test_a_looper_that_waits_for_its_next_call_stops_at_once():
    coordinator, called = tf.train.Coordinator(), threading.Event()
    looper = tf.compat.v1.train.LooperThread.loop(coordinator, 3600, called.set)
    assert called.wait(30)
    coordinator.request_stop()
    coordinator.join(stop_grace_period_secs=30)
    assert not looper.is_alive()


def test_loopers_train_until_the_data_ends():
    iterator = iter(tf.data.Dataset.range(5))
    total, coordinator = tf.Variable(0, dtype="int64"), tf.train.Coordinator()
    tf.compat.v1.train.LooperThread.loop(coordinator, None, lambda: total.assign_add(iterator.get_next()))
    coordinator.join()
    assert int(total) == 10


def test_averages_keep_variables_no_longer_than_their_object_lives():
    weights, ema = tf.Variable(1.0), tf.train.ExponentialMovingAverage(0.5)
    ema.apply([weights])
    assert [variable is weights for variable in ema.variables_to_restore().values()] == [True]
    alive = weakref.ref(weights)
    del weights, ema
    gc.collect()
    assert alive() is None


def test_handlers_of_logs_may_use_the_coordinator():
    """No lock is held while what is reported is logged."""
    coordinator = tf.train.Coordinator()
    told = []

    class Handler(logging.Handler):
        def emit(self, record):
            other = threading.Thread(target=coordinator.register_thread, args=(self,), daemon=True)
            other.start()
            other.join(5)
            told.append((record.getMessage(), other.is_alive()))

    logger, handler = tf.get_logger(), Handler(logging.INFO)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        coordinator.request_stop(ValueError("failed"))
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    assert len(told) == 1 and "failed" in told[0][0] and not told[0][1]
