"""Mistakes around dimensions that are not known while a function is traced."""

from advised.case import Case

_ROWS = ("tf.ones([2, 4])", "tf.ones([3, 4])")
_UNKNOWN = "input_signature=[tf.TensorSpec([None, 4])]"


def _case(body: str, words: str, rounds: int = 1) -> Case:
    return Case(f"\ndef f(x):\n{body}", _ROWS, words, rounds=rounds, options=_UNKNOWN)


CASES = {
    "batch_size_in_reshape": _case("    return tf.reshape(x, [x.shape[0], 2, 2])\n", "Failed to convert elements of [None, 2, 2]"),
    "batch_size_in_zeros": _case("    return tf.zeros([x.shape[0], 4]) + x\n", "Expected int32, but got None of type 'NoneType'."),
    "shape_of_zeros": _case("    return tf.zeros(x.shape)\n", "Cannot convert a partially known TensorShape (None, 4)"),
    "shape_of_reshape": _case("    return tf.reshape(x, x.shape)\n", "partially known TensorShape (None, 4)"),
    "mean_by_hand": _case("    return x / x.shape[0]\n", "None values not supported."),
    "half_of_the_rows": _case("    return x[: x.shape[0] // 2]\n", "unsupported operand type(s) for //"),
    "loop_over_the_batch": _case(
        "    total = tf.zeros([4])\n    for i in range(x.shape[0]):\n        total += x[i]\n    return total\n",
        "'NoneType' object cannot be interpreted as an integer",
    ),
    "batch_size_in_a_variable": _case(
        "    rows = x.get_shape()[0]\n    return tf.tile([[1.0]], [rows, 1]) + x\n", "Failed to convert elements of [None, 1]"
    ),
    "batch_size_taken_apart": _case(
        "    rows, columns = x.shape\n    return tf.ones([columns, rows])\n", "Expected int32, but got None of type 'NoneType'."
    ),
    "batch_size_in_a_list": _case(
        "    size = x.shape.as_list()[0]\n    return tf.fill([size, 2], 1.0)\n", "Failed to convert elements of [None, 2]"
    ),
    "shape_in_a_variable": _case("    shape = x.shape\n    return tf.zeros(shape)\n", "partially known TensorShape (None, 4)"),
    "item_of_a_shape_in_a_variable": _case(
        "    shape = x.shape\n    return tf.zeros([shape[0], 2])\n", "Expected int32, but got None of type 'NoneType'."
    ),
    "item_of_a_shape_in_a_list": _case(
        "    shape = x.get_shape().as_list()\n    return tf.tile([[1.0]], [shape[0], shape[1]])\n", "Failed to convert elements of [None, 4]"
    ),
    "batch_size_with_an_annotation": _case(
        "    rows: int = x.shape[0]\n    return tf.tile([[1.0]], [rows, 1])\n", "Failed to convert elements of [None, 1]"
    ),
    "batch_size_packed": _case("    return tf.stack([x.shape[0], 2])\n", "None values not supported."),
    "batch_size_packed_last": _case("    return tf.stack([2, x.shape[0]])\n", "Tensors in list passed to 'values' of 'Pack' Op"),
    "batch_size_after_another_one": _case("    return tf.reshape(x, [x.shape[1], x.shape[0]])\n", "Failed to convert elements"),
    "batch_size_twice": _case(
        "    return tf.zeros([x.shape[-2], x.shape[0]])\n", "Expected int32, but got None of type 'NoneType'.", rounds=2
    ),
}
