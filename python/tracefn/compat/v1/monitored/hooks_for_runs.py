"""Hooks that watch or steer the runs of a monitored session, and write no files."""

from __future__ import annotations

import time
from typing import Any

from tracefn import _numpy as np
from tracefn._export import export
from tracefn._logging import get_logger
from tracefn.compat.v1.monitored.steps import required_step
from tracefn.compat.v1.session_hooks import (
    NanLossDuringTrainingError,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunHook,
)
from tracefn.errors import OutOfRangeError
from tracefn.framework import default_graph


def element_in_graph(value):
    """The tensor or Operation of the default graph that a value or name refers to.

    Raises:
      ValueError: it is in another graph.
    """
    graph = default_graph()
    if getattr(value, "graph", graph) is not graph:
        raise ValueError(f"Passed {value} should have graph attribute that is equal to current graph {graph}.")
    value = value._as_graph_element() if hasattr(value, "_as_graph_element") else value
    return graph.as_graph_element(value)


@export("compat.v1.train.StopAtStepHook")
class StopAtStepHook(SessionRunHook):
    """Ends the training at a global step.

    Args:
      num_steps: int, the number of steps after the one at which the session begins.
      last_step: int, the global step.

    Raises:
      ValueError: not one of them is given, but both or none.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.train.StopAtStepHook()
      Traceback (most recent call last):
        ...
      ValueError: One of num_steps or last_step must be specified.
    """

    def __init__(self, num_steps=None, last_step=None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps
        self._last_step = last_step
        self._step: Any = None

    def begin(self) -> None:
        """Finds the global step.

        Raises:
          RuntimeError: there is none.
        """
        self._step = required_step("StopAtStepHook")

    def after_create_session(self, session, coord) -> None:
        """Computes the last step."""
        del coord
        if self._last_step is None:
            self._last_step = session.run(self._step) + self._num_steps

    def before_run(self, run_context):
        """Asks for the global step."""
        del run_context
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values) -> None:
        """Asks for the end at the last step."""
        # The run may have read the step before it incremented it.
        if run_values.results + 1 >= self._last_step and run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


@export("compat.v1.train.LoggingTensorHook")
class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors, at the level INFO of `tf.compat.v1.logging`.

    Args:
      tensors: dict from a tag to a tensor or its name; or a list of these, which are the tags, too.
      every_n_iter: the number of runs from one line to the next.
      every_n_secs: the seconds from one line to the next.
      at_end: whether to log at the end; alone, only then.
      formatter: function from the dict of values to the text, or None.

    Raises:
      ValueError: it would never log, both intervals are given, or `every_n_iter` is not positive.
    """

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        tags = list(tensors)
        self._tags = tags
        self._tensors = tensors if isinstance(tensors, dict) else dict(zip(tags, tags, strict=True))
        self._formatter = formatter
        self._timer = None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._at_end = at_end
        self._runs = 0
        self._due = False
        self._current: dict = {}

    def begin(self) -> None:
        """Finds the tensors."""
        if self._timer is not None:
            self._timer.reset()
        self._runs = 0
        self._current = {tag: element_in_graph(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context):
        """Asks for the tensors when a line is due."""
        del run_context
        self._due = self._timer is not None and self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._current) if self._due else None

    def after_run(self, run_context, run_values) -> None:
        """Logs the values when a line is due."""
        del run_context
        if self._due:
            self._log(run_values.results)
        self._runs += 1

    def end(self, session) -> None:
        """Logs the last values, if that is wanted."""
        if self._at_end:
            self._log(session.run(self._current))

    def _log(self, values: dict) -> None:
        seconds = None if self._timer is None else self._timer.update_last_triggered_step(self._runs)[0]
        with np.printoptions(suppress=True):
            if self._formatter:
                get_logger().info("%s", self._formatter(values))
                return
            text = ", ".join(f"{tag} = {values[tag]!s}" for tag in self._tags)
            get_logger().info("%s", text if seconds is None else f"{text} ({seconds:.3f} sec)")


@export("compat.v1.train.NanTensorHook")
class NanTensorHook(SessionRunHook):
    """Ends the training when the loss is NaN.

    Args:
      loss_tensor: scalar tensor.
      fail_on_nan_loss: whether that is an error; otherwise the training just ends.
    """

    def __init__(self, loss_tensor, fail_on_nan_loss=True) -> None:
        self._loss = loss_tensor
        self._fails = fail_on_nan_loss

    def before_run(self, run_context):
        """Asks for the loss."""
        del run_context
        return SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values) -> None:
        """Looks at the loss.

        Raises:
          NanLossDuringTrainingError: it is NaN, and that is an error.
        """
        if np.isnan(run_values.results):
            text = "Model diverged with loss = NaN."
            if self._fails:
                get_logger().error(text)
                raise NanLossDuringTrainingError
            get_logger().warning(text)
            run_context.request_stop()


@export("compat.v1.train.GlobalStepWaiterHook")
class GlobalStepWaiterHook(SessionRunHook):
    """Delays the first run until the global step has reached a value.

    Args:
      wait_until_step: int.
    """

    def __init__(self, wait_until_step) -> None:
        self._wait_until_step = wait_until_step
        self._step: Any = None
        self._started = False

    def begin(self) -> None:
        """Finds the global step.

        Raises:
          RuntimeError: there is none.
        """
        self._started = False
        self._step = required_step("_GlobalStepWaiterHook")  # the name in TensorFlow's message

    def before_run(self, run_context) -> None:
        """Waits."""
        if self._started:
            return
        self._started = True
        if self._wait_until_step <= 0:
            return
        get_logger().info("Waiting for global step %d before starting training.", self._wait_until_step)
        logged = 0.0
        while True:
            step = run_context.session.run(self._step)
            if step >= self._wait_until_step:
                get_logger().info("Done waiting.")
                return
            if time.monotonic() - logged > 60:
                get_logger().info(
                    "Waiting for global step %d before starting training. Current step is %d.", self._wait_until_step, step
                )
                logged = time.monotonic()
            time.sleep(0.5)


@export("compat.v1.train.FinalOpsHook")
class FinalOpsHook(SessionRunHook):
    """Computes tensors at the end of the training.

    Args:
      final_ops: tensor, Operation, or structure of them.
      final_ops_feed_dict: dict from tensors to values, or None.
    """

    def __init__(self, final_ops, final_ops_feed_dict=None) -> None:
        self._final_ops = final_ops
        self._feed_dict = final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self):
        """The values; None before the end."""
        return self._values

    def end(self, session) -> None:
        """Computes them.

        Raises:
          OutOfRangeError: they need elements of a dataset that has no more.
        """
        if self._final_ops is None:
            return
        try:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)
        except (OutOfRangeError, StopIteration) as error:
            get_logger().warning("FinalOpsHook needs another element of an input that has no more: %s", error)
            raise


@export("compat.v1.train.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds what a function returns.

    Args:
      feed_fn: function without arguments that returns a dict from tensors to values.
    """

    def __init__(self, feed_fn) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        """Asks for the values to be fed."""
        del run_context
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
