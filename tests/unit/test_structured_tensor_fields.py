"""StructuredTensor: what TensorFlow leaves to the order of sets."""

import tracefn as tf


def test_fields_of_lists_of_dicts_keep_the_order_in_which_they_come():
    names = [f"field_{i}" for i in (7, 3, 9, 1, 4, 0)]
    rows = [{name: i for i, name in enumerate(names)}, {name: i for i, name in enumerate(reversed(names))}]
    assert tf.experimental.StructuredTensor.from_pyval(rows).field_names() == tuple(names)
    assert list(tf.experimental.StructuredTensor.from_pyval([rows]).to_pyval()[0][0]) == names
