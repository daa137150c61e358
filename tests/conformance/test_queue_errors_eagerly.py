"""Errors of queues' operations that run eagerly."""

import re

import pytest

pytestmark = pytest.mark.rule("surface")


def eagerly(op, attribute, text, name=""):
    place = f"__wrapped__{op}{attribute}_device_/job:localhost/replica:0/task:0/device:CPU:0"
    return re.escape(f"{{{{function_node {place}}}}} ") + text + re.escape(f" [Op:{op}] name: {name}") + "$"


ENDED = r"FIFOQueue '\d+' is closed and has insufficient elements \(requested {}, current size 0\)"


def test_errors_of_eager_operations(tf):
    queue = tf.queue.FIFOQueue(2, [tf.float32, tf.int32], shapes=[[], []], name="q")
    queue.close()
    errors = tf.errors
    for call, error, text in (
        (queue.dequeue, errors.OutOfRangeError, eagerly("QueueDequeueV2", "_component_types_2", ENDED.format(1), "Empty_Dequeue")),
        (
            lambda: queue.dequeue_many(2, name="d"),
            errors.OutOfRangeError,
            eagerly("QueueDequeueManyV2", "_component_types_2", ENDED.format(2), "d"),
        ),
        (
            lambda: queue.dequeue_up_to(2),
            errors.OutOfRangeError,
            eagerly("QueueDequeueUpToV2", "_component_types_2", ENDED.format(2), "Empty_DequeueUpTo"),
        ),
        (
            lambda: queue.enqueue((1.0, 2), name="e"),
            errors.CancelledError,
            eagerly("QueueEnqueueV2", "_Tcomponents_2", r"FIFOQueue '\d+' is closed\."),
        ),
        (
            lambda: queue.enqueue_many(([1.0], [2])),
            errors.CancelledError,
            eagerly("QueueEnqueueManyV2", "_Tcomponents_2", r"FIFOQueue '\d+' is closed\."),
        ),
        (queue.close, errors.CancelledError, eagerly("QueueCloseV2", "", r"Queue '\d+' is already closed\.", "Empty_Close")),
    ):
        with pytest.raises(error, match="^" + text):
            call()


def test_names_of_eager_queues(tf):
    assert tf.queue.FIFOQueue(2, [tf.int32], name="q").name == "Empty"
    with tf.name_scope("s"):
        queue = tf.queue.FIFOQueue(2, [tf.int32])
    queue.close()
    text = eagerly("QueueDequeueV2", "_component_types_1", ENDED.format(1), "s/_Dequeue")
    with pytest.raises(tf.errors.OutOfRangeError, match="^" + text):
        queue.dequeue()


def test_a_negative_number_of_elements(tf):
    queue = tf.queue.FIFOQueue(2, [tf.float32])
    text = eagerly("QueueDequeueManyV2", "_component_types_1", "DequeueManyOp requested -1 < 0 elements", "Empty_DequeueMany")
    with pytest.raises(tf.errors.InvalidArgumentError, match="^" + text):
        queue.dequeue_many(-1)


def test_too_few_components(tf):
    queue = tf.queue.FIFOQueue(2, [tf.int32, tf.float32])
    text = "Signature mismatch, have: resource, int32-> expected: resource, int32, float->"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        queue.enqueue([1])
