"""Names of `tf.__internal__` that are missing here: modules of libraries mention them, and using one raises an error."""

from __future__ import annotations

import types

from tracefn._missing import missing
from tracefn.as_tensorflow.placeholder import placeholder

_NAMES = {
    "": "create_c_op execute_fn_for_device lift_to_graph record_gradient",
    "distribute.combinations": (
        "central_storage_strategy_with_gpu_and_cpu central_storage_strategy_with_two_gpus cloud_tpu_strategy default_strategy env "
        "generate in_main_process mirrored_strategy_with_cpu_1_and_2 mirrored_strategy_with_gpu_and_cpu "
        "mirrored_strategy_with_one_cpu mirrored_strategy_with_one_gpu mirrored_strategy_with_two_cpus "
        "mirrored_strategy_with_two_gpus mirrored_strategy_with_two_gpus_no_merge_call multi_worker_mirrored_2x1_cpu "
        "multi_worker_mirrored_2x1_gpu multi_worker_mirrored_2x1_gpu_noshare multi_worker_mirrored_2x2_gpu "
        "multi_worker_mirrored_2x2_gpu_no_merge_call one_device_strategy one_device_strategy_gpu "
        "parameter_server_strategy_1worker_2ps_1gpu parameter_server_strategy_1worker_2ps_cpu "
        "parameter_server_strategy_3worker_2ps_1gpu parameter_server_strategy_3worker_2ps_cpu tpu_strategy tpu_strategy_one_core "
        "tpu_strategy_packed_var"
    ),
    "distribute.multi_process_runner": (
        "NotInitializedError SubprocessTimeoutError UnexpectedSubprocessExitError create_cluster_spec get_barrier run test_main"
    ),
    "eager_context": "get_device_name get_executor set_soft_device_placement",
    "feature_column": (
        "DenseColumn FeatureColumn FeatureTransformationCache SequenceDenseColumn StateManager deserialize_feature_column "
        "serialize_feature_column"
    ),
    "ops": "get_resource_handle_data",
    "saved_model": "SavedModelBuilder",
    "test": "ParameterizedBenchmark",
    "test.combinations": "NamedObject OptionalParameter ParameterModifier TestCombination combine generate times",
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
