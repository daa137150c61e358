"""tf.sets: results and errors of TensorFlow 2.21."""

import builtins

import pytest

from sparse_values import assert_same, plain

pytestmark = pytest.mark.rule(27)


def A(tf):
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [5, 7, 6], [2, 3])


def B(tf):
    return tf.SparseTensor([[0, 0], [0, 1], [1, 2]], [1, 2, 7], [2, 3])


def F(tf):
    return tf.cast(A(tf), tf.float32)


# Name: program, and its result in TensorFlow 2.21.
CASES = {
    "sets.size": (
        lambda tf: tf.sets.size(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [4, 4, 5], [3, 2])),
        ("int32", [1, 1, 0]),
    ),
    "sets.intersection": (
        lambda tf: tf.sets.intersection([[1, 2, 2], [3, 4, 5]], [[2, 9], [5, 3]]),
        ("sparse", ("int64", [[0, 0], [1, 0], [1, 1]]), ("int32", [2, 3, 5]), ("int64", [2, 2])),
    ),
    "sets.intersection sparse": (
        lambda tf: tf.sets.intersection(A(tf), B(tf)),
        ("sparse", ("int64", [[1, 0]]), ("int32", [7]), ("int64", [2, 1])),
    ),
    "sets.difference": (
        lambda tf: tf.sets.difference([[1, 2, 2], [3, 4, 5]], [[2, 9], [5, 3]]),
        ("sparse", ("int64", [[0, 0], [1, 0]]), ("int32", [1, 4]), ("int64", [2, 1])),
    ),
    "sets.difference b-a": (
        lambda tf: tf.sets.difference([[1, 2, 2], [3, 4, 5]], [[2, 9], [5, 3]], aminusb=False),
        ("sparse", ("int64", [[0, 0]]), ("int32", [9]), ("int64", [2, 1])),
    ),
    "sets.difference sparse dense": (
        lambda tf: tf.sets.difference(A(tf), [[5, 1], [6, 7]]),
        ("sparse", ("int64", []), ("int32", []), ("int64", [2, 0])),
    ),
    "sets.union": (
        lambda tf: tf.sets.union([["b", "a"]], [["c", "a"]]),
        ("sparse", ("int64", [[0, 0], [0, 1], [0, 2]]), ("string", [b"a", b"b", b"c"]), ("int64", [1, 3])),
    ),
    "sets.union dense sparse": (
        lambda tf: tf.sets.union([[5, 1], [6, 7]], A(tf)),
        ("sparse", ("int64", [[0, 0], [0, 1], [1, 0], [1, 1]]), ("int32", [1, 5, 6, 7]), ("int64", [2, 2])),
    ),
    "sets.union cube": (
        lambda tf: tf.sets.union([[[1, 2], [3, 3]], [[4, 4], [5, 6]]], [[[1, 7], [3, 3]], [[4, 4], [5, 9]]]),
        ("sparse",
         ("int64", [[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 2]]),
         ("int32", [1, 2, 7, 3, 4, 5, 6, 9]), ("int64", [2, 2, 3])),
    ),
}

DTYPES = "frozenset({tf.int32, tf.uint8, tf.int16, tf.int8, tf.string, tf.int64, tf.uint16})"

# Program: error class and words of its message.
ERRORS = [
    (lambda tf: tf.sets.size([1]), "TypeError", "Expected `SparseTensor`"),
    (lambda tf: tf.sets.size(tf.constant([1])), "TypeError", "got tf.Tensor([1], shape=(1,), dtype=int32)."),
    (lambda tf: tf.sets.size(F(tf)), "TypeError", f"Invalid dtype `<dtype: 'float32'>` not in supported dtypes: `{DTYPES}`."),
    (lambda tf: tf.sets.union([1], [2]), "InvalidArgumentError", "Shape [1] has rank 1"),
    (lambda tf: tf.sets.union([[1]], [["a"]]), "TypeError", "Types don't match,"),
    (lambda tf: tf.sets.union([[1.5]], [[1.5]]), "TypeError",
     f"'a' has invalid dtype `<dtype: 'float32'>` not in supported dtypes: `{DTYPES}`."),
    (lambda tf: tf.sets.union([[1]], [[1], [2]]), "InvalidArgumentError", "Mismatched shapes [1] vs [2]"),
]


@pytest.mark.parametrize("name", CASES)
def test_eager(tf, name):
    program, expected = CASES[name]
    assert_same(plain(program(tf)), expected)


@pytest.mark.parametrize("name", [name for name in CASES if "sqrtn variable" not in name])
def test_traced(tf, name):
    program, expected = CASES[name]
    assert_same(plain(tf.function(lambda: program(tf))()), expected)


@pytest.mark.parametrize("program, error, words", ERRORS)
def test_errors(tf, program, error, words):
    with pytest.raises(getattr(tf.errors, error, None) or getattr(builtins, error)) as caught:
        program(tf)
    assert words in str(caught.value)
