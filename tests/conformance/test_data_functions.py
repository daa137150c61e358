"""Datasets and iterators as values of traced functions: arguments, captures, results, made inside."""

import pytest

from data_values import elements

pytestmark = pytest.mark.rule(216)


@pytest.fixture
def dataset(tf):
    return tf.data.Dataset.range(4)


def test_one_trace_per_element_spec(tf, dataset, traces):
    @tf.function
    def f(ds):
        traces.append(ds.element_spec)
        return ds.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)

    assert [int(f(ds)) for ds in (dataset, dataset.map(lambda x: x * 2), dataset.skip(3))] == [6, 12, 3]
    assert len(traces) == 1
    f(dataset.map(lambda x: tf.cast(x, tf.int64) + [0]).map(lambda x: x[0]))
    assert len(traces) == 1


def test_nested_in_arguments(tf, dataset):
    @tf.function
    def f(pipelines, scale):
        found = pipelines["train"].map(lambda x: x * scale)
        return {"train": found, "sizes": (found.cardinality(), pipelines["rest"][0].cardinality())}

    found = f({"train": dataset, "rest": [dataset.skip(1)]}, tf.constant(10, tf.int64))
    assert elements(found["train"]) == [0, 10, 20, 30] and [int(n) for n in found["sizes"]] == [4, 3]


def test_made_inside(tf):
    @tf.function
    def f(n):
        return tf.data.Dataset.range(n).map(lambda x: x + n).batch(2)

    found = f(tf.constant(3, tf.int64))
    assert isinstance(found, tf.data.Dataset) and found.element_spec == tf.TensorSpec([None], tf.int64)
    assert elements(found) == elements(found) == [[3, 4], [5]] and elements(f(tf.constant(1, tf.int64))) == [[1]]


def test_input_signatures(tf, dataset):
    @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec(None, tf.int64))])
    def f(ds):
        return ds.reduce(0, lambda n, x: n + tf.size(x))

    assert int(f(dataset.batch(3))) == 4 and int(f(dataset)) == 4


def test_iterators_as_arguments(tf, dataset, traces):
    @tf.function
    def step(it):
        traces.append(it.element_spec)
        return it.get_next() * 2

    iterator = iter(dataset)
    assert [int(step(iterator)) for _ in range(4)] == [0, 2, 4, 6] and len(traces) == 1
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        step(iterator)
    assert int(step(iter(dataset.skip(2)))) == 4 and len(traces) == 1


def test_captured_iterators(tf, dataset):
    iterator = iter(dataset)

    @tf.function
    def step():
        return next(iterator)

    assert [int(step()) for _ in range(3)] == [0, 1, 2] and int(next(iterator)) == 3


def test_optionals_of_iterators(tf, dataset):
    @tf.function
    def total(it):
        found = tf.constant(0, tf.int64)
        element = it.get_next_as_optional()
        while element.has_value():
            found += element.get_value()
            element = it.get_next_as_optional()
        return found

    assert int(total(iter(dataset))) == 6


def test_datasets_in_branches_and_loops(tf, dataset):
    @tf.function
    def f(ds, flag, n):
        if flag:
            ds = ds.map(lambda x: x + 100)
        else:
            ds = ds.map(lambda x: x + 200)
        for _ in tf.range(n):
            ds = ds.map(lambda x: x + 1)
        return ds

    assert elements(f(dataset.take(2), tf.constant(True), tf.constant(3))) == [103, 104]
    assert elements(f(dataset.take(2), tf.constant(False), tf.constant(0))) == [200, 201]


def test_functions_called_for_elements(tf, dataset, traces):
    @tf.function
    def f(x):
        traces.append(x)
        return x + 1

    assert [int(f(x)) for x in dataset] == [1, 2, 3, 4] and len(traces) == 1
    assert elements(dataset.map(f).map(f)) == [2, 3, 4, 5]


def test_variables_in_mapped_functions(tf, dataset):
    seen = tf.Variable(0, dtype=tf.int64)

    def count(x):
        return seen.assign_add(x)

    assert elements(dataset.map(count)) == [0, 1, 3, 6] and int(seen) == 6


def test_new_variables_in_mapped_functions(tf, dataset):
    with pytest.raises(ValueError, match="tf.function"):
        dataset.map(lambda x: tf.Variable(1.0) + tf.cast(x, tf.float32))


def test_prints_of_traced_code_happen_once(tf, dataset, capsys):
    def shout(x):
        print("tracing")
        return x

    assert elements(dataset.map(shout)) == elements(dataset)
    assert capsys.readouterr().out == "tracing\n"
