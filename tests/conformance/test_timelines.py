"""When which node of a step ran: RunMetadata, and `tensorflow.python.client.timeline`."""

import importlib
import json

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def v1(tf):
    if tf.__name__ == "tracefn":
        pytest.importorskip("tensorboard")  # has the classes of messages
    return tf.compat.v1


@pytest.fixture
def timeline(tf):
    return importlib.import_module(f"{tf.__name__}.python.client.timeline")


@pytest.fixture
def steps(v1):
    """Statistics of four nodes, two of which run at the same time."""
    made = v1.RunMetadata().step_stats
    device = made.dev_stats.add(device="/device:CPU:0")
    for name, start, length, label, size in (
        ("a", 100, 10, "a = Const()", 8),
        ("b", 105, 20, "b = Mul(a, a)", 16),
        ("c", 130, 5, "c = Add(a, b)", 4),
        ("x", 131, 9, "no label", 0),
    ):
        node = device.node_stats.add(node_name=name, all_start_micros=start, all_end_rel_micros=length, timeline_label=label)
        allocation = node.output.add().tensor_description.allocation_description
        allocation.requested_bytes, allocation.allocator_name = size, "cpu"
    return made


def _events(text, phase):
    return [event for event in json.loads(text)["traceEvents"] if event["ph"] == phase]


def test_ops_and_arrows(timeline, steps):
    text = timeline.Timeline(steps).generate_chrome_trace_format()
    assert text.startswith('{\n    "traceEvents": [\n        {\n            "name": "process_name",\n')
    assert [event["args"]["name"] for event in _events(text, "M")] == [
        "Allocators", "/device:CPU:0 Compute", "/device:CPU:0 Tensors",
    ]  # fmt: skip
    ops = _events(text, "X")
    assert [(e["name"], e["tid"], e["ts"], e["dur"], e["pid"]) for e in ops] == [
        ("Const", 0, 100, 10, 1), ("Mul", 1, 105, 20, 1), ("Add", 0, 130, 5, 1), ("unknown", 1, 131, 9, 1),
    ]  # fmt: skip
    assert ops[1]["args"] == {"name": "b", "op": "Mul", "input0": "a", "input1": "a"}
    assert ops[3]["args"] == {"name": "x", "op": "unknown"}
    assert [(e["name"], e["tid"], e["ts"], e["id"]) for e in _events(text, "s")] == [
        ("a", 0, 110, 0), ("a", 0, 110, 1), ("b", 1, 125, 2),
    ]  # fmt: skip
    assert [(e["name"], e["tid"], e["ts"]) for e in _events(text, "t")] == [("a", 1, 105), ("a", 1, 105), ("b", 0, 130)]
    assert not _events(timeline.Timeline(steps).generate_chrome_trace_format(show_dataflow=False), "s")


def test_memory(timeline, steps):
    found = timeline.Timeline(steps).analyze_step_stats()
    (most,) = found.allocator_maximums.values()
    assert (most.timestamp, most.num_bytes, most.tensors) == (130, 28, {"a", "b", "c"})
    text = found.chrome_trace.format_to_string()
    assert [(e["ts"], e["args"]["cpu"]) for e in _events(text, "C")][:3] == [(100, 8), (105, 24), (130, 28)]
    assert len(_events(text, "N")) == len(_events(text, "O")) == len(_events(text, "D")) == 4


def test_runs_tell_when_nodes_ran(tf, v1, timeline):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [8, 8], name="x")
        y = tf.matmul(x, x, name="product")
        told, silent = v1.RunMetadata(), v1.RunMetadata()
        feeds = {x: np.ones((8, 8))}
        session.run(y, feeds, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), run_metadata=told)
        session.run(y, feeds, run_metadata=silent)
    assert not silent.step_stats.dev_stats
    (device,) = told.step_stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    (node,) = [node for node in device.node_stats if node.node_name == "product"]
    assert node.timeline_label.startswith("product = ") and "MatMul(" in node.timeline_label
    assert node.all_start_micros > 10**15 and node.all_end_rel_nanos > 0
    assert node.output[0].tensor_description.allocation_description.requested_bytes == 256
    assert '"name": "product"' in timeline.Timeline(told.step_stats).generate_chrome_trace_format()
