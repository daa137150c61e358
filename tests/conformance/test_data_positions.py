"""Positions of iterators: NumpyIterator.save and restore, and what a checkpoint keeps."""

import time

import pytest

pytestmark = pytest.mark.rule("surface")

NUMBERS = {
    "range": lambda tf: tf.data.Dataset.range(9),
    "map": lambda tf: tf.data.Dataset.range(9).map(lambda x: x * x, num_parallel_calls=2),
    "shuffle": lambda tf: tf.data.Dataset.range(9).shuffle(4, seed=1).repeat(2),
    "batch": lambda tf: tf.data.Dataset.range(20).batch(3).prefetch(2),
    "nested": lambda tf: tf.data.Dataset.range(5).flat_map(lambda x: tf.data.Dataset.range(x, x + 4)),
    "turns": lambda tf: tf.data.Dataset.range(5).interleave(lambda x: tf.data.Dataset.range(x, x + 4), cycle_length=2),
    "filter": lambda tf: tf.data.Dataset.range(30).filter(lambda x: x % 3 > 0).take(12).skip(1),
    "cache": lambda tf: tf.data.Dataset.range(9).cache().shard(2, 1),
    "window": lambda tf: tf.data.Dataset.range(20).window(3, shift=1).flat_map(lambda w: w.batch(3)),
    "scan": lambda tf: tf.data.Dataset.range(9).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x)),
    "two": lambda tf: tf.data.Dataset.zip((tf.data.Dataset.range(9), tf.data.Dataset.range(9).concatenate(tf.data.Dataset.range(3)))),
    "chosen": lambda tf: tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(9), tf.data.Dataset.range(20, 29)], seed=2),
}


def rests(dataset, passed: int, wait: float = 0) -> tuple[list, list]:
    """What comes after so many elements, and after the position was saved there and restored."""
    iterator = dataset.as_numpy_iterator()
    for _ in range(passed):
        next(iterator)
    time.sleep(wait)
    state = iterator.save()
    rest = [repr(x) for x in iterator]
    again = dataset.as_numpy_iterator()
    next(again)
    again.restore(state)
    return rest, [repr(x) for x in again]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("passed", [0, 3])
def test_going_on(tf, name, passed):
    rest, again = rests(NUMBERS[name](tf), passed)
    assert again == rest and rest


def _product(tf, x):
    """x, by a function that does not work on rows and takes a while."""
    ones = tf.ones([60, 60])
    return x + tf.cast(tf.reduce_sum(tf.linalg.matmul(ones, ones) * 0.0), tf.int64)


def _numbers(tf, first):
    return tf.data.Dataset.range(first, first + 30)


WITH_THREADS = {
    "map": lambda tf: _numbers(tf, 0).map(lambda x: _product(tf, x), num_parallel_calls=2),
    "tuned": lambda tf: _numbers(tf, 0).map(lambda x: _product(tf, x), num_parallel_calls=tf.data.AUTOTUNE),
    "without order": lambda tf: _numbers(tf, 0).map(lambda x: _product(tf, x), num_parallel_calls=2, deterministic=False),
    "map and batch": lambda tf: _numbers(tf, 0).map(lambda x: _product(tf, x), num_parallel_calls=2).batch(4),
    "batch": lambda tf: _numbers(tf, 0).batch(4, num_parallel_calls=2),
    "prefetch": lambda tf: _numbers(tf, 0).map(lambda x: _product(tf, x)).prefetch(2),
    "interleave": lambda tf: tf.data.Dataset.range(3).interleave(
        lambda x: _numbers(tf, x * 30).map(lambda y: _product(tf, y)), cycle_length=2, num_parallel_calls=2
    ),
    "one behind another": lambda tf: (
        _numbers(tf, 0)
        .map(lambda x: _product(tf, x), num_parallel_calls=2)
        .prefetch(1)
        .map(lambda x: _product(tf, x), num_parallel_calls=2)
        .prefetch(1)
    ),
}


@pytest.mark.parametrize("name", WITH_THREADS)
@pytest.mark.parametrize("passed", [0, 3])
def test_threads_that_wait_for_the_consumer(tf, name, passed):
    rest, again = rests(WITH_THREADS[name](tf), passed, wait=0.05)  # until they have no room
    assert sorted(again) == sorted(rest) and rest


@pytest.mark.parametrize("name", ["prefetch", "map"])
def test_an_error_that_was_read_ahead_is_kept(tf, name):
    numbers = tf.data.Dataset.range(6).map(lambda x: 6 // (x - 3))
    dataset = numbers.prefetch(4) if name == "prefetch" else numbers.map(lambda x: _product(tf, x), num_parallel_calls=4)
    iterator = dataset.as_numpy_iterator()
    next(iterator)
    time.sleep(0.05)  # until the element that fails has been computed
    state = iterator.save()
    again = dataset.as_numpy_iterator()
    again.restore(state)
    assert [next(again), next(again)] == [-3, -6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="[Dd]ivision by zero"):
        next(again)
    assert [next(again), next(again)] == [6, 3]


def test_generators_have_none(tf):
    dataset = tf.data.Dataset.from_generator(lambda: iter(range(3)), output_types=tf.int32).map(lambda x: x + 1)
    iterator = dataset.as_numpy_iterator()
    assert next(iterator) == 1
    with pytest.raises(tf.errors.UnimplementedError, match="GeneratorDataset does not support checkpointing"):
        iterator.save()


WINDOWS = {
    "whole": lambda tf: tf.data.Dataset.range(20).window(3).flat_map(lambda w: w),
    "pairs": lambda tf: tf.data.Dataset.range(20)
    .map(lambda x: (x, tf.strings.as_string(x)))
    .window(3, 2, drop_remainder=True)
    .flat_map(lambda a, b: tf.data.Dataset.zip((a.batch(2), b.batch(2)))),
    "turns": lambda tf: tf.data.Dataset.range(30).window(5).interleave(lambda w: w, cycle_length=3, block_length=2),
    "of windows": lambda tf: tf.data.Dataset.range(30)
    .window(5)
    .window(2)
    .flat_map(lambda w: w.flat_map(lambda v: v.batch(2))),
    "read ahead": lambda tf: tf.data.Dataset.range(20).window(3).prefetch(2).flat_map(lambda w: w),
    "shuffled": lambda tf: tf.data.Dataset.range(20).window(3).shuffle(3, seed=1).flat_map(lambda w: w),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("passed", [0, 1, 4])
def test_a_file_keeps_windows(tf, tmp_path, name, passed):
    dataset = WINDOWS[name](tf)
    iterator, again = iter(dataset), iter(dataset)
    for _ in range(passed):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "position"))
    next(again)
    tf.train.Checkpoint(iterator=again).restore(path)
    assert [repr(x) for x in again] == [repr(x) for x in iterator]


def test_windows_of_windows(tf):
    dataset = tf.data.Dataset.range(4)
    for _ in range(40):
        dataset = dataset.window(1)
    for _ in range(40):
        dataset = dataset.flat_map(lambda w: w)
    rest, again = rests(dataset, 1)
    assert again == rest and len(rest) == 3


def test_of_other_datasets(tf):
    state = tf.data.Dataset.range(9).batch(2).shuffle(3).as_numpy_iterator().save()
    with pytest.raises(tf.errors.OpError):
        tf.data.Dataset.range(2).as_numpy_iterator().restore(state)


def test_what_a_checkpoint_keeps(tf):
    dataset = tf.data.Dataset.range(9)
    iterator, other = iter(dataset), iter(dataset)
    next(iterator)
    tensors = iterator._serialize_to_tensors()
    assert list(tensors) == ["_STATE"] and tensors["_STATE"].dtype == tf.variant
    other._restore_from_tensors(tensors)
    assert int(next(other)) == 1


def test_a_checkpoint_keeps_no_state_from_outside(tf):
    v = tf.Variable(0, dtype=tf.int64)
    numbers = tf.data.Dataset.range(3)
    refused = {
        "ReadVariableOp": numbers.map(lambda x: x + v).batch(2),
        "AssignAddVariableOp": numbers.map(lambda x: tf.cond(x > 0, lambda: v.assign_add(x), lambda: x)),
        "RandomUniform": tf.data.Dataset.zip((numbers, numbers.map(lambda x: tf.random.uniform([])))),
        "EagerPyFunc": numbers.map(lambda x: tf.py_function(lambda t: t, [x], tf.int64)),
    }
    for op, dataset in refused.items():
        with pytest.raises(tf.errors.FailedPreconditionError, match=f"{op} is stateful"):
            iter(dataset)._serialize_to_tensors()
    kept = [
        numbers.map(lambda x: tf.random.stateless_uniform([], [1, 2])),
        numbers.map(lambda x: (tf.print(x), x)[1]),
        numbers.shuffle(3),
        tf.data.Dataset.from_tensors(v),
    ]
    for dataset in kept:
        assert iter(dataset)._serialize_to_tensors()


def test_options_allow_state(tf, tmp_path):
    def numbers(policy):
        options = tf.data.Options()
        options.experimental_external_state_policy = getattr(tf.data.experimental.ExternalStatePolicy, policy)
        dataset = tf.data.Dataset.range(4).with_options(options)
        return dataset.map(lambda x: x + tf.random.uniform([], maxval=1, dtype=tf.int64))

    for policy in ("WARN", "IGNORE"):
        iterator = iter(numbers(policy))
        checkpoint = tf.train.Checkpoint(iterator=iterator)
        assert int(next(iterator)) == 0
        path = checkpoint.save(str(tmp_path / policy))
        assert int(next(iterator)) == 1
        checkpoint.restore(path)
        assert [int(x) for x in iterator] == [1, 2, 3]
    with pytest.raises(tf.errors.FailedPreconditionError, match="is stateful"):
        tf.train.Checkpoint(iterator=iter(numbers("FAIL"))).save(str(tmp_path / "fail"))
