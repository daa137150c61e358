"""`tf.compat.v1.profiler`: the floating point operations and the parameters of graphs."""

import pickle

import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def profiler(v1):
    return v1.profiler


@pytest.fixture
def counting(profiler):
    """The options that count operations, without a report."""
    builder = profiler.ProfileOptionBuilder
    return builder(builder.float_operation()).with_empty_output().build()


def images(tf, *shape):
    return tf.compat.v1.placeholder(tf.float32, shape)


# An op of which kind takes how many operations.
COUNTS = {
    "MatMul": (lambda tf: images(tf, 2, 3) @ images(tf, 3, 4), 48),
    "MatMul of a transposed one": (lambda tf: tf.matmul(images(tf, 3, 2), images(tf, 3, 4), transpose_a=True), 48),
    "BatchMatMul": (lambda tf: images(tf, 5, 2, 3) @ images(tf, 5, 3, 4), 240),
    "Conv2D": (lambda tf: tf.nn.conv2d(images(tf, 2, 8, 8, 3), images(tf, 3, 3, 3, 4), 2, "SAME"), 2 * 4 * 4 * 4 * 27 * 2),
    "Conv2D of channels first": (
        lambda tf: tf.nn.conv2d(images(tf, 2, 3, 8, 8), images(tf, 3, 3, 3, 4), 1, "VALID", data_format="NCHW"),
        2 * 4 * 6 * 6 * 27 * 2,
    ),
    "Conv3D": (lambda tf: tf.nn.conv3d(images(tf, 1, 4, 4, 4, 2), images(tf, 2, 2, 2, 2, 3), [1] * 5, "VALID"), 81 * 16 * 2),
    "Conv2DBackpropInput": (
        lambda tf: tf.nn.conv2d_transpose(images(tf, 1, 4, 4, 3), images(tf, 3, 3, 2, 3), [1, 8, 8, 2], 2, "SAME"),
        2 * 128 * 54 // (2 * 4),
    ),
    "Conv2DBackpropFilter": (
        lambda tf: tf.raw_ops.Conv2DBackpropFilter(
            input=images(tf, 1, 8, 8, 2), filter_sizes=[3, 3, 2, 3], out_backprop=images(tf, 1, 4, 4, 3), strides=[1, 2, 2, 1],
            padding="SAME"),
        2 * 128 * 54 // (2 * 4),
    ),
    "DepthwiseConv2dNative": (
        lambda tf: tf.nn.depthwise_conv2d(images(tf, 1, 8, 8, 3), images(tf, 3, 3, 3, 2), [1, 1, 1, 1], "SAME"),
        64 * 6 * 9 * 2,
    ),
    "Dilation2D": (
        lambda tf: tf.nn.dilation2d(images(tf, 1, 8, 8, 3), images(tf, 2, 2, 3), [1] * 4, "SAME", "NHWC", [1] * 4),
        64 * 3 * 4 * 2,
    ),
    "BiasAdd": (lambda tf: tf.nn.bias_add(images(tf, 2, 3), images(tf, 3)), 6),
    "BiasAddGrad": (lambda tf: tf.raw_ops.BiasAddGrad(out_backprop=images(tf, 4, 3)), 9),
    "MaxPool": (lambda tf: tf.nn.max_pool2d(images(tf, 1, 8, 8, 3), 2, 2, "SAME"), 4 * 48),
    "AvgPool": (lambda tf: tf.nn.avg_pool2d(images(tf, 1, 8, 8, 3), 3, 2, "SAME"), 9 * 48),
    "AvgPoolGrad": (
        lambda tf: tf.raw_ops.AvgPoolGrad(
            orig_input_shape=[1, 8, 8, 3], grad=images(tf, 1, 4, 4, 3), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
        4 * 48 * 2,
    ),
    "MaxPoolGrad": (
        lambda tf: tf.raw_ops.MaxPoolGrad(
            orig_input=images(tf, 1, 8, 8, 3), orig_output=images(tf, 1, 4, 4, 3), grad=images(tf, 1, 4, 4, 3),
            ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
        5 * 48,
    ),
    "MaxPool of channels first": (
        lambda tf: tf.raw_ops.MaxPool(
            input=images(tf, 1, 3, 8, 8), ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="SAME", data_format="NCHW"),
        0,
    ),
    "Softmax": (lambda tf: tf.nn.softmax(images(tf, 2, 3)), 30),
    "L2Loss": (lambda tf: tf.nn.l2_loss(images(tf, 2, 3)), 17),
    "AddN": (lambda tf: tf.add_n([images(tf, 2, 3)] * 4), 18),
    "Mean": (lambda tf: tf.reduce_mean(images(tf, 2, 3), 0), 6),
    "Sum": (lambda tf: tf.reduce_sum(images(tf, 2, 3), 0), 3),
    "Max": (lambda tf: tf.reduce_max(images(tf, 2, 3), 0), 0),
    "ArgMax": (lambda tf: tf.argmax(images(tf, 2, 3), 1), 4),
    "AddV2": (lambda tf: images(tf, 2, 1) + images(tf, 1, 3), 6),
    "Sub": (lambda tf: images(tf, 2, 3) - images(tf, 3), 6),
    "RealDiv": (lambda tf: images(tf, 2, 3) / images(tf, 3), 6),
    "Pow": (lambda tf: images(tf, 2, 3) ** 2.0, 6),
    "SquaredDifference": (lambda tf: tf.math.squared_difference(images(tf, 2, 3), 1.0), 12),
    "Less": (lambda tf: images(tf, 2, 3) < 1.0, 6),
    "Rsqrt": (lambda tf: tf.math.rsqrt(images(tf, 2, 3)), 12),
    "RsqrtGrad": (lambda tf: tf.raw_ops.RsqrtGrad(y=images(tf, 2, 3), dy=images(tf, 2, 3)), 24),
    "Reciprocal": (lambda tf: tf.raw_ops.Reciprocal(x=images(tf, 2, 3)), 6),
    "Log": (lambda tf: tf.math.log(images(tf, 2, 3)), 6),
    "Exp": (lambda tf: tf.exp(images(tf, 2, 3)), 0),
    "Relu": (lambda tf: tf.nn.relu(images(tf, 2, 3)), 0),
    "an unknown size": (lambda tf: tf.square(images(tf, None, 3)), 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", COUNTS)
def test_operations_are_counted(tf, profiler, counting, kind):
    make, count = COUNTS[kind]
    with tf.Graph().as_default() as graph:
        make(tf)
    for command in ("op", "scope", "graph"):
        assert profiler.profile(graph, cmd=command, options=counting).total_float_ops == count


def test_a_frozen_function_is_counted(tf, v1, internal, profiler, counting):
    freeze = internal("framework.convert_to_constants").convert_variables_to_constants_v2_as_graph
    weights, bias = tf.Variable(tf.ones([3, 3, 3, 8])), tf.Variable(tf.ones([8]))
    layer = tf.function(lambda x: tf.nn.conv2d(x, weights, 1, "SAME") + bias)
    model = tf.function(lambda x: tf.nn.relu(layer(x)))
    _, graph_def = freeze(model.get_concrete_function(tf.TensorSpec([1, 16, 16, 3], tf.float32)))
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(graph_def, name="")
        found = profiler.profile(graph=graph, run_meta=v1.RunMetadata(), cmd="op", options=counting)
        assert found.total_float_ops == 256 * 8 * 27 * 2 + 256 * 8
        assert profiler.profile(v1.get_default_graph(), cmd="scope", options=counting).total_float_ops == found.total_float_ops
    assert (found.name, found.children[0].name, found.children[0].children[0].name) == ("_TFProfRoot", "Conv2D", "AddV2")
    (node,) = found.children[0].graph_nodes
    assert (node.name.rpartition("/")[2], node.float_ops) == ("Conv2D", 256 * 8 * 27 * 2)


def test_libraries_count_further_ops(tf, internal, profiler, counting):
    ops, registry = internal("framework.ops"), internal("profiler.internal.flops_registry")
    with tf.Graph().as_default() as graph:
        x = images(tf, 2, 3)
        tf.atan2(tf.square(x), tf.sinh(x))
        nodes = {operation.type: operation.node_def for operation in graph.get_operations()}
    assert ops.get_stats_for_node_def(graph, nodes["Square"], "flops").value == 6
    assert ops.get_stats_for_node_def(graph, nodes["Atan2"], "flops").value is None
    assert profiler.profile(graph, options=counting).total_float_ops == 6
    if ops.get_stats_for_node_def(graph, nodes["Sinh"], "flops").value is None:  # once in a process

        @ops.RegisterStatistics("Sinh", "flops")
        def _of_sinh(graph, node):
            return registry._binary_per_element_op_flops(graph, node, ops_per_element=10)

    assert profiler.profile(graph, options=counting).total_float_ops == 66
    assert registry._reduction_op_flops(graph, nodes["Atan2"], reduce_flops=3, finalize_flops=1).value == 6
    with pytest.raises(KeyError, match="Registering two statistical functions with name 'Square,flops'!"):
        ops.RegisterStatistics("Square", "flops")(registry._zero_flops)


@pytest.fixture
def network(tf, v1):
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [8, 28, 28, 3], name="x")
        with v1.variable_scope("conv"):
            w = v1.get_variable("w", [3, 3, 3, 16], use_resource=True)
            y = tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME"))
        with v1.variable_scope("fc"):
            w = v1.get_variable("w", [16, 10], use_resource=True)
            scale = v1.get_variable("s", [], use_resource=True)
            v1.get_variable("fixed", [7], use_resource=True, trainable=False)
            tf.matmul(tf.reduce_mean(y, [1, 2]), w) * scale
    return graph


def report(capfd, begin="Profile:\n"):
    """What is printed from there on; the C library's output, too."""
    return capfd.readouterr().out.partition(begin)[2].splitlines()


def test_trainable_parameters_are_shown_below_their_scopes(profiler, network, capfd):
    found = profiler.profile(network)
    assert found.total_parameters == 432 + 160 + 1
    assert [child.name for child in found.children] == ["conv", "fc"]
    assert report(capfd) == [
        "node name | # parameters",
        "_TFProfRoot (--/593 params)",
        "  conv (--/432 params)",
        "    conv/w (3x3x3x16, 432/432 params)",
        "  fc (--/161 params)",
        "    fc/s (1, 1/1 params)",
        "    fc/w (16x10, 160/160 params)",
        "",
        "======================End of Report==========================",
    ]


def test_the_report_by_types(profiler, network, capfd):
    options = profiler.ProfileOptionBuilder.float_operation()
    profiler.profile(network, cmd="op", options=options)
    lines = report(capfd, "=============================\n")
    assert lines[8:14] == [
        "-min_params                 0",
        "-min_float_ops              1",
        "-min_occurrence             0",
        "-step                       -1",
        "-order_by                   float_ops",
        "-account_type_regexes       .*",
    ]
    start = lines.index("Profile:")
    assert lines[start - 3 : start + 6] == [
        "op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes belonging to the same type are aggregated together.",
        "flops: Number of float operations. Note: Please read the implementation for the math behind it.",
        "",
        "Profile:",
        "node name | # float_ops",
        "Conv2D                   5.42m float_ops (100.00%, 98.11%)",
        "Mean                     100.35k float_ops (1.89%, 1.82%)",
        "MatMul                   2.56k float_ops (0.07%, 0.05%)",
        "Mul                        680 float_ops (0.02%, 0.01%)",
    ]  # fmt: skip


def test_the_report_by_inputs_and_more_columns(profiler, network, capfd, tmp_path):
    builder = profiler.ProfileOptionBuilder
    options = builder().select(["params", "float_ops", "occurrence", "op_types", "input_shapes", "bytes"])
    options.with_node_names(start_name_regexes=["fc/m.*"], show_name_regexes=["fc/.*"], trim_name_regexes=[".*Mean"])
    options.with_max_depth(4).with_file_output(str(tmp_path / "report"))
    profiler.profile(network, cmd="graph", options=options.build())
    assert capfd.readouterr().out == ""
    lines = (tmp_path / "report").read_text().partition("Profile:\n")[2].splitlines()
    titles = "# parameters | # float_ops | requested bytes | op types | op count (run|defined) | input shapes"
    assert lines[0] == f"node name | {titles}"
    assert lines[2].startswith("  fc/mul (0/")
    assert lines[2].endswith(", Mul, 0/0|1/12, 0:8x10|1:1)")
    assert lines[3].startswith("    fc/MatMul (0/") and lines[4].startswith("      fc/MatMul/ReadVariableOp (0/")
    assert lines[-2].startswith("    fc/mul/ReadVariableOp (0/") and lines[-1].startswith("      fc/s (1, 1/1 params")


def test_logs_give_types_and_numbers(profiler, counting, network, tmp_path):
    log = profiler.OpLogProto()
    entry = log.log_entries.add()
    entry.name, entry.float_ops = "x", 77
    entry.types.append("mine")
    counting["account_type_regexes"] = ["mine"]
    found = profiler.profile(network, op_log=log, options=counting)
    assert (found.total_float_ops, found.children[0].name, found.children[0].float_ops) == (77, "x", 77)
    profiler.write_op_log(network, str(tmp_path), log, add_trace=False)
    written = profiler.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    numbers = {entry.name: entry.float_ops for entry in written.log_entries}
    assert (numbers["x"], numbers["fc/MatMul"]) == (77, 2560)
    assert [list(entry.types) for entry in written.log_entries if entry.name == "fc/w"] == [["_trainable_variables"]]


def test_runs_have_times(tf, v1, profiler, counting):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [2, 3])
        y = tf.matmul(x, tf.ones([3, 4]), name="y")
        metadata = v1.RunMetadata()
        session.run(y, {x: [[1.0] * 3] * 2}, v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), metadata)
        several = profiler.Profiler(graph)
        several.add_step(5, metadata)
    found = profiler.profile(graph, metadata, cmd="op", options=profiler.ProfileOptionBuilder().with_empty_output().build())
    assert found.total_exec_micros > 0 and found.total_exec_micros == found.total_cpu_exec_micros
    counting.update(step=5, min_float_ops=0)
    (node,) = [child for child in several.profile_name_scope(counting).children if child.name == "y"]
    assert (node.run_count, node.float_ops) == (1, 48) and node.exec_micros > 0
    assert several.profile_graph(counting).total_run_count > 0
    counting["step"] = 6
    assert several.profile_operations(counting).name == ""


def test_wrong_commands_and_outputs(tf, profiler, network, capfd):
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown cmd: nothing"):
        profiler.profile(network, cmd="nothing")
    assert profiler.profile(network, options={"output": "paper"}).name == ""
    error = "INVALID_ARGUMENT: E.g. Unknown output type: paper, Valid types: file,none,pprof,stdout,timeline"
    assert error in capfd.readouterr().err


def test_nodes_without_shapes_are_reported(tf, profiler, counting, capfd):
    with tf.Graph().as_default() as graph:
        tf.square(images(tf, None, 3))
    profiler.profile(graph, options=counting)
    assert "1 ops no flops stats due to incomplete shapes.\n" in capfd.readouterr().err


def test_advice_about_graphs(profiler, network):
    found = profiler.advise(network)
    assert sorted(found.checkers) == ["AcceleratorUtilizationChecker", "ExpensiveOperationChecker", "OperationChecker"]
    assert list(found.checkers["OperationChecker"].reports) == []


def test_options_are_built(profiler):
    builder = profiler.ProfileOptionBuilder
    options = builder().with_min_parameters(1).with_min_occurrence(2).with_min_float_operations(3).with_min_memory(4, 5)
    options.with_min_execution_time(6).with_accounted_types(["a"]).with_step(7).order_by("params").with_timeline_output("file")
    found = options.account_displayed_op_only(True).build()
    assert (found["min_params"], found["min_occurrence"], found["min_float_ops"]) == (1, 2, 3)
    assert (found["min_bytes"], found["min_peak_bytes"], found["min_micros"], found["step"]) == (4, 5, 6, 7)
    assert (found["order_by"], found["output"], found["max_depth"]) == ("params", "timeline:outfile=file", 100)
    assert builder.time_and_memory(min_bytes=3)["min_bytes"] == 3
    assert builder.trainable_variables_parameter()["account_type_regexes"] == ["_trainable_variables"]


def test_results_are_messages(tf, profiler, counting):
    json_format = pytest.importorskip("google.protobuf.json_format")
    if profiler.GraphNodeProto.__module__.startswith("tracefn."):
        pytest.skip("the package tensorboard is not installed")
    with tf.Graph().as_default() as graph:
        tf.square(images(tf, 2, 3), name="x")
    found = profiler.profile(graph, options=counting)
    assert (found.DESCRIPTOR.full_name, found.__class__.__module__) == (
        "tensorflow.tfprof.GraphNodeProto",
        "tensorflow.core.profiler.tfprof_output_pb2",
    )
    assert pickle.loads(pickle.dumps(found)) == found
    (child,) = json_format.MessageToDict(found)["children"]
    assert (child["name"], child["floatOps"], child["inputShapes"]["0"]["dim"]) == ("x", "6", [{"size": "2"}, {"size": "3"}])
