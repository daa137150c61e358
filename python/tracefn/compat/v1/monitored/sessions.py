"""`tf.compat.v1.train.MonitoredSession` and `SingularMonitoredSession`."""

from __future__ import annotations

import inspect

from tracefn._export import export
from tracefn._logging import get_logger
from tracefn._training.coordinator import Coordinator
from tracefn.compat.v1.graphs import GraphKeys
from tracefn.compat.v1.monitored.creators import ChiefSessionCreator
from tracefn.compat.v1.session_hooks import SessionRunArgs, SessionRunContext, SessionRunValues
from tracefn.compat.v1.session_options import RunMetadata, RunOptions
from tracefn.compat.v1.training import start_queue_runners
from tracefn.errors import AbortedError, OutOfRangeError, UnavailableError
from tracefn.framework import default_graph

# After these a new session takes the place of the old one.
_LOST = (AbortedError, UnavailableError)


class _HookedRuns:
    """One session, its Coordinator, and the hooks around its runs.

    Args:
      creator: SessionCreator.
      hooks: list of SessionRunHooks.
      grace_secs: seconds that threads get to end.
    """

    def __init__(self, creator, hooks, grace_secs) -> None:
        self._hooks = hooks
        self._grace_secs = grace_secs
        self._stop = False
        self.session = creator.create_session()
        self.coordinator = Coordinator(clean_stop_exception_types=[])
        if self.session.graph.get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self.session, coord=self.coordinator)
        for hook in hooks:
            hook.after_create_session(self.session, self.coordinator)

    def should_stop(self) -> bool:
        return self._stop or self.coordinator.should_stop()

    def run(self, fetches, feed_dict, options, run_metadata):
        """A run, with what the hooks ask for.

        Raises:
          RuntimeError: a hook has asked for the end; two give values for one tensor.
          AbortedError, UnavailableError: a thread has lost the session, which made this run fail.
        """
        try:
            return self._run(fetches, feed_dict, options, run_metadata)
        except Exception:
            reported = self.reported()
            if isinstance(reported, _LOST):
                raise reported from None
            raise

    def reported(self) -> Exception | None:
        """The exception that a thread has reported, or None."""
        try:
            self.coordinator.raise_requested_exception()
        except Exception as error:
            return error
        return None

    def _run(self, fetches, feed_dict, options, run_metadata):
        if self._stop:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self.session)
        wanted = {"caller": fetches}
        options, run_metadata = options or RunOptions(), run_metadata or RunMetadata()
        feeds = self._asked(context, wanted, feed_dict, options)
        found = self.session.run(wanted, feed_dict=feeds, options=options, run_metadata=run_metadata)
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(found.get(hook), options, run_metadata))
        self._stop = self._stop or context.stop_requested
        return found["caller"]

    def _asked(self, context, wanted: dict, feed_dict, options):
        """Adds the fetches of the hooks to `wanted`; the values to feed."""
        fed: dict = {}
        for hook in self._hooks:
            asked = hook.before_run(context)
            if asked is None:
                continue
            if asked.fetches is not None:
                wanted[hook] = asked.fetches
            if asked.feed_dict:
                _refuse_both(fed, asked.feed_dict, "Same tensor is fed by two hooks.")
                fed.update(asked.feed_dict)
            if asked.options:
                options.__dict__.update(asked.options.__dict__)
        if not fed:
            return feed_dict
        if feed_dict:
            _refuse_both(feed_dict, fed, "Same tensor is fed by a SessionRunHook and user.")
            fed.update(feed_dict)
        return fed

    def run_step_fn(self, step_fn):
        """The result of `step_fn(step_context)`."""
        return step_fn(StepContext(self.session, self._run_of_step))

    def _run_of_step(self, fetches, feed_dict=None, options=None, run_metadata=None):
        return self.run(fetches, feed_dict, options, run_metadata)

    def close(self) -> None:
        """Asks the threads to end, waits for them, and closes the session.

        Raises:
          Exception: one that a thread has reported.
        """
        self.coordinator.request_stop()
        try:
            self.coordinator.join(stop_grace_period_secs=self._grace_secs, ignore_live_threads=True)
        finally:
            self.session.close()


def _refuse_both(one: dict, other: dict, what: str) -> None:
    keys = {_key(key) for key in one}
    both = [key for key in other if _key(key) in keys]
    if both:
        raise RuntimeError(f"{what} Conflict(s): {both}")


def _key(key):
    """A feed's key by the name of its tensor: tensors may compare elementwise."""
    return getattr(key, "name", key)


class StepContext:
    """What a function given to `run_step_fn` gets: the session, and runs with hooks."""

    def __init__(self, session, run_with_hooks_fn) -> None:
        self._session = session
        self._run_with_hooks = run_with_hooks_fn

    @property
    def session(self):
        """The session without hooks."""
        return self._session

    def run_with_hooks(self, *args, **kwargs):
        """`MonitoredSession.run`."""
        return self._run_with_hooks(*args, **kwargs)

    def request_stop(self):
        """Ends the training after this step.

        Raises:
          StopIteration: always.
        """
        raise StopIteration("step_fn has requested the iterations to stop.")


class _MonitoredSession:
    """A session with hooks. See `MonitoredSession`."""

    StepContext = StepContext

    def __init__(self, session_creator, hooks, should_recover: bool, stop_grace_period_secs=120) -> None:
        self._graph_was_finalized = default_graph().finalized
        self._hooks = hooks or []
        self._creator = session_creator or ChiefSessionCreator()
        self._recovers = should_recover
        self._grace_secs = stop_grace_period_secs
        for hook in self._hooks:
            hook.begin()
        self._runs: _HookedRuns | None = None
        self._runs = self._started()

    def _started(self) -> _HookedRuns:
        while True:
            try:
                return _HookedRuns(self._creator, self._hooks, self._grace_secs)
            except _LOST as error:
                if not self._recovers:
                    raise
                get_logger().info("An error was raised while a session was being created: %s. A new one is created.", error)

    @property
    def graph(self):
        """The graph; None after `close()`."""
        return None if self._runs is None else self._runs.session.graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """`Session.run`, with the fetches and feeds of the hooks.

        Raises:
          RuntimeError: a hook has asked for the end; two give values for one tensor.
          AttributeError: the session is closed.
        """
        while True:
            runs = self._live("run")
            try:
                return runs.run(fetches, feed_dict, options, run_metadata)
            except _LOST as error:
                self._recover(error)

    def run_step_fn(self, step_fn):
        """The result of `step_fn(step_context)`: a step of several runs.

        Args:
          step_fn: function of one argument `step_context`, with attributes `session`, whose runs call no hooks,
            `run_with_hooks`, which is `run`, and `request_stop()`, which raises StopIteration and so ends the `with` block;
            or a method with that argument.

        Raises:
          ValueError: it has other arguments.

        Example:
          >>> import tracefn as tf
          >>> with tf.Graph().as_default():
          ...     x = tf.constant(2.0)
          ...     with tf.compat.v1.train.MonitoredSession() as session:
          ...         print(session.run_step_fn(lambda step_context: step_context.session.run(x)))
          2.0
        """
        names = _argument_names(step_fn)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's an "
                f"instance method. Got {names} instead."
            )
        while True:
            runs = self._live("run_step_fn")
            try:
                return runs.run_step_fn(step_fn)
            except _LOST as error:
                self._recover(error)

    def _live(self, method: str) -> _HookedRuns:
        if self._runs is None:
            raise AttributeError(f"'NoneType' object has no attribute '{method}'")
        return self._runs

    def _recover(self, error) -> None:
        """Makes a new session in the place of a lost one; raises the error if that is not wanted."""
        if not self._recovers:
            raise error
        get_logger().info("An error was raised. The session is closed, and a new one is created. Error: %s", error)
        self._close(self._live("run"))
        self._runs = self._started()

    def _close(self, runs: _HookedRuns) -> None:
        """Closes a session, unless it is lost already."""
        try:
            runs.close()
        except _LOST as error:
            if not self._recovers:
                raise
            get_logger().info("An error was raised while a session was being closed: %s", error)

    def should_stop(self) -> bool:
        """Whether the training should end; True after `close()`.

        Raises:
          Exception: a thread has reported it, and the session is one that is not made anew.
        """
        if self._runs is None:
            return True
        reported = self._runs.reported()
        if reported is not None and not self._recovers:
            raise reported
        if isinstance(reported, _LOST):
            self._recover(reported)
        return self._runs.should_stop()

    def close(self) -> None:
        """Calls the hooks' `end`, and closes the session.

        Raises:
          RuntimeError: it is closed already.
          Exception: one that a thread has reported.
        """
        self._end(calls_hooks=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback) -> bool:
        ended = kind in (OutOfRangeError, StopIteration)
        self._end(calls_hooks=kind is None or ended)
        return ended or kind is None

    def _end(self, calls_hooks: bool) -> None:
        runs = self._runs
        try:
            if calls_hooks and runs is not None:
                for hook in self._hooks:
                    hook.end(runs.session)
        finally:
            try:
                if runs is None:
                    raise RuntimeError("Session is already closed.")
                self._close(runs)
            finally:
                self._runs = None
                if not self._graph_was_finalized:
                    default_graph()._unsafe_unfinalize()


def _argument_names(function) -> tuple:
    """The names of a function's arguments.

    Raises:
      TypeError: it is no function.
    """
    if not callable(function):
        raise TypeError("unsupported callable")
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__func__", None), "__code__", None)
    if code is not None:
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return tuple(inspect.signature(function).parameters)


@export("compat.v1.train.MonitoredSession")
class MonitoredSession(_MonitoredSession):
    """A session that initializes itself, calls hooks, starts the threads of queues, and is made anew if it is lost.

    In its `with` block, OutOfRangeError and StopIteration end the block without an exception.

    Args:
      session_creator: SessionCreator; by default a ChiefSessionCreator.
      hooks: list of SessionRunHooks, or None.
      stop_grace_period_secs: seconds that threads get to end.

    Example:
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default():
      ...     step = v1.train.get_or_create_global_step()
      ...     train = v1.assign_add(step, 1)
      ...     with v1.train.MonitoredSession(hooks=[v1.train.StopAtStepHook(last_step=3)]) as session:
      ...         while not session.should_stop():
      ...             print(session.run(train))
      1
      2
      3
    """

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


@export("compat.v1.train.SingularMonitoredSession")
class SingularMonitoredSession(_MonitoredSession):
    """A MonitoredSession that is not made anew if it is lost, and tells its session.

    Args:
      hooks: list of SessionRunHooks, or None.
      scaffold: Scaffold, or None.
      master: the session's target.
      config: ConfigProto, or None.
      checkpoint_dir: str, the directory whose latest checkpoint is restored; or None.
      stop_grace_period_secs: seconds that threads get to end.
      checkpoint_filename_with_path: str, the checkpoint to restore; or None.
    """

    def __init__(
        self,
        hooks=None,
        scaffold=None,
        master="",
        config=None,
        checkpoint_dir=None,
        stop_grace_period_secs=120,
        checkpoint_filename_with_path=None,
    ) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self):
        """The `tf.compat.v1.Session`; None after `close()`."""
        return None if self._runs is None else self._runs.session
