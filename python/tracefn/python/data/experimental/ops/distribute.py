"""`tensorflow.python.data.experimental.ops.distribute`: the sizes of batches and of their parts."""

from __future__ import annotations

from tracefn import _core
from tracefn._static_value import known_value
from tracefn.data import _nest as nest

__all__ = ["SHARD_HINT", "batch_sizes_for_worker", "compute_batch_size"]

SHARD_HINT = -1


def compute_batch_size(dataset):
    """The size of the batches that a dataset has: an int64 scalar, -1 if neither its types nor its transformations say it.

    Args:
      dataset: `tf.data.Dataset`.
    """
    shapes = [spec.shape for spec in nest.flatten(dataset.element_spec) if hasattr(spec, "shape")]
    sizes = {None if not shape.rank else shape[0] for shape in shapes}
    size = sizes.pop() if len(sizes) == 1 else None
    if size is None:
        size = _size_of_batches(dataset)
    return _core.convert_to_tensor(-1 if size is None else size, dtype="int64")


# Datasets with the elements of others.
_SAME_ELEMENTS = frozenset(
    {"_TakeDataset", "_SkipDataset", "_RepeatDataset", "_ShuffleDataset", "_PrefetchDataset", "CacheDataset",
     "_FilterDataset", "_ShardDataset", "_OptionsDataset", "_AssertCardinalityDataset"}
)  # fmt: skip
_ALL_INPUTS = frozenset({"_ZipDataset", "_ConcatenateDataset"})


def _size_of_batches(dataset) -> int | None:
    while type(dataset).__name__ in _SAME_ELEMENTS:
        (dataset,) = dataset._inputs()
    if type(dataset).__name__ in _ALL_INPUTS:
        sizes = {_size_of_batches(part) for part in dataset._inputs()}
        return sizes.pop() if len(sizes) == 1 else None
    size = getattr(dataset, "_batch_size", None)
    return None if size is None else known_value(size)


def batch_sizes_for_worker(global_batch_size, num_workers: int, num_replicas_per_worker: int, worker_index: int):
    """The sizes of the parts of a batch: first those of one worker's replicas, then those of the others.

    Args:
      global_batch_size: int.
      num_workers, num_replicas_per_worker: int.
      worker_index: int, the worker whose parts come first.

    Returns:
      int64 vector; its sum is the batch size.
    """
    count = num_workers * num_replicas_per_worker
    size = int(global_batch_size)
    parts = [size // count + (i < size % count) for i in range(count)]
    offset = worker_index * num_replicas_per_worker
    return _core.convert_to_tensor(parts[offset:] + parts[:offset], dtype="int64")
