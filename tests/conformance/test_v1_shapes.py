"""Sizes of shapes as Dimensions, as in TensorFlow 1."""

import functools
import math

import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def tf1(tf):
    """`tf.compat.v1`, with TensorFlow 1's shapes."""
    tf.compat.v1.disable_v2_tensorshape()
    yield tf.compat.v1
    tf.compat.v1.enable_v2_tensorshape()


def test_dimensions_in_texts_and_as_elements(tf1):
    shape = tf1.TensorShape([None, 2])
    assert (str(shape), repr(shape)) == ("(?, 2)", "TensorShape([Dimension(None), Dimension(2)])")
    assert (str(tf1.TensorShape([None])), str(tf1.TensorShape([])), str(tf1.TensorShape(None))) == ("(?,)", "()", "<unknown>")
    assert repr(tf1.TensorShape(None)) == "TensorShape(None)"
    assert (shape[0].value, shape[-1].value, [d.value for d in shape]) == (None, 2, [None, 2])
    assert (repr(shape[1:]), repr(tf1.TensorShape(None)[3])) == ("TensorShape([Dimension(2)])", "Dimension(None)")
    assert (shape.as_list(), shape.ndims, len(shape)) == ([None, 2], 2, 2)
    assert (shape[1] + 1, shape[1] * 2, int(shape[1]), shape[1] // 2, shape[1] < 3) == (3, 4, 2, 1, True)
    assert functools.reduce(lambda a, b: a * b, tf1.TensorShape([2, 3, 4])) == 24
    with pytest.raises(IndexError):
        shape[5]


def test_programs_that_ask_for_values(tf, tf1):
    with tf.Graph().as_default():
        x = tf1.placeholder(tf.float32, [None, 2])
        size = x.get_shape()[1].value
        w = tf1.get_variable("w", [x.shape[1], 3])
        rows = tf1.shape(x)[0] if x.shape[0].value is None else x.shape[0].value
        y = tf1.reshape(tf1.matmul(x, w), [rows, 3 * size // 2])
        assert (size, y.shape[1].value, w.shape[0].value) == (2, 3, 2)
        made = [tf1.zeros([2, x.shape[1]]), tf1.tile([[1]], [1, x.shape[1]]), tf1.one_hot([1, 0], x.shape[1]), tf1.fill([1, x.shape[1]], 0)]
        assert [t.shape[1].value for t in made] == [2, 2, 2, 2]
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            assert session.run(y, {x: [[1.0, 2.0]] * 4}).shape == (4, 3)


def test_the_switch_back(tf):
    tf.compat.v1.disable_v2_tensorshape()
    tf.compat.v1.enable_v2_tensorshape()
    shape = tf.TensorShape([None, 2])
    assert (str(shape), repr(shape), shape[0], shape[1], list(shape)) == ("(None, 2)", "TensorShape([None, 2])", None, 2, [None, 2])


NO_SIZE = "Dimension value must be integer or None or have an __index__ method, got value '{}'"


@pytest.mark.parametrize(
    ("compute", "text"),
    [
        (lambda d: hash(d), "unhashable type: 'Dimension'"),
        (lambda d: {d: 1}, "unhashable type: 'Dimension'"),
        (lambda d: d < "a", NO_SIZE.format("'a'")),
        (lambda d: d >= 2.5, NO_SIZE.format("2.5")),
        (lambda d: "a" - d, NO_SIZE.format("'a'")),
        (lambda d: d % "a", NO_SIZE.format("'a'")),
        (lambda d: 2.5 // d, NO_SIZE.format("2.5")),
        (lambda d: d + 1.5, "unsupported operand type(s) for +: 'Dimension' and 'float'"),
        (lambda d: 1.5 + d, "unsupported operand type(s) for +: 'Dimension' and 'float'"),
        (lambda d: 1.5 * d, "unsupported operand type(s) for *: 'Dimension' and 'float'"),
        (lambda d: [1] + d, "unsupported operand type(s) for +: 'Dimension' and 'list'"),
        (lambda d: d // "a", "unsupported operand type(s) for //: 'Dimension' and 'str'"),
    ],
)
def test_what_dimensions_refuse(tf, compute, text):
    with pytest.raises(TypeError) as caught:
        compute(tf.compat.v1.Dimension(3))
    assert str(caught.value).startswith(text)


def test_arithmetic_from_the_right(tf):
    d = tf.compat.v1.Dimension(3)
    assert [int(x) for x in (2 + d, 5 - d, 2 * d, 7 // d, 7 % d)] == [5, 2, 6, 2, 1]
    assert (d == "a", d != "a", d == None, d < None) == (False, True, None, None)


@pytest.mark.parametrize("convert", [int, float, math.floor, "%d".__mod__])
def test_numbers_of_variables_in_graphs(tf, convert):
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=2.5)
        with pytest.raises(AttributeError, match="'SymbolicTensor' object has no attribute 'numpy'"):
            convert(v)
