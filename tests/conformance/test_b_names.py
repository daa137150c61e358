"""Section B of the tracing rules: the names of placeholders, ops and calls."""

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


def constants_of(tf, body):
    """The constants of a graph, as (name, dtype)."""
    operations = tf.function(body).get_concrete_function().graph.get_operations()
    return [(o.name, o.outputs[0].dtype.name) for o in operations if o.type == "Const"]


@pytest.mark.rule(18)
def test_numbers_keep_their_type_where_an_op_allows_it(tf):
    raw = tf.raw_ops
    assert constants_of(tf, lambda: raw.StatelessRandomUniform(shape=[2], seed=[1, 2]))[1][1] == "int32"
    assert constants_of(tf, lambda: raw.RandomPoissonV2(shape=[2], rate=[1.0]))[1][1] == "float32"
    assert constants_of(tf, lambda: raw.RandomPoissonV2(shape=[2], rate=[1]))[1][1] == "int32"
    assert constants_of(tf, lambda: raw.Angle(input=1 + 1j)) == [("Angle/input", "complex128")]
    # What it does not allow is converted once more.
    assert constants_of(tf, lambda: raw.FFT(input=[1, 2]))[-1] == ("FFT/input_1", "complex64")
    assert constants_of(tf, lambda: raw.LeakyRelu(features=[1, -1]))[-1] == ("LeakyRelu/features_1", "float32")


@pytest.mark.rule(18)
def test_names_of_numbers_in_lists(tf):
    raw = tf.raw_ops
    assert constants_of(tf, lambda: tf.concat([[1], [2]], 0))[:2] == [
        ("concat/values_0", "int32"),
        ("concat/values_1", "int32"),
    ]
    assert constants_of(tf, lambda: raw.IdentityN(input=[1, 2.5])) == [
        ("IdentityN/input_0", "int32"),
        ("IdentityN/input_1", "float32"),
    ]
    splits = constants_of(tf, lambda: raw.RaggedTensorToSparse(rt_nested_splits=[[0, 1]], rt_dense_values=[1.0]))
    assert splits[0] == ("RaggedTensorToSparse/rt_nested_splits_0", "int64")


@pytest.mark.rule(18)
def test_names_of_the_constants_of_one_hot(tf):
    def names(**given):
        return constants_of(tf, lambda: tf.one_hot([1], 2, **given))

    indices = [("one_hot/indices", "int32"), ("one_hot/depth", "int32")]
    assert names() == [("one_hot/on_value", "float32"), ("one_hot/off_value", "float32"), *indices]
    assert names(on_value=5) == [("one_hot/Const", "int32"), ("one_hot/off_value", "int32"), *indices]
    assert names(on_value=5, off_value=3) == [("one_hot/Const", "int32"), ("one_hot/Const_1", "int32"), *indices]
    assert names(dtype=tf.int64) == [("one_hot/on_value", "int64"), ("one_hot/off_value", "int64"), *indices]


@pytest.mark.rule(27)
def test_parameters_that_no_op_can_be_named_after_are_placeholders(tf):
    def names(f):
        return [t.name for t in tf.function(f).get_concrete_function(tf.constant(1), tf.constant(2)).inputs]

    assert names(lambda _a, b: _a + b) == ["Placeholder:0", "b:0"]
    assert names(lambda é, __x: é + __x) == ["Placeholder:0", "Placeholder_1:0"]
    assert names(lambda *_args: _args[0]) == ["Placeholder:0", "Placeholder_1:0"]
