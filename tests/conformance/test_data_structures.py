"""Elements of every kind: nests, ragged and sparse tensors, optionals, arrays, datasets; and the specs of datasets."""

import collections

import pytest

from data_values import elements

pytestmark = pytest.mark.rule("surface")

Point = collections.namedtuple("Point", "x y")


def test_named_tuples_and_ordered_dicts(tf):
    dataset = tf.data.Dataset.from_tensor_slices(Point([1, 2], {"b": [3, 4], "a": [5, 6]}))
    first = next(iter(dataset))
    assert type(first) is Point and int(first.x) == 1 and int(first.y["b"]) == 3 and list(first.y) == ["b", "a"]
    assert dataset.element_spec.x == tf.TensorSpec([], tf.int32)
    ordered = tf.data.Dataset.from_tensors(collections.OrderedDict([("z", 1), ("a", 2)]))
    assert list(next(iter(ordered))) == ["z", "a"]


def test_ragged_tensors(tf):
    ragged = tf.ragged.constant([[1], [2, 3], []])
    dataset = tf.data.Dataset.from_tensor_slices(ragged)
    assert [x.numpy().tolist() for x in dataset] == [[1], [2, 3], []]
    whole = tf.data.Dataset.from_tensors({"r": ragged, "n": 1}).map(lambda d: {"r": d["r"] * 2, "n": d["n"]})
    assert next(iter(whole))["r"].to_list() == [[2], [4, 6], []]
    assert [batch.to_list() for batch in dataset.batch(2)] == [[[1], [2, 3]], [[]]]
    assert [row.numpy().tolist() for row in dataset.batch(2).unbatch()] == [[1], [2, 3], []]


def test_sparse_tensors(tf):
    sparse = tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]])
    dataset = tf.data.Dataset.from_tensor_slices(sparse)
    dense = lambda x: tf.sparse.to_dense(x).numpy().tolist()
    assert [dense(x) for x in dataset] == [[1, 0], [0, 2], [0, 0]]
    assert dataset.element_spec == tf.SparseTensorSpec([2], tf.int32)
    assert [dense(x) for x in dataset.batch(2)] == [[[1, 0], [0, 2]], [[0, 0]]]
    assert [dense(x) for x in tf.data.Dataset.from_tensors(sparse).map(lambda s: s * 3)] == [[[3, 0], [0, 6], [0, 0]]]


def test_optionals(tf):
    dataset = tf.data.Dataset.from_tensors(tf.experimental.Optional.from_value(3))
    assert dataset.element_spec == tf.OptionalSpec(tf.TensorSpec([], tf.int32))
    assert elements(dataset.map(lambda o: o.get_value() + 1)) == [4]


def test_arrays(tf):
    def squares(n):
        array = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(tf.cast(i, tf.int32), i * i)
        return array

    dataset = tf.data.Dataset.range(2, 4).map(squares).map(lambda array: array.stack())
    assert elements(dataset) == [[0, 1], [0, 1, 4]]


def test_datasets_of_datasets(tf):
    inner = tf.data.Dataset.range(3)
    dataset = tf.data.Dataset.from_tensors(inner)
    assert dataset.element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))
    assert [elements(x) for x in dataset.map(lambda d: d.map(lambda n: n + 1))] == [[1, 2, 3]]
    assert elements(dataset.flat_map(lambda d: d.skip(1))) == [1, 2]


def test_specs_of_datasets(tf):
    spec = tf.data.DatasetSpec(tf.TensorSpec([2], tf.float32))
    assert repr(spec) == "DatasetSpec(TensorSpec(shape=(2,), dtype=tf.float32, name=None), TensorShape([]))"
    assert spec == tf.data.DatasetSpec(tf.TensorSpec([2], tf.float32)) and isinstance(hash(spec), int)
    wide = tf.data.DatasetSpec(tf.TensorSpec([None], tf.float32))
    assert spec.is_subtype_of(wide) and not wide.is_subtype_of(spec)
    assert spec.most_specific_common_supertype([tf.data.DatasetSpec(tf.TensorSpec([3], tf.float32))]) == wide
    assert spec.most_specific_common_supertype([tf.data.DatasetSpec(tf.TensorSpec([2], tf.int32))]) is None
    dataset = tf.data.Dataset.from_tensors([1.0, 2.0])
    assert tf.type_spec_from_value(dataset) == tf.data.DatasetSpec.from_value(dataset) == spec
    assert issubclass(tf.data.Dataset, spec.value_type) and spec.is_compatible_with(dataset)
    assert repr(tf.data.IteratorSpec(spec.element_spec)) == "IteratorSpec(TensorSpec(shape=(2,), dtype=tf.float32, name=None),)"
    assert tf.data.IteratorSpec.from_value(iter(dataset)) == tf.data.IteratorSpec(tf.TensorSpec([2], tf.float32))


def test_variants(tf):
    dataset = tf.data.Dataset.range(3)
    variant = tf.data.experimental.to_variant(dataset)
    assert variant.dtype == tf.variant and variant.shape == []
    assert elements(tf.data.experimental.from_variant(variant, dataset.element_spec)) == [0, 1, 2]
    assert tf.data.experimental.get_structure(dataset) == tf.TensorSpec([], tf.int64)
    assert tf.is_tensor(tf.nest.flatten(dataset, expand_composites=True)[0])


def test_rows_of_ragged_tensors_can_be_taken_apart(tf):
    rows = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]]))
    assert list(rows.unbatch().as_numpy_iterator()) == [1, 2, 3]
    assert [pair.numpy().tolist() for pair in rows.unbatch().batch(2)] == [[1, 2], [3]]
    nested = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1, 2], [3]], [[4]]]))
    assert list(nested.unbatch().unbatch().as_numpy_iterator()) == [1, 2, 3, 4]


def test_ragged_elements_without_splits_are_stacked(tf):
    def decoded(*values):
        encoded = [
            tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=[], rt_dense_values=v, batched_input=False) for v in values
        ]
        return tf.raw_ops.RaggedTensorFromVariant(
            encoded_ragged=tf.stack(encoded) if len(encoded) > 1 else encoded[0],
            input_ragged_rank=-1,
            output_ragged_rank=0,
            Tvalues=tf.int32,
            Tsplits=tf.int64,
        ).output_dense_values.numpy()

    assert decoded(7) == 7
    assert decoded(7, 8).tolist() == [7, 8]
    assert decoded([1, 2], [3, 4], [5, 6]).tolist() == [[1, 2], [3, 4], [5, 6]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="All flat_values must have compatible shapes"):
        decoded(7, [8])


def test_lists_of_datasets(tf):
    one, two = tf.data.Dataset.range(3), tf.data.Dataset.range(3, 5)
    rows = tf.data.Dataset.from_tensor_slices([one, two])
    assert rows.element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)) and len(rows) == 2
    assert [[int(x) for x in row] for row in rows] == [[0, 1, 2], [3, 4]]
    assert list(rows.flat_map(lambda d: d).as_numpy_iterator()) == [0, 1, 2, 3, 4]
    assert list(rows.interleave(lambda d: d, cycle_length=2).as_numpy_iterator()) == [0, 3, 1, 4, 2]
    assert rows.batch(2).element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64), [None])
    assert list(rows.batch(2).unbatch().flat_map(lambda d: d).as_numpy_iterator()) == [0, 1, 2, 3, 4]
    whole = tf.data.Dataset.from_tensors({"a": [one, two]})
    assert whole.element_spec == {"a": tf.data.DatasetSpec(tf.TensorSpec([], tf.int64), [2])}
    assert tf.data.Dataset.from_tensors([[one], [two]]).element_spec == tf.data.DatasetSpec(tf.TensorSpec([], tf.int64), [2, 1])
    mixed = tf.data.Dataset.from_tensors([one.batch(3), one.batch(2)])
    assert mixed.element_spec == tf.data.DatasetSpec(tf.TensorSpec([None], tf.int64), [2])

    @tf.function
    def total():
        found = tf.constant(0, tf.int64)
        for row in tf.data.Dataset.from_tensor_slices([one, two]):
            for x in row:
                found += x
        return found

    assert int(total()) == 10
    for odd in ([one, 1], [1, one], [one, tf.data.Dataset.from_tensors("x")]):
        with pytest.raises((TypeError, ValueError)):
            tf.data.Dataset.from_tensors(odd)
