"""The class of what `tf.Variable(...)` returns, called by its own name."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_the_class_called_in_a_function(tf, internal):
    """Then no function owns the Variable: each trace creates one, outside of the function."""
    create = internal("ops.resource_variable_ops").ResourceVariable
    made = []

    @tf.function
    def count(step):
        made.append(create(lambda: tf.constant(3.0), name="count"))
        return made[-1].assign_add(step)

    assert [float(count(tf.constant(1.0))) for _ in range(2)] == [4, 5] and len(made) == 1
    assert float(count(tf.constant([1.0])[0])) == 6 and made[0].numpy() == 6
    with pytest.raises(ValueError, match=r"Argument `initial_value` \(Tensor\(.*could not be lifted out of a `tf.function`"):
        tf.function(lambda x: create(x) + 1)(tf.constant(1.0))
    with tf.Graph().as_default() as graph:
        assert create(1.0).handle.graph is graph
