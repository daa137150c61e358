"""Programs that look into the registry of gradients, and replace entries for a while."""

import contextlib
import copy
import importlib
import types

import pytest

pytestmark = [pytest.mark.needs("gradient"), pytest.mark.rule(195)]


@pytest.fixture
def registry(tf):
    """The registry, by the path that programs import it from."""
    name = "tracefn.python" if tf.__name__ == "tracefn" else "tensorflow.python"
    return importlib.import_module(f"{name}.framework.ops")._gradient_registry


@contextlib.contextmanager
def replaced(registry, op_type, function):
    """A context in which the gradient of an op type is another function."""
    entries = registry._registry
    own = entries[op_type]["type"]
    entries[op_type]["type"] = function
    try:
        yield own
    finally:
        entries[op_type]["type"] = own


def slope_of(tf, function, *values, traced):
    """The gradients of a sum of a function's results."""

    def run(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = tf.reduce_sum(function(*xs))
        return tape.gradient(y, xs)

    xs = [tf.constant(v) for v in values]
    return [None if g is None else g.numpy().tolist() for g in (tf.function(run) if traced else run)(*xs)]


@pytest.mark.parametrize("traced", [False, True])
def test_a_function_in_place_of_a_rule(tf, registry, traced):
    seen = []

    def tenfold(op, dy):
        seen.append((op.type, len(op.outputs)))
        return dy * 10.0

    with replaced(registry, "Relu", tenfold):
        assert slope_of(tf, tf.nn.relu, [-1.0, 2.0], traced=traced) == [[10.0, 10.0]]
    assert seen == [("Relu", 1)]
    assert slope_of(tf, tf.nn.relu, [-1.0, 2.0], traced=traced) == [[0.0, 1.0]]


@pytest.mark.parametrize("traced", [False, True])
def test_the_rule_within_its_replacement(tf, registry, traced):
    with replaced(registry, "Mul", lambda op, dy: [10.0 * g for g in own(op, dy)]) as own:
        assert slope_of(tf, tf.multiply, [3.0], [5.0], traced=traced) == [[50.0], [30.0]]
    with replaced(registry, "MaxPool", lambda op, dy: own(op, dy) * 2.0) as own:
        x = [[[[1.0], [2.0]], [[4.0], [3.0]]]]
        grad = slope_of(tf, lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), x, traced=traced)
    assert grad == [[[[[0.0], [0.0]], [[2.0], [0.0]]]]]
    with replaced(registry, "Split", lambda op, *dys: [None, own(op, *[2.0 * d for d in dys])[1]]) as own:
        assert slope_of(tf, lambda x: tf.split(x, 2)[1] * 3.0, [1.0, 2.0], traced=traced) == [[0.0, 6.0]]


def test_gradients_of_graphs(tf, registry):
    @tf.function
    def f(x):
        return tf.gradients(tf.tanh(x) * 2.0, x)[0]

    with replaced(registry, "Tanh", lambda op, dy: dy + op.outputs[0] * 0.0):
        assert float(f(tf.constant(0.5))) == 2.0
    assert float(tf.function(f.python_function)(tf.constant(0.0))) == 2.0


@pytest.mark.parametrize("traced", [False, True])
def test_nothing_in_place_of_a_rule(tf, registry, traced):
    with replaced(registry, "Exp", None):
        assert slope_of(tf, tf.exp, [1.0], traced=traced) == [None]
    assert slope_of(tf, tf.exp, [0.0], traced=traced) == [[1.0]]


def test_lookups(tf, registry):
    assert registry.lookup("Shape") is None and callable(registry.lookup("Relu"))
    assert registry.lookup("Relu").__name__ == "_ReluGrad"
    with pytest.raises(LookupError, match="gradient registry has no entry for: NoOpOfThisSuite2"):
        registry.lookup("NoOpOfThisSuite2")
    entries = registry._registry
    assert "Relu" in entries and "NoOpOfThisSuite2" not in entries and "Shape" in entries
    assert "MatMul" in registry.list() and len(entries) > 300


def test_registered_functions_are_entries(tf, registry):
    if "GuidedOfThisSuite" not in registry._registry:

        @tf.RegisterGradient("GuidedOfThisSuite")
        def guided(op, dy):
            return tf.cast(dy > 0, dy.dtype) * tf.cast(op.outputs[0] > 0, dy.dtype) * dy

    assert registry.lookup("GuidedOfThisSuite")

    @tf.function
    def f(x):
        with x.graph.gradient_override_map({"Relu": "GuidedOfThisSuite"}):
            y = tf.nn.relu(x)
        return tf.gradients(y * [1.0, -1.0, 1.0], x)[0]

    assert f(tf.constant([1.0, 1.0, -1.0])).numpy().tolist() == [1.0, 0.0, 0.0]
    registry._registry["CopyOfThisSuite"] = {"type": registry.lookup("GuidedOfThisSuite"), "location": "here"}
    assert registry.lookup("CopyOfThisSuite") is registry.lookup("GuidedOfThisSuite")
    del registry._registry["CopyOfThisSuite"]
    assert "CopyOfThisSuite" not in registry._registry


def test_entries_taken_out(tf, registry):
    entries = registry._registry
    entries["TensorListReserve"] = {"type": None, "location": ("nowhere",)}
    assert entries["TensorListReserve"]["location"] == ("nowhere",)
    del entries["TensorListReserve"]
    own = entries.pop("Atanh")
    try:
        assert "Atanh" not in entries and "Atanh" not in list(registry.list())
        with pytest.raises(LookupError, match="Atanh"):
            slope_of(tf, tf.atanh, [0.5], traced=False)
        with pytest.raises(KeyError):
            del entries["Atanh"]

        @tf.RegisterGradient("Atanh")
        def other(op, dy):
            return dy * 3.0

        assert slope_of(tf, tf.atanh, [0.5], traced=False) == [[3.0]]
    finally:
        entries["Atanh"] = own
    assert slope_of(tf, tf.atanh, [0.0], traced=False) == [[1.0]]


def test_entries_are_dicts(tf, registry):
    entries = registry._registry
    entry = entries["Relu"]
    assert entries["Relu"] is entry and registry.lookup("Relu") is registry.lookup("Relu") is entry["type"]
    kept = copy.deepcopy({"location": "x", **entry}), copy.copy(entry), dict(entry)
    own = entry["type"]
    entry.update(type=lambda op, dy: dy * 7.0)
    try:
        assert slope_of(tf, tf.nn.relu, [-1.0, 2.0], traced=False) == [[7.0, 7.0]]
        assert all(one["type"] is own for one in kept[1:])
    finally:
        entry.update({"type": own})
    assert slope_of(tf, tf.nn.relu, [-1.0, 2.0], traced=False) == [[0.0, 1.0]]


def test_rules_of_objects_that_are_like_operations(tf, registry):
    x = tf.constant([1.0, -1.0])
    like = types.SimpleNamespace(type="Relu", inputs=[x], outputs=[tf.nn.relu(x)], get_attr=lambda name: None)
    assert registry.lookup("Relu")(like, tf.ones(2)).numpy().tolist() == [1.0, 0.0]


@pytest.mark.superset("other numbers of tensors fail within TensorFlow's rules")
def test_rules_of_other_operations(tf, registry):
    x = tf.constant([1.0, -1.0])
    none = types.SimpleNamespace(type="Relu", inputs=[x], outputs=[])
    with pytest.raises(ValueError, match="The gradient of Relu takes 1 outputs, got 0"):
        registry.lookup("Relu")(none, tf.ones(2))
    with replaced(registry, "Relu", lambda op, dy: registry.lookup("Conv2D")(op, dy)):
        for traced in (False, True):
            with pytest.raises(ValueError, match="The gradient of Conv2D takes 2 inputs, got 1"):
                slope_of(tf, tf.nn.relu, [-1.0, 2.0], traced=traced)
    with pytest.raises(ValueError, match="The gradient of Relu takes 1 gradients, got 2"):
        registry.lookup("Relu")(types.SimpleNamespace(inputs=[x], outputs=[x]), x, x)
