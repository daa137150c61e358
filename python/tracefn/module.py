"""`tf.Module`: an object that finds the variables and modules in its attributes."""

from __future__ import annotations

import re

from tracefn._decorators import make_decorator
from tracefn._nest.paths import flatten_with_paths
from tracefn._tracking.auto import AutoTrackable
from tracefn._value_text import value_text
from tracefn.framework import name_scope
from tracefn.variable import Variable

_VALID_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


class Module(AutoTrackable):
    """A base class for models and layers.

    Args:
      name: a Python identifier; None: the name of the class in snake case.

    Raises:
      ValueError: `name` is not an identifier.

    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factors = [tf.Variable(2.0, name="a"), tf.Variable(3.0, trainable=False, name="b")]
    >>> scale = Scale()
    >>> scale.name, len(scale.variables), [v.name for v in scale.trainable_variables]
    ('scale', 2, ['a:0'])
    """

    # Attributes that `_flatten` skips; a subclass may add to them.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset(
        ("_self_unconditional_checkpoint_dependencies", "_self_unconditional_dependency_names")
    )

    def __init__(self, name=None):
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not _VALID_NAME.match(name):
            raise ValueError(f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                             "(e.g. a valid class name).")
        self._name = name
        # The scope is that of the place where the module is created, not of where it is used.
        with name_scope(name) as scope_name:
            self._name_scope = name_scope(scope_name)

    @property
    def name(self) -> str:
        """The name given to the constructor, or the name of the class in snake case."""
        return self._name

    @property
    def name_scope(self):
        """A `tf.name_scope` with the name of the module, for use in `with`."""
        return self._name_scope

    @property
    def variables(self) -> tuple:
        """The variables of this module and its submodules, each once.

        Attributes are visited in the order of their names, containers and composite tensors in them are searched, and submodules
        come last.
        """
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple:
        """Those of `variables` that are trainable."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple:
        """Those of `variables` that are not trainable."""
        return tuple(self._flatten(predicate=_is_not_trainable, expand_composites=True))

    @property
    def submodules(self) -> tuple:
        """All modules in this one, recursively, each once.

        >>> outer, inner = tf.Module("outer"), tf.Module("inner")
        >>> outer.parts = {"x": inner}
        >>> outer.submodules == (inner,)
        True
        """
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(self, recursive=True, predicate=None, attribute_traversal_key=None, with_path=False,
                 expand_composites=False):
        """Yields the leaves of the attributes, then those of submodules.

        Args:
          recursive: whether to visit submodules.
          predicate: which leaves to yield; None for all.
          attribute_traversal_key: sort key of attribute names.
          with_path: whether to yield (path, leaf); a leaf is then yielded for each path to it.
          expand_composites: as in `tf.nest.flatten`.
        """
        if predicate is None:
            def predicate(value):
                return True
        walk = _Walk(recursive, predicate, attribute_traversal_key, with_path, expand_composites)
        return walk.leaves(self, (), ())

    @classmethod
    def with_name_scope(cls, method):
        """Decorates a method to run inside the module's name scope.

        >>> class Layer(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def make(self):
        ...         return tf.Variable(1.0, name="w").name
        >>> Layer().make()
        'layer/w:0'
        """
        def in_name_scope(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return make_decorator(method, in_name_scope)


class _Walk:
    """One traversal of a module's attributes."""

    def __init__(self, recursive, predicate, key, with_path, expand_composites):
        self.recursive = recursive
        self.predicate = predicate
        self.key = key
        self.with_path = with_path
        self.expand_composites = expand_composites
        self.seen: set[int] = set()

    def leaves(self, module, path, above):
        """Yields what `_flatten` does for `module`, which lies at `path` inside the modules `above`.

        One that lies inside itself has only its own leaves there.
        """
        self.seen.add(id(module))
        recursive = self.recursive and not any(module is outer for outer in above)
        submodules = []
        attributes = vars(module).copy()  # another thread may set some
        for name in sorted(attributes, key=self.key):
            if name in module._TF_MODULE_IGNORED_PROPERTIES:
                continue
            for leaf_path, leaf in self.attribute(name, attributes[name]):
                if not self.with_path:
                    if id(leaf) in self.seen:
                        continue
                    self.seen.add(id(leaf))
                leaf_path = (*path, name, *leaf_path)
                if self.predicate(leaf):
                    yield (leaf_path, leaf) if self.with_path else leaf
                if recursive and _is_module(leaf):
                    submodules.append((leaf_path, leaf))
        for leaf_path, submodule in submodules:
            yield from self.leaves(submodule, leaf_path, (*above, module))

    def attribute(self, name, value) -> list:
        """The (path, leaf) pairs of one attribute."""
        try:
            return list(flatten_with_paths(value, self.expand_composites))
        except Exception as error:
            raise ValueError(f"Error processing property {name!r} of {value_text(value)}") from error


def _is_module(value) -> bool:
    return isinstance(value, Module)


def _is_variable(value) -> bool:
    return isinstance(value, Variable)


def _is_trainable(value) -> bool:
    return _is_variable(value) and value.trainable


def _is_not_trainable(value) -> bool:
    return _is_variable(value) and not value.trainable


def _snake_case(name: str) -> str:
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name))
    return words.lower()
