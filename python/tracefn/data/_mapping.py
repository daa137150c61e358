"""Transformations by functions of elements: map, flat_map, interleave, filter, take_while, scan, reduce."""

from __future__ import annotations

import warnings
from typing import Any

from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._base import AUTOTUNE, DatasetBase, DatasetSpec, emit, int64, unary
from tracefn.data._debug import debug_mode_is_on
from tracefn.data._functions import ElementFunction, returns_scalar
from tracefn.data._saved import to_tensors
from tracefn.framework import name_scope
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec


def determinism(deterministic) -> str:
    """The attribute `deterministic` of ops for the argument of this name, of which any value but None is true or false."""
    return "default" if deterministic is None else "true" if deterministic else "false"


def is_sequential(num_parallel_calls, deterministic) -> bool:
    """Whether a transformation is not a parallel one; warns if `deterministic` has no effect then."""
    if num_parallel_calls is not None and not debug_mode_is_on():
        return False
    if deterministic is not None and not debug_mode_is_on():
        warnings.warn(
            "The `deterministic` argument has no effect unless the `num_parallel_calls` argument is specified.",
            stacklevel=3,
        )
    return True


def map_dataset(
    dataset, function, use_inter_op_parallelism=True, force_synchronous=False, name=None, preserve_cardinality=True
):
    """The results of a function for the elements, one after the other."""
    traced = ElementFunction(function, "Dataset.map()", dataset.element_spec)
    return unary(
        "_MapDataset",
        "MapDataset",
        dataset,
        traced.output_structure,
        name,
        other_arguments=traced.captured,
        f=traced.graph_function,
        use_inter_op_parallelism=use_inter_op_parallelism,
        preserve_cardinality=preserve_cardinality,
        force_synchronous=force_synchronous,
    )


def mapped(
    dataset,
    function,
    num_parallel_calls,
    deterministic,
    synchronous,
    use_unbounded_threadpool,
    name,
    preserve_cardinality=True,
):
    """`Dataset.map`.

    Args:
      preserve_cardinality: whether an OutOfRangeError in the function is an error, and not the end of the dataset.
    """
    if is_sequential(num_parallel_calls, deterministic):
        return map_dataset(dataset, function, True, bool(synchronous), name, preserve_cardinality)
    if synchronous:
        raise ValueError(
            "`synchronous` is not supported with `num_parallel_calls`, but `num_parallel_calls` was set to ",
            num_parallel_calls,
        )
    traced = ElementFunction(function, "Dataset.map()", dataset.element_spec)
    return unary(
        "_ParallelMapDataset",
        "ParallelMapDatasetV2",
        dataset,
        traced.output_structure,
        name,
        other_arguments=traced.captured,
        f=traced.graph_function,
        num_parallel_calls=int64(num_parallel_calls, "num_parallel_calls"),
        deterministic=determinism(deterministic),
        preserve_cardinality=preserve_cardinality,
        use_unbounded_threadpool=bool(use_unbounded_threadpool),
    )


def dataset_function(dataset, function, transformation: str):
    """(a traced function that returns a dataset, the spec of that dataset's elements)."""
    traced = ElementFunction(function, transformation, dataset.element_spec)
    spec = traced.output_structure
    if not isinstance(spec, DatasetSpec):
        kind = getattr(spec, "value_type", type(spec))
        raise TypeError(f"The `map_func` argument must return a `Dataset` object. Got {kind!r}.")
    return traced, spec.element_spec


_BEFORE_TYPE = {"filter": ", but its return type is ", "take_while": " but its return type is"}  # TensorFlow's words


def _by_predicate(kind: str, dataset, predicate, transformation: str, name):
    """A dataset that a function decides on, which returns a bool scalar."""
    traced = ElementFunction(predicate, f"Dataset.{transformation}()", dataset.element_spec)
    if not returns_scalar(traced, "bool"):
        raise ValueError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor{_BEFORE_TYPE[transformation]}"
            f"{traced.output_structure}."
        )
    return unary(
        f"_{kind}",
        kind,
        dataset,
        name=name,
        other_arguments=traced.captured,
        predicate=traced.graph_function,
    )


def _relaxed(state_spec, new_spec, fail):
    """(the specs of a state that cover those before and after a step, whether they are more general than before).

    Args:
      fail: is called with what must be the same ("classes", "types"), as it was and as it is.
    """
    if not _same_structure(state_spec, new_spec):
        fail("classes", structure.classes_of(state_spec), structure.classes_of(new_spec))
    before, after = nest.flatten(state_spec), nest.flatten(new_spec)
    if any(not issubclass(new.value_type, old.value_type) for old, new in zip(before, after, strict=True)):
        fail("classes", structure.classes_of(state_spec), structure.classes_of(new_spec))
    if any(getattr(new, "dtype", None) != getattr(old, "dtype", None) for old, new in zip(before, after, strict=True)):
        fail("types", structure.dtypes_of(state_spec), structure.dtypes_of(new_spec))
    common = [_common(old, new) for old, new in zip(before, after, strict=True)]
    return nest.pack_sequence_as(state_spec, common), any(a != b for a, b in zip(common, before, strict=True))


def _same_structure(one, other) -> bool:
    try:
        nest.assert_same_structure(one, other)
    except (TypeError, ValueError):
        return False
    return True


def _common(old, new):
    if isinstance(old, TensorSpec):
        shape: Any = old.shape.most_specific_common_supertype([new.shape])
        return TensorSpec(TensorShape(None) if shape is None else shape, old.dtype)
    found = old.most_specific_common_supertype([new])
    return old if found is None else found


class Mapping(DatasetBase):
    """The methods of `tf.data.Dataset` that apply functions to elements."""

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ) -> Any:
        """The results of a function for the elements. The function is traced once, with AutoGraph.

        Args:
          map_func: callable that takes an element (the items of a tuple as several arguments) and returns a nest of tensors.
          num_parallel_calls: how many elements are worked on at a time; None: one; `tf.data.AUTOTUNE`: as many as help.
          deterministic: whether the results keep the order of the elements; None: as the dataset's options say.
          synchronous: whether no thread works ahead even if the options ask for it.
          use_unbounded_threadpool: whether threads are not limited to the number of cores.
          name: name of the dataset, or None.

        Raises:
          TypeError: `map_func` returns something else.
          ValueError: `map_func` is not callable; or `synchronous` and `num_parallel_calls` are both given.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * 2)]
          [0, 2, 4]
        """
        return mapped(
            self, map_func, num_parallel_calls, deterministic, synchronous, use_unbounded_threadpool, name
        )

    def flat_map(self, map_func, name=None) -> Any:
        """The elements of the datasets that a function returns for the elements, one dataset after the other.

        Args:
          map_func: callable that takes an element and returns a Dataset.
          name: name of the dataset, or None.

        Raises:
          TypeError: `map_func` returns something else.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
          >>> [int(x) for x in dataset.flat_map(tf.data.Dataset.from_tensor_slices)]
          [1, 2, 3, 4]
        """
        traced, spec = dataset_function(self, map_func, "Dataset.flat_map()")
        return unary(
            "_FlatMapDataset",
            "FlatMapDataset",
            self,
            spec,
            name,
            other_arguments=traced.captured,
            f=traced.graph_function,
        )

    def interleave(
        self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None
    ) -> Any:
        """The elements of the datasets that a function returns for the elements, taken from several of them in turn.

        Args:
          map_func: callable that takes an element and returns a Dataset.
          cycle_length: from how many datasets elements are taken in turn; None: as many as there are cores, or fit.
          block_length: how many elements are taken from a dataset in a row; None: 1.
          num_parallel_calls: how many datasets are read at a time; None: one; `tf.data.AUTOTUNE`: as many as help.
          deterministic: whether the order is kept; None: as the dataset's options say.
          name: name of the dataset, or None.

        Raises:
          TypeError: `map_func` returns something else.
          InvalidArgumentError: a length is not positive.

        Example:
          >>> import tracefn as tf
          >>> dataset = tf.data.Dataset.range(1, 4)
          >>> spelled = dataset.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
          >>> [int(x) for x in spelled]
          [1, 1, 2, 2, 1, 2, 3, 3, 3]
        """
        traced, spec = dataset_function(self, map_func, "Dataset.interleave()")
        lengths = {
            "cycle_length": int64(AUTOTUNE if cycle_length is None else cycle_length, "cycle_length"),
            "block_length": int64(1 if block_length is None else block_length, "block_length"),
        }
        if is_sequential(num_parallel_calls, deterministic):
            return unary(
                "_InterleaveDataset",
                "InterleaveDataset",
                self,
                spec,
                name,
                other_arguments=traced.captured,
                f=traced.graph_function,
                **lengths,
            )
        return unary(
            "_ParallelInterleaveDataset",
            "ParallelInterleaveDatasetV4",
            self,
            spec,
            name,
            other_arguments=traced.captured,
            f=traced.graph_function,
            **lengths,
            buffer_output_elements=int64(AUTOTUNE),
            prefetch_input_elements=int64(AUTOTUNE),
            num_parallel_calls=int64(num_parallel_calls),
            deterministic=determinism(deterministic),
        )

    def filter(self, predicate, name=None) -> Any:
        """The elements for which a function is true.

        Args:
          predicate: callable that takes an element and returns a bool scalar.
          name: name of the dataset, or None.

        Raises:
          ValueError: `predicate` returns something else.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(5).filter(lambda x: x % 2 == 0)]
          [0, 2, 4]
        """
        return _by_predicate("FilterDataset", self, predicate, "filter", name)

    def take_while(self, predicate, name=None) -> Any:
        """The elements before the first one for which a function is false.

        Args:
          predicate: callable that takes an element and returns a bool scalar.
          name: name of the dataset, or None.

        Raises:
          ValueError: `predicate` returns something else.

        Example:
          >>> import tracefn as tf
          >>> [int(x) for x in tf.data.Dataset.range(9).take_while(lambda x: x < 3)]
          [0, 1, 2]
        """
        return _by_predicate("TakeWhileDataset", self, predicate, "take_while", name)

    def scan(self, initial_state, scan_func, name=None) -> Any:
        """The results of a function of a state and an element, which also returns the next state.

        Args:
          initial_state: nest of tensors.
          scan_func: callable that takes the state and an element, and returns (next state, result).
          name: name of the dataset, or None.

        Raises:
          TypeError: `scan_func` returns no pair, or a state of other dtypes.

        Example:
          >>> import tracefn as tf
          >>> sums = tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
          >>> [int(x) for x in sums]
          [0, 1, 3, 6]
        """

        def fail(what, before, after):
            raise TypeError(
                f"Invalid `scan_func`. The element {what} for the new state must match the initial state. "
                f"Expected {before}, got {after}."
            )

        state = structure.normalized(initial_state)
        state_spec, again = structure.spec_of(state), True
        while again:
            traced = ElementFunction(scan_func, "Dataset.scan()", (state_spec, self.element_spec))
            returned: Any = traced.output_structure
            if not (isinstance(returned, tuple) and len(returned) == 2):
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                    f"value but its return type is {returned}."
                )
            state_spec, again = _relaxed(state_spec, returned[0], fail)
        return unary(
            "_ScanDataset",
            "ScanDataset",
            self,
            returned[1],
            name,
            initial_state=to_tensors(state_spec, state),
            other_arguments=traced.captured,
            f=traced.graph_function,
            preserve_cardinality=True,
        )

    def reduce(self, initial_state, reduce_func, name=None) -> Any:
        """The last state of a function of a state and an element, which returns the next state.

        Args:
          initial_state: nest of tensors.
          reduce_func: callable that takes the state and an element, and returns the next state.
          name: name of the dataset, or None.

        Returns:
          Nest like `initial_state`.

        Raises:
          TypeError: `reduce_func` returns a state of other dtypes.

        Example:
          >>> import tracefn as tf
          >>> int(tf.data.Dataset.range(4).reduce(tf.constant(0, tf.int64), lambda s, x: s + x))
          6
        """

        def fail(what, before, after):
            raise TypeError(
                f"The element {what} for the new state must match the initial state. Expected {before} but got {after}."
            )

        with name_scope("initial_state"):
            state = structure.normalized(initial_state)
        state_spec, again = structure.spec_of(state), True
        while again:
            traced = ElementFunction(reduce_func, "reduce()", (state_spec, self.element_spec))
            state_spec, again = _relaxed(state_spec, traced.output_structure, fail)
        found = emit(
            "ReduceDataset",
            state_spec,
            name,
            input_dataset=self._variant_tensor,
            initial_state=to_tensors(state_spec, state),
            other_arguments=traced.captured,
            f=traced.graph_function,
        )
        return structure.from_tensors(state_spec, found)


__all__ = ["Mapping", "dataset_function", "determinism", "is_sequential", "map_dataset", "mapped"]
