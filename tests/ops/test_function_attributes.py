"""Raw ops that hold functions or constants: what does not fit the node's types is refused where the op is made."""

import numpy as np
import pytest
import tracefn as tf

raw = tf.raw_ops
FLOAT, INT, STRING = (tf.TensorSpec([], dtype) for dtype in ("float32", "int32", "string"))


def traced(f, *specs):
    return tf.function(f, autograph=False).get_concrete_function(*specs)


class Functions:
    def __init__(self):
        self.less = traced(lambda x: x < 3.0, FLOAT)
        self.add = traced(lambda x: x + 1.0, FLOAT)
        self.nothing = traced(lambda x: None, FLOAT)
        self.twice = traced(lambda x: (x, x), FLOAT)
        self.to_int = traced(lambda x: tf.cast(x, "int32"), FLOAT)
        self.no_argument = traced(lambda: tf.constant(1.0))
        self.two_arguments = traced(lambda x, y: x + y, FLOAT, FLOAT)
        self.of_int = traced(lambda x: x + 1, INT)
        self.of_string = traced(lambda x: x, STRING)
        self.vector = traced(lambda x: tf.stack([x, x]), FLOAT)
        self.int_less = traced(lambda x: x < 3, INT)


@pytest.fixture(scope="module")
def fs():
    return Functions()


def loop(**functions):
    return lambda f: raw.StatelessWhile(input=[1.0], **{n: getattr(f, name) for n, name in functions.items()})


def call(args, types, name, op="PartitionedCall"):
    return lambda f: getattr(raw, op)(args=args, Tout=types, f=getattr(f, name))


def branches(then, otherwise, types=("float32",), condition=True, **more):
    return lambda f: raw.StatelessIf(
        cond=condition,
        input=[1.0],
        Tout=list(types),
        then_branch=getattr(f, then),
        else_branch=getattr(f, otherwise),
        **more,
    )


def case(*names, index=0):
    return lambda f: raw.StatelessCase(
        branch_index=index, input=[1.0], Tout=["float32"], branches=[getattr(f, name) for name in names]
    )


REFUSED = {
    "a body without results": (loop(cond="less", body="nothing"), "0 return values. Expected: 1"),
    "a body of two results": (loop(cond="less", body="twice"), "2 return values. Expected: 1"),
    "a body of another type": (loop(cond="less", body="to_int"), "Expected type float for return value 0"),
    "a body without arguments": (loop(cond="less", body="no_argument"), "0 arguments. Expected: 1"),
    "a body of two arguments": (loop(cond="less", body="two_arguments"), "2 arguments. Expected: 1"),
    "a body of int": (loop(cond="less", body="of_int"), "Expected type float for argument 0"),
    "a condition of two results": (loop(cond="twice", body="add"), "must be a single tensor"),
    "a condition without results": (loop(cond="nothing", body="add"), "must be a single tensor"),
    "a condition of int": (loop(cond="int_less", body="add"), "Expected type float for argument 0"),
    "a call on a string": (call(["abc"], ["float32"], "add"), "Expected type string for argument 0"),
    "a call for a string": (call([1.0], ["string"], "add"), "Expected type string for return value 0"),
    "a call for nothing": (call([1.0], [], "add"), "1 return values. Expected: 0"),
    "a call of nothing": (call([], ["float32"], "add"), "1 arguments. Expected: 0"),
    "a call of two": (call([1.0, 2.0], ["float32"], "add"), "1 arguments. Expected: 2"),
    "a stateful call": (
        call(["a"], ["float32"], "add", "StatefulPartitionedCall"),
        "Expected type string for argument 0",
    ),
    "branches of two types": (branches("add", "to_int"), "Expected type float for return value 0"),
    "the same, not taken": (branches("to_int", "add", condition=False), "Expected type float for return value 0"),
    "a branch of two arguments": (branches("two_arguments", "add"), "2 arguments. Expected: 1"),
    "a shape that is wrong": (branches("add", "add", output_shapes=[[5]]), "`output_shapes` says"),
    "a shape that is wrong for one": (branches("add", "vector", output_shapes=[[]]), "`output_shapes` says"),
    "too many shapes": (branches("add", "add", output_shapes=[[], []]), "must be the same length"),
    "a case of two types": (case("add", "to_int"), "Expected type float for return value 0"),
    "a case without arguments": (case("add", "no_argument"), "0 arguments. Expected: 1"),
    "no cases": (case(), "ength .*0.* minimum 1"),
    "a variant": (lambda f: raw.Const(value=1, dtype="variant"), "attr 'dtype' is variant"),
    "a resource": (lambda f: raw.Const(value=1, dtype="resource"), "attr 'dtype' is resource"),
    "a string": (lambda f: raw.Const(value=1, dtype="string"), "attr 'dtype' is string"),
    "an int of floats": (lambda f: raw.Const(value=[1.5], dtype="int32"), "attr 'dtype' is int32"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_where_it_is_made(name, fs):
    make, words = REFUSED[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        make(fs)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words), tf.GradientTape() as tape:
        tape.watch(tf.constant(1.0))
        make(fs)
    with pytest.raises(ValueError, match=words):
        traced(lambda: make(fs))


def test_the_functions_that_fit(fs):
    good = {
        "loop": loop(cond="less", body="add"),
        "call": call([2.0], ["float32"], "add"),
        "string": call([b"abc"], ["string"], "of_string"),
        "if": branches("add", "add", output_shapes=[[]]),
        "if of any shape": branches("add", "vector", condition=False),
        "case": case("add", "add", index=7),
    }
    for make in good.values():
        for a, b in zip(make(fs), traced(lambda make=make: make(fs))(), strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_a_graph_does_not_hold_itself():
    def f(x):
        return raw.PartitionedCall(args=[x], Tout=["float32"], f=tf.compat.v1.get_default_graph())

    with pytest.raises(ValueError, match="still being built"):
        traced(f, FLOAT)


def test_a_loop_variable_that_grows_has_no_known_shape():
    """Without `output_shapes` the result's shape is known only where the body keeps it."""
    few = traced(lambda x: tf.size(x) < 5, tf.TensorSpec(None))
    grow = traced(lambda x: tf.concat([x, x], 0), tf.TensorSpec(None))
    keep = traced(lambda x: x + 1.0, tf.TensorSpec([2]))
    small = traced(lambda x: tf.reduce_sum(x) < 9.0, tf.TensorSpec([2]))

    @tf.function
    def f(x):
        y = raw.StatelessWhile(input=[x], cond=few, body=grow)[0]
        z = raw.StatelessWhile(input=[x], cond=small, body=keep)[0]
        assert y.shape.rank is None
        assert z.shape == [2]
        return tf.shape(y), z

    length, z = f(tf.zeros([2]))
    assert length.numpy().tolist() == [8]
    assert z.numpy().tolist() == [5, 5]
