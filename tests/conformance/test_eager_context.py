"""tensorflow.python.eager.context and other modules that tests of TensorFlow import: seeds, graphs, callbacks, messages."""

import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture(scope="module")
def module(tf):
    return lambda path: importlib.import_module(f"{tf.__name__}.python.{path}")


def test_seeds(tf, module):
    context = module("eager.context")
    for seed in (5, np.int32(5), np.uint64(5), np.array(5), tf.constant(5)):
        context.set_global_seed(seed)
        assert context.global_seed() == 5
        first = context.internal_operation_seed()
        context.set_global_seed(5)
        assert context.internal_operation_seed() == first
        assert context.internal_operation_seed() != first
    context.set_global_seed(3)
    values = tf.random.uniform([3])
    tf.random.set_seed(3)
    assert np.all(values == tf.random.uniform([3]))
    tf.random.set_seed(None)


def test_modes_and_devices(tf, module):
    context = module("eager.context")
    state = context.context()
    state.ensure_initialized()
    assert (state.num_gpus(), context.num_gpus(), state.execution_mode, context.SYNC) == (0, 0, 0, 0)
    with context.execution_mode(context.SYNC):
        assert not state.is_async()
    with context.device("/cpu:0"):
        assert context.get_device_name() == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert "/job:localhost/replica:0/task:0/device:CPU:0" in state.devices()
    assert [device.device_type for device in state.list_physical_devices("CPU")] == ["CPU"]
    assert state.soft_device_placement is True
    with pytest.raises(ValueError, match="No matching devices found"):
        state.get_memory_info("unknown_device:0")
    for name in ("GPU", "GPU:", "GPU:CPU"):
        with pytest.raises(ValueError, match="Failed parsing device name"):
            state.get_memory_info(name)


def test_graph_mode_in_a_graph(tf, module):
    context = module("eager.context")
    with tf.Graph().as_default() as graph, context.graph_mode():
        tf.compat.v1.placeholder(tf.int32)
    assert len(graph.get_operations()) == 1

    @tf.function
    def f(x):
        with context.graph_mode():
            return x + 1.0

    assert float(f(tf.constant(1.0))) == 2.0


def test_collected_graphs(tf, module):
    context = module("eager.context")
    f = tf.function(lambda x: x + 1.0)
    with context.collect_graphs() as graphs:
        f(tf.constant(1.0))
        assert graphs == []
    assert len(graphs) == 1
    assert "AddV2" in [node.op for node in graphs[0].node]


def test_callbacks_at_the_end_of_a_trace(tf, module):
    ops = module("framework.ops")
    called = []

    @tf.function
    def inner(x):
        ops.add_exit_callback_to_default_func_graph(lambda: called.append("inner"))
        return x + 1.0

    @tf.function
    def outer(x):
        ops.add_exit_callback_to_default_func_graph(lambda: called.append("outer"))
        assert called == []
        return inner(x)

    outer(tf.constant(1.0))
    outer(tf.constant(2.0))
    assert called == ["inner", "outer"]
    with pytest.raises(RuntimeError, match="Cannot add scope exit callbacks when not building a function."):
        ops.add_exit_callback_to_default_func_graph(lambda: None)


def test_messages_of_functions(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x, y):
        v.assign_add(1.0)
        return {"a": x + 1.0, "b": y}

    message = f.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([], tf.int32, name="n")).function_def
    assert [(x.name, x.type) for x in message.signature.input_arg][:2] == [("x", 1), ("n", 3)]
    assert message.signature.input_arg[2].type == 20
    assert [x.name for x in message.signature.output_arg] == ["identity", "identity_1"]
    assert message.signature.is_stateful
    assert dict(message.ret) == {"identity": "Identity:output:0", "identity_1": "Identity_1:output:0"}
    assert dict(message.control_ret) == {"AssignAddVariableOp": "AssignAddVariableOp"}
    assert message.arg_attr[1].attr["_user_specified_name"].s == b"n"
    assert "_none" not in message.attr


def test_order_of_effects_is_left_out(tf):
    v = tf.Variable(1.0)

    def f(x):
        before = v.read_value()
        v.assign_add(x)
        return before

    spec = tf.TensorSpec([], tf.float32)
    assert len(tf.function(f).get_concrete_function(spec).graph.control_outputs) == 2
    without = tf.function(f, experimental_attributes={"_disable_acd": True})
    assert len(without.get_concrete_function(spec).graph.control_outputs) == 0


def test_functions_of_graph_defs(tf, module):
    graph = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([None, 2], tf.float32)).graph
    made = module("eager.wrap_function").function_from_graph_def(
        graph.as_graph_def(), inputs=graph.inputs[0].name, outputs=[graph.outputs[0].name]
    )
    assert made(tf.constant([[1.0, 2.0]]))[0].numpy().tolist() == [[2.0, 3.0]]


def test_copies_of_functions(tf):
    f = tf.function(lambda x: x * 2.0, autograph=False, reduce_retracing=True)
    copy = f._clone(python_function=lambda x: x * 3.0)
    assert float(copy(tf.constant(2.0))) == 6.0
    assert (copy._autograph, copy._reduce_retracing, copy._name) == (False, True, f._name)
    assert float(f._clone(None)(tf.constant(2.0))) == 4.0


def test_calls_by_one_signature(tf):
    f = tf.function(lambda x, y=5: x).get_concrete_function(tf.constant(1), tf.constant(2))
    assert int(f._call_with_flat_signature((tf.constant(1), tf.constant(2)), {})) == 1
    assert int(f._call_with_structured_signature((tf.constant(3),), {"y": tf.constant(2)})) == 3
    with pytest.raises(TypeError, match=r"\(x, y\) missing required arguments: y"):
        f._call_with_flat_signature((tf.constant(1),), {})
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        f._call_with_structured_signature((3,), {})


def test_caches_that_libraries_clear(tf):
    traced = []

    class Model:
        @tf.function
        def call(self, x):
            traced.append(self)
            return x

    @tf.function
    def f(x):
        traced.append(f)
        return x

    assert f._variable_creation_config is None
    f(tf.constant(1.0))
    f._variable_creation_config.function_cache.clear()
    assert len(f._variable_creation_config.function_cache) == 0
    f(tf.constant(1.0))
    assert traced == [f, f] and len(f._variable_creation_config.function_cache) == 1

    first, second = Model(), Model()
    for model in (first, second, first):
        model.call(tf.constant(1.0))
    cache = Model.__dict__["call"]._descriptor_cache
    assert traced[2:] == [first, second] and len(cache) == 2
    cache.clear()
    assert len(Model.__dict__["call"]._descriptor_cache) == 0
    first.call(tf.constant(1.0))
    assert traced[2:] == [first, second, first] and len(f._descriptor_cache) == 0
