"""`tensorflow.python.trackable.trackable_utils`: paths of objects, keys in checkpoints, and the order of dependencies."""

from __future__ import annotations

from tracefn._checkpoint.object_graph import attribute_key
from tracefn._checkpoint.object_graph import escaped as escape_local_name
from tracefn._checkpoint.object_graph import path_text as object_path_to_string
from tracefn._checkpoint.object_graph import slot_path as slot_variable_key

__all__ = [
    "CyclicDependencyError",
    "OBJECT_ATTRIBUTES_NAME",
    "SERIALIZE_TO_TENSORS_NAME",
    "checkpoint_key",
    "escape_local_name",
    "extract_local_name",
    "extract_object_name",
    "object_path_to_string",
    "order_by_dependency",
    "pretty_print_node_path",
    "slot_variable_key",
]

OBJECT_ATTRIBUTES_NAME = ".ATTRIBUTES"
SERIALIZE_TO_TENSORS_NAME = ".TENSORS"


class CyclicDependencyError(Exception):
    """Objects depend on each other; `leftover_dependency_map` has a list of dependencies for each of them."""

    def __init__(self, leftover_dependency_map) -> None:
        self.leftover_dependency_map = leftover_dependency_map
        super().__init__()


def order_by_dependency(dependency_map):
    """The keys of a dict, each behind those that it depends on.

    Args:
      dependency_map: dict from hashable objects to lists of other keys.

    Returns:
      An iterator over the keys.

    Raises:
      ValueError: an object depends on one that is no key.
      CyclicDependencyError: objects depend on each other.

    Example:
      >>> from tracefn.python.trackable.trackable_utils import order_by_dependency
      >>> list(order_by_dependency({"a": ["b"], "b": ["c"], "c": []}))
      ['c', 'b', 'a']
    """
    needs = {key: set(found) for key, found in dependency_map.items()}
    unknown = set().union(*needs.values()) - needs.keys()
    if unknown:
        raise ValueError(f"Found values in the dependency map which are not keys: {unknown}")
    users = {key: {other for other, found in needs.items() if key in found} for key in needs}
    ordered = [key for key, found in users.items() if not found]
    for key in ordered:  # the list grows
        for other in needs[key]:
            users[other].discard(key)
            if not users[other]:
                ordered.append(other)
    left = needs.keys() - set(ordered)
    if left:
        cycle = {key: [other for other in needs if key in users[other]] for key in needs}
        raise CyclicDependencyError({key: found for key, found in cycle.items() if found})
    return reversed(ordered)


def pretty_print_node_path(path) -> str:
    """The path of an object: of the references to it, from the root."""
    return ".".join(["root", *(reference.name for reference in path)]) if path else "root object"


def checkpoint_key(object_path: str, local_name: str) -> str:
    """The key in checkpoints of a value of an object.

    Example:
      >>> from tracefn.python.trackable.trackable_utils import checkpoint_key
      >>> checkpoint_key("model/v", "a/b")
      'model/v/.ATTRIBUTES/a.Sb'
    """
    return attribute_key(object_path, "" if local_name == SERIALIZE_TO_TENSORS_NAME else local_name)


def extract_object_name(key: str) -> str:
    """The path of the object in a key.

    Raises:
      ValueError: the key has none.
    """
    return key[: key.index(f"/{OBJECT_ATTRIBUTES_NAME}")]


def extract_local_name(key: str, prefix: str | None = None) -> str:
    """What follows in a key on ".ATTRIBUTES/" and a prefix; a key without these is returned as it is."""
    _, found, rest = key.partition(f"{OBJECT_ATTRIBUTES_NAME}/{prefix or ''}")
    return rest if found else key
