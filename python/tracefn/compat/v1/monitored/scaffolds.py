"""`tf.compat.v1.train.Scaffold`: the ops that a session needs around those of the program."""

from __future__ import annotations

from tracefn._export import export
from tracefn._logging import get_logger
from tracefn.compat.v1.arguments import today
from tracefn.compat.v1.graphs import (
    GraphKeys,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from tracefn.framework import default_graph


def _made_initializer():
    return today("group")(global_variables_initializer(), *_resources(GraphKeys.RESOURCES))


def _made_local_initializer():
    return today("group")(local_variables_initializer(), tables_initializer(), *_resources(GraphKeys.LOCAL_RESOURCES))


def _resources(key: str) -> list:
    """The ops that make the resources of a collection."""
    return [resource.create for resource in default_graph().get_collection(key)]


def _made_ready_op():
    return report_uninitialized_variables()


def _made_ready_for_local_init_op():
    return report_uninitialized_variables(default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES))


def default_saver():
    """The Saver of the default graph, made if there is none.

    Raises:
      RuntimeError: there are several.
    """
    savers = default_graph().get_collection_ref(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError("Multiple items in collection SAVERS. Please indicate which one to use.")
    if not savers:
        savers.append(today("compat.v1.train.Saver")(sharded=True, allow_empty=True))
    return savers[0]


# What a Scaffold makes by default: the collection of the op, and the function that makes it.
_DEFAULTS = {
    "init_op": (GraphKeys.INIT_OP, _made_initializer),
    "ready_op": (GraphKeys.READY_OP, _made_ready_op),
    "ready_for_local_init_op": (GraphKeys.READY_FOR_LOCAL_INIT_OP, _made_ready_for_local_init_op),
    "local_init_op": (GraphKeys.LOCAL_INIT_OP, _made_local_initializer),
    "summary_op": (GraphKeys.SUMMARY_OP, lambda: today("compat.v1.summary.merge_all")()),
}


@export("compat.v1.train.Scaffold")
class Scaffold:
    """The ops that initialize, check and save a program's graph; what is not given is made by `finalize()`.

    Args:
      init_op: Operation that initializes the Variables; by default the global ones.
      init_feed_dict: dict from tensors to values for `init_op`, or None.
      init_fn: function that is called with this object and the session after `init_op`, or None.
      ready_op: string vector, empty once the session can be used; by default the names of Variables without a value.
      ready_for_local_init_op: string vector, empty once `local_init_op` can run; by default the names of global Variables
        without a value.
      local_init_op: Operation that runs in every new session; by default it initializes local Variables and tables.
      summary_op: string scalar, the merged summaries; by default all of the graph.
      saver: `tf.compat.v1.train.Saver`; by default one of all Variables.
      copy_from_scaffold: Scaffold whose parts are used where none is given here, or None.
      local_init_feed_dict: dict from tensors to values for `local_init_op`, or None.

    Raises:
      TypeError: `copy_from_scaffold` is no Scaffold.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default() as graph:
      ...     w = tf.compat.v1.get_variable("w", [2])
      ...     scaffold = tf.compat.v1.train.Scaffold().finalize()
      >>> graph.finalized, scaffold.ready_op.dtype
      (True, tf.string)
    """

    def __init__(
        self,
        init_op=None,
        init_feed_dict=None,
        init_fn=None,
        ready_op=None,
        ready_for_local_init_op=None,
        local_init_op=None,
        summary_op=None,
        saver=None,
        copy_from_scaffold=None,
        local_init_feed_dict=None,
    ) -> None:
        other = copy_from_scaffold
        if other is not None and not isinstance(other, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def given(name: str, value):
            return getattr(other, name) if value is None and other is not None else value

        self._init_op = given("init_op", init_op)
        self._init_feed_dict = given("init_feed_dict", init_feed_dict)
        self._user_init_fn = given("_user_init_fn", init_fn)
        self._ready_op = given("ready_op", ready_op)
        self._ready_for_local_init_op = given("ready_for_local_init_op", ready_for_local_init_op)
        self._local_init_op = given("local_init_op", local_init_op)
        self._local_init_feed_dict = given("local_init_feed_dict", local_init_feed_dict)
        self._summary_op = given("summary_op", summary_op)
        self._saver = given("saver", saver)

    def finalize(self):
        """Makes what is missing, and ends the building of the default graph.

        Returns:
          This object.
        """
        for name in _DEFAULTS:
            if getattr(self, f"_{name}") is None:
                setattr(self, f"_{name}", Scaffold.default(name))
        if self._saver is None:
            self._saver = default_saver()
        self._saver.build()
        default_graph().finalize()
        get_logger().info("Graph was finalized.")
        return self

    @property
    def init_fn(self):
        """A function of the session that calls the given `init_fn`; None without one."""
        function = self._user_init_fn
        return None if function is None else lambda session: function(self, session)

    @property
    def init_op(self):
        """The Operation that initializes the Variables."""
        return self._init_op

    @property
    def ready_op(self):
        """The names of what is not initialized, a string vector."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self):
        """The names of what must be initialized before `local_init_op` runs, a string vector."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self):
        """The Operation that runs in every new session."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self):
        """The values for `local_init_op`."""
        return self._local_init_feed_dict

    @property
    def summary_op(self):
        """The merged summaries; None if there are none."""
        return self._summary_op

    @property
    def saver(self):
        """The Saver."""
        return self._saver

    @property
    def init_feed_dict(self):
        """The values for `init_op`."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """The one element of a collection of the default graph, made if it is empty.

        Args:
          arg_name: str, the argument that would give it.
          collection_key: name of the collection.
          default_constructor: function without arguments.

        Raises:
          RuntimeError: the collection has several elements.
        """
        found = default_graph().get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing it to the '
                f"tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            default_graph().add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default(name: str):
        """The part of that name which a Scaffold without arguments has."""
        return Scaffold.get_or_default(name, *_DEFAULTS[name])

    @staticmethod
    def default_local_init_op():
        """An Operation that initializes the local Variables, tables and resources of the default graph."""
        return _made_local_initializer()
