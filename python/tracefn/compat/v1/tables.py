"""The tables of `tf.compat.v1.lookup`, which name the operation that fills them."""

from __future__ import annotations

from tracefn._export import export
from tracefn.compat.v1.arguments import today
from tracefn.framework import name_scope
from tracefn.ops.tables import StaticHashTable, StaticVocabularyTable


@export("compat.v1.lookup.StaticHashTable")
class StaticHashTableV1(StaticHashTable):
    """`tf.lookup.StaticHashTable`; in a graph a session runs its `initializer`.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      ...     table = tf.compat.v1.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [7]), 0)
      ...     session.run(table.initializer)
      ...     print(session.run(table.lookup(tf.constant(["a", "b"]))))
      [7 0]
    """

    @property
    def initializer(self):
        """The Operation that fills the table; None eagerly."""
        return self._init_op


@export("compat.v1.lookup.StaticVocabularyTable")
class StaticVocabularyTableV1(StaticVocabularyTable):
    """`tf.lookup.StaticVocabularyTable`; in a graph a session runs its `initializer`."""

    @property
    def initializer(self):
        """The Operation that fills the table of known keys, or one that does nothing; None eagerly."""
        if self._table is not None:
            return self._table._init_op
        with name_scope("init"):
            return today("no_op")()
