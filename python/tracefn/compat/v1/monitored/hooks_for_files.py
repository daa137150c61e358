"""Hooks that write checkpoints and summaries of a monitored session."""

from __future__ import annotations

import os
from typing import Any

from tracefn._export import export
from tracefn._logging import get_logger
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.graphs import GraphKeys
from tracefn.compat.v1.monitored.session_logs import CHECKPOINT, START, SessionLog, scalar_summary
from tracefn.compat.v1.monitored.steps import required_step
from tracefn.compat.v1.session_hooks import SecondOrStepTimer, SessionRunArgs, SessionRunHook
from tracefn.compat.v1.summary_files import FileWriterCache
from tracefn.framework import default_graph


@export("compat.v1.train.CheckpointSaverListener")
class CheckpointSaverListener:
    """What a CheckpointSaverHook calls around its checkpoints; subclasses define what they need.

    Example:
      >>> import tracefn as tf
      >>> class Printer(tf.compat.v1.train.CheckpointSaverListener):
      ...     def after_save(self, session, global_step_value):
      ...         print("saved", global_step_value)
      >>> Printer().after_save(None, 3)
      saved 3
    """

    def begin(self) -> None:
        """Called before there is a session."""

    def before_save(self, session, global_step_value) -> None:
        """Called before a checkpoint is saved at a step."""

    def after_save(self, session, global_step_value):
        """Called after a checkpoint was saved at a step; a true result ends the training."""

    def end(self, session, global_step_value) -> None:
        """Called at the end of the training."""


@export("compat.v1.train.CheckpointSaverHook")
class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints: one at the beginning, one every so many seconds or steps, and one at the end.

    Args:
      checkpoint_dir: str, the directory.
      save_secs: seconds from one to the next, or None.
      save_steps: steps from one to the next, or None.
      saver: Saver; None: that of the Scaffold, or the graph's.
      checkpoint_basename: str, with which the names of the files begin.
      scaffold: Scaffold, or None.
      listeners: list of CheckpointSaverListeners, or None.
      save_graph_def: whether the graph is written.

    Raises:
      ValueError: not one of `save_secs` and `save_steps` is given; or both `saver` and `scaffold` are.
    """

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        saver=None,
        checkpoint_basename="model.ckpt",
        scaffold=None,
        listeners=None,
        save_graph_def=True,
    ) -> None:
        get_logger().info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._directory = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []
        self._save_graph_def = save_graph_def
        self._writer: Any = None
        self._step: Any = None

    def begin(self) -> None:
        """Finds the global step.

        Raises:
          RuntimeError: there is none.
        """
        self._writer = FileWriterCache.get(self._directory)
        self._step = required_step("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord) -> None:
        """Writes the graph and the first checkpoint."""
        del coord
        step = session.run(self._step)
        graph = default_graph()
        if self._save_graph_def:
            today("io.write_graph")(graph.as_graph_def(add_shapes=True), self._directory, "graph.pbtxt")
        self._writer.add_graph(graph)
        self._writer.add_meta_graph(self._found_saver().export_meta_graph())
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        """Asks for the global step."""
        del run_context
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values) -> None:
        """Saves a checkpoint when one is due."""
        # The run may have read the step before it incremented it.
        if self._timer.should_trigger_for_step(run_values.results + 1):
            step = run_context.session.run(self._step)
            if self._timer.should_trigger_for_step(step):
                self._timer.update_last_triggered_step(step)
                if self._save(run_context.session, step):
                    run_context.request_stop()

    def end(self, session) -> None:
        """Saves the last checkpoint."""
        step = session.run(self._step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step) -> bool:
        """Saves a checkpoint; whether a listener asks for the end."""
        get_logger().info("Calling checkpoint listeners before saving checkpoint %d...", step)
        for listener in self._listeners:
            listener.before_save(session, step)
        get_logger().info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._found_saver().save(session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def)
        self._writer.add_session_log(SessionLog(CHECKPOINT, self._save_path), step)
        get_logger().info("Calling checkpoint listeners after saving checkpoint %d...", step)
        stops = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                get_logger().info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
                stops = True
        return stops

    def _found_saver(self):
        if self._saver is None and self._scaffold is not None:
            return self._scaffold.saver
        if self._saver is None:
            savers = default_graph().get_collection(GraphKeys.SAVERS)
            if not savers:
                raise RuntimeError(
                    "No items in collection savers. Please add a saver to the collection or provide a saver or scaffold."
                )
            if len(savers) > 1:
                raise RuntimeError("More than one item in collection savers. Please indicate which one to use.")
            self._saver = savers[0]
        return self._saver


@export("compat.v1.train.StepCounterHook")
class StepCounterHook(SessionRunHook):
    """Logs and writes the steps per second.

    Args:
      every_n_steps: steps from one report to the next, or None.
      every_n_secs: seconds from one report to the next, or None.
      output_dir: str, the directory of the summaries, or None.
      summary_writer: FileWriter, or None.

    Raises:
      ValueError: not one of `every_n_steps` and `every_n_secs` is given.
    """

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._writer = summary_writer
        self._output_dir = output_dir
        self._step: Any = None
        self._tag = ""

    def begin(self) -> None:
        """Finds the global step.

        Raises:
          RuntimeError: there is none.
        """
        if self._writer is None and self._output_dir:
            self._writer = FileWriterCache.get(self._output_dir)
        self._step = required_step("StepCounterHook")
        self._tag = f"{today('compat.v1.train.get_global_step')().op.name}/sec"

    def before_run(self, run_context):
        """Asks for the global step."""
        del run_context
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values) -> None:
        """Reports when a report is due."""
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds is not None:
                self._log_and_record(steps, seconds, step)

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step) -> None:
        """Reports the steps in some seconds; subclasses may do more."""
        rate = elapsed_steps / elapsed_time
        get_logger().info("%s: %g", self._tag, rate)
        if self._writer is not None:
            self._writer.add_summary(scalar_summary(self._tag, rate), global_step)


@export("compat.v1.train.SummarySaverHook")
class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds.

    Args:
      save_steps: steps from one to the next, or None.
      save_secs: seconds from one to the next, or None.
      output_dir: str, the directory, or None.
      summary_writer: FileWriter, or None.
      scaffold: Scaffold, whose `summary_op` is written; or None.
      summary_op: string tensor of serialized summaries, or list of them; or None.

    Raises:
      ValueError: not one of `scaffold` and `summary_op`, or not one of `save_steps` and `save_secs`, is given.
    """

    def __init__(
        self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op = summary_op
        self._writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._step: Any = None
        self._next_step: Any = None
        self._due = False

    def begin(self) -> None:
        """Finds the global step.

        Raises:
          RuntimeError: there is none.
        """
        if self._writer is None and self._output_dir:
            self._writer = FileWriterCache.get(self._output_dir)
        self._next_step = None
        self._step = required_step("SummarySaverHook")

    def before_run(self, run_context):
        """Asks for the global step, and for summaries when they are due."""
        del run_context
        self._due = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        wanted = {"global_step": self._step}
        summaries = self._summaries() if self._due else None
        if summaries is not None:
            wanted["summary"] = summaries
        return SessionRunArgs(wanted)

    def _summaries(self):
        found = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        return found if found is None or isinstance(found, list) else [found]

    def after_run(self, run_context, run_values) -> None:
        """Writes the summaries that it asked for."""
        if not self._writer:
            return
        # The run may have read the step before it incremented it.
        step = run_values.results["global_step"] + 1
        if self._due:
            step = run_context.session.run(self._step)
        if self._next_step is None:
            self._writer.add_session_log(SessionLog(START), step)
        if self._due:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session=None) -> None:
        """Writes what is waiting to be written."""
        del session
        if self._writer:
            self._writer.flush()
