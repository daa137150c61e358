"""Datasets in files: save, load, snapshot."""

from __future__ import annotations

import os
import time
from typing import Any

from tracefn import _core
from tracefn.data import _file_elements as file_elements
from tracefn.data._base import AUTOTUNE, DatasetBase, DatasetSpec, emit, made, string, unary
from tracefn.data._functions import ElementFunction, returns_scalar
from tracefn.framework import executing_eagerly

_SECONDS_BETWEEN_TRIES = 5


def _in_turn(datasets):
    """The default order of reading: the files of several threads in turn."""
    return datasets.interleave(lambda x: x, cycle_length=os.cpu_count() or 1, num_parallel_calls=AUTOTUNE)


def _reader(reader_func, element_spec, what: str):
    return ElementFunction(
        _in_turn if reader_func is None else reader_func, what, DatasetSpec(DatasetSpec(element_spec))
    )


class Storing(DatasetBase):
    """The methods of `tf.data.Dataset` that keep elements in files."""

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None):
        """Writes the elements to files, which `load` reads.

        Args:
          path: str, the folder.
          compression: "GZIP", or None for none. The files are not those of TensorFlow.
          shard_func: callable that takes an element and returns the number of the file for it, int64; None: one file.
          checkpoint_args: dict of arguments of `tf.train.CheckpointManager`, without `checkpoint`, or None: none. With
            them, checkpoints are made while elements are written, and a program that was stopped goes on from the
            latest one when it saves the same dataset again. Ignored in a graph.

        Returns:
          None; in a graph, the operation.

        Raises:
          ValueError: `checkpoint_args` has `checkpoint`, or what the manager refuses.
          UnimplementedError: there are to be checkpoints, and the dataset has no position that can be saved: it is made by a
            generator, or cached in a file.
          FailedPreconditionError: there are to be checkpoints, and a function of the dataset has a state.

        Example:
          >>> import tempfile
          >>> import tracefn as tf
          >>> with tempfile.TemporaryDirectory() as folder:
          ...     tf.data.Dataset.range(2).save(folder)
          ...     [int(x) for x in tf.data.Dataset.load(folder)]
          [0, 1]
        """
        if checkpoint_args and "checkpoint" in checkpoint_args:
            raise ValueError("Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'.")
        path = os.fspath(path)
        function = (lambda *_: _core.convert_to_tensor(0, dtype="int64")) if shard_func is None else shard_func
        held, function = _as_in_files(self, function)
        traced = ElementFunction(function, "save()", held.element_spec)
        from tracefn.data import _folders as folders  # start-up time: few programs save datasets

        folders.save_spec(path, self.element_spec)
        arguments: dict[str, Any] = {
            "path": string(path, "path"),
            "shard_func_other_args": traced.captured,
            "compression": compression or "",
            "shard_func": traced.graph_function,
            "use_shard_func": shard_func is not None,
        }
        if checkpoint_args and executing_eagerly():
            folders.read_with_checkpoints(unary("_SaveDataset", "SaveDatasetV2", held, **arguments), checkpoint_args)
            return None
        return _core.raw_op("SaveDataset")(input_dataset=held._variant_tensor, **arguments)

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False) -> Any:
        """The dataset that `save` wrote.

        Args:
          path: str, the folder.
          element_spec: nest of specs of the elements; None: as saved.
          compression: as it was saved.
          reader_func: callable that takes a Dataset of Datasets, one for each file, and returns the Dataset to read.
          wait: whether to wait until the folder is there.

        Raises:
          NotFoundError: there is no saved dataset.

        Example:
          >>> import tempfile
          >>> import tracefn as tf
          >>> with tempfile.TemporaryDirectory() as folder:
          ...     tf.data.Dataset.from_tensor_slices([1.5, 2.5]).save(folder)
          ...     [float(x) for x in tf.data.Dataset.load(folder)]
          [1.5, 2.5]
        """
        from tracefn.data import _folders as folders  # start-up time: few programs load datasets

        path = os.fspath(path)
        while wait and not folders.has_spec(path):
            time.sleep(_SECONDS_BETWEEN_TRIES)
        spec = folders.saved_spec(path) if element_spec is None else element_spec
        if not file_elements.is_plain(spec):
            parts = file_elements.tensor_specs(spec)
            function = _reader_of_files(reader_func, spec)
            return file_elements.from_tensors(Storing.load(path, parts, compression, function), spec, "_LoadDataset")
        reader = _reader(reader_func, spec, "load()")
        variant = emit(
            "LoadDataset",
            spec,
            path=string(path),
            reader_func_other_args=reader.captured,
            compression=compression or "",
            reader_func=reader.graph_function,
        )
        return made("_LoadDataset", variant, spec)

    def snapshot(self, path, compression="AUTO", reader_func=None, shard_func=None, name=None) -> Any:
        """The elements, kept in files by the first complete iteration, which later ones and other programs read.

        Each way of making a dataset has files of its own below the folder; see `fingerprint`.

        Args:
          path: str, the folder.
          compression: "GZIP"; None, "AUTO" and "SNAPPY": none. The files are not those of TensorFlow.
          reader_func: callable that takes a Dataset of Datasets, one for each file, and returns the Dataset to read; None: their
            elements in turn.
          shard_func: callable that takes an element and returns the number of the file for it, int64; None: one after the other.
          name: name of the dataset, or None.

        Raises:
          TypeError: `shard_func` returns something else.

        Example:
          >>> import tempfile
          >>> import tracefn as tf
          >>> with tempfile.TemporaryDirectory() as folder:
          ...     dataset = tf.data.Dataset.range(3).snapshot(folder)
          ...     [int(x) for x in dataset], [int(x) for x in dataset]
          ([0, 1, 2], [0, 1, 2])
        """
        if shard_func is not None:
            return _snapshot(self, path, compression, reader_func, shard_func, name)
        files = os.cpu_count() or 1
        this: Any = self
        numbered = this.enumerate(name=name)
        stored = _snapshot(numbered, path, compression, reader_func, lambda number, _: number % files, name)
        return stored.map(lambda _, element: element, name=name)


def _as_in_files(dataset, shard_func):
    """(a dataset, a function of its elements) with elements that files can hold."""
    spec = dataset.element_spec
    if file_elements.is_plain(spec):
        return dataset, shard_func

    def of_tensors(*tensors):
        element = file_elements.packed(spec, tensors)
        return shard_func(*element) if isinstance(element, tuple) else shard_func(element)

    return file_elements.as_tensors(dataset), of_tensors


def _reader_of_files(reader_func, spec):
    """A reader of datasets whose elements are as files hold them; None if none is given."""
    if reader_func is None:
        return None
    return lambda datasets: file_elements.as_tensors(
        reader_func(datasets.map(lambda dataset: file_elements.from_tensors(dataset, spec, "_MapDataset")))
    )


def _snapshot(dataset, path, compression, reader_func, shard_func, name):
    spec = dataset.element_spec
    if not file_elements.is_plain(spec):
        held, function = _as_in_files(dataset, shard_func)
        found = _snapshot(held, path, compression, _reader_of_files(reader_func, spec), function, name)
        return file_elements.from_tensors(found, spec, "_SnapshotDataset")
    reader = _reader(reader_func, dataset.element_spec, "Dataset.snapshot().reader_func()")
    shard = ElementFunction(shard_func, "Dataset.snapshot().shard_func()", dataset.element_spec)
    if not returns_scalar(shard, "int32", "int64"):
        raise TypeError(
            "Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but its return type is "
            f"{shard.output_structure}."
        )
    return unary(
        "_SnapshotDataset",
        "SnapshotDatasetV2",
        dataset,
        name=name,
        path=string(path, "path"),
        compression=compression or "",
        reader_func_other_args=reader.captured,
        shard_func_other_args=shard.captured,
        reader_func=reader.graph_function,
        shard_func=shard.graph_function,
    )
