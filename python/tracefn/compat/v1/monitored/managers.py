"""`tf.compat.v1.train.SessionManager`: sessions that are initialized, or restored from a checkpoint."""

from __future__ import annotations

import time

from tracefn._export import export
from tracefn._logging import get_logger
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.session import Session
from tracefn.errors import DeadlineExceededError, FailedPreconditionError
from tracefn.framework import default_graph


def _name_of(value) -> str:
    """The name of an Operation or tensor, or the text of a list of them."""
    return str([_name_of(x) for x in value]) if isinstance(value, (list, tuple)) else getattr(value, "name", str(value))


def is_ready(check, session, what: str) -> tuple[bool, str | None]:
    """Whether a string vector of what is missing is empty, and the reason if it is not."""
    if check is None:
        return True, None
    try:
        missing = session.run(check)
    except FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            get_logger().warning("%s: error [%s]", what, error)
            raise
        return False, str(error)
    if missing is None or missing.size == 0:
        return True, None
    names = ", ".join(name.decode("utf-8") for name in missing)
    return False, f"Variables not initialized: {names}"


@export("compat.v1.train.SessionManager")
class SessionManager:
    """Makes sessions that are ready to be used.

    Args:
      local_init_op: Operation that runs in every new session, or None.
      ready_op: string vector, empty if the session can be used; None: not checked.
      ready_for_local_init_op: string vector, empty if `local_init_op` can run; None: not checked.
      graph: the `tf.Graph`; None: the default one.
      recovery_wait_secs: seconds between looks at a session or checkpoint that is not ready.
      local_init_run_options: accepted, without effect.
      local_init_feed_dict: dict from tensors to values for `local_init_op`, or None.

    Raises:
      ValueError: `ready_for_local_init_op` is given without `local_init_op`.

    Example:
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default():
      ...     w = v1.get_variable("w", [], initializer=v1.ones_initializer())
      ...     manager = v1.train.SessionManager(ready_op=v1.report_uninitialized_variables())
      ...     with manager.prepare_session("", init_op=v1.global_variables_initializer()) as session:
      ...         print(session.run(w))
      1.0
    """

    def __init__(
        self,
        local_init_op=None,
        ready_op=None,
        ready_for_local_init_op=None,
        graph=None,
        recovery_wait_secs=30,
        local_init_run_options=None,
        local_init_feed_dict=None,
    ) -> None:
        del local_init_run_options
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError("If you pass a ready_for_local_init_op you must also pass a local_init_op ")
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = default_graph() if graph is None else graph
        self._wait_secs = recovery_wait_secs
        self._local_init_feed_dict = local_init_feed_dict

    def prepare_session(
        self,
        master,
        init_op=None,
        saver=None,
        checkpoint_dir=None,
        checkpoint_filename_with_path=None,
        wait_for_checkpoint=False,
        max_wait_secs=7200,
        config=None,
        init_feed_dict=None,
        init_fn=None,
    ):
        """A session that is restored from a checkpoint, or else initialized.

        Args:
          master: the session's target.
          init_op: Operation, or list of them, that initializes; None: only `init_fn` does.
          saver: Saver that restores, or None.
          checkpoint_dir: str, the directory whose latest checkpoint is restored; or None.
          checkpoint_filename_with_path: str, the checkpoint to restore; or None.
          wait_for_checkpoint: whether to wait for a checkpoint in the directory.
          max_wait_secs: the most seconds to wait for it.
          config: ConfigProto, or None.
          init_feed_dict: dict from tensors to values for `init_op`, or None.
          init_fn: function of the session that runs after `init_op`, or None.

        Raises:
          RuntimeError: nothing initializes, or the session is not ready afterwards.
          ValueError: both the directory and the checkpoint are given.
        """
        session, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        given = f"Init op: {_name_of(init_op)}, init fn: {init_fn}"
        ready, why = self._initialized_locally(session)
        if not ready:
            raise RuntimeError(f"Init operations did not make model ready for local_init.  {given}, error: {why}")
        ready, why = is_ready(self._ready_op, session, "Model not ready")
        if not ready:
            local = _name_of(self._local_init_op)
            raise RuntimeError(f"Init operations did not make model ready.  {given}, local_init_op: {local}, error: {why}")
        return session

    def recover_session(
        self,
        master,
        saver=None,
        checkpoint_dir=None,
        checkpoint_filename_with_path=None,
        wait_for_checkpoint=False,
        max_wait_secs=7200,
        config=None,
    ) -> tuple:
        """A session that is restored from a checkpoint if there is one.

        Arguments are those of `prepare_session`.

        Returns:
          Pair: the session, and whether it was restored and is ready.
        """
        session, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        ready, why = self._initialized_locally(session)
        if not restored:
            return session, False
        what = checkpoint_dir or checkpoint_filename_with_path
        if not ready:
            get_logger().info("Restoring model from %s did not make model ready for local init: %s", what, why)
            return session, False
        ready, why = is_ready(self._ready_op, session, "Model not ready")
        if not ready:
            get_logger().info("Restoring model from %s did not make model ready: %s", what, why)
            return session, False
        get_logger().info("Restored model from %s", what)
        return session, True

    def wait_for_session(self, master, config=None, max_wait_secs=float("Inf")):
        """A session that someone else makes ready: waits until it is.

        Args:
          master: the session's target.
          config: ConfigProto, or None.
          max_wait_secs: the most seconds to wait.

        Raises:
          DeadlineExceededError: it is not ready after that time.
        """
        end = time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs)
        while True:
            session = Session(master, graph=self._graph, config=config)
            ready, _ = self._initialized_locally(session)
            why = None
            if ready:
                ready, why = is_ready(self._ready_op, session, "Model not ready")
            if ready:
                return session
            session.close()
            left = end - time.monotonic()
            if left <= 0:
                raise DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {int(max_wait_secs)} secs."
                )
            get_logger().info("Waiting for model to be ready.  Ready: %s", why)
            time.sleep(min(self._wait_secs, left))

    def _restored(self, master, saver, directory, path, waits, max_wait_secs, config) -> tuple:
        """A new session, and whether a checkpoint was restored in it."""
        session = Session(master, graph=self._graph, config=config)
        if directory and path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        if not saver or not (directory or path):
            return session, False
        if path:
            saver.restore(session, path)
            return session, True
        state = self._state_of(directory, waits, max_wait_secs)
        if state is None:
            return session, False
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def _state_of(self, directory, waits: bool, max_wait_secs):
        """The state of the checkpoints in a directory; None if there are none."""
        end = time.monotonic() + max_wait_secs
        while True:
            state = today("train.get_checkpoint_state")(directory)
            if state is not None and state.model_checkpoint_path:
                return state
            if not waits or time.monotonic() >= end:
                return None
            get_logger().info("Waiting for checkpoint to be available.")
            time.sleep(min(self._wait_secs, max(end - time.monotonic(), 0)))

    def _initialized_locally(self, session) -> tuple[bool, str | None]:
        """Runs the local initializer if the session is ready for it: whether it did, and the reason if not."""
        if self._local_init_op is None:
            return True, None
        ready, why = is_ready(self._ready_for_local_init_op, session, "Model not ready for local init")
        if ready:
            get_logger().info("Running local_init_op.")
            session.run(self._local_init_op, feed_dict=self._local_init_feed_dict)
            get_logger().info("Done running local_init_op.")
        return ready, why
