"""Values of a wrong kind for Variables, TensorArrays and functions of tensors: the type and key words of the errors."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule(191)


def test_options_of_variables(tf):
    for aggregation in ("sum", "SUM", 7):
        with pytest.raises(ValueError, match=f"Invalid variable aggregation mode: {aggregation} for variable: v"):
            tf.Variable(1.0, aggregation=aggregation, name="v")
    for synchronization in ("auto", 9):
        with pytest.raises(ValueError, match=f"Invalid variable synchronization mode: {synchronization} for variable: None"):
            tf.Variable(1.0, synchronization=synchronization)
    v = tf.Variable(1.0, aggregation=1, synchronization=None)
    assert v.aggregation == tf.VariableAggregation.SUM and v.synchronization == tf.VariableSynchronization.AUTO
    assert tf.Variable(1.0, aggregation=None).aggregation == tf.VariableAggregation.NONE


def test_sizes_of_arrays(tf):
    for size in ("a", 1.5):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            tf.TensorArray(tf.float32, size=size)
    assert int(tf.TensorArray(tf.float32, size=tf.constant(2)).size()) == 2


def test_an_array_is_no_sequence(tf):
    array = tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0])
    with pytest.raises(TypeError, match="'TensorArray' object is not iterable"):
        list(array)
    with pytest.raises(TypeError, match="'TensorArray' object is not subscriptable"):
        array[0]
    with pytest.raises(TypeError, match="object of type 'TensorArray' has no len"):
        len(array)


def test_elements_of_another_dtype(tf):
    def write(n):
        array = tf.TensorArray(tf.int32, 3)
        array = array.write(0, tf.constant(1.5))
        return array.stack()

    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype is int32 but Op is trying to write dtype float32"):
        write(1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid data types; op elements float but list elements int32"):
        tf.function(write)(1)


def test_sizes_that_differ(tf):
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        tf.repeat(tf.ones([2, 3]), [1, 2, 3], axis=0)
    with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
        tf.map_fn(lambda x: x[0], (tf.ones([3]), tf.ones([2])), fn_output_signature=tf.float32)
    sparse = tf.sparse.from_dense([1, 0, 2])
    with pytest.raises(ValueError, match="Dimensions 2 and 1 are not compatible"):
        tf.sparse.map_values(lambda x: x[:1], sparse)
    with pytest.raises(ValueError, match="Dimensions 1 and 2 are not compatible"):
        tf.sparse.transpose(tf.sparse.from_dense([[1, 0], [2, 3]]), [0])
    assert tf.sparse.map_values(tf.add, sparse, 1).values.numpy().tolist() == [2, 3]


def test_axis_of_the_classes(tf):
    ones = tf.ones([2, 3])
    for axis, limits in ((5, "6/2"), (-3, "0/-3")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Requires start <= limit when delta > 0: {limits}"):
            tf.nn.softmax_cross_entropy_with_logits(ones, ones, axis)
    assert tf.nn.softmax_cross_entropy_with_logits(ones, ones, 0).shape == [3]


def test_joined_strings_are_a_list(tf):
    for inputs in ("a", 5, {"a"}):
        with pytest.raises(TypeError, match="Expected list for 'inputs' argument to 'string_join' Op, not "):
            tf.strings.join(inputs)
    assert tf.strings.join(("a", "b")).numpy() == b"ab"


def test_generators_need_a_state(tf):
    for arguments in ({}, {"state": [1, 2, 3]}, {"alg": 1}):
        with pytest.raises(AssertionError):
            tf.random.Generator(**arguments)


def test_what_is_no_message(tf):
    with pytest.raises(Exception, match="Error parsing message.*corrupt"):
        tf.train.Example.FromString(b"garbage!!")


def test_number_of_rows_in_a_function(tf):
    def rows(x):
        return len(x)

    assert tf.function(rows)(tf.ragged.constant([[1, 2], [3]])) == 2


def test_sums_of_tensors_that_differ(tf):
    ones = tf.ones([2])
    for run in (lambda f: f(), lambda f: tf.function(f)()):
        with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are not compatible"):
            run(lambda: tf.math.accumulate_n([ones, tf.ones([3])]))
        for inputs in ([], 3, [ones, tf.ones([2], tf.int32)]):
            with pytest.raises(ValueError, match="inputs must be a list of at least one Tensor with the same dtype and shape"):
                run(lambda inputs=inputs: tf.math.accumulate_n(inputs))
        with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are not compatible"):
            run(lambda: tf.math.accumulate_n([ones], shape=[3]))
        with pytest.raises(TypeError, match="argument is <dtype: 'int32'>, but `input` is of type <dtype: 'float32'>"):
            run(lambda: tf.math.accumulate_n([ones], tensor_dtype=tf.int32))
    assert tf.math.accumulate_n([ones, ones]).numpy().tolist() == [2.0, 2.0]


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_frames_move_on(tf):
    for run in (lambda f: f(), lambda f: tf.function(f)()):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            run(lambda: tf.signal.frame(tf.ones([4]), 2, 0))


def test_axis_of_the_classes_in_a_function(tf):
    ones = tf.ones([2, 3])
    with pytest.raises(ValueError, match="Requires start <= limit when delta > 0: 6/2"):
        tf.function(lambda: tf.nn.softmax_cross_entropy_with_logits(ones, ones, 5))()


def test_identities_of_a_list(tf):
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        tf.identity_n(3)
    with pytest.raises(TypeError, match="Expected list for 'input' argument to 'IdentityN' Op, not 3"):
        tf.function(lambda: tf.identity_n(3))()
    assert [int(x) for x in tf.identity_n((1, 2))] == [1, 2]


@pytest.mark.parametrize("traced", [False, True])
def test_axes_that_are_no_ints(tf, traced):
    x = tf.constant([[1.0, 3.0], [4.0, 2.0]])

    def run(f, *axis):
        def of_axis():  # arrays would become tensors as arguments
            return f(*axis)

        return tf.function(of_axis, autograph=False)() if traced else of_axis()

    for axis in (1.0, "0", np.int64(1), [1], (0, 0)):
        with pytest.raises(ValueError, match="'axis' must be None, an integer, or a tuple of 2 unique integers, got"):
            run(lambda axis: tf.norm(x, axis=axis), axis)
    for axis in (1.0, np.int64(1), tf.constant(1)):
        with pytest.raises(TypeError, match="Argument `axis` must be an int. Received `axis` = "):
            run(lambda axis: tf.repeat(x, 2, axis=axis), axis)
    with pytest.raises(TypeError, match="Expected int for argument 'axis' not '0'"):
        run(lambda: tf.squeeze(x[:1], "0"))
    for axis in (0.0, np.int64(0), np.float64(0)):
        assert run(lambda axis: tf.squeeze(x[:1], axis), axis).shape == [2]
    for axis in (1.0, "1", np.int64(1), True, tf.constant(1)):
        assert run(lambda axis: tf.sort(x, axis), axis).numpy().tolist() == [[1.0, 3.0], [2.0, 4.0]]
    for axis in ([0, 0], [1], ()):
        with pytest.raises(ValueError, match="Argument `axis` must be a constant scalar. Received: axis="):
            run(lambda axis: tf.sort(x, axis), axis)
    with pytest.raises(ValueError, match="None"):
        run(lambda: tf.argsort(x, None))
    for axes in (np.int64(1), [1], (np.int64(1),)):
        assert run(lambda axes: tf.nn.moments(x, axes)[0], axes).numpy().tolist() == [2.0, 3.0]


def test_sizes_that_are_no_numbers(tf):
    for make in (tf.zeros, tf.ones):
        for shape, refused in ((["a"], r"Cannot convert \['a'\] to EagerTensor of dtype int32"), ([2, "a"], "mixed types")):
            with pytest.raises((TypeError, ValueError), match=refused):
                make(shape)
            with pytest.raises(TypeError, match="Expected int32, but got a of type 'str'"):
                tf.function(lambda make=make, shape=shape: make(list(shape)), autograph=False).get_concrete_function()
        with pytest.raises(tf.errors.InvalidArgumentError):
            make([[2]])
        with pytest.raises(ValueError, match="non-rectangular"):
            make([[1], [2, 3]])


def test_ranges_of_no_numbers(tf):
    for limit in ("a", True, 1j):
        with pytest.raises(AssertionError):
            tf.range(limit)


def test_a_stack_of_one_value(tf):
    """Along axis 0 it is the value as a tensor, whatever its rank."""
    for value, shape in ((tf.constant([[1, 2], [3, 4]]), [2, 2]), (tf.Variable([1, 2]), [2]), (3, []), ("ab", []), (np.ones((2, 3)), [2, 3])):
        assert tf.stack(value).shape == shape
        assert tf.function(lambda value=value: tf.stack(value), autograph=False)().shape == shape
    f = tf.function(lambda x: tf.stack(x))
    assert f.get_concrete_function(tf.TensorSpec([None, 2])).structured_outputs.shape.as_list() == [None, 2]
    assert f.get_concrete_function(tf.TensorSpec(None)).structured_outputs.shape.rank is None
    with pytest.raises(TypeError, match="Expected list for 'values' argument to 'pack' Op|len is not well defined"):
        tf.function(lambda x: tf.stack(x, axis=1)).get_concrete_function(tf.TensorSpec([None, 2]))


def test_shapes_and_axes_of_other_ranks(tf):
    with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 0"):
        tf.function(lambda: tf.reshape([1, 2], 2))()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis tensor should be a scalar integer, but got shape \[1,1\]"):
        tf.concat([[1], [2]], [[0]])


def test_a_tuple_beside_a_number_is_not_rectangular(tf):
    for make in (tf.constant, tf.convert_to_tensor):
        with pytest.raises(ValueError, match="mixed types|non-rectangular"):
            make((1, (2, 3)))
        with pytest.raises(ValueError, match="inhomogeneous shape|mixed types|non-rectangular"):
            tf.function(lambda make=make: make((1, (2, 3))))()
