"""`tf.compat.v1.make_template`: functions that make their Variables in the first call and find them again in the others."""

from __future__ import annotations

import contextlib
import functools

from tracefn._export import export
from tracefn._tracking.base import Trackable
from tracefn.compat.v1.variable_scopes import AUTO_REUSE, EagerVariableStore, current_store, variable_scope
from tracefn.framework import default_graph, executing_eagerly


@export("compat.v1.make_template")
def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """A function whose Variables are made in its first call, and used again in the others.

    Args:
      name_: name of its variable scope.
      func_: function that makes Variables by `get_variable`.
      create_scope_now_: whether the scope gets its name now instead of in the first call.
      unique_name_: name of the scope that need not be made unique, or None; None while ops run eagerly.
      custom_getter_: as in `variable_scope`.
      **kwargs: arguments of `func_`.

    Returns:
      Template, a function with the properties `variables` and `trainable_variables`.

    Raises:
      ValueError: `name_` is None, or `unique_name_` is given while ops run eagerly.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     def scaled(x):
      ...         return x * tf.compat.v1.get_variable("w", [])
      ...     scale = tf.compat.v1.make_template("scale", scaled)
      ...     y, z = scale(1.0), scale(2.0)
      ...     print([v.name for v in scale.variables])
      ['scale/w:0']
    """
    function = functools.partial(func_, **kwargs) if kwargs else func_
    if not executing_eagerly():
        return Template(name_, function, create_scope_now_, unique_name_, custom_getter_)
    if unique_name_ is not None:
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    return EagerTemplate(name_, function, create_scope_now_, None, custom_getter_)


class Template(Trackable):
    """A function that makes its Variables, which belong to a graph, in its first call."""

    def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._name = name
        self._func = func
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._variable_scope = None
        self._variables_created = False
        if create_scope_now:
            with self._new_scope(auxiliary_name_scope=False) as scope:
                self._variable_scope = scope

    def _new_scope(self, **options):
        default = None if self._unique_name else self._name
        return variable_scope(self._unique_name, default, custom_getter=self._custom_getter, **options)

    def _scope(self):
        """The scope of a call: in the first one, it gets its name."""
        if self._variable_scope is None:
            return self._new_scope()
        return variable_scope(self._variable_scope, reuse=self._variables_created or AUTO_REUSE)

    def __call__(self, *args, **kwargs):
        with self._scope() as scope, self._store():
            self._variable_scope = self._variable_scope or scope
            before = len(self._known("trainable_variables")) if self._variables_created else None
            result = self._func(*args, **kwargs)
            if before is not None and len(self._known("trainable_variables")) != before:
                raise ValueError(
                    "Trainable variable created when calling a template after the first time, perhaps you used tf.Variable "
                    f"when you meant tf.get_variable: {self._known('trainable_variables')[before:]}"
                )
        self._variables_created = True
        return result

    def _store(self):
        """A context in which Variables are found again."""
        return contextlib.nullcontext()

    def _known(self, collection: str) -> list:
        """All that are in a collection."""
        return default_graph().get_collection(collection)

    def _made(self, collection: str) -> list:
        """The Variables of this function in a collection."""
        return default_graph().get_collection(collection, self.variable_scope_name) if self._variables_created else []

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    @property
    def func(self):
        """The function that it was given."""
        return self._func

    @property
    def variable_scope(self):
        """Its VariableScope; None before there is one."""
        return self._variable_scope

    @property
    def variable_scope_name(self) -> str | None:
        """The prefix of the names of its Variables; None before there is one."""
        name = None if self._variable_scope is None else self._variable_scope.name
        return f"{name}/" if name and not name.endswith("/") else name

    @property
    def var_scope(self):
        """The same as `variable_scope`."""
        return self._variable_scope

    @property
    def variables(self) -> list:
        """Its Variables, local ones last."""
        return self.global_variables + self.local_variables

    @property
    def trainable_variables(self) -> list:
        """Its trainable Variables."""
        return self._made("trainable_variables")

    @property
    def non_trainable_variables(self) -> list:
        """The others, without local ones."""
        return [v for v in self.global_variables if not v.trainable]

    @property
    def global_variables(self) -> list:
        """Its Variables that are not local."""
        return self._made("variables")

    @property
    def local_variables(self) -> list:
        """Its local Variables."""
        return self._made("local_variables")

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables


class EagerTemplate(Template):
    """A Template whose Variables it keeps itself."""

    def __init__(self, *args) -> None:
        self._variable_store = EagerVariableStore()
        super().__init__(*args)

    def _store(self):
        around = current_store()
        if around.keeps_eager and not self._variables_created:
            self._variable_store = EagerVariableStore(around)  # that of the function that calls this one
        return self._variable_store.as_default()

    def _known(self, collection: str) -> list:
        store = self._variable_store
        found = store.trainable_variables() if collection == "trainable_variables" else store.variables()
        return [v for v in found if v.name.startswith(self.variable_scope_name or "")]

    def _made(self, collection: str) -> list:
        return self._known(collection) if self._variables_created and collection != "local_variables" else []
