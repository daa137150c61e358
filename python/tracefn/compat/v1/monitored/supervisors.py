"""`tf.compat.v1.train.Supervisor` and `basic_train_loop`: what programs used before monitored sessions."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

from tracefn._export import export
from tracefn._logging import get_logger
from tracefn._training.coordinator import Coordinator, LooperThread
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.decays import get_global_step
from tracefn.compat.v1.graphs import GraphKeys
from tracefn.compat.v1.monitored.managers import SessionManager
from tracefn.compat.v1.monitored.scaffolds import Scaffold, default_saver
from tracefn.compat.v1.monitored.session_logs import START, STOP, SessionLog, scalar_summary
from tracefn.compat.v1.summary_files import FileWriter
from tracefn.framework import default_graph, executing_eagerly

_DEFAULT: Any = 0  # as TensorFlow spells it


@export("compat.v1.train.Supervisor")
class Supervisor:
    """Makes a session that is initialized or restored, and saves checkpoints and summaries in threads.

    Args:
      graph: tf.Graph, which is finalized; None: the default one.
      ready_op, ready_for_local_init_op, init_op, local_init_op, summary_op, saver: as for `tf.compat.v1.train.Scaffold`; None:
        there is none.
      is_chief: whether it initializes and saves.
      init_feed_dict: dict from tensors to values for `init_op`, or None.
      logdir: str, the directory of checkpoints and summaries; None: nothing is saved.
      global_step: tensor or Variable; by default the graph's.
      save_summaries_secs, save_model_secs: seconds from one to the next; 0: there are none.
      recovery_wait_secs: seconds between looks at a session that is not ready.
      stop_grace_secs: seconds that threads get to end.
      checkpoint_basename: str, with which the names of checkpoints begin.
      session_manager: SessionManager, or None.
      summary_writer: FileWriter, or None: there is none.
      init_fn: function of the session that runs after `init_op`, or None.
      local_init_run_options: accepted, without effect.

    Raises:
      RuntimeError: ops run eagerly.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default():
      ...     w = v1.get_variable("w", [], initializer=v1.ones_initializer())
      ...     supervisor = v1.train.Supervisor(logdir=tempfile.mkdtemp())
      ...     with supervisor.managed_session() as session:
      ...         print(session.run(w))
      1.0
    """

    USE_DEFAULT = _DEFAULT

    def __init__(
        self,
        graph=None,
        ready_op=_DEFAULT,
        ready_for_local_init_op=_DEFAULT,
        is_chief=True,
        init_op=_DEFAULT,
        init_feed_dict=None,
        local_init_op=_DEFAULT,
        logdir=None,
        summary_op=_DEFAULT,
        saver=_DEFAULT,
        global_step=_DEFAULT,
        save_summaries_secs=120,
        save_model_secs=600,
        recovery_wait_secs=30,
        stop_grace_secs=120,
        checkpoint_basename="model.ckpt",
        session_manager=None,
        summary_writer=_DEFAULT,
        init_fn=None,
        local_init_run_options=None,
    ) -> None:
        del local_init_run_options
        if executing_eagerly():
            raise RuntimeError("Supervisors are incompatible with eager execution.")
        self._graph = default_graph() if graph is None else graph
        self._is_chief = is_chief
        self._logdir = logdir
        self._secs = (save_summaries_secs, save_model_secs)
        self._grace_secs = stop_grace_secs
        self._init_fn, self._init_feed_dict = init_fn, init_feed_dict
        self._coordinator = Coordinator()
        self._graph_is_written = False
        with self._graph.as_default():
            given = {
                "init_op": init_op,
                "ready_op": ready_op,
                "ready_for_local_init_op": ready_for_local_init_op,
                "local_init_op": local_init_op,
                "summary_op": summary_op,
            }
            self._ops = {name: Scaffold.default(name) if op is _DEFAULT else op for name, op in given.items()}
            self._saver = default_saver() if saver is _DEFAULT else saver
            self._global_step = get_global_step() if global_step is _DEFAULT else global_step
            saves = is_chief and logdir
            self._save_path = os.path.join(logdir, checkpoint_basename) if saves else None
            self._writer: Any = summary_writer
            if summary_writer is _DEFAULT:
                self._writer = FileWriter(logdir) if saves else None
            self._manager = session_manager or SessionManager(
                local_init_op=self._ops["local_init_op"],
                ready_op=self._ops["ready_op"],
                ready_for_local_init_op=self._ops["ready_for_local_init_op"],
                graph=self._graph,
                recovery_wait_secs=recovery_wait_secs,
            )
        self._graph.finalize()

    @property
    def is_chief(self) -> bool:
        """Whether it initializes and saves."""
        return self._is_chief

    @property
    def session_manager(self):
        """The SessionManager."""
        return self._manager

    @property
    def coord(self):
        """The Coordinator of the threads."""
        return self._coordinator

    @property
    def init_op(self):
        """The Operation that initializes, or None."""
        return self._ops["init_op"]

    @property
    def init_feed_dict(self):
        """The values for it."""
        return self._init_feed_dict

    @property
    def ready_op(self):
        """The names of what is not initialized, or None."""
        return self._ops["ready_op"]

    @property
    def ready_for_local_init_op(self):
        """The names of what is to be initialized before local Variables, or None."""
        return self._ops["ready_for_local_init_op"]

    @property
    def summary_op(self):
        """The merged summaries, or None."""
        return self._ops["summary_op"]

    @property
    def summary_writer(self):
        """The FileWriter, or None."""
        return self._writer

    @property
    def saver(self):
        """The Saver, or None."""
        return self._saver

    @property
    def global_step(self):
        """The global step, or None."""
        return self._global_step

    @property
    def save_path(self):
        """With what the paths of checkpoints begin, or None."""
        return self._save_path

    @property
    def save_summaries_secs(self):
        """Seconds from one summary to the next."""
        return self._secs[0]

    @property
    def save_model_secs(self):
        """Seconds from one checkpoint to the next."""
        return self._secs[1]

    def prepare_or_wait_for_session(
        self, master="", config=None, wait_for_checkpoint=False, max_wait_secs=7200, start_standard_services=True
    ):
        """A session that is ready; the threads that save and fill queues run.

        Args:
          master, config: as for `tf.compat.v1.Session`.
          wait_for_checkpoint, max_wait_secs: as for `SessionManager.prepare_session`.
          start_standard_services: whether threads save checkpoints and summaries.
        """
        self._coordinator.clear_stop()
        if self._writer is not None:
            self._writer.reopen()
        if not self._is_chief:
            session = self._manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        else:
            session = self._manager.prepare_session(
                master,
                init_op=self.init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                get_logger().info("Starting standard services.")
                self.start_standard_services(session)
        get_logger().info("Starting queue runners.")
        self.start_queue_runners(session)
        return session

    PrepareSession = prepare_or_wait_for_session

    def _write_graph(self) -> None:
        if self._logdir:
            today("io.write_graph")(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._writer is not None and not self._graph_is_written:
            self._writer.add_graph(self._graph)
            saver_def = None if self._saver is None else self._saver.saver_def
            self._writer.add_meta_graph(today("compat.v1.train.export_meta_graph")(graph=self._graph, saver_def=saver_def))
            self._graph_is_written = True

    def start_standard_services(self, sess) -> list:
        """Starts the threads that save checkpoints and summaries in a session.

        Returns:
          List of the threads.

        Raises:
          RuntimeError: it is no chief.
        """
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services. Because only chief supervisors can write events.")
        if not self._logdir:
            get_logger().warning("Standard services need a 'logdir' passed to the SessionManager")
            return []
        if self._writer is not None and self._global_step is not None:
            self._writer.add_session_log(SessionLog(START), self._step(sess))
        threads = []
        summary_secs, model_secs = self._secs
        if summary_secs and self._writer is not None:
            if self.summary_op is not None:
                threads.append(self._every(summary_secs, self._save_summaries, sess))
            if self._global_step is not None:
                count = _StepCounter(self, sess)
                threads.append(self._every(summary_secs, count.report))
        if model_secs and self._saver is not None:
            threads.append(self._every(model_secs, self._save_model, sess))
        return threads

    StartStandardServices = start_standard_services

    def _every(self, seconds, function, *args):
        def call():
            with self._graph.as_default():  # other threads run eagerly
                function(*args)

        return LooperThread.loop(self._coordinator, seconds, target=call)

    def _step(self, session) -> int:
        return int(session.run(self._global_step))

    def _save_summaries(self, session) -> None:
        if self._global_step is None:
            self._writer.add_summary(session.run(self.summary_op))
        else:
            summary, step = session.run([self.summary_op, self._global_step])
            self._writer.add_summary(summary, int(step))

    def _save_model(self, session) -> None:
        get_logger().info("Saving checkpoint to path %s", self._save_path)
        self._saver.save(session, self._save_path, global_step=self._global_step)

    def start_queue_runners(self, sess, queue_runners=None) -> list:
        """Starts the threads that fill the queues of the graph, or those of a list of QueueRunners."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coordinator, daemon=True, start=True)
        ]

    StartQueueRunners = start_queue_runners

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        """Starts a thread that calls a function every so many seconds until a stop is asked for."""
        looper = LooperThread(self._coordinator, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    Loop = loop

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False) -> None:
        """Asks the threads to end, and waits for them.

        Raises:
          Exception: one that a thread has reported.
        """
        self._coordinator.request_stop()
        try:
            self._coordinator.join(
                threads, stop_grace_period_secs=self._grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._writer is not None:
                self._writer.add_session_log(SessionLog(STOP))
                self._writer.close()

    Stop = stop

    def request_stop(self, ex=None) -> None:
        """Asks for the end; an exception is raised by `stop`."""
        self._coordinator.request_stop(ex)

    RequestStop = request_stop

    def should_stop(self) -> bool:
        """Whether the end was asked for."""
        return self._coordinator.should_stop()

    ShouldStop = should_stop

    def stop_on_exception(self):
        """A context whose exceptions ask for the end."""
        return self._coordinator.stop_on_exception()

    StopOnException = stop_on_exception

    def wait_for_stop(self) -> None:
        """Waits until the end is asked for."""
        self._coordinator.wait_for_stop()

    WaitForStop = wait_for_stop

    def summary_computed(self, sess, summary, global_step=None) -> None:
        """Writes a summary.

        Args:
          sess: the session.
          summary: serialized Summary.
          global_step: int, or None: that of the session.

        Raises:
          RuntimeError: there is no writer.
        """
        if self._writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = self._step(sess)
        self._writer.add_summary(summary, global_step)

    SummaryComputed = summary_computed

    @contextlib.contextmanager
    def managed_session(self, master="", config=None, start_standard_services=True, close_summary_writer=True):
        """A context with a session that is ready; at its end the threads have ended, and their exceptions are raised."""
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config=config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()


class _StepCounter:
    """Writes the steps per second."""

    def __init__(self, supervisor: Supervisor, session) -> None:
        self._supervisor, self._session = supervisor, session
        self._last_step, self._last_time = supervisor._step(session), time.monotonic()
        self._tag = f"{supervisor.global_step.op.name}/sec"

    def report(self) -> None:
        step, now = self._supervisor._step(self._session), time.monotonic()
        elapsed = now - self._last_time
        rate = (step - self._last_step) / elapsed if elapsed > 0 else float("inf")
        self._last_step, self._last_time = step, now
        self._supervisor.summary_writer.add_summary(scalar_summary(self._tag, rate), step)
        get_logger().info("%s: %g", self._tag, rate)


@export("compat.v1.train.basic_train_loop")
def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master="") -> None:
    """Calls a function with the session of a Supervisor until the end is asked for.

    Args:
      supervisor: Supervisor.
      train_step_fn: function of the session and the other arguments.
      args, kwargs: these, a list and a dict; or None.
      master: the session's target.
    """
    with supervisor.managed_session(master) as session:
        while not supervisor.should_stop():
            train_step_fn(session, *(args or ()), **(kwargs or {}))
