"""tf.train.Coordinator and tf.compat.v1.train.LooperThread. Threads are in tests/unit/test_coordinator.py."""

import logging
import threading

import pytest

pytestmark = pytest.mark.rule("surface")


def handled(coordinator, exception):
    """Gives the Coordinator an exception that is being handled."""
    try:
        raise exception
    except BaseException as error:
        coordinator.request_stop(error)


def test_names(tf, v1):
    assert v1.train.Coordinator is tf.train.Coordinator
    assert v1.train.ExponentialMovingAverage is tf.train.ExponentialMovingAverage


def test_a_stop_without_an_exception(tf):
    coordinator = tf.train.Coordinator()
    assert (coordinator.should_stop(), coordinator.joined) == (False, False)
    assert coordinator.wait_for_stop(0.001) is False
    assert coordinator.request_stop() is None
    assert (coordinator.should_stop(), coordinator.joined) == (True, False)
    assert coordinator.wait_for_stop() is True
    assert coordinator.raise_requested_exception() is None
    assert coordinator.join() is None
    assert coordinator.joined is True
    coordinator.clear_stop()
    assert (coordinator.should_stop(), coordinator.joined) == (False, False)


def test_the_first_exception_is_raised(tf):
    coordinator = tf.train.Coordinator()
    first = ValueError("first")
    handled(coordinator, first)
    handled(coordinator, KeyError("second"))
    for raises in (coordinator.raise_requested_exception, coordinator.join, coordinator.join):
        with pytest.raises(ValueError, match="first") as caught:
            raises()
        assert caught.value is first
    coordinator.clear_stop()
    coordinator.join()


def test_a_stop_hides_later_exceptions(tf):
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    handled(coordinator, ValueError("late"))
    coordinator.join()


def test_exceptions_as_python_describes_them(tf):
    coordinator = tf.train.Coordinator()
    coordinator.request_stop((ValueError, ValueError("described"), None))
    with pytest.raises(ValueError, match="described"):
        coordinator.join()


@pytest.mark.superset("Y2")
def test_exceptions_that_nothing_raised(tf):
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(KeyError("made"))
    with pytest.raises(KeyError, match="made"):
        coordinator.join()
    coordinator = tf.train.Coordinator()
    coordinator.request_stop("text")
    with pytest.raises(ValueError, match="ex must be a tuple or sys.exc_info must return the current exception: text"):
        coordinator.join()


def test_after_join_exceptions_are_raised_at_once(tf):
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    coordinator.join()
    with pytest.raises(ValueError, match="late"):
        handled(coordinator, ValueError("late"))
    with pytest.raises(ValueError, match="late"):
        coordinator.request_stop((ValueError, ValueError("late"), None))
    handled(coordinator, tf.errors.OutOfRangeError(None, None, "end"))


def test_the_end_of_data_is_a_clean_stop(tf):
    coordinator = tf.train.Coordinator()
    with coordinator.stop_on_exception():
        raise tf.errors.OutOfRangeError(None, None, "end")
    assert coordinator.should_stop()
    coordinator.join()


def test_other_classes_of_clean_stops(tf):
    coordinator = tf.train.Coordinator(clean_stop_exception_types=[StopIteration, KeyError])
    with coordinator.stop_on_exception():
        raise KeyError("end")
    coordinator.join()
    coordinator.clear_stop()
    with coordinator.stop_on_exception():
        raise tf.errors.OutOfRangeError(None, None, "end")
    with pytest.raises(tf.errors.OutOfRangeError):
        coordinator.join()
    with pytest.raises(TypeError):
        tf.train.Coordinator(clean_stop_exception_types=ValueError)


def test_contexts_report_everything(tf):
    coordinator = tf.train.Coordinator()
    with coordinator.stop_on_exception():
        pass
    assert not coordinator.should_stop()
    with coordinator.stop_on_exception():
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        coordinator.join()


def test_threads_that_do_not_end(tf):
    coordinator, end = tf.train.Coordinator(), threading.Event()
    thread = threading.Thread(target=end.wait, name="laggard", daemon=True)
    thread.start()
    coordinator.register_thread(thread)
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="Coordinator stopped with threads still running: laggard"):
        coordinator.join(stop_grace_period_secs=0.01)
    assert coordinator.joined
    coordinator.join()  # it is forgotten
    coordinator.join([thread], stop_grace_period_secs=0.01, ignore_live_threads=True)
    end.set()


def test_reports_are_logged(tf, caplog):
    logger = tf.get_logger()
    caplog.set_level(logging.INFO, logger=logger.name)
    logger.addHandler(caplog.handler)
    try:
        handled(tf.train.Coordinator(), ValueError("reported"))
    finally:
        logger.removeHandler(caplog.handler)
    assert "Error reported to Coordinator: <class 'ValueError'>, reported" in caplog.text


def test_loopers_call_a_function(tf, v1):
    coordinator, calls = tf.train.Coordinator(), []

    def work(*args, **kwargs):
        calls.append((args, kwargs))
        if len(calls) == 3:
            coordinator.request_stop()

    thread = v1.train.LooperThread.loop(coordinator, None, work, args=(1,), kwargs={"key": 2})
    assert isinstance(thread, v1.train.LooperThread)
    assert thread.daemon
    coordinator.join()
    assert calls == [((1,), {"key": 2})] * 3


def test_loopers_may_be_subclasses(tf, v1):
    events, coordinator = [], tf.train.Coordinator()

    class Looper(v1.train.LooperThread):
        def start_loop(self):
            events.append("start")

        def run_loop(self):
            events.append("run")
            if len(events) == 4:
                coordinator.request_stop()

        def stop_loop(self):
            events.append("stop")

    looper = Looper(coordinator, 0.001)
    looper.start()
    coordinator.join()
    assert events == ["start", "run", "run", "run", "stop"]


def test_exceptions_of_loopers(tf, v1):
    coordinator = tf.train.Coordinator()
    v1.train.LooperThread.loop(coordinator, 60, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        coordinator.join()


def test_arguments_of_loopers(tf, v1):
    with pytest.raises(ValueError, match="'coord' argument must be a Coordinator: 1"):
        v1.train.LooperThread(1, None)
    with pytest.raises(ValueError, match="'args' and 'kwargs' argument require that you also pass 'target'"):
        v1.train.LooperThread(tf.train.Coordinator(), None, args=(1,))
