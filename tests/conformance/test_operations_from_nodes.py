"""`tf.__internal__.create_c_op`: operations made again from their messages, as layers of Keras 2 for ops are."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def again(tf, op, inputs, control_inputs=(), device=""):
    """An operation like another one, with other inputs."""
    node = tf.compat.v1.NodeDef()
    node.CopyFrom(op.node_def)
    node.name = op.graph.unique_name(node.name)
    node.device = device
    node.attr["_cloned"].b = True
    made = tf.__internal__.create_c_op(op.graph, node, inputs, control_inputs=list(control_inputs))
    made = op.graph._create_op_from_tf_operation(made)
    made._control_flow_post_processing()
    return made


def test_a_node_made_again(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2, None], name="x")
        total = tf.reduce_sum(x, 1, keepdims=True, name="total")
        with tf.name_scope("scope"), tf.control_dependencies([tf.no_op()]):
            made = again(tf, total.op, [x * 2.0, tf.constant([1])], [x.op], "/device:CPU:0")
        assert made.name == "scope/total" and made.type == "Sum" and made.device == "/device:CPU:0"
        assert made.control_inputs == [x.op]
        assert made.get_attr("keep_dims") is True and made.get_attr("_cloned") is True
        assert made.outputs[0].shape.as_list() == [2, 1]
        gradient = tf.gradients(made.outputs[0], x)[0]
        with v1.Session() as session:
            found = session.run([made.outputs[0], gradient], {x: np.ones([2, 3], "float32")})
    np.testing.assert_array_equal(found[0], [[6.0], [6.0]])
    np.testing.assert_array_equal(found[1], np.full([2, 3], 2.0))


def test_lists_of_inputs_and_outputs(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = tf.constant([[1.0, 2.0]])
        joined = again(tf, tf.concat([x, x], 0).op, [x, x * 2.0, tf.constant(0)])
        parts = again(tf, tf.unstack(x, axis=1)[0].op, [x])
        same = again(tf, tf.identity_n([x, 1])[0].op, [x, tf.constant(2)])
        number = again(tf, tf.constant([3.0, 4.0]).op, [])
        with v1.Session() as session:
            found = session.run([joined.outputs[0], list(parts.outputs), same.outputs[1], number.outputs[0]])
    np.testing.assert_array_equal(found[0], [[1.0, 2.0], [2.0, 4.0]])
    assert [part.tolist() for part in found[1]] == [[1.0], [2.0]]
    assert found[2] == 2 and found[3].tolist() == [3.0, 4.0]


def test_a_name_that_is_taken(tf):
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0, name="x")
        y = tf.sin(x, name="y")
        with pytest.raises(ValueError, match="Duplicate node name in graph: 'y'"):
            tf.__internal__.create_c_op(graph, y.op.node_def, [x], control_inputs=[])


def test_tapes_know_nodes_made_again(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = again(tf, tf.sin(x).op, [x])
            tf.__internal__.record_gradient("Sin", made.inputs, ("T", tf.float32), made.outputs)
        return tape.gradient(made.outputs[0], x)

    np.testing.assert_allclose(f(tf.constant(0.5)), np.cos(0.5), rtol=1e-6)
