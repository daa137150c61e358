"""`tensorflow.python.grappler.tf_optimizer.OptimizeGraph`: GraphDefs that compute the same with fewer nodes."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def optimized(tf, internal):
    """The nodes by their names, each (op, inputs), of what a function puts into a graph, for some fetches; and the GraphDef."""

    pytest.importorskip("tensorboard")  # has the class of ConfigProto

    def run(build, fetches, optimizers=("constfold", "function"), in_signature=False, **options):
        with tf.Graph().as_default() as graph:
            build()
            meta_graph = tf.compat.v1.train.export_meta_graph(graph=graph)
        config = tf.compat.v1.ConfigProto()
        chosen = config.graph_options.rewrite_options
        chosen.optimizers[:] = optimizers
        chosen.min_graph_nodes = -1
        for name, value in options.items():
            setattr(chosen, name, value)
        for fetch in fetches:
            if in_signature:
                meta_graph.signature_def["main"].outputs[fetch].name = fetch
            else:
                meta_graph.collection_def["train_op"].node_list.value.append(fetch)
        made = internal("grappler.tf_optimizer").OptimizeGraph(config, meta_graph)
        return {node.name: (node.op, list(node.input)) for node in made.node}, made

    return run


def some_products(tf):
    x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
    product = tf.multiply(tf.constant(2.0, name="a"), tf.constant([3.0], name="b"), name="ab")
    tf.identity(x * product, name="y")
    tf.identity(x + 1.0, name="unused")
    tf.identity(tf.random.uniform([2]), name="r")


@pytest.mark.parametrize("in_signature", [True, False])
@pytest.mark.parametrize("fetch", ["y", "y:0"])
def test_constants(tf, optimized, fetch, in_signature):
    nodes, made = optimized(lambda: some_products(tf), [fetch], in_signature=in_signature)
    assert {name: op for name, (op, _) in nodes.items()} == {"x": "Placeholder", "ab": "Const", "mul": "Mul", "y": "Identity"}
    assert tf.make_ndarray(next(n for n in made.node if n.name == "ab").attr["value"].tensor).tolist() == [6.0]


def test_chosen_optimizers(tf, optimized):
    nodes, _ = optimized(lambda: some_products(tf), ["y"], ["pruning"])
    assert "unused" not in nodes and nodes["ab"] == ("Mul", ["a", "b"])
    nodes, _ = optimized(lambda: some_products(tf), ["y"], ["function"])
    assert "unused" in nodes and nodes["ab"] == ("Mul", ["a", "b"])


@pytest.mark.parametrize(
    ("options", "op"), [({"disable_meta_optimizer": True}, "Mul"), ({"constant_folding": 2}, "Mul"), ({"constant_folding": 1}, "Const")]
)
def test_optimizers_turned_off(tf, optimized, options, op):
    assert optimized(lambda: some_products(tf), ["y"], (), **options)[0]["ab"][0] == op


def test_random_numbers_stay(tf, optimized):
    nodes, _ = optimized(lambda: some_products(tf), ["r"])
    assert sorted(op for op, _ in nodes.values()).count("RandomUniform") == 1


def test_known_shapes(tf, optimized):
    def build():
        x = tf.compat.v1.placeholder(tf.float32, [3, 4], name="x")
        tf.reshape(x, tf.reverse(tf.shape(x), [0], name="turned"), name="y")
        tf.cast(tf.size(x), tf.float32, name="z")
        unknown = tf.compat.v1.placeholder(tf.float32, [None, 4], name="u")
        tf.cast(tf.shape(unknown), tf.float32, name="w")
        tf.cast(tf.rank(unknown), tf.float32, name="v")

    nodes, _ = optimized(build, ["y", "z", "w", "v"], ["constfold"])
    assert [nodes[name][0] for name in ("turned", "z", "w", "v")] == ["Const", "Const", "Cast", "Const"]


def test_several_results(tf, optimized):
    def build():
        x = tf.compat.v1.placeholder(tf.float32, [1], name="x")
        first, second = tf.split(tf.constant([1.0, 2.0]), 2, name="halves")
        tf.add(x, first, name="y")
        tf.add(x, second, name="z")

    nodes, made = optimized(build, ["y", "z"], ["constfold"])
    assert "halves" not in nodes
    values = {n.name: float(tf.make_ndarray(n.attr["value"].tensor)[0]) for n in made.node if n.op == "Const"}
    taken = {name: [values[i.partition(":")[0]] for i in nodes[name][1] if i != "x"] for name in ("y", "z")}
    assert taken == {"y": [1.0], "z": [2.0]}


def test_order_of_nodes(tf, optimized):
    def build():
        x = tf.compat.v1.placeholder(tf.float32, [3], name="x")
        with tf.control_dependencies([x]):
            late = tf.constant(2.0, name="late")
        product = tf.multiply(tf.constant(3.0), tf.constant(4.0), name="product")
        with tf.control_dependencies([product]):
            tf.multiply(x, late, name="y")

    nodes, _ = optimized(build, ["y"], ["constfold"])
    assert nodes["late"] == ("Const", ["^x"])
    assert nodes["product"] == ("Const", [])


@pytest.mark.parametrize(("optimizers", "inlined"), [(["function"], True), (["constfold", "function"], True), (["constfold"], False)])
def test_calls(tf, optimized, optimizers, inlined):
    def build():
        x = tf.compat.v1.placeholder(tf.float32, [3], name="x")
        inner = tf.function(lambda a: a * 2.0)
        tf.identity(tf.function(lambda a: inner(a) + 1.0)(x), name="y")

    nodes, made = optimized(build, ["y"], optimizers)
    assert ("PartitionedCall" in {op for op, _ in nodes.values()}) != inlined
    assert {"Mul", "AddV2"} <= {op for op, _ in nodes.values()} or not inlined
    assert len(made.library.function) == (0 if inlined else 2)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(made, name="")
        assert session.run("y:0", {"x:0": [1.0, 2.0, 3.0]}).tolist() == [3.0, 5.0, 7.0]


def test_what_fails_stays(tf, optimized):
    def build():
        tf.identity(tf.debugging.check_numerics(tf.constant(1.0) / tf.constant(0.0), "no number"), name="y")

    nodes, _ = optimized(build, ["y"])
    assert "CheckNumerics" in {op for op, _ in nodes.values()}


@pytest.mark.parametrize("fetches", [[], ["nothing"]])
def test_nothing_to_fetch(tf, optimized, fetches):
    with pytest.raises(ValueError, match="^Failed to import metagraph, check error log for more info.$"):
        optimized(lambda: some_products(tf), fetches)


def test_without_a_config(tf, internal):
    with pytest.raises(TypeError, match="Argument `config_proto` should be a tf.ConfigProto, received type: int"):
        internal("grappler.tf_optimizer").OptimizeGraph(3, tf.compat.v1.MetaGraphDef())
