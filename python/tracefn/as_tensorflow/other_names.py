"""Names in TensorFlow's modules that are not public, and that modules of this package have which are called otherwise."""

from __future__ import annotations

import functools
import importlib

from tracefn.as_tensorflow import names_of_ops

_CODES_OF_ERRORS = (
    "errors: ABORTED ALREADY_EXISTS CANCELLED DATA_LOSS DEADLINE_EXCEEDED FAILED_PRECONDITION INTERNAL INVALID_ARGUMENT "
    "NOT_FOUND OK OUT_OF_RANGE PERMISSION_DENIED RESOURCE_EXHAUSTED UNAUTHENTICATED UNAVAILABLE UNIMPLEMENTED UNKNOWN "
    "InaccessibleTensorError"
)
# Modules below `tensorflow`, and the modules below `tracefn` that have names of theirs.
_PLACES = {
    "python.autograph.core.ag_ctx": "_for_libraries.conversion: ControlStatusCtx Status",
    "python.autograph.pyct.errors": "autograph.api: UnsupportedLanguageElementError",
    "python.data.ops.iterator_ops": "data._iterator: OwnedIterator",
    "python.distribute.input_lib": "distribute._input: DistributedDataset DistributedDatasetSpec DistributedIterator",
    "python.distribute.values": (
        "distribute._values: DistributedValues DistributedDelegate PerReplica PerReplicaSpec Mirrored; "
        "distribute._variables: DistributedVariable MirroredVariable SyncOnReadVariable"
    ),
    "python.eager.function": "_core: ConcreteFunction",
    "python.eager.lift_to_graph": "_graph.parts: UnliftableError",
    "python.eager.polymorphic_function.concrete_function": "_core: ConcreteFunction",
    "python.feature_column.feature_column_v2": (
        "_feature_columns.base: CategoricalColumn; "
        "_feature_columns.categories: CrossedColumn HashedCategoricalColumn IdentityCategoricalColumn "
        "WeightedCategoricalColumn; "
        "_feature_columns.dense: IndicatorColumn; "
        "_feature_columns.embeddings: EmbeddingColumn SharedEmbeddingColumn SharedEmbeddingColumnCreator; "
        "_feature_columns.numeric: BucketizedColumn NumericColumn; "
        "_feature_columns.sequences: SequenceCategoricalColumn; "
        "_feature_columns.states: StateManager; "
        "_feature_columns.vocabularies: VocabularyFileCategoricalColumn VocabularyListCategoricalColumn"
    ),
    "python.feature_column.sequence_feature_column": "_feature_columns.sequences: SequenceNumericColumn",
    "python.framework.errors": _CODES_OF_ERRORS,
    "python.framework.errors_impl": _CODES_OF_ERRORS,
    "python.framework.extension_type_field": "_extension.fields: ExtensionTypeField",
    "python.framework.immutable_dict": "_extension.immutable_dict: ImmutableDict",
    "python.framework.indexed_slices": "compat.v1.fetches: IndexedSlicesValue",
    **{f"python.ops.{path}": names for path, names in names_of_ops.PLACES.items()},
}


def find(path: str, name: str):
    """The object that `tensorflow.<path>.<name>` is here; None if it is not listed."""
    target = _targets(path).get(name)
    if target is None:
        return None
    module, names = target
    # start-up time: when it is asked for
    return functools.reduce(getattr, names.split("."), importlib.import_module(f".{module}", "tracefn"))


@functools.cache
def _targets(path: str) -> dict[str, tuple[str, str]]:
    """The module and the name in it for each name that is listed for a module."""
    found = {}
    for place in _PLACES.get(path, "").split(";"):
        module, _, names = place.partition(":")
        for entry in names.split():
            name, _, target = entry.partition("=")
            found[name] = (module.strip(), target or name)
    return found
