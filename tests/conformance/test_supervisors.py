"""Supervisors of TensorFlow 1: sessions that are initialized or restored, with threads that save."""

import os

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def program(tf):
    v1 = tf.compat.v1
    step = v1.train.get_or_create_global_step()
    w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
    train = v1.train.GradientDescentOptimizer(0.1).minimize(tf.square(w - 3.0), global_step=step)
    v1.summary.scalar("w", w)
    return w, step, train


def test_training_that_is_restored(tf, v1, tmp_path):
    folder, values = str(tmp_path), []
    for _ in range(2):
        with tf.Graph().as_default() as graph:
            w, step, train = program(tf)
            supervisor = v1.train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0)
            assert graph.finalized and supervisor.is_chief and supervisor.global_step is not None
            assert supervisor.save_path == os.path.join(folder, "model.ckpt")
            with supervisor.managed_session() as session:
                values.append(session.run(w))
                while not supervisor.should_stop():
                    session.run(train)
                    if session.run(step) % 3 == 0:
                        supervisor.saver.save(session, supervisor.save_path, global_step=step)
                        supervisor.summary_computed(session, session.run(supervisor.summary_op))
                        supervisor.request_stop()
    assert np.allclose(values, [0.0, 1.464])
    assert {"model.ckpt-3.index", "model.ckpt-6.index", "graph.pbtxt"} <= set(os.listdir(folder))


def test_the_graph_is_written_once(tf, v1, tmp_path):
    with tf.Graph().as_default():
        program(tf)
        supervisor = v1.train.Supervisor(logdir=str(tmp_path), save_model_secs=0, save_summaries_secs=0)
        for _ in range(2):
            with supervisor.managed_session():
                pass
    names = [name for name in os.listdir(tmp_path) if "tfevents" in name]
    kinds = [event.WhichOneof("what") for name in names for event in v1.train.summary_iterator(str(tmp_path / name))]
    found, once = sorted(kind for kind in kinds if "graph" in kind), ["graph_def", "meta_graph_def"]
    # TensorFlow's second file replaces the first one only if it is made in the same second.
    assert found == once or (tf.__name__ == "tensorflow" and found == sorted(2 * once))


def test_without_a_directory(tf, v1):
    with tf.Graph().as_default():
        w, _, train = program(tf)
        supervisor = v1.train.Supervisor()
        with supervisor.managed_session() as session:
            session.run(train)
            assert np.isclose(session.run(w), 0.6)
        assert supervisor.should_stop() and supervisor.summary_writer is None and supervisor.save_path is None
        with pytest.raises(RuntimeError, match="Writing a summary requires a summary writer."):
            supervisor.summary_computed(session, b"")


def test_exceptions_and_first_values(tf, v1):
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        w = v1.get_variable("w", initializer=x)
        supervisor = v1.train.Supervisor(init_feed_dict={x: 2.0}, init_fn=lambda session: seen.append(session.run(w)))
        seen = []
        with pytest.raises(ValueError, match="mine"), supervisor.managed_session():
            raise ValueError("mine")
        assert seen == [2.0]
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(1)


def test_queues_and_loops(tf, v1):
    with tf.Graph().as_default():
        number = v1.train.range_input_producer(3, shuffle=False).dequeue()
        supervisor = v1.train.Supervisor(logdir=None)
        found = []

        def step(session, most):
            found.append(int(session.run(number)))
            if len(found) == most:
                supervisor.request_stop()

        v1.train.basic_train_loop(supervisor, step, args=[5])
    assert found == [0, 1, 2, 0, 1]


def test_eagerly(v1):
    with pytest.raises(RuntimeError, match="Supervisors are incompatible with eager execution."):
        v1.train.Supervisor()
