"""tf.Assert and tf.debugging."""

import pytest
import tracefn as tf


def test_assert_shows_its_data():
    tf.Assert(tf.constant(True), ["x"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected 'False' to be true. Summarized data: b'a'\n1\n1, 2, 3, ..."):
        tf.Assert(False, ["a", 1, [1, 2, 3, 4]])

    @tf.function
    def f(x):
        tf.Assert(x > 0, ["x is", x])
        return x

    assert int(f(tf.constant(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"assertion failed: \[x is\] \[-1\]"):
        f(tf.constant(-1))


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [("equal", [1, 2], [1, 3]), ("none_equal", [1], [1]), ("less", [1], [1]), ("less_equal", [2], [1]),
     ("greater", [1], [1]), ("greater_equal", [0], [1])],
)  # fmt: skip
def test_comparisons(name, x, y):
    check = getattr(tf.debugging, f"assert_{name}")
    with pytest.raises(tf.errors.InvalidArgumentError, match="m\nCondition x .* y did not hold.\nIndices of first 1"):
        check(x, y, message="m")

    @tf.function
    def f(a, b):
        check(a, b)

    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed: .*did not hold element-wise"):
        f(tf.constant(x), tf.constant(y))


def test_signs():
    tf.debugging.assert_positive([1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="m.  \nCondition x >= 0 did not hold element-wise:"):
        tf.debugging.assert_non_negative([-1], message="m")


def test_ranks_and_types():
    with pytest.raises(ValueError, match=r"Tensor  must have rank 2.  Received rank 1, shape \(2,\)"):
        tf.debugging.assert_rank([1, 2], 2)
    with pytest.raises(ValueError, match=r"must have rank in \(0, 2\)"):
        tf.debugging.assert_rank_in([1], [0, 2])
    with pytest.raises(TypeError, match="tensor must be of type tf.float32; got tf.int32"):
        tf.debugging.assert_type(tf.constant(1), tf.float32)

    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def f(x):
        tf.debugging.assert_rank(x, 1)
        return tf.size(x)

    assert int(f(tf.constant([1]))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Tensor x:0 must have rank\] \[1\]"):
        f(tf.constant(1))


def test_check_numerics():
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad : Tensor had NaN values"):
        tf.debugging.check_numerics([1.0, float("nan")], "bad")
    assert tf.debugging.check_numerics([1.0], "fine").numpy().tolist() == [1.0]
