"""`tf.compat.v1.train.ProfilerHook`: records where the time of a run goes."""

from __future__ import annotations

import os
from typing import Any

from tracefn import _core
from tracefn._export import export
from tracefn._logging import get_logger
from tracefn.compat.v1.monitored.steps import required_step
from tracefn.compat.v1.session_hooks import SecondOrStepTimer, SessionRunArgs, SessionRunHook
from tracefn.compat.v1.summary_files import FileWriterCache


@export("compat.v1.train.ProfilerHook")
class ProfilerHook(SessionRunHook):
    """Writes a profile of a run every so many steps or seconds: a file timeline-STEP.json, for chrome://tracing.

    While `tf.profiler` records a profile, there is none.

    Args:
      save_steps: steps from one to the next, or None.
      save_secs: seconds from one to the next, or None.
      output_dir: str, the directory.
      show_dataflow, show_memory: accepted, without effect.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: not one of `save_steps` and `save_secs` is given.
    """

    def __init__(self, save_steps=None, save_secs=None, output_dir="", show_dataflow=True, show_memory=False) -> None:
        del show_dataflow, show_memory
        self._output_dir = output_dir
        self._writer = FileWriterCache.get(output_dir)  # makes the directory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._step: Any = None
        self._next_step: Any = None
        self._recording = False

    def begin(self) -> None:
        """Finds the global step.

        Raises:
          RuntimeError: there is none.
        """
        self._next_step = None
        self._step = required_step("ProfilerHook")

    def before_run(self, run_context):
        """Begins to record when a profile is due."""
        del run_context
        due = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        if due and not self._recording and not _core.profiling():
            self._recording = True
            _core.start_profile()
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values) -> None:
        """Writes what it has recorded."""
        step = run_values.results + 1
        if self._next_step is None:
            self._timer.update_last_triggered_step(run_values.results)
        elif self._recording:
            timeline = self._stopped()
            step = run_context.session.run(self._step)
            self._timer.update_last_triggered_step(step)
            path = os.path.join(self._output_dir, f"timeline-{step}.json")
            get_logger().info("Saving timeline for %d into '%s'.", step, path)
            with open(_core.local_path(os.fsencode(path)), "wb") as file:
                file.write(timeline)
        self._next_step = step + 1

    def end(self, session) -> None:
        """Ends a recording whose run has failed."""
        del session
        if self._recording:
            self._stopped()

    def _stopped(self) -> bytes:
        self._recording = False
        return _core.stop_profile("localhost")[1]
