"""Input pipelines of TensorFlow 1: producers, readers and batches, with threads that fill their queues."""

import os

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def run(tf, v1):
    """A function from what builds fetches to the values of their runs until the input ends, at most so many."""

    def run(build, most=20):
        with tf.Graph().as_default():
            v1.set_random_seed(1)
            fetches, found = build(), []
            with v1.Session() as session:
                session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
                coordinator = v1.train.Coordinator()
                threads = v1.train.start_queue_runners(session, coordinator)
                try:
                    while len(found) < most and not coordinator.should_stop():
                        found.append(session.run(fetches))
                except tf.errors.OutOfRangeError:
                    found.append("end")
                finally:
                    coordinator.request_stop()
                coordinator.join(threads, stop_grace_period_secs=20)
        return found

    return run


def numbers(v1, count, **options):
    return v1.train.range_input_producer(count, **{"num_epochs": 1, "shuffle": False, **options}).dequeue()


def test_names_over_and_over(v1, run):
    found = run(lambda: v1.train.string_input_producer(["x", "y"], shuffle=False).dequeue(), most=5)
    assert found == [b"x", b"y", b"x", b"y", b"x"]


def test_epochs(v1, run):
    found = run(lambda: v1.train.string_input_producer(["x", "y"], shuffle=False, num_epochs=2).dequeue())
    assert found == [b"x", b"y", b"x", b"y", "end"]


def test_shuffled_numbers(v1, run):
    found = run(lambda: numbers(v1, 6, shuffle=True, seed=3, num_epochs=2))
    assert sorted(found[:6]) == sorted(found[6:12]) == list(range(6)) and found[12] == "end"


def test_rows(tf, v1, run):
    rows = np.arange(6).reshape(3, 2)
    found = run(lambda: v1.train.input_producer(tf.constant(rows), shuffle=False, num_epochs=1).dequeue())
    assert np.array_equal(found[:3], rows) and found[3] == "end"


def test_slices(tf, v1, run):
    tensors = [np.array([1, 2, 3]), np.array([[1.0], [2.0], [3.0]])]
    found = run(lambda: v1.train.slice_input_producer(tensors, shuffle=False, num_epochs=1))
    assert [(int(a), b.tolist()) for a, b in found[:3]] == [(1, [1.0]), (2, [2.0]), (3, [3.0])] and found[3] == "end"


@pytest.fixture
def tables(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("h1,h2\n" + "".join(f"{i},{i * 0.5}\n" for i in range(3)))
    return [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]


def names_of(v1, files):
    return v1.train.string_input_producer(files, shuffle=False, num_epochs=1)


def test_lines(v1, run, tables):
    found = run(lambda: v1.TextLineReader(skip_header_lines=1).read(names_of(v1, tables)))
    assert found[0].key == f"{tables[0]}:2".encode() and found[0].value == b"0,0.0"
    assert [value for _, value in found[:6]] == [b"0,0.0", b"1,0.5", b"2,1.0"] * 2 and found[6] == "end"
    assert found[5].key == f"{tables[1]}:4".encode()


def test_several_lines_at_once(v1, run, tables):
    found = run(lambda: v1.TextLineReader().read_up_to(names_of(v1, tables), 3))
    assert [len(values) for _, values in found[:4]] == [3, 1, 3, 1] and found[4] == "end"
    assert found[0].values.tolist() == [b"h1,h2", b"0,0.0", b"1,0.5"] and found[0].keys[1].endswith(b"a.csv:2")


def test_records(tf, v1, run, tmp_path):
    path = str(tmp_path / "r.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(3):
            writer.write(b"rec%d" % i)
    found = run(lambda: v1.TFRecordReader().read(names_of(v1, [path])))
    assert [tuple(pair) for pair in found[:3]] == [(f"{path}:{20 * i}".encode(), b"rec%d" % i) for i in range(3)]
    assert found[3] == "end"


@pytest.mark.parametrize(
    ("options", "records"),
    [
        ({"record_bytes": 3, "header_bytes": 1}, [b"\1\2\3", b"\4\5\6", b"\7\x08\x09"]),
        ({"record_bytes": 4, "header_bytes": 1, "footer_bytes": 1, "hop_bytes": 2}, [b"\1\2\3\4", b"\3\4\5\6", b"\5\6\7\x08"]),
        ({"record_bytes": 5}, [b"\0\1\2\3\4", b"\5\6\7\x08\x09"]),
    ],
)
def test_records_of_fixed_length(v1, run, tmp_path, options, records):
    path = tmp_path / "f.bin"
    path.write_bytes(bytes(range(10)))
    found = run(lambda: v1.FixedLengthRecordReader(**options).read(names_of(v1, [str(path)])))
    assert [value for _, value in found[:-1]] == records and found[-1] == "end"
    assert [key for key, _ in found[:-1]] == [f"{path}:{i}".encode() for i in range(len(records))]


def test_whole_files_and_names(v1, run, tables):
    found = run(lambda: v1.WholeFileReader().read(names_of(v1, tables)))
    assert [key.decode() for key, _ in found[:2]] == tables and found[0].value.startswith(b"h1,h2\n0,0.0\n")
    assert run(lambda: v1.IdentityReader().read(names_of(v1, ["q"]))) == [(b"q", b"q"), "end"]


def test_counts_of_readers(v1, tf, tables):
    with tf.Graph().as_default():
        reader = v1.TextLineReader()
        value = reader.read(names_of(v1, tables)).value
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        reset = reader.reset()
        with v1.train.MonitoredSession() as session:
            session.run_step_fn(lambda step_context: [step_context.session.run(value) for _ in range(6)])
            assert session.run(counts) == [6, 1]
            session.run(reset)
            assert session.run(counts) == [0, 0]


def test_files_that_are_not_there(tf, v1, tables):
    with tf.Graph().as_default():
        names = v1.FIFOQueue(5, tf.string, shapes=[[]])
        put = names.enqueue_many([[f"{tables[0]}.none", tables[0]]])
        reader = v1.TextLineReader()
        read, units = reader.read(names), reader.num_work_units_completed()
        with v1.Session() as session:
            session.run(put)
            with pytest.raises(tf.errors.NotFoundError):
                session.run(read)
            assert os.fsencode(tables[0]) in session.run(read).key and session.run(units) == 0


def test_batches_of_decoded_lines(tf, v1, run, tables):
    def build():
        line = v1.TextLineReader(skip_header_lines=1).read(names_of(v1, tables)).value
        number, half = tf.io.decode_csv(line, [[0], [0.0]])
        return v1.train.batch({"number": number, "half": half}, 4, allow_smaller_final_batch=True)

    found = run(build)
    assert [batch["number"].tolist() for batch in found[:2]] == [[0, 1, 2, 0], [1, 2]] and found[2] == "end"
    assert found[1]["half"].tolist() == [0.5, 1.0]


def test_batches_drop_the_rest(v1, run):
    found = run(lambda: v1.train.batch([numbers(v1, 5)], 2))
    assert [batch.tolist() for batch in found[:2]] == [[0, 1], [2, 3]] and found[2] == "end"


def test_batches_of_many_elements(tf, v1, run):
    found = run(lambda: v1.train.batch([[1, 2, 3], [4.0, 5.0, 6.0]], 2, enqueue_many=True), most=2)
    assert [[part.tolist() for part in batch] for batch in found] == [[[1, 2], [4.0, 5.0]], [[3, 1], [6.0, 4.0]]]


def test_padded_batches(tf, v1, run):
    def build():
        n = numbers(v1, 4)
        return v1.train.batch([n, tf.ones([n])], 3, dynamic_pad=True, allow_smaller_final_batch=True)

    found = run(build)
    assert found[0][1].tolist() == [[0, 0], [1, 0], [1, 1]] and found[1][1].tolist() == [[1, 1, 1]]


def test_shuffled_batches(v1, run):
    found = run(lambda: v1.train.shuffle_batch([numbers(v1, 8)], 3, 20, 8, seed=4))
    assert [batch.tolist() for batch in found[:2]] == [[0, 3, 1], [7, 6, 2]] and found[2] == "end"


def test_some_elements_are_left_out(v1, run):
    def build():
        n = numbers(v1, 6)
        return v1.train.maybe_batch([n], n % 2 > 0, 2)

    assert run(build)[0].tolist() == [1, 3]

    def build_many():
        n = v1.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue_many(3)
        return v1.train.maybe_batch([n], n % 2 > 0, 2, enqueue_many=True, allow_smaller_final_batch=True)

    found = run(build_many)
    assert [batch.tolist() for batch in found[:2]] == [[1, 3], [5]] and found[2] == "end"


def test_batches_of_several_inputs(v1, run):
    def build():
        return v1.train.batch_join([[numbers(v1, 4)], [numbers(v1, 4) + 10]], 4)

    found = np.concatenate(run(build)[:2])
    assert sorted(found.tolist()) == [0, 1, 2, 3, 10, 11, 12, 13]


def test_batches_of_sparse_tensors(tf, v1, run):
    def row():
        n = numbers(v1, 3)
        return tf.SparseTensor([[tf.cast(n, tf.int64)]], tf.reshape(n + 5, [1]), [4])

    def build():
        found = v1.train.batch({"n": row(), "c": tf.constant(1)}, 2, allow_smaller_final_batch=True)
        assert found["n"].shape.as_list() == [None, None] and found["n"].dtype == tf.int32
        return found

    two, one, _ = run(build)
    assert [part.tolist() for part in two["n"]] == [[[0, 0], [1, 1]], [5, 6], [2, 4]] and two["c"].tolist() == [1, 1]
    assert [part.tolist() for part in one["n"]] == [[[0, 2]], [7], [1, 4]]

    def build_many():
        rows = tf.sparse.from_dense([[1, 0], [0, 2], [3, 0]])
        return v1.train.maybe_batch([rows, [5, 6, 7]], [True, False, True], 2, enqueue_many=True)

    (sparse, dense), *_ = run(build_many, most=1)
    assert [part.tolist() for part in sparse] == [[[0, 0], [1, 0]], [1, 3], [2, 2]] and dense.tolist() == [5, 7]
    joined = run(lambda: v1.train.batch_join([[row()], [row()]], 6), most=1)[0]
    assert sorted(joined.values.tolist()) == [5, 5, 6, 6, 7, 7]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Inconsistent SparseTensors list"):
        v1.train.batch_join([[row(), tf.constant(1)], [tf.constant(1), row()]], 2)


def test_several_threads(v1, run):
    found = run(lambda: v1.train.batch([numbers(v1, 40)], 10, num_threads=4, capacity=8))
    assert sorted(np.concatenate(found[:4]).tolist()) == list(range(40)) and found[4] == "end"


def test_in_a_monitored_session(tf, v1):
    with tf.Graph().as_default():
        batch = v1.train.batch([numbers(v1, 6)], 2)
        found = []
        v1.add_to_collection(v1.GraphKeys.LOCAL_INIT_OP, v1.local_variables_initializer())
        with v1.train.MonitoredSession() as session:
            while not session.should_stop():
                found.append(session.run(batch).tolist())
    assert found == [[0, 1], [2, 3], [4, 5]]


def test_exceptions_in_threads(tf, v1):
    with tf.Graph().as_default():
        queue = v1.FIFOQueue(3, tf.float32, shapes=[])
        checked = v1.check_numerics(tf.math.log(tf.constant(-1.0)), "no log")
        runner = v1.train.QueueRunner(queue, [queue.enqueue(checked)])
        assert runner.name == queue.name and runner.queue is queue and len(runner.enqueue_ops) == 1
        assert runner.queue_closed_exception_types == (tf.errors.OutOfRangeError,)
        with v1.Session() as session:
            coordinator = v1.train.Coordinator()
            threads = runner.create_threads(session, coord=coordinator, start=True)
            assert len(threads) == 2 and threads[0].name.startswith("QueueRunnerThread-")
            with pytest.raises(tf.errors.InvalidArgumentError, match="no log"):
                coordinator.join(threads, stop_grace_period_secs=20)


def test_threads_without_a_coordinator(tf, v1):
    with tf.Graph().as_default():
        queue = v1.FIFOQueue(30, tf.int32, shapes=[])
        runner = v1.train.QueueRunner(queue, [queue.enqueue(numbers(v1, 4))])
        v1.train.add_queue_runner(runner)
        last = queue.dequeue_up_to(9)
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            threads = v1.train.start_queue_runners(session, daemon=True)
            assert session.run(last).tolist() == [0, 1, 2, 3] and runner.exceptions_raised == []
            for thread in threads:
                thread.join(20)


def test_runners_as_messages(tf, v1):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        with tf.name_scope("in"):
            queue = v1.FIFOQueue(3, tf.int32, shapes=[], name="q")
            put, first = queue.enqueue(7, name="put"), queue.dequeue()
        ends = tf.errors.OutOfRangeError, tf.errors.CancelledError
        record = v1.train.QueueRunner(queue, [put, put], queue_closed_exception_types=ends).to_proto()
        assert str(record) == (
            'queue_name: "in/q"\nenqueue_op_name: "in/put"\nenqueue_op_name: "in/put"\nclose_op_name: "q_Close"\n'
            'cancel_op_name: "q_Close_1"\nqueue_closed_exception_types: OUT_OF_RANGE\nqueue_closed_exception_types: CANCELLED\n'
        )
        assert record.SerializeToString().endswith(b"*\x02\x0b\x01")
        runner = v1.train.QueueRunner.from_proto(record)
        assert (runner.name, runner.queue_closed_exception_types) == ("in/q", ends)
        assert runner.enqueue_ops == [put, put] and runner.close_op is graph.get_operation_by_name("q_Close")
        coordinator = v1.train.Coordinator()
        threads = runner.create_threads(session, coordinator, start=True)
        assert session.run(first) == 7
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=20)


def test_runners_as_messages_in_name_scopes(tf, v1):
    with tf.Graph().as_default():
        with tf.name_scope("in"):
            queue = v1.FIFOQueue(3, tf.int32, shapes=[], name="q")
            runner = v1.train.QueueRunner(queue, [queue.enqueue(7, name="put")], queue.close(), queue.close())
        assert runner.to_proto("other") is None and runner.to_proto("i").queue_name == "in/q"
        record = runner.to_proto("in")
        assert record == runner.to_proto("in/") and (record.queue_name, record.close_op_name) == ("q", "q_Close")
        assert v1.train.QueueRunner.from_proto(record, "in").to_proto() == runner.to_proto()
        record.ClearField("queue_closed_exception_types")
        assert v1.train.QueueRunner.from_proto(record, "in").queue_closed_exception_types == (tf.errors.OutOfRangeError,)
        with pytest.raises(KeyError, match="The name 'q' refers to an Operation not in the graph."):
            v1.train.QueueRunner.from_proto(record)
        with pytest.raises(ValueError, match="queue_runner_def and queue are mutually exclusive."):
            v1.train.QueueRunner(queue, queue_runner_def=record)
        with pytest.raises(AssertionError):
            v1.train.QueueRunner.from_proto("q")
    with pytest.raises(RuntimeError, match="QueueRunners are not supported when eager execution is enabled"):
        v1.train.QueueRunner.from_proto(record)


def test_what_is_refused(tf, v1):
    with pytest.raises(RuntimeError, match="Queues are not supported when eager execution is enabled"):
        v1.train.input_producer([1])
    with pytest.raises(ValueError, match="Queues are not supported when eager execution is enabled"):
        v1.train.batch([1], 2)
    with pytest.raises(RuntimeError, match="Readers are not supported when eager execution is enabled"):
        v1.TextLineReader()
    with tf.Graph().as_default():
        for make, text in (
            (lambda: v1.train.batch([], 2), "Expected at least one tensor in batch"),
            (lambda: v1.train.string_input_producer([]), "requires a non-null input tensor"),
            (lambda: v1.train.batch([v1.placeholder(tf.float32, [None])], 2), "All shapes must be fully defined"),
            (lambda: v1.train.batch([v1.placeholder(tf.float32)], 2), "Cannot infer Tensor's rank"),
            (lambda: v1.train.input_producer(v1.placeholder(tf.float32)), "must have a fully defined shape"),
            (lambda: v1.train.slice_input_producer([]), "Expected at least one tensor"),
            (lambda: v1.train.batch_join([], 2), "Expected at least one set of tensors"),
            (lambda: v1.train.limit_epochs(tf.constant(1), 0), "num_epochs must be > 0 not 0."),
            (lambda: v1.train.QueueRunner(), "Must provide queue and enqueue_ops."),
        ):
            with pytest.raises(ValueError, match=text):
                make()
        with pytest.raises(TypeError, match="Expected types to be consistent: int32 vs. float32."):
            v1.train.batch_join([[1], [2.0]], 2)
        with pytest.raises(TypeError, match="must be a tuple of tf.error types"):
            v1.train.QueueRunner(v1.FIFOQueue(2, tf.int32), [1], queue_closed_exception_types=3)
