"""`tensorflow.python.framework.test_util`: contexts and decorators of tests, layouts of images, and what is said about GraphDefs."""

import importlib

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def util(tf):
    return importlib.import_module(f"{tf.__name__}.python.framework.test_util")


@pytest.fixture
def run(tf):
    """Runs a test method in a class of its own; returns the result."""

    def run_method(method):
        result = type("Tests", (tf.test.TestCase,), {"test_it": method})("test_it").run()
        assert not result.errors + result.failures
        return result

    yield run_method
    tf.random.set_seed(None)  # setUp sets it


@pytest.mark.parametrize("name", ["use_gpu", "force_cpu", "deterministic_ops"])
def test_contexts(tf, util, name):
    with getattr(util, name)():
        assert (tf.constant([1, 2]) + 1).numpy().tolist() == [2, 3]


def test_a_device(tf, util):
    with tf.Graph().as_default(), util.device(use_gpu=True):
        assert tf.zeros([]).op.device == "/device:CPU:0"


def test_functions_that_run_eagerly(tf, util):
    with util.run_functions_eagerly(True):
        assert tf.config.functions_run_eagerly()
    assert not tf.config.functions_run_eagerly()
    with pytest.raises(ValueError, match="Expected bool for `run_eagerly` but got 1"), util.run_functions_eagerly(1):
        pass


def test_gradients_with_and_without_a_tape(tf, util):
    x = tf.constant(3.0)
    with util.AbstractGradientTape(use_tape=True, persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 6
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(3.0)
        with util.AbstractGradientTape(use_tape=False) as tape:
            tape.watch(x)
            y = x * x
            single, several = tape.gradient(y, x), tape.gradient(y, [x], [tf.constant(2.0)])
        assert session.run([single, several]) == [6, [12]]


def test_layouts(tf, util):
    image = tf.reshape(tf.range(2 * 3 * 5 * 8), [2, 3, 5, 8])
    for sizes in ([2, 3, 4], [2, 3, 5, 8], [2, 3, 4, 5, 6]):
        assert util.NHWCToNCHW(sizes) == [sizes[0], sizes[-1], *sizes[1:-1]]
    for sizes in ([2, 3, 5, 8], [2, 3, 4, 5, 6]):
        assert util.NCHWToNHWC(util.NHWCToNCHW(sizes)) == sizes
    assert util.NHWCToNCHW(image).shape.as_list() == [2, 8, 3, 5]
    assert bool(tf.reduce_all(util.NCHWToNHWC(util.NHWCToNCHW(image)) == image))
    assert util.NHWCToNCHW_VECT_C([2, 3, 5, 8]) == [2, 2, 3, 5, 4]
    assert util.NCHW_VECT_CToNHWC([2, 2, 3, 5, 4]) == [2, 3, 5, 8]
    assert bool(tf.reduce_all(util.NCHW_VECT_CToNHWC(util.NHWCToNCHW_VECT_C(image)) == image))
    with pytest.raises(ValueError, match="must be evenly divisible by 4"):
        util.NHWCToNCHW_VECT_C([2, 3, 5, 7])
    with pytest.raises(ValueError, match="Last dimension of NCHW_VECT_C must be 4"):
        util.NCHW_VECT_CToNHWC([2, 2, 3, 5, 8])


def test_nodes_of_graphs(tf, util):
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="a")
        tf.constant(2, name="b")
    assert list(util.assert_ops_in_graph({"a": "Const"}, graph)) == ["a"]
    with pytest.raises(ValueError, match="Expected op for node a is different. Add vs Const"):
        util.assert_ops_in_graph({"a": "Add"}, graph)
    with pytest.raises(ValueError, match="Not all expected ops are present"):
        util.assert_ops_in_graph({"a": "Const", "c": "Const"}, graph)
    assert util.get_node_def_from_graph("b", graph.as_graph_def()).op == "Const"
    assert util.get_node_def_from_graph("c", graph.as_graph_def()) is None


def test_tests_that_do_not_run(util, run):
    calls = []
    run(util.skip_if(lambda: True)(lambda self: calls.append("skipped")))
    run(util.skip_if(False)(lambda self: calls.append("run")))
    run(util.disable_eager_op_as_function("why")(lambda self: calls.append("eager")))
    run(util.disable_asan("why")(lambda self: calls.append("asan")))
    assert calls == ["run", "asan"]

    def fail(self, words):
        with util.skip_if_error(self, ValueError, words):
            raise ValueError("some words")

    assert len(run(lambda self: fail(self, ["other", "words"])).skipped) == 1
    assert len(run(lambda self: fail(self, None)).skipped) == 1
    with pytest.raises(AssertionError):
        run(lambda self: fail(self, "other"))


def test_tests_that_run_twice(tf, util, run):
    modes = []
    run(util.with_forward_compatibility_horizons(None, [2031, 1, 1], [2019, 11, 1])(
        lambda self: modes.append((tf.compat.forward_compatible(2019, 12, 1), tf.compat.forward_compatible(2030, 12, 1)))
    ))  # fmt: skip
    assert modes == [(True, False), (True, True), (True, False)]
    with pytest.raises(ValueError, match="Bad horizon value"):
        util.with_forward_compatibility_horizons([1, 2])
    with pytest.raises(ValueError, match="only supports test methods"):
        util.with_forward_compatibility_horizons(None)(type("Tests", (), {}))


def test_decorating_a_class(tf, util):
    calls = []

    @util.for_all_test_methods(util.skip_if, True)
    class Tests(tf.test.TestCase):
        def test_a(self):
            calls.append("a")

        def test_b(self):
            calls.append("b")

    assert Tests("test_a").run().wasSuccessful() and Tests("test_b").run().wasSuccessful() and not calls
    tf.random.set_seed(None)


def test_combinations(util):
    found = util.generate_combinations_with_testcase_name(b=[1, 2], a="x")
    assert [dict(each) for each in found] == [
        {"a": "x", "b": 1, "testcase_name": "_test_a_x_b_1"},
        {"a": "x", "b": 2, "testcase_name": "_test_a_x_b_2"},
    ]


def test_python_in_functions(tf, util):
    values = []

    @util.py_func_if_in_function
    def note(tensor, text):
        values.append((int(tensor), text))

    note(tf.constant(1), "eager")

    @tf.function(autograph=False)
    def traced(x):
        note(x, "traced")
        return x

    traced(tf.constant(2))
    assert values == [(1, "eager"), (2, "traced")]
