"""Programs of TensorFlow 1 as tutorials have them; the numbers that they print are TensorFlow's."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def v1(tf):
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(1)
        yield tf.compat.v1


def test_softmax_regression(v1):
    numbers = np.random.RandomState(0)
    images = numbers.rand(200, 64).astype("float32")
    labels = np.eye(10)[(images @ numbers.randn(64, 10)).argmax(1)].astype("float32")
    x, wanted = v1.placeholder(v1.float32, [None, 64]), v1.placeholder(v1.float32, [None, 10])
    w, b = v1.Variable(v1.zeros([64, 10])), v1.Variable(v1.zeros([10]))
    y = v1.matmul(x, w) + b
    loss = v1.reduce_mean(v1.nn.softmax_cross_entropy_with_logits(labels=wanted, logits=y))
    step = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
    right = v1.reduce_mean(v1.to_float(v1.equal(v1.argmax(y, 1), v1.argmax(wanted, 1))))
    losses = []
    with v1.Session():
        v1.global_variables_initializer().run()
        for i in range(100):
            rows = slice(i % 4 * 50, i % 4 * 50 + 50)
            step.run({x: images[rows], wanted: labels[rows]})
            losses.append(loss.eval({x: images, wanted: labels}))
        assert right.eval({x: images, wanted: labels}) > 0.9
    assert np.allclose([losses[0], losses[10]], [0.706977, 0.388856], atol=1e-4), losses


def test_regression_of_lines_from_queues(v1, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("".join(f"{i / 60:.4f},{3 * i / 60 + 0.5:.4f}\n" for i in range(60)))
    names = v1.train.string_input_producer([str(path)], shuffle=False)
    _, line = v1.TextLineReader().read(names)
    x, y = v1.decode_csv(line, [[0.0], [0.0]])
    x, y = v1.train.shuffle_batch([x, y], batch_size=10, capacity=100, min_after_dequeue=30)
    w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
    b = v1.get_variable("b", [], initializer=v1.zeros_initializer())
    loss = v1.reduce_mean(v1.square(x * w + b - y))
    step = v1.train.AdamOptimizer(0.1).minimize(loss)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(sess=session, coord=coordinator)
        try:
            for _ in range(200):
                session.run(step)
        finally:
            coordinator.request_stop()
            coordinator.join(threads)
        assert np.allclose(session.run([w, b]), [3.0, 0.5], atol=0.15)


class LSTM:
    """A cell as older tutorials write it."""

    def __init__(self, v1, size):
        self.v1, self.size = v1, size

    @property
    def state_size(self):
        return self.size, self.size

    @property
    def output_size(self):
        return self.size

    def zero_state(self, batch_size, dtype):
        return tuple(self.v1.zeros([batch_size, self.size], dtype) for _ in range(2))

    def __call__(self, x, state, scope=None):
        v1, (c, h) = self.v1, state
        with v1.variable_scope(scope or "lstm"):
            shape = [int(x.shape[-1]) + self.size, 4 * self.size]
            kernel = v1.get_variable("kernel", shape, initializer=v1.random_uniform_initializer(-0.2, 0.2, seed=2))
            bias = v1.get_variable("bias", shape[1:], initializer=v1.zeros_initializer())
            i, j, f, o = v1.split(v1.matmul(v1.concat([x, h], 1), kernel) + bias, 4, 1)
            c = c * v1.sigmoid(f + 1.0) + v1.sigmoid(i) * v1.tanh(j)
            h = v1.tanh(c) * v1.sigmoid(o)
        return h, (c, h)


def test_language_model(v1):
    text = "hello world of recurrent nets " * 20
    letters = sorted(set(text))
    ids = np.array([letters.index(letter) for letter in text])
    inputs, targets = ids[:580].reshape(20, 29), ids[1:581].reshape(20, 29)
    x, y = v1.placeholder(v1.int32, [None, None]), v1.placeholder(v1.int32, [None, None])
    lengths = v1.placeholder(v1.int32, [None])
    table = v1.get_variable("table", [len(letters), 8], initializer=v1.random_uniform_initializer(-0.5, 0.5, seed=3))
    outputs, _ = v1.nn.dynamic_rnn(
        LSTM(v1, 16), v1.nn.embedding_lookup(table, x), sequence_length=lengths, dtype=v1.float32
    )
    softmax = v1.get_variable("softmax", [16, len(letters)], initializer=v1.random_uniform_initializer(-0.3, 0.3, seed=4))
    logits = v1.matmul(v1.reshape(outputs, [-1, 16]), softmax)
    logits = v1.reshape(logits, [-1, v1.shape(x)[1], len(letters)])
    losses = v1.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    mask = v1.sequence_mask(lengths, v1.shape(x)[1], dtype=v1.float32)
    loss = v1.reduce_sum(losses * mask) / v1.reduce_sum(mask)
    variables = v1.trainable_variables()
    assert [v.name for v in variables] == ["table:0", "rnn/lstm/kernel:0", "rnn/lstm/bias:0", "softmax:0"]
    gradients, _ = v1.clip_by_global_norm(v1.gradients(loss, variables), 1.0)
    step = v1.train.AdamOptimizer(0.05).apply_gradients(zip(gradients, variables, strict=True))
    feeds = {x: inputs, y: targets, lengths: [29] * 10 + [20] * 10}
    found = []
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for _ in range(31):
            found.append(session.run([loss, step], feeds)[0])
    assert np.allclose(found[::10], LOSSES, atol=2e-3), found[::10]


# What TensorFlow 2.21 computes in the steps 0, 10, 20 and 30.
LOSSES = [2.631771, 1.5836558, 0.47944486, 0.10855708]


def test_training_that_goes_on_where_it_stopped(tf, tmp_path):
    v1, found = tf.compat.v1, []
    for last in (20, 30):
        with tf.Graph().as_default():
            step = v1.train.get_or_create_global_step()
            rows = tf.data.Dataset.from_tensor_slices(np.arange(40, dtype="float32")).repeat().batch(8)
            x = v1.data.make_one_shot_iterator(rows).get_next()
            w = v1.get_variable("w", [], initializer=v1.ones_initializer())
            loss = v1.reduce_mean(v1.square(w * x - 2 * x)) / 100
            rate = v1.train.exponential_decay(0.01, step, 10, 0.5)
            train = v1.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
            v1.summary.scalar("loss", loss)
            final = v1.train.FinalOpsHook([w, step])
            with v1.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path),
                hooks=[v1.train.StopAtStepHook(last_step=last), final],
                save_checkpoint_steps=10,
                save_summaries_steps=5,
            ) as session:
                while not session.should_stop():
                    session.run(train)
            found.append([float(value) for value in final.final_ops_values])
    v1.summary.FileWriterCache.clear()
    assert np.allclose(found, [[1.6716, 20], [1.7253, 30]], atol=1e-3), found


def test_names_of_losses(v1):
    makers = {
        "mean_squared_error": v1.losses.mean_squared_error, "absolute_difference": v1.losses.absolute_difference,
        "sigmoid_cross_entropy_loss": v1.losses.sigmoid_cross_entropy, "huber_loss": v1.losses.huber_loss,
        "hinge_loss": v1.losses.hinge_loss, "log_loss": v1.losses.log_loss,
    }  # fmt: skip
    for name, make in makers.items():
        assert make([1.0], [2.0]).op.name == f"{name}/value"
        assert make([1.0], [2.0], reduction="weighted_sum").op.name == f"{name}_1/Sum"
    assert v1.losses.mean_pairwise_squared_error([[1.0]], [[2.0]]).op.name == "mean_pairwise_squared_error/value_2"
    assert v1.losses.sparse_softmax_cross_entropy([1], [[1.0, 2.0]], scope="own").op.name == "own/value"
    assert v1.losses.compute_weighted_loss([1.0], reduction="none").op.name == "weighted_loss/Mul"


def test_names_of_templates(v1):
    def scaled(x):
        return x * v1.get_variable("k", [])

    first = v1.make_template("scale", scaled)
    assert [first(1.0).op.name, first(2.0).op.name] == ["scale/mul", "scale_1/mul"]
    second = v1.make_template("scale", scaled)
    assert [second(1.0).op.name, second.variables[0].op.name] == ["scale_2/mul", "scale_1/k"]
    early = v1.make_template("early", scaled, create_scope_now_=True)
    assert [early(1.0).op.name, early(2.0).op.name] == ["early/mul", "early_1/mul"]
    unique = v1.make_template("scale", scaled, unique_name_="unique")
    assert [unique(1.0).op.name, unique(1.0).op.name] == ["unique/mul", "unique_1/mul"]
    with pytest.raises(ValueError, match="Variable unique/k already exists"):
        v1.make_template("scale", scaled, unique_name_="unique")(1.0)


def test_scopes_with_default_names(v1):
    found = []
    for _ in range(2):
        with v1.variable_scope(None, "layer"):
            found += [v1.get_variable("w", []).op.name, v1.add(1, 2, name="sum").op.name]
    with v1.name_scope("layer"), v1.variable_scope(None, "layer"):
        found += [v1.get_variable("w", []).op.name, v1.add(1, 2, name="sum").op.name]
    assert found == ["layer/w", "layer/sum", "layer_1/w", "layer_1/sum", "layer_2/w", "layer_2/layer/sum"]
