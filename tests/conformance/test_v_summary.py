"""Section V of the tracing rules: summaries and exported traces."""

import pytest

pytestmark = pytest.mark.needs("summary")


def written(folder):
    return b"".join(path.read_bytes() for path in folder.glob("events.out.tfevents.*"))


@pytest.mark.needs("autograph")
@pytest.mark.rule(217)
def test_trace_export(tf, tmp_path):
    @tf.function
    def traced_powers(x, label):
        y = x
        for i in tf.range(3):
            tf.print(label, i)
            y = tf.matmul(y, x)
        return y

    writer = tf.summary.create_file_writer(str(tmp_path))
    tf.summary.trace_on(graph=True)
    traced_powers(tf.ones([2, 2]), tf.constant("step"))
    with writer.as_default():
        tf.summary.trace_export("my_trace", step=0)
    writer.flush()
    content = written(tmp_path)
    for name in (b"my_trace", b"MatMul", b"PrintV2", b"while"):
        assert name in content


@pytest.mark.rule(218)
def test_export_without_trace_on(tf, tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    words = "Must enable trace before export through tf.summary.trace_on."
    with writer.as_default(), pytest.raises(ValueError, match=words):
        tf.summary.trace_export("t", step=0)


@pytest.mark.rule(218)
def test_export_without_step(tf, tmp_path):
    tf.summary.experimental.set_step(None)  # of other tests
    tf.summary.trace_on(graph=True)
    writer = tf.summary.create_file_writer(str(tmp_path))
    words = "No step set. Please specify one either through the `step` argument"
    with writer.as_default(), pytest.raises(ValueError, match=words):
        tf.summary.trace_export("t")
    tf.summary.trace_off()


@pytest.mark.rule(218)
def test_export_without_a_writer(tf):
    tf.summary.trace_on(graph=True)
    tf.summary.trace_export("t", step=0)
    tf.summary.trace_off()


@pytest.mark.rule(219)
def test_scalars_are_written_at_each_call(tf, tmp_path):
    @tf.function
    def f(x, step):
        return tf.summary.scalar("my_scalar", x, step=step)

    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        results = [f(tf.constant(0.5), tf.constant(n, tf.int64)) for n in range(3)]
    writer.flush()
    assert [r.numpy() for r in results] == [True, True, True]
    assert written(tmp_path).count(b"my_scalar") == 3


@pytest.mark.rule(219)
def test_scalars_without_a_writer(tf):
    f = tf.function(lambda x: tf.summary.scalar("s", x, step=0))
    assert not f(tf.constant(0.5)).numpy()
