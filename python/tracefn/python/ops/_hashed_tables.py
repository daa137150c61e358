"""Tables of ids whose unknown keys are hashed in a way that can be chosen."""

from __future__ import annotations

from typing import Any, NamedTuple

from tracefn._namespaces import root
from tracefn.ops._build import op
from tracefn.ops.tables import LookupInterface, StaticVocabularyTable

tf = root()


class HasherSpec(NamedTuple):
    """How keys are hashed: `hasher` is "fasthash" or "stronghash", `key` what the latter needs.

    Example:
      >>> import tracefn as tf
      >>> tf.python.ops.lookup_ops.FastHashSpec
      HasherSpec(hasher='fasthash', key=None)
    """

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """A hash that nobody can foresee who does not know the key.

    Args:
      key: list or tuple of 2 unsigned ints.

    Raises:
      ValueError: the key has another length.
      TypeError: it holds something else.
    """

    __slots__ = ()

    def __new__(cls, key):
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, received {len(key)}")
        if not all(isinstance(part, int) for part in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


class IdTableWithHashBuckets(StaticVocabularyTable):
    """A table of ids whose unknown keys get ids after the others, by their hashes.

    Args:
      table: table from string or int64 keys to int64 ids, or None: all keys are hashed.
      num_oov_buckets: int, the number of ids for unknown keys; 0: they get the table's default value.
      hasher_spec: HasherSpec.
      name: its name.
      key_dtype: dtype of the keys that are looked up; None: that of the table, or string.

    Raises:
      ValueError: there is neither a table nor an id for unknown keys, or no such hash.
      TypeError: a dtype does not fit, or `hasher_spec` is none.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops import lookup_ops
      >>> table = lookup_ops.IdTableWithHashBuckets(None, 5, lookup_ops.StrongHashSpec([1, 2]))
      >>> table.lookup(tf.constant(["b", "zz"])).numpy().tolist()
      [4, 3]
    """

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None, key_dtype=None):
        if table is None and num_oov_buckets <= 0:
            raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
        wanted = (tf.string if table is None else table.key_dtype) if key_dtype is None else tf.as_dtype(key_dtype)
        if table is not None and table.key_dtype.is_integer != wanted.is_integer:
            kind = "integer" if wanted.is_integer else "non-integer"
            raise TypeError(f"Invalid `key_dtype`, expected {kind} but got {wanted}.")
        if table is not None and table.value_dtype != tf.int64:
            raise TypeError(f"Invalid `value_dtype`: expected int64 but got {table.value_dtype}.")
        if not wanted.is_integer and wanted != tf.string:
            raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {wanted}.")
        if num_oov_buckets > 0:
            _check(hasher_spec)
        self._table = table
        self._num_oov_buckets = num_oov_buckets
        self._hasher = hasher_spec
        LookupInterface.__init__(self, wanted, tf.int64)
        self._name = name

    def _ids_of(self, keys):
        if self._num_oov_buckets > 0:
            return super()._ids_of(keys)
        return self._table.lookup(tf.cast(keys, self._table.key_dtype) if keys.dtype.is_integer else keys)

    def _bucket_of(self, texts):
        if self._hasher.hasher == "fasthash":
            return super()._bucket_of(texts)
        key = list(self._hasher.key)
        return op("StringToHashBucketStrong")(input=texts, num_buckets=self._num_oov_buckets, key=key)


def _check(hasher_spec) -> None:
    if not isinstance(hasher_spec, HasherSpec):
        raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
    if hasher_spec.hasher not in ("fasthash", "stronghash"):
        raise ValueError(f"Found unknown hasher {hasher_spec.hasher} in `hasher_spec`")
