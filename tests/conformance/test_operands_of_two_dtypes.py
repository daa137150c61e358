"""Operators on a tensor and a Variable, list or array of another dtype: the error names the op and both dtypes."""

import operator

import pytest

pytestmark = pytest.mark.rule(191)

OPS = {
    "AddV2": operator.add, "Sub": operator.sub, "Mul": operator.mul, "RealDiv": operator.truediv, "Pow": operator.pow,
    "MatMul": operator.matmul, "Less": operator.lt, "LessEqual": operator.le, "Greater": operator.gt,
    "GreaterEqual": operator.ge, "Equal": operator.eq, "NotEqual": operator.ne,
}  # fmt: skip
# What / does: it has no op for operands of two dtypes.
OF_DIVISION = r"`x` and `y` must have the same dtype, got tf\.float64 != tf\.float32"


def check(tf, name, x, y):
    if name == "RealDiv":
        for call in (OPS[name], tf.function(OPS[name])):
            with pytest.raises(TypeError, match=OF_DIVISION):
                call(x, y)
        return
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        OPS[name](x, y)
    text = f"cannot compute {name} as input #1(zero-based) was expected to be a double tensor but is a float tensor"
    assert text in str(caught.value)
    with pytest.raises(TypeError) as caught:
        tf.function(lambda a: OPS[name](a, y))(x)
    second, first = ("b", "a") if name == "MatMul" else ("y", "x")
    text = f"Input '{second}' of '{name}' Op has type float32 that does not match type float64 of argument '{first}'."
    assert text in str(caught.value)


@pytest.mark.parametrize("name", OPS)
def test_a_tensor_and_a_variable(tf, name):
    check(tf, name, tf.ones([2, 2], tf.float64), tf.Variable(tf.ones([2, 2])))


@pytest.mark.parametrize("value", [[["a", "b"]], "a", [[1.5, 2.5]], 1.5])
def test_matmul_with_values_that_do_not_fit(tf, value):
    x = tf.ones([1, 2], tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute MatMul as input #1"):
        x @ value
    with pytest.raises(TypeError, match="Input 'b' of 'MatMul' Op has type"):
        tf.function(lambda: x @ value)()


@pytest.mark.parametrize("labels", [[5, 7], [9, -3], [-1, -2], [0, 2]])
def test_the_label_that_an_error_names(tf, labels):
    worst = min(labels) if min(labels) < 0 else max(labels)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Received a label value of {worst} which is outside"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, [[1.0, 2.0], [1.0, 2.0]])


# (op, its parameter, operands): the op takes no operands of the first one's dtype, whatever the second one is.
REFUSED = {
    "bool + int": ("x", "bool", lambda tf: tf.constant(True) + 1),
    "bool + float": ("x", "bool", lambda tf: tf.constant(True) + tf.constant(1.5)),
    "bool - int": ("x", "bool", lambda tf: tf.constant(True) - 1),
    "string > int": ("x", "string", lambda tf: tf.constant("s") > 0),
    "string * int": ("x", "string", lambda tf: tf.constant("s") * 2),
    "complex < float": ("x", "complex128", lambda tf: tf.constant(1j) < tf.constant(1.5)),
    "string @ float": ("a", "string", lambda tf: tf.matmul("x", tf.constant(1.5))),
    "atan2 of int, float": ("y", "int32", lambda tf: tf.math.atan2(tf.constant(3), tf.constant(1.5))),
    "left_shift of float": ("x", "float32", lambda tf: tf.bitwise.left_shift(tf.constant(1.5), tf.constant(3))),
    "maximum of bool, int": ("x", "bool", lambda tf: tf.maximum(tf.constant(True), 1)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_the_first_operand_is_refused_first(tf, case):
    parameter, dtype, call = REFUSED[case]
    if case not in ("bool - int", "string > int", "string * int", "maximum of bool, int"):  # Cannot convert 1 to ... bool
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the list of allowed values: "):
            call(tf)
    text = f"Value passed to parameter '{parameter}' has DataType {dtype} not in list of allowed values: "
    with pytest.raises(TypeError, match=text):
        tf.function(lambda: call(tf))()
