"""`tf.compat.v1.train.SessionRunHook` and what hooks get and return; the timer that hooks use. Training loops of a program's own
may call them."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from tracefn._export import export


@export("compat.v1.train.SessionRunHook")
class SessionRunHook:
    """What a training loop calls around the runs of a session; subclasses define what they need.

    Example:
      >>> import tracefn as tf
      >>> class Counter(tf.compat.v1.train.SessionRunHook):
      ...     runs = 0
      ...     def after_run(self, run_context, run_values):
      ...         self.runs += 1
      >>> counter = Counter()
      >>> for _ in range(3):
      ...     counter.after_run(None, None)
      >>> counter.runs
      3
    """

    def begin(self) -> None:
        """Called before there is a session; ops may be added to the graph."""

    def after_create_session(self, session, coord) -> None:
        """Called with a new session, and the `tf.train.Coordinator` of its threads."""

    def before_run(self, run_context):
        """Called before each run.

        Args:
          run_context: SessionRunContext.

        Returns:
          SessionRunArgs, what to run besides; or None.
        """
        del run_context

    def after_run(self, run_context, run_values) -> None:
        """Called after each run, unless it raised an exception.

        Args:
          run_context: the SessionRunContext that `before_run` got.
          run_values: SessionRunValues, the results of what `before_run` returned.
        """

    def end(self, session) -> None:
        """Called with the session when the loop has ended."""


class _Args(NamedTuple):
    fetches: Any
    feed_dict: Any
    options: Any


@export("compat.v1.train.SessionRunArgs")
class SessionRunArgs(_Args):
    """The arguments of `Session.run`, as a named tuple.

    Args:
      fetches: tensor, Operation, or a structure of them.
      feed_dict: dict from placeholders to values, or None.
      options: `tf.compat.v1.RunOptions`, or None.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.train.SessionRunArgs("loss:0")
      SessionRunArgs(fetches='loss:0', feed_dict=None, options=None)
    """

    __slots__ = ()

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super().__new__(cls, fetches, feed_dict, options)


@export("compat.v1.train.SessionRunValues")
class SessionRunValues(NamedTuple):
    """The results of a run, as a named tuple.

    Args:
      results: the values, in the structure of the fetches.
      options: the `tf.compat.v1.RunOptions`.
      run_metadata: the `tf.compat.v1.RunMetadata`.
    """

    results: Any
    options: Any
    run_metadata: Any


@export("compat.v1.train.SessionRunContext")
class SessionRunContext:
    """A run that is about to happen; a hook may ask for it to be the last one.

    Args:
      original_args: SessionRunArgs, those that the program gave.
      session: the session.

    Example:
      >>> import tracefn as tf
      >>> context = tf.compat.v1.train.SessionRunContext(tf.compat.v1.train.SessionRunArgs([]), None)
      >>> context.request_stop()
      >>> context.stop_requested
      True
    """

    def __init__(self, original_args, session) -> None:
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self):
        """The SessionRunArgs that the program gave."""
        return self._original_args

    @property
    def session(self):
        """The session."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook asked for the loop to end."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Asks for the loop to end after this run."""
        self._stop_requested = True


@export("compat.v1.train.SecondOrStepTimer")
class SecondOrStepTimer:
    """Says for which steps something is due that is done every so many seconds or steps.

    Args:
      every_secs: seconds, or None.
      every_steps: number of steps, or None.

    Raises:
      ValueError: both are given, or none.

    Example:
      >>> import tracefn as tf
      >>> timer, due = tf.compat.v1.train.SecondOrStepTimer(every_steps=3), []
      >>> for step in range(1, 8):
      ...     if timer.should_trigger_for_step(step):
      ...         _ = timer.update_last_triggered_step(step)
      ...         due.append(step)
      >>> due
      [1, 4, 7]
    """

    def __init__(self, every_secs=None, every_steps=None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets the last step, so that it is due for the next one."""
        self._last_step: Any = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step) -> bool:
        """Whether it is due for a step."""
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        return step >= self._last_step + self._every_steps

    def update_last_triggered_step(self, step) -> tuple:
        """Notes that it is done for a step.

        Returns:
          Pair: the seconds and the steps since it was done before; of None the first time.
        """
        now = time.time()
        since = (None, None) if self._last_step is None else (now - self._last_time, step - self._last_step)
        self._last_step, self._last_time = step, now
        return since

    def last_triggered_step(self):
        """The last step for which it was done; None if there is none."""
        return self._last_step


@export("compat.v1.train.NanLossDuringTrainingError")
class NanLossDuringTrainingError(RuntimeError):
    """The loss of a training is NaN.

    Example:
      >>> import tracefn as tf
      >>> str(tf.compat.v1.train.NanLossDuringTrainingError())
      'NaN loss during training.'
    """

    def __str__(self) -> str:
        return "NaN loss during training."
