"""Errors of calls of ops: missing and wrong arguments, and operands that do not fit."""

import re

import pytest

pytestmark = pytest.mark.rule(191)

X, V = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1.0, 2.0, 3.0]

ARGUMENTS = {
    "one": (lambda raw: raw.Add(x=1), "add() missing 1 required positional argument: 'y'"),
    "two": (lambda raw: raw.MatMul(), "mat_mul() missing 2 required positional arguments: 'a' and 'b'"),
    "three": (
        lambda raw: raw.Conv2D(input=X),
        "conv2d() missing 3 required positional arguments: 'filter', 'strides', and 'padding'",
    ),
    "unknown": (lambda raw: raw.RGBToHSV(images=X, c=4), "rgb_to_hsv() got an unexpected keyword argument 'c'"),
    "positional": (
        lambda raw: raw.Conv2D(X, X),
        (
            "conv2d only takes keyword args (possible keys: ['input', 'filter', 'strides', 'padding', "
            "'use_cudnn_on_gpu', 'explicit_paddings', 'data_format', 'dilations', 'name']). Please pass these args as "
            "kwargs instead."
        ),
    ),
    "versions": (lambda raw: raw.BatchMatMulV2(x=1), "batch_mat_mul_v2() missing 1 required positional argument: 'y'"),
    "capitals": (
        lambda raw: raw.IFFT2D(1),
        "ifft2d only takes keyword args (possible keys: ['input', 'name']). Please pass these args as kwargs instead.",
    ),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_raw_ops_name_their_arguments(tf, case):
    call, text = ARGUMENTS[case]
    with pytest.raises(TypeError, match=re.escape(text)):
        call(tf.raw_ops)


def test_functions_name_their_arguments(tf):
    with pytest.raises(TypeError, match=re.escape("cos() missing 1 required positional argument: 'x'")):
        tf.cos()
    with pytest.raises(TypeError, match=re.escape("square() takes from 1 to 2 positional arguments but 3 were given")):
        tf.square(1, 2, 3)


OPERANDS = {
    "a matrix and a vector": (lambda tf: tf.matmul(X, V), "In[0] and In[1] has different ndims: [2,3] vs. [3]"),
    "a vector and a matrix": (lambda tf: tf.matmul(V, X), "In[0] and In[1] has different ndims: [3] vs. [2,3]"),
    "a matrix and a number": (lambda tf: tf.matmul(X, 2.0), "In[0] and In[1] has different ndims: [2,3] vs. []"),
    "vectors": (lambda tf: tf.raw_ops.MatMul(a=V, b=V), "In[0] and In[1] ndims must be == 2: 1"),
    "another shape": (
        lambda tf: tf.ensure_shape(X, [None, 4]),
        "Shape of tensor input [2,3] is not compatible with expected shape [?,4].",
    ),
    "a seed of one number": (
        lambda tf: tf.random.stateless_normal([2], seed=3),
        "seed must have shape [2], not []",
    ),
    "seeds in rows": (
        lambda tf: tf.random.stateless_normal([2], seed=[[1, 2]]),
        "seed must have shape [2], not [1,2]",
    ),
    "limits": (
        lambda tf: tf.random.uniform([2], maxval=[1, 2], dtype=tf.int32),
        "maxval must be 0-D, got shape [2]",
    ),
    "lower limits": (
        lambda tf: tf.random.uniform([2], minval=[1], maxval=3, dtype=tf.int32),
        "minval must be 0-D, got shape [1]",
    ),
}


@pytest.mark.parametrize("case", OPERANDS)
def test_operands_that_do_not_fit(tf, case):
    call, text = OPERANDS[case]
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(text)):
        call(tf)


def test_the_shape_wanted_comes_first_while_tracing(tf):
    text = "Dimension 1 in both shapes must be equal, but are 4 and 3. Shapes are [2,4] and [2,3]."
    with pytest.raises(ValueError, match=re.escape(text)):
        tf.function(lambda: tf.ensure_shape(tf.ones([2, 3]), [2, 4]))()


# Byte of a file of two records of five bytes that is changed; where the error says that it is.
PLACES = {2: "0 (Is this even a TFRecord file?)", 13: "12", 23: "21", 35: "33"}


@pytest.mark.parametrize("place", PLACES)
def test_records_that_are_damaged(tf, tmp_path, place):
    path = tmp_path / "records"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in (b"hello", b"world"):
            writer.write(record)
    data = bytearray(path.read_bytes())
    data[place] ^= 255
    path.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError) as caught:
        list(tf.data.TFRecordDataset(str(path)))
    assert f"corrupted record at {PLACES[place]} [Op:" in str(caught.value)
    with pytest.raises(tf.errors.DataLossError, match=re.escape(f"corrupted record at {PLACES[place]}") + "$"):
        list(tf.compat.v1.io.tf_record_iterator(str(path)))


def test_slices_that_begin_behind_the_end(tf):
    """Known shapes are checked while the function is traced."""
    for shape, begin, size in [([1], [2], [-1]), ([2, 3], [0, 4], [-1, -1])]:
        with pytest.raises(ValueError, match=f"Negative dimension size caused by subtracting {begin[-1]} from {shape[-1]}"):
            tf.function(lambda: tf.slice(tf.ones(shape), begin, size))()  # noqa: B023
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected begin\[\d\] in \[0, \d\], but got \d"):
            tf.slice(tf.ones(shape), begin, size)
    assert tf.function(lambda: tf.slice(tf.ones([3]), [3], [-1]))().shape == 0
