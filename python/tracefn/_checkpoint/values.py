"""What a checkpoint holds of one object: its tensors with their keys, and how values are given back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tracefn import _core
from tracefn._checkpoint.object_graph import PYTHON_STATE, Attribute, attribute_key, escaped, path_of_key
from tracefn._checkpoint.python_state import PythonState
from tracefn._checkpoint.saveable import SaveableObject, SaveSpec
from tracefn._tracking.base import Trackable
from tracefn._tracking.tensor_callable import TensorCallable
from tracefn.framework import init_scope
from tracefn.variable import Variable


class SavedTensor(NamedTuple):
    """A tensor to save.

    Attributes:
      key: its name in the checkpoint.
      slice_spec: which part of a larger tensor it is; "" if it is whole.
      tensor: the tensor.
    """

    key: str
    slice_spec: str
    tensor: Any


class Wanted(NamedTuple):
    """A tensor to restore: its key, which part of it, its dtype."""

    key: str
    slice_spec: str
    dtype: Any


class Restoration(NamedTuple):
    """The tensors that an object wants, and the function that takes them; what it returns are ops to run, or nothing."""

    wanted: list[Wanted]
    restore: Callable[[list], Any]
    owner: Any = None


def _has_serialize(trackable) -> bool:
    """Whether its class, rather than one that it derives from, defines `_serialize_to_tensors`."""
    if "_serialize_to_tensors" in getattr(trackable, "__dict__", {}):
        return True
    for cls in type(trackable).__mro__:
        if cls is Trackable:
            return False
        if "_serialize_to_tensors" in vars(cls):
            return True
        if "_gather_saveables_for_checkpoint" in vars(cls):
            return False
    return False


def _factories(trackable) -> dict:
    gather = getattr(trackable, "_gather_saveables_for_checkpoint", None)  # native Functions have none
    return {} if gather is None else gather()


def common_name(trackable) -> str:
    """With what the names of the tensors of an object begin, which its checkpoint takes for one; "" for most objects."""
    return getattr(type(trackable), "_common_name_of_tensors", "")


def older_saveables(trackable) -> list[SaveableObject] | None:
    """What an object of the older interface saves under keys of its own; None for other objects."""
    if _has_serialize(trackable):
        return None
    factories = _factories(trackable).values()
    return [one for factory in factories for one in _specs_of(factory() if callable(factory) else factory, "")]


def has_values(trackable) -> bool:
    """Whether a checkpoint holds values of the object itself."""
    return _has_serialize(trackable) or bool(_factories(trackable))


def full_name(trackable) -> str:
    """The name under which TensorFlow 1 would save a Variable; "" for other objects."""
    if isinstance(trackable, Variable) or hasattr(trackable, "_should_act_as_resource_variable"):
        info = getattr(trackable, "_save_slice_info", None)
        return trackable._shared_name if info is None else info.full_name
    return ""


def slice_spec_of(variable) -> str:
    """Which part of a larger tensor a Variable is; "" if it is whole."""
    info = getattr(variable, "_save_slice_info", None)
    return "" if info is None else info.spec


def _slices(value) -> dict:
    """The parts of a value of `_serialize_to_tensors`, by their slice specifications."""
    return value if isinstance(value, dict) else {"": value}


def _specs_of(made, key: str) -> list[SaveableObject]:
    """What a factory has made for a key."""
    if isinstance(made, SaveableObject) or hasattr(made, "specs"):
        return [made]
    if isinstance(made, Variable):
        return [VariableSaveable(made, "", key)]
    if isinstance(made, (list, tuple)):
        return [saveable for one in made for saveable in _specs_of(one, key)]
    if isinstance(made, _core.Tensor):
        return [SaveableObject(made, [SaveSpec(made, "", key)], key)]
    raise TypeError(f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {made}")


class VariableSaveable(SaveableObject):
    """A Variable under a key.

    Args:
      variable: the Variable.
      slice_spec: str, which part of a larger tensor it is; "" if it is whole.
      name: str, the key.
    """

    def __init__(self, variable, slice_spec, name) -> None:
        super().__init__(variable, [SaveSpec(variable.value, slice_spec, name, variable.dtype, variable.device)], name)

    def restore(self, restored_tensors, restored_shapes):
        """Assigns the value."""
        del restored_shapes
        return assign_restored(self.op, restored_tensors[0])


def assign_restored(variable, value):
    """Assigns a restored value to a Variable.

    Raises:
      ValueError: the shapes are not compatible.
    """
    return variable._restore_from_tensors({"VARIABLE_VALUE": value})


def _named_saveables(trackable, path: str) -> list[tuple[str, str, list[SaveableObject]]]:
    """(name, key, what is saved) of an object of the older interface."""
    found = []
    for name, factory in _factories(trackable).items():
        key = attribute_key(path, name)
        found.append((name, key, _specs_of(factory(name=key) if callable(factory) else factory, key)))
    return found


def serialize(trackable, path: str) -> tuple[list[Attribute], list[SavedTensor]]:
    """What to write of an object that is at a path."""
    name_in_graph = full_name(trackable)
    attributes: list[Attribute] = []
    tensors: list[SavedTensor] = []
    if not _has_serialize(trackable):
        for name, key, saveables in _named_saveables(trackable, path):
            attributes.append(Attribute(name, name_in_graph, key))
            tensors += [
                SavedTensor(_text(spec.name), _text(spec.slice_spec), spec)
                for saveable in saveables
                for spec in saveable.specs
            ]
        return attributes, tensors
    start = common_name(trackable)
    if start:
        attributes.append(Attribute(start, name_in_graph, attribute_key(path, start)))
    for name, value in trackable._serialize_to_tensors().items():
        local = start + escaped(name)
        key = attribute_key(path, local)
        if not start:
            attributes.append(Attribute(local, name_in_graph, key))
        tensors += [SavedTensor(key, slice_spec, tensor) for slice_spec, tensor in _slices(value).items()]
    return attributes, tensors


def evaluated(tensors: list[SavedTensor]) -> list[SavedTensor]:
    """The same with the tensors of functions, without those that are None."""
    found = []
    for key, slice_spec, tensor in tensors:
        value = tensor.tensor if isinstance(tensor, TensorCallable) or hasattr(tensor, "slice_spec") else tensor
        if value is not None:
            found.append(SavedTensor(key, slice_spec or "", _core.convert_to_tensor(value)))
    return found


def _text(value) -> str:
    """A str given as such or as a tensor."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bytes):
        return value.decode()
    return value.numpy().decode()


def restorations(trackable, node, reader, unused: Callable[[str], None]) -> list[Restoration]:
    """How an object takes the values of a node of a checkpoint.

    Args:
      trackable: the object.
      node: Node.
      reader: CheckpointReader.
      unused: called with the names of values that the object does not know.

    Raises:
      ValueError: the node's values were saved by a registered function.
    """
    if node.registered_saver is not None and node.registered_saver.name:
        raise ValueError(
            f"The checkpoint holds an object that was saved by the registered function {node.registered_saver.name!r}. "
            "Registered functions are not supported."
        )
    if not node.attributes:
        return []
    if isinstance(trackable, PythonState):
        return [_python_state(trackable, attribute, reader) for attribute in node.attributes]
    if _has_serialize(trackable):
        keys = {attribute.name: attribute.checkpoint_key for attribute in node.attributes}
        start = path_of_key(node.attributes[0].checkpoint_key) + common_name(trackable)
        return [serialized(trackable, lambda name: keys.get(escaped(name), start + escaped(name)))]
    factories = _factories(trackable)
    made: set[str] = set()
    found = []
    for attribute in node.attributes:
        if any(attribute.name.startswith(name) for name in made):
            continue
        name, key = attribute.name, attribute.checkpoint_key
        if name not in factories:
            # Other versions of a class may save a value as several, whose names begin with the older one.
            close = [one for one in factories if attribute.name.startswith(one)]
            if len(close) > 1:
                raise ValueError(
                    "Forward compatibility load error: Unable to load checkpoint saved in future version of TensorFlow. Please "
                    "update your version of TensorFlow to the version in which the checkpoint was saved."
                )
            if not close:
                unused(attribute.name)
                continue
            name, key = close[0], path_of_key(key) + close[0]
            made.add(name)
        factory = factories[name]
        for saveable in _specs_of(factory(name=key) if callable(factory) else factory, key):
            found.append(of_saveable(saveable))
    return found


def of_saveable(saveable) -> Restoration:
    """How a SaveableObject takes its values."""
    wanted = [Wanted(_text(spec.name), _text(spec.slice_spec), spec.dtype) for spec in saveable.specs]
    return Restoration(wanted, lambda values: saveable.restore(values, restored_shapes=None), saveable.op)


def _python_state(trackable, attribute, reader) -> Restoration:
    def restore(values) -> None:
        del values
        with init_scope():
            trackable.deserialize(reader.get_tensor(attribute.checkpoint_key))

    return Restoration([], restore, trackable)


def serialized(trackable, key_of: Callable[[str], str]) -> Restoration:
    """How an object takes the values of its `_serialize_to_tensors`, with the key for each name."""
    names: list[tuple[str, str | None]] = []
    wanted: list[Wanted] = []
    for name, value in trackable._serialize_to_tensors().items():
        for slice_spec, tensor in _slices(value).items():
            names.append((name, slice_spec if isinstance(value, dict) else None))
            wanted.append(Wanted(key_of(name), slice_spec, tensor.dtype))

    def restore(values):
        given: dict = {}
        for (name, slice_spec), value in zip(names, values, strict=True):
            if slice_spec is None:
                given[name] = value
            else:
                given.setdefault(name, {})[slice_spec] = value
        return trackable._restore_from_tensors(given)

    return Restoration(wanted, restore, trackable)


def is_python_state(trackable) -> bool:
    """Whether its value is a Python str or bytes, asked for at every save."""
    return isinstance(trackable, PythonState)


def python_state_key(path: str) -> str:
    """The key of the value of a PythonState."""
    return attribute_key(path, PYTHON_STATE)
