"""tf.compat.v1.summary: summaries as strings, and FileWriter."""

import os
import warnings

import numpy as np
import pytest

from event_files import SUMMARY, array, events, files, parse, plugin, tags, values

pytestmark = [pytest.mark.needs("summary"), pytest.mark.rule(219)]


def computed(tf, make, feed=None):
    """The values in a summary that a graph of TensorFlow 1 computes."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return parse(session.run(make()), SUMMARY)["value"]


def test_scalars(tf):
    summary = tf.compat.v1.summary
    assert computed(tf, lambda: summary.scalar("a", 1.5)) == [{"tag": ["a"], "simple_value": [1.5]}]
    assert computed(tf, lambda: summary.scalar("a b!", tf.constant(3))) == [{"tag": ["a_b_"], "simple_value": [3.0]}]
    assert computed(tf, lambda: summary.scalar("a", 1, family="f"))[0]["tag"] == ["f/f/a"]

    def scoped():
        with tf.compat.v1.name_scope("s"):
            summary.scalar("a", 1)
            return summary.scalar("a", 2)

    assert computed(tf, scoped) == [{"tag": ["s/a_1"], "simple_value": [2.0]}]


def test_others(tf):
    summary = tf.compat.v1.summary
    (value,) = computed(tf, lambda: summary.histogram("h", [1.0, 2.0, 2.5]))
    assert (value["tag"], value["histo"][0]["num"], value["histo"][0]["sum"]) == (["h"], [3.0], [5.5])
    images = computed(tf, lambda: summary.image("i", np.uint8([[[[7]]], [[[9]]]]), max_outputs=2))
    assert [image["tag"] for image in images] == [["i/image/0"], ["i/image/1"]]
    assert [tf.io.decode_png(image["image"][0]["file"][0]).numpy().tolist() for image in images] == [[[[7]]], [[[9]]]]
    (sound,) = computed(tf, lambda: summary.audio("s", np.zeros([2, 8], np.float32), 8000, max_outputs=1))
    assert (sound["tag"], sound["audio"][0]["frames"]) == (["s/audio"], [8])
    (text,) = computed(tf, lambda: summary.text("t", tf.constant(["a", "b"])))
    assert (array(text), plugin(text)[0]) == ([b"a", b"b"], "text")
    (tensor,) = computed(tf, lambda: summary.tensor_summary("x", [1, 2], "described", display_name="shown"))
    assert array(tensor) == [1, 2]
    assert tensor["metadata"][0] == {"display_name": ["shown"], "description": ["described"]}
    with tf.Graph().as_default(), pytest.raises(ValueError, match="to have dtype string"):
        summary.text("t", tf.constant(1))


def test_merging(tf):
    summary = tf.compat.v1.summary
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        assert summary.merge_all() is None
        a, b = summary.scalar("a", 1), summary.histogram("s/b", [1.0])
        summary.scalar("c", 1, collections=["mine"])
        assert graph.get_collection("summaries") == [a, b]
        merged = parse(session.run(summary.merge([b, a])), SUMMARY)["value"]
        assert [value["tag"] for value in merged] == [["s/b"], ["a"]]
        every = parse(session.run(summary.merge_all()), SUMMARY)["value"]
        assert [value["tag"] for value in every] == [["a"], ["s/b"]]
        assert len(parse(session.run(summary.merge_all(scope="s/")), SUMMARY)["value"]) == 1
        assert len(parse(session.run(summary.merge_all("mine")), SUMMARY)["value"]) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag a found in summary inputs"):
            session.run(summary.merge([a, a]))
    for merge in (summary.merge_all, lambda: summary.merge([])):
        with pytest.raises(RuntimeError, match="not compatible with eager execution"):
            merge()


def test_with_a_default_writer(tf, tmp_path):
    summary = tf.compat.v1.summary
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        assert summary.scalar("a", 1).numpy() == b""
        with tf.name_scope("s"):
            summary.histogram("h", [1.0])
        summary.image("i", tf.zeros([1, 1, 1, 1]))
        summary.audio("u", tf.zeros([1, 4]), 8000)
        summary.text("t", tf.constant("x"))
        tf.function(lambda: summary.scalar("f", 1))()
    found = [(step, value["tag"][0], plugin(value)[0]) for step, value in values(tmp_path)]
    assert found == [
        (3, "a", "scalars"),
        (3, "s/h", "histograms"),
        (3, "i", "images"),
        (3, "u", "audio"),
        (3, "t", "text"),
        (3, "f", "scalars"),
    ]


def test_without_a_default_writer(tf, tmp_path):
    tf.summary.experimental.set_step(None)  # of other tests
    with pytest.warns(UserWarning, match="default summary writer not found"):
        found = tf.compat.v1.summary.scalar("a", 1.0)
    assert parse(found.numpy(), SUMMARY)["value"][0]["simple_value"] == [1.0]
    with tf.summary.create_file_writer(str(tmp_path)).as_default():  # noqa: SIM117 - a step is missing
        with pytest.warns(UserWarning, match="global step not set"):
            tf.compat.v1.summary.scalar("a", 1.0)
    assert tags(tmp_path) == []


def test_file_writer(tf, tmp_path):
    summary = tf.compat.v1.summary
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        value = tf.compat.v1.placeholder(tf.float32)
        loss = summary.scalar("loss", value)
        with summary.FileWriter(str(tmp_path), graph) as writer:
            assert writer.get_logdir() == str(tmp_path)
            for step in range(3):
                writer.add_summary(session.run(loss, {value: step / 2}), step)
            writer.add_summary(b"")
            writer.flush()
            assert tags(tmp_path) == [(0, "loss"), (1, "loss"), (2, "loss")]
        graphs = [event["graph_def"][0] for event in events(tmp_path) if "graph_def" in event]
        assert [node.name for node in tf.compat.v1.GraphDef.FromString(graphs[0]).node][:1] == ["Placeholder"]
        writer.close()
        with pytest.warns(UserWarning, match="Attempting to use a closed FileWriter"):
            writer.add_summary(b"", 1)
        assert len(files(tmp_path)) == 1
        with pytest.raises(TypeError, match="The passed graph must be an instance of `Graph`"):
            summary.FileWriter(str(tmp_path / "b")).add_graph(3)
        with pytest.raises(ValueError, match="Please pass only graph"):
            summary.FileWriter(str(tmp_path / "c")).add_graph(graph, graph_def=graph.as_graph_def())
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        summary.FileWriter(str(tmp_path))


def test_metadata_once(tf, tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        note = session.run(tf.compat.v1.summary.text("t", tf.constant("x")))
        with tf.compat.v1.summary.FileWriter(str(tmp_path)) as writer:
            writer.add_summary(note, 0)
            writer.add_summary(note, 1)
    assert ["metadata" in value for _, value in values(tmp_path)] == [True, False]


def test_writer_cache(tf, tmp_path):
    cache = tf.compat.v1.summary.FileWriterCache
    with tf.Graph().as_default():
        one = cache.get(str(tmp_path))
        assert cache.get(str(tmp_path)) is one and cache.get(str(tmp_path / "b")) is not one
        cache.clear()
        assert cache.get(str(tmp_path)) is not one
        cache.clear()


def test_writers_of_graphs(tf, tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session, warnings.catch_warnings():
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default(step=4):
            written = tf.summary.scalar("a", 1.0)
        assert tf.compat.v1.summary.all_v2_summary_ops() == [written]
        session.run(writer.init())
        assert session.run(written)
        session.run(writer.close())
    assert tags(tmp_path) == [(4, "a")]
    assert tf.compat.v1.summary.all_v2_summary_ops() is None


def test_initialize(tf, tmp_path):
    summary = tf.compat.v1.summary
    assert summary.initialize() is None  # eagerly
    with tf.Graph().as_default() as graph:
        with pytest.raises(RuntimeError, match=r"No default tf.contrib.summary.SummaryWriter found"):
            summary.initialize()
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default(step=4):
            written = tf.summary.scalar("a", 1.0)
            with pytest.raises(ValueError, match="must be passed if no default session exists"):
                summary.initialize()
            with tf.compat.v1.Session() as session:
                summary.initialize(graph)
                session.run(written)
                session.run(writer.close())
    assert tags(tmp_path) == [(4, "a")]
    assert ["graph_def" in event for event in events(tmp_path)] == [True, False]


def test_a_writer_in_a_session(tf, tmp_path):
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        writer = tf.compat.v1.summary.FileWriter(str(tmp_path), graph, session=session)
        again = tf.compat.v1.summary.FileWriter(str(tmp_path), session=session)
        loss = session.run(tf.compat.v1.summary.scalar("loss", 0.5))
        writer.add_summary(loss, 3)
        again.add_summary(loss, 4)
        writer.flush()
        assert tags(tmp_path) == [(3, "loss"), (4, "loss")]
        assert [path.name.rpartition(".")[2] for path in files(tmp_path)] == ["v2"]
        writer.close()
        writer.reopen()
        writer.add_summary(loss, 5)
        writer.close()
    assert sorted(tags(tmp_path)) == [(3, "loss"), (4, "loss"), (5, "loss")]


def test_summaries_that_a_program_makes(tf, tmp_path):
    pytest.importorskip("tensorboard")
    tf1 = tf.compat.v1
    summary = tf1.Summary(value=[tf1.Summary.Value(tag="loss", simple_value=0.5)])
    summary.value.add(tag="rate", simple_value=2.0)
    with tf.Graph().as_default():
        writer = tf1.summary.FileWriter(str(tmp_path))
        writer.add_summary(summary, 3)
        writer.add_event(tf1.Event(step=4, summary=summary))
        writer.close()
    (path,) = map(str, tmp_path.iterdir())
    events = [e for e in tf1.train.summary_iterator(path) if e.summary.value]
    assert [e.step for e in events] == [3, 4]
    assert [(v.tag, v.simple_value) for v in events[0].summary.value] == [("loss", 0.5), ("rate", 2.0)]


def test_events_of_no_file(tf, tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        tf.compat.v1.train.summary_iterator(str(tmp_path / "none"))


def test_meta_graphs(tf, tmp_path):
    if tf.__name__ == "tracefn":
        pytest.importorskip("tensorboard")  # reads the events
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="c")
        with v1.summary.FileWriter(str(tmp_path), graph) as writer:
            with pytest.raises(TypeError, match="meta_graph_def must be type MetaGraphDef"):
                writer.add_meta_graph(3)
            writer.add_meta_graph(v1.train.export_meta_graph(), 7)
    (name,) = os.listdir(tmp_path)
    events = list(v1.train.summary_iterator(str(tmp_path / name)))
    kinds = [(event.step, event.WhichOneof("what")) for event in events]
    assert kinds == [(0, "file_version"), (0, "graph_def"), (0, "meta_graph_def"), (7, "meta_graph_def")]
    with tf.Graph().as_default() as graph:
        (tmp_path / "c.meta").write_bytes(events[-1].meta_graph_def)
        v1.train.import_meta_graph(str(tmp_path / "c.meta"))
        assert [op.name for op in graph.get_operations()] == ["c"]


def test_descriptions_of_old_summaries(tf):
    v1 = tf.compat.v1
    if not hasattr(v1.summary, "SummaryDescription"):
        pytest.skip("the package tensorboard is not installed")
    node = v1.NodeDef(name="a", op="TensorSummary")
    node.attr["description"].s = b'{"typeHint": "image"}'
    found = v1.summary.get_summary_description(node)
    assert isinstance(found, v1.summary.SummaryDescription) and found.type_hint == "image"
    with tf.Graph().as_default():
        scalar = v1.summary.scalar("loss", tf.constant(1.0)).op.node_def
    with pytest.raises(ValueError, match="^Can't get_summary_description on ScalarSummary$"):
        v1.summary.get_summary_description(scalar)


def test_metadata_in_a_message(tf):
    pytest.importorskip("tensorboard")  # has the classes of messages
    metadata = tf.compat.v1.SummaryMetadata(plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="p", content=b"c"))
    summary = tf.compat.v1.Summary()
    summary.value.add(tag="t", metadata=metadata)
    again = tf.compat.v1.Summary.FromString(summary.SerializeToString()).value[0].metadata
    assert again == metadata and again.plugin_data.content == b"c" and again.display_name == ""
