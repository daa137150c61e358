"""tf.compat.v1.train.SyncReplicasOptimizer, with its workers as threads of one program."""

import threading
import time

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27, 50)


class Training:
    """A graph with the weights [[1, 2], [3, 4]], and a session in which the chief's thread runs."""

    def __init__(self, tf, v1, needed=1, workers=None, loss=None, optimizer=None, averages=None):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.w = v1.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
            unused, self.step = v1.get_variable("unused", initializer=5.0), v1.train.get_or_create_global_step()
            named = {} if averages is None else {"variable_averages": averages, "variables_to_average": [self.w]}
            steps = optimizer or v1.train.GradientDescentOptimizer(0.25)
            self.optimizer = v1.train.SyncReplicasOptimizer(steps, needed, workers, **named)
            pairs = self.optimizer.compute_gradients((loss or (lambda w: tf.reduce_sum(w * w)))(self.w), [self.w, unused])
            self.train = self.optimizer.apply_gradients(pairs, global_step=self.step)
            self.initialize = v1.global_variables_initializer()
            self.session, self.coordinator = v1.Session(), v1.train.Coordinator()

    def __enter__(self):
        self.graph_context = self.graph.as_default()
        self.graph_context.__enter__()
        hook = self.optimizer.make_session_run_hook(is_chief=True, num_tokens=0)
        hook.begin()
        with pytest.raises(RuntimeError, match="Init operations did not make model ready for SyncReplicasOptimizer local_init"):
            hook.after_create_session(self.session, self.coordinator)
        self.session.run(self.initialize)
        hook.after_create_session(self.session, self.coordinator)
        return self.session

    def __exit__(self, *args):
        self.coordinator.request_stop()
        self.session.close()
        self.coordinator.join(stop_grace_period_secs=10)
        self.graph_context.__exit__(*args)


def test_one_worker(tf, v1):
    training = Training(tf, v1)
    with training as session:
        for _ in range(3):
            session.run(training.train)
        assert session.run(training.w).tolist() == [[0.125, 0.25], [0.375, 0.5]] and session.run(training.step) == 3


def test_slots_of_the_optimizer_within(tf, v1):
    training = Training(tf, v1, optimizer=v1.train.MomentumOptimizer(0.1, 0.5))
    with training as session:
        session.run(training.train)
        assert training.optimizer.get_slot_names() == ["momentum"] and len(training.optimizer.variables()) == 1
        assert session.run(training.optimizer.get_slot(training.w, "momentum")).tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_gradients_of_rows(tf, v1):
    training = Training(tf, v1, loss=lambda w: tf.reduce_sum(tf.gather(w, [1])))
    with training as session:
        session.run(training.train)
        assert session.run(training.w).tolist() == [[1.0, 2.0], [2.75, 3.75]]


def test_a_step_takes_the_gradients_of_two_workers(tf, v1):
    """A worker whose gradient came too late, and was dropped, waits until the session is closed."""
    training = Training(tf, v1, needed=2)
    before = np.array([[1.0, 2.0], [3.0, 4.0]])
    with training as session:

        def work():
            try:
                while session.run(training.step) < 2:
                    session.run(training.train)
            except (tf.errors.OpError, RuntimeError):  # the session is closed
                return

        workers = [threading.Thread(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        for _ in range(3000):
            if session.run(training.step) >= 2:
                break
            time.sleep(0.01)
        else:
            pytest.fail("no steps are made")
        halvings = -np.log2(session.run(training.w) / before)
        assert halvings.min() == halvings.max() >= 2 and float(halvings.max()).is_integer()
    for worker in workers:
        worker.join(30)
        assert not worker.is_alive()


def test_averages_of_the_weights(tf, v1):
    averages = tf.train.ExponentialMovingAverage(0.5)
    training = Training(tf, v1, averages=averages)
    with training as session:
        for _ in range(2):
            session.run(training.train)
        for _ in range(1000):  # the chief's thread updates them after it has put the tokens
            if session.run(averages.average(training.w)).tolist() == [[0.5, 1.0], [1.5, 2.0]]:
                break
            time.sleep(0.01)
        else:
            pytest.fail("the averages stay as they are")


def test_mistakes(tf, v1):
    with tf.Graph().as_default():
        w = v1.get_variable("w", initializer=1.0)
        optimizer = v1.train.SyncReplicasOptimizer(v1.train.GradientDescentOptimizer(0.25), 3, 1)
        with pytest.raises(ValueError, match=r"Should be called after apply_gradients\(\)"):
            optimizer.get_chief_queue_runner()
        with pytest.raises(ValueError, match=r"get_init_tokens_op\(\) should be called after apply_gradients\(\)"):
            optimizer.get_init_tokens_op()
        with pytest.raises(ValueError, match="apply_gradient should be called before using the hook"):
            optimizer.make_session_run_hook(True).begin()
        with pytest.raises(ValueError, match="Must supply at least one variable"):
            optimizer.apply_gradients([])
        with pytest.raises(ValueError, match="Global step is required to check staleness"):
            optimizer.minimize(w * w)
        optimizer.minimize(w * w, v1.train.get_or_create_global_step())
        with pytest.raises(ValueError, match=r"Too few tokens to finish the first step: 1 \(given\) vs 2 \(needed\)"):
            optimizer.get_init_tokens_op(1)
        assert optimizer.get_init_tokens_op(2).type != "NoOp"
