"""Section B of the tracing rules: one run of the Python function per trace, with symbolic tensors."""

import collections

import numpy as np
import pytest

BINARY_NAMES = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "truediv": lambda x, y: x / y,
    "floordiv": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
    "pow": lambda x, y: x**y,
    "Neg": lambda x, y: -x,
    "Abs": lambda x, y: abs(x),
    "Greater": lambda x, y: x > y,
    "Less": lambda x, y: x < y,
    "GreaterEqual": lambda x, y: x >= y,
    "LessEqual": lambda x, y: x <= y,
    "Equal": lambda x, y: x == y,
    "NotEqual": lambda x, y: x != y,
    "strided_slice": lambda x, y: x[0],
}


@pytest.mark.rule(12)
def test_a_hit_runs_no_python(tf, traces):
    @tf.function
    def f(x):
        traces.append(x)
        return x + 1

    assert [int(f(tf.constant(n))) for n in (1, 2, 3)] == [2, 3, 4]
    assert len(traces) == 1


@pytest.mark.rule(12)
def test_a_miss_traces_and_then_runs(tf, traces):
    v = tf.Variable(0)

    @tf.function
    def f(x):
        traces.append(x)
        v.assign_add(1)

    f(1), f(2), f(2)
    assert len(traces) == 2 and v.numpy() == 3


@pytest.mark.rule(13)
def test_executing_eagerly(tf, traced_value):
    assert tf.executing_eagerly()
    assert traced_value(tf.executing_eagerly) is False
    assert tf.executing_eagerly()


@pytest.mark.rule(13)
def test_inside_function(tf, traced_value):
    assert not tf.inside_function()
    assert traced_value(tf.inside_function) is True


@pytest.mark.rule(13)
def test_init_scope_is_eager(tf, traced_value):
    def body():
        with tf.init_scope():
            return tf.executing_eagerly(), (tf.constant(2) + 3).numpy()

    assert traced_value(body) == (True, 5)


@pytest.mark.rule(13)
def test_nothing_is_computed_while_tracing(tf):
    f = tf.function(lambda x: tf.debugging.check_numerics(x, "bad"))
    f.get_concrete_function(tf.constant(float("nan")))
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        f(tf.constant(float("nan")))


@pytest.mark.rule(14)
@pytest.mark.parametrize(
    "shape, text",
    [
        ((), 'Tensor("a:0", shape=(), dtype=float32)'),
        ((3,), 'Tensor("a:0", shape=(3,), dtype=float32)'),
        ((2, 2), 'Tensor("a:0", shape=(2, 2), dtype=float32)'),
        ((None, 2), 'Tensor("a:0", shape=(None, 2), dtype=float32)'),
        (None, 'Tensor("a:0", dtype=float32)'),
    ],
)
def test_str_of_a_symbolic_tensor(tf, traces, shape, text):
    def f(a):
        traces.append((str(a), f"{a}", f"{a!s}"))

    tf.function(f).get_concrete_function(tf.TensorSpec(shape, tf.float32))
    assert traces[0] == (text, text, text)


@pytest.mark.rule(15)
@pytest.mark.parametrize(
    "shape, text",
    [
        ((), "<tf.Tensor 'a:0' shape=() dtype=int64>"),
        ((None, 2), "<tf.Tensor 'a:0' shape=(None, 2) dtype=int64>"),
        (None, "<tf.Tensor 'a:0' shape=<unknown> dtype=int64>"),
    ],
)
def test_repr_of_a_symbolic_tensor(tf, traces, shape, text):
    def f(a):
        traces.append((repr(a), str([a]), str({"k": a})))

    tf.function(f).get_concrete_function(tf.TensorSpec(shape, tf.int64))
    assert traces[0] == (text, f"[{text}]", f"{{'k': {text}}}")


@pytest.mark.rule(16)
def test_placeholder_names_of_parameters(tf, traces):
    def f(left, *, right):
        traces.append((left.name, right.name))

    tf.function(f)(tf.constant(1), right=tf.constant(2))
    assert traces == [("left:0", "right:0")]


@pytest.mark.rule(16)
def test_placeholder_names_of_leaves(tf, traces):
    def f(pair, d):
        traces.append([pair[0].name, pair[1][0].name, d["b"].name, d["a"].name])

    one = tf.constant(1)
    tf.function(f)((one, [one]), {"b": one, "a": one})
    assert traces == [["pair:0", "pair_1:0", "d:0", "d_1:0"]]


@pytest.mark.rule(16)
def test_python_leaves_take_no_name(tf, traces):
    def f(pair):
        traces.append([p if isinstance(p, int) else p.name for p in pair])

    tf.function(f)([7, tf.constant(1), 8, tf.constant(2)])
    assert traces == [[7, "pair:0", 8, "pair_1:0"]]


@pytest.mark.rule(17)
def test_placeholder_names_of_varargs_and_keywords(tf, traces):
    def f(x, *args, **kwargs):
        traces.append([x.name, args[0].name, args[1].name, kwargs["beta"].name, kwargs["alpha"].name])

    one = tf.constant(1)
    tf.function(f)(one, one, one, beta=one, alpha=one)
    assert traces == [["x:0", "args_0:0", "args_1:0", "beta:0", "alpha:0"]]


@pytest.mark.rule(17)
def test_spec_name_names_the_placeholder(tf, traces):
    def f(a, b):
        traces.append((a.name, b.name))

    spec = tf.TensorSpec([], tf.float32, name="foo")
    tf.function(f).get_concrete_function(spec, tf.TensorSpec([], tf.float32))
    assert traces == [("foo:0", "b:0")]


@pytest.mark.rule(18)
@pytest.mark.parametrize("name", BINARY_NAMES)
def test_names_of_operators(tf, traced_value, name):
    x, y = tf.constant([4.0]), tf.constant([2.0])
    assert traced_value(lambda x, y: BINARY_NAMES[name](x, y).name, x, y) == f"{name}:0"


@pytest.mark.rule(18)
@pytest.mark.parametrize(
    "name, op", [("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y),
                 ("LogicalNot", lambda x, y: ~x)]
)  # fmt: skip
def test_names_of_boolean_operators(tf, traced_value, name, op):
    x, y = tf.constant([True]), tf.constant([False])
    assert traced_value(lambda x, y: op(x, y).name, x, y) == f"{name}:0"


FUNCTION_NAMES = {
    "Add": lambda tf, x: tf.add(x, x),
    "Mul": lambda tf, x: tf.multiply(x, x),
    "Sub": lambda tf, x: tf.subtract(x, x),
    "truediv": lambda tf, x: tf.divide(x, x),
    "Pow": lambda tf, x: tf.pow(x, 2.0),
    "Sum": lambda tf, x: tf.reduce_sum(x),
    "Mean": lambda tf, x: tf.reduce_mean(x),
    "Max": lambda tf, x: tf.reduce_max(x),
    "Min": lambda tf, x: tf.reduce_min(x),
    "Maximum": lambda tf, x: tf.maximum(x, x),
    "GatherV2": lambda tf, x: tf.gather(x, [0]),
    "ArgMax": lambda tf, x: tf.argmax(x),
    "ExpandDims": lambda tf, x: tf.expand_dims(x, 0),
    "transpose": lambda tf, x: tf.transpose(x),
    "zeros_like": lambda tf, x: tf.zeros_like(x),
    "Cast": lambda tf, x: tf.cast(x, tf.int32),
    "Const": lambda tf, x: tf.constant(1.0),
    "MatMul": lambda tf, x: tf.matmul(x, x),
    "Identity": lambda tf, x: tf.identity(x),
    "Square": lambda tf, x: tf.square(x),
    "Exp": lambda tf, x: tf.exp(x),
    "Relu": lambda tf, x: tf.nn.relu(x),
    "SelectV2": lambda tf, x: tf.where(x > 0.0, x, x),
    "Reshape": lambda tf, x: tf.reshape(x, [-1]),
    "Shape": lambda tf, x: tf.shape(x),
    "range": lambda tf, x: tf.range(3),
    "zeros": lambda tf, x: tf.zeros([2]),
    "ones": lambda tf, x: tf.ones([2]),
    "stack": lambda tf, x: tf.stack([x, x]),
    "concat": lambda tf, x: tf.concat([x, x], 0),
}


@pytest.mark.rule(18)
@pytest.mark.parametrize("name", FUNCTION_NAMES)
def test_names_of_functions(tf, traces, name):
    def f(x):
        traces.append(FUNCTION_NAMES[name](tf, x).name)

    unknown = tf.TensorSpec([None, None], tf.float32)  # Nothing about it can be folded while tracing.
    tf.function(f, autograph=False).get_concrete_function(unknown)
    assert traces[0] == f"{name}:0"


@pytest.mark.rule(18)
def test_random_normal_name(tf, traced_value):
    assert traced_value(lambda: tf.random.normal([2]).name).startswith("random_normal:")


@pytest.mark.rule(18)
def test_names_are_made_unique_ignoring_case(tf, traced_value):
    def body(x):
        return [(x + x).name, (x + x).name, tf.add(x, x).name, (x * x).name, tf.multiply(x, x).name]

    assert traced_value(body, tf.constant(1)) == ["add:0", "add_1:0", "Add_2:0", "mul:0", "Mul_1:0"]


@pytest.mark.rule(18)
def test_name_argument_and_name_scope(tf, traced_value):
    def body(x):
        with tf.name_scope("s"):
            inner = x + 1
            with tf.name_scope("t"):
                deep = tf.add(x, 1, name="mine")
        with tf.name_scope("s"):
            again = x + 1
        return [tf.add(x, 1, name="own").name, inner.name, deep.name, again.name]

    assert traced_value(body, tf.constant(1)) == ["own:0", "s/add:0", "s/t/mine:0", "s_1/add:0"]


@pytest.mark.rule(19)
def test_name_of_a_stateless_call(tf, traced_value):
    inner = tf.function(lambda x: x + 1)
    assert traced_value(lambda x: [inner(x).name, inner(x).name], tf.constant(1)) == [
        "PartitionedCall:0",
        "PartitionedCall_1:0",
    ]


@pytest.mark.rule(19)
def test_name_of_a_stateful_call(tf, traced_value):
    v = tf.Variable(1)
    reads = tf.function(lambda x: x + v)
    draws = tf.function(lambda x: x + tf.random.uniform([]))
    assert traced_value(lambda x: reads(x).name, tf.constant(1)) == "StatefulPartitionedCall:0"
    assert traced_value(lambda x: draws(x).name, tf.constant(1.0)) == "StatefulPartitionedCall:0"


@pytest.mark.rule(20)
def test_attributes_of_a_symbolic_tensor(tf, traced_value):
    def body(x):
        y = x + 1.0
        return (
            y.name,
            y.shape.as_list(),
            y.dtype,
            y.op.name,
            y.op.type,
            y.graph is x.graph,
            isinstance(y, tf.Tensor),
            tf.is_tensor(y),
            hasattr(y, "numpy"),
            hasattr(y, "__float__"),
            y.shape.rank,
        )

    assert traced_value(body, tf.constant([1.0, 2.0])) == (
        "add:0", [2], tf.float32, "add", "AddV2", True, True, True, False, False, 1,
    )  # fmt: skip


@pytest.mark.rule(20)
@pytest.mark.parametrize("attribute", ["numpy", "nonsense"])
def test_missing_attribute_text(tf, traced_value, attribute):
    def body(x):
        with pytest.raises(AttributeError) as error:
            getattr(x, attribute)
        return str(error.value)

    assert traced_value(body, tf.constant(1)) == f"'SymbolicTensor' object has no attribute '{attribute}'"


@pytest.mark.rule(20)
@pytest.mark.parametrize("convert, words", [(float, "float()"), (int, "int()")])
def test_number_conversion_fails(tf, traced_value, convert, words):
    def body(x):
        with pytest.raises(TypeError) as error:
            convert(x)
        return str(error.value)

    assert words in traced_value(body, tf.constant(1.0))


USES_AS_BOOL = {
    "bool": lambda tf, x: bool(x > 0),
    "if": lambda tf, x: 1 if x > 0 else 2,
    "and": lambda tf, x: x > 0 and x < 3,
    "not": lambda tf, x: not (x > 0),
    "in": lambda tf, x: x in [x + 1],
    "chain": lambda tf, x: 0 < x < 3,
}


@pytest.mark.rule(21, 131)
@pytest.mark.parametrize("use", USES_AS_BOOL)
def test_truth_value_of_a_symbolic_tensor(tf, traced_value, use):
    def body(x):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError) as error:
            USES_AS_BOOL[use](tf, x)
        return error.value

    error = traced_value(body, tf.constant(1))
    assert isinstance(error, TypeError)
    assert str(error).startswith(
        "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. You can attempt the following resolutions"
    )


@pytest.mark.rule(21, 131)
@pytest.mark.parametrize("use", ["list", "for", "unpack", "star"])
def test_iterating_over_a_symbolic_tensor(tf, traced_value, use):
    def unpack(x):
        (_, _) = x

    def loop(x):
        for _ in x:
            pass

    def body(x):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError) as error:
            {"list": list, "for": loop, "unpack": unpack, "star": lambda x: print(*x)}[use](x)
        return str(error.value)

    text = traced_value(body, tf.constant([1, 2]))
    assert text.startswith("Iterating over a symbolic `tf.Tensor` is not allowed. ")


@pytest.mark.rule(22)
def test_tensors_are_unhashable(tf, traced_value):
    text = "Tensor is unhashable. Instead, use tensor.ref() as the key."

    def hash_text(x):
        with pytest.raises(TypeError) as error:
            hash(x)
        with pytest.raises(TypeError):
            {x: 1}
        return str(error.value)

    assert hash_text(tf.constant(1)) == text
    assert traced_value(hash_text, tf.constant(1)) == text


@pytest.mark.rule(22)
def test_ref_is_a_key(tf, traced_value):
    def body(x):
        y = x + 1
        table = {x.ref(): "x", y.ref(): "y"}
        return table[x.ref()] + table[y.ref()], x.ref().deref() is x

    assert traced_value(body, tf.constant(1)) == ("xy", True)
    assert body(tf.constant(1)) == ("xy", True)


@pytest.mark.rule(23)
def test_leaked_tensor_used_eagerly(tf, traces):
    @tf.function
    def leak(x):
        traces.append(x + 1)
        return x

    leak(tf.constant(1))
    with pytest.raises(TypeError, match="is out of scope|out of scope"):
        tf.add(traces[0], 1)


@pytest.mark.rule(23)
def test_leaked_tensor_used_in_another_trace(tf, traces):
    def lk(x):
        traces.append(x + 1)
        return x

    tf.function(lk)(tf.constant(1))
    with pytest.raises(TypeError) as error:
        tf.function(lambda: traces[0] * 2)()
    text = str(error.value)
    assert "<tf.Tensor 'add:0' shape=() dtype=int32> cannot be accessed from here" in text
    assert "FuncGraph(name=lk, id=" in text and "which is out of scope" in text


@pytest.mark.rule(23)
def test_leaked_tensor_returned_by_another_trace(tf, traces):
    tf.function(lambda x: traces.append(x))(tf.constant(1))
    with pytest.raises(TypeError, match="out of scope"):
        tf.function(lambda: traces[0])()


@pytest.mark.needs("autograph")
@pytest.mark.rule(24)
def test_tensor_leaving_a_loop_through_a_container(tf):
    hidden = []

    @tf.function
    def f(n):
        for i in tf.range(n):
            hidden.append(i * 2)
        return hidden[0] + 1

    with pytest.raises(ValueError) as error:
        f(tf.constant(3))
    assert type(error.value).__name__ == "InaccessibleTensorError" and "out of scope" in str(error.value)
    assert "was defined in FuncGraph(name=while_body_" in str(error.value)


@pytest.mark.needs("autograph")
@pytest.mark.rule(24)
def test_tensor_leaving_a_branch_through_a_container(tf):
    hidden = []

    @tf.function
    def f(x):
        if x > 0:
            hidden.append(x + 1)
        return hidden[0] + 1

    with pytest.raises(ValueError) as error:
        f(tf.constant(1))
    assert type(error.value).__name__ == "InaccessibleTensorError" and "out of scope" in str(error.value)
    assert "was defined in FuncGraph(name=cond_true_" in str(error.value)


@pytest.mark.rule(24)
def test_tensor_leaving_tf_cond_through_a_container(tf):
    hidden = []

    @tf.function(autograph=False)
    def f(x):
        tf.cond(x > 0, lambda: hidden.append(x + 1), lambda: None)
        return hidden[0]

    with pytest.raises(ValueError, match="out of scope") as error:
        f(tf.constant(1))
    assert type(error.value).__name__ == "InaccessibleTensorError"
    assert "cond_true" in str(error.value)


@pytest.mark.rule(24)
def test_tensor_leaving_an_inner_function(tf, traces):
    inner = tf.function(lambda x: (traces.append(x + 1), x)[1], autograph=False)

    def outer(x):
        inner(x)
        return traces[0] * 2

    with pytest.raises(ValueError, match="out of scope") as error:
        tf.function(outer, autograph=False)(tf.constant(1))
    assert type(error.value).__name__ == "InaccessibleTensorError"


@pytest.mark.rule(24)
def test_tensor_of_the_other_branch(tf, traces):
    def f(x):
        return tf.cond(x > 0, lambda: (traces.append(x * 2), x)[1], lambda: traces[0])

    with pytest.raises(ValueError, match="cond/mul:0"):
        tf.function(f, autograph=False)(tf.constant(1))


@pytest.mark.rule(23)
def test_tensor_of_a_branch_after_the_trace(tf, traces):
    def f(x):
        return tf.cond(x > 0, lambda: (traces.append(x * 2), x)[1], lambda: x)

    tf.function(f, autograph=False)(tf.constant(1))
    for use in (lambda: traces[0] + 1, tf.function(lambda: traces[0] + 1, autograph=False)):
        with pytest.raises(TypeError, match="out of scope"):
            use()


@pytest.mark.rule(23)
def test_tensor_of_a_graph_used_elsewhere(tf):
    graph = tf.Graph()
    with graph.as_default():
        inside = tf.constant([1, 2])
    for use in (lambda: inside + 1, lambda: list(inside), tf.function(lambda: inside + 1, autograph=False)):
        with pytest.raises(TypeError, match="out of scope"):
            use()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(tf.constant([1, 2]), inside)


@pytest.mark.rule(25)
@pytest.mark.parametrize("value", [2, 2.5, [1, 2], np.float64(1.5), np.arange(3), "text", True])
def test_python_values_become_constants(tf, value):
    concrete = tf.function(lambda: tf.identity(value)).get_concrete_function()
    assert "Const" in [op.type for op in concrete.graph.get_operations()]
    expected = value.encode() if isinstance(value, str) else np.asarray(value)
    assert np.array_equal(concrete().numpy(), expected)


@pytest.mark.rule(25)
def test_a_constant_takes_no_symbolic_tensor(tf):
    for part in (lambda x: x, lambda x: [x[0], 1.0], lambda x: [[x[0]], [2.0]]):
        f = tf.function(lambda x, part=part: tf.constant(part(x)), autograph=False)
        with pytest.raises(TypeError, match="Expected any non-tensor type, but got a tensor instead"):
            f.get_concrete_function(tf.TensorSpec([2], tf.float32))


@pytest.mark.rule(25)
def test_numpy_value_is_fixed_at_trace_time(tf):
    table = np.array([1.0, 2.0])
    f = tf.function(lambda x: x + table)
    assert f(tf.constant([0.0, 0.0], tf.float64)).numpy().tolist() == [1.0, 2.0]
    table[0] = 100.0
    assert f(tf.constant([0.0, 0.0], tf.float64)).numpy().tolist() == [1.0, 2.0]


@pytest.mark.rule(26)
def test_captured_eager_tensor_stays_eager_in_python(tf, traced_value):
    outer = tf.constant([1.0, 2.0])
    text, value, derived = traced_value(lambda: (str(outer), outer.numpy().tolist(), str(outer + 1)))
    assert text == "tf.Tensor([1. 2.], shape=(2,), dtype=float32)" and value == [1.0, 2.0]
    assert derived == 'Tensor("add:0", shape=(2,), dtype=float32)'


@pytest.mark.rule(27)
def test_static_shapes_propagate(tf, traces):
    def f(x):
        row = tf.zeros([1, 3])
        traces.append(
            [(x + row).shape.as_list(), tf.reduce_sum(x, 1).shape.as_list(), tf.transpose(x).shape.as_list(),
             x[0].shape.as_list(), tf.reshape(x, [-1]).shape.as_list(), tf.matmul(x, tf.ones([3, 4])).shape.as_list()]
        )  # fmt: skip

    tf.function(f).get_concrete_function(tf.TensorSpec([None, 3], tf.float32))
    assert traces[0] == [[None, 3], [None], [3, None], [3], [None], [None, 4]]


@pytest.mark.rule(27)
@pytest.mark.parametrize(
    "op, words",
    [
        (lambda tf: tf.zeros([3]) + tf.zeros([2]), "Dimensions must be equal, but are 3 and 2"),
        (lambda tf: tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 5])), "Dimensions must be equal, but are 3 and 2"),
        (lambda tf: tf.maximum(tf.zeros([4, 3]), tf.zeros([5, 3])), "Dimensions must be equal, but are 4 and 5"),
    ],
)
def test_shape_errors_at_trace_time(tf, op, words):
    with pytest.raises(ValueError, match=words):
        tf.function(lambda: op(tf)).get_concrete_function()


@pytest.mark.rule(27, 190)
def test_dtype_errors_at_trace_time(tf):
    f = tf.function(lambda x, y: x + y)
    with pytest.raises(TypeError) as error:
        f.get_concrete_function(tf.constant(1), tf.constant(1.0))
    assert "Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of argument 'x'." in str(
        error.value
    )
    with pytest.raises(TypeError, match="Input 'y' of 'Mul' Op has type int64 that does not match type int32"):
        tf.function(lambda x, y: x * y)(tf.constant(1), tf.constant(1, tf.int64))


@pytest.mark.rule(27)
def test_dtype_errors_eagerly(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="AddV2"):
        tf.constant([1.0]) + tf.constant([1])


@pytest.mark.rule(27)
def test_shape_errors_eagerly(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[3\] vs. \[2\]"):
        tf.zeros([3]) + tf.zeros([2])


@pytest.mark.rule(13, 16)
def test_namedtuple_argument_keeps_its_class(tf, traces):
    Point = collections.namedtuple("Point", "x y")

    def f(p):
        traces.append((type(p), p.x.name, p.y.name))

    tf.function(f)(Point(tf.constant(1), tf.constant(2)))
    assert traces == [(Point, "p:0", "p_1:0")]
