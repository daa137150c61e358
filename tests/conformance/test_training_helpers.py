"""The rest of tf.compat.v1.train: queue runners, hooks, timers, steps by dual averaging, messages."""

import threading

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


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
