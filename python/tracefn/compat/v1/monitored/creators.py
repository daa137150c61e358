"""What makes the sessions of monitored sessions: `tf.compat.v1.train.SessionCreator` and its two classes."""

from __future__ import annotations

import abc

from tracefn._export import export
from tracefn.compat.v1.monitored.managers import SessionManager
from tracefn.compat.v1.monitored.scaffolds import Scaffold
from tracefn.framework import default_graph


@export("compat.v1.train.SessionCreator")
class SessionCreator(abc.ABC):
    """Makes sessions; a monitored session asks for another one when its own is lost."""

    @abc.abstractmethod
    def create_session(self):
        """A new session, ready to be used."""


def _manager(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op,
        local_init_feed_dict=scaffold.local_init_feed_dict,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=default_graph(),
    )


@export("compat.v1.train.ChiefSessionCreator")
class ChiefSessionCreator(SessionCreator):
    """Makes sessions that it initializes, or restores from a checkpoint.

    Args:
      scaffold: Scaffold; a new one by default.
      master: the session's target.
      config: ConfigProto, or None.
      checkpoint_dir: str, the directory whose latest checkpoint is restored; or None.
      checkpoint_filename_with_path: str, the checkpoint to restore; or None.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     w = tf.compat.v1.get_variable("w", [], initializer=tf.compat.v1.ones_initializer())
      ...     session = tf.compat.v1.train.ChiefSessionCreator().create_session()
      ...     print(session.run(w))
      1.0
    """

    def __init__(
        self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._directory = checkpoint_dir
        self._path = checkpoint_filename_with_path
        self._session_manager: SessionManager | None = None

    def create_session(self):
        """A session that is initialized or restored; the default graph is finalized."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager(self._scaffold)
        return self._session_manager.prepare_session(
            self._master,
            saver=self._scaffold.saver,
            checkpoint_dir=self._directory,
            checkpoint_filename_with_path=self._path,
            config=self._config,
            init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict,
            init_fn=self._scaffold.init_fn,
        )


@export("compat.v1.train.WorkerSessionCreator")
class WorkerSessionCreator(SessionCreator):
    """Makes sessions that a chief initializes: waits until they are ready.

    In one process there is no chief: only a graph without global Variables is ever ready.

    Args:
      scaffold: Scaffold; a new one by default.
      master: the session's target.
      config: ConfigProto, or None.
      max_wait_secs: the most seconds to wait.
    """

    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=30 * 60) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._max_wait_secs = max_wait_secs
        self._session_manager: SessionManager | None = None

    def create_session(self):
        """A session that is ready; the default graph is finalized."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager(self._scaffold)
        return self._session_manager.wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)
