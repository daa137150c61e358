"""Names of `tf.__internal__` that are missing here: modules of libraries mention them, and using one raises an error."""

from __future__ import annotations

import types

from tracefn._missing import missing
from tracefn.as_tensorflow.placeholder import placeholder

_NAMES = {
    "": "execute_fn_for_device lift_to_graph",
    "distribute.multi_process_runner": (
        "NotInitializedError SubprocessTimeoutError UnexpectedSubprocessExitError create_cluster_spec get_barrier run test_main"
    ),
    "eager_context": "get_device_name get_executor set_soft_device_placement",
    "ops": "get_resource_handle_data",
    "saved_model": "SavedModelBuilder",
    "test": "ParameterizedBenchmark",
    "tracking": "CheckpointInitialValue saveable_objects_from_trackable",
}


def add_to(namespace: types.ModuleType, path: str = "") -> None:
    """Lets a namespace at `path` below `tf.__internal__`, and those below it, give placeholders for what is missing."""
    below = vars(namespace)
    for other in _NAMES:
        first = other.removeprefix(f"{path}." if path else "").partition(".")[0]
        if first and other != path and (not path or other.startswith(f"{path}.")) and first not in below:
            below[first] = types.ModuleType(f"{namespace.__name__}.{first}")
    names = frozenset(_NAMES.get(path, "").split())
    known = below.get("__getattr__")

    def attribute(name: str):
        if name in names:
            spelled = f"tf.__internal__.{path}.{name}" if path else f"tf.__internal__.{name}"
            below[name] = placeholder(name, f"{spelled} is not supported.")
            return below[name]
        if known is not None:
            return known(name)
        raise missing(f"__internal__.{path}" if path else "__internal__", name)

    below["__getattr__"] = attribute
    for name, value in list(below.items()):
        if isinstance(value, types.ModuleType):
            add_to(value, f"{path}.{name}" if path else name)
