"""Products and convolutions whose blocks elementwise ops go on with: the same bits as one op after the other."""

import numpy as np
import pytest
import tracefn as tf
from tracefn import _core

ALL_OFF = {"disable_meta_optimizer": True}
ACTIVATIONS = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "elu": tf.nn.elu,
    "selu": tf.nn.selu,
    "gelu": tf.nn.gelu,
    "tanh": tf.tanh,
    "sigmoid": tf.sigmoid,
    "swish": tf.nn.silu,
    "softplus": tf.nn.softplus,
    "leaky_relu": lambda x: tf.nn.leaky_relu(x, 0.3),
}


@pytest.fixture(autouse=True)
def options():
    optimizer = tf.config.optimizer
    kept = optimizer.get_experimental_options()
    optimizer.set_experimental_options(dict.fromkeys(kept))
    yield optimizer
    optimizer.set_experimental_options({**dict.fromkeys(optimizer.get_experimental_options()), **kept})


def numbers(*shape, dtype="float32", seed=1):
    x = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    if x.size > 64:
        x.flat[[3, 17, 40]] = [np.nan, np.inf, -0.0]
    return tf.cast(tf.constant(x), dtype)


def bits(x):
    """The bits, but those of one NaN for all."""
    x = x.numpy()
    if x.dtype.kind == "f":
        x = np.where(np.isnan(x), np.array(np.nan, x.dtype), x)
    return x.tobytes()


def check(options, f, *args, finished=True, signature=None):
    """f fused, on one to three threads, and f with no pass: the same shapes and bits."""
    fused = tf.function(f, input_signature=signature)
    graph = _core.optimized_text(fused.get_concrete_function(*args).graph)
    assert ("finished_" in graph) == finished
    options.set_experimental_options(ALL_OFF)
    expected = [(t.shape, bits(t)) for t in tf.nest.flatten(tf.function(f, input_signature=signature)(*args))]
    options.set_experimental_options({"disable_meta_optimizer": None})
    before = tf.config.threading.get_intra_op_parallelism_threads()
    try:
        for threads in (1, 2, 3, 2):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            for got, plain in zip(tf.nest.flatten(fused(*args)), expected, strict=True):
                assert (got.shape, bits(got)) == plain
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_layer_with_any_activation_is_one_call(options, name, dtype):
    activation = ACTIVATIONS[name]
    w, b = numbers(300, 130, dtype=dtype, seed=2), numbers(130, dtype=dtype, seed=3)
    unknown = [tf.TensorSpec([None, 300], dtype)]
    for rows in (1, 3, 70, 260):
        x = numbers(rows, 300, dtype=dtype)
        check(options, lambda x: activation(tf.nn.bias_add(x @ w, b)), x, signature=unknown)
        check(options, lambda x: activation(x @ w + b), x)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("stride", [1, 2])
def test_convolutions(options, dtype, groups, stride):
    x, b = numbers(2, 17, 19, 6, dtype=dtype), numbers(66, dtype=dtype, seed=3)
    w = numbers(3, 3, 6 // groups, 66, dtype=dtype, seed=2)

    def layer(x):
        y = tf.nn.conv2d(x, w, stride, "SAME")
        return tf.nn.relu(y + b), tf.cast(tf.tanh(y), tf.float64)

    check(options, layer, x)
    check(options, layer, x, signature=[tf.TensorSpec([None, None, None, 6], dtype)])


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_other_layouts_and_dtypes(options, dtype):
    x, w = tf.cast(numbers(2, 6, 9, 11), dtype), tf.cast(numbers(3, 3, 6, 8, seed=2) * 3, dtype)
    b = tf.cast(numbers(8, seed=3), dtype)

    def first(x):
        y = tf.raw_ops.Conv2D(input=x, filter=w, strides=[1, 1, 1, 1], padding="SAME", data_format="NCHW")
        return tf.nn.relu(tf.raw_ops.BiasAdd(value=y, bias=b, data_format="NCHW"))

    def last(x):
        return tf.nn.relu(tf.nn.conv2d(tf.transpose(x, [0, 2, 3, 1]), w, 1, "VALID") + b)

    check(options, first, x)
    check(options, last, x)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_depthwise_volumes_and_gradients(options, dtype):
    x, w, b = numbers(2, 40, 33, 12, dtype=dtype), numbers(3, 3, 12, 2, dtype=dtype), numbers(24, dtype=dtype)
    check(options, lambda x: tf.nn.relu6(tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME") + b), x)
    volumes, filters = numbers(1, 5, 6, 7, 8, dtype=dtype), numbers(2, 3, 3, 8, 40, dtype=dtype)
    check(options, lambda x: tf.nn.elu(tf.nn.conv3d(x, filters, [1] * 5, "SAME")), volumes)
    kernel = numbers(3, 3, 12, 40, dtype=dtype, seed=5)

    def gradients(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, kernel])
            y = tf.nn.conv2d(x, kernel, 1, "SAME")
        return tape.gradient(y, x) * 0.5 + x, tape.gradient(y, kernel) + 0.1 * kernel

    check(options, gradients, x)


def test_products_in_half_precision_that_are_widened_as_they_are_packed(options):
    for dtype in ("float16", "bfloat16"):
        x, w = numbers(300, 700, dtype=dtype), numbers(700, 400, dtype=dtype, seed=2)
        check(options, lambda x, w=w: tf.nn.relu(x @ w), x)
        check(options, lambda x, w=w: tf.matmul(w, x, transpose_a=True, transpose_b=True) * 2, x)


def test_empty_results(options):
    w, b = numbers(5, 7), numbers(7)
    for rows in (0, 1):
        check(options, lambda x: tf.nn.relu(x @ w + b), numbers(rows, 5), signature=[tf.TensorSpec([None, 5])])
    check(options, lambda x: tf.tanh(x @ tf.zeros([0, 4]) + 1.0), numbers(3, 0))


def test_a_bias_of_the_wrong_size_is_refused_at_run_time(options):
    f = tf.function(
        lambda x, b: tf.nn.relu(tf.nn.bias_add(x @ x, b)),
        input_signature=[tf.TensorSpec([4, 4]), tf.TensorSpec([None])],
    )
    assert f(numbers(4, 4), numbers(4)).shape == (4, 4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must provide as many biases as the last dimension"):
        f(numbers(4, 4), numbers(1))


def test_two_python_threads_at_once(options):
    import threading

    x, w, b = numbers(300, 400), numbers(400, 300, seed=2), numbers(300, seed=3)
    f = tf.function(lambda x: tf.tanh(x @ w + b))
    expected = bits(f(x))
    wrong = []

    def work():
        for _ in range(30):
            if bits(f(x)) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
