"""Arguments that queues refuse, in graphs and eagerly, and runs that wait for too long."""

import re

import pytest

pytestmark = pytest.mark.rule(27)


def fails(call, error, text):
    with pytest.raises(error, match="^" + re.escape(text)):
        call()


@pytest.fixture(params=["FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue"])
def make(tf, request):
    def make():
        least = [0] if request.param == "RandomShuffleQueue" else []
        return getattr(tf.queue, request.param)(9, *least, [tf.int32], [[]], name="q")

    return make


@pytest.mark.parametrize("nothing", [[], ()])
def test_elements_of_no_components(tf, make, nothing):
    text = "Attr 'Tcomponents' of 'QueueEnqueueV2' Op passed list of length 0 less than minimum 1."
    with tf.Graph().as_default():
        queue = make()
        fails(lambda: queue.enqueue(nothing), ValueError, text)
        fails(lambda: queue.enqueue_many(nothing), IndexError, "list index out of range")
    queue = make()
    text = "Length for attr 'Tcomponents' of 0 must be at least minimum 1\n\t; NodeDef: {{node QueueEnqueueV2}}; "
    fails(lambda: queue.enqueue(nothing), tf.errors.InvalidArgumentError, text)
    fails(lambda: queue.enqueue_many(nothing), IndexError, "list index out of range")


def test_components_of_another_dtype(tf, make):
    text = "component_0: Tensor conversion requested dtype int32 for Tensor with dtype float32: <tf.Tensor"
    with tf.Graph().as_default():
        queue = make()
        for add in (queue.enqueue, queue.enqueue_many):
            fails(lambda add=add: add(tf.constant([1.5])), ValueError, text)
    fails(lambda: make().enqueue(tf.constant(1.5)), ValueError, text)


def test_numbers_of_elements_in_a_graph(tf, make):
    with tf.Graph().as_default():
        queue = make()
        for what in ("Many", "UpTo"):
            take, op = getattr(queue, "dequeue_many" if what == "Many" else "dequeue_up_to"), f"QueueDequeue{what}V2"
            for wrong, kind in (("a", "str"), (1.5, "float")):
                text = (
                    f"Expected int32 passed to parameter 'n' of op '{op}', got {wrong!r} of type '{kind}' instead. "
                    f"Error: Expected int32, but got {wrong} of type '{kind}'."
                )
                fails(lambda take=take, wrong=wrong: take(wrong), TypeError, text)
            text = "Tried to convert 'n' to a tensor and failed. Error: None values not supported."
            fails(lambda take=take: take(None), ValueError, text)
            text = f"Input 'n' of '{op}' Op has type int64 that does not match expected type of int32."
            fails(lambda take=take: take(tf.constant(1, tf.int64)), TypeError, text)
        text = (
            "Input 'n' must be >= 0, but is -1 for '{{node d}} = QueueDequeueManyV2[component_types=[DT_INT32], timeout_ms=-1]"
            "(q, d/n)' with input shapes: [], [] and with computed input tensors: input[1] = <-1>."
        )
        fails(lambda: queue.dequeue_many(-1, name="d"), ValueError, text)


def test_numbers_of_elements_eagerly(tf, make):
    queue = make()
    queue.enqueue_many([[1, 1, 1]])
    assert queue.dequeue_many([1]).numpy().tolist() == queue.dequeue_up_to(tf.constant([1])).numpy().tolist() == [1]
    for what, take in (("Many", queue.dequeue_many), ("UpTo", queue.dequeue_up_to)):
        text = f"cannot compute QueueDequeue{what}V2 as input #1(zero-based) was expected to be a int32 tensor but is a int64 tensor"
        fails(lambda take=take: take(tf.constant(1, tf.int64)), tf.errors.InvalidArgumentError, text)
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"Dequeue{what}Op requested -1 < 0 elements"):
            take(-1)


def test_a_run_that_waits_for_too_long(tf, v1, make):
    with tf.Graph().as_default():
        element = make().dequeue()
        for limit, options in ((100, None), (10**6, v1.RunOptions(timeout_in_ms=100))):
            session = v1.Session(config=v1.ConfigProto(operation_timeout_in_ms=limit))
            with session, pytest.raises(tf.errors.DeadlineExceededError, match="Timed out waiting for notification"):
                session.run(element, options=options)
