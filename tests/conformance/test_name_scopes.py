"""Names of functions in branches and loops, and of the nodes of gradients, as graphs show them."""

import re

import numpy as np
import pytest

pytestmark = pytest.mark.rule(18)


def graph_of(tf, function, *specs):
    return tf.function(function).get_concrete_function(*specs).graph.as_graph_def()


def functions_of(graph):
    """The names of functions, with N for numbers behind underscores at the end."""
    return sorted({re.sub(r"_\d+(_grad|_rewritten)?(_\d+)?$", "_N", f.signature.name) for f in graph.library.function})


def gradient(tf, body):
    def compute(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = body(*xs)
        return tape.gradient(y, xs)

    return compute


def scopes_of(graph):
    """The name scopes of the nodes, in order, each once."""
    return list(dict.fromkeys(node.name.rpartition("/")[0] for node in graph.node))


def test_functions_of_branches(tf):
    def branch(x):
        with tf.name_scope("outer"):
            return tf.cond(x > 0, lambda: x * 2, lambda: x - 1)

    assert functions_of(graph_of(tf, branch, tf.TensorSpec([]))) == ["outer_cond_false_N", "outer_cond_true_N"]


def test_functions_of_loops(tf):
    def loop(x):
        with tf.name_scope("outer"):
            return tf.while_loop(lambda i: i < 3.0, lambda i: (i + x,), [x])

    assert functions_of(graph_of(tf, loop, tf.TensorSpec([]))) == ["outer_while_body_N", "outer_while_cond_N"]

    def named(x):
        return tf.while_loop(lambda i: i < 3.0, lambda i: (i + x,), [x], name="mine")

    assert functions_of(graph_of(tf, named, tf.TensorSpec([]))) == ["mine_body_N", "mine_cond_N"]


def test_functions_of_cases(tf):
    def select(x):
        with tf.name_scope("outer"):
            return tf.switch_case(x, [lambda: 1, lambda: 2])

    graph = graph_of(tf, select, tf.TensorSpec([], tf.int32))
    assert functions_of(graph) == [f"outer_switch_case_indexed_case_branch{i}_N" for i in range(2)]
    assert "outer/switch_case/indexed_case" in [node.name for node in graph.node]


def test_functions_of_statements(tf):
    def loop(x):
        with tf.name_scope("ag"):
            for _ in tf.range(3):
                if x > 0:
                    x = x + 1.0
            return x

    found = functions_of(graph_of(tf, loop, tf.TensorSpec([])))
    assert found == ["ag_while_body_N", "ag_while_cond_N", "ag_while_cond_false_N", "ag_while_cond_true_N"]


def test_two_loops(tf):
    def loops(x):
        while x < 3.0:
            x = x * 2.0
        while x < 30.0:
            x = x * 2.0
        return x

    names = [f.signature.name for f in graph_of(tf, loops, tf.TensorSpec([])).library.function]
    assert sorted(re.sub(r"_\d+$", "", name) for name in names) == ["while_1_body", "while_1_cond", "while_body", "while_cond"]


SCOPES = {
    "operator": (lambda tf, x: x * x, ["gradient_tape/mul"]),
    "function": (lambda tf, x: tf.multiply(x, x), ["gradient_tape"]),
    "plain op": (lambda tf, x: tf.sin(x), ["gradient_tape"]),
    "product": (lambda tf, x: tf.matmul(x, x), ["gradient_tape/MatMul"]),
    "absolute": (lambda tf, x: tf.abs(x), ["gradient_tape/Abs"]),
    "subscript": (lambda tf, x: x[0], ["gradient_tape/strided_slice"]),
    "transpose": (lambda tf, x: tf.transpose(x), ["gradient_tape/transpose"]),
    "power": (lambda tf, x: x**2.0, ["gradient_tape/pow"]),
    "sigmoid": (lambda tf, x: tf.sigmoid(x), ["gradient_tape/Sigmoid"]),
}


@pytest.mark.parametrize("case", SCOPES)
def test_gradients_on_tapes(tf, case):
    body, want = SCOPES[case]
    graph = graph_of(tf, gradient(tf, lambda x: body(tf, x)), tf.TensorSpec([2, 2]))
    found = [scope for scope in scopes_of(graph) if scope.startswith("gradient_tape")]
    assert [scope for scope in found if scope.count("/") <= want[0].count("/")] == want
    assert all(scope.startswith(want[0]) for scope in found)


def test_gradients_in_a_scope(tf):
    def body(x, y):
        with tf.name_scope("layer"):
            return tf.nn.relu(tf.matmul(x, y))

    graph = graph_of(tf, gradient(tf, body), tf.TensorSpec([2, 3]), tf.TensorSpec([3, 2]))
    names = [node.name for node in graph.node if node.name.startswith("gradient_tape")]
    assert names[0].startswith("gradient_tape/layer/")
    assert names[-2:] == ["gradient_tape/layer/MatMul/MatMul", "gradient_tape/layer/MatMul/MatMul_1"]


def test_second_gradients(tf):
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            slope = inner.gradient(y, x)
        return outer.gradient(slope, x)

    scopes = scopes_of(graph_of(tf, second, tf.TensorSpec([])))
    assert any(scope.startswith("gradient_tape/gradient_tape/mul") for scope in scopes)


def test_gradients_of_branches(tf):
    graph = graph_of(tf, gradient(tf, lambda x: tf.cond(x > 0, lambda: x * 2, lambda: x - 1)), tf.TensorSpec([]))
    assert any(node.name.startswith("gradient_tape/cond/") for node in graph.node)
    inside = [n.name for f in graph.library.function for n in f.node_def if "_grad_" in f.signature.name]
    assert any(name.startswith("gradient_tape/cond/gradients/cond/mul_grad/") for name in inside)


def test_gradients_of_calls_and_own_gradients(tf):
    @tf.function
    def inner(x):
        return tf.sin(x) * 2.0

    graph = graph_of(tf, gradient(tf, lambda x: inner(x)), tf.TensorSpec([]))
    assert not any(node.name.startswith("gradient_tape") for node in graph.node)
    inside = [node.name for f in graph.library.function for node in f.node_def]
    assert any(name.startswith("gradients/mul_grad/") for name in inside)

    @tf.custom_gradient
    def own(x):
        return tf.sin(x), lambda dy: dy * tf.cos(x)

    graph = graph_of(tf, gradient(tf, lambda x: own(x)), tf.TensorSpec([]))
    assert not any(node.name.startswith("gradient_tape") for node in graph.node)


def test_gradients_of_graphs(tf):
    def both(x):
        with tf.name_scope("s"):
            y = tf.matmul(x, x) * 2.0
        return tf.gradients(y, x) + tf.gradients(tf.sin(x), x)

    names = [node.name for node in graph_of(tf, both, tf.TensorSpec([2, 2])).node]
    for start in ("gradients/s/mul_grad/", "gradients/s/MatMul_grad/MatMul", "gradients_1/Sin_grad/"):
        assert any(name.startswith(start) for name in names), start


@pytest.mark.parametrize("name", ["a b", "_x", "a:0", "é", "/a"])
def test_invalid_names(tf, name):
    pattern = r"is not a valid root scope name. A root scope name has to match the following pattern: \^\[A-Za-z0-9.\]"
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=pattern):
            tf.add(1, 2, name=name)
        with pytest.raises(ValueError, match=pattern), tf.name_scope(name):
            pass
        with pytest.raises(ValueError, match=pattern):
            tf.Variable(1.0, name=name)
        with pytest.raises(ValueError, match="is not a valid node name. Accepted names conform to Regex"):
            tf.constant(1, name=name)
    with pytest.raises(ValueError, match=pattern):
        tf.function(lambda: tf.add(1, 2, name=name))()
    assert tf.add(1, 2, name=name) == 3


def test_names_within_scopes_begin_with_any_character(tf):
    with tf.Graph().as_default(), tf.name_scope("a"):
        assert tf.add(1, 2, name="_x").name == "a/_x:0"
        with tf.name_scope("/b") as scope:
            assert scope == "a//b/"
        with pytest.raises(ValueError, match=r"'c d' is not a valid scope name. A scope name has to match"):
            tf.add(1, 2, name="c d")
    with tf.Graph().as_default():
        assert tf.add(1, 2, name="a.b>c-d/e\\f").name == "a.b>c-d/e\\f:0"


@pytest.mark.parametrize("function, name", [
    (lambda tf, x: tf.reduce_logsumexp(x), "ReduceLogSumExp"),
    (lambda tf, x: tf.reduce_logsumexp(x, 0, name="q"), "q"),
    (lambda tf, x: tf.linalg.trace(x), "Trace"),
    (lambda tf, x: tf.linalg.adjoint(x), "adjoint/matrix_transpose/transpose"),
    (lambda tf, x: tf.clip_by_norm(x, 1.0), "clip_by_norm"),
    (lambda tf, x: tf.clip_by_global_norm([x, x], 1.0)[0][1], "clip_by_global_norm/clip_by_global_norm/_1"),
    (lambda tf, x: tf.linalg.global_norm([x]), "global_norm/global_norm"),
    (lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits(x, x), "logistic_loss"),
    (lambda tf, x: tf.nn.weighted_cross_entropy_with_logits(x, x, 2.0), "logistic_loss"),
    (lambda tf, x: tf.nn.compute_average_loss(x[0]), "div_no_nan"),
    (lambda tf, x: tf.math.count_nonzero(x), "count_nonzero/Sum"),
    (lambda tf, x: tf.concat([x], 0), "concat/concat"),
    (lambda tf, x: tf.signal.idct(x), "dct/strided_slice"),
    (lambda tf, x: tf.nn.crelu(x).op.inputs[0], "CRelu"),
    (lambda tf, x: tf.image.transpose(x[..., None]), "transpose/transpose"),
])
def test_names_of_results(tf, function, name):
    names = []

    @tf.function
    def traced(x):
        result = function(tf, x)
        names.append(result.op.name)
        return result

    traced.get_concrete_function(tf.TensorSpec([4, 4]))
    assert names == [name]


RESULTS = {
    "norm/Squeeze:0": lambda tf, x: tf.norm(x),
    "n/Squeeze:0": lambda tf, x: tf.norm(x, ord=3, axis=1, name="n"),
    "norm/Sqrt:0": lambda tf, x: tf.norm(x, ord="fro", axis=[0, 1], keepdims=True),
    "Tensordot/MatMul:0": lambda tf, x: tf.tensordot(x, x, [[1], [1]]),
    "Tensordot:0": lambda tf, x: tf.tensordot(x, tf.reshape(x, [3, 2, 1]), 1),
    "einsum/Einsum:0": lambda tf, x: tf.einsum("ij,kj->ik", x, x),
    "einsum/Einsum_1:0": lambda tf, x: tf.einsum("ij,kj,kl->li", x, x, x),
    "e/Einsum:0": lambda tf, x: tf.einsum("ij->ji", x, name="e"),
    "meshgrid/mul_1:0": lambda tf, x: tf.meshgrid(x[0], x[1])[1],
    "rot90/cond/Identity:0": lambda tf, x: tf.image.rot90(x[..., None]),
    "random_flip_left_right/Identity:0": lambda tf, x: tf.image.random_flip_left_right(x[..., None]),
    "Gelu/mul_3:0": lambda tf, x: tf.nn.gelu(x, approximate=True),
    "transpose_1:0": lambda tf, x: tf.nn.softmax(x, axis=0),
    "s:0": lambda tf, x: tf.nn.log_softmax(x, axis=0, name="s"),
    "softmax_cross_entropy_with_logits/Reshape_2:0": lambda tf, x: tf.nn.softmax_cross_entropy_with_logits(x, x),
    "softmax_cross_entropy_with_logits_sg/Reshape_2:0": lambda tf, x: tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=x, logits=x),
    "eye/diag:0": lambda tf, x: tf.eye(3),
    "random_gamma/Maximum:0": lambda tf, x: tf.random.gamma([2], 1.0),
    "Repeat/Reshape_1:0": lambda tf, x: tf.repeat(x, 2),
    "Repeat/Reshape:0": lambda tf, x: tf.repeat(x, [1, 2, 1], axis=1),
    "Repeat/boolean_mask/GatherV2:0": lambda tf, x: tf.repeat(x, [1, 2], axis=0),
    "eye/set_diag:0": lambda tf, x: tf.eye(2, 3),
    "Reshape_2:0": lambda tf, x: tf.searchsorted(x, x),
    "ReduceJoin/ReduceJoin:0": lambda tf, x: tf.strings.reduce_join(tf.as_string(x)),
    "in_top_k/InTopKV2:0": lambda tf, x: tf.math.in_top_k([0, 1], x, 1),
    "xw_plus_b:0": lambda tf, x: tf.compat.v1.nn.xw_plus_b(x, tf.transpose(x), tf.ones([2])),
}


@pytest.mark.parametrize("name", RESULTS)
def test_names_of_results_of_composed_functions(tf, name):
    with tf.Graph().as_default():
        assert RESULTS[name](tf, tf.compat.v1.placeholder(tf.float32, [2, 3])).name == name


@pytest.mark.parametrize("name", ["diag", "diag_part"])
def test_names_of_the_values_that_pad_diagonals(tf, name):
    with tf.Graph().as_default():
        for dtype in (tf.float32, tf.bool):
            node = getattr(tf.linalg, name)(tf.compat.v1.placeholder(dtype, [2, 3]), name=dtype.name).op
            assert node.inputs[len(node.inputs) - 1].name == f"{dtype.name}/padding_value:0"


OPS_WITH_NAMES = {
    "add": lambda tf, name: tf.add([1], [2], name),
    "constant": lambda tf, name: tf.constant(1, name=name),
    "convert_to_tensor": lambda tf, name: tf.convert_to_tensor([1], name=name),
    "matrix_transpose": lambda tf, name: tf.linalg.matrix_transpose(tf.ones([2, 2]), name),
    "concat": lambda tf, name: tf.concat([[1], [2]], 0, name),
    "log": lambda tf, name: tf.math.log(1.0, name),
    "reduce_sum": lambda tf, name: tf.reduce_sum([1.0], name=name),
    "reshape": lambda tf, name: tf.reshape([1, 2], [2, 1], name),
    "squeeze": lambda tf, name: tf.squeeze([[1]], name=name),
    "softmax": lambda tf, name: tf.nn.softmax([1.0], name=name),
    "raw_ops.Neg": lambda tf, name: tf.raw_ops.Neg(x=1.0, name=name),
}


@pytest.mark.parametrize("op", OPS_WITH_NAMES)
def test_names_that_are_no_strings(tf, op):
    """Any object is a name while ops run eagerly; in a graph bytes are, too."""
    call = OPS_WITH_NAMES[op]
    expected = call(tf, None).numpy()
    for name in (3, 2.5, (0, 2, 1), b"n"):
        np.testing.assert_array_equal(call(tf, name), expected)
    np.testing.assert_array_equal(tf.function(lambda: call(tf, b"n"))(), expected)
    if op not in ("constant", "convert_to_tensor"):  # they fail where they look at the name's text
        with pytest.raises(TypeError, match="expected string or bytes-like object, got 'int'"):
            tf.function(lambda: call(tf, 3))()


def test_names_of_scopes_are_strings(tf):
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        tf.name_scope(3)
