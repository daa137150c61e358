"""Samples of the ops on datasets: each makes a dataset, reads some elements, and gives those."""

import numpy as np
import tracefn as tf

from support.dataset_programs import BATCH, DATASET, NUMBER, SCALAR, numbers, once_experimental, raw, read, traced

SPARSE = {"indices": np.int64([[0, 1], [2, 0]]), "values": np.float32([5, 7]), "dense_shape": np.int64([3, 2])}


def _of(op, count=3, types=NUMBER, stop=8, **arguments):
    """A program that applies an op to numbers."""

    def run():
        return read(getattr(raw, op)(input_dataset=numbers(stop), **arguments, **types), count, types)

    return run


def _first(op, stop=8, number=3):
    """The input `count` of an op."""
    return lambda: read(getattr(raw, op)(input_dataset=numbers(stop), count=np.int64(number), **NUMBER), 3)


def _same(op, **arguments):
    return _of(op, **arguments)


def _calling(op, function, count=3, types=NUMBER, specs=(SCALAR,), attr="f", **arguments):
    """The same for an op with a function."""

    def run():
        more = {attr: traced(function, *specs)}
        made = getattr(raw, op)(input_dataset=numbers(), other_arguments=[], **more, **arguments, **types)
        return read(made, count, types)

    return run


def _captured():
    """A function that takes a tensor of the program around it."""
    function = traced(lambda x, factor: x * factor, SCALAR, SCALAR)
    factor = tf.constant(3, tf.int64)
    return read(raw.MapDataset(input_dataset=numbers(), other_arguments=[factor], f=function, **NUMBER), 3)


def _inner(x):
    return raw.RangeDataset(start=x, stop=x + np.int64(2), step=np.int64(1), **NUMBER)


def _interleaved(op, **arguments):
    lengths = {"cycle_length": np.int64(2), "block_length": np.int64(1)}
    return _calling(op, _inner, 4, **lengths, **arguments)


def _tensors():
    types = {"output_types": [tf.float32, tf.string], "output_shapes": [[2], []]}
    parts = [np.float32([1, 2]), np.array(b"x", object)]
    return read(raw.TensorDataset(components=parts, output_shapes=[[2], []]), 1, types)


def _slices():
    types = {"output_types": [tf.int32, tf.string], "output_shapes": [[2], []]}
    parts = [np.int32([[1, 2], [3, 4]]), np.array([b"a", b"b"], object)]
    return read(raw.TensorSliceDataset(components=parts, output_shapes=[[2], []]), 2, types)


def _listed():
    return read(raw.ListDataset(tensors=[np.int64(4), np.int64(2)], **NUMBER), 2)


def _zipped():
    types = {"output_types": [tf.int64] * 2, "output_shapes": [[], []]}
    return read(raw.ZipDataset(input_datasets=[numbers(), numbers(9, 5)], **types), 2, types)


def _concatenated():
    return read(raw.ConcatenateDataset(input_dataset=numbers(2), another_dataset=numbers(9, 5), **NUMBER), 4)


def _reduced():
    function = traced(lambda total, x: total + x, SCALAR, SCALAR)
    return raw.ReduceDataset(
        input_dataset=numbers(), initial_state=[np.int64(0)], other_arguments=[], f=function, **NUMBER
    )


def _scanned():
    function = traced(lambda total, x: (total + x, total * x), SCALAR, SCALAR)
    made = raw.ScanDataset(
        input_dataset=numbers(), initial_state=[np.int64(1)], other_arguments=[], f=function, **NUMBER
    )
    return read(made, 3)


def _single():
    return raw.DatasetToSingleElement(dataset=numbers(1), **NUMBER)


def _count():
    return [raw.DatasetCardinality(input_dataset=numbers())]


def _options():
    options = b"\x08\x01"
    return [
        raw.GetOptions(input_dataset=raw.OptionsDataset(input_dataset=numbers(), serialized_options=options, **NUMBER))
    ]


def _generated():
    start = traced(lambda: tf.constant(5, tf.int64))
    same = traced(lambda state: state * 2, SCALAR)
    made = raw.GeneratorDataset(
        init_func_other_args=[],
        next_func_other_args=[],
        finalize_func_other_args=[],
        init_func=start,
        next_func=same,
        finalize_func=same,
        **NUMBER,
    )
    return read(made, 2)


def _shuffled(op="ShuffleDatasetV3", generator=lambda: raw.DummySeedGenerator(), **arguments):
    def run():
        seeds = {} if op.endswith("DatasetV2") and "Repeat" not in op else {"seed": np.int64(3), "seed2": np.int64(5)}
        more = {"seed_generator": generator()} if generator else {}
        made = getattr(raw, op)(
            input_dataset=numbers(), buffer_size=np.int64(4), **seeds, **more, **arguments, **NUMBER
        )
        return read(made, 5)

    return run


def _seed_generator():
    return raw.AnonymousSeedGenerator(seed=np.int64(3), seed2=np.int64(5), reshuffle=np.bool_(True))[0]


def _random_seed_generator():
    return raw.AnonymousRandomSeedGenerator(seed=np.int64(3), seed2=np.int64(5))[0]


def _deleted_generators():
    made = raw.AnonymousSeedGenerator(seed=np.int64(3), seed2=np.int64(5), reshuffle=np.bool_(True))
    raw.DeleteSeedGenerator(handle=made[0], deleter=made[1])
    made = raw.AnonymousRandomSeedGenerator(seed=np.int64(3), seed2=np.int64(5))
    raw.DeleteRandomSeedGenerator(handle=made[0], deleter=made[1])
    return [tf.constant(1)]


def _random(op, generator):
    def run():
        more = {"seed_generator": raw.DummySeedGenerator()} if generator else {}
        return read(getattr(raw, op)(seed=np.int64(3), seed2=np.int64(5), **more, **NUMBER), 3)

    return run


def _directed():
    selector = raw.TensorSliceDataset(components=[np.int64([0, 1, 0])], output_shapes=[[]])
    made = raw.DirectedInterleaveDataset(
        selector_input_dataset=selector, data_input_datasets=[numbers(), numbers(9, 5)], **NUMBER
    )
    return read(made, 3)


def _windows():
    windows = raw.WindowDataset(
        input_dataset=numbers(),
        size=np.int64(3),
        shift=np.int64(2),
        stride=np.int64(1),
        drop_remainder=np.bool_(True),
        **DATASET,
    )
    (window,) = read(windows, 1, DATASET)
    return read(window, 3)


def _vectors():
    return raw.MapDataset(
        input_dataset=numbers(4), other_arguments=[], f=traced(lambda x: tf.fill([x], x), SCALAR), **BATCH
    )


def _padded(op, **arguments):
    types = {"output_types": [tf.int64], "output_shapes": [[None, None]]}

    def run():
        made = getattr(raw, op)(
            input_dataset=_vectors(),
            batch_size=np.int64(2),
            padded_shapes=[np.int64([-1])],
            padding_values=[np.int64(-7)],
            output_shapes=[[None, None]],
            **arguments,
        )
        return read(made, 2, types)

    return run


def _batches():
    return raw.BatchDatasetV2(input_dataset=numbers(), batch_size=np.int64(3), drop_remainder=np.bool_(False), **BATCH)


def _unbatched():
    return read(raw.UnbatchDataset(input_dataset=_batches(), **NUMBER), 4)


def _rebatched():
    made = raw.RebatchDatasetV2(
        input_dataset=_batches(), batch_sizes=np.int64([1, 2]), drop_remainder=np.bool_(False), **BATCH
    )
    return read(made, 3, BATCH)


def _sparse_batch():
    variants = {"output_types": [tf.variant], "output_shapes": [None]}
    made = raw.DenseToSparseBatchDataset(
        input_dataset=_vectors(), batch_size=np.int64(3), row_shape=np.int64([4]), **variants
    )
    (batch,) = read(made, 1, variants)
    return list(raw.DeserializeSparse(serialized_sparse=batch, dtype=tf.int64))


def _sparse_slices():
    types = {"output_types": [tf.int64, tf.float32, tf.int64], "output_shapes": [[None, 1], [None], [1]]}
    return read(raw.SparseTensorSliceDataset(**SPARSE), 3, types)


def _sparse_parts():
    return {f"sparse_{name.removeprefix('dense_')}": value for name, value in SPARSE.items()}


def _restored():
    one = raw.SerializeSparse(**_sparse_parts(), out_type="variant")
    return list(raw.DeserializeSparse(serialized_sparse=one, dtype=tf.float32))


def _restored_rows():
    rows = raw.SerializeManySparse(**_sparse_parts())
    return list(raw.DeserializeManySparse(serialized_sparse=rows, dtype=tf.float32))


def _cached(cache):
    def run():
        made = raw.CacheDatasetV2(input_dataset=numbers(2), filename="", cache=cache(), **NUMBER)
        return read(made, 2) + read(made, 2)

    return run


def _memory_cache():
    return raw.AnonymousMemoryCache()[0]


def _deleted_cache():
    made = raw.AnonymousMemoryCache()
    raw.DeleteMemoryCache(handle=made[0], deleter=made[1])
    return [tf.constant(1)]


def _grouped():
    batch = traced(
        lambda key, group: raw.BatchDatasetV2(
            input_dataset=group, batch_size=np.int64(4), drop_remainder=np.bool_(False), **BATCH
        ),
        SCALAR,
        tf.TensorSpec([], tf.variant),
    )
    made = raw.GroupByWindowDataset(
        input_dataset=numbers(),
        key_func_other_arguments=[],
        reduce_func_other_arguments=[],
        window_size_func_other_arguments=[],
        key_func=traced(lambda x: x % 2, SCALAR),
        reduce_func=batch,
        window_size_func=traced(lambda key: key + 2, SCALAR),
        **BATCH,
    )
    return read(made, 4, BATCH)


def _folded():
    made = raw.GroupByReducerDataset(
        input_dataset=numbers(),
        key_func_other_arguments=[],
        init_func_other_arguments=[],
        reduce_func_other_arguments=[],
        finalize_func_other_arguments=[],
        key_func=traced(lambda x: x % 2, SCALAR),
        init_func=traced(lambda key: key * 100, SCALAR),
        reduce_func=traced(lambda total, x: total + x, SCALAR, SCALAR),
        finalize_func=traced(lambda x: x, SCALAR),
        **NUMBER,
    )
    return read(made, 2)


def _wrapped():
    return read(raw.UnwrapDatasetVariant(input_handle=raw.WrapDatasetVariant(input_handle=numbers())), 2)


def _all_shuffled():
    made = raw.GlobalShuffleDataset(
        input_dataset=numbers(),
        seed=np.int64(3),
        seed2=np.int64(5),
        seed_generator=raw.DummySeedGenerator(),
        reshuffle_each_iteration=False,
        **NUMBER,
    )
    return read(made, 8)


def _numbered_rows():
    made = raw.IndexFlatMapDataset(
        input_dataset=numbers(3),
        map_func_other_args=[],
        index_map_func_other_args=[],
        output_cardinality=np.int64(6),
        map_func=traced(lambda x: tf.stack([x * 10, x * 10 + 1]), SCALAR),
        index_map_func=traced(lambda i: (i // 2, i % 2), SCALAR),
        **NUMBER,
    )
    return read(made, 6)


def _fingerprints():
    one, same, other = (raw.DatasetFingerprint(input_dataset=numbers(stop)) for stop in (3, 3, 4))
    return [raw.Equal(x=one, y=same), raw.Equal(x=one, y=other)]


SIZE = {"batch_size": np.int64(3)}
FULL = {"drop_remainder": np.bool_(False)}
CALLS_2 = {"num_parallel_calls": np.int64(2)}
BUFFERS = {"buffer_output_elements": np.int64(2), "prefetch_input_elements": np.int64(0)}
STRINGS = np.array([], object)

_PROGRAMS = {
    "GlobalShuffleDataset": _all_shuffled,
    "IndexFlatMapDataset": _numbered_rows,
    "DatasetFingerprint": _fingerprints,
    "RangeDataset": lambda: read(numbers(), 8),
    "TensorDataset": _tensors,
    "TensorSliceDataset": _slices,
    "ListDataset": _listed,
    "MapDataset": _captured,
    "ParallelMapDataset": _calling("ParallelMapDataset", lambda x: x * x, num_parallel_calls=np.int32(2)),
    "ParallelMapDatasetV2": _calling("ParallelMapDatasetV2", lambda x: tf.reduce_sum(tf.range(x)), 5, **CALLS_2),
    "MapAndBatchDataset": _calling("MapAndBatchDataset", lambda x: x * x, types=BATCH, **SIZE, **CALLS_2, **FULL),
    "BatchDataset": _of("BatchDataset", types=BATCH, **SIZE),
    "BatchDatasetV2": _of("BatchDatasetV2", types=BATCH, **SIZE, **FULL),
    "ParallelBatchDataset": _of("ParallelBatchDataset", types=BATCH, **SIZE, **FULL, **CALLS_2),
    "PaddedBatchDataset": _padded("PaddedBatchDataset"),
    "PaddedBatchDatasetV2": _padded("PaddedBatchDatasetV2", **FULL),
    "UnbatchDataset": _unbatched,
    "RebatchDatasetV2": _rebatched,
    "WindowDataset": _windows,
    "SlidingWindowDataset": _of(
        "SlidingWindowDataset",
        types=BATCH,
        window_size=np.int64(3),
        window_shift=np.int64(2),
        window_stride=np.int64(1),
    ),
    "RepeatDataset": _first("RepeatDataset", 2, -1),
    "TakeDataset": _first("TakeDataset"),
    "SkipDataset": _first("SkipDataset"),
    "ShardDataset": _of("ShardDataset", num_shards=np.int64(2), index=np.int64(1)),
    "ZipDataset": _zipped,
    "ConcatenateDataset": _concatenated,
    "PrefetchDataset": _of("PrefetchDataset", buffer_size=np.int64(2)),
    "FilterDataset": _calling("FilterDataset", lambda x: x % 2 > 0, attr="predicate"),
    "ParallelFilterDataset": _calling("ParallelFilterDataset", lambda x: x % 2 > 0, attr="predicate", **CALLS_2),
    "TakeWhileDataset": _calling("TakeWhileDataset", lambda x: x < 5, attr="predicate"),
    "FlatMapDataset": _calling("FlatMapDataset", _inner),
    "InterleaveDataset": _interleaved("InterleaveDataset"),
    "ParallelInterleaveDataset": _interleaved("ParallelInterleaveDataset", sloppy=np.bool_(False), **BUFFERS),
    "LegacyParallelInterleaveDatasetV2": _interleaved("LegacyParallelInterleaveDatasetV2", **BUFFERS),
    "ParallelInterleaveDatasetV2": _interleaved("ParallelInterleaveDatasetV2", **CALLS_2),
    "ParallelInterleaveDatasetV3": _interleaved("ParallelInterleaveDatasetV3", **CALLS_2),
    "ParallelInterleaveDatasetV4": _interleaved("ParallelInterleaveDatasetV4", **CALLS_2, **BUFFERS),
    "ScanDataset": _scanned,
    "ReduceDataset": _reduced,
    "GeneratorDataset": _generated,
    "DatasetToSingleElement": _single,
    "DatasetCardinality": _count,
    "OptionsDataset": _options,
    "GetOptions": _options,
    "FinalizeDataset": _same("FinalizeDataset"),
    "ModelDataset": _same("ModelDataset"),
    "OptimizeDataset": _same("OptimizeDataset", optimizations=STRINGS),
    "OptimizeDatasetV2": _same(
        "OptimizeDatasetV2",
        optimizations_enabled=STRINGS,
        optimizations_disabled=STRINGS,
        optimizations_default=STRINGS,
    ),
    "PrivateThreadPoolDataset": _same("PrivateThreadPoolDataset", num_threads=np.int64(1)),
    "MaxIntraOpParallelismDataset": _same("MaxIntraOpParallelismDataset", max_intra_op_parallelism=np.int64(1)),
    "ShuffleDataset": _shuffled("ShuffleDataset", None),
    "ShuffleDatasetV2": _shuffled("ShuffleDatasetV2", _seed_generator),
    "ShuffleDatasetV3": _shuffled(),
    "ShuffleAndRepeatDataset": _shuffled("ShuffleAndRepeatDataset", None, count=np.int64(2)),
    "ShuffleAndRepeatDatasetV2": _shuffled("ShuffleAndRepeatDatasetV2", count=np.int64(2)),
    "AnonymousSeedGenerator": _shuffled(generator=_seed_generator),
    "AnonymousRandomSeedGenerator": _shuffled("ShuffleDatasetV2", _random_seed_generator),
    "DummySeedGenerator": _shuffled(),
    "DeleteSeedGenerator": _deleted_generators,
    "DeleteRandomSeedGenerator": _deleted_generators,
    "RandomDataset": _random("RandomDataset", False),
    "RandomDatasetV2": _random("RandomDatasetV2", True),
    "SamplingDataset": _of("SamplingDataset", 2, stop=20, rate=np.float32(0.4), seed=np.int64(3), seed2=np.int64(4)),
    "DirectedInterleaveDataset": _directed,
    "AssertCardinalityDataset": _of("AssertCardinalityDataset", cardinality=np.int64(8)),
    "IgnoreErrorsDataset": _same("IgnoreErrorsDataset"),
    "UniqueDataset": _same("UniqueDataset"),
    "GroupByWindowDataset": _grouped,
    "GroupByReducerDataset": _folded,
    "CacheDataset": _of("CacheDataset", filename=""),
    "CacheDatasetV2": _cached(lambda: raw.DummyMemoryCache()),
    "DummyMemoryCache": _cached(lambda: raw.DummyMemoryCache()),
    "AnonymousMemoryCache": _cached(_memory_cache),
    "DeleteMemoryCache": _deleted_cache,
    "WrapDatasetVariant": _wrapped,
    "UnwrapDatasetVariant": _wrapped,
    "SparseTensorSliceDataset": _sparse_slices,
    "DenseToSparseBatchDataset": _sparse_batch,
    "SerializeSparse": lambda: [raw.SerializeSparse(**_sparse_parts())],
    "DeserializeSparse": _restored,
    "SerializeManySparse": lambda: [raw.SerializeManySparse(**_sparse_parts())],
    "DeserializeManySparse": _restored_rows,
}
PROGRAMS = once_experimental(
    _PROGRAMS,
    """
    DenseToSparseBatchDataset GroupByReducerDataset GroupByWindowDataset IgnoreErrorsDataset MapAndBatchDataset MapDataset
    PrivateThreadPoolDataset MaxIntraOpParallelismDataset ParallelInterleaveDataset RandomDataset TakeWhileDataset
    UnbatchDataset UniqueDataset
    """.split(),
)
