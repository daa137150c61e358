"""The methods behind Python's operators, on Variables."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_variables_have_every_operator_of_tensors(tf):
    variable = tf.Variable([6.0, 9.0])
    for name in tf.Tensor.OVERLOADABLE_OPERATORS:
        assert callable(getattr(tf.Variable, name)), name
        assert callable(getattr(variable, name)), name


def test_variables_divide_by_pythons_older_operators(tf):
    variable = tf.Variable([6.0, 9.0])
    whole = tf.Variable([7, -7])

    @tf.function
    def halved(x):
        return variable.__div__(x)

    assert variable.__div__(3.0).numpy().tolist() == [2.0, 3.0]
    assert variable.__rdiv__(18.0).numpy().tolist() == [3.0, 2.0]
    assert halved(tf.constant(2.0)).numpy().tolist() == [3.0, 4.5]
    # Whole numbers are divided as Python 2 did.
    assert whole.__div__(2).numpy().tolist() == tf.constant([7, -7]).__div__(2).numpy().tolist() == [3, -4]
