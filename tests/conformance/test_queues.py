"""Queues: in sessions, where threads wait for them, and eagerly."""

import threading
import time

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def session(tf, graph):
    with tf.compat.v1.Session(graph=graph) as session:
        yield session


def in_thread(function):
    """Starts a thread; the function returned waits for its result or exception."""
    found = []

    def work():
        try:
            found.append(function())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def result():
        thread.join(20)
        assert found, "the thread still waits"
        return found[0]

    return result


def test_names_and_shapes(tf, graph):
    q = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[2], []], name="fq")
    enqueue, several = q.enqueue([[1.0, 2.0], 3]), q.enqueue_many([[[1.0, 2.0]], [5]])
    assert (q.name, q.dtypes, q.names) == ("fq", [tf.float32, tf.int32], None)
    assert q.shapes == [tf.TensorShape([2]), tf.TensorShape([])]
    assert (enqueue.name, several.name) == ("fq_enqueue", "fq_EnqueueMany")
    a, b = q.dequeue()
    assert (a.name, a.shape, b.dtype) == ("fq_Dequeue:0", [2], tf.int32)
    assert [t.shape.as_list() for t in q.dequeue_many(4)] == [[4, 2], [4]]
    assert [t.shape.as_list() for t in q.dequeue_up_to(4)] == [[None, 2], [None]]
    assert q.size().dtype == tf.int32 and q.is_closed().dtype == tf.bool and q.close().name == "fq_Close"
    names = [op.name for op in graph.get_operations()]
    assert names[1:4] == ["fq_enqueue/component_0", "fq_enqueue/component_1", "fq_enqueue"]
    assert {"fq_DequeueMany/n", "fq_Size", "fq_Is_Closed"} < set(names)


def test_elements_in_order(tf, session):
    q = tf.queue.FIFOQueue(10, [tf.float32, tf.string], shapes=[[], []])
    one, several = q.enqueue([1.0, "a"]), q.enqueue_many([[2.0, 3.0, 4.0], ["b", "c", "d"]])
    assert session.run(one) is None and session.run(several) is None and session.run(q.size()) == 4
    assert session.run(q.dequeue()) == [1.0, b"a"]
    numbers, texts = session.run(q.dequeue_many(2))
    assert numbers.tolist() == [2.0, 3.0] and texts.tolist() == [b"b", b"c"]


def test_each_session_has_its_own_elements(tf, v1, graph):
    q = tf.queue.FIFOQueue(2, tf.int32, shapes=[])
    put, size = q.enqueue(7), q.size()
    one, other = v1.Session(), v1.Session()
    one.run(put)
    assert (one.run(size), other.run(size)) == (1, 0)


def test_shared_names(tf, v1, session):
    one, other = (tf.queue.FIFOQueue(2, tf.int32, shapes=[], shared_name="shared") for _ in range(2))
    session.run(one.enqueue(9))
    assert session.run(other.dequeue()) == 9
    wrong = tf.queue.FIFOQueue(3, tf.int32, shapes=[], shared_name="shared")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shared queue 'shared' has capacity 2 but requested capacity was 3"):
        session.run(wrong.size())


def test_closed_queues(tf, session):
    q = tf.queue.FIFOQueue(10, tf.int32, shapes=[], name="q")
    put, take, up_to, close = q.enqueue(1), q.dequeue(), q.dequeue_up_to(5), q.close()
    session.run(q.enqueue_many([[1, 2, 3]]))
    assert not session.run(q.is_closed())
    session.run(close)
    assert session.run(q.is_closed()) and session.run(take) == 1
    with pytest.raises(tf.errors.CancelledError, match="is closed"):
        session.run(put)
    with pytest.raises(tf.errors.CancelledError, match="is already closed"):
        session.run(close)
    with pytest.raises(tf.errors.OutOfRangeError, match=r"insufficient elements \(requested 5, current size 2\)"):
        session.run(q.dequeue_many(5))
    assert session.run(up_to).tolist() == [2, 3]  # what it lacked went back
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements") as error:
        session.run(take)
    assert error.value.op.name == "q_Dequeue" and "node q_Dequeue" in str(error.value)


def test_threads_wait_for_elements(tf, session):
    q = tf.queue.FIFOQueue(10, tf.int32, shapes=[])
    put, take = q.enqueue_many([[4, 5]]), q.dequeue_many(4)
    waiting = in_thread(lambda: session.run(take).tolist())
    session.run(put)
    time.sleep(0.05)
    session.run(put)
    assert waiting() == [4, 5, 4, 5]


def test_threads_wait_for_room(tf, session):
    q = tf.queue.FIFOQueue(2, tf.int32, shapes=[])
    put, take = q.enqueue_many([list(range(5))]), q.dequeue()
    waiting = in_thread(lambda: session.run(put))
    assert [session.run(take) for _ in range(5)] == [0, 1, 2, 3, 4]
    assert waiting() is None


def test_more_elements_at_once_than_there_is_room_for(tf, session):
    q = tf.queue.FIFOQueue(2, tf.int32, shapes=[])
    put, take = q.enqueue_many([list(range(6))]), q.dequeue_many(6)
    waiting = in_thread(lambda: session.run(take).tolist())
    session.run(put)
    assert waiting() == [0, 1, 2, 3, 4, 5]


def test_what_waits_is_cancelled(tf, v1, graph):
    q = tf.queue.FIFOQueue(1, tf.int32, shapes=[])
    put, take = q.enqueue(7), q.dequeue()
    cancel = q.close(cancel_pending_enqueues=True)
    first = v1.Session()
    first.run(put)
    waiting = in_thread(lambda: first.run(put))
    time.sleep(0.1)
    first.run(cancel)
    assert isinstance(waiting(), tf.errors.CancelledError) and "Enqueue operation was cancelled" in str(waiting())
    second = v1.Session()
    waiting = in_thread(lambda: second.run(take))
    time.sleep(0.1)
    second.close()
    assert isinstance(waiting(), tf.errors.CancelledError) and "Dequeue operation was cancelled" in str(waiting())


def test_runs_with_a_time_limit(tf, v1, session):
    take = tf.queue.FIFOQueue(1, tf.int32, shapes=[]).dequeue()
    with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out"):
        session.run(take, options=v1.RunOptions(timeout_in_ms=50))


def test_names_of_components(tf, session):
    q = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[], []], names=["a", "b"])
    session.run(q.enqueue({"b": 2, "a": 1.0}))
    session.run(q.enqueue_many({"a": [3.0], "b": [4]}))
    assert session.run(q.dequeue()) == {"a": 1.0, "b": 2} and session.run(q.dequeue_many(1))["b"].tolist() == [4]
    for values, text in (
        ([1.0, 2], "You must enqueue a dictionary in a Queue with names"),
        ({"a": 1.0}, "Keys in dictionary to enqueue do not match names of Queue."),
    ):
        with pytest.raises(ValueError, match=text):
            q.enqueue(values)
    with pytest.raises(ValueError, match="Queue must have names to enqueue a dictionary"):
        tf.queue.FIFOQueue(3, tf.float32).enqueue({"a": 1.0})


def test_padding(tf, session):
    q = tf.queue.PaddingFIFOQueue(9, [tf.int32, tf.string], [[None], [None, 1]])
    for count in (2, 1, 3):
        session.run(q.enqueue([list(range(count)), [["x"]] * count]))
    numbers, texts = q.dequeue_many(2)
    assert numbers.shape.as_list() == [2, None] and texts.shape.as_list() == [2, None, 1]
    numbers, texts = session.run([numbers, texts])
    assert numbers.tolist() == [[0, 1], [0, 0]] and texts.tolist() == [[[b"x"], [b"x"]], [[b"x"], [b""]]]
    assert session.run(q.dequeue())[0].tolist() == [0, 1, 2]


def test_priorities(tf, session):
    q = tf.queue.PriorityQueue(10, [tf.string], [[]])
    session.run(q.enqueue_many([[3, 1, 2], ["c", "a", "b"]]))
    assert q.dtypes == [tf.int64, tf.string]
    assert session.run(q.dequeue()) == [1, b"a"]
    priorities, texts = session.run(q.dequeue_many(2))
    assert priorities.tolist() == [2, 3] and texts.tolist() == [b"b", b"c"]


def test_fewer_priorities_of_a_closed_queue(tf, session):
    q = tf.queue.PriorityQueue(10, [tf.string], [[]])
    session.run(q.enqueue_many([[3, 1, 2], ["c", "a", "b"]]))
    session.run(q.close())
    take, size = q.dequeue_up_to(2), q.size()
    assert session.run(take)[0].tolist() == [1, 2]
    for left in (1, 2):
        with pytest.raises(tf.errors.OutOfRangeError, match=rf"insufficient elements \(requested {left}, current size 0\)"):
            session.run(take)
        assert session.run(size) == 0


def test_shuffled_elements(tf, session):
    q = tf.queue.RandomShuffleQueue(10, 2, tf.int32, [], seed=3)
    session.run(q.enqueue_many([list(range(6))]))
    take = q.dequeue()
    assert [int(session.run(take)) for _ in range(4)] == [5, 3, 0, 2]
    waiting = in_thread(lambda: int(session.run(take)))
    time.sleep(0.05)
    session.run(q.close())
    assert sorted([waiting(), int(session.run(take))]) == [1, 4]
    with pytest.raises(tf.errors.OutOfRangeError, match="RandomShuffleQueue .* is closed"):
        session.run(take)


def test_shapes_that_do_not_fit(tf, v1, session):
    q = tf.queue.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[2], []])
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
        q.enqueue([[1.0, 2.0, 3.0], 3])
    with pytest.raises(ValueError, match="Dimensions 1 and 2 are not compatible"):
        q.enqueue_many([[[1.0, 2.0]], [5, 6]])
    with pytest.raises(TypeError):
        q.enqueue([["a", "b"], 3])
    x = v1.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape mismatch in tuple component 0. Expected \[2\], got \[1\]"):
        session.run(q.enqueue([x, 1]), {x: [1.0]})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"component 1. Expected \[1\], got \[2\]"):
        session.run(q.enqueue_many([x, [1, 2]]), {x: [[1.0, 1.0]]})
    assert session.run(q.size()) == 0


def test_what_constructors_refuse(tf, graph):
    queue = tf.queue
    for make, text in (
        (lambda: queue.FIFOQueue(3, [tf.float32], shapes=[[None]]), "All shapes must be fully defined"),
        (lambda: queue.FIFOQueue(3, [tf.float32], shapes=[[], []]), "Queue shapes must have the same length as dtypes"),
        (lambda: queue.FIFOQueue(3, [tf.float32], names=["a", "b"]), "List of names must have the same length"),
        (lambda: queue.PaddingFIFOQueue(3, [tf.float32], None), "a list of shapes must be provided"),
        (lambda: queue.PaddingFIFOQueue(3, [tf.float32], []), "a list of shapes must be provided"),
    ):
        with pytest.raises(ValueError, match=text):
            make()


def test_one_of_several_queues(tf, v1, session):
    queues = [tf.queue.FIFOQueue(3, tf.int32, shapes=[]) for _ in range(2)]
    index = v1.placeholder(tf.int32, [])
    chosen = tf.queue.QueueBase.from_list(index, queues)
    assert chosen.dtypes == [tf.int32] and chosen.shapes == [tf.TensorShape([])]
    put = chosen.enqueue(5)
    session.run(put, {index: 1})
    assert session.run([q.size() for q in queues]) == [0, 1]
    with pytest.raises(TypeError, match="A list of queues expected"):
        tf.queue.QueueBase.from_list(0, [])
    with pytest.raises(TypeError, match="matching component dtypes"):
        tf.queue.QueueBase.from_list(0, [queues[0], tf.queue.FIFOQueue(1, tf.float32)])


def test_eagerly(tf):
    q = tf.queue.FIFOQueue(5, [tf.float32, tf.int32], shapes=[[], []])
    assert q.enqueue([1.0, 2]) is None and q.enqueue_many([[3.0, 4.0], [5, 6]]) is None
    a, b = q.dequeue()
    assert (float(a), int(b), int(q.size()), bool(q.is_closed())) == (1.0, 2, 2, False)
    assert [t.numpy().tolist() for t in q.dequeue_many(2)] == [[3.0, 4.0], [5, 6]]
    assert q.close() is None
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
        q.dequeue()
    with pytest.raises(tf.errors.CancelledError, match="is closed"):
        q.enqueue([1.0, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="require the components to have specified shapes"):
        tf.queue.FIFOQueue(2, tf.float32).dequeue_many(1)


def test_eagerly_between_threads(tf):
    q = tf.queue.FIFOQueue(1, tf.int32, shapes=[])
    waiting = in_thread(lambda: [int(q.dequeue()) for _ in range(4)])
    for number in range(4):
        q.enqueue(number)
    assert waiting() == [0, 1, 2, 3]


def test_in_functions(tf):
    q = tf.queue.FIFOQueue(5, tf.float32, shapes=[])

    @tf.function
    def through(x):
        q.enqueue(x)
        return q.dequeue() * 2.0

    assert float(through(4.0)) == 8.0 and float(through(tf.constant(5.0))) == 10.0 and int(q.size()) == 0

    @tf.function
    def all_of():
        total = 0.0
        for _ in tf.range(3):
            total += q.dequeue()
        return total

    q.enqueue_many([[1.0, 2.0, 3.0]])
    assert float(all_of()) == 6.0
    q.close()
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
        all_of()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "uint64", "bool", "complex64", "string"])
def test_dtypes(tf, dtype):
    q = tf.queue.FIFOQueue(5, dtype, shapes=[[2]])
    value = tf.constant(["a", "b"]) if dtype == "string" else tf.cast([1, 0], dtype)
    q.enqueue(value)
    q.enqueue_many([tf.stack([value])])
    found = q.dequeue_many(2)
    assert found.dtype == dtype and found.shape == [2, 2] and np.array_equal(found[1].numpy(), value.numpy())


@pytest.mark.parametrize("traced", [False, True])
def test_numbers_that_queues_refuse(tf, traced):
    def refused(error, text, make):
        with pytest.raises(error, match=text):
            (tf.function(make) if traced else make)()

    shuffled, invalid = tf.queue.RandomShuffleQueue, tf.errors.InvalidArgumentError
    refused(invalid, "min_after_dequeue 5 must be < capacity 2", lambda: shuffled(2, 5, [tf.int32]).size())
    refused(invalid, "min_after_dequeue 2 must be < capacity 2", lambda: shuffled(2, 2, [tf.int32]).size())
    refused(invalid, "min_after_dequeue -1 must be >= 0", lambda: shuffled(2, -1, [tf.int32]).size())
    refused(TypeError, "Expected int for argument 'min_after_dequeue' not 'a'", lambda: shuffled(2, "a", [tf.int32]).size())
    refused(TypeError, "Expected int for argument 'capacity' not 'a'", lambda: tf.queue.FIFOQueue("a", [tf.int32]).size())


def test_capacities(tf):
    for capacity in (None, -1, 2.0, 3):
        assert int(tf.queue.FIFOQueue(capacity, [tf.int32]).size()) == 0
    assert int(tf.queue.RandomShuffleQueue(-1, 2, [tf.int32]).size()) == 0
