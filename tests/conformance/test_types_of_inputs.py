"""The errors of arguments whose types are not those that an op takes, eager and traced."""

import re

import numpy as np
import pytest

pytestmark = pytest.mark.rule(28)

TRACED = {
    "another type than an argument before": (
        lambda tf: tf.matmul(tf.ones([2, 2]), tf.ones([2, 2], tf.float64)),
        "Input 'b' of 'MatMul' Op has type float64 that does not match type float32 of argument 'a'.",
    ),
    "a product of a list of integers": (
        lambda tf: tf.matmul([[1, 2]], tf.ones([2, 2])),
        "Input 'b' of 'MatMul' Op has type float32 that does not match type int32 of argument 'a'.",
    ),
    "int64 numbers of elements of an array": (
        lambda tf: tf.TensorArray(tf.float32, tf.size([1.0], out_type=tf.int64)).stack(),
        "Input 'num_elements' of 'TensorListReserve' Op has type int64 that does not match expected type of int32.",
    ),
    "an int64 index that is written to": (
        lambda tf: tf.TensorArray(tf.float32, 1).write(tf.constant(0, tf.int64), 1.0).stack(),
        "Input 'index' of 'TensorListSetItem' Op has type int64 that does not match expected type of int32.",
    ),
    "an int64 index that is read": (
        lambda tf: tf.TensorArray(tf.float32, 1).unstack([1.0]).read(tf.constant(0, tf.int64)),
        "Input 'index' of 'TensorListGetItem' Op has type int64 that does not match expected type of int32.",
    ),
    "a text where the argument before is a number": (
        lambda tf: tf.add(tf.constant(1), "x"),
        "Input 'y' of 'AddV2' Op has type string that does not match type int32 of argument 'x'.",
    ),
    "a float beside integers": (
        lambda tf: tf.pow(tf.constant([1, 2]), 0.5),
        ("Expected int32 passed to parameter 'y' of op 'Pow', got 0.5 of type 'float' instead. Error: Expected int32, but got "
        "0.5 of type 'float'."),
    ),
    "a float as the depth": (
        lambda tf: tf.one_hot([1], 3.0),
        ("Expected int32 passed to parameter 'depth' of op 'OneHot', got 3.0 of type 'float' instead. Error: Expected int32, "
        "but got 3.0 of type 'float'."),
    ),
    "a float as k": (
        lambda tf: tf.nn.in_top_k([0], tf.ones([1, 2]), 1.5),
        ("Expected int32 passed to parameter 'k' of op 'InTopKV2', got 1.5 of type 'float' instead. Error: Expected int32, but "
        "got 1.5 of type 'float'."),
    ),
    "tensors of two types in a list": (
        lambda tf: tf.concat([tf.constant([1]), tf.constant([1.0])], 0),
        "Tensors in list passed to 'values' of 'ConcatV2' Op have types [int32, float32] that don't all match.",
    ),
    "numbers of another type in a list": (
        lambda tf: tf.stack([tf.constant([1]), [1.5]]),
        "Tensors in list passed to 'values' of 'Pack' Op have types [int32, float32] that don't all match.",
    ),
    "what is no tensor in a list": (
        lambda tf: tf.concat([tf.constant([1.0]), None], 0),
        ("Tensors in list passed to 'values' of 'ConcatV2' Op have types [float32, <NOT CONVERTIBLE TO TENSOR>] that don't all "
        "match."),
    ),
    "a list of texts with a number": (
        lambda tf: tf.strings.join(["a", 5]),
        ("Tensors in list passed to 'inputs' of 'StringJoin' Op have types [string, int32] that do not match expected type "
        "string."),
    ),
    "a list of any types": (
        lambda tf: tf.raw_ops.IdentityN(input=[1, None]),
        ("Tensors in list passed to 'input' of 'IdentityN' Op have types [int32, <NOT CONVERTIBLE TO TENSOR>] that are invalid. "
        "Tensors: [1, None]"),
    ),
}


@pytest.mark.parametrize("case", TRACED)
def test_traced(tf, case):
    function, text = TRACED[case]
    with pytest.raises(TypeError, match=re.escape(text)):
        tf.function(lambda: function(tf))()


EAGER = {
    "axis of a sum": lambda tf: tf.reduce_sum(tf.constant([1.0]), axis=1.0),
    "axis of a scan": lambda tf: tf.cumsum(tf.constant([1.0]), axis=1.0),
    "axis of a new dimension": lambda tf: tf.expand_dims(tf.constant([1.0]), axis=1.0),
}


@pytest.mark.parametrize("case", EAGER)
def test_a_float_where_an_axis_belongs(tf, case):
    with pytest.raises(TypeError, match="Cannot convert 1.0 to EagerTensor of dtype int32"):
        EAGER[case](tf)


PRODUCTS = {
    "matrices": lambda tf: tf.matmul([[1, 2]], tf.ones([2, 2])),
    "matrices of doubles": lambda tf: tf.matmul([[1.0, 2.0]], tf.ones([2, 2], tf.float64)),
    "a list as matrix": lambda tf: tf.linalg.matvec([[1, 2]], tf.ones([2])),
    "a list as vector": lambda tf: tf.linalg.matvec(tf.ones([2, 2]), [1, 2]),
    "axes of a list": lambda tf: tf.tensordot([1, 2], tf.ones([2]), 1),
    "axes with a list": lambda tf: tf.tensordot(tf.ones([2]), [1, 2], 1),
}


@pytest.mark.parametrize("case", PRODUCTS)
def test_lists_have_types_of_their_own_in_products(tf, case):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"cannot compute MatMul as input #1\(zero-based\) was expected to be"):
        PRODUCTS[case](tf)
    assert tf.matmul(tf.ones([1, 2]), [[1], [2]]).numpy().tolist() == [[3.0]]  # but the second matrix takes the first's


EQUATIONS = {  # the dtypes of results, eager and traced; None: refused
    "a double array after a tensor": (lambda tf: (tf.ones([2, 2]), np.full([2, 2], 1.5)), "float32", "float32"),
    "a double array before a tensor": (lambda tf: (np.full([2, 2], 1.5), tf.ones([2, 2])), "float32", "float32"),
    "doubles beside integers": (lambda tf: (np.full([2, 2], 1.5), tf.ones([2, 2], tf.int32)), "int32", "int32"),
    "an array beside a Variable": (lambda tf: (np.ones([2, 2]), tf.Variable(tf.ones([2, 2]))), "float32", None),
    "two arrays": (lambda tf: (np.ones([2, 2], np.int64), np.ones([2, 2])), "int64", None),
    "arrays of one dtype": (lambda tf: (np.ones([2, 2]), np.ones([2, 2])), "float64", "float64"),
    "a Variable beside a tensor": (lambda tf: (tf.Variable([[1, 2], [3, 4]]), tf.ones([2, 2])), None, None),
}


@pytest.mark.parametrize("case", EQUATIONS)
def test_types_of_equations(tf, case):
    make, eager, traced = EQUATIONS[case]
    values = make(tf)
    multiply = lambda: tf.einsum("ij,jk->ik", *values)
    for expected, error, run in (
        (eager, (tf.errors.InvalidArgumentError, "cannot compute Einsum as input #1"), multiply),
        (traced, (TypeError, "Tensors in list passed to 'inputs' of 'Einsum' Op have types"), tf.function(multiply)),
    ):
        if expected is None:
            with pytest.raises(error[0], match=error[1]):
                run()
        else:
            assert run().dtype == expected


def test_floats_in_a_list_of_axes_are_floats(tf):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'Tperm' of float is not in the list of allowed"):
        tf.transpose(tf.ones([2, 2]), [0, 1.0])


def test_a_constant_of_a_tensor_of_another_dtype(tf):
    with pytest.raises(TypeError, match=re.escape("Expected tensor [1. 2.] with dtype tf.int32, but got dtype tf.float32.")):
        tf.constant(tf.constant([1.0, 2.0]), tf.int32)


def test_labels_take_the_type_of_logits(tf):
    logits = tf.constant([[0.0, 0.0]], tf.float64)
    for labels in tf.constant([[1.0, 0.0]]), tf.constant([[1, 0]]):
        loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        assert loss.dtype == tf.float64
        assert abs(float(loss[0]) - 0.6931471805599453) < 1e-15


def test_indices_of_numpy_in_arrays(tf):
    @tf.function
    def f():
        array = tf.TensorArray(tf.float32, np.int64(2)).write(np.uint8(1), 5.0)
        return array.read(np.int64(1))

    assert float(f()) == 5.0


SHAPES = {
    "negative sizes": (lambda tf: tf.fill([-1], 1.0), "Fill dimensions must be >= 0"),
    "another rank than ensured": (lambda tf: tf.ensure_shape([1.0], [1, 1]), "Shape must be rank 2 but is rank 1"),
    "no step": (lambda tf: tf.range(1, 5, 0), "Requires delta != 0 for"),
    "a matrix that is not square": (lambda tf: tf.linalg.det(tf.ones([2, 3])), "Dimensions must be equal, but are 3 and 2"),
    "sizes of an axis that differ": (
        lambda tf: tf.einsum("ij,jk", tf.ones([2, 3]), tf.ones([2, 3])),
        "Dimensions must be equal, but are 3 and 2",
    ),
    "another rank than the equation's": (
        lambda tf: tf.einsum("ijk->i", tf.ones([2, 3])),
        "for 0th input and equation: ijk->i",
    ),
    "no such axis of texts": (
        lambda tf: tf.strings.reduce_join(["a"], axis=2),
        "Invalid reduction dimension 2 for input with 1 dimensions.",
    ),
    "a seed of three numbers": (
        lambda tf: tf.random.stateless_uniform([2], seed=[1, 2, 3]),
        "Dimension must be 2 but is 3",
    ),
    "updates that do not fit": (
        lambda tf: tf.scatter_nd([[0]], [1.0, 2.0], [3]),
        ("must match dimensions [0,1) of updates[shape=[2]] = [2]: Dimension 0 in both shapes must be equal, but are 1 and 2. "
        "Shapes are [1] and [2]."),
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_shapes_while_tracing(tf, case):
    function, text = SHAPES[case]
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.function(lambda: function(tf))()


NOTHING = {
    "input": lambda tf: tf.identity(None),
    "features": lambda tf: tf.nn.relu(None),
    "shape": lambda tf: tf.reshape([1.0], None),
    "y": lambda tf: tf.raw_ops.Add(x=1.0, y=None),
}


@pytest.mark.parametrize("parameter", NOTHING)
def test_none_while_tracing(tf, parameter):
    text = f"Tried to convert '{parameter}' to a tensor and failed. Error: None values not supported."
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.function(lambda: NOTHING[parameter](tf))()


LISTS_WITH_AN_EMPTY_ONE = {
    "ints": lambda tf: tf.constant([[], [1]]),
    "of a dtype": lambda tf: tf.constant([[], [1, 2]], tf.float32),
    "deeper": lambda tf: tf.constant([[[]], [[1]]]),
    "stacked": lambda tf: tf.stack([[], [1.0]]),
}


@pytest.mark.parametrize("case", LISTS_WITH_AN_EMPTY_ONE)
def test_a_list_that_begins_with_an_empty_one_loses_nothing(tf, case):
    with pytest.raises(ValueError, match="inhomogeneous shape|must be equal"):
        tf.function(lambda: LISTS_WITH_AN_EMPTY_ONE[case](tf))()
    assert tf.function(lambda: tf.constant([[], []]))().shape == (2, 0)


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_bytes_in_a_graph_are_uint8(tf, kind):
    found = tf.function(lambda: tf.constant(kind(b"ab")))()
    assert found.dtype == tf.uint8 and found.numpy().tolist() == [97, 98]


def test_an_unknown_shape_is_ensured(tf):
    assert tf.ensure_shape([1], None).shape == (1,) and tf.raw_ops.EnsureShape(input=[1], shape=None).shape == (1,)


def test_images_keep_their_dtype_when_encoded(tf):
    with tf.Graph().as_default():
        assert tf.io.encode_png(tf.zeros([1, 1, 1], tf.uint8)).name == "EncodePng:0"
    for image in (tf.zeros([2, 2, 3]), np.zeros([2, 2, 3]), [[[1], [2]]]):
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="uint8, uint16"):
            tf.io.encode_png(image)
        with pytest.raises(TypeError, match="uint8, uint16"):
            tf.function(lambda image: tf.image.encode_png(image))(image)


def test_a_float_beside_lists_is_refused_by_the_op(tf):
    for call in (lambda: tf.expand_dims([1], 1.5), lambda: tf.roll([1], 0.5, 0), lambda: tf.concat([[1], [2]], 0.5)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="of float is not in the list of allowed values: int32, int64"):
            call()
    with pytest.raises(TypeError, match="Cannot convert 0.5 to EagerTensor of dtype int32"):
        tf.raw_ops.ExpandDims(input=tf.constant([1]), axis=0.5)


def test_shapes_take_the_type_of_what_stands_before_them(tf):
    wide, shape = tf.constant([4], tf.int64), tf.TensorShape([4])
    calls = [
        lambda: tf.scatter_nd(tf.constant([[0]], tf.int64), [1.0], shape),
        lambda: tf.slice(tf.range(8), wide, shape),
        lambda: tf.concat([shape, wide], 0),
        lambda: tf.stack([wide, shape]),
        lambda: tf.maximum(wide, shape),
        lambda: tf.where([True], wide, shape),
        lambda: tf.raw_ops.AddV2(x=wide, y=shape),
    ]
    for call in calls:
        eager, traced = call(), tf.function(call)()
        assert eager.dtype == traced.dtype and eager.numpy().tolist() == traced.numpy().tolist()
    assert tf.equal(shape, wide).numpy().tolist() == [True]
    with pytest.raises(TypeError, match="Cannot convert TensorShape .* to dtype <dtype: 'float32'>"):
        tf.multiply(tf.constant([1.0]), shape)


@pytest.mark.rule("surface")
def test_a_tensor_is_the_list_of_its_rows_eagerly(tf):
    rows = tf.constant([[1, 2], [3, 4]])
    assert [s.numpy().tolist() for s in tf.shape_n(rows)] == [[2], [2]]
    stitched = tf.dynamic_stitch(tf.constant([[0, 2], [3, 1]]), rows)
    assert stitched.numpy().tolist() == [1, 4, 2, 3]
    assert tf.raw_ops.Pack(values=rows, axis=1).numpy().tolist() == [[1, 3], [2, 4]]
    with pytest.raises(TypeError, match="Expected list for 'input' argument to 'shape_n' Op, not <tf.Tensor 'input:0' shape="):
        tf.function(tf.shape_n)(rows)


@pytest.mark.rule("surface")
def test_other_values_than_lists(tf):
    for call in (
        lambda: tf.raw_ops.Pack(values="ab", axis=0),
        lambda: tf.raw_ops.ConcatV2(values=np.arange(3), axis=0),
        lambda: tf.raw_ops.AddN(inputs=tf.constant(3)),
        lambda: tf.dynamic_stitch(None, [[1]]),
    ):
        for run in (call, tf.function(call, autograph=False)):
            with pytest.raises(TypeError, match="Expected list for '[a-z]*' argument to '[a-z_2]*' Op, not [^>]"):
                run()
    with pytest.raises(TypeError, match="Expected list for 'input' argument to 'IdentityN' Op, not 3"):
        tf.function(lambda: tf.raw_ops.IdentityN(input=3))()


@pytest.mark.rule("surface")
def test_a_float_for_an_integer_beside_numbers(tf):
    for call, dtype in (
        (lambda: tf.fill(2.0, 1), "int32"),
        (lambda: tf.one_hot(3.0, 4), "int64"),
        (lambda: tf.reshape(1.0, 1.0), "int32"),
        (lambda: tf.expand_dims(1, 1.0), "int32"),
    ):
        with pytest.raises(TypeError, match=f"^Cannot convert [0-9.]* to EagerTensor of dtype {dtype}"):
            call()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'index_type' of float is not in the list"):
        tf.fill(2.0, [1])


@pytest.mark.rule("surface")
def test_conversions_with_a_name_begin_with_it(tf):
    x = tf.constant(1.5)
    text = "Tensor conversion requested dtype int64 for Tensor with dtype float32"
    for call, name in (
        (lambda: tf.convert_to_tensor(x, tf.int64, name="size"), "size: "),
        (lambda: tf.convert_to_tensor(x, tf.int64), ""),
        (lambda: tf.data.Dataset.range(3).repeat(x), "count: "),
        (lambda: tf.data.Dataset.range(3).take(x), "count: "),
    ):
        with pytest.raises(ValueError, match=f"^{name}{text}"):
            call()


@pytest.mark.rule("surface")
def test_lists_of_rows_that_an_op_refuses(tf):
    raw = tf.raw_ops
    for call in (
        lambda: tf.dynamic_stitch(tf.constant([0, -1]), tf.constant([1.0, 2.0])),
        lambda: raw.ConcatV2(values=tf.constant([1, 2]), axis=0),
        lambda: raw.AddN(inputs=tf.constant(["a", "b"])),
        lambda: raw.Pack(values=tf.zeros([0, 2]), axis=0),
        lambda: raw.Einsum(inputs=tf.constant([1.0, 2.0]), equation="ij,jk->ik"),
        lambda: raw.Assert(condition=False, data=tf.constant([1, 2])),
    ):
        with pytest.raises((tf.errors.OpError, TypeError, ValueError)):
            call()


@pytest.mark.rule("surface")
def test_a_list_that_a_conversion_empties(tf):
    class Emptying:
        def __init__(self, items):
            self.items = items

        def __array__(self, dtype=None, copy=None):
            self.items.clear()
            return np.ones(2, np.float32)

    items: list = []
    items.extend([Emptying(items), np.ones(2, np.float32) * 2])
    assert tf.raw_ops.AddN(inputs=items).numpy().tolist() == [3.0, 3.0]
