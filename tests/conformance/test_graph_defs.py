"""Graphs as GraphDefs: exported, imported, run. (No section of the tracing rules speaks of them; 79 names `graph`.)"""

import pytest


@pytest.fixture
def doubled(tf):
    """The GraphDef of 2x where x > 0, else of -x."""

    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0.0:
            y = 2.0 * x
        else:
            y = -x
        return tf.identity(y, name="y")

    # f lives as long as the test: TensorFlow forgets the branches of a function that is gone.
    yield f.get_concrete_function(tf.TensorSpec([None], name="x")).graph.as_graph_def()


def names(graph):
    return [op.name for op in graph.get_operations()]


@pytest.mark.rule(79)
def test_wrapped_and_pruned(tf, doubled):
    wrapped = tf.compat.v1.wrap_function(lambda: tf.compat.v1.import_graph_def(doubled, name=""), [])
    f = wrapped.prune("x:0", "y:0")
    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [2, 4]
    assert f(tf.constant([-3.0])).numpy().tolist() == [3]
    assert wrapped.prune("x:0", ["x:0", "y:0"])(tf.constant([4.0]))[1].numpy().tolist() == [8]


@pytest.mark.rule(79)
def test_the_gradient_of_a_loop_is_pruned(tf):
    def f(x):
        def body(i, y):
            return i + 1, tf.cond(tf.reduce_sum(y) > 1.0, lambda: tf.sin(y) * x, lambda: y - x)

        _, y = tf.while_loop(lambda i, y: i < 3, body, [tf.constant(0), x])
        return tf.gradients(tf.reduce_sum(y * y), x)[0]

    x = tf.constant([1.0, 2.0])
    wrapped = tf.compat.v1.wrap_function(f, [tf.TensorSpec([2], name="x")])
    part = wrapped.prune("x:0", wrapped.outputs[0].name)
    assert part(x).numpy().tolist() == wrapped(x).numpy().tolist()


@pytest.mark.rule(79)
def test_what_is_fed_is_not_waited_for(tf):
    def f(x):
        y = tf.identity(-x, name="y")
        with tf.control_dependencies([y]):
            return tf.identity(y * 2.0, name="z")

    wrapped = tf.compat.v1.wrap_function(f, [tf.TensorSpec([], name="x")])
    assert float(wrapped.prune("y:0", "z:0")(tf.constant(3.0))) == 6
    assert float(wrapped.prune("x:0", "z:0")(tf.constant(3.0))) == -6


@pytest.mark.rule(79)
def test_names_and_scopes(tf, doubled):
    with tf.Graph().as_default() as graph:
        assert tf.import_graph_def(doubled) is None
        tf.import_graph_def(doubled, name="a/b")
        tf.graph_util.import_graph_def(doubled)
        with tf.name_scope("outer"):
            tf.import_graph_def(doubled, name="inner")
        tf.import_graph_def(doubled, name="")
        tf.import_graph_def(doubled, name="")
    found = names(graph)
    for name in ("import/x", "a/b/x", "import_1/x", "outer/inner/x", "x", "x_1"):
        assert name in found
    assert len(found) == 6 * len(doubled.node)


@pytest.mark.rule(79)
def test_return_elements(tf, doubled):
    with tf.Graph().as_default():
        op, tensor = tf.import_graph_def(doubled, return_elements=["y", "y:0"], name="p")
        assert (op.name, op.type, tensor.name, tensor.op.name) == ("p/y", "Identity", "p/y:0", "p/y")
        assert tf.import_graph_def(doubled, return_elements=[]) == []
        with pytest.raises(ValueError, match="Requested return node 'z' not found in graph def"):
            tf.import_graph_def(doubled, return_elements=["z"])
        with pytest.raises(ValueError, match="Requested return tensor 'z:0' not found in graph def"):
            tf.import_graph_def(doubled, return_elements=["z:0"])
        with pytest.raises(ValueError, match=r"Invalid return output 3 of node 'y', which has 1 output\(s\)"):
            tf.import_graph_def(doubled, return_elements=["y:3"])
        with pytest.raises(ValueError, match="Cannot convert 'y:z' to a tensor name"):
            tf.import_graph_def(doubled, return_elements=["y:z"])
        with pytest.raises(TypeError, match="`return_elements` must be a list of strings"):
            tf.import_graph_def(doubled, return_elements=[3])


@pytest.mark.rule(79)
def test_input_map(tf, doubled):
    with tf.Graph().as_default() as graph:
        given = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[3], name="given")
        y, x = tf.import_graph_def(doubled, {"x": given}, ["y:0", "x:0"], name="p")
        assert x is given or x.name == "given:0"
        assert "p/x" in names(graph)
        assert "given:0" in [t.name for t in graph.get_operation_by_name("p/Sum").inputs]
        assert y.shape.as_list() in ([3], [None])
        tf.import_graph_def(doubled, {"x:0": [1.0]}, name="q")
        assert "q/_inputs/Const" in names(graph)
        for wrong, error, text in (
            ({"q": given}, ValueError, r"Attempted to map inputs that were not found in graph_def: \[q:0\]"),
            ({"x:5": given}, ValueError, r"not found in graph_def: \[x:5\]"),
            ({"x": tf.constant(1)}, ValueError, "was passed int32 from .* incompatible with expected float"),
            ({3: given}, TypeError, "All keys for argument `input_map` must be strings"),
            ([given], TypeError, "Argument `input_map` must be a dictionary. Obtained list"),
        ):
            with pytest.raises(error, match=text):
                tf.import_graph_def(doubled, wrong)
        with pytest.raises(ValueError, match="requires a non-empty `name` if `input_map` contains non-Tensor values"):
            tf.import_graph_def(doubled, {"x": [1.0]}, name="")


@pytest.mark.rule(79)
def test_inside_a_function(tf, doubled):
    @tf.function
    def f(x):
        (y,) = tf.import_graph_def(doubled, {"x": x}, ["y:0"])
        return y + 1.0

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [3, 5]
    assert f(tf.constant([-1.0])).numpy().tolist() == [2]
    assert f.experimental_get_tracing_count() == 2

    @tf.function
    def slope(x):
        (y,) = tf.import_graph_def(doubled, {"x": x}, ["y:0"])
        return tf.gradients(y, x)[0]

    assert slope(tf.constant([1.0, 2.0])).numpy().tolist() == [2, 2]


@pytest.mark.rule(79)
def test_effects_happen_in_order(tf):
    v = tf.Variable(1.0)

    @tf.function
    def step(x):
        v.assign(v * x)
        v.assign_add(1.0)
        return v.read_value()

    concrete = step.get_concrete_function(tf.TensorSpec([], name="x"))
    definition = concrete.graph.as_graph_def()
    handle = concrete.inputs[1].name

    @tf.function
    def twice(x, variable):
        # A tensor of the graph: TensorFlow maps no eager ones.
        mapped = {"x": x, handle: tf.identity(variable.handle)}
        for _ in range(2):
            (result,) = tf.import_graph_def(definition, mapped, [concrete.outputs[0].name])
        return result

    assert float(twice(tf.constant(3.0), v)) == 13
    assert float(v) == 13


@pytest.mark.rule(79)
def test_messages(tf, doubled):
    read = tf.compat.v1.GraphDef()
    read.ParseFromString(doubled.SerializeToString())
    assert [n.name for n in read.node] == [n.name for n in doubled.node]
    x = read.node[0]
    assert (x.name, x.op, list(x.input), x.device) == ("x", "Placeholder", [], "")
    assert x.attr["dtype"].type == tf.float32.as_datatype_enum
    assert [d.size for d in x.attr["shape"].shape.dim] == [-1]
    assert x.attr["dtype"].WhichOneof("value") == "type" and x.attr["shape"].HasField("shape")
    branch = next(n for n in read.node if n.op == "StatelessIf")
    functions = [f.signature.name for f in read.library.function]
    assert branch.attr["then_branch"].func.name in functions and branch.attr["else_branch"].func.name in functions
    constant = next(n for n in read.node if n.op == "Const" and n.attr["dtype"].type == tf.float32.as_datatype_enum)
    assert tf.make_ndarray(constant.attr["value"].tensor).tolist() == 0
    assert tf.compat.v1.GraphDef.FromString(read.SerializeToString()).versions.producer > 1000
    assert len(tf.compat.v1.GraphDef().node) == 0
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(tf.compat.v1.GraphDef())
    assert names(graph) == []


@pytest.mark.rule(79)
@pytest.mark.parametrize("wrong", [3, None, "abc", b""], ids=repr)
def test_what_is_no_graph_def(tf, wrong):
    if wrong == b"":
        wrong = tf.TensorSpec([]).experimental_as_proto()
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Argument `graph_def` must be a GraphDef proto"):
        tf.import_graph_def(wrong)


@pytest.mark.rule(79)
def test_outside_of_graphs(tf, doubled):
    (y,) = tf.import_graph_def(doubled, return_elements=["y:0"])
    assert y.name.startswith("y") and "/" not in y.name and y.graph is tf.compat.v1.get_default_graph()
    assert tf.executing_eagerly()


@pytest.mark.rule(79)
def test_shapes_in_graph_defs(tf):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
        tf.split(x, 2, axis=1, name="s")
        tf.compat.v1.placeholder(tf.float32, name="y")
        tf.no_op(name="n")
    nodes = {node.name: node for node in graph.as_graph_def(add_shapes=True).node}

    def shapes(name):
        found = nodes[name].attr["_output_shapes"].list.shape
        return [None if shape.unknown_rank else [size.size for size in shape.dim] for shape in found]

    assert shapes("x") == [[-1, 2]]
    assert shapes("s") == [[-1, 1], [-1, 1]]
    assert shapes("y") == [None]
    assert "_output_shapes" not in nodes["n"].attr
    assert all("_output_shapes" not in node.attr for node in graph.as_graph_def().node)
    with tf.Graph().as_default() as other:
        tf.import_graph_def(graph.as_graph_def(add_shapes=True), name="")
    assert names(other) == names(graph)
