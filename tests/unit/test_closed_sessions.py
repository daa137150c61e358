"""A session that is closed while it runs: what a run finds of a queue then is cancelled, and does not wait for ever."""

import pytest
import tracefn as tf

v1 = tf.compat.v1


@pytest.mark.parametrize("used_before", [False, True])
def test_a_queue_of_a_session_closed_in_a_run(used_before):
    with tf.Graph().as_default():
        queue = v1.FIFOQueue(2, tf.int32, shapes=[])
        size = queue.size()
        session = v1.Session()
        closed = tf.py_function(session.close, [], [])
        with tf.control_dependencies([closed]):
            first = queue.dequeue()
        if used_before:
            assert session.run(size) == 0
        with pytest.raises(tf.errors.CancelledError):
            session.run(first, options=v1.RunOptions(timeout_in_ms=5000))
