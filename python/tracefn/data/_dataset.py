"""`tf.data.Dataset`."""

from __future__ import annotations

import collections.abc
from typing import Any

from tracefn import _core
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._base import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, emit, root_class, unary
from tracefn.data._batching import Batching
from tracefn.data._generator import Generating
from tracefn.data._grouping import Grouping
from tracefn.data._iterator import NumpyIterator, OwnedIterator
from tracefn.data._mapping import Mapping
from tracefn.data._options import Options
from tracefn.data._sampling import Sampling
from tracefn.data._selecting import Selecting
from tracefn.data._sources import Sources
from tracefn.data._storing import Storing
from tracefn.framework import control_dependencies, executing_eagerly, inside_function

_NUMPY_SPECS = ("TensorSpec", "RaggedTensorSpec", "SparseTensorSpec", "NoneTensorSpec")


@root_class
class Dataset(Sources, Mapping, Selecting, Batching, Grouping, Sampling, Generating, Storing, collections.abc.Iterable):
    """A pipeline of elements, which are nests of tensors. Methods add transformations; iterators run it.

    Datasets are values of traced functions: arguments, captures and results; `for element in dataset` is a loop in the graph.

    Example:
      >>> import tracefn as tf
      >>> dataset = tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0).map(lambda x: x * x).batch(2)
      >>> for batch in dataset:
      ...     print(batch.numpy())
      [0 4]
      [16]
    """

    def __iter__(self):
        if executing_eagerly() or inside_function():
            return OwnedIterator(self)
        raise RuntimeError(
            "`tf.data.Dataset` only supports Python-style iteration in eager mode or within tf.function."
        )

    def __bool__(self):
        return True

    def __len__(self):
        if not executing_eagerly():
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` instead."
            )
        length = int(self.cardinality())
        if length == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if length == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return length

    def __repr__(self):
        return f"<{type(self).__name__} element_spec={self.element_spec}>"

    def __debug_string__(self):
        """The datasets of the pipeline, one a line, those that others are made of below and further right."""
        lines, pending = [], [(self, 0)]
        while pending:
            dataset, depth = pending.pop()
            lines.append("--" * depth + repr(dataset))
            pending.extend((inner, depth + 1) for inner in dataset._inputs())
        return "\n".join(lines)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements as NumPy arrays.

        Raises:
          RuntimeError: a graph is being built.
          TypeError: elements have parts that are no tensors, such as datasets.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(3)]
          [0, 1, 2]
        """
        if not executing_eagerly():
            raise RuntimeError("`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode.")
        for spec in nest.flatten(self.element_spec):
            if type(spec).__name__ not in _NUMPY_SPECS:
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of "
                    f"type {spec.value_type}"
                )
        return NumpyIterator(self)

    def cardinality(self) -> Any:
        """The number of elements, an int64 scalar: `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY` if there is
        none.

        Example:
          >>> import tracefn as tf
          >>> int(tf.data.Dataset.range(42).batch(5).cardinality())
          9
        """
        return _core.raw_op("DatasetCardinality")(input_dataset=self._variant_tensor)

    def fingerprint(self) -> Any:
        """A number, uint64, that is the same for datasets that are made in the same way, and so have the same elements.

        It is not TensorFlow's number.

        Example:
          >>> import tracefn as tf
          >>> one, other = tf.data.Dataset.range(3), tf.data.Dataset.range(3)
          >>> bool(one.fingerprint() == other.fingerprint()), bool(one.fingerprint() == other.batch(2).fingerprint())
          (True, False)
        """
        return _core.raw_op("DatasetFingerprint")(input_dataset=self._variant_tensor)

    def get_single_element(self, name=None) -> Any:
        """The only element.

        Args:
          name: name of the op, or None.

        Raises:
          InvalidArgumentError: there are none or several.

        Example:
          >>> import tracefn as tf
          >>> tf.data.Dataset.range(3).batch(3).get_single_element().numpy().tolist()
          [0, 1, 2]
        """
        found = emit("DatasetToSingleElement", self.element_spec, name, dataset=self._variant_tensor)
        return structure.from_tensors(self.element_spec, found)

    def options(self) -> Options:
        """The options of the dataset, and of those that it is made of. They cannot be changed.

        Example:
          >>> import tracefn as tf
          >>> tf.data.Dataset.range(3).options().deterministic is None
          True
        """
        if not executing_eagerly():
            return self._own_options
        options = Options()
        options._read(_core.raw_op("GetOptions")(input_dataset=self._variant_tensor).numpy())
        options = options.merge(self._own_options)
        options._set_mutable(False)
        return options

    def with_options(self, options, name=None) -> Any:
        """The dataset with options.

        Args:
          options: `tf.data.Options`; those that are set take precedence over options of the dataset.
          name: name of the dataset, or None.

        Example:
          >>> import tracefn as tf
          >>> options = tf.data.Options()
          >>> options.deterministic = False
          >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
          False
        """
        return unary(
            "_OptionsDataset",
            "OptionsDataset",
            self,
            name=name,
            options=options,
            serialized_options=options._serialized(),
        )

    # What converted code calls for builtins.

    def _known_length(self):
        """len(dataset) in a graph."""
        length = self.cardinality()
        known = _core.raw_op("GreaterEqual")(x=length, y=_core.convert_to_tensor(0, dtype="int64"))
        text = _core.raw_op("StringJoin")(
            inputs=[
                _core.convert_to_tensor("len requires dataset with definitive cardinality, got "),
                _core.raw_op("AsString")(input=length),
            ]
        )
        with control_dependencies([_core.raw_op("Assert")(condition=known, data=[text])]):
            return _core.raw_op("Identity")(input=length)

    def _any(self, builtin: str, wanted: bool):
        """any(dataset), or all(dataset) if what is wanted is False."""
        specs = nest.flatten(self.element_spec)
        if len(specs) != 1 or getattr(specs[0], "dtype", None) is None or specs[0].dtype.name != "bool":
            raise ValueError(
                f'in graph mode, the "{builtin}" builtin only supports datasets that return bool scalars; got: '
                f"{self.element_spec}"
            )
        found = self.filter(lambda x: x if wanted else _core.raw_op("LogicalNot")(x=x)).take(1)
        return found.reduce(_core.convert_to_tensor(not wanted), lambda _, x: x)


# As in TensorFlow; errors about classes show it.
Dataset.__name__ = "DatasetV2"
