"""What Python itself says about tensors, which names their class."""

import pytest

pytestmark = pytest.mark.rule(27)


def test_items_of_tensors_cannot_be_assigned(tf):
    x = tf.constant([1, 2])
    with pytest.raises(
        TypeError, match="'tensorflow.python.framework.ops.EagerTensor' object does not support item assign"
    ):
        x[0] = 3


def test_messages_of_the_interpreter_name_the_type(tf):
    x = tf.constant([1, 2])
    with pytest.raises(TypeError, match="'tensorflow.python.framework.ops.EagerTensor' object is not callable"):
        x()
    for name in ("shape", "dtype", "ndim"):
        with pytest.raises(AttributeError, match=f"property '{name}' of 'EagerTensor' object has no setter"):
            setattr(x, name, 3)
    with pytest.raises(AttributeError, match="property 'shape' of 'EagerTensor' object has no deleter"):
        del x.shape
    x.note = 3
    assert x.note == 3
    del x.note
    with pytest.raises(AttributeError, match="note"):
        del x.note


def test_rounding_needs_the_methods_of_numpy(tf):
    for x in (tf.constant(2.5), tf.constant([1.5, 2.5]), tf.constant(7), tf.constant(True)):
        with pytest.raises(AttributeError, match="EagerTensor object has no attribute 'astype'"):
            round(x)
        with pytest.raises(AttributeError, match="EagerTensor object has no attribute 'astype'"):
            round(x, 1)
    with tf.Graph().as_default(), pytest.raises(AttributeError, match="SymbolicTensor object has no attribute 'astype'"):
        round(tf.constant(2.5))
    with pytest.raises(TypeError, match="type ResourceVariable doesn't define __round__ method"):
        round(tf.Variable(2.5))
