"""What Python itself says about tensors, functions and graphs, which names their class."""

import pytest

pytestmark = pytest.mark.rule(27)


def test_items_of_tensors_cannot_be_assigned(tf):
    x = tf.constant([1, 2])
    with pytest.raises(
        TypeError, match="'tensorflow.python.framework.ops.EagerTensor' object does not support item assign"
    ):
        x[0] = 3


def test_messages_of_the_interpreter_name_the_type(tf):
    x = tf.constant([1, 2])
    with pytest.raises(TypeError, match="'tensorflow.python.framework.ops.EagerTensor' object is not callable"):
        x()
    for name in ("shape", "dtype", "ndim"):
        with pytest.raises(AttributeError, match=f"property '{name}' of 'EagerTensor' object has no setter"):
            setattr(x, name, 3)
    with pytest.raises(AttributeError, match="property 'shape' of 'EagerTensor' object has no deleter"):
        del x.shape
    x.note = 3
    assert x.note == 3
    del x.note
    with pytest.raises(AttributeError, match="note"):
        del x.note


def test_rounding_needs_the_methods_of_numpy(tf):
    for x in (tf.constant(2.5), tf.constant([1.5, 2.5]), tf.constant(7), tf.constant(True)):
        with pytest.raises(AttributeError, match="EagerTensor object has no attribute 'astype'"):
            round(x)
        with pytest.raises(AttributeError, match="EagerTensor object has no attribute 'astype'"):
            round(x, 1)
    with tf.Graph().as_default(), pytest.raises(AttributeError, match="SymbolicTensor object has no attribute 'astype'"):
        round(tf.constant(2.5))
    with pytest.raises(TypeError, match="type ResourceVariable doesn't define __round__ method"):
        round(tf.Variable(2.5))


KINDS = ["Function", "ConcreteFunction", "FunctionType", "Parameter", "Operation", "Graph", "function"]


@pytest.mark.parametrize("kind", KINDS)
def test_classes_are_named_without_their_module(tf, kind):
    function = tf.function(lambda x: x + 1)
    concrete = function.get_concrete_function(tf.TensorSpec([]))
    (parameter,) = concrete.function_type.parameters.values()
    objects = [function, concrete, concrete.function_type, parameter, concrete.inputs[0].op, tf.Graph(), tf.nn.relu]
    value = objects[KINDS.index(kind)]
    assert type(value).__name__ == kind
    with pytest.raises(AttributeError, match=f"^'{kind}' object has no attribute 'nothing'"):
        getattr(value, "nothing")  # noqa: B009
    with pytest.raises(TypeError, match=f"^'{kind}' object is not subscriptable$"):
        value[0]
    with pytest.raises(TypeError, match=rf"^unsupported operand type\(s\) for \+: '{kind}' and 'object'$"):
        value + object()


def test_a_graph_as_a_context_is_without_effect(tf):
    graph = tf.Graph()
    with graph as entered:
        assert tf.constant(3).numpy() == 3
    assert entered is graph and graph.get_operations() == []
