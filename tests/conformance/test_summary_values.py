"""What the functions of tf.summary write."""

import numpy as np
import pytest

from event_files import SUMMARY, array, events, files, parse, plugin, records, tags, values

pytestmark = [pytest.mark.needs("summary"), pytest.mark.rule(219)]


@pytest.fixture
def writer(tf, tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    yield writer
    writer.close()


def written(writer, folder, write):
    """The one value that a function writes."""
    with writer.as_default():
        assert bool(write())
    ((step, value),) = values(folder)
    return step, value


def test_the_first_event(tf, tmp_path):
    tf.summary.create_file_writer(str(tmp_path / "a" / "b")).close()
    (path,) = files(tmp_path / "a" / "b")
    assert path.name.endswith(".v2") and len(path.name.split(".")) >= 8
    (first,) = records(path)
    message = parse(first, {3: ("version", "text"), 10: ("source", {1: ("writer", "text")})})
    assert message == {"version": ["brain.Event:2"], "source": [{"writer": ["tensorflow.core.util.events_writer"]}]}


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "bfloat16", "float64", "bool", "int32"])
def test_scalar(tf, writer, tmp_path, dtype):
    step, value = written(writer, tmp_path, lambda: tf.summary.scalar("a", tf.cast(1, dtype), step=5, description="*d*"))
    assert (step, value["tag"], array(value)) == (5, ["a"], 1.0)
    assert value["tensor"][0]["dtype"] == [1]
    assert plugin(value) == ("scalars", b"", "*d*")


@pytest.mark.parametrize(
    ("data", "buckets", "rows"),
    [
        ([1.0, 2.0, 3.0], 2, [[1, 2, 1], [2, 3, 2]]),
        ([[5.0, 5.0]], 3, [[5, 5, 0], [5, 5, 0], [5, 5, 2]]),
        ([], 2, [[0, 0, 0], [0, 0, 0]]),
        ([1.0], 0, []),
        ([1.0], -1, []),
        ([True, False], 1, [[0, 1, 2]]),
        ([3.0], 1, [[3, 3, 1]]),
    ],
)
def test_histogram(tf, writer, tmp_path, data, buckets, rows):
    _, value = written(writer, tmp_path, lambda: tf.summary.histogram("h", data, step=0, buckets=buckets))
    assert array(value) == rows
    assert value["tensor"][0]["dtype"] == [2]
    assert plugin(value)[0] == "histograms"


def test_histogram_of_thirty(tf, writer, tmp_path):
    data = np.random.default_rng(1).normal(size=[40, 5]).astype(np.float32)
    _, value = written(writer, tmp_path, lambda: tf.summary.histogram("h", data, step=0))
    rows = np.array(array(value))
    assert rows.shape == (30, 3)
    counts, edges = np.histogram(data.astype(np.float64), 30)
    np.testing.assert_array_equal(rows[:, 2], counts)
    np.testing.assert_allclose(rows[:, 0], edges[:-1])
    assert rows[-1, 1] == data.max()


def test_buckets_as_tensor(tf, writer, tmp_path):
    _, value = written(writer, tmp_path, lambda: tf.summary.histogram("h", [0, 4], step=0, buckets=tf.constant(2)))
    assert array(value) == [[0, 2, 1], [2, 4, 1]]


def decoded(tf, file):
    return tf.io.decode_png(file).numpy().tolist()


def test_image(tf, writer, tmp_path):
    pixels = [[[[0.0], [0.5], [2.0]]], [[[1.0], [-1.0], [0.25]]]]
    _, value = written(writer, tmp_path, lambda: tf.summary.image("i", pixels, step=0))
    width, height, *images = array(value)
    assert (width, height) == (b"3", b"1")
    assert [decoded(tf, image) for image in images] == [[[[0], [127], [255]]], [[[255], [0], [63]]]]
    assert plugin(value) == ("images", b"", "")


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_most_images(tf, writer, tmp_path, most):
    pixels = tf.cast(tf.reshape(tf.range(48), [4, 2, 2, 3]), tf.uint8)
    _, value = written(writer, tmp_path, lambda: tf.summary.image("i", pixels, step=0, max_outputs=tf.constant(most)))
    images = array(value)[2:]
    assert [decoded(tf, image) for image in images] == pixels.numpy()[:most].tolist()


def test_audio(tf, writer, tmp_path):
    sound = tf.reshape(tf.range(8.0), [2, 2, 2]) / 8
    _, value = written(
        writer, tmp_path, lambda: tf.summary.audio("s", sound, 44100, step=0, max_outputs=1, encoding="wav")
    )
    ((file, label),) = array(value)
    samples, rate = tf.audio.decode_wav(file)
    assert label == b"" and rate.numpy() == 44100
    np.testing.assert_allclose(samples, sound[0], atol=1e-4)
    assert plugin(value) == ("audio", b"\x10\x0b", "")


def test_no_audio(tf, writer, tmp_path):
    _, value = written(writer, tmp_path, lambda: tf.summary.audio("s", tf.zeros([0, 4, 1]), 8000, step=0))
    assert array(value) == []


@pytest.mark.parametrize("data", ["hi", ["a", "b"], [["a"], ["é"]], np.array([b"x"], object)])
def test_text(tf, writer, tmp_path, data):
    _, value = written(writer, tmp_path, lambda: tf.summary.text("t", data, step=0))
    assert array(value) == tf.constant(data).numpy().tolist() if isinstance(data, list) else array(value)
    assert np.array(array(value), object).shape == tf.constant(data).shape
    assert plugin(value) == ("text", b"", "")


@pytest.mark.parametrize("data", [[[1, 2], [3, 4]], [1.5], [], [[b"a"]], True])
def test_write(tf, writer, tmp_path, data):
    tensor = tf.constant(data)
    metadata = b"\n\x06\n\x04mine\x1a\x01d"
    _, value = written(writer, tmp_path, lambda: tf.summary.write("w", tensor, step=-3, metadata=metadata))
    assert array(value) == tensor.numpy().tolist()
    assert plugin(value) == ("mine", b"", "d")


def test_write_calls_only_if_needed(tf, writer, tmp_path):
    calls = []

    def make():
        calls.append(1)
        return tf.constant(7)

    assert not tf.summary.write("w", make, step=0)
    with writer.as_default(), tf.summary.record_if(False):
        assert not tf.summary.write("w", make, step=0)
    assert calls == []
    _, value = written(writer, tmp_path, lambda: tf.summary.write("w", make, step=0))
    assert calls == [1] and array(value) == 7 and "metadata" not in value


def test_raw_messages(tf, writer, tmp_path):
    one = b"\n\x08\n\x01a\x15\x00\x00\x80?"
    with writer.as_default():
        assert tf.summary.experimental.write_raw_pb([one, one.replace(b"a", b"b")], step=4)
        with pytest.raises(tf.errors.DataLossError, match="Bad tf.compat.v1.Summary binary proto tensor string at index 1"):
            tf.summary.experimental.write_raw_pb([one, b"\xff"], step=4)
    assert [(step, value["tag"], value["simple_value"]) for step, value in values(tmp_path)] == [
        (4, ["a"], [1.0]),
        (4, ["b"], [1.0]),
    ]


def test_graph(tf, writer, tmp_path):
    graph = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([])).graph
    with writer.as_default():
        assert tf.summary.graph(graph)
        assert tf.summary.graph(graph.as_graph_def())
        with tf.summary.record_if(False):
            assert not tf.summary.graph(graph)
    assert not tf.summary.graph(graph)
    found = [event["graph_def"][0] for event in events(tmp_path)]
    assert len(found) == 2
    for data in found:
        read = tf.compat.v1.GraphDef.FromString(data)
        assert [node.op for node in read.node] == ["Placeholder", "Const", "Mul", "Identity"]


def test_imported_event(tf, writer, tmp_path):
    with writer.as_default():
        tf.raw_ops.ImportEvent(writer=writer._resource, event=b"\x10\x07*\x05\n\x03\n\x01z")
        with pytest.raises(tf.errors.DataLossError, match="Bad tf.Event binary proto tensor string"):
            tf.raw_ops.ImportEvent(writer=writer._resource, event=b"\xff")
    assert tags(tmp_path) == [(7, "z")]


def test_old_scalars(tf, writer, tmp_path):
    with writer.as_default():
        for number in (np.float32(1.5), np.int8(-3), np.uint64(7), np.float64(0.25)):
            tf.raw_ops.WriteScalarSummary(writer=writer._resource, step=0, tag="x", value=number)
    assert [value["simple_value"][0] for _, value in values(tmp_path)] == [1.5, -3, 7, 0.25]


HISTOGRAMS = [[1.0, 2.0, -3e30, 0.0, 1e30, 5], [], [1e-13, -1e-13, 1e-12], np.linspace(-1, 1, 100), [True, False], [7, 7]]


@pytest.mark.parametrize("numbers", HISTOGRAMS)
def test_old_histograms(tf, writer, tmp_path, numbers):
    with writer.as_default():
        tensor = tf.constant(numbers)
        tf.raw_ops.WriteHistogramSummary(writer=writer._resource, step=0, tag="h", values=tensor)
    ((_, value),) = values(tmp_path)
    (histogram,) = value["histo"]
    data = tensor.numpy().astype(np.float64)
    assert histogram.get("num", [0.0]) == [data.size]
    assert histogram.get("sum", [0.0])[0] == pytest.approx(data.sum())
    assert histogram.get("sum_squares", [0.0])[0] == pytest.approx((data**2).sum())
    if data.size:
        assert histogram.get("min", [0.0]) == [data.min()] and histogram.get("max", [0.0]) == [data.max()]
    limits, counts = histogram["limits"][0], histogram["counts"][0]
    assert len(limits) == len(counts) and sum(counts) == data.size and limits == sorted(limits)
    edges = [-np.inf, *limits[:-1], np.inf]
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        assert np.sum((data >= low) & (data < high)) == count


@pytest.mark.parametrize(("number", "word"), [(np.nan, "Nan"), (np.inf, "Infinity"), (-np.inf, "Infinity")])
def test_histograms_of_no_numbers(tf, writer, number, word):
    with writer.as_default(), pytest.raises(tf.errors.InvalidArgumentError, match=f"{word} in summary histogram for: h"):
        tf.raw_ops.WriteHistogramSummary(writer=writer._resource, step=0, tag="h", values=[1.0, number])


RED = np.uint8([255, 0, 0, 255])


@pytest.mark.parametrize(
    ("pixels", "shown"),
    [
        ([[[[0.0], [0.5], [1.0]]]], [[[0], [127], [255]]]),
        ([[[[-1.0], [0.0], [1.0]]]], [[[1], [128], [255]]]),
        ([[[[0.0], [0.0]]]], [[[0], [0]]]),
        ([[[[1.0, 2.0, np.nan], [0.0, 1.0, 2.0]]]], [[[255, 0, 0], [0, 127, 255]]]),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_old_images(tf, writer, tmp_path, pixels, shown, dtype):
    with writer.as_default():
        tensor = tf.constant(pixels, dtype)
        tf.raw_ops.WriteImageSummary(writer=writer._resource, step=0, tag="i", tensor=tensor, bad_color=RED)
    ((_, value),) = values(tmp_path)
    (image,) = value["image"]
    assert value["tag"] == ["i/image/0"]
    assert (image["height"], image["width"], image["colorspace"]) == ([1], [len(shown[0])], [len(shown[0][0])])
    np.testing.assert_allclose(decoded(tf, image["file"][0]), shown, atol=1 if dtype == "float16" else 0)


def test_old_images_refuse(tf, writer):
    with writer.as_default():
        for shape in ([1], [1, 2, 2, 2], [2, 2, 3]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Tensor must be 4-D with last dim 1, 3, or 4, not "):
                tf.raw_ops.WriteImageSummary(
                    writer=writer._resource, step=0, tag="i", tensor=tf.zeros(shape), bad_color=RED
                )


def test_old_audio(tf, writer, tmp_path):
    sound = tf.reshape(tf.range(8.0), [2, 2, 2]) / 8
    with writer.as_default():
        tf.raw_ops.WriteAudioSummary(writer=writer._resource, step=0, tag="a", tensor=sound, sample_rate=8000.0)
        tf.raw_ops.WriteAudioSummary(
            writer=writer._resource, step=0, tag="b", tensor=sound[0], sample_rate=8000.0, max_outputs=1
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="sample_rate must be > 0"):
            tf.raw_ops.WriteAudioSummary(writer=writer._resource, step=0, tag="a", tensor=sound, sample_rate=0.0)
    found = [(value["tag"][0], value["audio"][0]) for _, value in values(tmp_path)]
    assert [tag for tag, _ in found] == ["a/audio/0", "a/audio/1", "b/audio"]
    assert [(a["rate"], a["channels"], a["frames"], a["kind"]) for _, a in found] == [
        ([8000.0], [2], [2], ["audio/wav"]),
        ([8000.0], [2], [2], ["audio/wav"]),
        ([8000.0], [1], [2], ["audio/wav"]),
    ]
    np.testing.assert_allclose(tf.audio.decode_wav(found[1][1]["file"][0])[0], sound[1], atol=1e-4)


def test_summaries_as_strings(tf):
    raw = tf.raw_ops
    scalars = raw.ScalarSummary(tags=["a", "b"], values=[1.0, 2.0]).numpy()
    assert parse(scalars, SUMMARY)["value"] == [
        {"tag": ["a"], "simple_value": [1.0]},
        {"tag": ["b"], "simple_value": [2.0]},
    ]
    merged = raw.MergeSummary(inputs=[scalars, raw.ScalarSummary(tags="c", values=1)]).numpy()
    assert [value["tag"] for value in parse(merged, SUMMARY)["value"]] == [["a"], ["b"], ["c"]]
    (tensor,) = parse(raw.TensorSummaryV2(tag="t", tensor=[1, 2], serialized_summary_metadata=b"").numpy(), SUMMARY)["value"]
    assert array(tensor) == [1, 2]
    (histogram,) = parse(raw.HistogramSummary(tag="h", values=[1.0, 1.0]).numpy(), SUMMARY)["value"]
    assert histogram["histo"][0]["num"] == [2.0]
    sound = raw.AudioSummaryV2(tag="s", tensor=tf.zeros([2, 3]), sample_rate=8000.0).numpy()
    assert [value["tag"] for value in parse(sound, SUMMARY)["value"]] == [["s/audio/0"], ["s/audio/1"]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="tags and values are not the same shape"):
        raw.ScalarSummary(tags=["a"], values=[1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag a found in summary inputs"):
        raw.MergeSummary(inputs=[scalars, scalars])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse one of the summary inputs"):
        raw.MergeSummary(inputs=[b"\xff"])


def test_the_reader_of_tensorboard_agrees(tf, writer, tmp_path):
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader")
    with writer.as_default():
        tf.summary.scalar("a", 0.5, step=1)
        tf.summary.text("t", "hi", step=2)
    (path,) = files(tmp_path)
    found = [(e.step, v.tag, v.metadata.plugin_data.plugin_name) for e in loader.EventFileLoader(str(path)).Load()
             for v in e.summary.value]  # fmt: skip
    assert found == [(1, "a", "scalars"), (2, "t", "text")]
