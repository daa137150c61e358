"""Event files of summary writers, where tracefn does more than TensorFlow, and profiles."""

import gzip
import json
import logging
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tracefn as tf

sys.path.append(str(pathlib.Path(__file__).parents[1] / "conformance"))
from event_files import SPACE, parse, tags


def test_a_deleted_file_is_replaced(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=0):
        tf.summary.scalar("a", 1.0)
        tf.summary.flush()
        for path in tmp_path.iterdir():
            path.unlink()
        tf.summary.scalar("b", 1.0)
        tf.summary.flush()
    assert tags(tmp_path) == [(0, "b")]


def test_a_captured_writer_stays_open(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    f = tf.function(lambda x: tf.summary.scalar("a", x, step=0))
    with writer.as_default():
        f(tf.constant(1.0))
    del writer
    f(tf.constant(2.0))
    del f
    assert tags(tmp_path) == [(0, "a")] * 2


def test_largest_numbers_in_histograms():
    highest = np.finfo(np.float64).max
    summary = tf.raw_ops.HistogramSummary(tag="h", values=tf.constant([highest, -highest, 0.0], tf.float64))
    assert len(summary.numpy()) > 0


def test_shapes_that_crash_tensorflow():
    for shape in ([], [3], [1, 2, 3, 4]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Tensor must be 3-D or 2-D"):
            tf.raw_ops.AudioSummaryV2(tag="a", tensor=tf.zeros(shape), sample_rate=8000.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_channels"):
        tf.raw_ops.AudioSummaryV2(tag="a", tensor=tf.zeros([1, 2, 0]), sample_rate=8000.0)


def test_other_resources(tmp_path):
    handle = tf.Variable(1.0).handle
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a summary writer"):
        tf.raw_ops.FlushSummaryWriter(writer=handle)
    writer = tf.raw_ops.SummaryWriter()
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        tf.raw_ops.FlushSummaryWriter(writer=writer)


@pytest.mark.parametrize("limit", [0, 1])
def test_bad_inputs(tmp_path, limit):
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=limit)
    raw, handle = tf.raw_ops, writer._resource
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        raw.WriteSummary(writer=handle, step=[1, 2], tensor=1, tag="a", summary_metadata=b"")
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        raw.WriteSummary(writer=handle, step=1, tensor=1, tag=["a", "b"], summary_metadata=b"")
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty tensor"):
        raw.WriteScalarSummary(writer=handle, step=1, tag="a", value=tf.zeros([0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected depth <= bad_color.size"):
        raw.WriteImageSummary(writer=handle, step=1, tag="a", tensor=tf.zeros([1, 1, 1, 3]), bad_color=np.uint8([1]))
    with pytest.raises(tf.errors.UnimplementedError):
        raw.WriteSummary(writer=handle, step=1, tensor=handle, tag="a", summary_metadata=b"")


def test_nothing_is_imported_before():
    code = "import sys, tracefn; print([m for m in sys.modules if 'summary' in m or 'profile' in m])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def profiled(folder, run, options=None):
    """The XSpace and the JSON of a profile."""
    with tf.profiler.experimental.Profile(str(folder), options):
        run()
    (run_folder,) = (folder / "plugins" / "profile").iterdir()
    (space,), (trace,) = run_folder.glob("*.xplane.pb"), run_folder.glob("*.trace.json.gz")
    return parse(space.read_bytes(), SPACE), json.loads(gzip.decompress(trace.read_bytes()))


def named(trace, name):
    return [event for event in trace["traceEvents"] if event["ph"] == "X" and event["name"] == name]


def test_profile_of_a_function(tmp_path):
    @tf.function
    def f(x):
        with tf.name_scope("layer"):
            for _ in tf.range(3):
                x = tf.matmul(x, x, name="product")
        return tf.sort(x)

    x = tf.zeros([64, 64])
    f(x)
    space, trace = profiled(tmp_path, lambda: f(x))
    products = named(trace, "layer/while/product:MatMul")
    assert len(products) == 3
    assert all(event["args"]["output_bytes"] == 4 * 64 * 64 and event["dur"] > 0 for event in products)
    (loop,) = named(trace, "layer/while:StatelessWhile")
    for event in products:
        assert loop["ts"] <= event["ts"] and event["ts"] + event["dur"] <= loop["ts"] + loop["dur"] + 0.001
    (plane,) = space["planes"]
    names = {entry["key"][0]: entry["value"][0]["name"][0] for entry in plane["event_names"]}
    events = [names[event["name"][0]] for line in plane["lines"] for event in line["events"]]
    assert events.count("layer/while/product:MatMul") == 3
    assert sorted(events) == sorted(event["name"] for event in trace["traceEvents"] if event["ph"] == "X")


def test_profile_of_eager_ops_and_threads(tmp_path):
    import threading

    def run():
        with tf.profiler.experimental.Trace("step \"1\"\n", step_num=7, note="é") as event:
            event.set_metadata(more=1.5)
            tf.sin(tf.ones([10])) + 1.0
        thread = threading.Thread(target=lambda: tf.linalg.inv(tf.eye(3)))
        thread.start()
        thread.join()

    _, trace = profiled(tmp_path, run)
    (step,) = named(trace, 'step "1"\n')
    assert step["args"] == {"step_num": "7", "note": "é", "more": "1.5"}
    (sine,), (inverse,) = named(trace, "Sin:Sin"), named(trace, "MatrixInverse:MatrixInverse")
    assert sine["args"]["output_bytes"] == 40 and sine["tid"] == step["tid"] != inverse["tid"]
    assert step["ts"] <= sine["ts"]


def test_profile_results_are_the_same(tmp_path):
    @tf.function
    def f(x, n):
        y = x
        for i in tf.range(n):
            y = y * 0.5 + tf.cast(i, tf.float32)
            if tf.reduce_sum(y) > 100.0:
                y = tf.tanh(y)
        return y, tf.reduce_sum(y)

    x = tf.random.normal([200])
    expected = f(x, tf.constant(20))
    found = []
    profiled(tmp_path, lambda: found.extend(f(x, tf.constant(20))))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_profile_of_nothing(tmp_path, caplog):
    options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=0, python_tracer_level=1)
    with caplog.at_level(logging.WARNING):
        space, trace = profiled(tmp_path, lambda: tf.ones([3]) + 1.0, options)
    assert "lines" not in space["planes"][0] and not [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert "python_tracer_level is not supported" in caplog.text


def test_failures_are_events_too(tmp_path):
    def run():
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.reshape(tf.ones([3]), [2])

    _, trace = profiled(tmp_path, run)
    assert len(named(trace, "Reshape:Reshape")) == 1
