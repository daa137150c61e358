"""Methods of tensors: their parameters by name."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_set_shape_by_keyword(tf):
    x = tf.zeros([3])
    x.set_shape(shape=[3])
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape(shape=tf.TensorShape([4]))
    with pytest.raises(TypeError):
        x.set_shape()

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def refined(y):
        y.set_shape(shape=(2, None))
        return y

    assert refined.get_concrete_function().output_shapes.as_list() == [2, None]
