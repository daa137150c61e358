"""Functions as programs of TensorFlow 1 define them and graphs call them: Defun, and loops of such functions."""

import itertools

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture(name="Defun")
def defun(internal):
    """Defun, which gives functions names: TensorFlow cannot call a lambda by its own."""
    original, numbers = internal("framework.function").Defun, itertools.count()
    return lambda *types, **options: original(*types, **{"func_name": f"Defined{next(numbers)}", **options})


def run(tf, make):
    """What a session computes of a graph."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        result = make()
        session.run(tf.compat.v1.global_variables_initializer())
        return session.run(result)


def test_defined_functions_are_called_as_one_node(tf, Defun):
    @Defun(tf.float32, tf.float32, func_name="SumOfTwo")
    def add(a, b):
        return a + b

    two = tf.constant(2.0).numpy()
    assert run(tf, lambda: add(tf.constant(1.0), two)) == 3
    assert run(tf, lambda: add(add(tf.constant(1.0), 2.0), 3.0, name="sum")) == 6  # again, in another graph
    assert add.name == "SumOfTwo" and add.declared_input_types == (tf.float32, tf.float32)
    assert [argument.name for argument in add.definition.signature.input_arg] == ["a", "b"]
    with tf.Graph().as_default() as graph:
        one = tf.constant(1.0)
        result = add(one, one)
        assert [tensor.name for tensor in result.op.inputs] == [one.name, one.name]
        assert len(graph.get_operations()) == 2
        for arguments in ((one,), (one, one, one)):
            with pytest.raises(ValueError, match=f"Expected 2 arguments, got {len(arguments)}."):
                add(*arguments)
        with pytest.raises(ValueError, match="Input 'b' passed int32 expected float while building NodeDef"):
            add(one, 1)
        with pytest.raises(ValueError, match="Unknown keyword arguments"):
            add(one, one, zz=1)


def test_results_of_defined_functions(tf, Defun):
    with tf.Graph().as_default():
        one = tf.constant(1.0)
        assert isinstance(Defun(tf.float32)(lambda x: (x, 3))(one), tuple)
        assert isinstance(Defun(tf.float32)(lambda x: [x])(one), tf.Tensor)
        assert isinstance(Defun(tf.float32)(lambda x: None)(one), tf.Operation)
        with pytest.raises(ValueError, match="can not return None"):
            Defun(tf.float32)(lambda x: (x, None))(one)


def test_definitions_are_checked(tf, Defun):
    with pytest.raises(ValueError, match="Function 1 must be a callable."):
        Defun(tf.float32)(1)
    with pytest.raises(ValueError, match="have 1 input types, while the python function allows minimum 2 and maximum 2"):
        Defun(tf.float32)(lambda x, y: x)
    with pytest.raises(ValueError, match="Functions with argument defaults or keywords arguments are not supported"):
        Defun(tf.float32)(lambda x, y=2: x)


def test_types_by_the_call(tf, Defun):
    @Defun()
    def product(x, y):
        return x * y

    assert run(tf, lambda: [product(tf.constant(2.0), tf.constant(3.0)), product(2, 3)]) == [6.0, 6]
    assert run(tf, lambda: Defun()(lambda: tf.constant(7))()) == 7


def test_gradients_of_defined_functions(tf, Defun):
    def slope(function):
        x = tf.constant(3.0)
        return tf.gradients(function(x), x)

    assert run(tf, lambda: slope(Defun(tf.float32)(lambda x: x * x))) == [6]
    hundredfold = Defun(tf.float32, tf.float32)(lambda x, dy: 100.0 * x * dy)
    assert run(tf, lambda: slope(Defun(tf.float32, grad_func=hundredfold)(lambda x: x * x))) == [300]
    seen = []

    def by_node(op, dy):
        seen.append((len(op.inputs), len(op.outputs)))
        return dy * op.inputs[0] * 7.0

    assert run(tf, lambda: slope(Defun(tf.float32, python_grad_func=by_node)(lambda x: x * x))) == [21]
    assert seen == [(1, 1)]

    def of_captured():
        x, k = tf.constant(1.0), tf.constant(3.0)
        product = Defun(tf.float32, python_grad_func=lambda op, dy: [dy * 2.0, dy * 50.0])(lambda x: x * k)
        return tf.gradients(product(x), [x, k])

    assert run(tf, of_captured) == [2, 50]
    dense = Defun(tf.float32, python_grad_func=lambda op, dy: tf.convert_to_tensor(dy), shape_func=lambda op: [op.inputs[0].get_shape()])(
        lambda x: x
    )
    with tf.Graph().as_default():
        assert dense(tf.ones([2, 3])).shape == [2, 3]
    inside = tf.function(lambda x: Defun(tf.float32, python_grad_func=lambda op, dy: dy * 9.0)(lambda x: x * 2.0)(x))
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        y = inside(x)
    assert float(y) == 4 and float(tape.gradient(y, x)) == 9


def test_loops_and_conditionals_of_defined_functions(tf, internal, Defun):
    ops = internal("ops.functional_ops")

    def functions():
        return (Defun(tf.float32)(lambda x: x < 10.0), Defun(tf.float32)(lambda x: x * 2.0), Defun(tf.float32)(lambda x: -x),
                Defun(tf.int32, tf.float32)(lambda i, x: x + tf.cast(i, tf.float32)))  # fmt: skip

    def all_of_them():
        small, double, negative, add = functions()
        one = tf.constant(1.0)
        made = ops.While([one], small, double), ops.If(one > 0.0, [one], double, negative), ops.For(0, 4, 1, [one], add)
        assert [type(results) for results in made] == [list, list, list]
        return [results[0] for results in made] + tf.gradients(made[1][0], one)

    assert run(tf, all_of_them) == [16, 2, 7, 2]
    double = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([]))
    small = tf.function(lambda x: x < 10.0).get_concrete_function(tf.TensorSpec([]))
    for call in (lambda f: f, tf.function):
        assert float(call(lambda: ops.While([tf.constant(1.0)], small, double))()[0]) == 16
    with tf.Graph().as_default():
        k = tf.constant(3.0)
        below = Defun(tf.float32)(lambda x: x < k)
        with pytest.raises(ValueError, match="can not have implicitly captured inputs"):
            ops.While([k], below, functions()[1])
        with pytest.raises(ValueError, match="The 'cond' and 'body' signatures do not match"):
            ops.While([k], functions()[0], Defun(tf.int32)(lambda x: x))


def test_graphs_of_python_functions(tf, internal):
    trace = internal("framework.func_graph").func_graph_from_py_func
    v = tf.Variable(1.0)
    graph = trace("sum", lambda x, y: {"a": x + y + v}, (tf.TensorSpec([2], name="x"), tf.TensorSpec([], name="y")), {})
    assert graph.name == "sum" and [tensor.name for tensor in graph.inputs[:2]] == ["x:0", "y:0"] and len(graph.captures) == 1
    assert graph.structured_outputs["a"] is graph.outputs[0] and graph.outputs[0].shape == [2]
    assert graph.structured_input_signature == ((tf.TensorSpec([2], name="x"), tf.TensorSpec([], name="y")), {})
    assert trace("given", lambda x: x, (tf.constant([1.0]),), {}).inputs[0].shape == [1]
    assert trace("none", lambda: None, (), {}).outputs == []
    assert trace("op", lambda: tf.no_op(), (), {}, op_return_value=tf.constant(7)).outputs[0].dtype == tf.int32
    with pytest.raises(TypeError, match="Python functions must return zero or more Tensors"):
        trace("object", object, (), {})
    with pytest.raises(ValueError, match="should not modify its Python input arguments"):
        trace("changes", lambda x: x.append(1), ([tf.constant(1)],), {})
