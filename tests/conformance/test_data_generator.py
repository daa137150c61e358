"""`tf.data.Dataset.from_generator`."""

import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")


def test_signature_and_older_arguments(tf):
    def pairs(stop):
        for i in range(stop):
            yield i, [1.5] * 2

    signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.float32))
    new = tf.data.Dataset.from_generator(pairs, args=[3], output_signature=signature)
    old = tf.data.Dataset.from_generator(pairs, (tf.int32, tf.float32), ([], [2]), args=[3])
    assert elements(new) == elements(old) == [(i, [1.5, 1.5]) for i in range(3)]
    assert new.element_spec == old.element_spec == signature
    loose = tf.data.Dataset.from_generator(lambda: ["a", "b"], tf.string)
    assert elements(loose) == [b"a", b"b"] and loose.element_spec == tf.TensorSpec(None, tf.string)


def test_each_iteration_starts_again(tf):
    starts = []

    def numbers():
        starts.append(1)
        yield from [1, 2]

    dataset = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32))
    assert starts == []
    assert elements(dataset.repeat(2)) == [1, 2, 1, 2] and elements(dataset) == [1, 2] and len(starts) == 3


def test_dicts_and_ragged(tf):
    def rows():
        yield {"a": 1, "r": tf.ragged.constant([[1], [2, 3]])}

    signature = {"a": tf.TensorSpec([], tf.int64), "r": tf.RaggedTensorSpec([2, None], tf.int32)}
    found = next(iter(tf.data.Dataset.from_generator(rows, output_signature=signature)))
    assert int(found["a"]) == 1 and found["r"].to_list() == [[1], [2, 3]]


@pytest.mark.parametrize("yielded, text", [
    ([1], "yielded an element of shape"), ("a", "could not be converted to the expected type"),
    ((1, 2), "yielded an element of shape"),
])
def test_what_does_not_fit(tf, yielded, text):
    dataset = tf.data.Dataset.from_generator(lambda: [yielded], output_signature=tf.TensorSpec([], tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        list(dataset)


def test_errors_of_the_generator(tf):
    def fails():
        yield 1
        raise KeyError("gone")

    iterator = iter(tf.data.Dataset.from_generator(fails, output_signature=tf.TensorSpec([], tf.int32)))
    assert int(next(iterator)) == 1
    with pytest.raises(tf.errors.UnknownError, match=r"device:CPU:0}} KeyError: 'gone'"):
        next(iterator)


def test_arguments(tf):
    with pytest.raises(TypeError, match="`generator` must be a Python callable"):
        tf.data.Dataset.from_generator([1], tf.int32)
    with pytest.raises(TypeError, match="To specify the output signature"):
        tf.data.Dataset.from_generator(lambda: [1])
    with pytest.raises(TypeError, match="can not be used together"):
        tf.data.Dataset.from_generator(lambda: [1], tf.int32, output_signature=tf.TensorSpec([], tf.int32))
    with pytest.raises(TypeError, match="subclass of `tf.TypeSpec`"):
        tf.data.Dataset.from_generator(lambda: [1], output_signature=tf.int32)


def test_subclasses_that_return_one(tf):
    class Numbers(tf.data.Dataset):
        @staticmethod
        def _numbers(count):
            yield from range(count)

        def __new__(cls, count=3):
            return tf.data.Dataset.from_generator(cls._numbers, output_signature=tf.TensorSpec([], tf.int64), args=(count,))

    assert elements(Numbers(2).map(lambda x: x + 1)) == [1, 2]


def test_one_tensor_of_any_rank_is_not_cut(tf):
    """Without a shape, an element is converted as tf.convert_to_tensor does; with one, as NumPy does."""

    def first(value, dtype, shape=None):
        return next(iter(tf.data.Dataset.from_generator(lambda: iter([value]), dtype, shape))).numpy()

    assert first(1.5, tf.int32, []) == 1
    assert first(1, tf.float32) == 1.0
    refused = r"did not match the expected structure. The expected structure was TensorSpec\(shape=<unknown>, dtype=tf"
    for value, dtype in ((1.5, tf.int32), ("a", tf.int32), (None, tf.int32), (1, tf.string), (tf.constant(1), tf.float32)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=refused):
            first(value, dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"yielded an element of shape \(2,\) where an element of shape \(\)"):
        first([1, 2], tf.string, [])


@pytest.mark.parametrize(
    "dtype, value, expected",
    [("int32", 2**40 + 5, 5), ("uint8", -1, 255), ("int8", 200, -56), ("int32", 1.9, 1), ("int32", "7", 7), ("float32", "1.5", 1.5)],
)
def test_numbers_become_the_declared_dtype_as_a_cast_does_it(tf, dtype, value, expected):
    dataset = tf.data.Dataset.from_generator(lambda: [value], output_signature=tf.TensorSpec([], dtype))
    assert elements(dataset) == [expected]
