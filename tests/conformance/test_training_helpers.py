"""tf.train.ExponentialMovingAverage, tf.train.Coordinator, and the names of tf.compat.v1.train that go with them."""

import logging
import threading

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def v1(tf):
    return tf.compat.v1


# Averages, eagerly and in functions.


def averaged(tf, *, steps=((3.0, 4.0),), dtype="float32", **arguments):
    """The average of a Variable that begins with [1, 2] and gets the values of the steps."""
    weights = tf.Variable([1.0, 2.0], dtype=dtype)
    ema = tf.train.ExponentialMovingAverage(**arguments)
    ema.apply([weights])
    for step in steps:
        weights.assign(tf.cast(list(step), dtype))
        ema.apply([weights])
    return ema.average(weights).numpy()


def test_averages_move_towards_the_values(tf):
    assert averaged(tf, decay=0.5).tolist() == [2.0, 3.0]
    assert averaged(tf, decay=0.5, steps=[(3.0, 4.0), (6.0, 5.0)]).tolist() == [4.0, 4.0]
    assert averaged(tf, decay=1).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_averages_have_the_dtype_of_the_variable(tf, dtype):
    value = averaged(tf, decay=0.75, dtype=dtype)
    assert value.dtype == tf.as_dtype(dtype).as_numpy_dtype
    assert value.astype("float32").tolist() == [1.5, 2.5]


def test_the_decay_may_be_a_tensor_or_a_variable(tf):
    assert averaged(tf, decay=tf.constant(0.5)).tolist() == [2.0, 3.0]
    decay = tf.Variable(0.5)
    assert averaged(tf, decay=decay).tolist() == [2.0, 3.0]
    decay.assign(0.0)
    assert averaged(tf, decay=decay).tolist() == [3.0, 4.0]


@pytest.mark.parametrize("count", [0, 1, 8, 10_000])
def test_the_number_of_updates_limits_the_decay(tf, count):
    decay = min(0.9, (1 + count) / (10 + count))
    expected = [3 - 2 * decay, 4 - 2 * decay]
    np.testing.assert_allclose(averaged(tf, decay=0.9, num_updates=count), expected, rtol=1e-6)
    np.testing.assert_allclose(averaged(tf, decay=0.9, num_updates=tf.Variable(count)), expected, rtol=1e-6)


def test_debiasing_is_not_for_variables(tf):
    assert averaged(tf, decay=0.75, zero_debias=True).tolist() == [1.5, 2.5]


def test_an_average_is_a_variable_named_after_the_one_that_it_belongs_to(tf):
    weights = tf.Variable([1.0, 2.0], name="named_weights")
    ema = tf.train.ExponentialMovingAverage(0.5)
    assert ema.name == "ExponentialMovingAverage"
    assert ema.average(weights) is None
    assert ema.average_name(weights) == "named_weights/ExponentialMovingAverage"
    assert ema.apply([weights]) is None
    average = ema.average(weights)
    assert isinstance(average, tf.Variable)
    assert (average.name, average.trainable) == ("named_weights/ExponentialMovingAverage:0", False)
    assert ema.average_name(weights) == "named_weights/ExponentialMovingAverage"
    assert ema.average(weights) is average
    again = tf.train.ExponentialMovingAverage(0.5)
    again.apply([weights])
    assert again.average(weights).name == "named_weights/ExponentialMovingAverage_1:0"
    other = tf.train.ExponentialMovingAverage(0.5, name="Mean")
    with tf.name_scope("outer"):
        other.apply((weights,))
    assert other.average(weights).name == "named_weights/Mean:0"


def test_a_variable_twice_in_the_list_is_updated_twice(tf):
    weights, ema = tf.Variable(1.0), tf.train.ExponentialMovingAverage(0.5)
    ema.apply([weights])
    weights.assign(3.0)
    ema.apply([weights, weights])
    assert ema.average(weights).numpy() == 2.5


def test_without_a_list_there_is_nothing_to_average_eagerly(tf):
    ema = tf.train.ExponentialMovingAverage(0.5)
    assert ema.apply() is None
    assert ema.apply([]) is None


def test_an_average_of_a_variable_with_a_loose_shape_has_the_shape_of_its_value(tf):
    weights = tf.Variable(tf.ones([2]), shape=[None])
    ema = tf.train.ExponentialMovingAverage(0.5)
    ema.apply([weights])
    assert ema.average(weights).shape == [2]


def test_averages_are_made_and_updated_in_functions(tf):
    weights = tf.Variable(1.0, name="in_function")
    ema = tf.train.ExponentialMovingAverage(0.5, name="Mean")
    returned = []

    @tf.function
    def step(x):
        weights.assign(x)
        returned.append(ema.apply([weights]))
        return ema.average(weights)

    assert [step(tf.constant(x)).numpy() for x in (3.0, 5.0, 1.5)] == [2.0, 3.5, 2.5]
    assert {(operation.name, operation.type) for operation in returned} == {("Mean", "NoOp")}
    assert ema.average(weights).name == "in_function/Mean:0"
    assert ema.average(weights).numpy() == 2.5


def test_averages_are_saved_as_what_they_are(tf, tmp_path):
    weights, ema = tf.Variable(1.0), tf.train.ExponentialMovingAverage(0.5)
    ema.apply([weights])
    weights.assign(3.0)
    ema.apply([weights])
    path = tf.train.Checkpoint(averaged=[ema.average(weights)]).write(str(tmp_path / "saved"))
    tf.train.Checkpoint(averaged=[weights]).read(path).assert_consumed()
    assert weights.numpy() == 2.0


@pytest.mark.parametrize("initial", [1, True, 1j, "text"])
def test_variables_of_other_dtypes_are_refused(tf, initial):
    with pytest.raises(TypeError, match="The variables must be half, float, or double: odd:0"):
        tf.train.ExponentialMovingAverage(0.5).apply([tf.Variable(initial, name="odd")])


def test_tensors_are_refused_outside_of_graphs(tf):
    ema = tf.train.ExponentialMovingAverage(0.5)
    text = "does not support non-Variable tensors when eager execution is enabled"
    with pytest.raises(TypeError, match=text):
        ema.apply([tf.constant(1.0)])
    with pytest.raises(TypeError, match=text):
        tf.function(lambda x: ema.apply([x]))(tf.constant(1.0))


def test_decays_of_other_dtypes_are_refused(tf):
    weights = tf.Variable(1.0)
    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype float64"):
        tf.train.ExponentialMovingAverage(tf.constant(0.5, "float64")).apply([weights])
    with pytest.raises(TypeError, match="Cannot convert 'x' to EagerTensor of dtype float"):
        tf.train.ExponentialMovingAverage("x").apply([weights])


def test_replicas_have_the_same_averages(tf):
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        weights, ema = tf.Variable(1.0, name="mirrored"), tf.train.ExponentialMovingAverage(0.5)
        ema.apply([weights])
    assert ema.average(weights).name == "mirrored/ExponentialMovingAverage:0"
    weights.assign(3.0)

    def step():
        ema.apply([weights])
        return ema.average(weights).read_value()

    assert strategy.run(step).numpy() == 2.0
    assert strategy.run(tf.function(step)).numpy() == 2.5
    assert ema.average(weights).numpy() == 2.5


# Averages in graphs of TensorFlow 1.


def test_graphs_update_averages_by_an_op(tf, v1):
    with tf.Graph().as_default():
        a, b = v1.get_variable("a", initializer=1.0), v1.Variable(2.0, name="b")
        v1.Variable(1, name="n", trainable=False)
        ema = v1.train.ExponentialMovingAverage(0.5)
        update = ema.apply()
        assert (update.name, update.type) == ("ExponentialMovingAverage", "NoOp")
        assert [v.name for v in v1.moving_average_variables()] == ["a:0", "b:0"]
        assert [v.name for v in v1.trainable_variables()] == ["a:0", "b:0"]
        averages = [ema.average(a), ema.average(b)]
        assert [v.name for v in averages] == ["a/ExponentialMovingAverage:0", "b/ExponentialMovingAverage:0"]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(averages) == [1.0, 2.0]
            session.run([a.assign(5.0), b.assign(8.0)])
            session.run(update)
            assert session.run(averages) == [3.0, 5.0]
            session.run(update)
            assert session.run(averages) == [4.0, 6.5]


def test_graphs_average_tensors(tf, v1):
    """They begin at zero, which may be corrected for."""
    with tf.Graph().as_default():
        x = v1.placeholder("float32", [], name="x")
        plain = v1.train.ExponentialMovingAverage(0.5)
        corrected = v1.train.ExponentialMovingAverage(0.5, zero_debias=True, name="Corrected")
        updates = [plain.apply([x]), corrected.apply([x])]
        averages = [plain.average(x), corrected.average(x)]
        assert [v.name for v in averages] == ["x/ExponentialMovingAverage:0", "x/Corrected:0"]
        names = [v.name for v in v1.global_variables()]
        assert names[2:] == ["x/Corrected/biased:0", "x/Corrected/local_step:0"]
        assert v1.moving_average_variables() == []
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(updates, {x: 4.0})
            assert session.run(averages) == [2.0, 4.0]
            session.run(updates, {x: 1.0})
            np.testing.assert_allclose(session.run(averages), [1.5, 2.0], rtol=1e-6)


def test_averages_of_tensors_of_unknown_shape(tf, v1):
    with tf.Graph().as_default():
        x = v1.placeholder("float32", [None], name="x")
        ema = v1.train.ExponentialMovingAverage(0.5)
        update = ema.apply([x])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer(), {x: [0.0, 0.0]})
            session.run(update, {x: [2.0, 4.0]})
            assert session.run(ema.average(x)).tolist() == [1.0, 2.0]


def test_names_in_scopes(tf, v1):
    with tf.Graph().as_default():
        a = v1.get_variable("a", initializer=1.0)
        ema = v1.train.ExponentialMovingAverage(0.5, name="Mean")
        with v1.name_scope("names"), v1.variable_scope("variables"):
            assert ema.average_name(a) == "names/variables/a/Mean"
            assert ema.apply([a]).name == "names/variables/Mean"
            assert ema.apply([a]).name == "names/variables/Mean_1"
        assert ema.average(a).name == "variables/a/Mean:0"
        assert ema.average_name(a) == "variables/a/Mean"


def test_averages_are_restored_into_their_variables(tf, v1, tmp_path):
    def build():
        a = v1.get_variable("a", initializer=1.0)
        n = v1.get_variable("n", initializer=7, trainable=False)
        ema = v1.train.ExponentialMovingAverage(0.5)
        return a, n, ema

    with tf.Graph().as_default():
        a, n, ema = build()
        update = ema.apply([a])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(a.assign(3.0))
            session.run(update)
            path = v1.train.Saver().save(session, str(tmp_path / "saved"), write_meta_graph=False)
    with tf.Graph().as_default():
        a, n, ema = build()
        names = ema.variables_to_restore()
        assert {name: variable.name for name, variable in names.items()} == {"a/ExponentialMovingAverage": "a:0", "n": "n:0"}
        with v1.Session() as session:
            v1.train.Saver(names).restore(session, path)
            assert session.run([a, n]) == [2.0, 7]


def test_variables_to_restore_of_a_list(tf, v1):
    with tf.Graph().as_default():
        a, b = v1.get_variable("a", initializer=1.0), v1.get_variable("b", initializer=1.0)
        ema = v1.train.ExponentialMovingAverage(0.5, name="Mean")
        ema.apply([a, b])
        names = {name: variable.name for name, variable in ema.variables_to_restore([a]).items()}
        assert names == {"a/Mean": "a:0", "b": "b:0", "b/Mean": "b/Mean:0"}
    weights = tf.Variable(1.0, name="eager_weights")
    assert list(ema.variables_to_restore([weights])) == ["eager_weights/Mean"]


def test_moving_averages_for_libraries(tf):
    # TensorFlow looks at the Variables that other tests left in the default graph.
    tf.compat.v1.reset_default_graph()
    update = tf.__internal__.train.assign_moving_average
    mean = tf.Variable(0.0, name="mean_of_library")
    update(mean, tf.constant(2.0), 0.75, zero_debias=False)
    assert mean.numpy() == 0.5
    update(mean, tf.constant(2.0), tf.constant(0.5), zero_debias=False, name="Update")
    assert mean.numpy() == 1.25
    # Each eager call begins anew.
    update(mean, tf.constant(2.0), 0.5)
    assert mean.numpy() == 2.0

    debiased = tf.Variable(0.0, name="debiased_mean")

    @tf.function
    def step(x):
        update(debiased, x, 0.5)
        return debiased.read_value()

    np.testing.assert_allclose([step(tf.constant(x)).numpy() for x in (4.0, 1.0)], [4.0, 2.0], rtol=1e-6)


# Coordinators. Threads are in tests/unit/test_coordinator.py.


def handled(coordinator, exception):
    """Gives the Coordinator an exception that is being handled."""
    try:
        raise exception
    except BaseException as error:
        coordinator.request_stop(error)


def test_names(tf, v1):
    assert v1.train.Coordinator is tf.train.Coordinator
    assert v1.train.ExponentialMovingAverage is tf.train.ExponentialMovingAverage


def test_a_stop_without_an_exception(tf):
    coordinator = tf.train.Coordinator()
    assert (coordinator.should_stop(), coordinator.joined) == (False, False)
    assert coordinator.wait_for_stop(0.001) is False
    assert coordinator.request_stop() is None
    assert (coordinator.should_stop(), coordinator.joined) == (True, False)
    assert coordinator.wait_for_stop() is True
    assert coordinator.raise_requested_exception() is None
    assert coordinator.join() is None
    assert coordinator.joined is True
    coordinator.clear_stop()
    assert (coordinator.should_stop(), coordinator.joined) == (False, False)


def test_the_first_exception_is_raised(tf):
    coordinator = tf.train.Coordinator()
    first = ValueError("first")
    handled(coordinator, first)
    handled(coordinator, KeyError("second"))
    for raises in (coordinator.raise_requested_exception, coordinator.join, coordinator.join):
        with pytest.raises(ValueError, match="first") as caught:
            raises()
        assert caught.value is first
    coordinator.clear_stop()
    coordinator.join()


def test_a_stop_hides_later_exceptions(tf):
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    handled(coordinator, ValueError("late"))
    coordinator.join()


def test_exceptions_as_python_describes_them(tf):
    coordinator = tf.train.Coordinator()
    coordinator.request_stop((ValueError, ValueError("described"), None))
    with pytest.raises(ValueError, match="described"):
        coordinator.join()


@pytest.mark.superset("Y2")
def test_exceptions_that_nothing_raised(tf):
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(KeyError("made"))
    with pytest.raises(KeyError, match="made"):
        coordinator.join()
    coordinator = tf.train.Coordinator()
    coordinator.request_stop("text")
    with pytest.raises(ValueError, match="ex must be a tuple or sys.exc_info must return the current exception: text"):
        coordinator.join()


def test_after_join_exceptions_are_raised_at_once(tf):
    coordinator = tf.train.Coordinator()
    coordinator.request_stop()
    coordinator.join()
    with pytest.raises(ValueError, match="late"):
        handled(coordinator, ValueError("late"))
    with pytest.raises(ValueError, match="late"):
        coordinator.request_stop((ValueError, ValueError("late"), None))
    handled(coordinator, tf.errors.OutOfRangeError(None, None, "end"))


def test_the_end_of_data_is_a_clean_stop(tf):
    coordinator = tf.train.Coordinator()
    with coordinator.stop_on_exception():
        raise tf.errors.OutOfRangeError(None, None, "end")
    assert coordinator.should_stop()
    coordinator.join()


def test_other_classes_of_clean_stops(tf):
    coordinator = tf.train.Coordinator(clean_stop_exception_types=[StopIteration, KeyError])
    with coordinator.stop_on_exception():
        raise KeyError("end")
    coordinator.join()
    coordinator.clear_stop()
    with coordinator.stop_on_exception():
        raise tf.errors.OutOfRangeError(None, None, "end")
    with pytest.raises(tf.errors.OutOfRangeError):
        coordinator.join()
    with pytest.raises(TypeError):
        tf.train.Coordinator(clean_stop_exception_types=ValueError)


def test_contexts_report_everything(tf):
    coordinator = tf.train.Coordinator()
    with coordinator.stop_on_exception():
        pass
    assert not coordinator.should_stop()
    with coordinator.stop_on_exception():
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        coordinator.join()


def test_threads_that_do_not_end(tf):
    coordinator, end = tf.train.Coordinator(), threading.Event()
    thread = threading.Thread(target=end.wait, name="laggard", daemon=True)
    thread.start()
    coordinator.register_thread(thread)
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="Coordinator stopped with threads still running: laggard"):
        coordinator.join(stop_grace_period_secs=0.01)
    assert coordinator.joined
    coordinator.join()  # it is forgotten
    coordinator.join([thread], stop_grace_period_secs=0.01, ignore_live_threads=True)
    end.set()


def test_reports_are_logged(tf, caplog):
    logger = tf.get_logger()
    caplog.set_level(logging.INFO, logger=logger.name)
    logger.addHandler(caplog.handler)
    try:
        handled(tf.train.Coordinator(), ValueError("reported"))
    finally:
        logger.removeHandler(caplog.handler)
    assert "Error reported to Coordinator: <class 'ValueError'>, reported" in caplog.text


def test_loopers_call_a_function(tf, v1):
    coordinator, calls = tf.train.Coordinator(), []

    def work(*args, **kwargs):
        calls.append((args, kwargs))
        if len(calls) == 3:
            coordinator.request_stop()

    thread = v1.train.LooperThread.loop(coordinator, None, work, args=(1,), kwargs={"key": 2})
    assert isinstance(thread, v1.train.LooperThread)
    assert thread.daemon
    coordinator.join()
    assert calls == [((1,), {"key": 2})] * 3


def test_loopers_may_be_subclasses(tf, v1):
    events, coordinator = [], tf.train.Coordinator()

    class Looper(v1.train.LooperThread):
        def start_loop(self):
            events.append("start")

        def run_loop(self):
            events.append("run")
            if len(events) == 4:
                coordinator.request_stop()

        def stop_loop(self):
            events.append("stop")

    looper = Looper(coordinator, 0.001)
    looper.start()
    coordinator.join()
    assert events == ["start", "run", "run", "run", "stop"]


def test_exceptions_of_loopers(tf, v1):
    coordinator = tf.train.Coordinator()
    v1.train.LooperThread.loop(coordinator, 60, lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        coordinator.join()


def test_arguments_of_loopers(tf, v1):
    with pytest.raises(ValueError, match="'coord' argument must be a Coordinator: 1"):
        v1.train.LooperThread(1, None)
    with pytest.raises(ValueError, match="'args' and 'kwargs' argument require that you also pass 'target'"):
        v1.train.LooperThread(tf.train.Coordinator(), None, args=(1,))


# Queue runners, hooks, timers.


def test_programs_without_queues_start_no_threads(tf, v1, caplog):
    with pytest.raises(RuntimeError, match="Queues are not compatible with eager execution"):
        v1.train.start_queue_runners()
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Cannot start queue runners: No default session is registered"):
            v1.train.start_queue_runners()
        with pytest.raises(TypeError, match="sess must be a `tf.Session` object. Given class: <class 'int'>"):
            v1.train.start_queue_runners(1)
        with v1.Session() as session:
            coordinator = v1.train.Coordinator()
            assert v1.train.start_queue_runners(sess=session, coord=coordinator) == []
            assert v1.train.queue_runner.start_queue_runners() == []


def test_runners_of_a_program_are_started(tf, v1):
    class Runner:
        def create_threads(self, sess, coord=None, daemon=False, start=False):
            thread = threading.Thread(target=coord.request_stop, daemon=daemon)
            if start:
                thread.start()
            return [thread]

    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.add_queue_runner(Runner())
        v1.train.add_queue_runner(Runner(), collection="others")
        coordinator = v1.train.Coordinator()
        (thread,) = v1.train.start_queue_runners(session, coordinator)
        coordinator.join([thread])
        assert coordinator.should_stop()
        (thread,) = v1.train.start_queue_runners(session, coordinator, daemon=False, start=False, collection="others")
        assert (thread.daemon, thread.is_alive()) == (False, False)


def test_timers_by_steps(v1):
    timer = v1.train.SecondOrStepTimer(every_steps=3)
    assert timer.last_triggered_step() is None
    assert timer.should_trigger_for_step(1)
    assert timer.update_last_triggered_step(1) == (None, None)
    assert [timer.should_trigger_for_step(step) for step in (1, 2, 3, 4, 9)] == [False, False, False, True, True]
    seconds, steps = timer.update_last_triggered_step(5)
    assert (seconds >= 0.0, steps, timer.last_triggered_step()) == (True, 4, 5)
    timer.reset()
    assert timer.last_triggered_step() is None
    assert timer.should_trigger_for_step(5)
    assert timer.update_last_triggered_step(5) == (None, None)


def test_timers_by_seconds(v1):
    for seconds, due in ((0.0, True), (3600, False)):
        timer = v1.train.SecondOrStepTimer(every_secs=seconds)
        timer.update_last_triggered_step(7)
        assert timer.should_trigger_for_step(8) is due
        assert not timer.should_trigger_for_step(7)


def test_timers_need_one_interval(v1):
    with pytest.raises(ValueError, match="Either every_secs or every_steps should be provided."):
        v1.train.SecondOrStepTimer()
    with pytest.raises(ValueError, match="Can not provide both every_secs and every_steps."):
        v1.train.SecondOrStepTimer(1, 2)


def test_hooks_in_a_loop_of_ones_own(tf, v1):
    class Stops(v1.train.SessionRunHook):
        def begin(self):
            self.step = tf.constant(3.0)

        def before_run(self, run_context):
            return v1.train.SessionRunArgs(self.step)

        def after_run(self, run_context, run_values):
            if run_values.results == 3.0:
                run_context.request_stop()

    plain = v1.train.SessionRunHook()
    assert [plain.begin(), plain.after_create_session(1, 2), plain.before_run(1), plain.after_run(1, 2), plain.end(1)] == [None] * 5
    with tf.Graph().as_default(), v1.Session() as session:
        hook = Stops()
        hook.begin()
        context = v1.train.SessionRunContext(v1.train.SessionRunArgs(hook.step), session)
        assert (context.session, context.stop_requested) == (session, False)
        asked = hook.before_run(context)
        assert asked == (hook.step, None, None)
        hook.after_run(context, v1.train.SessionRunValues(session.run(asked.fetches), asked.options, None))
        assert context.stop_requested
        assert context.original_args.fetches is hook.step


def test_texts_of_hooks_arguments(v1):
    assert str(v1.train.SessionRunArgs("loss", {"x": 1})) == "SessionRunArgs(fetches='loss', feed_dict={'x': 1}, options=None)"
    assert str(v1.train.SessionRunValues(1, 2, 3)) == "SessionRunValues(results=1, options=2, run_metadata=3)"
    assert v1.train.SessionRunArgs(1)._replace(options=2) == (1, None, 2)
    assert str(v1.train.NanLossDuringTrainingError("ignored")) == "NaN loss during training."
    assert issubclass(v1.train.NanLossDuringTrainingError, RuntimeError)


# Steps by dual averaging.


def steps_by_dual_averaging(gradients, *, l1=0.0, l2=0.0, rate=0.5):
    """The weights after gradient descent with the sums of gradients, from zero."""
    total, squares = np.zeros(2), np.full(2, 0.1)
    for count, gradient in enumerate(gradients, 1):
        total, squares = total + gradient, squares + np.square(gradient)
        kept = np.sign(total) * np.maximum(np.abs(total) - l1 * count, 0.0) if l1 else total
        weights = -kept * rate / (l2 * count * rate + np.sqrt(squares))
    return weights


@pytest.mark.parametrize("options", [{}, {"l1": 0.3}, {"l2": 0.2}, {"l1": 0.1, "l2": 0.3}])
def test_dual_averaging(tf, v1, options):
    gradients = [np.array(g, "float32") for g in ([0.1, -0.9], [0.2, 0.3], [-0.4, 0.5])]
    names = {"l1": "l1_regularization_strength", "l2": "l2_regularization_strength"}
    weights, step = tf.Variable([0.0, 0.0], name="w"), tf.Variable(0, dtype="int64")
    optimizer = v1.train.AdagradDAOptimizer(0.5, step, **{names[key]: value for key, value in options.items()})
    assert optimizer.get_name() == "AdagradDA"
    for gradient in gradients:
        optimizer.apply_gradients([(tf.constant(gradient), weights)], global_step=step)
    np.testing.assert_allclose(weights.numpy(), steps_by_dual_averaging(gradients, **options), rtol=1e-5, atol=1e-7)
    assert optimizer.get_slot_names() == ["gradient_accumulator", "gradient_squared_accumulator"]
    np.testing.assert_allclose(optimizer.get_slot(weights, "gradient_accumulator"), sum(gradients), rtol=1e-6)


def test_dual_averaging_of_rows(tf, v1):
    weights, step = tf.Variable([[0.0, 0.0], [5.0, 5.0]]), tf.Variable(0, dtype="int64")
    optimizer = v1.train.AdagradDAOptimizer(0.5, step)
    rows = tf.IndexedSlices(tf.constant([[0.1, 0.2], [0.3, 0.4]]), tf.constant([0, 0]), tf.constant([2, 2]))
    optimizer.apply_gradients([(rows, weights)], global_step=step)
    np.testing.assert_allclose(weights[0], steps_by_dual_averaging([np.array([0.4, 0.6])]), rtol=1e-5)
    assert weights[1].numpy().tolist() == [5.0, 5.0]


def test_dual_averaging_in_a_session(tf, v1):
    with tf.Graph().as_default():
        weights = v1.get_variable("w", initializer=[0.0, 0.0])
        step = v1.train.create_global_step()
        optimizer = v1.train.AdagradDAOptimizer(0.5, step)
        update = optimizer.apply_gradients([(tf.constant([0.1, -0.9]), weights)], global_step=step)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(update)
            np.testing.assert_allclose(session.run(weights), steps_by_dual_averaging([np.array([0.1, -0.9])]), rtol=1e-5)


def test_dual_averaging_refuses_sums_that_are_not_positive(tf, v1):
    with pytest.raises(ValueError, match="initial_gradient_squared_accumulator_value must be positive: 0.0"):
        v1.train.AdagradDAOptimizer(0.5, tf.constant(0, "int64"), initial_gradient_squared_accumulator_value=0.0)


# Messages, and names of saved models.


@pytest.fixture
def has_messages(tf):
    """tracefn has their classes from the package tensorboard."""
    if tf.__name__ == "tracefn":
        pytest.importorskip("tensorboard")


def test_clusters_as_messages(tf, v1, has_messages):
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:1"}})
    message = spec.as_cluster_def()
    assert isinstance(message, tf.train.ClusterDef)
    assert [(job.name, dict(job.tasks)) for job in message.job] == [("ps", {3: "c:1"}), ("worker", {0: "a:1", 1: "b:2"})]
    assert tf.train.ClusterSpec(message) == spec
    assert tf.train.JobDef(name="a", tasks={1: "b"}).SerializeToString() == b"\n\x01a\x12\x05\x08\x01\x12\x01b"
    server = tf.train.ServerDef(cluster=message, job_name="worker", task_index=1, protocol="grpc", port=3)
    server.default_session_config.log_device_placement = True
    server.cluster_device_filters.jobs.add(name="worker").tasks[2].device_filters.append("/job:ps")
    again = tf.train.ServerDef.FromString(server.SerializeToString(deterministic=True))
    assert again == server
    assert tf.train.ClusterSpec(again.cluster) == spec
    assert server.SerializeToString(deterministic=True).endswith(b"*\x04grpc0\x03:\x19\n\x17\n\x06worker\x12\r\x08\x02\x12\t\n\x07/job:ps")
    assert v1.train.ServerDef is tf.train.ServerDef


def test_messages_of_graphs_and_summaries(v1, has_messages):
    info = v1.TensorInfo(name="x:0", dtype=1)
    meta = v1.MetaGraphDef()
    meta.signature_def["serve"].inputs["x"].CopyFrom(info)
    assert v1.MetaGraphDef.FromString(meta.SerializeToString()).signature_def["serve"].inputs["x"] == info
    assert v1.summary.Summary is v1.Summary
    assert v1.summary.Event(step=3).step == 3
    assert v1.summary.SummaryDescription(type_hint="scalar").type_hint == "scalar"


def test_policies_of_variables(tf):
    policy = tf.saved_model.experimental.VariablePolicy
    assert [(member.name, member.value) for member in policy] == [
        ("NONE", None),
        ("SAVE_VARIABLE_DEVICES", "save_variable_devices"),
        ("EXPAND_DISTRIBUTED_VARIABLES", "expand_distributed_variables"),
    ]
    for options in (tf.saved_model.SaveOptions, tf.saved_model.LoadOptions):
        assert options().experimental_variable_policy is policy.NONE
        assert options(experimental_variable_policy="Save_Variable_Devices").experimental_variable_policy is policy.SAVE_VARIABLE_DEVICES
        given = policy.EXPAND_DISTRIBUTED_VARIABLES
        assert options(experimental_variable_policy=given).experimental_variable_policy is given
        with pytest.raises(ValueError, match="Received invalid VariablePolicy value: other."):
            options(experimental_variable_policy="other")


def test_names_of_saved_models(tf, v1, tmp_path):
    names = v1.saved_model
    assert names.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY == names.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert (names.tag_constants.SERVING, names.constants.VARIABLES_DIRECTORY) == ("serve", "variables")
    module = tf.Module()
    module.v = tf.Variable(3.0)
    path = str(tmp_path / "model")
    assert not names.maybe_saved_model_directory(path)
    names.save(module, path)
    assert names.contains_saved_model(path)
    assert names.loader.maybe_saved_model_directory(path)
    assert names.load_v2(path).v.numpy() == 3.0
