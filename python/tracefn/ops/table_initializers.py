"""`tf.lookup`: where the contents of tables come from."""

from __future__ import annotations

from tracefn import _core
from tracefn._export import export
from tracefn._tracking.asset import Asset
from tracefn._tracking.base import Trackable
from tracefn.dtypes import as_dtype, int64, string
from tracefn.errors import InvalidArgumentError
from tracefn.framework import executing_eagerly, inside_function
from tracefn.ops._build import convert, name_scope, op


class TableInitializerBase(Trackable):
    """The base class of the initializers of `tf.lookup` tables."""

    def __init__(self, key_dtype, value_dtype):
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

    def initialize(self, table):
        """Fills a table; in a graph, returns the operation that does."""
        raise NotImplementedError

    def _check(self, table) -> None:
        if self._key_dtype != table.key_dtype:
            raise TypeError(f"Invalid key dtype for table, expected {table.key_dtype} but got {self._key_dtype}.")
        if self._value_dtype != table.value_dtype:
            raise TypeError(f"Invalid value dtype for table, expected {table.value_dtype} but got {self._value_dtype}.")


@export("lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table from a tensor of keys and a tensor of values.

    Args:
      keys: vector of strings or integers.
      values: vector of as many values.
      key_dtype, value_dtype: dtypes for keys and values that are no tensors.
      name: name of the op.

    Example:
      >>> import tracefn as tf
      >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8])
      >>> tf.lookup.StaticHashTable(init, default_value=-1).lookup(tf.constant(["b", "z"])).numpy().tolist()
      [8, -1]
    """

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = convert(keys, dtype=key_dtype)
        self._values = convert(values, dtype=value_dtype)
        self._name = name or "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table):
        """Fills a table; in a graph, returns the operation that does.

        Raises:
          TypeError: the table has other dtypes.
          InvalidArgumentError: there are no keys; while a graph is built, the graph's run raises no error.
        """
        self._check(table)
        if executing_eagerly() and self._keys.shape.num_elements() == 0:
            raise InvalidArgumentError(None, None, "keys and values cannot be empty tensors.")
        with name_scope(self._name):
            return op("LookupTableImportV2")(table_handle=table.resource_handle, keys=self._keys, values=self._values)


@export("lookup.TextFileIndex")
class TextFileIndex:
    """What a `tf.lookup.TextFileInitializer` takes from a line: its number or all of it; an index from 0 is a field.

    Example:
      >>> import tracefn as tf
      >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
      (-2, -1)
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


def _check_index(index: int, dtype, what: str) -> None:
    if index < -2:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype != int64:
        condition = "if `key_index` is" if what == "key" else "for `value_index`"
        raise ValueError(f"`{what}_dtype` must be int64 {condition} {TextFileIndex.LINE_NUMBER}, received: {dtype}")
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != string:
        raise ValueError(f"`{what}_dtype` should be either integer or string for `{what}_index` "
                         f"{TextFileIndex.WHOLE_LINE}, received: {dtype}")


@export("lookup.TextFileInitializer")
class TextFileInitializer(TableInitializerBase):
    r"""Fills a table from the lines of a file.

    Args:
      filename: str, path, or scalar string tensor.
      key_dtype, value_dtype: dtypes of keys and values.
      key_index, value_index: what they are: a field of the line, counted from 0, or one of `tf.lookup.TextFileIndex`.
      vocab_size: the number of lines to read; None: all.
      delimiter: one character between fields.
      name: name of the op.
      value_index_offset: added to line numbers.

    Raises:
      ValueError: `filename` is empty, or an index does not fit its dtype.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> file = tempfile.NamedTemporaryFile("w", suffix=".txt")
      >>> _ = file.write("emerson 10\nlake 20\n"); file.flush()
      >>> init = tf.lookup.TextFileInitializer(file.name, tf.string, 0, tf.int64, 1, delimiter=" ")
      >>> tf.lookup.StaticHashTable(init, -1).lookup(tf.constant(["lake", "palmer"])).numpy().tolist()
      [20, -1]
    """

    def __init__(
        self,
        filename,
        key_dtype,
        key_index,
        value_dtype,
        value_index,
        vocab_size=None,
        delimiter="\t",
        name=None,
        value_index_offset=0,
    ):
        if not isinstance(filename, _core.Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_index(key_index, self._key_dtype, "key")
        _check_index(value_index, self._value_dtype, "value")
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename = filename
        self._asset = Asset(filename)
        self._key_index, self._value_index = key_index, value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name or "text_file_init"
        self._offset = value_index_offset

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        children = super()._trackable_children(save_type, **kwargs)
        return {**children, "_filename": self._asset} if save_type == "savedmodel" else children

    def initialize(self, table):
        """Fills a table; in a graph, returns the operation that does.

        Raises:
          TypeError: the table has other dtypes.
          NotFoundError: there is no such file.
          InvalidArgumentError: a line does not have the fields that are needed.
        """
        self._check(table)
        # A function that a saved model holds reads the model's copy of the file.
        filename = _core.current_graph().capture_as_input(self._asset.asset_path) if inside_function() else self._filename
        if not isinstance(filename, (_core.Tensor, str, bytes)):
            filename = filename.__fspath__()
        with name_scope(self._name):
            filename = convert(filename, dtype="string", name="asset_filepath")
            graph = _core.current_graph()
            if graph is not None and not inside_function() and filename.op.type == "Const":
                graph.add_to_collection("asset_filepaths", filename)  # saved models of sessions have a copy of the file
            return op("InitializeTableFromTextFileV2")(
                table_handle=table.resource_handle,
                filename=filename,
                key_index=self._key_index,
                value_index=self._value_index,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
                offset=self._offset,
            )
