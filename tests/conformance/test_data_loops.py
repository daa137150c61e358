"""Loops over datasets and iterators in traced functions, in AutoGraph's full form."""

import numpy as np
import pytest

from data_values import elements

pytestmark = pytest.mark.rule(154)


@pytest.fixture
def dataset(tf):
    return tf.data.Dataset.range(6)


def test_break_and_continue(tf, dataset):
    @tf.function
    def f(ds):
        total = tf.constant(0, tf.int64)
        for x in ds:
            if x == 1:
                continue
            if x > 3:
                break
            total += x
        return total

    assert int(f(dataset)) == 5 and int(f(dataset.take(1))) == 0 and int(f(dataset.take(0))) == 0


def test_break_leaves_the_rest_to_the_iterator(tf, dataset):
    @tf.function
    def f(it):
        total = tf.constant(0, tf.int64)
        for x in it:
            total += x
            if x == 2:
                break
        return total

    iterator = iter(dataset)
    assert int(f(iterator)) == 3 and int(next(iterator)) == 3 and int(f(iterator)) == 9


def test_the_body_is_traced_once(tf, dataset, traces):
    @tf.function
    def f(ds):
        for x in ds:
            traces.append(x)
        return 0

    f(dataset)
    assert len(traces) == 1


def test_python_numbers_become_loop_variables(tf, dataset):
    @tf.function
    def f(ds):
        count, seen = 0, False
        for x in ds:
            count += 1
            seen = x > 4
        return count, seen

    count, seen = f(dataset)
    assert (int(count), bool(seen)) == (6, True)


def test_structures(tf):
    rows = tf.data.Dataset.from_tensor_slices(([1, 2, 3], {"w": [1.0, 2.0, 3.0]}))

    @tf.function
    def f(ds):
        state = {"n": 0, "w": (tf.constant(0.0),)}
        for n, named in ds:
            state = {"n": state["n"] + n, "w": (state["w"][0] + named["w"],)}
        return state

    found = f(rows)
    assert int(found["n"]) == 6 and float(found["w"][0]) == 6.0


def test_ragged_elements(tf):
    rows = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []]))

    @tf.function
    def f(ds):
        total = 0
        for row in ds:
            total += tf.reduce_sum(row)
        return total

    assert int(f(rows)) == 6


def test_shapes_may_grow_over_a_dataset(tf, dataset):
    @tf.function
    def f(ds):
        seen = tf.zeros([1], tf.int64)
        for x in ds:
            seen = tf.concat([seen, [x]], 0)
        return seen

    assert f(dataset).numpy().tolist() == [0, 0, 1, 2, 3, 4, 5]


def test_shapes_may_not_change_over_an_iterator(tf, dataset):
    @tf.function
    def f(it):
        seen = tf.zeros([1], tf.int64)
        for x in it:
            seen = tf.concat([seen, [x]], 0)
        return seen

    with pytest.raises(ValueError, match=r"'seen' has shape \(1,\) before the loop, but shape \(2,\) after one iteration"):
        f(iter(dataset))


def test_dtypes_may_not_change(tf, dataset):
    @tf.function
    def f(ds):
        total = 0
        for x in ds:
            total = x
        return total

    with pytest.raises(TypeError, match="'total' has dtype int32 before the loop, but dtype int64 after one iteration"):
        f(dataset)


def test_nested(tf, dataset):
    @tf.function
    def f(ds):
        total = tf.constant(0, tf.int64)
        for x in ds:
            for y in tf.data.Dataset.range(x):
                if y > 2:
                    break
                total += y
            i = tf.constant(0, tf.int64)
            while i < x:
                total += 100
                i += 1
        return total

    assert int(f(dataset)) == sum(sum(y for y in range(min(x, 3))) + 100 * x for x in range(6))


def test_a_dataset_of_windows(tf, dataset):
    @tf.function
    def f(ds):
        total = tf.constant(0, tf.int64)
        for window in ds:
            for x in window:
                total = total * 10 + x
        return total

    assert int(f(dataset.window(2))) == 12345


def test_variables(tf, dataset):
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(ds):
        for x in ds:
            v.assign_add(x)
            if v > 5:
                v.assign(0)
        return v.read_value()

    expected = 0
    for x in range(6):
        expected = 0 if expected + x > 5 else expected + x
    assert int(f(dataset)) == expected == int(v)


def test_arrays(tf, dataset):
    @tf.function
    def f(ds):
        array = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        i = 0
        for x in ds:
            array = array.write(i, x * x)
            i += 1  # noqa: SIM113 - a loop variable of its own
        return array.stack()

    assert f(dataset).numpy().tolist() == [0, 1, 4, 9, 16, 25]


def test_captured_datasets(tf, dataset):
    pairs = tf.data.Dataset.zip(dataset, dataset.skip(1))

    @tf.function
    def f():
        total = tf.constant(0, tf.int64)
        for a, b in pairs:
            total += a * b
        return total

    assert int(f()) == int(f()) == sum(i * (i + 1) for i in range(5))


def test_enumerate_and_zip(tf, dataset):
    @tf.function
    def f(ds):
        total = tf.constant(0, tf.int64)
        for i, x in enumerate(ds, 10):
            total += i * x
        for a, (b, c) in zip(ds, zip(ds, ds)):
            total += a * b * c
        return total

    assert int(f(dataset)) == sum((i + 10) * i + i**3 for i in range(6))
    with pytest.raises(ValueError, match="strict zip not supported by Dataset"):
        tf.function(lambda ds: zip(ds, ds, strict=True))(dataset)


def test_other_builtins(tf, dataset):
    @tf.function
    def f(ds):
        small = ds.map(lambda x: x < 3)
        return len(ds), any(small), all(small), all(ds.map(lambda x: x < 9)), any(ds.map(lambda x: x > 9))

    assert [t.numpy().item() for t in f(dataset)] == [6, True, False, True, False]

    @tf.function
    def g(ds):
        return abs(ds), map(lambda x: x + 1, ds), filter(lambda x: x > 0, ds)

    found = g(dataset.map(lambda x: x - 3))
    assert [elements(ds) for ds in found] == [[3, 2, 1, 0, 1, 2], [-2, -1, 0, 1, 2, 3], [1, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="len requires dataset with definitive cardinality"):
        tf.function(lambda ds: len(ds))(dataset.filter(lambda x: x > 0))
    with pytest.raises(ValueError, match='the "any" builtin only supports datasets that return bool scalars'):
        tf.function(lambda ds: any(ds))(dataset)


def test_next(tf, dataset):
    @tf.function
    def f(it):
        return next(it) * 10 + next(it)

    iterator = iter(dataset.skip(1).take(3))
    assert int(f(iterator)) == 12
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        f(iterator)


@pytest.mark.superset("Y3")
def test_next_with_a_default(tf, dataset):
    @tf.function
    def f(it, default):
        return next(it, default)

    iterator, default = iter(dataset.take(2)), tf.constant(-1, tf.int64)
    assert [int(f(iterator, default)) for _ in range(4)] == [0, 1, -1, -1]
    with pytest.raises(TypeError, match="must have the same dtype as the iterate"):
        f(iterator, tf.constant(1.0))


def test_an_iterator_made_inside(tf, dataset):
    @tf.function
    def f(ds):
        it = iter(ds)
        first = next(it)
        total = tf.constant(0, tf.int64)
        for x in it:
            total += x
        return first, total, it.get_next_as_optional().has_value()

    first, total, more = f(dataset.skip(1))
    assert (int(first), int(total), bool(more)) == (1, 14, False)


def test_reduce(tf, dataset):
    @tf.function
    def f(ds):
        return ds.reduce(np.int64(0), lambda s, x: s + x if x > 2 else s)

    assert int(f(dataset)) == 12


def test_loops_in_mapped_functions(tf):
    def total(n):
        s = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(n):
            s += x
        return s

    assert elements(tf.data.Dataset.range(5).map(total)) == [0, 0, 1, 3, 6]


def test_an_error_in_the_middle(tf):
    rows = tf.data.Dataset.from_tensor_slices([1.0, 0.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "no"))

    @tf.function
    def f(ds):
        total = 0.0
        for x in ds:
            total += x
        return total

    with pytest.raises(tf.errors.InvalidArgumentError, match="no : Tensor had Inf"):
        f(rows)


def test_without_autograph(tf, dataset):
    @tf.function(autograph=False)
    def f(ds):
        total = 0
        for x in ds:
            total += x
        return total

    with pytest.raises(ValueError, match="An unusually high number of `tf.data.Iterator.get_next\\(\\)` calls was detected"):
        f(dataset)


@pytest.mark.superset("Y4")
def test_return_in_the_loop(tf, dataset):
    @tf.function
    def f(ds):
        for x in ds:
            if x > 2:
                return x
        return tf.constant(-1, tf.int64)

    assert int(f(dataset)) == 3 and int(f(dataset.take(2))) == -1


@pytest.mark.superset("Y1")
def test_else(tf, dataset):
    @tf.function
    def f(ds, limit):
        found = tf.constant(0, tf.int64)
        for x in ds:
            if x > limit:
                found = x
                break
        else:
            found = tf.constant(-1, tf.int64)
        return found

    assert [int(f(dataset, tf.constant(n, tf.int64))) for n in (2, 9)] == [3, -1]


@pytest.mark.superset("Y3")
def test_a_tensor_zipped_with_an_iterator(tf, dataset):
    @tf.function
    def f(tensor, it):
        total = tf.constant(0, tf.int64)
        for a, b in zip(tensor, it):
            total += a * b
        return total

    assert int(f(tf.constant([1, 10, 100], tf.int64), iter(dataset))) == 210


@pytest.mark.superset("Y4")
def test_gradients(tf):
    w = tf.Variable(2.0)

    @tf.function
    def loss(ds):
        total = 0.0
        for x in ds:
            total += w * x * x
        return total

    with tf.GradientTape() as tape:
        value = loss(tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0]))
    assert float(value) == 28.0 and float(tape.gradient(value, w)) == 14.0
