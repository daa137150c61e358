"""tf.summary: writers, steps, conditions, and summaries inside traced functions."""

import gc
import threading

import pytest

from event_files import events, files, records, tags, values

pytestmark = [pytest.mark.needs("summary"), pytest.mark.rule(219)]

NO_STEP = "No step set. Please specify one either through the `step` argument"


@pytest.fixture
def make(tf, tmp_path):
    """Makes a writer, which is closed at the end."""
    made = []

    def create(folder=tmp_path, **options):
        made.append(tf.summary.create_file_writer(str(folder), **options))
        return made[-1]

    yield create
    for writer in made:
        writer.close()


def count(folder):
    return sum(1 for path in files(folder) for _ in records(path)) - len(files(folder))


# Writers


def test_names_of_files(tf, tmp_path, make):
    make(), make(), make(filename_suffix="mine"), make(filename_suffix=tf.constant(".x"))
    names = [path.name for path in files(tmp_path)]
    assert len(set(names)) == 4
    assert sorted(name.rpartition(".")[2] for name in names) == ["mine", "v2", "v2", "x"]


def test_files_are_there_at_once(tmp_path, make):
    make(tmp_path / "a" / "b")
    assert len(files(tmp_path / "a" / "b")) == 1


def test_the_queue(tf, tmp_path, make):
    writer = make(max_queue=3)
    context = writer.as_default(step=0)
    context.__enter__()
    counts = []
    for _ in range(9):
        tf.summary.scalar("a", 1.0)
        counts.append(count(tmp_path))
    context.__exit__(None, None, None)
    assert counts == [0, 0, 0, 4, 4, 4, 4, 8, 8]
    assert count(tmp_path) == 9


def test_the_time_between_flushes(tf, tmp_path, make):
    with make(flush_millis=0).as_default(step=0):
        tf.summary.scalar("a", 1.0)
        assert count(tmp_path) == 1


def test_flush(tf, tmp_path, make):
    writer = make()
    with writer.as_default(step=0):
        for n, flush in enumerate((writer.flush, tf.summary.flush, lambda: tf.summary.flush(writer)), 1):
            tf.summary.scalar("a", 1.0)
            assert flush() is None
            assert count(tmp_path) == n
    assert tf.summary.flush() is None
    with pytest.raises(ValueError, match=r"Invalid argument to flush\(\): 3"):
        tf.summary.flush(3)


def test_a_lost_writer_writes(tf, tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    context = writer.as_default(step=0)
    context.__enter__()
    tf.summary.scalar("a", 1.0)
    assert count(tmp_path) == 0
    context.__exit__(None, None, None)
    del writer, context
    gc.collect()
    assert count(tmp_path) == 1


def test_a_closed_writer(tf, tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    context = writer.as_default()
    context.__enter__()
    tf.summary.scalar("a", 1.0, step=0)
    writer.close()
    assert tags(tmp_path) == [(0, "a")]
    with pytest.raises(tf.errors.NotFoundError, match="SummaryWriterInterfaceE does not exist"):
        tf.summary.scalar("a", 1.0, step=0)
    context.__exit__(None, None, None)
    assert writer.close() is None and writer.flush() is None
    for use in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="is already closed"):
            use()


def test_a_function_that_outlives_its_writer(tf, tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    f = tf.function(lambda x: tf.summary.scalar("a", x, step=0))
    with writer.as_default():
        assert f(tf.constant(1.0))
    writer.close()
    with pytest.raises(tf.errors.NotFoundError, match="SummaryWriterInterfaceE does not exist"):
        f(tf.constant(1.0))


def test_folders_that_cannot_be(tf, tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "x"):
        with pytest.raises(tf.errors.FailedPreconditionError, match="ot a directory"):
            tf.summary.create_file_writer(str(path))
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        tf.summary.create_file_writer("/proc/nothing/here")
    with pytest.raises(ValueError, match="Argument `logdir` cannot be None"):
        tf.summary.create_file_writer(None)
    with pytest.raises(TypeError, match="3"):
        tf.summary.create_file_writer(3)


def test_writers_in_writers(tf, tmp_path, make):
    outer, inner = make(tmp_path / "outer"), make(tmp_path / "inner")
    with outer.as_default(step=1):
        tf.summary.scalar("a", 1.0)
        with inner.as_default(step=2) as found:
            assert found is inner
            tf.summary.scalar("b", 1.0)
        tf.summary.scalar("c", 1.0)
        with inner.as_default():
            tf.summary.scalar("d", 1.0)
    assert tags(tmp_path / "outer") == [(1, "a"), (1, "c")]
    assert tags(tmp_path / "inner") == [(2, "b"), (1, "d")]


def test_set_as_default(tf, tmp_path, make):
    writer = make()

    def run():
        writer.set_as_default(step=5)
        assert tf.summary.experimental.get_step() == 5
        assert tf.summary.scalar("a", 1.0)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    writer.flush()
    assert tags(tmp_path) == [(5, "a")]
    assert tf.summary.experimental.get_step() is None  # a thread has its own
    assert not tf.summary.scalar("a", 1.0, step=0)


def test_noop_writer(tf):
    writer = tf.summary.create_noop_writer()
    with writer.as_default(step=3):
        assert not tf.summary.scalar("a", 1.0)
        assert tf.summary.experimental.get_step() is None
    writer.set_as_default()
    assert [writer.init(), writer.flush(), writer.close()] == [None] * 3
    assert not tf.summary.should_record_summaries()
    assert isinstance(writer, tf.summary.SummaryWriter)


def test_interface(tf):
    writer = tf.summary.SummaryWriter()
    for method in (writer.init, writer.flush, writer.close):
        with pytest.raises(NotImplementedError):
            method()


def test_many_threads(tf, tmp_path, make):
    writer = make(max_queue=7)

    def run(k):
        with writer.as_default():
            for step in range(100):
                tf.summary.scalar(f"t{k}", float(step), step=step)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.flush()
    found = tags(tmp_path)
    assert len(found) == 400
    for k in range(4):
        assert [step for step, tag in found if tag == f"t{k}"] == list(range(100))


# Steps


def test_steps(tf, tmp_path, make):
    variable = tf.Variable(7, dtype=tf.int64)
    with make().as_default():
        for step in (0, -1, 2**40, tf.constant(3, tf.int64), variable, [4]):
            assert tf.summary.scalar("a", 1.0, step=step)
    assert [step for step, _ in tags(tmp_path)] == [0, -1, 2**40, 3, 7, 4]


def test_no_step(tf, make):
    with make().as_default():
        for write in (
            lambda: tf.summary.scalar("a", 1.0),
            lambda: tf.summary.histogram("a", [1.0]),
            lambda: tf.summary.image("a", tf.zeros([1, 1, 1, 1])),
            lambda: tf.summary.audio("a", tf.zeros([1, 1, 1]), 1),
            lambda: tf.summary.text("a", "a"),
            lambda: tf.summary.write("a", 1),
            lambda: tf.summary.experimental.write_raw_pb(b""),
            lambda: tf.function(lambda: tf.summary.scalar("a", 1.0))(),
        ):
            with pytest.raises(ValueError, match=NO_STEP):
                write()
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("a", 1.0)
    assert not tf.summary.scalar("a", 1.0)


def test_bad_steps(tf, make):
    for context in (make().as_default(), tf.summary.create_noop_writer().as_default()):
        with context:
            with pytest.raises(ValueError, match=r"Argument `step` must be a scalar. Received step with shape \(2,\)"):
                tf.summary.scalar("a", 1.0, step=[1, 2])
            for step in ("x", 1.5):
                with pytest.raises(TypeError, match="int64"):
                    tf.summary.scalar("a", 1.0, step=step)
            for step in (tf.constant(1), tf.constant(1.5)):
                with pytest.raises(ValueError, match="Tensor conversion requested dtype int64"):
                    tf.summary.scalar("a", 1.0, step=step)


def test_default_step(tf, tmp_path, make):
    assert tf.summary.experimental.get_step() is None
    variable = tf.Variable(1, dtype=tf.int64)
    with make().as_default():
        tf.summary.experimental.set_step(variable)
        try:
            assert tf.summary.experimental.get_step() is variable
            f = tf.function(lambda: tf.summary.scalar("a", 1.0))
            f()
            variable.assign(2)
            f()
            tf.summary.scalar("b", 1.0)
            tf.summary.scalar("c", 1.0, step=9)
        finally:
            tf.summary.experimental.set_step(None)
    assert tags(tmp_path) == [(1, "a"), (2, "a"), (2, "b"), (9, "c")]


# Names


def test_tags_and_scopes(tf, tmp_path, make):
    with make().as_default(step=0):
        with tf.name_scope("layer"):
            tf.summary.scalar("my loss!", 1.0)
            with tf.name_scope("inner"):
                tf.summary.text("t", "x")
            with tf.summary.experimental.summary_scope("x y", values=[1]) as (tag, scope):
                assert tag == "layer/x y" and scope.startswith("layer/xy")
        with tf.summary.experimental.summary_scope("") as (tag, _):
            assert tag == "summary"
        with tf.summary.experimental.summary_scope("!!", "mine") as (tag, scope):
            assert tag == "!!" and scope == "mine/"
        f = tf.function(lambda: [tf.summary.scalar("same", 1.0), tf.summary.scalar("same", 2.0)])
        f()
    assert [tag for _, tag in tags(tmp_path)] == ["layer/my loss!", "layer/inner/t", "same", "same"]


# Conditions


def test_record_if(tf, make):
    conditions = [
        (True, True),
        (tf.constant(True), True),
        (lambda: True, True),
        (lambda: tf.constant(True), True),
        (None, True),
        (tf.Variable(True), True),
        (False, False),
        (tf.constant(False), False),
        (lambda: False, False),
        (lambda: tf.constant(False), False),
    ]
    with make().as_default(step=0):
        for condition, expected in conditions:

            def write():
                return tf.summary.scalar("a", 1.0)

            with tf.summary.record_if(condition):
                assert bool(tf.summary.should_record_summaries()) == expected
                assert bool(write()) == expected
                assert bool(tf.function(write)()) == expected
    assert not tf.summary.should_record_summaries()


def test_conditions_of_steps(tf, tmp_path, make):
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train():
        with tf.summary.record_if(lambda: tf.equal(step % 2, 0)):
            written = tf.summary.scalar("a", tf.cast(step, tf.float32), step=step)
        step.assign_add(1)
        return written

    with make().as_default():
        assert [bool(train()) for _ in range(5)] == [True, False, True, False, True]
    assert tags(tmp_path) == [(0, "a"), (2, "a"), (4, "a")]


def test_conditions_come_back(tf, make):
    with make().as_default():
        with pytest.raises(ZeroDivisionError), tf.summary.record_if(False):
            assert not tf.summary.should_record_summaries()
            1 / 0
        assert tf.summary.should_record_summaries()


# Traced functions


@pytest.mark.needs("autograph")
def test_in_loops_and_branches(tf, tmp_path, make):
    @tf.function
    def f(n):
        for i in tf.range(n):
            if i % 2 == 0:
                tf.summary.scalar("even", tf.cast(i, tf.float32), step=tf.cast(i, tf.int64))
            else:
                tf.summary.histogram("odd", [i], step=tf.cast(i, tf.int64))
        return tf.summary.image("last", tf.zeros([1, 2, 2, 1]), step=9)

    with make().as_default():
        assert f(tf.constant(4))
    found = [(step, tag.rpartition("/")[2]) for step, tag in tags(tmp_path)]
    assert found == [(0, "even"), (1, "odd"), (2, "even"), (3, "odd"), (9, "last")]


def test_in_order(tf, tmp_path, make):
    v = tf.Variable(0.0)

    @tf.function
    def f():
        for n in range(3):
            tf.summary.scalar("v", v, step=n)
            v.assign_add(1.0)

    with make().as_default():
        f()
    assert [(step, value["tensor"][0]["content"][0][2:]) for step, value in values(tmp_path)] == [
        (0, b"\0\0"),
        (1, b"\x80?"),
        (2, b"\0@"),
    ]


def test_the_writer_of_the_trace(tf, tmp_path, make):
    first, second = make(tmp_path / "1"), make(tmp_path / "2")
    f = tf.function(lambda x: tf.summary.scalar("a", x, step=0))
    assert not f(tf.constant(1.0))
    with first.as_default():
        assert not f(tf.constant(1.0))  # traced without a writer
    g = tf.function(lambda x: tf.summary.scalar("a", x, step=0))
    with first.as_default():
        assert g(tf.constant(1.0))
    with second.as_default():
        assert g(tf.constant(1.0))
    first.flush()
    assert count(tmp_path / "1") == 2 and count(tmp_path / "2") == 0


def test_a_writer_made_in_a_function(tf, tmp_path):
    writers = []

    @tf.function
    def f(x):
        if not writers:
            writers.append(tf.summary.create_file_writer(str(tmp_path)))
        with writers[0].as_default():
            return tf.summary.scalar("a", x, step=0)

    assert f(tf.constant(1.0)) and f(tf.constant(2.0))
    writers[0].close()
    assert tags(tmp_path) == [(0, "a"), (0, "a")]

    with pytest.raises(ValueError, match="Invalid graph Tensor argument 'logdir="):
        tf.function(lambda folder: tf.summary.create_file_writer(folder) and 1)(tf.constant("x"))


def test_gradients_pass_by(tf, make):
    x = tf.Variable(3.0)
    with make().as_default(step=0), tf.GradientTape() as tape:
        y = x * x
        tf.summary.histogram("x", y)
        tf.summary.scalar("y", y)
    assert tape.gradient(y, x).numpy() == 6.0


def test_graph_only_eagerly(tf):
    graph = tf.function(lambda: 1).get_concrete_function().graph
    with pytest.raises(ValueError, match=r"graph\(\) cannot be invoked inside a graph context."):
        tf.function(lambda: tf.summary.graph(graph))()


def test_refusals(tf, make):
    with make().as_default(step=0):
        with pytest.raises(ValueError, match=r"Expected scalar shape, saw shape: \(1,\)"):
            tf.summary.scalar("a", [1.0])
        with pytest.raises(tf.errors.UnimplementedError, match="Cast string to float is not supported"):
            tf.summary.scalar("a", "x")
        with pytest.raises(ValueError, match="must have rank 4"):
            tf.summary.image("a", tf.zeros([2, 2]))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"x >= 0 did not hold"):
            tf.summary.image("a", tf.zeros([1, 2, 2, 1]), max_outputs=-1)
        with pytest.raises(ValueError, match="must have rank 3"):
            tf.summary.audio("a", tf.zeros([2, 2]), 8)
        with pytest.raises(ValueError, match="Unknown encoding: 'mp3'"):
            tf.summary.audio("a", tf.zeros([1, 2, 2]), 8, encoding="mp3")
        with pytest.raises(TypeError, match="tensor must be of type .*string.*; got .*int32"):
            tf.summary.text("a", 1)
        with pytest.raises(TypeError, match="tensor must be of type .*int32.*; got .*float32"):
            tf.summary.histogram("a", [1.0], buckets=1.5)
        with pytest.raises(ValueError, match="Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef"):
            tf.summary.graph(3)


def test_events_have_times(tf, tmp_path, make):
    with make().as_default(step=0):
        for _ in range(3):
            tf.summary.scalar("a", 1.0)
    times = [event["wall_time"][0] for event in events(tmp_path)]
    assert times == sorted(times) and times[0] > 1.6e9
