"""tf.summary.trace_on and trace_export, and tf.profiler.experimental."""

import logging

import pytest

from event_files import RUN_METADATA, SPACE, array, parse, plugin, tags, values

pytestmark = [pytest.mark.needs("summary"), pytest.mark.rule(217, 218)]


@pytest.fixture(autouse=True)
def ended(tf):
    yield
    tf.summary.trace_off()


@pytest.fixture
def writer(tf, tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    yield writer
    writer.close()


def exported(tf, writer, folder, run):
    """The graphs of the functions that run: lists of (name, op, inputs), and the functions in their libraries."""
    tf.summary.trace_on(graph=True)
    run()
    with writer.as_default():
        tf.summary.trace_export("t", step=3)
    ((step, value),) = values(folder)
    assert (step, value["tag"]) == (3, ["t"])
    assert plugin(value) == ("graph_run_metadata_graph", b"1", "")
    graphs = parse(array(value), RUN_METADATA).get("function_graphs", [])
    found = []
    for graph in graphs:
        (graph,) = graph["graph"]
        nodes = [(node["name"][0], node["op"][0], node.get("input", [])) for node in graph["node"]]
        if not any("device" in node for node in graph["node"]):  # TensorFlow adds eager ops, which have one
            found.append((nodes, graph.get("library", [{}])[0].get("function", [])))
    return found


def test_nodes(tf, writer, tmp_path):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        with tf.name_scope("layer"):
            return x * v

    x = tf.constant(3.0)
    ((nodes, functions),) = exported(tf, writer, tmp_path, lambda: (f(x), f(x)))
    assert functions == []
    found = {name: (op, [i for i in inputs if not i.startswith("^")]) for name, op, inputs in nodes}
    assert found == {
        "x": ("_Arg", []),
        "layer_mul_readvariableop_resource": ("_Arg", []),
        "layer/mul/ReadVariableOp": ("ReadVariableOp", ["layer_mul_readvariableop_resource"]),
        "layer/mul": ("Mul", ["x", "layer/mul/ReadVariableOp"]),
        "Identity": ("Identity", ["layer/mul"]),
        "NoOp": ("NoOp", []),
        "identity_RetVal": ("_Retval", ["Identity"]),
    }


@pytest.mark.needs("autograph")
def test_loops_branches_and_calls(tf, writer, tmp_path):
    @tf.function
    def double(x):
        return 2.0 * x

    @tf.function
    def f(x):
        for _ in tf.range(3):
            x = tf.sin(x)
        if x > 0.5:
            y = tf.cos(x)
        else:
            y = tf.exp(x)
        return double(y)

    x = tf.constant(3.0)
    ((nodes, functions),) = exported(tf, writer, tmp_path, lambda: f(x))
    ops = [op for _, op, _ in nodes]
    assert ops.count("StatelessWhile") == ops.count("StatelessIf") == ops.count("PartitionedCall") == 1
    inside = {node["op"][0] for function in functions for node in function["node"]}
    assert {"Sin", "Cos", "Exp", "Mul"} <= inside
    assert len(functions) == 5


def test_one_graph_for_each_trace(tf, writer, tmp_path):
    f = tf.function(lambda x: x + x)
    arguments = [tf.constant(1.0), tf.constant([1.0]), tf.constant(2.0)]
    graphs = exported(tf, writer, tmp_path, lambda: [f(x) for x in arguments])
    assert len(graphs) == 2
    for nodes, _ in graphs:
        assert [op for _, op, _ in nodes if op not in ("NoOp",)] == ["_Arg", "AddV2", "Identity", "_Retval"]


def test_a_trace_that_does_not_run(tf, writer, tmp_path):
    f = tf.function(lambda x: x + x)
    assert exported(tf, writer, tmp_path, lambda: f.get_concrete_function(tf.TensorSpec([]))) == []


def test_gradients(tf, writer, tmp_path):
    v = tf.Variable(2.0)
    f = tf.function(lambda x: x * v)
    x = tf.constant(3.0)

    def run():
        with tf.GradientTape() as tape:
            y = f(x)
        assert tape.gradient(y, v).numpy() == 3.0

    graphs = exported(tf, writer, tmp_path, run)
    assert any("Mul" in [op for _, op, _ in nodes] for nodes, _ in graphs)


def test_arguments_and_results_with_one_name(tf, writer, tmp_path):
    f = tf.function(lambda x: (x, x, tf.split(x, 2)))
    x = tf.constant([1.0, 2.0])
    ((nodes, _),) = exported(tf, writer, tmp_path, lambda: f(x))
    names = [name for name, _, _ in nodes]
    assert len(set(names)) == len(names)
    assert [op for _, op, _ in nodes].count("_Retval") == 4


def test_scopes_of_exports(tf, writer, tmp_path):
    with writer.as_default(step=1):
        for name in ("a", "b"):
            tf.summary.trace_on()
            with tf.name_scope("x"):
                tf.summary.trace_export(name)
    assert tags(tmp_path) == [(1, "x/a"), (1, "x/b")]


def test_export_ends(tf, writer):
    tf.summary.trace_on()
    with writer.as_default():
        tf.summary.trace_export("t", step=0)
        with pytest.raises(ValueError, match="Must enable trace before export through tf.summary.trace_on."):
            tf.summary.trace_export("t", step=0)
        with pytest.raises(ValueError, match="Argument `step` must be a scalar"):
            tf.summary.trace_export("t", step=[1, 2])
    tf.summary.trace_off()
    tf.summary.trace_off()


def test_warnings(tf, caplog, tmp_path):
    logger = logging.getLogger(tf.__name__)
    logger.addHandler(caplog.handler)
    try:
        tf.summary.trace_on()
        tf.summary.trace_on()
        tf.function(lambda: tf.summary.trace_on() or 1)()
        tf.function(lambda: tf.summary.trace_export("t") or 1)()
        tf.summary.trace_off()
        tf.summary.trace_on(profiler=True)
        tf.summary.trace_off()
    finally:
        logger.removeHandler(caplog.handler)
    for text in (
        "Trace already enabled",
        "Cannot enable trace inside a tf.function.",
        "Cannot export trace inside a tf.function.",
        "No `profiler_outdir` passed to trace_on(). Profiler won't be enabled.",
    ):
        assert text in caplog.text


def spaces(folder):
    """The XSpaces of profiles: names of events by thread."""
    found = []
    for path in sorted(folder.glob("plugins/profile/*/*.xplane.pb")):
        for plane in parse(path.read_bytes(), SPACE)["planes"]:
            names = {entry["key"][0]: entry["value"][0].get("name", [""])[0] for entry in plane.get("event_names", [])}
            found += [names[e["name"][0]] for line in plane.get("lines", []) for e in line.get("events", [])]
    return found


def train(tf):
    f = tf.function(lambda x: tf.matmul(x, x, name="product"))
    for step in range(3):
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            f(tf.ones([32, 32]))


def test_profile(tf, tmp_path):
    tf.profiler.experimental.start(str(tmp_path))
    with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running."):
        tf.profiler.experimental.start(str(tmp_path))
    train(tf)
    tf.profiler.experimental.stop()
    events = spaces(tmp_path)
    assert events.count("train") == 3
    assert sum("MatMul" in name for name in events) >= 3
    with pytest.raises(tf.errors.UnavailableError, match="Cannot export profiling results. No profiler is running."):
        tf.profiler.experimental.stop()


def test_profile_as_context(tf, tmp_path):
    options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=3)
    assert tuple(options) == (3, 0, 1, None)
    with tf.profiler.experimental.Profile(str(tmp_path), options):
        train(tf)
    assert spaces(tmp_path).count("train") == 3


def test_profile_that_is_not_saved(tf, tmp_path):
    tf.profiler.experimental.start(str(tmp_path))
    train(tf)
    tf.profiler.experimental.stop(save=False)
    assert list(tmp_path.iterdir()) == []


def test_trace_without_profile(tf):
    with tf.profiler.experimental.Trace("nothing", a=1) as event:
        event.set_metadata(b=2)


def test_trace_with_profile(tf, tmp_path, writer):
    tf.summary.trace_on(profiler=True, profiler_outdir=str(tmp_path))
    train(tf)
    with writer.as_default():
        tf.summary.trace_export("t", step=0)
    ((_, value),) = values(tmp_path)
    assert plugin(value) == ("graph_run_metadata", b"1", "")
    assert spaces(tmp_path).count("train") == 3
