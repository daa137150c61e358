"""What all datasets are: a variant tensor, the specs of the elements and options; how dataset ops make them; their type."""

from __future__ import annotations

import abc
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from tracefn import _core
from tracefn._decorators import show_methods_of
from tracefn._missing.members import missing_member
from tracefn._tracking.base import Trackable
from tracefn._wire import delimited
from tracefn.composite import CompositeTensor
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data._instead import INSTEAD
from tracefn.data._options import Options
from tracefn.data._saved import children_of, run
from tracefn.random_seed import seed_pair
from tracefn.tensor_shape import TensorShape, as_shape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class DatasetBase(CompositeTensor, Trackable):
    """A dataset: the variant tensor that dataset ops take, and the nest of specs of its elements.

    Args:
      variant_tensor: variant scalar, what an op that makes a dataset returns.
    """

    # AutoGraph asks the class, which need not be imported to know it.
    _iterates_as_dataset = True

    # The class of all datasets, `tf.data.Dataset`, and its subclasses by name, one for each kind of dataset.
    _root: ClassVar[Any] = None
    _kinds: ClassVar[dict[str, type]] = {}
    _module_of_kind: ClassVar[Callable[[str], str]] = staticmethod(lambda kind: DatasetBase._root.__module__)

    def __init__(self, variant_tensor):
        self._variant = variant_tensor
        self._own_options = _merged(self._inputs())

    def __reduce__(self):
        # For copies: the constructors of some kinds take arguments.
        return object.__new__, (type(self),), vars(self)

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        children = super()._trackable_children(save_type, **kwargs)
        return {**children, **children_of(self)} if save_type == "savedmodel" else children

    _batch_size: Any  # int64 scalar; only datasets that make batches have it, by which Keras knows them

    if not TYPE_CHECKING:  # with it every name would be right

        def __getattr__(self, name: str):
            return missing_member(self, name, INSTEAD)

    @property
    def _variant_tensor(self):
        return self._variant

    @staticmethod
    def _batch_of(datasets: list):
        """Nested lists of datasets as an element of datasets; None if they are something else, or of types without a common
        one."""
        flat = _flat_lists(datasets)
        if not all(isinstance(dataset, DatasetBase) for dataset in flat):
            return None
        spec = flat[0]._type_spec.most_specific_common_supertype([dataset._type_spec for dataset in flat[1:]])
        if spec is None:
            return None
        variant = _stacked(datasets)
        return _Datasets(variant, spec._element_spec, variant.shape)

    @abc.abstractmethod
    def _inputs(self) -> list:
        """The datasets that it is made of."""

    @property
    def _type_spec(self):
        return DatasetSpec(self.element_spec)

    @property
    @abc.abstractmethod
    def element_spec(self):
        """The nest of specs of the elements.

        Example:
          >>> import tracefn as tf
          >>> tf.data.Dataset.range(3).batch(2).element_spec
          TensorSpec(shape=(None,), dtype=tf.int64, name=None)
        """

    @property
    def _flat_types(self) -> list:
        return structure.flat_types(self.element_spec)

    @property
    def _flat_shapes(self) -> list:
        return structure.flat_shapes(self.element_spec)

    @property
    def _flat_structure(self) -> dict:
        return {"output_types": self._flat_types, "output_shapes": self._flat_shapes}


def _merged(inputs, options=None) -> Options:
    """The options of a dataset: those of the datasets that it is made of, and its own."""
    merged = Options()
    for dataset in inputs:
        merged = merged.merge(dataset._own_options)
    if options is not None:
        merged = merged.merge(options)
    merged._set_mutable(False)
    return merged


class MadeDataset(DatasetBase):
    """A dataset of one of this package's kinds, which holds what it consists of."""

    _element_spec: Any
    _inputs_of: tuple

    def _set(self, variant, element_spec, inputs, options=None) -> None:
        self._variant = variant
        self._element_spec = element_spec
        self._inputs_of = tuple(inputs)
        self._own_options = _merged(self._inputs_of, options)

    def _inputs(self) -> list:
        return list(self._inputs_of)

    @property
    def element_spec(self):
        return self._element_spec


def root_class(cls):
    """Decorator of `tf.data.Dataset`."""
    DatasetBase._root = cls
    show_methods_of("DatasetV2", [base for base in cls.__mro__ if issubclass(base, DatasetBase)])
    return cls


def kind_class(cls):
    """Decorator of a public class of one kind of datasets, whose constructor `made` bypasses."""
    DatasetBase._kinds[cls.__name__] = cls
    return cls


def dataset_class():
    """`tf.data.Dataset`."""
    return DatasetBase._root


def is_dataset(value) -> bool:
    """Whether a value is a dataset."""
    return isinstance(value, DatasetBase)


def class_of_kind(kind: str) -> type:
    """The class of the datasets of one kind, such as "_RangeDataset"."""
    cls = DatasetBase._kinds.get(kind)
    if cls is None:
        root = DatasetBase._root
        module = DatasetBase._module_of_kind(kind)
        cls = DatasetBase._kinds[kind] = type(kind, (MadeDataset, root), {"__module__": module, "__doc__": root.__doc__})
    return cls


def rename_kinds(module_of_kind: Callable[[str], str]) -> None:
    """Gives classes of kinds other modules, from now on and to those that there are."""
    DatasetBase._module_of_kind = staticmethod(module_of_kind)
    for kind, cls in DatasetBase._kinds.items():
        cls.__module__ = module_of_kind(kind)


def made(kind: str, variant, element_spec, inputs=(), options=None):
    """A dataset.

    Args:
      kind: the name of its class, which its text shows.
      variant: variant tensor.
      element_spec: nest of specs of its elements.
      inputs: the datasets that it is made of.
      options: Options to set, or None.
    """
    dataset: Any = object.__new__(class_of_kind(kind))
    dataset._set(variant, element_spec, inputs, options)
    return dataset


@cache
def _attributes(op: str) -> frozenset:
    return frozenset(attr["name"] for attr in _core.op_record(op)["attrs"])


def metadata_of(name) -> bytes:
    """The attribute `metadata` of a dataset op: a message with the user's name for the dataset.

    Raises:
      ValueError: the name is no identifier.
      AttributeError: it is no str.
    """
    if not name:
        return b""
    if not name.isidentifier():
        raise ValueError("Invalid `name`. The argument `name` needs to be a valid identifier. Value is considered a valid "
                         "identifier if it only contains alphanumeric characters (a-z), (A-Z), and (0-9), or underscores (_). "
                         "A valid identifier cannot start with a number, or contain any spaces.")
    return delimited(1, name.encode())


def emit(op: str, element_spec, name=None, **inputs):
    """Runs a dataset op, with the attributes that give the dtypes and shapes of its elements, and the user's name for it."""
    attributes = _attributes(op)
    if "output_types" in attributes:
        inputs["output_types"] = structure.flat_types(element_spec)
    if "output_shapes" in attributes:
        inputs["output_shapes"] = structure.flat_shapes(element_spec)
    if "metadata" in attributes:
        inputs["metadata"] = metadata_of(name)
    return run(op, **inputs)


def unary(kind: str, op: str, dataset, element_spec=None, name=None, options=None, **inputs):
    """A dataset made of another one by an op; without `element_spec` the elements are of the same types."""
    spec = dataset.element_spec if element_spec is None else element_spec
    variant = emit(op, spec, name, input_dataset=dataset._variant_tensor, **inputs)
    return made(kind, variant, spec, [dataset], options)


def int64(value, name=None):
    """An int64 tensor."""
    return _core.convert_to_tensor(value, dtype="int64", name=name)


def seed_tensors(seed):
    """The two int64 seeds of a dataset whose own seed is an int or None.

    Raises:
      TypeError: the seed is not an int.
    """
    return tuple(map(int64, seed_pair(seed)))


def boolean(value, name=None):
    """A bool tensor."""
    return _core.convert_to_tensor(value, dtype="bool", name=name)


def string(value, name=None):
    """A string tensor."""
    return _core.convert_to_tensor(value, dtype="string", name=name)


def _flat_lists(value) -> list:
    return [part for item in value for part in _flat_lists(item)] if isinstance(value, list) else [value]


def _stacked(value):
    """Nested lists of datasets as one variant tensor."""
    if not isinstance(value, list):
        return value._variant_tensor
    return _core.raw_op("Pack")(values=[_stacked(item) for item in value])


class _Datasets(CompositeTensor):
    """Several datasets in one variant tensor: a batch of them."""

    def __init__(self, variant_tensor, element_spec, dataset_shape):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._dataset_shape = dataset_shape

    @property
    def _type_spec(self):
        return DatasetSpec(self._element_spec, self._dataset_shape)


class DatasetSpec(TypeSpec):
    """The type of a `tf.data.Dataset`.

    Args:
      element_spec: nest of specs of its elements.
      dataset_shape: () for one dataset; the shape of a batch of datasets.

    Example:
      >>> import tracefn as tf
      >>> @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))])
      ... def total(dataset):
      ...     return dataset.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)
      >>> int(total(tf.data.Dataset.range(4)))
      6
    """

    __slots__ = ("__weakref__", "_dataset_shape", "_element_spec")

    def __init__(self, element_spec, dataset_shape=()):
        self._element_spec = element_spec
        self._dataset_shape = as_shape(dataset_shape)

    @property
    def value_type(self) -> type:
        """`tf.data.Dataset`."""
        return dataset_class()

    @property
    def element_spec(self):
        """The nest of specs of the elements."""
        return self._element_spec

    @staticmethod
    def from_value(value):
        """The spec of a dataset."""
        return DatasetSpec(value.element_spec)

    def _serialize(self):
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self):
        return TensorSpec(self._dataset_shape, "variant")

    def _to_components(self, value):
        return value._variant_tensor

    def _from_components(self, components):
        if self._dataset_shape.rank == 0:
            return made("_VariantDataset", components, self._element_spec)
        return _Datasets(components, self._element_spec, self._dataset_shape)

    def _batch(self, batch_size):
        return DatasetSpec(self._element_spec, TensorShape([batch_size]).concatenate(self._dataset_shape))

    def _unbatch(self):
        if self._dataset_shape.rank == 0:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])

    def _to_batched_tensor_list(self, value):
        if self._dataset_shape.rank == 0:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return [value._variant_tensor]

    def is_subtype_of(self, other) -> bool:
        """Whether each spec of the elements is a subtype of that of `other`."""
        if type(self) is not type(other):
            return False
        try:
            nest.assert_same_structure(self._element_spec, other._element_spec)
        except (TypeError, ValueError):
            return False
        pairs = zip(nest.flatten(self._element_spec), nest.flatten(other._element_spec), strict=True)
        return all(a.is_subtype_of(b) for a, b in pairs) and self._dataset_shape.is_subtype_of(other._dataset_shape)

    def most_specific_common_supertype(self, others):
        """The spec with the common supertype of each part of the elements; None if there is none."""
        common = self._element_spec
        shape = (
            self._dataset_shape.most_specific_common_supertype([o._dataset_shape for o in others])
            if all(type(other) is type(self) for other in others)
            else None
        )
        if shape is None:
            return None
        try:
            for other in others:
                common = structure.common_spec(common, other._element_spec)
        except (TypeError, ValueError):
            return None
        return DatasetSpec(common, shape)

    def __eq__(self, other):
        return (
            isinstance(other, DatasetSpec)
            and self._element_spec == other._element_spec
            and self._dataset_shape == other._dataset_shape
        )

    def __hash__(self):
        return hash((DatasetSpec, *nest.flatten(self._element_spec)))
