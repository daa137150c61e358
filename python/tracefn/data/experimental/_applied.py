"""`tf.data.experimental`: transformations for `Dataset.apply`."""

from __future__ import annotations

from tracefn import _core
from tracefn.data import _nest
from tracefn.data._base import int64, unary
from tracefn.data._dataset import Dataset
from tracefn.data._readers import parallel_interleave as _parallel_interleave


def assert_cardinality(expected_cardinality):
    """A transformation for `Dataset.apply` that states the number of elements, and checks it in iterations.

    Args:
      expected_cardinality: int64 scalar.

    Raises:
      FailedPreconditionError: in iterations, there are more or fewer elements.

    Example:
      >>> import tracefn as tf
      >>> dataset = tf.data.Dataset.range(4).filter(lambda x: x > 1).apply(tf.data.experimental.assert_cardinality(2))
      >>> len(dataset)
      2
    """
    return lambda dataset: unary(
        "_AssertCardinalityDataset",
        "AssertCardinalityDataset",
        dataset,
        cardinality=int64(expected_cardinality, "expected_cardinality"),
    )


def bucket_by_sequence_length(
    element_length_func,
    bucket_boundaries,
    bucket_batch_sizes,
    padded_shapes=None,
    padding_values=None,
    pad_to_bucket_boundary=False,
    no_padding=False,
    drop_remainder=False,
):
    """`Dataset.bucket_by_sequence_length`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> by_length = tf.data.experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2])
      >>> dataset = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n)).apply(by_length)
      >>> [batch.tolist() for batch in dataset.as_numpy_iterator()]
      [[[1, 0], [2, 2]]]
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def copy_to_device(target_device, source_device="/cpu:0"):
    """A transformation for `Dataset.apply` that does nothing: all devices share one memory.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.data.Dataset.range(2).apply(tf.data.experimental.copy_to_device("/cpu:0"))]
      [0, 1]
    """
    del target_device, source_device
    return lambda dataset: dataset


def prefetch_to_device(device, buffer_size=None):
    """A transformation for `Dataset.apply` that prefetches elements.

    Args:
      device: accepted, without effect.
      buffer_size: as in `Dataset.prefetch`.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.data.Dataset.range(2).apply(tf.data.experimental.prefetch_to_device("/cpu:0"))]
      [0, 1]
    """
    del device
    return lambda dataset: dataset.prefetch(buffer_size)


def dense_to_ragged_batch(batch_size, drop_remainder=False, row_splits_dtype="int64"):
    """`Dataset.ragged_batch`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> dataset = tf.data.Dataset.range(2).map(tf.range).apply(tf.data.experimental.dense_to_ragged_batch(2))
      >>> [batch.to_list() for batch in dataset]
      [[[], [0]]]
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size, row_shape):
    """`Dataset.sparse_batch`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> dataset = tf.data.Dataset.range(2).map(tf.range).apply(tf.data.experimental.dense_to_sparse_batch(2, [3]))
      >>> dataset.element_spec
      SparseTensorSpec(TensorShape([None, 3]), tf.int64)
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def enumerate_dataset(start=0):
    """`Dataset.enumerate`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> [(int(i), int(x)) for i, x in tf.data.Dataset.range(5, 7).apply(tf.data.experimental.enumerate_dataset())]
      [(0, 5), (1, 6)]
    """
    return lambda dataset: dataset.enumerate(start)


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """`Dataset.group_by_window`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> pairs = tf.data.experimental.group_by_window(lambda x: x % 2, lambda key, rows: rows.batch(2), window_size=2)
      >>> [batch.tolist() for batch in tf.data.Dataset.range(4).apply(pairs).as_numpy_iterator()]
      [[0, 2], [1, 3]]
    """
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def ignore_errors(log_warning=False):
    """`Dataset.ignore_errors`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "no"))
      >>> [float(x) for x in dataset.apply(tf.data.experimental.ignore_errors())]
      [1.0]
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """`Dataset.map` and `Dataset.batch`, for `Dataset.apply`.

    Args:
      map_func: as in `Dataset.map`.
      batch_size: as in `Dataset.batch`.
      num_parallel_batches: how many batches are worked on at a time.
      drop_remainder: as in `Dataset.batch`.
      num_parallel_calls: how many elements are worked on at a time; not with `num_parallel_batches`.

    Raises:
      ValueError: both are given.

    Example:
      >>> import tracefn as tf
      >>> doubled = tf.data.experimental.map_and_batch(lambda x: x * 2, 2)
      >>> [batch.tolist() for batch in tf.data.Dataset.range(3).apply(doubled).as_numpy_iterator()]
      [[0, 2], [4]]
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but "
            f"`num_parallel_batches` was set to {num_parallel_batches} and `num_parallel_calls` as set to "
            f"{num_parallel_calls}."
        )
    calls = num_parallel_calls or (num_parallel_batches or 1) * batch_size
    return lambda dataset: dataset.map(map_func, num_parallel_calls=calls).batch(batch_size, drop_remainder)


def pad_to_cardinality(cardinality, mask_key="valid"):
    """A transformation for `Dataset.apply` that adds elements of zeros up to some number, and says which ones are.

    Args:
      cardinality: int, the number of elements.
      mask_key: the key under which elements, which are dicts, get a bool: False for what was added.

    Raises:
      ValueError: elements are no dicts, or there is not a known number of elements, or too many.

    Example:
      >>> import tracefn as tf
      >>> dataset = tf.data.Dataset.from_tensor_slices({"a": [5, 6]}).apply(tf.data.experimental.pad_to_cardinality(3))
      >>> [(int(x["a"]), bool(x["valid"])) for x in dataset]
      [(5, True), (6, True), (0, False)]
    """

    def pad(dataset):
        count = dataset.cardinality()
        if _core.current_graph() is None:
            if int(count) < 0:
                raise ValueError(
                    "The dataset passed into `pad_to_cardinality` must have a known cardinalty, but has "
                    f"cardinality {count}"
                )
            if int(count) > cardinality:
                raise ValueError(
                    "The dataset passed into `pad_to_cardinality` must have a cardinalty less than the target "
                    f"cardinality ({cardinality}), but has cardinality {count}"
                )
        if not isinstance(dataset.element_spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        filler = _nest.map_structure(_zeros, dataset.element_spec)
        filler[mask_key] = False
        fillers = Dataset.from_tensors(filler).repeat(int64(cardinality) - count)
        return dataset.map(lambda x: {**x, mask_key: True}).concatenate(fillers)

    return pad


def _zeros(spec):
    value = "" if spec.dtype.name == "string" else 0
    return _core.raw_op("Fill")(
        dims=_core.convert_to_tensor(spec.shape.as_list(), dtype="int32"),
        value=_core.convert_to_tensor(value, dtype=spec.dtype),
    )


def parallel_interleave(
    map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None
):
    """A transformation for `Dataset.apply`: an older form of `Dataset.interleave`.

    Args:
      map_func, cycle_length, block_length: as in `Dataset.interleave`.
      sloppy: whether the order may depend on time.
      buffer_output_elements: how many elements of each dataset are computed ahead, or None.
      prefetch_input_elements: how many datasets are begun ahead, or None.

    Example:
      >>> import tracefn as tf
      >>> twice = tf.data.experimental.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2)
      >>> [int(x) for x in tf.data.Dataset.range(2).apply(twice)]
      [0, 1, 0, 1]
    """
    return lambda dataset: _parallel_interleave(
        dataset, map_func, cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements
    )


def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    """`Dataset.rejection_resample`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> only_ones = tf.data.experimental.rejection_resample(lambda x: x, [0.0, 1.0], [0.5, 0.5], seed=1)
      >>> {int(kind) for kind, _ in tf.data.Dataset.from_tensor_slices([0, 1]).repeat(50).apply(only_ones)}
      {1}
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def scan(initial_state, scan_func):
    """`Dataset.scan`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> sums = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
      >>> [int(x) for x in tf.data.Dataset.range(4).apply(sums)]
      [0, 1, 3, 6]
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """`Dataset.shuffle` and `Dataset.repeat`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> sorted(int(x) for x in tf.data.Dataset.range(2).apply(tf.data.experimental.shuffle_and_repeat(2, 2)))
      [0, 0, 1, 1]
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def snapshot(path, compression="AUTO", reader_func=None, shard_func=None):
    """`Dataset.snapshot`, for `Dataset.apply`."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def take_while(predicate):
    """`Dataset.take_while`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 2))]
      [0, 1]
    """
    return lambda dataset: dataset.take_while(predicate)


def unbatch():
    """`Dataset.unbatch`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.data.Dataset.range(3).batch(2).apply(tf.data.experimental.unbatch())]
      [0, 1, 2]
    """
    return lambda dataset: dataset.unbatch()


def unique():
    """`Dataset.unique`, for `Dataset.apply`.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 1]).apply(tf.data.experimental.unique())]
      [1, 2]
    """
    return lambda dataset: dataset.unique()
