"""Datasets that begin pipelines: of tensors, ranges, random numbers, files' names; and zips of datasets."""

from __future__ import annotations

from typing import Any

from tracefn import _core
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._base import DatasetBase, emit, int64, is_dataset, made, seed_tensors, string
from tracefn.data._saved import run, to_tensors
from tracefn.dimension import Dimension
from tracefn.dtypes import as_dtype
from tracefn.framework import control_dependencies, name_scope
from tracefn.ops.debugging import assert_
from tracefn.tensor_spec import TensorSpec

_op = _core.raw_op


def tensor_dataset(tensors, name=None):
    """A dataset of one element."""
    with name_scope("normalize_element"):
        element = structure.normalized(tensors)
    spec = structure.spec_of(element)
    variant = emit("TensorDataset", spec, name, components=to_tensors(spec, element))
    return made("_TensorDataset", variant, spec)


def slice_dataset(tensors, is_files: bool = False, name=None):
    """A dataset of the rows of tensors."""
    with name_scope("normalize_element"):
        element = structure.normalized(tensors)
    batched = structure.spec_of(element)
    parts = to_tensors(batched, element, batched=True)
    if not parts:
        raise ValueError("Invalid `element`. `element` should not be empty.")
    spec = structure.unbatched(batched)
    sizes = [Dimension(part.shape[0] if part.shape.rank else None) for part in parts]
    for size in sizes[1:]:
        sizes[0].assert_is_compatible_with(size)
    return made(
        "_TensorSliceDataset", emit("TensorSliceDataset", spec, name, components=parts, is_files=is_files), spec
    )


def range_dataset(*args, name=None, output_type="int64", replicate_on_split=False, **unknown):
    """A dataset of equally spaced integers; arguments of other names have no effect, as in TensorFlow."""
    del unknown
    if not 1 <= len(args) <= 3:
        raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    spec = TensorSpec([], as_dtype(output_type))
    variant = emit(
        "RangeDataset",
        spec,
        name,
        start=int64(start, "start"),
        stop=int64(stop, "stop"),
        step=int64(step, "step"),
        replicate_on_split=replicate_on_split,
    )
    return made("_RangeDataset", variant, spec)


def random_dataset(seed=None, rerandomize_each_iteration=None, name=None):
    """A dataset of random int64 numbers."""
    spec = TensorSpec([], "int64")
    seed1, seed2 = seed_tensors(seed)
    if rerandomize_each_iteration:
        variant = emit(
            "RandomDatasetV2",
            spec,
            name,
            seed=seed1,
            seed2=seed2,
            seed_generator=run("DummySeedGenerator"),
            rerandomize_each_iteration=rerandomize_each_iteration,
        )
    else:
        variant = emit("RandomDataset", spec, name, seed=seed1, seed2=seed2)
    return made("_RandomDataset", variant, spec)


def zip_datasets(datasets, name=None):
    """A dataset of structures of the elements of several datasets."""
    flat = nest.flatten(datasets)
    for dataset in flat:
        if isinstance(dataset, list):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. Python "
                "`list` is not supported and you should use `tuple` instead."
            )
        if not is_dataset(dataset):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects but "
                f"encountered object of type {type(dataset)}."
            )
    spec = nest.pack_sequence_as(datasets, [dataset.element_spec for dataset in flat])
    variant = emit("ZipDataset", spec, name, input_datasets=[dataset._variant_tensor for dataset in flat])
    return made("_ZipDataset", variant, spec, flat)


class Sources(DatasetBase):
    """The methods of `tf.data.Dataset` that begin pipelines, and those that join datasets."""

    @staticmethod
    def from_tensors(tensors, name=None) -> Any:
        """A dataset of one element.

        Args:
          tensors: nest of tensors; lists and arrays become tensors.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> [x.numpy().tolist() for x in tf.data.Dataset.from_tensors([1, 2])]
          [[1, 2]]
        """
        return tensor_dataset(tensors, name)

    @staticmethod
    def from_tensor_slices(tensors, name=None) -> Any:
        """A dataset of the rows of tensors.

        Args:
          tensors: nest of tensors, of ragged and sparse tensors, all with the same first dimension; lists and arrays become
            tensors.
          name: name of the dataset, or None.

        Raises:
          ValueError: there are no tensors, one is a scalar, or first dimensions differ.

        Example:
          >>> import tracefn as tf
          >>> [(int(x["a"]), int(x["b"])) for x in tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3, 4]})]
          [(1, 3), (2, 4)]
        """
        return slice_dataset(tensors, name=name)

    @staticmethod
    def range(*args, **kwargs) -> Any:
        """A dataset of equally spaced integers.

        Args:
          *args: stop; start and stop; or start, stop and step. Scalar ints.
          output_type: the dtype of the elements, int64 by default.
          name: name of the dataset, or None.

        Raises:
          ValueError: there are no or more than 3 arguments.
          InvalidArgumentError: the step is 0.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(1, 6, 2)]
          [1, 3, 5]
        """
        return range_dataset(*args, **kwargs)

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None) -> Any:
        """A dataset of random integers of 32 bits, int64, without end.

        Args:
          seed: int, or None.
          rerandomize_each_iteration: whether each iteration has other numbers.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> a, b = ([int(x) for x in tf.data.Dataset.random(seed=4).take(3)] for _ in range(2))
          >>> a == b
          True
        """
        return random_dataset(seed, rerandomize_each_iteration, name)

    @staticmethod
    def counter(start=0, step=1, dtype="int64", name=None) -> Any:
        """A dataset that counts, without end.

        Args:
          start: the first element.
          step: what is added for each next one.
          dtype: dtype of the elements.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.counter(2, 3).take(3)]
          [2, 5, 8]
        """
        with name_scope("counter"):
            first = _core.convert_to_tensor(start, dtype=dtype, name="start")
            more = _core.convert_to_tensor(step, dtype=dtype, name="step")
            ones: Any = tensor_dataset(0, name).repeat(None)  # type: ignore[attr-defined]
            return ones.scan(first, lambda state, _: (state + more, state))

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None) -> Any:
        """A dataset of the names of the files that match patterns, scalar strings.

        Args:
          file_pattern: string or list of strings with `*`, `?` and `[...]`.
          shuffle: whether they come in random order; None: yes.
          seed: int, or None.
          name: name of the dataset, or None.

        Raises:
          InvalidArgumentError: no file matches.

        Example:
          >>> import tracefn as tf
          >>> [name.decode() for name in tf.data.Dataset.list_files("/dev/nul?").as_numpy_iterator()]
          ['/dev/null']
        """
        with name_scope("list_files"):
            pattern = string(file_pattern, "file_pattern")
            files = _op("MatchingFiles")(pattern=pattern)
            found = _op("Greater")(x=_op("Shape")(input=files)[0], y=0, name="match_not_empty")
            joined = _op("ReduceJoin")(
                inputs=_op("Reshape")(tensor=pattern, shape=[-1]), reduction_indices=[0], separator=", "
            )
            text = _op("StringJoin")(inputs=[string("No files matched pattern: "), joined], name="message")
            check = assert_(found, [text], summarize=1, name="assert_not_empty")
            with control_dependencies([] if check is None else [check]):
                files = _op("Identity")(input=files)
            dataset: Any = slice_dataset(files, is_files=True, name=name)
            if shuffle is False:
                return dataset
            count = _op("Shape")(input=files, out_type="int64")[0]
            return dataset.shuffle(_op("Maximum")(x=count, y=int64(1)), seed=seed, name=name)

    @staticmethod
    def zip(*args, datasets=None, name=None) -> Any:
        """A dataset of tuples, or other structures, of the elements of several datasets. It ends with the shortest.

        Args:
          *args: datasets, or one nest of datasets.
          datasets: nest of datasets; an older form.
          name: name of the dataset, or None.

        Raises:
          TypeError: there are none, or something is no dataset.

        Example:
          >>> import tracefn as tf
          >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(5, 7)
          >>> [(int(x), int(y)) for x, y in tf.data.Dataset.zip(a, b)]
          [(0, 5), (1, 6)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        if args:
            datasets = args[0] if len(args) == 1 else args
        return zip_datasets(datasets, name)

    def concatenate(self, dataset, name=None) -> Any:
        """The elements of this dataset, then those of another one.

        Args:
          dataset: Dataset, whose elements are of the same structure and dtypes.
          name: name of the dataset, or None.

        Raises:
          TypeError: they are not.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7))]
          [0, 1, 5, 6]
        """
        try:
            spec = structure.common_spec(self.element_spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Incompatible dataset elements:\n  {self.element_spec} vs.   {dataset.element_spec}"
            ) from error
        variant = emit(
            "ConcatenateDataset",
            spec,
            name,
            input_dataset=self._variant_tensor,
            another_dataset=dataset._variant_tensor,
        )
        return made("_ConcatenateDataset", variant, spec, [self, dataset])

    def enumerate(self, start=0, name=None) -> Any:
        """Pairs of a number and an element.

        Args:
          start: the first number, int64.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> [(int(i), int(x)) for i, x in tf.data.Dataset.from_tensor_slices([7, 8]).enumerate(start=5)]
          [(5, 7), (6, 8)]
        """
        return zip_datasets((range_dataset(start, 2**63 - 1, name=name, replicate_on_split=True), self), name)


__all__ = ["Sources", "random_dataset", "range_dataset", "slice_dataset", "tensor_dataset", "zip_datasets"]
