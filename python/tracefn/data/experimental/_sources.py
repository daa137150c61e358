"""`tf.data.experimental`: datasets, and what writes them."""

from __future__ import annotations

from tracefn import _core
from tracefn.data import _structure
from tracefn.data._base import MadeDataset, emit, is_dataset, kind_class, made, string
from tracefn.data._dataset import Dataset


def Counter(start=0, step=1, dtype="int64"):
    """`tf.data.Dataset.counter`.

    Example:
      >>> import tracefn as tf
      >>> [int(x) for x in tf.data.experimental.Counter(5, -1).take(2)]
      [5, 4]
    """
    return Dataset.counter(start, step, dtype)


@kind_class
class RandomDatasetV2(MadeDataset, Dataset):
    """`tf.data.Dataset.random`.

    Example:
      >>> import tracefn as tf
      >>> tf.data.experimental.RandomDataset(seed=1).element_spec
      TensorSpec(shape=(), dtype=tf.int64, name=None)
    """

    def __init__(self, seed=None, rerandomize_each_iteration=None, name=None):
        dataset = Dataset.random(seed, rerandomize_each_iteration, name)
        self._set(dataset._variant_tensor, dataset.element_spec, [])


RandomDataset = RandomDatasetV2


def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=False):
    """`tf.data.Dataset.choose_from_datasets`, with another default.

    Example:
      >>> import tracefn as tf
      >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 7)
      >>> choice = tf.data.Dataset.from_tensor_slices(tf.constant([1, 0, 1], tf.int64))
      >>> [int(x) for x in tf.data.experimental.choose_from_datasets([a, b], choice)]
      [5, 0, 6]
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def from_list(elements, name=None):
    """A dataset of the elements of a list.

    Args:
      elements: list or tuple of nests of tensors, alike.
      name: name of the dataset, or None.

    Raises:
      ValueError: there are no elements.

    Example:
      >>> import tracefn as tf
      >>> [(int(i), word.numpy()) for i, word in tf.data.experimental.from_list([(1, "a"), (2, "b")])]
      [(1, b'a'), (2, b'b')]
    """
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    values = [_structure.normalized(element) for element in elements]
    specs = [_structure.spec_of(value) for value in values]
    common = specs[0]
    for i, spec in enumerate(specs[1:], 1):
        try:
            common = _structure.common_spec(common, spec)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "Invalid `elements`. Elements must have compatible structures, but element 0 has type spec "
                f"{specs[0]} and element {i} has type spec {spec}."
            ) from error
    tensors = [
        tensor for spec, value in zip(specs, values, strict=True) for tensor in _structure.to_tensors(spec, value)
    ]
    return made("_ListDataset", emit("ListDataset", common, name, tensors=tensors), common)


def from_variant(variant, structure):
    """The dataset of a variant tensor.

    Args:
      variant: what `to_variant` returned.
      structure: nest of specs of its elements.

    Example:
      >>> import tracefn as tf
      >>> dataset = tf.data.Dataset.range(2)
      >>> again = tf.data.experimental.from_variant(tf.data.experimental.to_variant(dataset), dataset.element_spec)
      >>> [int(x) for x in again]
      [0, 1]
    """
    return made("_VariantDataset", variant, structure)


def to_variant(dataset):
    """The variant tensor of a dataset.

    Example:
      >>> import tracefn as tf
      >>> tf.data.experimental.to_variant(tf.data.Dataset.range(2)).dtype
      tf.variant
    """
    return dataset._variant_tensor


def load(path, element_spec=None, compression=None, reader_func=None):
    """`tf.data.Dataset.load`."""
    return Dataset.load(path, element_spec, compression, reader_func)


def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False):
    """`tf.data.Dataset.sample_from_datasets`.

    Example:
      >>> import tracefn as tf
      >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 7)
      >>> sorted(int(x) for x in tf.data.experimental.sample_from_datasets([a, b]))
      [0, 1, 5, 6]
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def save(dataset, path, compression=None, shard_func=None, checkpoint_args=None):
    """`dataset.save(path, ...)`.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     tf.data.experimental.save(tf.data.Dataset.range(2), folder)
      ...     [int(x) for x in tf.data.experimental.load(folder)]
      [0, 1]
    """
    return dataset.save(path, compression, shard_func, checkpoint_args)


class TFRecordWriter:
    """Writes the elements of a dataset, string scalars, to a file of records.

    Args:
      filename: str.
      compression_type: "GZIP", "ZLIB", or "" or None for none.

    Example:
      >>> import tracefn as tf
      >>> tf.data.experimental.TFRecordWriter("/tmp/tracefn_w.tfrecords").write(tf.data.Dataset.from_tensors("a"))
      >>> list(tf.data.TFRecordDataset("/tmp/tracefn_w.tfrecords").as_numpy_iterator())
      [b'a']
    """

    def __init__(self, filename, compression_type=None):
        self._filename = string(filename, "filename")
        self._compression_type = string(compression_type or "", "compression_type")

    def write(self, dataset):
        """Writes all elements of a dataset.

        Raises:
          TypeError: `dataset` is no dataset, or its elements are no string scalars.
        """
        if not is_dataset(dataset):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        if not _structure.are_compatible(dataset.element_spec, _structure.TensorSpec([], "string")):
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, but got a "
                f"dataset which produces elements of spec {dataset.element_spec}."
            )
        return _core.raw_op("DatasetToTFRecord")(
            input_dataset=dataset._variant_tensor, filename=self._filename, compression_type=self._compression_type
        )
