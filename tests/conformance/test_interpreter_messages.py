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
