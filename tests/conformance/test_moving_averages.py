"""tf.train.ExponentialMovingAverage, and `tf.__internal__.train.assign_moving_average`."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def averaged(tf, *, steps=((3.0, 4.0),), dtype="float32", **arguments):
    """The average of a Variable that begins with [1, 2] and gets the values of the steps."""
    weights = tf.Variable([1.0, 2.0], dtype=dtype)
    ema = tf.train.ExponentialMovingAverage(**arguments)
    ema.apply([weights])
    for step in steps:
        weights.assign(tf.cast(list(step), dtype))
        ema.apply([weights])
    return ema.average(weights).numpy()


def test_averages_move_towards_the_values(tf):
    assert averaged(tf, decay=0.5).tolist() == [2.0, 3.0]
    assert averaged(tf, decay=0.5, steps=[(3.0, 4.0), (6.0, 5.0)]).tolist() == [4.0, 4.0]
    assert averaged(tf, decay=1).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_averages_have_the_dtype_of_the_variable(tf, dtype):
    value = averaged(tf, decay=0.75, dtype=dtype)
    assert value.dtype == tf.as_dtype(dtype).as_numpy_dtype
    assert value.astype("float32").tolist() == [1.5, 2.5]


def test_the_decay_may_be_a_tensor_or_a_variable(tf):
    assert averaged(tf, decay=tf.constant(0.5)).tolist() == [2.0, 3.0]
    decay = tf.Variable(0.5)
    assert averaged(tf, decay=decay).tolist() == [2.0, 3.0]
    decay.assign(0.0)
    assert averaged(tf, decay=decay).tolist() == [3.0, 4.0]


@pytest.mark.parametrize("count", [0, 1, 8, 10_000])
def test_the_number_of_updates_limits_the_decay(tf, count):
    decay = min(0.9, (1 + count) / (10 + count))
    expected = [3 - 2 * decay, 4 - 2 * decay]
    np.testing.assert_allclose(averaged(tf, decay=0.9, num_updates=count), expected, rtol=1e-6)
    np.testing.assert_allclose(averaged(tf, decay=0.9, num_updates=tf.Variable(count)), expected, rtol=1e-6)


def test_debiasing_is_not_for_variables(tf):
    assert averaged(tf, decay=0.75, zero_debias=True).tolist() == [1.5, 2.5]


def test_an_average_is_a_variable_named_after_the_one_that_it_belongs_to(tf):
    weights = tf.Variable([1.0, 2.0], name="named_weights")
    ema = tf.train.ExponentialMovingAverage(0.5)
    assert ema.name == "ExponentialMovingAverage"
    assert ema.average(weights) is None
    assert ema.average_name(weights) == "named_weights/ExponentialMovingAverage"
    assert ema.apply([weights]) is None
    average = ema.average(weights)
    assert isinstance(average, tf.Variable)
    assert (average.name, average.trainable) == ("named_weights/ExponentialMovingAverage:0", False)
    assert ema.average_name(weights) == "named_weights/ExponentialMovingAverage"
    assert ema.average(weights) is average
    again = tf.train.ExponentialMovingAverage(0.5)
    again.apply([weights])
    assert again.average(weights).name == "named_weights/ExponentialMovingAverage_1:0"
    other = tf.train.ExponentialMovingAverage(0.5, name="Mean")
    with tf.name_scope("outer"):
        other.apply((weights,))
    assert other.average(weights).name == "named_weights/Mean:0"


def test_a_variable_twice_in_the_list_is_updated_twice(tf):
    weights, ema = tf.Variable(1.0), tf.train.ExponentialMovingAverage(0.5)
    ema.apply([weights])
    weights.assign(3.0)
    ema.apply([weights, weights])
    assert ema.average(weights).numpy() == 2.5


def test_without_a_list_there_is_nothing_to_average_eagerly(tf):
    ema = tf.train.ExponentialMovingAverage(0.5)
    assert ema.apply() is None
    assert ema.apply([]) is None


def test_an_average_of_a_variable_with_a_loose_shape_has_the_shape_of_its_value(tf):
    weights = tf.Variable(tf.ones([2]), shape=[None])
    ema = tf.train.ExponentialMovingAverage(0.5)
    ema.apply([weights])
    assert ema.average(weights).shape == [2]


def test_averages_are_made_and_updated_in_functions(tf):
    weights = tf.Variable(1.0, name="in_function")
    ema = tf.train.ExponentialMovingAverage(0.5, name="Mean")
    returned = []

    @tf.function
    def step(x):
        weights.assign(x)
        returned.append(ema.apply([weights]))
        return ema.average(weights)

    assert [step(tf.constant(x)).numpy() for x in (3.0, 5.0, 1.5)] == [2.0, 3.5, 2.5]
    assert {(operation.name, operation.type) for operation in returned} == {("Mean", "NoOp")}
    assert ema.average(weights).name == "in_function/Mean:0"
    assert ema.average(weights).numpy() == 2.5


def test_averages_are_saved_as_what_they_are(tf, tmp_path):
    weights, ema = tf.Variable(1.0), tf.train.ExponentialMovingAverage(0.5)
    ema.apply([weights])
    weights.assign(3.0)
    ema.apply([weights])
    path = tf.train.Checkpoint(averaged=[ema.average(weights)]).write(str(tmp_path / "saved"))
    tf.train.Checkpoint(averaged=[weights]).read(path).assert_consumed()
    assert weights.numpy() == 2.0


@pytest.mark.parametrize("initial", [1, True, 1j, "text"])
def test_variables_of_other_dtypes_are_refused(tf, initial):
    with pytest.raises(TypeError, match="The variables must be half, float, or double: odd:0"):
        tf.train.ExponentialMovingAverage(0.5).apply([tf.Variable(initial, name="odd")])


def test_tensors_are_refused_outside_of_graphs(tf):
    ema = tf.train.ExponentialMovingAverage(0.5)
    text = "does not support non-Variable tensors when eager execution is enabled"
    with pytest.raises(TypeError, match=text):
        ema.apply([tf.constant(1.0)])
    with pytest.raises(TypeError, match=text):
        tf.function(lambda x: ema.apply([x]))(tf.constant(1.0))


def test_decays_of_other_dtypes_are_refused(tf):
    weights = tf.Variable(1.0)
    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype float64"):
        tf.train.ExponentialMovingAverage(tf.constant(0.5, "float64")).apply([weights])
    with pytest.raises(TypeError, match="Cannot convert 'x' to EagerTensor of dtype float"):
        tf.train.ExponentialMovingAverage("x").apply([weights])


def test_replicas_have_the_same_averages(tf):
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        weights, ema = tf.Variable(1.0, name="mirrored"), tf.train.ExponentialMovingAverage(0.5)
        ema.apply([weights])
    assert ema.average(weights).name == "mirrored/ExponentialMovingAverage:0"
    weights.assign(3.0)

    def step():
        ema.apply([weights])
        return ema.average(weights).read_value()

    assert strategy.run(step).numpy() == 2.0
    assert strategy.run(tf.function(step)).numpy() == 2.5
    assert ema.average(weights).numpy() == 2.5


# Averages in graphs of TensorFlow 1.


def test_graphs_update_averages_by_an_op(tf, v1):
    with tf.Graph().as_default():
        a, b = v1.get_variable("a", initializer=1.0), v1.Variable(2.0, name="b")
        v1.Variable(1, name="n", trainable=False)
        ema = v1.train.ExponentialMovingAverage(0.5)
        update = ema.apply()
        assert (update.name, update.type) == ("ExponentialMovingAverage", "NoOp")
        assert [v.name for v in v1.moving_average_variables()] == ["a:0", "b:0"]
        assert [v.name for v in v1.trainable_variables()] == ["a:0", "b:0"]
        averages = [ema.average(a), ema.average(b)]
        assert [v.name for v in averages] == ["a/ExponentialMovingAverage:0", "b/ExponentialMovingAverage:0"]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(averages) == [1.0, 2.0]
            session.run([a.assign(5.0), b.assign(8.0)])
            session.run(update)
            assert session.run(averages) == [3.0, 5.0]
            session.run(update)
            assert session.run(averages) == [4.0, 6.5]


def test_graphs_average_tensors(tf, v1):
    """They begin at zero, which may be corrected for."""
    with tf.Graph().as_default():
        x = v1.placeholder("float32", [], name="x")
        plain = v1.train.ExponentialMovingAverage(0.5)
        corrected = v1.train.ExponentialMovingAverage(0.5, zero_debias=True, name="Corrected")
        updates = [plain.apply([x]), corrected.apply([x])]
        averages = [plain.average(x), corrected.average(x)]
        assert [v.name for v in averages] == ["x/ExponentialMovingAverage:0", "x/Corrected:0"]
        names = [v.name for v in v1.global_variables()]
        assert names[2:] == ["x/Corrected/biased:0", "x/Corrected/local_step:0"]
        assert v1.moving_average_variables() == []
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(updates, {x: 4.0})
            assert session.run(averages) == [2.0, 4.0]
            session.run(updates, {x: 1.0})
            np.testing.assert_allclose(session.run(averages), [1.5, 2.0], rtol=1e-6)


def test_averages_of_tensors_of_unknown_shape(tf, v1):
    with tf.Graph().as_default():
        x = v1.placeholder("float32", [None], name="x")
        ema = v1.train.ExponentialMovingAverage(0.5)
        update = ema.apply([x])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer(), {x: [0.0, 0.0]})
            session.run(update, {x: [2.0, 4.0]})
            assert session.run(ema.average(x)).tolist() == [1.0, 2.0]


def test_names_in_scopes(tf, v1):
    with tf.Graph().as_default():
        a = v1.get_variable("a", initializer=1.0)
        ema = v1.train.ExponentialMovingAverage(0.5, name="Mean")
        with v1.name_scope("names"), v1.variable_scope("variables"):
            assert ema.average_name(a) == "names/variables/a/Mean"
            assert ema.apply([a]).name == "names/variables/Mean"
            assert ema.apply([a]).name == "names/variables/Mean_1"
        assert ema.average(a).name == "variables/a/Mean:0"
        assert ema.average_name(a) == "variables/a/Mean"


def test_averages_are_restored_into_their_variables(tf, v1, tmp_path):
    def build():
        a = v1.get_variable("a", initializer=1.0)
        n = v1.get_variable("n", initializer=7, trainable=False)
        ema = v1.train.ExponentialMovingAverage(0.5)
        return a, n, ema

    with tf.Graph().as_default():
        a, n, ema = build()
        update = ema.apply([a])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(a.assign(3.0))
            session.run(update)
            path = v1.train.Saver().save(session, str(tmp_path / "saved"), write_meta_graph=False)
    with tf.Graph().as_default():
        a, n, ema = build()
        names = ema.variables_to_restore()
        assert {name: variable.name for name, variable in names.items()} == {"a/ExponentialMovingAverage": "a:0", "n": "n:0"}
        with v1.Session() as session:
            v1.train.Saver(names).restore(session, path)
            assert session.run([a, n]) == [2.0, 7]


def test_variables_to_restore_of_a_list(tf, v1):
    with tf.Graph().as_default():
        a, b = v1.get_variable("a", initializer=1.0), v1.get_variable("b", initializer=1.0)
        ema = v1.train.ExponentialMovingAverage(0.5, name="Mean")
        ema.apply([a, b])
        names = {name: variable.name for name, variable in ema.variables_to_restore([a]).items()}
        assert names == {"a/Mean": "a:0", "b": "b:0", "b/Mean": "b/Mean:0"}
    weights = tf.Variable(1.0, name="eager_weights")
    assert list(ema.variables_to_restore([weights])) == ["eager_weights/Mean"]


def test_moving_averages_for_libraries(tf):
    # TensorFlow looks at the Variables that other tests left in the default graph.
    tf.compat.v1.reset_default_graph()
    update = tf.__internal__.train.assign_moving_average
    mean = tf.Variable(0.0, name="mean_of_library")
    update(mean, tf.constant(2.0), 0.75, zero_debias=False)
    assert mean.numpy() == 0.5
    update(mean, tf.constant(2.0), tf.constant(0.5), zero_debias=False, name="Update")
    assert mean.numpy() == 1.25
    # Each eager call begins anew.
    update(mean, tf.constant(2.0), 0.5)
    assert mean.numpy() == 2.0

    debiased = tf.Variable(0.0, name="debiased_mean")

    @tf.function
    def step(x):
        update(debiased, x, 0.5)
        return debiased.read_value()

    np.testing.assert_allclose([step(tf.constant(x)).numpy() for x in (4.0, 1.0)], [4.0, 2.0], rtol=1e-6)
