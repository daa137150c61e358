"""Transformations that choose, order and keep elements: take, skip, shard, repeat, shuffle, unique, cache, prefetch."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn.data import _file_elements as file_elements
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._base import AUTOTUNE, DatasetBase, int64, is_dataset, seed_tensors, string, unary
from tracefn.data._debug import debug_mode_is_on
from tracefn.data._saved import run
from tracefn.framework import executing_eagerly, inside_function

_UNIQUE = ("int32", "int64", "string")


def _in_one_program() -> bool:
    """Whether the dataset is used in this program, eagerly or in a function, rather than stored in a tf.Graph."""
    return executing_eagerly() or inside_function()


class Selecting(DatasetBase):
    """The methods of `tf.data.Dataset` that choose, order and keep elements."""

    def repeat(self, count=None, name=None) -> Any:
        """The elements several times.

        Args:
          count: how often; None or -1: without end.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
          [0, 1, 0, 1]
        """
        return unary(
            "_RepeatDataset", "RepeatDataset", self, name=name, count=int64(-1 if count is None else count, "count")
        )

    def take(self, count, name=None) -> Any:
        """The first elements.

        Args:
          count: how many; -1: all.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(9).take(2)]
          [0, 1]
        """
        return unary("_TakeDataset", "TakeDataset", self, name=name, count=int64(count, "count"))

    def skip(self, count, name=None) -> Any:
        """All but the first elements.

        Args:
          count: how many are left out; -1: all.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(4).skip(2)]
          [2, 3]
        """
        return unary("_SkipDataset", "SkipDataset", self, name=name, count=int64(count, "count"))

    def shard(self, num_shards, index, name=None) -> Any:
        """Every `num_shards`-th element.

        Args:
          num_shards: scalar int64.
          index: the place of the first one, int64.
          name: name of the dataset, or None.

        Raises:
          InvalidArgumentError: `index` is not less than `num_shards`.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(6).shard(3, 1)]
          [1, 4]
        """
        return unary(
            "_ShardDataset",
            "ShardDataset",
            self,
            name=name,
            num_shards=int64(num_shards, "num_shards"),
            index=int64(index, "index"),
        )

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None) -> Any:
        """The elements in random order: each is drawn from a buffer, which the next element refills.

        Args:
          buffer_size: the size of the buffer; that of the dataset for a uniform order.
          seed: int, or None.
          reshuffle_each_iteration: whether each iteration has another order.
          name: name of the dataset, or None.

        Raises:
          InvalidArgumentError: `buffer_size` is not positive.
          TypeError: `seed` is not an int, or `reshuffle_each_iteration` not a bool.

        Example:
          >>> import tracefn as tf
          >>> sorted(int(x) for x in tf.data.Dataset.range(4).shuffle(4))
          [0, 1, 2, 3]
        """
        seed1, seed2 = seed_tensors(seed)
        again = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        common = {
            "buffer_size": int64(buffer_size, "buffer_size"),
            "seed": seed1,
            "seed2": seed2,
            "reshuffle_each_iteration": again,
        }
        if _in_one_program():
            return unary(
                "_ShuffleDataset",
                "ShuffleDatasetV3",
                self,
                name=name,
                seed_generator=run("DummySeedGenerator"),
                **common,
            )
        return unary("_ShuffleDataset", "ShuffleDataset", self, name=name, **common)

    def unique(self, name=None) -> Any:
        """The elements without those that came before.

        Args:
          name: name of the dataset, or None.

        Raises:
          TypeError: elements are not of dtype int32, int64 or string.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique()]
          [1, 37, 2]
        """
        for dtype in nest.flatten(structure.dtypes_of(self.element_spec)):
            if getattr(dtype, "name", None) not in _UNIQUE:
                raise TypeError(
                    f"`tf.data.Dataset.unique` does not support type {dtype} -- only `tf.int32`, `tf.int64`, and "
                    "`tf.string` are supported."
                )
        return unary("_UniqueDataset", "UniqueDataset", self, name=name)

    def cache(self, filename="", name=None) -> Any:
        """The elements, kept after the first iteration, so that further ones do not compute them again.

        Args:
          filename: the file that keeps them; "": memory.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.range(2).map(lambda x: x * x).cache()
          >>> [int(x) for x in dataset], [int(x) for x in dataset]
          ([0, 1], [0, 1])
        """
        is_file = isinstance(filename, _core.Tensor) or bool(filename)
        if is_file and not file_elements.is_plain(self.element_spec):
            held: Any = file_elements.as_tensors(self)
            return file_elements.from_tensors(held.cache(filename, name), self.element_spec, "CacheDataset")
        path = string(filename, "filename")
        if _in_one_program():
            return unary(
                "CacheDataset", "CacheDatasetV2", self, name=name, filename=path, cache=run("DummyMemoryCache")
            )
        return unary("CacheDataset", "CacheDataset", self, name=name, filename=path)

    def prefetch(self, buffer_size, name=None) -> Any:
        """The elements, computed by a thread before they are asked for.

        Args:
          buffer_size: how many elements it works ahead; `tf.data.AUTOTUNE` or None: as many as help.
          name: name of the dataset, or None.

        Raises:
          InvalidArgumentError: `buffer_size` is less than -1.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(2)]
          [0, 1, 2]
        """
        if debug_mode_is_on():
            return self
        size = AUTOTUNE if buffer_size is None else buffer_size
        return unary(
            "_PrefetchDataset",
            "PrefetchDataset",
            self,
            name=name,
            buffer_size=int64(size, "buffer_size"),
            legacy_autotune=isinstance(size, int) and size == AUTOTUNE,
        )

    def ignore_errors(self, log_warning=False, name=None) -> Any:
        """The elements without those whose computation fails.

        Args:
          log_warning: whether failures are logged.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0])
          >>> dataset = dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "no"))
          >>> [float(x) for x in dataset.ignore_errors()]
          [1.0, 0.25]
        """
        return unary("_IgnoreErrorsDataset", "IgnoreErrorsDataset", self, name=name, log_warning=log_warning)

    def apply(self, transformation_func) -> Any:
        """The dataset that a function returns for this one.

        Args:
          transformation_func: callable that takes a Dataset and returns one.

        Raises:
          TypeError: it returns something else.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(9).apply(lambda d: d.filter(lambda x: x < 2))]
          [0, 1]
        """
        dataset = transformation_func(self)
        if not is_dataset(dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}.")
        return dataset
