"""`tf.lookup.experimental`: tables that change."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn.framework import init_scope
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.tables import LookupInterface, shared_name


class _MutableTable(LookupInterface):
    """What tables that change share."""

    _common_name_of_tensors = "table"  # in checkpoints

    def __init__(self, key_dtype, value_dtype, default_value, name):
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert(default_value, dtype=self._value_dtype)
        self._value_shape = self._default_value.shape
        self._name = name

    def export(self, name=None):
        """All keys and their values, in no particular order."""
        return tuple(self._export(name))

    def _may_be_saved(self, checkpoint: bool) -> None:
        """Lets tf.compat.v1.train.Saver save the table with the graph's Variables."""
        graph = _core.current_graph()
        if checkpoint and graph is not None and not graph.is_function:
            graph.add_to_collection("saveable_objects", self)

    def _serialize_to_tensors(self) -> dict:
        keys, values = self.export()
        return {"-keys": keys, "-values": values}

    def _initialize(self):
        """In the function of a saved model: fills the table with what it holds now."""
        with init_scope():
            keys, values = self.export()
        return op("LookupTableImportV2")(table_handle=self._resource_handle, keys=keys, values=values)

    def _restore_from_tensors(self, restored_tensors):
        """Replaces the contents with those from a checkpoint."""
        return op("LookupTableImportV2")(
            table_handle=self._resource_handle,
            keys=restored_tensors["-keys"],
            values=restored_tensors["-values"],
        )

    def _insert(self, keys, values, name):
        with name_scope(name or "lookup_table_insert"):
            keys = _core.convert_to_tensor(keys, dtype=self._key_dtype)
            values = _core.convert_to_tensor(values, dtype=self._value_dtype)
            return op("LookupTableInsertV2")(table_handle=self._resource_handle, keys=keys, values=values)

    def _remove(self, keys, name):
        with name_scope(name or "lookup_table_remove"):
            return op("LookupTableRemoveV2")(table_handle=self._resource_handle, keys=keys)

    def _lookup(self, keys, default_value, name):
        with name_scope(name or "lookup_table_find"):
            keys = _core.convert_to_tensor(keys, dtype=self._key_dtype)
            return self._find(keys, default_value)


@export("lookup.experimental.MutableHashTable")
class MutableHashTable(_MutableTable):
    """A table that may change.

    Args:
      key_dtype: string, int32 or int64.
      value_dtype: dtype of the values.
      default_value: the value of other keys, a scalar or vector: all values have its shape.
      name: name of the table.
      checkpoint: bool, whether tf.compat.v1.train.Saver saves it with the Variables of a graph.
      experimental_is_anonymous: accepted for TensorFlow's sake; every table lives as long as its handle.

    Raises:
      InvalidArgumentError: there are no tables of these dtypes.

    Example:
      >>> import tracefn as tf
      >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
      >>> table.insert(["a", "b"], [5, 6])
      >>> table.remove(tf.constant(["a"]))
      >>> table.lookup(["a", "b"]).numpy().tolist(), int(table.size())
      ([-1, 6], 1)
    """

    def __init__(
        self,
        key_dtype,
        value_dtype,
        default_value,
        name="MutableHashTable",
        checkpoint=True,
        experimental_is_anonymous=False,
    ):
        super().__init__(key_dtype, value_dtype, default_value, name)
        self._is_anonymous = experimental_is_anonymous
        with init_scope():
            self._resource_handle = self._create_resource()
        self._may_be_saved(checkpoint)

    def _create_resource(self):
        kind = "MutableHashTable" if self._value_shape.rank == 0 else "MutableHashTableOfTensors"
        shape = {} if self._value_shape.rank == 0 else {"value_shape": self._value_shape}
        kind = f"Anonymous{kind}" if self._is_anonymous else f"{kind}V2"
        shared = {} if self._is_anonymous else shared_name()
        return op(kind)(key_dtype=self._key_dtype, value_dtype=self._value_dtype, name=self._name, **shape, **shared)

    def insert(self, keys, values, name=None):
        """Sets the values of keys.

        Args:
          keys: tensor of keys.
          values: tensor of their values, of the shape of `keys` and then that of a value.
          name: name of the op.

        Returns:
          The operation in a graph, None eagerly.

        Raises:
          InvalidArgumentError: the shapes do not fit.
        """
        return self._insert(keys, values, name)

    def remove(self, keys, name=None):
        """Removes keys; those that are not there are ignored.

        Raises:
          TypeError: the keys have another dtype.
        """
        return self._remove(self._checked(keys), name)

    def lookup(self, keys, dynamic_default_values=None, name=None):
        """The values of keys.

        Args:
          keys: tensor of keys.
          dynamic_default_values: the value of keys that are not there, or one for each key; None: the table's default.
          name: name of the op.

        Raises:
          InvalidArgumentError: the shape of the defaults does not fit.
        """
        default = self._default_value
        if dynamic_default_values is not None:
            default = _core.convert_to_tensor(dynamic_default_values, dtype=self._value_dtype)
        return self._lookup(keys, default, name)


@export("lookup.experimental.DenseHashTable")
class DenseHashTable(_MutableTable):
    """A table that may change, in two arrays; keys may be tensors.

    Args:
      key_dtype: string, int32 or int64.
      value_dtype: dtype of the values.
      default_value: the value of other keys; all values have its shape.
      empty_key, deleted_key: two different keys that mark places in the table; they cannot be used. All keys have their
        shape.
      initial_num_buckets: a power of two from 4 on; None: 131072.
      name: name of the table.
      checkpoint: bool, whether tf.compat.v1.train.Saver saves it with the Variables of a graph.
      experimental_is_anonymous: accepted for TensorFlow's sake; every table lives as long as its handle.

    Raises:
      InvalidArgumentError: the special keys or the number of places do not fit.

    Example:
      >>> import tracefn as tf
      >>> table = tf.lookup.experimental.DenseHashTable(
      ...     tf.string, tf.int64, default_value=-1, empty_key="", deleted_key="$", initial_num_buckets=16)
      >>> table.insert(["a", "b"], [5, 6])
      >>> table.erase(tf.constant(["a"]))
      >>> table.lookup(["a", "b"]).numpy().tolist(), int(table.size())
      ([-1, 6], 1)
    """

    def __init__(
        self,
        key_dtype,
        value_dtype,
        default_value,
        empty_key,
        deleted_key,
        initial_num_buckets=None,
        name="MutableDenseHashTable",
        checkpoint=True,
        experimental_is_anonymous=False,
    ):
        super().__init__(key_dtype, value_dtype, default_value, name)
        self._empty_key, self._deleted_key = empty_key, deleted_key
        self._initial_num_buckets = 131072 if initial_num_buckets is None else initial_num_buckets
        self._is_anonymous = experimental_is_anonymous
        with init_scope():
            self._resource_handle = self._create_resource()
        self._may_be_saved(checkpoint)

    def _create_resource(self):
        return op("AnonymousMutableDenseHashTable" if self._is_anonymous else "MutableDenseHashTableV2")(
            empty_key=convert(self._empty_key, dtype=self._key_dtype),
            deleted_key=convert(self._deleted_key, dtype=self._key_dtype),
            value_dtype=self._value_dtype,
            value_shape=self._value_shape,
            initial_num_buckets=self._initial_num_buckets,
            name=self._name,
            **({} if self._is_anonymous else shared_name()),
        )

    def lookup(self, keys, name=None):
        """The values of keys; `default_value` for those that are not there.

        Raises:
          InvalidArgumentError: a key is one of the special keys.
        """
        return self._lookup(keys, self._default_value, name)

    def insert_or_assign(self, keys, values, name=None):
        """Sets the values of keys.

        Returns:
          The operation in a graph, None eagerly.

        Raises:
          InvalidArgumentError: the shapes do not fit, or a key is one of the special keys.
        """
        return self._insert(keys, values, name)

    def insert(self, keys, values, name=None):
        """The same as `insert_or_assign`."""
        return self.insert_or_assign(keys, values, name)

    def erase(self, keys, name=None):
        """Removes keys; those that are not there are ignored.

        Raises:
          TypeError: the keys have another dtype.
          InvalidArgumentError: a key is one of the special keys.
        """
        keys = keys if isinstance(keys, _core.Tensor) else convert(keys)
        if keys.dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}.")
        return self._remove(keys, name)

    def remove(self, keys, name=None):
        """The same as `erase`."""
        return self.erase(keys, name)
