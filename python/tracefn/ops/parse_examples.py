"""`tf.io.parse_example` and its relatives: tensors from serialized Example and SequenceExample messages."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops._build import convert, input_of, name_scope, op
from tracefn.ops.by_path import public_function
from tracefn.ops.example_features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    Wanted,
)
from tracefn.ops.ragged_features import build_ragged, partitioned
from tracefn.ops.sparse.merge import merge
from tracefn.ops.sparse.tensor import SparseTensor

_OF_EXAMPLES = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)
_OF_CONTEXTS = (VarLenFeature, FixedLenFeature, RaggedFeature)
_OF_LISTS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)


def _sparse_tensors(parts) -> list:
    return [SparseTensor(*part) for part in zip(*parts, strict=True)]


def _named(wanted: Wanted, sparse, dense, ragged) -> dict:
    keys = [*wanted.sparse, *wanted.dense, *wanted.ragged]
    return dict(zip(keys, [*sparse, *dense, *ragged], strict=True))


def _sparse_feature(key, feature, parsed):
    """The SparseTensor of a SparseFeature, from those of its keys."""
    one = isinstance(feature.index_key, str)
    ids = parsed[feature.index_key] if one else [parsed[index] for index in feature.index_key]
    return merge(ids, parsed[feature.value_key], feature.size, key, feature.already_sorted)


def _composed(features, parsed: dict) -> dict:
    """The results under the features' own keys: sparse and ragged features are composed of what was read for them."""
    result = {}
    for key, value in parsed.items():
        if key in features and not isinstance(features[key], (SparseFeature, RaggedFeature)):
            result[key] = value
    for key, feature in sorted(features.items()):
        if isinstance(feature, SparseFeature):
            result[key] = _sparse_feature(key, feature, parsed)
        elif isinstance(feature, RaggedFeature):
            result[key] = partitioned(key, feature, parsed)
    return result


def _blocks(features):
    """Features with shapes as the op takes them: of blocks, any number of which follow each other."""
    changed = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
            changed[key] = feature._replace(shape=[None, *feature.shape])
    return changed


@export("io.parse_example")
def parse_example(serialized, features, example_names=None, name=None):
    """Tensors from a batch of serialized Example messages.

    Args:
      serialized: vector of strings.
      features: dict from keys to features: FixedLenFeature, FixedLenSequenceFeature, VarLenFeature, SparseFeature or
        RaggedFeature of `tf.io`.
      example_names: vector of names for error messages, or None.
      name: name of the ops.

    Returns:
      Dict of tensors, SparseTensors and RaggedTensors, whose first axis is the batch.

    Raises:
      ValueError: a feature is not valid.
      InvalidArgumentError: bytes are no Example, or an Example does not have the features.

    Example:
      >>> import tracefn as tf
      >>> def example(*values):
      ...     feature = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
      ...     return tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()
      >>> batch = [example(1, 2), example(3, 4)]
      >>> tf.io.parse_example(batch, {"x": tf.io.FixedLenFeature([2], tf.int64)})["x"].numpy().tolist()
      [[1, 2], [3, 4]]
      >>> tf.io.parse_example([example(1), example()], {"x": tf.io.RaggedFeature(tf.int64)})["x"]
      <tf.RaggedTensor [[1], []]>
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    features = _blocks(features)
    wanted = Wanted(features, _OF_EXAMPLES)
    with name_scope(name or "ParseExample"):
        serialized = input_of(serialized, "string", "serialized")
        _check_rank_is_known(serialized, wanted.ragged)
        outputs = op("ParseExampleV2")(
            serialized=serialized,
            names=convert([] if example_names is None else example_names, dtype="string"),
            sparse_keys=convert([*wanted.sparse], dtype="string"),
            dense_keys=convert([*wanted.dense], dtype="string"),
            ragged_keys=convert([*wanted.ragged], dtype="string"),
            dense_defaults=wanted.default_tensors(),
            num_sparse=len(wanted.sparse),
            sparse_types=[*wanted.sparse.values()],
            ragged_value_types=[values for values, _ in wanted.ragged.values()],
            ragged_split_types=[splits for _, splits in wanted.ragged.values()],
            dense_shapes=[shape for shape, _ in wanted.dense.values()],
            name=name,
        )
        ragged = build_ragged(serialized.shape, outputs[4], outputs[5])
        return _composed(features, _named(wanted, _sparse_tensors(outputs[:3]), outputs[3], ragged))


def _check_rank_is_known(serialized, ragged) -> None:
    if ragged and serialized.shape.rank is None:
        raise ValueError("serialized must have statically-known rank to parse ragged features.")


def _scalar(serialized):
    """`serialized` as a scalar string tensor.

    Raises:
      ValueError: it is not one.
    """
    serialized = convert(serialized, name="serialized")
    if serialized.shape.rank is None:
        return public_function("ensure_shape")(serialized, [])
    if serialized.shape.rank != 0:
        raise ValueError("Input serialized must be a scalar")
    return serialized


@export("io.parse_single_example")
def parse_single_example(serialized, features, example_names=None, name=None):
    """Tensors from one serialized Example message.

    Args:
      serialized: scalar string.
      features, example_names, name: as for `tf.io.parse_example`.

    Returns:
      Dict of tensors, SparseTensors and RaggedTensors.

    Raises:
      ValueError: a feature is not valid, or `serialized` is no scalar.
      InvalidArgumentError: the bytes are no Example, or it does not have the features.

    Example:
      >>> import tracefn as tf
      >>> feature = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))
      >>> example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
      >>> x = tf.io.FixedLenFeature([], tf.float32)
      >>> float(tf.io.parse_single_example(example.SerializeToString(), {"x": x})["x"])
      0.5
    """
    if features is None:
        raise ValueError("Invalid argument: features cannot be None.")
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    with name_scope(name or "ParseSingleExample"):
        return parse_example(_scalar(serialized), features, example_names, name)


def _types(wanted: Wanted, part: str) -> dict:
    return {
        f"{part}_sparse_types": [*wanted.sparse.values()],
        f"{part}_ragged_value_types": [values for values, _ in wanted.ragged.values()],
        f"{part}_ragged_split_types": [splits for _, splits in wanted.ragged.values()],
        f"{part}_dense_shapes": [shape for shape, _ in wanted.dense.values()],
        **{
            f"{part}_{form}_keys": convert([*getattr(wanted, form)], dtype="string")
            for form in ("sparse", "dense", "ragged")
        },
    }


def _sequences(serialized, context_features, sequence_features, names, name):
    """The context, the lists, and the lengths of the dense lists."""
    context = Wanted(context_features, _OF_CONTEXTS)
    lists = Wanted(sequence_features, _OF_LISTS)
    for key, value in lists.defaults.items():
        if value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    serialized = input_of(serialized, "string", "serialized")
    _check_rank_is_known(serialized, context.ragged or lists.ragged)
    outputs = op("ParseSequenceExampleV2")(
        serialized=serialized,
        debug_name=convert([] if names is None else names, dtype="string"),
        feature_list_dense_missing_assumed_empty=convert([key in lists.defaults for key in lists.dense], dtype="bool"),
        context_dense_defaults=context.default_tensors(),
        feature_list_dense_types=[dtype for _, dtype in lists.dense.values()],
        Ncontext_sparse=len(context.sparse),
        Nfeature_list_sparse=len(lists.sparse),
        Nfeature_list_dense=len(lists.dense),
        **_types(context, "context"),
        **_types(lists, "feature_list"),
        name=name,
    )
    ragged = build_ragged(serialized.shape, outputs[4], outputs[5])
    of_context = _named(context, _sparse_tensors(outputs[:3]), outputs[3], ragged)
    ragged = build_ragged(serialized.shape, *outputs[11:14])
    of_lists = _named(lists, _sparse_tensors(outputs[6:9]), outputs[9], ragged)
    if context.ragged:
        of_context = _composed(context_features, of_context)
    if lists.ragged:
        of_lists = _composed(sequence_features, of_lists)
    return of_context, of_lists, dict(zip(lists.dense, outputs[10], strict=True))


@export("io.parse_sequence_example")
def parse_sequence_example(
    serialized, context_features=None, sequence_features=None, example_names=None, name=None
):
    """Tensors from a batch of serialized SequenceExample messages.

    Args:
      serialized: vector of strings.
      context_features: dict from keys of the context to a FixedLenFeature, VarLenFeature or RaggedFeature, or None.
      sequence_features: dict from keys of the feature lists to a FixedLenSequenceFeature, VarLenFeature or RaggedFeature,
        or None.
      example_names: vector of names for error messages, or None.
      name: name of the ops.

    Returns:
      (dict of the context, dict of the lists, dict of the lengths of lists read as tensors). Shorter lists of a batch are
      followed by zeros.

    Raises:
      ValueError: a feature is not valid, or there is none.
      InvalidArgumentError: bytes are no SequenceExample, or it does not have the features.

    Example:
      >>> import tracefn as tf
      >>> rows = [tf.train.Feature(int64_list=tf.train.Int64List(value=[i])) for i in (4, 5)]
      >>> lists = tf.train.FeatureLists(feature_list={"x": tf.train.FeatureList(feature=rows)})
      >>> example = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
      >>> x = tf.io.FixedLenSequenceFeature([], tf.int64)
      >>> _, lists, lengths = tf.io.parse_sequence_example([example], sequence_features={"x": x})
      >>> lists["x"].numpy().tolist(), lengths["x"].numpy().tolist()
      ([[4, 5]], [2])
    """
    if not (context_features or sequence_features):
        raise ValueError("Both `context_features` and `sequence_features` argument are None, but at least one should have values.")
    with name_scope(name or "ParseSequenceExample"):
        return _sequences(serialized, context_features, sequence_features, example_names, name)


@export("io.parse_single_sequence_example", "compat.v1.parse_single_sequence_example")
def parse_single_sequence_example(
    serialized, context_features=None, sequence_features=None, example_name=None, name=None
):
    """Tensors from one serialized SequenceExample message.

    Args:
      serialized: scalar string.
      context_features, sequence_features, name: as for `tf.io.parse_sequence_example`.
      example_name: name for error messages, or None.

    Returns:
      (dict of the context, dict of the lists).

    Raises:
      ValueError: a feature is not valid, there is none, or `serialized` is no scalar.
      InvalidArgumentError: the bytes are no SequenceExample, or it does not have the features.
    """
    if not (context_features or sequence_features):
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    with name_scope(name or "ParseSingleSequenceExample"):
        return _sequences(_scalar(serialized), context_features, sequence_features, example_name, name)[:2]


@export("compat.v1.parse_example", "compat.v1.io.parse_example")
def parse_example_v1(serialized, features, name=None, example_names=None):
    """`tf.io.parse_example` with its old order of arguments."""
    return parse_example(serialized, features, example_names, name)


@export("compat.v1.parse_single_example", "compat.v1.io.parse_single_example")
def parse_single_example_v1(serialized, features, name=None, example_names=None):
    """`tf.io.parse_single_example` with its old order of arguments."""
    return parse_single_example(serialized, features, example_names, name)


__all__ = ["parse_example", "parse_sequence_example", "parse_single_example", "parse_single_sequence_example"]
