"""`tf.compat.v1.train.QueueRunner`: threads of a session that fill a queue."""

from __future__ import annotations

import atexit
import threading
import time
import weakref

from tracefn._export import export
from tracefn._logging import get_logger
from tracefn._proto import message_class
from tracefn._queues.states import end_waiting
from tracefn.compat.v1.error_codes import error_code_from_exception_type, exception_type_from_error_code
from tracefn.errors import OutOfRangeError
from tracefn.framework import default_graph, executing_eagerly

_threads: weakref.WeakSet = weakref.WeakSet()


@atexit.register
def _join() -> None:
    """Ends the threads with Python: see `end_waiting`."""
    end_waiting()
    end = time.monotonic() + 5.0
    for thread in list(_threads):
        if thread.is_alive():
            thread.join(max(end - time.monotonic(), 0.0))


@export("compat.v1.train.QueueRunner", "compat.v1.train.queue_runner.QueueRunner")
class QueueRunner:
    """Runs the operations that fill a queue, each in a thread of its own, until the input ends.

    Args:
      queue: the queue.
      enqueue_ops: list of Operations; one that stands in it twice runs in two threads.
      close_op: Operation that runs once all threads have ended; by default it closes the queue.
      cancel_op: Operation that runs when a stop is asked for; by default it closes the queue, and cancels what waits for room.
      queue_closed_exception_types: tuple of the exceptions that mean the end of the input; OutOfRangeError by default.
      queue_runner_def: QueueRunnerDef with the names of these in the default graph, instead of all of the above; or None.
      import_scope: str, the name scope that they are in now, or None.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: the queue or the operations are missing, or given besides `queue_runner_def`.
      TypeError: `queue_closed_exception_types` is no tuple of exceptions.
      KeyError: the graph lacks a name of `queue_runner_def`.

    Example:
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default():
      ...     queue = v1.FIFOQueue(10, tf.int32, shapes=[])
      ...     runner = v1.train.QueueRunner(queue, [queue.enqueue(7)])
      ...     first = queue.dequeue()
      ...     with v1.Session() as session:
      ...         coordinator = v1.train.Coordinator()
      ...         threads = runner.create_threads(session, coord=coordinator, start=True)
      ...         print(session.run(first))
      ...         coordinator.request_stop()
      ...         coordinator.join(threads)
      7
    """

    def __init__(
        self,
        queue=None,
        enqueue_ops=None,
        close_op=None,
        cancel_op=None,
        queue_closed_exception_types=None,
        queue_runner_def=None,
        import_scope=None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled. Instead, please use tf.data to get data into "
                "your model."
            )
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._find(queue_runner_def, import_scope)
        else:
            self._take(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types)
        self._lock = threading.Lock()
        self._running: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self._exceptions: list[Exception] = []

    def _take(self, queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types) -> None:
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        ends = (OutOfRangeError,) if queue_closed_exception_types is None else queue_closed_exception_types
        if not isinstance(ends, tuple) or not ends or not all(isinstance(t, type) and issubclass(t, Exception) for t in ends):
            raise TypeError("queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: "
                            f"{queue_closed_exception_types}")  # fmt: skip
        self._queue = queue
        self._enqueue_ops = enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._ends = ends

    def _find(self, record, import_scope: str | None) -> None:
        assert isinstance(record, message_class("QueueRunnerDef"))
        graph = default_graph()
        prefix = f"{import_scope}/" if import_scope else ""
        self._queue = graph.as_graph_element(prefix + record.queue_name)
        self._enqueue_ops = [graph.as_graph_element(prefix + name) for name in record.enqueue_op_name]
        self._close_op = graph.as_graph_element(prefix + record.close_op_name)
        self._cancel_op = graph.as_graph_element(prefix + record.cancel_op_name)
        codes = record.queue_closed_exception_types
        self._ends = tuple(map(exception_type_from_error_code, codes)) or (OutOfRangeError,)

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None):
        """The QueueRunner whose queue and operations the default graph has.

        Args:
          queue_runner_def: QueueRunnerDef.
          import_scope: str, the name scope that they are in now, or None.

        Raises:
          RuntimeError: ops run eagerly.
          KeyError: the graph lacks a name.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)

    @property
    def queue(self):
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self):
        """The Operations that fill it."""
        return self._enqueue_ops

    @property
    def close_op(self):
        """The Operation that runs at the end of the input."""
        return self._close_op

    @property
    def cancel_op(self):
        """The Operation that runs when a stop is asked for."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple:
        """The exceptions that mean the end of the input."""
        return self._ends

    @property
    def exceptions_raised(self) -> list[Exception]:
        """The exceptions in threads without a Coordinator."""
        return self._exceptions

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    def create_threads(self, sess, coord=None, daemon=False, start=False) -> list[threading.Thread]:
        """Makes the threads that fill the queue in a session.

        Args:
          sess: the session.
          coord: `tf.train.Coordinator`, which gets their exceptions and stops them; or None.
          daemon: whether Python may exit while they run.
          start: whether to start them.

        Returns:
          List of the threads; empty if there are some for this session.
        """
        with self._lock:
            if self._running.get(sess, 0) > 0:
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._exceptions = []
        threads = [
            threading.Thread(
                target=self._fill, args=(sess, op, coord), name=f"QueueRunnerThread-{self.name}-{getattr(op, 'name', op)}"
            )
            for op in self._enqueue_ops
        ]
        if coord is not None:
            threads.append(
                threading.Thread(
                    target=self._cancel_on_stop, args=(sess, coord), name=f"QueueRunnerThread-{self.name}-close_on_stop"
                )
            )
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            _threads.add(thread)
            if start:
                thread.start()
        return threads

    def _fill(self, session, operation, coord) -> None:
        """Runs an operation until the input ends, or a stop is asked for."""
        closes = False
        try:
            while coord is None or not coord.should_stop():
                session.run(operation)
        except self._ends:
            closes = True
        except Exception as error:
            if coord is not None:
                coord.request_stop(error)
                return
            get_logger().error("Exception in QueueRunner: %s", error)
            with self._lock:
                self._exceptions.append(error)
            raise
        finally:
            with self._lock:
                self._running[session] -= 1
                is_last = self._running[session] == 0
            if closes and is_last:
                self._try(session, self._close_op)

    def _cancel_on_stop(self, session, coord) -> None:
        coord.wait_for_stop()
        self._try(session, self._cancel_op)

    def _try(self, session, operation) -> None:
        """Runs an operation at the end, when the session or the queue may be closed already."""
        try:
            session.run(operation)
        except Exception as error:
            get_logger().debug("Ignored exception: %s", error)

    def to_proto(self, export_scope=None):
        """The QueueRunnerDef: the names in the graph.

        Args:
          export_scope: str, a name scope that names are given from; None for all names.

        Returns:
          A message QueueRunnerDef; None if the queue is not in that scope.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        prefix = f"{export_scope.removesuffix('/')}/" if export_scope else ""
        return message_class("QueueRunnerDef")(
            queue_name=self.name.removeprefix(prefix),
            enqueue_op_name=[operation.name.removeprefix(prefix) for operation in self.enqueue_ops],
            close_op_name=self.close_op.name.removeprefix(prefix),
            cancel_op_name=self.cancel_op.name.removeprefix(prefix),
            queue_closed_exception_types=list(map(error_code_from_exception_type, self._ends)),
        )
