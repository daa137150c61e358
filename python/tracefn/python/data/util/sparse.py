"""`tensorflow.python.data.util.sparse`: structures in which variants stand for SparseTensors."""

from __future__ import annotations

from tracefn import _core
from tracefn.compat.v1.arguments import today
from tracefn.dtypes import variant
from tracefn.ops._build import op
from tracefn.ops.sparse.tensor import SparseTensor, is_sparse
from tracefn.python.data.util import nest
from tracefn.tensor_shape import TensorShape

__all__ = [
    "any_sparse",
    "as_dense_shapes",
    "as_dense_types",
    "deserialize_sparse_tensors",
    "get_classes",
    "serialize_many_sparse_tensors",
    "serialize_sparse_tensors",
]


def any_sparse(classes) -> bool:
    """Whether SparseTensor is among the classes of a structure."""
    return any(kind is SparseTensor for kind in nest.flatten(classes))


def _with(structure, classes, stands_in):
    leaves = zip(nest.flatten(structure), nest.flatten(classes), strict=False)
    return nest.pack_sequence_as(structure, [stands_in if kind is SparseTensor else leaf for leaf, kind in leaves])


def as_dense_shapes(shapes, classes):
    """The shapes of a structure, with unknown ones for SparseTensors."""
    return _with(shapes, classes, TensorShape(None))


def as_dense_types(types, classes):
    """The dtypes of a structure, with `tf.variant` for SparseTensors."""
    return _with(types, classes, variant)


def get_classes(tensors):
    """SparseTensor or Tensor for each value of a structure.

    Example:
      >>> import tracefn as tf
      >>> tf.python.data.util.sparse.get_classes((tf.sparse.eye(2), tf.constant(1)))[0].__name__
      'SparseTensor'
    """
    classes = [SparseTensor if is_sparse(tensor) else _core.Tensor for tensor in nest.flatten(tensors)]
    return nest.pack_sequence_as(tensors, classes)


def _serialized(tensors, path: str):
    function = today(path)
    leaves = [function(leaf, out_type=variant) if is_sparse(leaf) else leaf for leaf in nest.flatten(tensors)]
    return nest.pack_sequence_as(tensors, leaves)


def serialize_sparse_tensors(tensors):
    """A structure with a vector of 3 variants in place of each SparseTensor."""
    return _serialized(tensors, "io.serialize_sparse")


def serialize_many_sparse_tensors(tensors):
    """A structure with a matrix of variants, with a row for each batch, in place of each SparseTensor."""
    return _serialized(tensors, "io.serialize_many_sparse")


def deserialize_sparse_tensors(tensors, types, shapes, classes):
    """The structure with the SparseTensors that variants stand for.

    Args:
      tensors: structure of tensors.
      types, shapes, classes: structures of the dtypes, shapes and classes of what they stand for.
    """
    parts = zip(*(nest.flatten(x) for x in (tensors, types, shapes, classes)), strict=False)
    return nest.pack_sequence_as(types, [
        _deserialized(tensor, dtype, shape.rank) if kind is SparseTensor else tensor for tensor, dtype, shape, kind in parts
    ])  # fmt: skip


def _deserialized(tensor, dtype, rank: int | None) -> SparseTensor:
    indices, values, shape = op("DeserializeSparse")(serialized_sparse=tensor, dtype=dtype)
    if not isinstance(indices, _core.EagerTensor):
        indices.set_shape([None, rank])
        shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
