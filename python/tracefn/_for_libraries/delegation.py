"""`tf.__internal__.tracking.DelegatingTrackableMixin`: an object whose children are those of another."""

from __future__ import annotations

_METHODS = (
    "_maybe_initialize_trackable",
    "_add_variable_with_custom_getter",
    "_preload_simple_restoration",
    "_track_trackable",
    "_handle_deferred_dependencies",
    "_gather_saveables_for_checkpoint",
    "_lookup_dependency",
    "_trackable_children",
    "_deferred_dependencies",
    "_no_dependency",
    "_name_based_attribute_restore",
)
_ATTRIBUTES = (
    "_setattr_tracking",
    "_update_uid",
    "_unconditional_checkpoint_dependencies",
    "_unconditional_dependency_names",
    "_name_based_restores",
    "_self_saveable_object_factories",
    "_deferred_dependencies",
    "_unconditional_deferred_dependencies",
)


class DelegatingTrackableMixin:
    """A base class of a wrapper, before its class of trackable objects: it answers for what it wraps.

    Args:
      trackable_obj: the object that is wrapped.

    Example:
      >>> import tracefn as tf
      >>> class Wrapper(tf.__internal__.tracking.DelegatingTrackableMixin, tf.__internal__.tracking.Trackable):
      ...     pass
      >>> inner = tf.Module()
      >>> inner.part = tf.Module()
      >>> list(Wrapper(inner)._trackable_children())
      ['part']
    """

    def __init__(self, trackable_obj) -> None:
        object.__setattr__(self, "_trackable", trackable_obj)


def _method(name: str):
    def call(self, *args, **kwargs):
        return getattr(self._trackable, name)(*args, **kwargs)

    call.__name__ = name
    call.__doc__ = f"`{name}` of what is wrapped."
    return call


def _attribute(name: str) -> property:
    return property(lambda self: getattr(self._trackable, name), lambda self, value: setattr(self._trackable, name, value))


for _name in _METHODS:
    setattr(DelegatingTrackableMixin, _name, _method(_name))
for _name in _ATTRIBUTES:
    setattr(DelegatingTrackableMixin, _name, _attribute(_name))
