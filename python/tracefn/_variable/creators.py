"""`tf.variable_creator_scope`: functions that intercept `tf.Variable(...)`."""

from __future__ import annotations

import abc
import threading
from functools import partial

from tracefn import _core
from tracefn._contexts import context

__all__ = [
    "CreatedThroughScopes",
    "creators_of_thread",
    "outside_scopes",
    "through_creators",
    "variable_creator_scope",
    "with_creators",
]


class _Thread(threading.local):
    creators: tuple = ()  # outermost first


_thread = _Thread()
# Creators get None for it unless the caller gives it.
_LIFTING = "experimental_enable_variable_lifting"


@context
def variable_creator_scope(variable_creator):
    """Inside this scope, `tf.Variable(...)` returns the result of `variable_creator`, also in traces.

    Args:
      variable_creator: callable that takes `next_creator` and the arguments of `tf.Variable` by name.
        `next_creator(**kwargs)` calls the creator of the enclosing scope, or creates the Variable.

    Example:
      >>> import tracefn as tf
      >>> def frozen(next_creator, **kwargs):
      ...     kwargs["trainable"] = False
      ...     return next_creator(**kwargs)
      >>> with tf.variable_creator_scope(frozen):
      ...     v = tf.Variable(1.0)
      >>> v.trainable
      False
    """
    return None, (_core.Setting(_thread, "creators", (*_thread.creators, variable_creator)),)


class CreatedThroughScopes(abc.ABCMeta):
    """The metaclass of `tf.Variable`; its subclasses are created without creators.

    A class may have `_created_by(make, *args, **kwargs)`, which calls `make` with the arguments.
    """

    _created_by = None

    def __call__(cls, *args, **kwargs):
        if cls._created_by is not None:
            return cls._created_by(super().__call__, *args, **kwargs)
        creators = _thread.creators
        if not creators or any(isinstance(base, CreatedThroughScopes) for base in cls.__bases__):
            return super().__call__(*args, **kwargs)
        import inspect  # start-up time: few programs have creators

        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
        lifting = bound.arguments.get(_LIFTING)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        unknown = given.pop("ignored", {})
        return through_creators(super().__call__, **{**given, **unknown, _LIFTING: lifting})


def through_creators(make, **kwargs):
    """What the creators of the scopes around this make of `make(**kwargs)`.

    Only these scopes see the Variable, and only once.
    """
    create = partial(outside_scopes, make)
    for creator in _thread.creators:
        create = partial(creator, create)
    return create(**kwargs)


def outside_scopes(make, **kwargs):
    """Calls `make(**kwargs)` without any creators."""
    with _core.Setting(_thread, "creators", ()):
        return make(**kwargs)


def creators_of_thread() -> tuple:
    """The creators of the scopes around this, outermost first."""
    return _thread.creators


def with_creators(creators: tuple):
    """A context in which the creators are these: those of another thread."""
    return _core.Setting(_thread, "creators", creators)
