"""`tf.data.experimental`: what datasets and iterators are asked for."""

from __future__ import annotations

from tracefn.data import _structure as structure
from tracefn.data._base import DatasetBase, emit, int64


def at(dataset, index):
    """The element with an index.

    Args:
      dataset: Dataset.
      index: int64 scalar.

    Raises:
      OutOfRangeError: there is none.
      UnimplementedError: its elements cannot be read by their numbers: it is no range, slices, list, or batch, map and the
        like of such. Those of `dataset.cache()` always can.
      FailedPreconditionError: nobody knows how many there are.

    Example:
      >>> import tracefn as tf
      >>> int(tf.data.experimental.at(tf.data.Dataset.range(5), 3))
      3
    """
    spec = dataset.element_spec
    found = emit("GetElementAtIndex", spec, dataset=dataset._variant_tensor, index=int64(index))
    return structure.from_tensors(spec, found)


def cardinality(dataset):
    """`dataset.cardinality()`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.data.experimental.cardinality(tf.data.Dataset.range(3)))
      3
    """
    return dataset.cardinality()


def get_next_as_optional(iterator):
    """`iterator.get_next_as_optional()`.

    Example:
      >>> import tracefn as tf
      >>> bool(tf.data.experimental.get_next_as_optional(iter(tf.data.Dataset.range(0))).has_value())
      False
    """
    return iterator.get_next_as_optional()


def get_single_element(dataset):
    """`dataset.get_single_element()`.

    Example:
      >>> import tracefn as tf
      >>> int(tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors(3)))
      3
    """
    if not isinstance(dataset, DatasetBase):
        raise TypeError(f"Invalid `dataset`. Expected a `tf.data.Dataset` object but got {type(dataset)}.")
    return dataset.get_single_element()


def get_structure(dataset_or_iterator):
    """`element_spec` of a dataset or iterator.

    Raises:
      TypeError: it is neither.

    Example:
      >>> import tracefn as tf
      >>> tf.data.experimental.get_structure(tf.data.Dataset.range(2))
      TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
        ) from None
