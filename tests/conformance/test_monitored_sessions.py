"""Monitored sessions of TensorFlow 1: they initialize themselves, call hooks, save checkpoints and restore them."""

import logging
import os
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def logged(tf):
    """The texts that are logged at INFO and above."""
    texts = []

    class Recorder(logging.Handler):
        def emit(self, record):
            texts.append(record.getMessage())

    logger, recorder = logging.getLogger("tensorflow"), Recorder()
    level = logger.level
    logger.addHandler(recorder)
    logger.setLevel(logging.INFO)
    yield texts
    logger.removeHandler(recorder)
    logger.setLevel(level)


class Program:
    """A Variable that descends to 3."""

    def __init__(self, tf):
        v1 = tf.compat.v1
        self.step = v1.train.get_or_create_global_step()
        self.w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
        self.loss = tf.square(self.w - 3.0, name="loss")
        self.train = v1.train.GradientDescentOptimizer(0.1).minimize(self.loss, global_step=self.step)
        v1.summary.scalar("loss", self.loss)


def test_a_loop_until_a_step(tf, v1, graph, logged):
    program = Program(tf)
    hooks = [v1.train.StopAtStepHook(num_steps=3)]
    losses = []
    with v1.train.MonitoredSession(hooks=hooks) as session:
        assert graph.finalized and session.graph is graph
        while not session.should_stop():
            losses.append(session.run([program.train, program.loss])[1])
        with pytest.raises(RuntimeError, match="Run called even after should_stop requested."):
            session.run(program.loss)
    assert np.allclose(losses, [9.0, 5.76, 3.6864]) and not graph.finalized
    assert session.should_stop()
    with pytest.raises(RuntimeError, match="Session is already closed."):
        session.close()
    with pytest.raises(AttributeError):
        session.run(program.loss)
    assert logged[:3] == ["Graph was finalized.", "Running local_init_op.", "Done running local_init_op."]


def test_last_step(tf, v1, graph):
    program = Program(tf)
    with v1.train.SingularMonitoredSession(hooks=[v1.train.StopAtStepHook(last_step=2)]) as session:
        assert isinstance(session.raw_session(), v1.Session)
        count = 0
        while not session.should_stop():
            session.run(program.train)
            count += 1
    assert count == 2 and session.raw_session() is None


@pytest.mark.parametrize("error", ["OutOfRangeError", "StopIteration"])
def test_ends_of_input_end_the_block(tf, v1, graph, error):
    ended = []

    class Ends(v1.train.SessionRunHook):
        def end(self, session):
            ended.append(True)

    tf.constant(1)
    with v1.train.MonitoredSession(hooks=[Ends()]):
        raise tf.errors.OutOfRangeError(None, None, "no more") if error == "OutOfRangeError" else StopIteration
    assert ended == [True]


def test_other_exceptions_leave_the_block(tf, v1, graph):
    ended = []

    class Ends(v1.train.SessionRunHook):
        def end(self, session):
            ended.append(True)

    tf.constant(1)
    with pytest.raises(ValueError, match="mine"), v1.train.MonitoredSession(hooks=[Ends()]):
        raise ValueError("mine")
    assert ended == []


def test_a_dataset_until_its_end(tf, v1, graph):
    x = v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
    found = []
    with v1.train.MonitoredSession() as session:
        while not session.should_stop():
            found.append(int(session.run(x)))
    assert found == [0, 1, 2]


def test_the_order_of_calls(tf, v1, graph):
    calls = []

    class Records(v1.train.SessionRunHook):
        def __init__(self, name):
            self.name = name

        def begin(self):
            calls.append((self.name, "begin"))

        def after_create_session(self, session, coord):
            calls.append((self.name, "created", isinstance(coord, tf.train.Coordinator)))

        def before_run(self, run_context):
            calls.append((self.name, "before", run_context.original_args.fetches.name))
            return v1.train.SessionRunArgs({"double": double})

        def after_run(self, run_context, run_values):
            calls.append((self.name, "after", float(run_values.results["double"])))

        def end(self, session):
            calls.append((self.name, "end"))

    x = tf.constant(2.0, name="x")
    double = x * 2.0
    with v1.train.MonitoredSession(hooks=[Records("a"), Records("b")]) as session:
        assert session.run(x) == 2.0
    assert calls == [
        ("a", "begin"),
        ("b", "begin"),
        ("a", "created", True),
        ("b", "created", True),
        ("a", "before", "x:0"),
        ("b", "before", "x:0"),
        ("a", "after", 4.0),
        ("b", "after", 4.0),
        ("a", "end"),
        ("b", "end"),
    ]


def test_hooks_that_feed(tf, v1, graph):
    x = v1.placeholder(tf.float32, [])
    y = x + 1.0

    def run(values, feed_dict=None):
        hooks = [v1.train.FeedFnHook(lambda value=value: {x: value}) for value in values]
        with v1.train.MonitoredSession(hooks=hooks) as session:
            return session.run(y, feed_dict)

    assert run([3.0]) == 4.0
    with pytest.raises(RuntimeError, match="Same tensor is fed by two hooks."):
        run([1.0, 2.0])
    with pytest.raises(RuntimeError, match="Same tensor is fed by a SessionRunHook and user."):
        run([1.0], {x: 2.0})


def test_steps_of_several_runs(tf, v1, graph):
    x = tf.constant(2.0)
    with v1.train.MonitoredSession() as session:
        assert session.run_step_fn(lambda step_context: step_context.session.run(x) + 1) == 3.0
        assert session.run_step_fn(lambda step_context: step_context.run_with_hooks(x)) == 2.0
        for wrong in (lambda: 5, lambda a: 5):
            with pytest.raises(ValueError, match="`step_fn` may either have one `step_context` argument"):
                session.run_step_fn(wrong)
        with pytest.raises(TypeError):
            session.run_step_fn(3)
        session.run_step_fn(lambda step_context: step_context.request_stop())
        raise AssertionError("the block has ended")


def test_what_is_logged(tf, v1, graph, logged):
    program = Program(tf)
    hooks = [
        v1.train.LoggingTensorHook({"loss": program.loss}, every_n_iter=2, at_end=True),
        v1.train.LoggingTensorHook(["w/Read/ReadVariableOp:0"], every_n_iter=10),
        v1.train.LoggingTensorHook({"l": "loss:0"}, at_end=True, formatter=lambda values: f"own {values['l']:.1f}"),
    ]
    with v1.train.MonitoredSession(hooks=hooks) as session:
        for _ in range(3):
            session.run(program.train)
    lines = [text.partition(" (")[0] for text in logged[3:]]
    assert lines == ["loss = 9.0", "w/Read/ReadVariableOp:0 = 0.0", "loss = 3.6864", "loss = 2.359296", "own 2.4"]
    assert logged[5].endswith(" sec)")


@pytest.mark.parametrize("fails", [True, False])
def test_a_loss_that_is_nan(tf, v1, graph, logged, fails):
    x = v1.placeholder(tf.float32, [])

    def run():
        with v1.train.MonitoredSession(hooks=[v1.train.NanTensorHook(x, fail_on_nan_loss=fails)]) as session:
            session.run(x, {x: 1.0})
            assert not session.should_stop()
            session.run(x, {x: float("nan")})
            return session.should_stop()

    if fails:
        with pytest.raises(v1.train.NanLossDuringTrainingError):
            run()
    else:
        assert run()
    assert logged[-1] == "Model diverged with loss = NaN."


def test_ops_at_the_end(tf, v1, graph):
    program = Program(tf)
    hook = v1.train.FinalOpsHook({"loss": program.loss}, final_ops_feed_dict={program.loss: 4.0})
    with v1.train.MonitoredSession(hooks=[hook]) as session:
        session.run(program.train)
        assert hook.final_ops_values is None
    assert hook.final_ops_values == {"loss": 4.0}


def test_waiting_for_a_step(tf, v1, graph, logged):
    program = Program(tf)
    with v1.train.MonitoredSession(hooks=[v1.train.GlobalStepWaiterHook(0)]) as session:
        session.run(program.train)
    assert not any("Waiting" in text for text in logged)


def files(folder, ending):
    return sorted(name for name in os.listdir(folder) if name.endswith(ending))


def test_training_with_checkpoints(tf, v1, tmp_path, logged):
    if tf.__name__ == "tracefn":
        pytest.importorskip("tensorboard")  # reads the events
    folder = str(tmp_path / "run")

    def train(last_step):
        with tf.Graph().as_default():
            program = Program(tf)
            with v1.train.MonitoredTrainingSession(
                checkpoint_dir=folder,
                save_checkpoint_steps=2,
                save_summaries_steps=1,
                log_step_count_steps=2,
                hooks=[v1.train.StopAtStepHook(last_step=last_step)],
            ) as session:
                first = session.run(program.w)
                while not session.should_stop():
                    session.run(program.train)
            return first

    assert train(5) == 0.0
    assert files(folder, ".index") == [f"model.ckpt-{step}.index" for step in (0, 2, 4, 5)]
    assert os.path.basename(v1.train.latest_checkpoint(folder)) == "model.ckpt-5"
    assert "graph.pbtxt" in os.listdir(folder)
    assert sum("Saving checkpoints for" in text for text in logged) == 4
    assert sum(text.startswith("global_step/sec: ") for text in logged) == 2
    assert np.isclose(train(6), 2.01696)
    v1.summary.FileWriterCache.clear()
    events = [name for name in os.listdir(folder) if "tfevents" in name]
    events = [event for name in events for event in v1.train.summary_iterator(os.path.join(folder, name))]
    kinds = [event.WhichOneof("what") for event in events]
    assert kinds.count("meta_graph_def") == kinds.count("graph_def") > 0
    tags = [value.tag for event in events for value in event.summary.value]
    assert tags.count("loss_1") == 5 + 2 + 1 and tags.count("global_step/sec") == 2


def test_listeners_of_checkpoints(tf, v1, graph, tmp_path):
    program = Program(tf)
    calls = []

    class Records(v1.train.CheckpointSaverListener):
        def begin(self):
            calls.append("begin")

        def before_save(self, session, global_step_value):
            calls.append(("before", int(global_step_value)))

        def after_save(self, session, global_step_value):
            calls.append(("after", int(global_step_value)))
            return global_step_value == 2

        def end(self, session, global_step_value):
            calls.append(("end", int(global_step_value)))

    hook = v1.train.CheckpointSaverHook(
        str(tmp_path), save_steps=2, saver=v1.train.Saver(), listeners=[Records()], checkpoint_basename="own"
    )
    with v1.train.MonitoredSession(hooks=[hook]) as session:
        while not session.should_stop():
            session.run(program.train)
    assert calls == ["begin", ("before", 0), ("after", 0), ("before", 2), ("after", 2), ("end", 2)]
    assert files(tmp_path, ".index") == ["own-0.index", "own-2.index"]


def test_summaries_of_own_ops(tf, v1, graph, tmp_path):
    if tf.__name__ == "tracefn":
        pytest.importorskip("tensorboard")  # reads the events
    program = Program(tf)
    with v1.summary.FileWriter(str(tmp_path)) as writer:
        hook = v1.train.SummarySaverHook(save_steps=2, summary_writer=writer, summary_op=v1.summary.merge_all())
        with v1.train.MonitoredSession(hooks=[hook]) as session:
            for _ in range(4):
                session.run(program.train)
    (name,) = os.listdir(tmp_path)
    events = list(v1.train.summary_iterator(str(tmp_path / name)))
    assert [event.step for event in events if event.summary.value] == [1, 3]
    assert [event.session_log.status for event in events if event.HasField("session_log")] == [1]


def test_profiles(tf, v1, graph, tmp_path):
    program = Program(tf)
    with v1.train.MonitoredSession(hooks=[v1.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))]) as session:
        for _ in range(5):
            session.run(program.train)
    v1.summary.FileWriterCache.clear()
    assert files(tmp_path, ".json") == ["timeline-2.json", "timeline-4.json"]
    assert "traceEvents" in (tmp_path / "timeline-2.json").read_text()


def test_scaffolds(tf, v1, graph):
    program = Program(tf)
    calls = []
    given = v1.train.Scaffold(
        init_fn=lambda scaffold, session: calls.append((scaffold, session.run(program.w))),
        local_init_op=tf.no_op(name="local"),
    )
    copied = v1.train.Scaffold(copy_from_scaffold=given)
    with v1.train.MonitoredSession(v1.train.ChiefSessionCreator(copied)) as session:
        session.run(program.train)
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(3)
    assert calls == [(copied, 0.0)] and copied.local_init_op is given.local_init_op
    assert copied.ready_op.dtype == tf.string and copied.summary_op is not None
    assert copied.init_op is graph.get_collection(v1.GraphKeys.INIT_OP)[0]
    assert copied.saver is graph.get_collection(v1.GraphKeys.SAVERS)[0]


def test_parts_of_scaffolds_from_collections(tf, v1, graph):
    made = v1.train.Scaffold.get_or_default("init_op", "mine", lambda: "op")
    assert made == "op" and graph.get_collection("mine") == ["op"]
    assert v1.train.Scaffold.get_or_default("init_op", "mine", lambda: "other") == "op"
    graph.add_to_collection("mine", "second")
    with pytest.raises(RuntimeError, match="More than one item in the collection"):
        v1.train.Scaffold.get_or_default("init_op", "mine", lambda: "op")


def test_sessions_that_are_not_ready(tf, v1, graph):
    v1.get_variable("w", [2])
    nothing = v1.train.Scaffold(init_op=tf.no_op(name="nothing"))
    with pytest.raises(RuntimeError, match="Variables not initialized: w"):
        v1.train.MonitoredSession(v1.train.ChiefSessionCreator(nothing))


def test_session_managers(tf, v1, graph, tmp_path):
    w = v1.get_variable("w", [], initializer=v1.ones_initializer())
    saver = v1.train.Saver()
    init = v1.global_variables_initializer()
    manager = v1.train.SessionManager(ready_op=v1.report_uninitialized_variables(), recovery_wait_secs=0.01)
    session, restored = manager.recover_session("", saver, str(tmp_path))
    assert not restored
    session = manager.prepare_session("", init, saver, str(tmp_path))
    assert session.run(w) == 1.0
    session.run(v1.assign(w, 5.0))
    saver.save(session, str(tmp_path / "model"), global_step=7)
    session, restored = manager.recover_session("", saver, str(tmp_path))
    assert restored and session.run(w) == 5.0
    other = manager.prepare_session("", init, saver, checkpoint_filename_with_path=str(tmp_path / "model-7"))
    assert other.run(w) == 5.0
    with pytest.raises(tf.errors.DeadlineExceededError):
        manager.wait_for_session("", max_wait_secs=0.05)
    with pytest.raises(RuntimeError, match="no init_op or init_fn or local_init_op was given"):
        manager.prepare_session("")


def test_hooks_need_a_global_step(tf, v1, graph, tmp_path):
    v1.get_variable("w", [2])
    for hook in (
        v1.train.StopAtStepHook(1),
        v1.train.CheckpointSaverHook(str(tmp_path), save_steps=1),
        v1.train.SummarySaverHook(1, output_dir=str(tmp_path), scaffold=v1.train.Scaffold()),
        v1.train.StepCounterHook(output_dir=str(tmp_path)),
        v1.train.ProfilerHook(1, output_dir=str(tmp_path)),
    ):
        with pytest.raises(RuntimeError, match=f"Global step should be created to use {type(hook).__name__}."):
            v1.train.MonitoredSession(hooks=[hook])
    v1.summary.FileWriterCache.clear()


def test_what_hooks_refuse(tf, v1):
    train = v1.train
    for make, text in (
        (lambda: train.StopAtStepHook(), "One of num_steps or last_step must be specified."),
        (lambda: train.StopAtStepHook(1, 2), "Only one of num_steps or last_step can be specified."),
        (lambda: train.LoggingTensorHook([]), "exactly one of every_n_iter and every_n_secs must be provided."),
        (lambda: train.LoggingTensorHook([], every_n_iter=0), "invalid every_n_iter=0."),
        (lambda: train.CheckpointSaverHook("x"), "Either every_secs or every_steps should be provided."),
        (lambda: train.CheckpointSaverHook("x", 1, 2), "Can not provide both every_secs and every_steps."),
        (lambda: train.CheckpointSaverHook("x", 1, saver=1, scaffold=2), "You cannot provide both saver and scaffold."),
        (lambda: train.SummarySaverHook(1), "Exactly one of scaffold or summary_op must be provided."),
        (lambda: train.StepCounterHook(1, 2), "exactly one of every_n_steps and every_n_secs should be provided."),
    ):
        with pytest.raises(ValueError, match=text):
            make()
    with pytest.raises(TypeError, match="copy_from_scaffold is not a Scaffold instance."):
        train.Scaffold(copy_from_scaffold=3)
    with pytest.raises(TypeError):
        train.SessionCreator()


def reporting(v1, error, calls):
    """A hook that reports an exception to the Coordinator of its first session, as a thread of it would."""

    class Hook(v1.train.SessionRunHook):
        def after_create_session(self, session, coord):
            calls.append("created")
            if len(calls) > 1:
                return
            try:
                if error is None:
                    coord.request_stop()
                else:
                    raise error
            except Exception:
                coord.request_stop(sys.exc_info())

    return Hook()


def test_runs_after_a_stop_of_threads(v1, graph):
    x, calls = v1.placeholder_with_default(1, []), []
    with v1.train.MonitoredSession(hooks=[reporting(v1, None, calls)]) as session:
        assert session.should_stop() and session.run(x) == 1


def test_a_session_that_a_thread_has_lost_is_made_anew(tf, v1, graph):
    x, calls = v1.placeholder_with_default(1, []), []
    lost = tf.errors.AbortedError(None, None, "lost")
    with v1.train.MonitoredSession(hooks=[reporting(v1, lost, calls)]) as session:
        assert not session.should_stop() and session.run(x) == 1
    assert calls == ["created"] * 2
    calls.clear()
    with (
        pytest.raises(tf.errors.AbortedError, match="lost"),
        v1.train.SingularMonitoredSession(hooks=[reporting(v1, lost, calls)]) as session,
    ):
        session.should_stop()
    assert calls == ["created"]


def test_exceptions_of_threads_are_raised_at_the_end(v1, graph):
    x, calls, steps = v1.placeholder_with_default(1, []), [], []
    with (
        pytest.raises(ValueError, match="of a thread"),
        v1.train.MonitoredSession(hooks=[reporting(v1, ValueError("of a thread"), calls)]) as session,
    ):
        assert session.should_stop()
        steps.append(session.run(x))
    assert steps == [1]


def test_a_failing_run_keeps_its_exception(tf, v1, graph):
    zero, calls = v1.placeholder_with_default(0, []), []
    quotient = v1.div(tf.constant(1), zero)
    with (
        pytest.raises(ValueError, match="of a thread"),
        v1.train.MonitoredSession(hooks=[reporting(v1, ValueError("of a thread"), calls)]) as session,
        pytest.raises(tf.errors.InvalidArgumentError),
    ):
        session.run(quotient)
