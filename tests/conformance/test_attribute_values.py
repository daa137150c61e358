"""What the attributes of ops take, and the errors for what they refuse, eagerly and while tracing."""

import re

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


@pytest.mark.parametrize("traced", [False, True])
def test_conversion_of_attributes(tf, traced):
    """Ints take what int() takes, floats real numbers, bools only bools, and words only those allowed."""
    run = (lambda f: tf.function(f, autograph=False)()) if traced else (lambda f: f())
    pool = lambda ksize, padding="VALID": tf.raw_ops.MaxPool(
        input=tf.ones([1, 2, 2, 1]), ksize=ksize, strides=[1, 1, 1, 1.5], padding=padding
    )
    assert run(lambda: pool([1, 2.7, np.float32(2), 1])).shape == (1, 1, 1, 1)
    assert run(lambda: tf.raw_ops.Squeeze(input=[[1]], axis=[0.0])).shape == (1,)
    assert run(lambda: tf.raw_ops.StringToHashBucketStrong(input="a", num_buckets=2.5, key=[1.5, 2])).numpy() in (0, 1)
    assert float(run(lambda: tf.raw_ops.LeakyRelu(features=-2.0, alpha=True))) == -2
    for k in ("1", None, [1]):
        with pytest.raises(TypeError, match="Expected int for argument 'ksize'"):
            run(lambda k=k: pool([k, 1, 1, 1]))
    for alpha in ("1", tf.constant(0.5), 1j):
        with pytest.raises(TypeError, match="Expected float for argument 'alpha'"):
            run(lambda a=alpha: tf.raw_ops.LeakyRelu(features=[-1.0], alpha=a))
    for flag in (1, np.bool_(True), tf.constant(True), "a"):
        with pytest.raises(TypeError, match="Expected bool for argument 'exclusive'"):
            run(lambda f=flag: tf.raw_ops.Cumsum(x=[1.0], axis=0, exclusive=f))
    error, text = (
        (ValueError, "Attr 'padding' of 'MaxPool' Op passed string 'valid' not in")
        if traced
        else (
            tf.errors.InvalidArgumentError,
            "Value for attr 'padding' of \"valid\" is not in the list of allowed values",
        )
    )
    with pytest.raises(error, match=text):
        run(lambda: pool([1, 1, 1, 1], "valid"))


@pytest.mark.parametrize(
    "op, argument", [("ConcatV2", "values"), ("Pack", "values"), ("AddN", "inputs"), ("ShapeN", "input")]
)
def test_lists_without_elements(tf, op, argument):
    more = {"axis": 0} if op == "ConcatV2" else {}
    call = lambda: getattr(tf.raw_ops, op)(**{argument: []}, **more)
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


WRONG = [
    (lambda tf: tf.one_hot([1], 2, axis="a"), "Expected int for argument 'axis' not 'a'."),
    (lambda tf: tf.raw_ops.OneHot(indices=[1], depth=2, on_value=1.0, off_value=0.0, axis=[1]),
     "Expected int for argument 'axis' not [1]."),
    (lambda tf: tf.matmul([[1.0]], [[1.0]], transpose_a="a"), "Expected bool for argument 'transpose_a' not 'a'."),
    (lambda tf: tf.matmul([[1.0]], [[1.0]], transpose_b=0), "Expected bool for argument 'transpose_b' not 0."),
    (lambda tf: tf.matmul([[[1.0]]], [[[1.0]]], adjoint_b=1), "Expected bool for argument 'adj_y' not 1."),
    (lambda tf: tf.cumsum([1.0], exclusive=1), "Expected bool for argument 'exclusive' not 1."),
    (lambda tf: tf.nn.leaky_relu([1.0], "a"), "Expected float for argument 'alpha' not 'a'."),
    (lambda tf: tf.strings.to_number("1", "foo"), "Expected DataType for argument 'out_type' not 'foo'."),
    (lambda tf: tf.argmax([1.0], output_type=5.5), "Expected DataType for argument 'output_type' not 5.5."),
    (lambda tf: tf.raw_ops.MaxPool(input=[[[[1.0]]]], ksize="a", strides=[1, 1, 1, 1], padding="SAME"),
     "Expected list for 'ksize' argument to 'max_pool' Op, not 'a'."),
    (lambda tf: tf.raw_ops.Conv2D(input=[[[[1.0]]]], filter=[[[[1.0]]]], strides=1, padding="SAME"),
     "Expected list for 'strides' argument to 'conv2d' Op, not 1."),
    (lambda tf: tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[1, "a"]),
     ("Error converting shape to a TensorShape: Dimension value must be integer or None or have an __index__ method, "
      "got value ''a'' with type '<class 'str'>'.")),
]  # fmt: skip


@pytest.mark.parametrize("body, text", WRONG, ids=[text for _, text in WRONG])
def test_the_error_names_the_attribute_and_shows_the_value(tf, body, text):
    with pytest.raises(TypeError) as error:
        body(tf)
    assert str(error.value) == text
    with pytest.raises(TypeError, match=re.escape(text)):
        tf.function(lambda: body(tf))()


def test_an_axis_of_one_hot_behind_the_last_is_an_error_of_the_run(tf):
    traced = tf.function(lambda: tf.one_hot([1], 2, axis=3)).get_concrete_function()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected axis to be -1 or between \[0, 2\)"):
        traced()
    with pytest.raises(ValueError, match="axis must be >= -1"):
        tf.function(lambda: tf.one_hot([1], 2, axis=-4)).get_concrete_function()


def test_arrays_keep_their_type_where_an_op_has_a_default(tf):
    def steps():
        return tf.raw_ops.RaggedRange(starts=np.float32([0.5]), limits=np.float32([3]), deltas=np.float32([1]))

    values = tf.function(steps)().rt_dense_values
    assert (values.dtype, values.numpy().tolist()) == (tf.float32, [0.5, 1.5, 2.5])


def test_arrays_have_the_default_type_of_their_kind_eagerly(tf):
    tf.constant(0)  # TensorFlow's first op of a process converts differently
    doubles, wide = np.array([0.5, 1.5]), np.array([2], np.int64)
    assert tf.raw_ops.NextAfter(x1=doubles, x2=doubles).dtype == tf.float32
    assert tf.math.nextafter(doubles, tf.constant([1.0, 2.0])).dtype == tf.float32
    assert tf.raw_ops.FFT(input=doubles.astype(np.complex128)).dtype == tf.complex64
    steps = tf.raw_ops.RaggedRange(starts=wide * 0, limits=wide, deltas=wide // 2)
    assert steps.rt_dense_values.dtype == tf.int32
    assert tf.function(lambda: tf.raw_ops.NextAfter(x1=doubles, x2=doubles))().dtype == tf.float64


def test_attributes_below_their_minimum_have_words_for_each_way(tf):
    calls = {
        "Value for attr 'num_buckets' of 0 must be at least minimum 1": lambda: tf.strings.to_hash_bucket_fast(["a"], 0),
        "Value for attr 'num_split' of 0 must be at least minimum 1": lambda: tf.split([1], 0),
        "Length for attr 'OUT_TYPE' of 0 must be at least minimum 1": lambda: tf.io.decode_csv(["a"], []),
    }
    for words, call in calls.items():
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            call()
    with pytest.raises(ValueError, match="Attr 'num_buckets' of 'StringToHashBucketFast' Op passed 0 less than minimum 1"):
        tf.function(calls["Value for attr 'num_buckets' of 0 must be at least minimum 1"])()


def test_no_value_for_an_attribute_that_nothing_else_gives(tf):
    calls = {
        "Expected DataType for argument 'DstT' not None.": lambda: tf.raw_ops.Cast(x=1, DstT=None),
        "Expected DataType for argument 'dtype' not None.": lambda: tf.raw_ops.VarHandleOp(dtype=None, shape=[]),
        "Expected string for argument 'padding' not None.": lambda: tf.raw_ops.MaxPool(
            input=tf.ones([1, 2, 2, 1]), ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], padding=None
        ),
    }
    for words, call in calls.items():
        with pytest.raises(TypeError, match=words):
            call()
        with pytest.raises(TypeError, match=words):
            tf.function(call)()
    assert tf.raw_ops.Sum(input=[1.0], axis=[0], keep_dims=None) == 1
