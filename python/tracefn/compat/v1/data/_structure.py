"""The structure of elements as TensorFlow 1 gives it: a nest of dtypes, one of shapes, one of classes."""

from __future__ import annotations

from tracefn import _core
from tracefn.data import _nest as nest
from tracefn.data import _structure as structure
from tracefn.data.experimental import get_structure
from tracefn.dtypes import as_dtype
from tracefn.ops.sparse.tensor import SparseTensor, SparseTensorSpec
from tracefn.tensor_array import TensorArray, TensorArraySpec
from tracefn.tensor_shape import TensorShape, as_shape
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec


def get_output_classes(dataset_or_iterator):
    """The nest of the classes of the elements' parts; of what is no tensor the spec.

    Args:
      dataset_or_iterator: Dataset or Iterator.

    Raises:
      TypeError: it is neither.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.data.get_output_classes(tf.data.Dataset.range(2)) is tf.Tensor
      True
    """
    return structure.classes_of(get_structure(dataset_or_iterator))


def get_output_shapes(dataset_or_iterator):
    """The nest of the shapes of the elements' parts.

    Args:
      dataset_or_iterator: Dataset or Iterator.

    Raises:
      TypeError: it is neither.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.data.get_output_shapes(tf.data.Dataset.range(4).batch(2))
      TensorShape([None])
    """
    return structure.shapes_of(get_structure(dataset_or_iterator))


def get_output_types(dataset_or_iterator):
    """The nest of the dtypes of the elements' parts.

    Args:
      dataset_or_iterator: Dataset or Iterator.

    Raises:
      TypeError: it is neither.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.range(4).enumerate())
      (tf.int64, tf.int64)
    """
    return structure.dtypes_of(get_structure(dataset_or_iterator))


def _spec(dtype, shape, cls) -> TypeSpec:
    if isinstance(cls, TypeSpec):
        return cls
    if issubclass(cls, SparseTensor):
        return SparseTensorSpec(shape, dtype)
    if issubclass(cls, _core.Tensor):
        return TensorSpec(shape, dtype)
    if issubclass(cls, TensorArray):
        grows, infers = (None if size is None else bool(size) for size in shape.as_list()[:2])
        return TensorArraySpec(shape[2:], dtype, dynamic_size=grows, infer_shape=infers)
    raise TypeError(
        f"Could not build a structure for output class {cls.__name__}. Make sure any component class in `output_classes` "
        "inherits from one of the following classes: `tf.TypeSpec`, `tf.sparse.SparseTensor`, `tf.Tensor`, `tf.TensorArray`."
    )


def specs_of(types, shapes, classes):
    """The nest of specs that nests of dtypes, shapes and classes stand for.

    Raises:
      TypeError: there is no spec for a class.
    """
    flat = zip(nest.flatten(types), nest.flatten(shapes), nest.flatten(classes), strict=True)
    return nest.pack_sequence_as(classes, [_spec(*parts) for parts in flat])


def completed(types, shapes, classes):
    """(dtypes, shapes, classes): those that are None are unknown shapes and tensors.

    Raises:
      TypeError, ValueError: their structures differ.
    """
    types = nest.map_structure(as_dtype, types)
    if shapes is None:
        shapes = nest.map_structure(lambda _: TensorShape(None), types)
    else:
        shapes = nest.map_structure_up_to(types, lambda _, shape: as_shape(shape), types, shapes)
    if classes is None:
        classes = nest.map_structure(lambda _: _core.Tensor, types)
    nest.assert_same_structure(types, shapes)
    return types, shapes, classes
