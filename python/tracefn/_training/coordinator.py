"""`tf.train.Coordinator`: threads that stop together, and `tf.compat.v1.train.LooperThread`, which does some work again and again."""

from __future__ import annotations

import contextlib
import sys
import threading
import time

from tracefn._export import export
from tracefn._logging import get_logger
from tracefn.errors import OutOfRangeError

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05  # seconds between two looks at the threads


def _pauses():
    """Seconds to wait, short ones first: most threads end soon."""
    pause = _SHORTEST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)


def _some_live(threads) -> bool:
    return any(thread.is_alive() for thread in threads)


@export("train.Coordinator")
class Coordinator:
    """Stops threads together: the first that asks for it stops all, and its exception is raised where they are joined.

    Each thread has to look at `should_stop()` now and then, and to return when it is True.

    Args:
      clean_stop_exception_types: tuple of classes of exceptions that stop the threads without being reported;
        `(tf.errors.OutOfRangeError,)` if None.

    Example:
      >>> import threading
      >>> import tracefn as tf
      >>> coordinator = tf.train.Coordinator()
      >>> def work():
      ...     with coordinator.stop_on_exception():
      ...         while not coordinator.should_stop():
      ...             raise ValueError("no more data")
      >>> threads = [threading.Thread(target=work) for _ in range(2)]
      >>> for thread in threads:
      ...     thread.start()
      >>> coordinator.join(threads)
      Traceback (most recent call last):
      ValueError: no more data
    """

    def __init__(self, clean_stop_exception_types=None) -> None:
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()  # guards all that follows
        self._stop = threading.Event()
        self._reported: BaseException | None = None
        self._joined = False
        self._registered: set = set()

    def request_stop(self, ex=None) -> None:
        """Asks the threads to stop. `should_stop()` returns True from now on.

        Args:
          ex: the exception that is being handled, or what `sys.exc_info()` returns for it, or None. That of the first call
            is raised by `join()`, unless its class is one of `clean_stop_exception_types`.

        Raises:
          the exception itself: the threads are joined already, and nothing else would report it.
        """
        with self._lock:
            exception = self._to_report(ex)
            if exception is not None and self._joined:
                raise exception
            if self._stop.is_set():
                return
            is_first = exception is not None and self._reported is None
            if is_first:
                self._reported = exception
            self._stop.set()
        if not is_first:
            return
        # Handlers of logs are the user's code, which no lock is held for.
        if isinstance(ex, tuple):
            get_logger().info("Error reported to Coordinator: %s", exception, exc_info=exception)
        else:
            get_logger().info("Error reported to Coordinator: %s, %s", type(ex), ex)

    def _to_report(self, ex) -> BaseException | None:
        """The exception for an argument of `request_stop`; None for a clean stop."""
        given = ex[1] if isinstance(ex, tuple) and len(ex) > 1 else ex
        if not ex or isinstance(given, self._clean_stop_exception_types):
            return None
        if not isinstance(ex, tuple):
            given = sys.exc_info()[1] or ex
        if isinstance(given, BaseException):
            return given
        return ValueError(f"ex must be a tuple or sys.exc_info must return the current exception: {ex}")

    def clear_stop(self) -> None:
        """Forgets that a stop was asked for, and the exception. `should_stop()` returns False from now on."""
        with self._lock:
            self._joined = False
            self._reported = None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A context whose exceptions ask for a stop, and are not raised further.

        Example:
          >>> import tracefn as tf
          >>> coordinator = tf.train.Coordinator()
          >>> with coordinator.stop_on_exception():
          ...     1 / 0
          >>> coordinator.should_stop()
          True
        """
        try:
            yield
        except:  # noqa: E722 - KeyboardInterrupt and SystemExit, too, would end the thread unseen
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout=None) -> bool:
        """Waits until a stop is asked for.

        Args:
          timeout: the longest time to wait, in seconds, or None.

        Returns:
          True; False if the time is over.
        """
        return self._stop.wait(timeout)

    def register_thread(self, thread) -> None:
        """Adds a thread to those that `join()` waits for."""
        with self._lock:
            self._registered.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False) -> None:
        """Waits until the threads have ended: those given and those registered.

        Args:
          threads: threads that were started, or None.
          stop_grace_period_secs: how many seconds they have to end, from the moment that a stop is asked for.
          ignore_live_threads: whether those that have not ended by then are no error.

        Raises:
          the exception that was given to `request_stop`.
          RuntimeError: there is no such exception, and a thread has not ended in time.
        """
        with self._lock:
            threads = list(self._registered.union(threads or ()))
        pauses = _pauses()
        while _some_live(threads) and not self.wait_for_stop(next(pauses)):
            pass
        pauses = _pauses()
        while _some_live(threads) and stop_grace_period_secs >= 0.0:
            pause = max(min(next(pauses), stop_grace_period_secs), _SHORTEST_PAUSE)
            time.sleep(pause)
            stop_grace_period_secs -= pause
        live = " ".join(thread.name for thread in threads if thread.is_alive())
        with self._lock:
            self._joined = True
            self._registered = set()
            if self._reported is not None:
                raise self._reported
        if live and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {live}")
        if live:
            get_logger().info("Coordinator stopped with threads still running: %s", live)

    @property
    def joined(self) -> bool:
        """Whether `join()` has returned or raised."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises the exception that was given to `request_stop`, if there is one."""
        with self._lock:
            if self._reported is not None:
                raise self._reported


@export("compat.v1.train.LooperThread")
class LooperThread(threading.Thread):
    """A thread that calls a function until its Coordinator asks for a stop.

    An exception of the function ends the thread, and is reported to the Coordinator. Subclasses may define `run_loop`
    in place of a function.

    Args:
      coord: tf.train.Coordinator; the thread is registered with it.
      timer_interval_secs: seconds from the beginning of one call to that of the next; None for calls without pauses.
      target: the function, or None.
      args: its arguments, or None.
      kwargs: dict of its arguments by name, or None.

    Raises:
      ValueError: `coord` is no Coordinator, or there are arguments without a function.

    Example:
      >>> import tracefn as tf
      >>> coordinator, calls = tf.compat.v1.train.Coordinator(), []
      >>> def work(step):
      ...     calls.append(step)
      ...     if len(calls) == 3:
      ...         coordinator.request_stop()
      >>> thread = tf.compat.v1.train.LooperThread.loop(coordinator, None, work, args=(1,))
      >>> coordinator.join()
      >>> calls
      [1, 1, 1]
    """

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if not target and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord = coord
        self._interval = timer_interval_secs
        self._function = target
        self._arguments = args or (), kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None) -> LooperThread:
        """Makes a LooperThread with these arguments, starts and returns it."""
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        """What the thread does; `start()` starts it."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                next_time = time.time()
                while not self._coord.wait_for_stop(next_time - time.time()):
                    next_time += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called when the thread begins; does nothing."""

    def stop_loop(self) -> None:
        """Called when a stop was asked for; does nothing."""

    def run_loop(self) -> None:
        """Called again and again; calls the function."""
        if self._function:
            positional, named = self._arguments
            self._function(*positional, **named)
