"""`tf.compat.v1.train.MonitoredTrainingSession`: a MonitoredSession with the usual hooks."""

from __future__ import annotations

from tracefn._export import export
from tracefn.compat.v1.monitored.creators import ChiefSessionCreator, WorkerSessionCreator
from tracefn.compat.v1.monitored.hooks_for_files import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from tracefn.compat.v1.monitored.scaffolds import Scaffold
from tracefn.compat.v1.monitored.sessions import MonitoredSession

_DEFAULT = object()


def _every(steps, secs, default_steps, default_secs) -> tuple:
    """The steps and seconds between two calls; both None: never."""
    if steps is _DEFAULT and secs is _DEFAULT:
        return default_steps, default_secs
    return (None if steps is _DEFAULT else steps), (None if secs is _DEFAULT else secs)


@export("compat.v1.train.MonitoredTrainingSession")
def MonitoredTrainingSession(
    master="",
    is_chief=True,
    checkpoint_dir=None,
    scaffold=None,
    hooks=None,
    chief_only_hooks=None,
    save_checkpoint_secs=_DEFAULT,
    save_summaries_steps=_DEFAULT,
    save_summaries_secs=_DEFAULT,
    config=None,
    stop_grace_period_secs=120,
    log_step_count_steps=100,
    max_wait_secs=7200,
    save_checkpoint_steps=_DEFAULT,
    summary_dir=None,
    save_graph_def=True,
):
    """A MonitoredSession that restores the latest checkpoint, and saves checkpoints and summaries.

    Args:
      master: the session's target.
      is_chief: whether it initializes and saves; False: it waits until the session is ready.
      checkpoint_dir: str, the directory of checkpoints, or None.
      scaffold: Scaffold, or None.
      hooks: list of SessionRunHooks, or None.
      chief_only_hooks: more of them, for a chief.
      save_checkpoint_secs, save_checkpoint_steps: seconds or steps between checkpoints; 600 seconds by default. Both None:
        there are none.
      save_summaries_steps, save_summaries_secs: steps or seconds between summaries; 100 steps by default. Both None: there
        are none.
      config: ConfigProto, or None.
      stop_grace_period_secs: seconds that threads get to end.
      log_step_count_steps: steps between reports of the steps per second; None: there are none.
      max_wait_secs: the most seconds to wait for a session that a chief makes ready.
      summary_dir: str, the directory of summaries; by default that of checkpoints.
      save_graph_def: whether the graph is written.

    Returns:
      MonitoredSession.

    Example:
      >>> import os, tempfile
      >>> import tracefn as tf
      >>> v1, folder = tf.compat.v1, tempfile.mkdtemp()
      >>> with tf.Graph().as_default():
      ...     train = v1.assign_add(v1.train.get_or_create_global_step(), 1)
      ...     stop = v1.train.StopAtStepHook(last_step=2)
      ...     with v1.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=[stop]) as session:
      ...         while not session.should_stop():
      ...             _ = session.run(train)
      >>> os.path.basename(v1.train.latest_checkpoint(folder))
      'model.ckpt-2'
    """
    summary_steps, summary_secs = _every(save_summaries_steps, save_summaries_secs, 100, None)
    checkpoint_steps, checkpoint_secs = _every(save_checkpoint_steps, save_checkpoint_secs, None, 600)
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks or [], stop_grace_period_secs)
    all_hooks: list = list(chief_only_hooks or [])
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(StepCounterHook(every_n_steps=log_step_count_steps, output_dir=summary_dir))
        if (summary_steps and summary_steps > 0) or (summary_secs and summary_secs > 0):
            all_hooks.append(SummarySaverHook(summary_steps, summary_secs, summary_dir, scaffold=scaffold))
    if checkpoint_dir and ((checkpoint_secs and checkpoint_secs > 0) or (checkpoint_steps and checkpoint_steps > 0)):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_secs=checkpoint_secs,
                save_steps=checkpoint_steps,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    all_hooks.extend(hooks or [])
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
