"""`tf.compat.v1.train`: threads that work until they are stopped, among them those that fill queues."""

from tracefn._default_session import entered
from tracefn._export import export
from tracefn._logging import get_logger
from tracefn._training import coordinator  # noqa: F401 - it registers its names
from tracefn.compat.v1.session import BaseSession
from tracefn.framework import default_graph, executing_eagerly

_COLLECTION = "queue_runners"


@export("compat.v1.train.add_queue_runner")
def add_queue_runner(qr, collection=_COLLECTION) -> None:
    """Adds an object that fills a queue to a collection of the default graph.

    Args:
      qr: object with a method `create_threads(session, coord=, daemon=, start=)` that returns a list of threads.
      collection: name of the collection.
    """
    default_graph().add_to_collection(collection, qr)


@export("compat.v1.train.start_queue_runners")
def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=_COLLECTION) -> list:
    """Starts the threads that fill the queues of a session's graph.

    Programs that call it without queues run unchanged.

    Args:
      sess: `tf.compat.v1.Session`; the default one if None.
      coord: `tf.train.Coordinator` of the threads, or None.
      daemon: whether Python may exit while the threads run.
      start: whether to start the threads.
      collection: name of the collection of the graph.

    Returns:
      List of the threads.

    Raises:
      RuntimeError: ops run eagerly.
      ValueError: there is no session.
      TypeError: `sess` is no session.

    Example:
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tf.Graph().as_default(), v1.Session() as session:
      ...     coordinator = v1.train.Coordinator()
      ...     threads = v1.train.start_queue_runners(session, coordinator)
      ...     coordinator.join(threads)
      >>> threads
      []
    """
    if executing_eagerly():
        raise RuntimeError("Queues are not compatible with eager execution.")
    if sess is None:
        if not entered():
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                "explicit session to tf.start_queue_runners(sess=sess)"
            )
        sess = entered()[-1]
    if not isinstance(sess, BaseSession):
        if type(sess).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            return []  # it has started them itself
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {sess.__class__}")
    runners = sess.graph.get_collection(collection)
    if not runners:
        get_logger().warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were defined. You can safely remove the call "
            "to this deprecated function."
        )
    with sess.graph.as_default():
        return [thread for runner in runners for thread in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)]
