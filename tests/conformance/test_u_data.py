"""Section U of the tracing rules: Datasets and Functions."""

import pytest


@pytest.mark.rule(214)
@pytest.mark.parametrize("drop, shapes", [(False, [[4], [2]]), (True, [[4]])])
def test_one_trace_per_batch_shape(tf, traces, drop, shapes):
    @tf.function
    def f(batch):
        traces.append(batch.shape.as_list())
        return tf.reduce_sum(batch)

    total = sum(int(f(batch)) for batch in tf.data.Dataset.range(10).batch(4, drop_remainder=drop))
    assert traces == shapes and total == (28 if drop else 45)


@pytest.mark.rule(215)
def test_functions_given_to_map(tf, traces):
    def double_odd(x):
        traces.append((tf.executing_eagerly(), hasattr(x, "numpy")))
        if x % 2 == 1:
            return x * 2
        return x

    assert [int(x) for x in tf.data.Dataset.range(5).map(double_odd)] == [0, 2, 2, 6, 4]
    assert traces == [(False, False)]


@pytest.mark.rule(216)
def test_datasets_by_element_spec(tf, traces_of):
    ranges = tf.data.Dataset.range(3), tf.data.Dataset.range(10)
    assert traces_of(*ranges) == 1
    assert traces_of(ranges[0], ranges[0].batch(2), ranges[1].batch(2)) == 2


@pytest.mark.rule(216)
def test_the_type_of_a_dataset_argument(tf):
    concrete = tf.function(lambda ds: 0).get_concrete_function(tf.data.Dataset.range(3))
    assert "DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))" in str(
        concrete.function_type
    )
