"""`tf.lookup`: tables that are filled once."""

from __future__ import annotations

import uuid

from tracefn import _core
from tracefn._export import export
from tracefn._tracking.resource import TrackableResource
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype, int64, string
from tracefn.framework import init_scope, inside_function
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.table_initializers import TableInitializerBase


def shared_name() -> dict:
    """The attribute by which programs that run a saved model share a table: another one for each function that makes one."""
    return {"shared_name": f"table_{uuid.uuid4()}"} if inside_function() else {}


class LookupInterface(TrackableResource):
    """The base class of tables: a resource that traced functions capture by its handle."""

    def __init__(self, key_dtype, value_dtype):
        super().__init__()
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self):
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self):
        """The dtype of the values."""
        return self._value_dtype

    @property
    def resource_handle(self):
        """The handle, a scalar tensor of dtype resource."""
        return self._resource_handle

    @property
    def name(self):
        """The name of the table's node in a graph; None if it was made eagerly."""
        return None

    def size(self, name=None):
        """The number of keys, an int64 scalar."""
        with name_scope(name or "Size"):
            return op("LookupTableSizeV2")(table_handle=self._resource_handle)

    def lookup(self, keys, name=None):
        """The values of keys."""
        raise NotImplementedError

    def __getitem__(self, keys):
        return self.lookup(keys)

    def _find(self, keys, default_value):
        return op("LookupTableFindV2")(table_handle=self._resource_handle, keys=keys, default_value=default_value)

    def _export(self, name):
        with name_scope(name or "lookup_table_export_values"):
            return op("LookupTableExportV2")(
                table_handle=self._resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )

    def _checked(self, keys):
        """The keys, which are tensors.

        Raises:
          TypeError: they have another dtype.
          AttributeError: they are a list or an array.
        """
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}")
        return keys if isinstance(keys, CompositeTensor) else convert(keys)


def _mapped(change, keys):
    """`change` of a tensor, or of the values of a sparse or ragged one."""
    if not isinstance(keys, CompositeTensor):
        return change(keys)
    if hasattr(keys, "with_flat_values"):
        return keys.with_flat_values(change(keys.flat_values))
    return keys.with_values(change(keys.values))


@export("lookup.StaticHashTable")
class StaticHashTable(LookupInterface):
    """A table that does not change once it is filled.

    Args:
      initializer: what it is filled from: a `tf.lookup.KeyValueTensorInitializer` or `tf.lookup.TextFileInitializer`.
      default_value: scalar, the value of other keys.
      name: name of the table.
      experimental_is_anonymous: accepted for TensorFlow's sake; every table lives as long as its handle.

    Raises:
      InvalidArgumentError: there are no tables of these dtypes.
      FailedPreconditionError: a key has two values.

    Example:
      >>> import tracefn as tf
      >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8])
      >>> table = tf.lookup.StaticHashTable(init, default_value=-1)
      >>> table[tf.constant(["b", "c"])].numpy().tolist(), int(table.size())
      ([8, -1], 2)
    """

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._initializer = initializer
        self._is_anonymous = experimental_is_anonymous
        self._default_value = convert(default_value, dtype=self._value_dtype)
        self._default_value.shape.merge_with([])
        self._name = name or "hash_table"
        with init_scope():
            self._resource_handle = self._create_resource()
        self._init_op = self._initialize()
        graph = _core.current_graph()
        if graph is not None and not graph.is_function and self._init_op is not None:
            graph.add_to_collection("table_initializer", self._init_op)  # tf.compat.v1.tables_initializer runs it

    def _create_resource(self):
        kind = "AnonymousHashTable" if self._is_anonymous else "HashTableV2"
        shared = {} if self._is_anonymous else shared_name()
        return op(kind)(key_dtype=self._key_dtype, value_dtype=self._value_dtype, name=self._name, **shared)

    def _initialize(self):
        return self._initializer.initialize(self)

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        children = super()._trackable_children(save_type, **kwargs)
        return {"_initializer": self._initializer, **children} if save_type == "savedmodel" else children

    @property
    def default_value(self):
        """The value of keys that are not in the table."""
        return self._default_value

    def lookup(self, keys, name=None):
        """The values of keys.

        Args:
          keys: tensor, SparseTensor or RaggedTensor of the table's key dtype.
          name: name of the op.

        Returns:
          The same of values; `default_value` for keys that are not in the table.

        Raises:
          TypeError: the keys have another dtype.
        """
        keys = self._checked(keys)
        with name_scope(name or "hash_table_Lookup"):
            return _mapped(self._values_of, keys)

    def _values_of(self, keys):
        values = self._find(keys, self._default_value)
        values.set_shape(keys.shape)
        return values

    def export(self, name=None):
        """All keys and their values, two vectors, in no particular order."""
        keys, values = self._export(name)
        values.set_shape(keys.shape)
        return keys, values


def _as_string(tensor):
    return tensor if tensor.dtype == string else op("AsString")(input=tensor)


@export("lookup.StaticVocabularyTable")
class StaticVocabularyTable(LookupInterface):
    """A table of ids whose unknown keys get ids, too, by their hashes.

    Args:
      initializer: gives string or int64 keys their ids, int64 from 0; None: all keys are hashed.
      num_oov_buckets: number of ids, after the others, for unknown keys.
      lookup_key_dtype: dtype of the keys that are looked up; None: that of the initializer.
      name: name of the table.
      experimental_is_anonymous: as in `tf.lookup.StaticHashTable`.

    Raises:
      ValueError: `num_oov_buckets` is not positive.
      TypeError: a dtype does not fit.

    Example:
      >>> import tracefn as tf
      >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
      >>> table = tf.lookup.StaticVocabularyTable(init, num_oov_buckets=1)
      >>> table.lookup(tf.constant(["b", "unknown"])).numpy().tolist(), int(table.size())
      ([1, 2], 3)
    """

    def __init__(
        self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None, experimental_is_anonymous=False
    ):
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self._table = None
        key_dtype = string
        if initializer:
            key_dtype = initializer.key_dtype if lookup_key_dtype is None else as_dtype(lookup_key_dtype)
            _check_vocabulary(initializer, key_dtype)
            self._table = StaticHashTable(initializer, -1, experimental_is_anonymous=experimental_is_anonymous)
        if not key_dtype.is_integer and key_dtype != string:
            raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {key_dtype}")
        self._num_oov_buckets = num_oov_buckets
        self._name = (name or "hash_bucket").rstrip("/")
        super().__init__(key_dtype, int64)

    @property
    def resource_handle(self):
        """The handle of the table of known keys; None without one."""
        return self._table.resource_handle if self._table else None

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        del save_type, kwargs
        return {"_table": self._table} if self._table else {}

    def size(self, name=None):
        """The number of ids, those of unknown keys included; an int64 scalar."""
        with name_scope(name or "Size"):
            known = self._table.size() if self._table else convert(0, dtype=int64)
            return known + self._num_oov_buckets

    def lookup(self, keys, name=None):
        """The ids of keys, int64.

        Args:
          keys: tensor, SparseTensor or RaggedTensor of the table's key dtype.
          name: name of the ops.

        Raises:
          TypeError: the keys have another dtype.
        """
        keys = self._checked(keys)
        with name_scope(name or "hash_table_Lookup"):
            return _mapped(self._ids_of, keys)

    def _ids_of(self, keys):
        if self._table and self._table.key_dtype == int64 and keys.dtype != int64:
            keys = op("Cast")(x=keys, DstT=int64)
        buckets = self._bucket_of(_as_string(keys))
        if not self._table:
            return buckets
        ids = self._table.lookup(keys)
        known = op("NotEqual")(x=ids, y=self._table.default_value)
        return op("SelectV2")(condition=known, t=ids, e=buckets + self._table.size())

    def _bucket_of(self, texts):
        return op("StringToHashBucketFast")(input=texts, num_buckets=self._num_oov_buckets)


def _check_vocabulary(initializer: TableInitializerBase, key_dtype) -> None:
    if initializer.key_dtype not in (int64, string):
        raise TypeError(f"Invalid `key_dtype`, expected one of {(int64, string)}, but got {initializer.key_dtype}.")
    if initializer.key_dtype.is_integer != key_dtype.is_integer:
        kind = "integer" if key_dtype.is_integer else "non-integer"
        raise TypeError(f"Invalid `key_dtype`, expected {kind} but got {initializer.key_dtype}.")
    if initializer.value_dtype != int64:
        raise TypeError(f"Invalid `value_dtype`, expected {int64} but got {initializer.value_dtype}.")
