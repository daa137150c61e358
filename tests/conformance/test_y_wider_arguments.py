"""Arguments that work in tracefn alone."""

import numpy as np
import pytest

from proto_messages import field_type, message_type, packed, source

pytestmark = [pytest.mark.rule("Y8"), pytest.mark.superset("Y8")]


class Row:
    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index]


@pytest.mark.parametrize("values", [[1, 2], [1.5, 2.0], ["a", "b"], [], [Row([1, 2]), Row([3, 4])]])
def test_sequences_of_other_classes(tf, values):
    eager = tf.convert_to_tensor(Row(values))
    for make in (tf.convert_to_tensor, tf.constant, tf.identity):
        traced = tf.function(lambda make=make: make(Row(values)))()
        assert traced.dtype == eager.dtype and traced.numpy().tolist() == eager.numpy().tolist()


def test_sequences_as_operands(tf):
    assert tf.function(lambda: tf.constant([1, 2]) + Row([3, 4]))().numpy().tolist() == [4, 6]


@pytest.mark.parametrize("axis, mask", [(-1, [4]), (-2, [3, 4]), (-3, [2, 3]), (-3, [2, 3, 4])])
def test_masks_up_to_the_last_dimension(tf, axis, mask):
    x = np.arange(24).reshape(2, 3, 4)
    kept = np.arange(np.prod(mask)).reshape(mask) % 3 != 1
    want = x[(slice(None),) * (3 + axis) + (kept,)]
    np.testing.assert_array_equal(tf.boolean_mask(x, kept, axis=axis), want)
    np.testing.assert_array_equal(tf.function(lambda: tf.boolean_mask(x, kept, axis=axis))(), want)


def test_negative_packed_numbers(tf):
    descriptors = source([message_type("M", [field_type("x", 1, "int32", repeated=True, pack=True)])])
    found = tf.io.decode_proto([packed(1, "int32", [-1, 5])], "p.M", ["x"], [tf.int64], descriptor_source=descriptors)
    assert found.values[0].numpy().tolist() == [[-1, 5]]
