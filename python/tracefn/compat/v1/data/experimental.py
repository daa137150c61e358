"""`tf.compat.v1.data.experimental`: the names of `tf.data.experimental`, and older ones."""

from __future__ import annotations

import tracefn.data.experimental as _experimental
from tracefn._deprecated import leave_out as _leave_out
from tracefn._deprecated import without_notices as _plain
from tracefn._missing import missing as _missing
from tracefn.compat.v1.data._dataset import adapter_class as _adapter_class
from tracefn.compat.v1.data._dataset import adapting as _adapting
from tracefn.data._base import DatasetSpec as DatasetStructure
from tracefn.ops.optional import OptionalSpec as OptionalStructure
from tracefn.ops.ragged.spec import RaggedTensorSpec as _RaggedTensorSpec
from tracefn.ops.sparse.tensor import SparseTensorSpec as _SparseTensorSpec
from tracefn.tensor_array import TensorArraySpec as _TensorArraySpec
from tracefn.tensor_spec import TensorSpec as _TensorSpec
from tracefn.type_spec import TypeSpec as Structure

# Names that only TensorFlow 2 has.
_NEW = frozenset(("at", "load", "save"))

Counter = _adapting(_plain(_experimental.Counter))
choose_from_datasets = _adapting(_plain(_experimental.choose_from_datasets))
make_batched_features_dataset = _adapting(_plain(_experimental.make_batched_features_dataset))
make_csv_dataset = _adapting(_plain(_experimental.make_csv_dataset))
sample_from_datasets = _adapting(_plain(_experimental.sample_from_datasets))
CsvDataset = _adapter_class(_experimental.CsvDataset)
RandomDataset = _adapter_class(_experimental.RandomDataset)
SqlDataset = _adapter_class(_experimental.SqlDataset)


def map_and_batch_with_legacy_function(
    map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None
):
    """`tf.data.experimental.map_and_batch`.

    Example:
      >>> import tracefn as tf
      >>> doubled = tf.compat.v1.data.experimental.map_and_batch_with_legacy_function(lambda x: x * 2, 2)
      >>> [batch.tolist() for batch in tf.data.Dataset.range(3).apply(doubled).as_numpy_iterator()]
      [[0, 2], [4]]
    """
    return _plain(_experimental.map_and_batch)(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


def RaggedTensorStructure(dtype, shape, ragged_rank):
    """`tf.RaggedTensorSpec(shape, dtype, ragged_rank)`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.data.experimental.RaggedTensorStructure(tf.int32, [2, None], 1)
      RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """
    return _RaggedTensorSpec(shape, dtype, ragged_rank)


def SparseTensorStructure(dtype, shape):
    """`tf.SparseTensorSpec(shape, dtype)`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.data.experimental.SparseTensorStructure(tf.int32, [2, None])
      SparseTensorSpec(TensorShape([2, None]), tf.int32)
    """
    return _SparseTensorSpec(shape, dtype)


def TensorArrayStructure(dtype, element_shape, dynamic_size, infer_shape):
    """`tf.TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.data.experimental.TensorArrayStructure(tf.int32, [2], False, True).value_type is tf.TensorArray
      True
    """
    return _TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


def TensorStructure(dtype, shape):
    """`tf.TensorSpec(shape, dtype)`.

    Example:
      >>> import tracefn as tf
      >>> tf.compat.v1.data.experimental.TensorStructure(tf.int32, [2])
      TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    return _TensorSpec(shape, dtype)


_own = {name for name in globals() if not name.startswith("_") and name != "annotations"}
__all__ = sorted(_own | {name for name in _experimental.__all__ if name not in _NEW})  # noqa: PLE0605


def __getattr__(name: str):
    if name in _experimental.__all__ and name not in _NEW:
        return getattr(_experimental, name)
    raise _missing("compat.v1.data.experimental", name)


def __dir__():
    return __all__


_ = (DatasetStructure, OptionalStructure, Structure)
_leave_out(globals(), "compat.v1.data.experimental")
