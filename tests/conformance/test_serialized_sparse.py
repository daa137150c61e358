"""Sparse tensors as strings, as variants, and in maps of the process."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

ROWS = [[0, 0], [0, 2], [1, 1], [3, 0]]


@pytest.fixture
def batch(tf):
    return tf.SparseTensor(ROWS, [4.0, 1.0, 3.0, 5.0], [4, 3])


def parts_of(sp):
    return {"sparse_indices": sp.indices, "sparse_values": sp.values, "sparse_shape": sp.dense_shape}


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex64", "string", "bfloat16"])
def test_one_by_one(tf, dtype):
    values = ["a", "b"] if dtype == "string" else np.array([1, 0])
    sp = tf.SparseTensor([[1, 0], [0, 3]], tf.cast(values, dtype) if dtype != "string" else values, [2, 5])
    rows = tf.stack([tf.io.serialize_sparse(sp), tf.io.serialize_sparse(sp)])
    assert rows.dtype == tf.string and rows.shape == [2, 3]
    found = tf.io.deserialize_many_sparse(rows, dtype, rank=3)
    assert found.dtype == tf.as_dtype(dtype)
    assert found.dense_shape.numpy().tolist() == [2, 2, 5]
    assert found.indices.numpy().tolist() == [[0, 1, 0], [0, 0, 3], [1, 1, 0], [1, 0, 3]]


def test_a_batch(tf, batch):
    rows = tf.io.serialize_many_sparse(batch)
    assert rows.shape == [4, 3]
    found = tf.io.deserialize_many_sparse(rows, tf.float32)
    np.testing.assert_array_equal(tf.sparse.to_dense(found), tf.sparse.to_dense(batch))


@pytest.mark.parametrize("rank", [None, 2])
def test_traced(tf, batch, rank):
    @tf.function
    def there_and_back(indices, values, shape):
        sp = tf.SparseTensor(indices, values, shape)
        found = tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sp), tf.float32, rank=rank)
        assert found.indices.shape.as_list() == [None, rank]
        return tf.sparse.to_dense(found)

    found = there_and_back(batch.indices, batch.values, batch.dense_shape)
    np.testing.assert_array_equal(found, tf.sparse.to_dense(batch))


def test_the_largest_size_wins(tf):
    rows = tf.stack([tf.io.serialize_sparse(tf.SparseTensor([[0]], [7], [n])) for n in (2, 9, 3)])
    assert tf.io.deserialize_many_sparse(rows, tf.int32).dense_shape.numpy().tolist() == [3, 9]


def test_first_dimensions_of_any_number(tf, batch):
    rows = tf.reshape(tf.io.serialize_many_sparse(batch), [2, 1, 2, 3])
    indices, values, shape = tf.raw_ops.DeserializeSparse(serialized_sparse=rows, dtype=tf.float32)
    assert shape.numpy().tolist() == [2, 1, 2, 3]
    assert indices.numpy().tolist() == [[0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 1, 1], [1, 0, 1, 0]]
    assert values.numpy().tolist() == [4, 1, 3, 5]


def test_one_alone(tf, batch):
    row = tf.io.serialize_sparse(batch)
    assert_same(
        tf.raw_ops.DeserializeSparse(serialized_sparse=row, dtype=tf.float32), [batch.indices, batch.values, batch.dense_shape]
    )


def test_variants(tf, batch):
    rows = tf.io.serialize_many_sparse(batch, out_type=tf.variant)
    assert rows.dtype == tf.variant
    found = tf.raw_ops.DeserializeSparse(serialized_sparse=rows, dtype=tf.float32)
    assert_same(found, [batch.indices, batch.values, batch.dense_shape])


def test_older_names(tf, batch):
    v1 = tf.compat.v1
    assert v1.serialize_sparse(batch, "name", tf.string).numpy().tolist() == tf.io.serialize_sparse(batch).numpy().tolist()
    assert v1.serialize_many_sparse(batch, "name").shape == [4, 3]


@pytest.mark.parametrize(
    "rows, dtype, words",
    [
        ([["a", "b", "c"]], "int32", "Could not parse"),
        ([["a", "b"]], "int32", "3"),
        (["a", "b", "c"], "int32", "Could not parse"),
        (np.zeros([0, 3], "S1"), "int32", "non-zero|at least"),
    ],
)
def test_strings_that_are_none(tf, rows, dtype, words):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        tf.io.deserialize_many_sparse(tf.constant(rows, tf.string), dtype)


def test_another_dtype(tf, batch):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Requested SparseTensor of type int32 but SparseTensor.0.*float"):
        tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(batch), tf.int32)


@pytest.mark.parametrize(
    "indices, shape, words",
    [([[1], [0]], [2], "should be > 1"), ([[1, 0], [0, 0]], [2, 2], "out of order"), ([[2, 0]], [2, 2], "out of bounds")],
)
def test_batches_that_cannot_be_split(tf, indices, shape, words):
    values = tf.ones([len(indices)])
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.io.serialize_many_sparse(tf.SparseTensor(indices, values, shape))


def test_others_than_sparse_tensors(tf):
    with pytest.raises(TypeError):
        tf.io.serialize_sparse(tf.ones([2]))


def test_maps_of_the_process(tf, batch):
    raw, name = tf.raw_ops, {"shared_name": "test_maps"}
    one = raw.AddSparseToTensorsMap(**parts_of(batch), **name)
    many = raw.AddManySparseToTensorsMap(**parts_of(batch), **name)
    assert many.shape == [4] and many.dtype == tf.int64 and one.shape == []
    indices, values, shape = raw.TakeManySparseFromTensorsMap(sparse_handles=many[::-1], dtype=tf.float32, **name)
    assert values.numpy().tolist() == [5, 3, 4, 1]
    assert indices.numpy().tolist() == [[0, 0], [2, 1], [3, 0], [3, 2]]
    assert shape.numpy().tolist() == [4, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find SparseTensor"):
        raw.TakeManySparseFromTensorsMap(sparse_handles=many, dtype=tf.float32, **name)
    with pytest.raises(tf.errors.InvalidArgumentError, match="of type int32"):
        raw.TakeManySparseFromTensorsMap(sparse_handles=tf.reshape(one, [1]), dtype=tf.int32, **name)


@pytest.mark.parametrize("traced", [False, True])
def test_rows_of_a_sparse_tensor_are_mapped(tf, batch, traced):
    def run():
        sums = tf.map_fn(tf.sparse.reduce_sum, batch, fn_output_signature=tf.float32)
        twice = tf.map_fn(lambda sp: tf.SparseTensor(sp.indices, sp.values * 2, sp.dense_shape), batch)
        wider = tf.map_fn(
            lambda x: tf.SparseTensor([[0, 1]], [x], [1, 2]), tf.constant([1, 2]),
            fn_output_signature=tf.SparseTensorSpec([1, 2], tf.int32),
        )  # fmt: skip
        return sums, tf.sparse.to_dense(twice), tf.sparse.to_dense(wider)

    sums, twice, wider = tf.function(run)() if traced else run()
    assert sums.numpy().tolist() == [5, 3, 0, 5]
    np.testing.assert_array_equal(twice, 2 * tf.sparse.to_dense(batch))
    assert wider.numpy().tolist() == [[[0, 1]], [[0, 2]]]


def test_rows_of_a_sparse_tensor_beside_others(tf, batch):
    found = tf.map_fn(
        lambda row: tf.sparse.reduce_sum(row[0]) * row[1], (batch, tf.range(4.0)), fn_output_signature=tf.float32
    )
    assert found.numpy().tolist() == [0, 3, 0, 15]


def test_rows_that_are_scalars_are_not_mapped(tf):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.map_fn(lambda x: x, tf.SparseTensor([[0]], [1], [2]), fn_output_signature=tf.int32)
