"""Callables of sessions that are described by messages, as Keras of version 2 trains in graphs: they check dtypes, not shapes."""

import importlib
import types

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def session(v1, graph):
    with v1.Session(graph=graph) as session:
        yield session


@pytest.fixture
def callable_of(tf, session):
    """Makes the callable for the names of feeds, fetches and targets."""

    def make(feeds, fetches, targets=()):
        names = {"feed": feeds, "fetch": fetches, "target": targets, "tensor_connection": []}
        if tf.__name__ == "tensorflow":
            options = importlib.import_module("tensorflow.core.protobuf.config_pb2").CallableOptions(**names)
        else:
            options = types.SimpleNamespace(**names)
        return session._make_callable_from_options(options)

    return make


def test_names_of_feeds_fetches_and_targets(tf, v1, session, callable_of):
    x = v1.placeholder(tf.float32, [], name="x")
    v = v1.get_variable("v", initializer=1.0, use_resource=True)
    tf.multiply(x, 2.0, name="y")
    tf.group(v.assign_add(x), name="add")
    session.run(v.initializer)
    run = callable_of(["x:0"], ["y:0"], ["add"])
    assert [float(value) for value in run(np.float32(3))] == [6.0]
    assert float(session.run(v)) == 4.0
    for wrong in ([], [np.float32(1)] * 2):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"^Expected 1 feed tensors, but got {len(wrong)}$"):
            run(*wrong)


@pytest.mark.parametrize("shape", [(), (2,), (3,), (3, 2), (2, 3, 1)])
def test_a_fed_value_has_any_shape(tf, v1, session, callable_of, shape):
    x = v1.placeholder(tf.float32, [2], name="x")
    double = tf.multiply(x, 2.0, name="double")
    flat = tf.reshape(double, [-1], name="flat")
    branch = tf.cond(v1.placeholder_with_default(True, []), lambda: double + 1.0, lambda: double - 1.0)
    value = np.ones(shape, np.float32)
    got = callable_of(["x:0"], ["double:0", flat.name, branch.name])(value)
    for one, wanted in zip(got, (value * 2, value.reshape(-1) * 2, value * 2 + 1), strict=True):
        assert np.array_equal(one, wanted) and one.shape == wanted.shape


def test_other_tensors_are_fed_by_any_shape(tf, v1, session, callable_of):
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    halves = tf.split(x, 2, axis=1, name="halves")
    v1.placeholder(tf.float32, [3], name="unused")
    v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    tf.add(halves[1], v, name="y")
    session.run(v.initializer)
    run = callable_of(["unused:0", "halves:1"], ["y:0"])
    for shape in ((5, 1), (2,), (4, 3, 2)):
        value = np.full(shape, 3, np.float32)
        got = run(np.ones(1, np.float32), value)
        assert np.array_equal(got[0], value + np.array([1, 2], np.float32))


def test_variables_are_shared_by_calls_of_all_shapes(tf, v1, session, callable_of):
    x = v1.placeholder(tf.float32, [None], name="x")
    v = v1.get_variable("v", initializer=1.0, use_resource=True)
    tf.group(v.assign_add(tf.reduce_sum(tf.reshape(x, [-1]))), name="add")
    session.run(v.initializer)
    run = callable_of(["x:0"], [], ["add"])
    for shape in ((2,), (2, 2), (), (2,)):
        assert run(np.ones(shape, np.float32)) == []
    assert session.run(v) == 10.0


def test_what_is_fed_is_not_fetched(tf, v1, session, callable_of):
    v1.placeholder(tf.float32, [], name="x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="^x:0 is both fed and fetched.$"):
        callable_of(["x:0"], ["x:0"])


def test_an_op_refuses_the_shape(tf, v1, session, callable_of):
    x = v1.placeholder(tf.float32, [2, 2], name="x")
    tf.matmul(x, x, name="y")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)Matrix size-incompatible.*node y"):
        callable_of(["x:0"], ["y:0"])(np.ones((2, 3), np.float32))


@pytest.mark.parametrize(
    ("value", "given"),
    [
        (np.ones(2), "double"),
        ([1.0, 2.0], "double"),
        (np.ones(2, np.int32), "int32"),
        (np.ones(2, np.complex64), "complex64"),
        (np.ones(2, bool), "bool"),
        ("a", "string"),
    ],
)
def test_a_fed_value_is_not_converted(tf, v1, session, callable_of, value, given):
    x = v1.placeholder(tf.float32, [2], name="scope/x")
    y = v1.placeholder(tf.float32, [2], name="y")
    tf.add(x, y, name="sum")
    run = callable_of(["y:0", "scope/x:0"], ["sum:0"])
    text = rf"^Type mismatch: actual {given} vs. expect float\n\t \[\[\{{\{{node _arg_scope/x_0_1\}}\}}\]\]$"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(np.ones(2, np.float32), value)
