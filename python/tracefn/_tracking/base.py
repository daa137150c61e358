"""`tf.__internal__.tracking.Trackable`: an object that knows its children by name."""

from __future__ import annotations

import contextlib
import functools

from tracefn import _core

# Functions are native, and trackable too.
_FUNCTIONS = (_core.Function, _core.ConcreteFunction)


class TrackableReference:
    """A child and its name. It is no tuple: Keras walks into the tuples that an object holds.

    Args:
      name: str.
      ref: the child, a Trackable.
    """

    __slots__ = ("name", "ref")

    def __init__(self, name: str, ref) -> None:
        self.name = name
        self.ref = ref

    def __iter__(self):
        return iter((self.name, self.ref))

    def __eq__(self, other) -> bool:
        return isinstance(other, (TrackableReference, tuple)) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # as in TensorFlow

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name}, ref={self.ref})"


class Trackable:
    """The base of objects whose state checkpoints hold: their children are such objects, by name.

    Example:
      >>> import tracefn as tf
      >>> parent, child = tf.Module(), tf.Module()
      >>> parent.part = child
      >>> parent._trackable_children() == {"part": child}
      True
    """

    # The attributes have TensorFlow's names, for libraries use them; "_self_" keeps proxies of containers from passing them on.
    _self_setattr_tracking: bool
    _self_unconditional_checkpoint_dependencies: list
    _self_unconditional_dependency_names: dict
    _self_unconditional_deferred_dependencies: dict
    _self_name_based_restores: set
    _self_saveable_object_factories: dict
    _self_update_uid: int

    @property
    def _setattr_tracking(self) -> bool:
        return getattr(self, "_self_setattr_tracking", True)

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        self._self_setattr_tracking = value

    @property
    def _update_uid(self) -> int:
        return self._self_update_uid

    @_update_uid.setter
    def _update_uid(self, value: int) -> None:
        self._self_update_uid = value

    def _maybe_initialize_trackable(self) -> None:
        if hasattr(self, "_self_unconditional_checkpoint_dependencies"):
            return
        with without_tracking(self):
            self._self_unconditional_checkpoint_dependencies = []
            self._self_unconditional_dependency_names = {}
            self._self_unconditional_deferred_dependencies = {}
            self._self_update_uid = -1
            self._self_name_based_restores = set()
            self._self_saveable_object_factories = {}

    @property
    def _unconditional_checkpoint_dependencies(self) -> list:
        return self._self_unconditional_checkpoint_dependencies

    @property
    def _unconditional_dependency_names(self) -> dict:
        return self._self_unconditional_dependency_names

    @property
    def _checkpoint_dependencies(self) -> list:
        self._maybe_initialize_trackable()
        return self._self_unconditional_checkpoint_dependencies

    @property
    def _deferred_dependencies(self) -> dict:
        self._maybe_initialize_trackable()
        return self._self_unconditional_deferred_dependencies

    @property
    def _object_identifier(self) -> str:
        return "_generic_user_object"

    def _no_dependency(self, value):
        return value

    def _lookup_dependency(self, name, cached_dependencies=None):
        if cached_dependencies:
            return cached_dependencies.get(name)
        self._maybe_initialize_trackable()
        return self._self_unconditional_dependency_names.get(name)

    def _track_trackable(self, trackable, name, overwrite=False):
        """Adds a child.

        Args:
          trackable: the child.
          name: str.
          overwrite: whether it may take the place of another child of this name.

        Returns:
          `trackable`.

        Raises:
          TypeError: `trackable` is no Trackable.
          ValueError: the name is taken, and `overwrite` false.
        """
        self._maybe_initialize_trackable()
        if not is_trackable(trackable):
            raise TypeError(
                f"Trackable._track_trackable() can only be used to track objects of type Trackable. Got type {type(trackable)}."
            )
        if not getattr(self, "_manual_tracking", True):
            return trackable
        current = self._lookup_dependency(name)
        if current is not None and current is not trackable:
            if not overwrite:
                raise ValueError(
                    f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                    "declared as a dependency. Names must be unique (or overwrite=True)."
                )
            children = self._self_unconditional_checkpoint_dependencies
            children[:] = [child if child.name != name else TrackableReference(name, trackable) for child in children]
        self._self_unconditional_dependency_names[name] = trackable
        if current is None:
            self._self_unconditional_checkpoint_dependencies.append(TrackableReference(name, trackable))
            self._handle_deferred_dependencies(name, trackable)
        return trackable

    def _handle_deferred_dependencies(self, name, trackable) -> None:
        """Gives a new child the values that wait for one of its name, those of the latest restore first."""
        waiting = self._deferred_dependencies.pop(name, ())
        for position in sorted(waiting, key=lambda position: position.checkpoint.restore_uid, reverse=True):
            position.restore(trackable)
        for restore in sorted(self._self_name_based_restores, key=lambda restore: restore.restore_uid, reverse=True):
            if hasattr(trackable, "_name_based_attribute_restore"):
                trackable._name_based_attribute_restore(restore)

    @property
    def _name_based_restores(self) -> set:
        return self._self_name_based_restores

    def _name_based_attribute_restore(self, checkpoint) -> None:
        """Takes the values that a checkpoint without objects has under the names of TensorFlow 1, now or for children to come."""
        self._maybe_initialize_trackable()
        self._self_name_based_restores.add(checkpoint)
        if self._self_update_uid < checkpoint.restore_uid:
            checkpoint.eager_restore(self)
            self._self_update_uid = checkpoint.restore_uid

    def _preload_simple_restoration(self, name):
        """A function that returns the value that waits for a Variable of this name; None if none does."""
        waiting = self._deferred_dependencies.get(name, ())
        if not waiting or not all(position.is_simple_variable() for position in waiting):
            return None
        return CheckpointInitialValueCallable(max(waiting, key=lambda position: position.checkpoint.restore_uid))

    def _add_variable_with_custom_getter(
        self, name, shape=None, dtype=None, initializer=None, getter=None, overwrite=False, **kwargs_for_getter
    ):
        """A new Variable as a child; its initial value is the one that waits for it, if there is one.

        Args:
          name: str.
          shape, dtype, initializer: the Variable's.
          getter: function with these parameters that makes it.
          overwrite: whether it may take the place of another child.
          **kwargs_for_getter: further arguments of `getter`.
        """
        self._maybe_initialize_trackable()
        waiting = self._preload_simple_restoration(name) if _core.current_graph() is None else None
        if waiting is not None and getattr(initializer, "restore_uid", -1) <= waiting.restore_uid:
            initializer = waiting
        made = getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter)
        if overwrite and not is_trackable(made):
            return made
        return self._track_trackable(made, name=name, overwrite=overwrite)

    def _delete_tracking(self, name) -> None:
        """Removes a child, if there is one of this name."""
        names = getattr(self, "_self_unconditional_dependency_names", {})
        if names.pop(name, None) is not None:
            children = self._self_unconditional_checkpoint_dependencies
            children[:] = [child for child in children if child.name != name]

    def _trackable_children(self, save_type="checkpoint", **kwargs) -> dict:
        """The children by their names."""
        del save_type, kwargs
        return dict(self._checkpoint_dependencies)

    def _add_trackable_child(self, name, value) -> None:
        setattr(self, name, value)

    def _deserialization_dependencies(self, children) -> dict:
        del children
        return {}

    def _gather_saveables_for_checkpoint(self) -> dict:
        return getattr(self, "_self_saveable_object_factories", {})

    def _serialize_to_tensors(self) -> dict:
        """The tensors that a checkpoint keeps of the object itself, by name. Subclasses with values define it.

        Raises:
          NotImplementedError: the object has none.
        """
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors):
        """Takes back the tensors of `_serialize_to_tensors`.

        Raises:
          NotImplementedError: the object has none.
        """
        raise NotImplementedError

    def _copy_trackable_to_cpu(self, object_map) -> None:
        del object_map
        raise NotImplementedError(
            "Need to implement _copy_trackable_to_cpu() if the Trackable requires AsyncCheckpoint support."
        )

    def _checkpoint_adapter(self, path: str) -> None:
        """No object changes the layout of what it restores."""
        del path


class CheckpointInitialValueCallable:
    """A function that reads the initial value of a Variable from a checkpoint.

    Args:
      checkpoint_position: where it is in the checkpoint.
    """

    def __init__(self, checkpoint_position) -> None:
        self._checkpoint_position = checkpoint_position

    @property
    def checkpoint_position(self):
        """Where the value is in the checkpoint."""
        return self._checkpoint_position

    @property
    def restore_uid(self) -> int:
        """The number of the restore."""
        return self._checkpoint_position.restore_uid

    def __call__(self, shape=None, dtype=None, shard_info=None):
        """The value."""
        del shape, dtype, shard_info
        return self._checkpoint_position.value_tensors()["VARIABLE_VALUE"]


def is_trackable(value) -> bool:
    """Whether a value is a Trackable, or a native object that counts as one."""
    return isinstance(value, (Trackable, *_FUNCTIONS))


@contextlib.contextmanager
def without_tracking(trackable):
    """A context in which attributes that are set do not become children, and containers are not wrapped."""
    before = getattr(trackable, "_self_setattr_tracking", True)
    trackable._self_setattr_tracking = False
    try:
        yield
    finally:
        trackable._self_setattr_tracking = before


def no_automatic_dependency_tracking(method):
    """A method in which attributes that are set do not become children of the object, and containers are not wrapped.

    Example:
      >>> import tracefn as tf
      >>> class Holder(tf.Module):
      ...     @tf.__internal__.tracking.no_automatic_dependency_tracking
      ...     def hold(self, value):
      ...         self.value = value
      >>> holder = Holder()
      >>> holder.hold([1])
      >>> type(holder.value)
      <class 'list'>
    """

    @functools.wraps(method)
    def untracked(self, *args, **kwargs):
        before = getattr(self, "_self_setattr_tracking", True)
        self._self_setattr_tracking = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self._self_setattr_tracking = before

    return untracked
