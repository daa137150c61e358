"""Work of every kind that can take long: what Ctrl-C must be able to stop (tests/function/test_interrupt_work.py,
benchmarks/interrupt_latency.py).

Each maker prepares its arguments and gives a function of no arguments that does the work once. `size` is the number of
elements, roughly; where time grows faster than that, a root of it is taken.
"""

import numpy as np
import tracefn as tf

MAKERS = {}


def work(make):
    MAKERS[make.__name__] = make
    return make


def both(name, prepare, op, gradient=False):
    """The op eagerly, traced, and both with their gradient if `gradient`."""

    def eager(size):
        args = prepare(size)
        return lambda: op(*args)

    def traced(size):
        args = prepare(size)
        function = tf.function(op, autograph=False)
        return lambda: function(*args)

    def differentiated(make):
        def with_tape(size):
            args = prepare(size)
            function = make(op)

            def run():
                with tf.GradientTape() as tape:
                    tape.watch(args[0])
                    y = function(*args)
                return tape.gradient(y, args[0])

            return run

        return with_tape

    MAKERS[name] = eager
    MAKERS[f"{name}, traced"] = traced
    if gradient:
        MAKERS[f"{name}, gradient"] = differentiated(lambda f: f)
        MAKERS[f"{name}, traced, gradient"] = differentiated(lambda f: tf.function(f, autograph=False))


def random(size, dtype=tf.float32):
    return tf.random.stateless_uniform([int(size)], [1, 2], dtype=dtype)


def matrix(size, dtype=tf.float32, power=1 / 3):
    n = max(int((size * 30) ** power) // 2 * 2, 2)
    return tf.reshape(random(n * n, tf.float64 if dtype in (tf.float64, tf.complex128) else tf.float32), [n, n])


def square(size, dtype=tf.float32):
    """A matrix of `size` elements."""
    return matrix(size / 30, dtype, 1 / 2)


def integers(size, limit):
    return tf.random.stateless_uniform([int(size)], [3, 4], 0, int(limit), dtype=tf.int64)


def texts(size):
    return tf.strings.as_string(tf.range(int(size)))


def positive(size, dtype=tf.float32):
    x = matrix(size, dtype)
    n = x.shape[0]
    return tf.matmul(x, x, transpose_b=True) + tf.eye(n, dtype=x.dtype) * n


def images(size, channels, dtype=tf.float32):
    """Square images of `size` elements."""
    n = max(int((size / channels) ** 0.5), 4)
    return tf.reshape(random(n * n * channels, dtype), [1, n, n, channels])


def weights(height, width, channels, filters):
    return tf.reshape(random(height * width * channels * filters), [height, width, channels, filters])


# Convolutions and pooling.
both(
    "convolution",
    lambda n: (images(2 * n, 32), weights(3, 3, 32, 16)),
    lambda x, f: tf.nn.conv2d(x, f, 1, "SAME"),
    gradient=True,
)
both(
    "convolution of integers",
    lambda n: (tf.cast(images(n / 4, 8) * 9, tf.int32), tf.cast(weights(3, 3, 8, 8) * 9, tf.int32)),
    lambda x, f: tf.nn.conv2d(x, f, 2, "SAME"),
)
both(
    "depthwise convolution",
    lambda n: (images(4 * n, 16), weights(3, 3, 16, 2)),
    lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME"),
    gradient=True,
)
both(
    "dilation",
    lambda n: (images(n, 4), weights(3, 3, 1, 4)[:, :, 0]),
    lambda x, f: tf.nn.dilation2d(x, f, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]),
    gradient=True,
)
both("max pooling", lambda n: (images(4 * n, 8),), lambda x: tf.nn.max_pool2d(x, 5, 1, "SAME"), gradient=True)
both("average pooling", lambda n: (images(4 * n, 8),), lambda x: tf.nn.avg_pool2d(x, 5, 1, "SAME"), gradient=True)


def with_filter_of_its_size(x):
    return x, tf.ones([*x.shape[1:3], 1, 1])


# A window as large as the image: one result takes long by itself.
both(
    "depthwise convolution with a large window",
    lambda n: with_filter_of_its_size(images(32 * n, 1)),
    lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "VALID"),
)
both(
    "max pooling with a large window",
    lambda n: (images(32 * n, 1),),
    lambda x: tf.nn.max_pool2d(x, x.shape[1], 1, "VALID"),
    gradient=True,
)
both(
    "average pooling with a large window",
    lambda n: (images(32 * n, 1),),
    lambda x: tf.nn.avg_pool2d(x, x.shape[1], 1, "VALID"),
    gradient=True,
)
both(
    "places of maxima of large windows",
    lambda n: (images(32 * n, 1),),
    lambda x: tf.nn.max_pool_with_argmax(x, x.shape[1], 1, "VALID"),
)
both(
    "fractional pooling of large windows",
    lambda n: (images(16 * n, 1),),
    lambda x: tf.nn.fractional_max_pool(x, x.shape[1] / 2, seed=3),
)
both(
    "batch normalization",
    lambda n: (images(8 * n, 8),),
    lambda x: tf.raw_ops.FusedBatchNormV3(x=x, scale=[1.0] * 8, offset=[0.0] * 8, mean=[], variance=[]).y,
    gradient=True,
)
both("local response", lambda n: (images(2 * n, 8),), tf.nn.lrn, gradient=True)
both("blocks to the batch", lambda n: (images(16 * n, 8),), lambda x: tf.space_to_batch(x, [2, 2], [[2, 2], [2, 2]]))

# Products and decompositions.
both("product", lambda n: (matrix(100 * n), matrix(100 * n)), tf.matmul, gradient=True)
both("product of doubles", lambda n: (matrix(50 * n, tf.float64), matrix(50 * n, tf.float64)), tf.matmul)
both("product of integers", lambda n: (tf.cast(matrix(2 * n) * 9, tf.int32),) * 2, tf.matmul)
both("product of complex numbers", lambda n: (tf.cast(matrix(20 * n), tf.complex128),) * 2, tf.matmul)
both("product of bfloat16", lambda n: (tf.cast(matrix(50 * n), tf.bfloat16),) * 2, tf.matmul)
both("transposed product", lambda n: (matrix(100 * n),), lambda x: tf.matmul(x, x, transpose_a=True))
both(
    "product far deeper than wide",
    lambda n: (tf.reshape(random(32 * n), [-1, 128]),),
    lambda x: tf.matmul(x, x, transpose_a=True),
)
both("product with a vector", lambda n: (square(4 * n), random(square(4 * n).shape[0])), tf.linalg.matvec)
both("products of a batch", lambda n: (tf.stack([matrix(30 * n)] * 3),), lambda x: tf.matmul(x, x))
both("einsum", lambda n: (matrix(50 * n),), lambda x: tf.einsum("ij,kj->ik", x, x), gradient=True)
both("cholesky", lambda n: (positive(60 * n),), tf.linalg.cholesky, gradient=True)
both("inverse", lambda n: (positive(20 * n),), tf.linalg.inv)
both("adjoint inverse of doubles", lambda n: (positive(10 * n, tf.float64),), lambda x: tf.linalg.inv(x, adjoint=True))
both("determinant", lambda n: (positive(60 * n, tf.float64),), tf.linalg.det)
both("solution", lambda n: (positive(30 * n), matrix(30 * n)), tf.linalg.solve, gradient=True)
both("triangular solution", lambda n: (positive(40 * n), matrix(40 * n)), tf.linalg.triangular_solve)

# Elements.
both("logarithm of gamma", lambda n: (random(n) * 9,), tf.math.lgamma)
both("power", lambda n: (random(n, tf.float64), random(n, tf.float64)), tf.pow, gradient=True)
both("sine of doubles", lambda n: (random(2 * n, tf.float64),), tf.sin)
both("addition of rows", lambda n: (square(4 * n), random(square(4 * n).shape[0])), lambda x, y: x + y)
both("division of integers", lambda n: (integers(2 * n, 99) + 1,), lambda x: 12345 // x)
both("cast", lambda n: (random(4 * n),), lambda x: tf.cast(x, tf.bfloat16))
both("cast of integers", lambda n: (integers(4 * n, 99),), lambda x: tf.cast(x, tf.float32))
both("gelu", lambda n: (random(2 * n),), lambda x: tf.nn.gelu(x, approximate=True), gradient=True)
both("selection", lambda n: (random(4 * n),), lambda x: tf.where(x > 0.5, x, tf.exp(x)), gradient=True)
both("sum of several", lambda n: (random(n),), lambda x: tf.add_n([x] * 8))


def long_chain(x):
    for _ in range(40):
        x = tf.sin(x) * 1.01 + 0.1
    return x


both("long chain", lambda n: (random(n / 4),), long_chain, gradient=True)

# Reductions and scans.
both("sum", lambda n: (random(8 * n),), tf.reduce_sum)
both("sums of columns", lambda n: (square(8 * n),), lambda x: tf.reduce_sum(x, 0))
both("sums of rows", lambda n: (square(8 * n),), lambda x: tf.reduce_sum(x, 1))
both("sums of an inner axis", lambda n: (tf.reshape(square(8 * n), [2, -1, 2]),), lambda x: tf.reduce_sum(x, 1))
both("maximum of half", lambda n: (tf.cast(random(8 * n), tf.float16),), tf.reduce_max)
both("product of all", lambda n: (random(n),), tf.reduce_prod, gradient=True)
both("logarithm of summed exponentials", lambda n: (square(2 * n),), lambda x: tf.reduce_logsumexp(x, 1), gradient=True)
both("running sum", lambda n: (random(2 * n),), tf.cumsum, gradient=True)
both("running product", lambda n: (integers(2 * n, 9),), lambda x: tf.math.cumprod(x, reverse=True))
both("running sums of columns", lambda n: (square(2 * n),), lambda x: tf.cumsum(x, 0))
both("running logarithm of sums", lambda n: (random(n / 4),), tf.math.cumulative_logsumexp, gradient=True)
both("softmax", lambda n: (square(2 * n),), tf.nn.softmax, gradient=True)
both("softmax of one row", lambda n: (random(2 * n),), tf.nn.log_softmax)
both(
    "normalization",
    lambda n: (square(2 * n),),
    lambda x: (x - tf.reduce_mean(x, 1, keepdims=True)) / tf.math.reduce_std(x, 1, keepdims=True),
    gradient=True,
)
both(
    "cross entropy",
    lambda n: (square(n), integers(square(n).shape[0], 9)),
    lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x),
    gradient=True,
)

# Order and lookup.
both("sort", lambda n: (random(n / 4),), tf.sort, gradient=True)
both("order", lambda n: (integers(n / 4, n),), tf.argsort)
both("largest", lambda n: (random(2 * n),), lambda x: tf.math.top_k(x, 1000))
both("place of the largest", lambda n: (random(4 * n),), tf.argmax)
both("different values", lambda n: (integers(n, n),), tf.unique)
both("different numbers far apart", lambda n: (random(n / 4),), tf.unique)
both("different columns", lambda n: (square(n),), lambda x: tf.raw_ops.UniqueV2(x=x, axis=[1]))
both("counts", lambda n: (integers(2 * n, 1000),), tf.math.bincount)
both("counts of rows", lambda n: (integers(n, 1000),), lambda x: tf.math.bincount(tf.reshape(x, [64, -1]), axis=-1))
both("histogram", lambda n: (random(2 * n),), lambda x: tf.histogram_fixed_width(x, [0.0, 1.0]))
both("different texts", lambda n: (texts(n / 4),), tf.unique_with_counts)
both("places in sorted rows", lambda n: (tf.cumsum(random(n)), random(n / 4) * 100), tf.searchsorted)
both("places of the true", lambda n: (random(2 * n),), lambda x: tf.where(x > 0.5))

# Rows and elements by index.
both("gather", lambda n: (random(n), integers(n, n)), tf.gather, gradient=True)
both("gather of slices", lambda n: (random(n), integers(n, n)[:, None]), tf.gather_nd)
both(
    "scatter",
    lambda n: (random(n), integers(n, n)[:, None]),
    lambda x, at: tf.scatter_nd(at, x, [x.shape[0]]),
    gradient=True,
)
both(
    "update by index",
    lambda n: (random(n), integers(n, n)[:, None]),
    lambda x, at: tf.tensor_scatter_nd_update(x, at, x),
)
both(
    "sums of sorted segments",
    lambda n: (random(2 * n), tf.sort(integers(2 * n, 99))),
    tf.math.segment_sum,
    gradient=True,
)
both(
    "means of picked rows",
    lambda n: (square(n), integers(n / 16, 100), tf.sort(integers(n / 16, 99))),
    tf.sparse.segment_mean,
    gradient=True,
)
both(
    "products by number",
    lambda n: (square(n), integers(square(n).shape[0], 99)),
    lambda x, at: tf.math.unsorted_segment_prod(x, at, 99),
    gradient=True,
)
both(
    "sums by number",
    lambda n: (random(n), integers(n, 99)),
    lambda x, at: tf.math.unsorted_segment_sum(x, at, 99),
    gradient=True,
)
both("sums of segments", lambda n: (random(n), tf.range(int(n), dtype=tf.int64) // 5), tf.math.segment_sum)
both(
    "partition", lambda n: (random(n), tf.cast(integers(n, 9), tf.int32)), lambda x, at: tf.dynamic_partition(x, at, 9)
)
both("stitch", lambda n: (random(n), tf.range(int(n))), lambda x, at: tf.dynamic_stitch([at], [x]))
both("mask", lambda n: (random(2 * n), random(2 * n) > 0.5), tf.boolean_mask)

# Moves.
both("transposition", lambda n: (square(4 * n),), tf.transpose)
both(
    "transposition of many",
    lambda n: (tf.reshape(random(n // 64 * 256), [-1, 16, 16]),),
    lambda x: tf.transpose(x, [2, 0, 1]),
)
both("concatenation", lambda n: (random(4 * n),), lambda x: tf.concat([x, x], 0))
both("concatenation of columns", lambda n: (random(4 * n)[:, None],), lambda x: tf.concat([x, x], 1))
both("stack", lambda n: (random(4 * n),), lambda x: tf.stack([x, x, x], 1))
both("repetition", lambda n: (random(1000), int(n / 60)), lambda x, times: tf.tile(x, [times]))
both("reversal", lambda n: (random(4 * n),), lambda x: tf.reverse(x, [0]))
both("roll", lambda n: (random(4 * n),), lambda x: tf.roll(x, 12345, 0))
both("every second", lambda n: (random(8 * n),), lambda x: x[::2], gradient=True)
both("padding", lambda n: (square(4 * n),), lambda x: tf.pad(x, [[3, 3], [3, 3]]))
both("mirrored padding", lambda n: (square(n),), lambda x: tf.pad(x, [[3, 3], [3, 3]], "REFLECT"), gradient=True)
both("band of a matrix", lambda n: (square(4 * n),), lambda x: tf.linalg.band_part(x, 3, 3))
both("diagonal matrix", lambda n: (random(int((8 * n) ** 0.5)),), tf.linalg.diag)
both("split", lambda n: (square(4 * n),), lambda x: tf.unstack(x, axis=1)[0])

# Making.
both("fill", lambda n: (int(16 * n),), lambda n: tf.fill([n], 3.0))
both("zeros", lambda n: (int(16 * n),), lambda n: tf.zeros([n]) if tf.executing_eagerly() else tf.zeros([n]) + 1)
both("range", lambda n: (int(8 * n),), tf.range)
both("identity matrix", lambda n: (int((16 * n) ** 0.5),), tf.eye)
both("one of many", lambda n: (integers(n / 100, 100),), lambda x: tf.one_hot(x, 1600))
both("gamma numbers", lambda n: (int(n / 8),), lambda n: tf.random.stateless_gamma([n], [1, 2], 0.5))
both("poisson numbers", lambda n: (int(n / 8),), lambda n: tf.random.stateless_poisson([n], [1, 2], 40.0))
both("binomial numbers", lambda n: (int(n / 8),), lambda n: tf.random.stateless_binomial([n], [1, 2], 100.0, 0.3))
both("bounded normal numbers", lambda n: (int(n / 4),),
     lambda n: tf.random.stateless_parameterized_truncated_normal([n], [1, 2], 0.0, 1.0, 0.5, 3.0))
both("places of indices", lambda n: (int(n / 4),),
     lambda n: tf.random.experimental.index_shuffle(tf.range(n), [1, 2], n))
both("normal numbers", lambda n: (int(8 * n),), lambda n: tf.random.normal([n], seed=3))
both("uniform numbers", lambda n: (int(8 * n),), lambda n: tf.random.uniform([n], seed=3))
both("truncated normal numbers", lambda n: (int(n),), lambda n: tf.random.stateless_truncated_normal([n], [1, 2]))
both("shuffle", lambda n: (random(n),), lambda x: tf.random.shuffle(x, seed=3))
both("drawn classes", lambda n: (square(100), int(n)), lambda x, n: tf.random.categorical(x, n // 10, seed=3))

# Strings.
both("numbers as texts", lambda n: (random(n / 8),), tf.strings.as_string)
both("texts as numbers", lambda n: (texts(n / 8),), tf.strings.to_number)
both("joined texts", lambda n: (texts(n / 8),), lambda x: tf.strings.join([x, x], "-"))
both("one text of all", lambda n: (texts(n / 4),), tf.strings.reduce_join)
both("capitals", lambda n: (texts(n / 4),), tf.strings.upper)
both("pieces of texts", lambda n: (texts(n / 4),), lambda x: tf.strings.substr(x, 0, 1))
both("lengths of texts", lambda n: (texts(n / 2),), tf.strings.length)
both("equal texts", lambda n: (texts(n / 2),), lambda x: x == x)
both("a tensor as text", lambda n: (random(n / 4),), lambda x: tf.strings.format("{}", x, summarize=-1))

# Lists of tensors.
both(
    "unstacked array",
    lambda n: (random(n / 8),),
    lambda x: tf.TensorArray(tf.float32, x.shape[0]).unstack(x[:, None]).stack(),
)
both("map", lambda n: (random(n / 64),), lambda x: tf.map_fn(lambda y: y * 2.0, x), gradient=True)
both("scan", lambda n: (random(n / 64),), lambda x: tf.scan(lambda a, y: a * 0.5 + y, x))


# Between Python and tensors.
@work
def numpy_to_tensor(size):
    array = np.arange(int(16 * size), dtype=np.float32)
    return lambda: tf.constant(array)


@work
def tensor_to_numpy(size):
    x = random(16 * size)
    return lambda: x.numpy()


@work
def texts_to_numpy(size):
    x = texts(size)
    return lambda: x.numpy()


@work
def numpy_to_texts(size):
    array = texts(size / 4).numpy()
    return lambda: tf.constant(array)


@work
def list_to_tensor(size):
    values = [float(i) for i in range(int(size))]
    return lambda: tf.constant(values)


@work
def nested_list_to_tensor(size):
    values = [[i, i + 1] for i in range(int(size / 2))]
    return lambda: tf.constant(values, tf.int64)


@work
def list_of_texts_to_tensor(size):
    values = [str(i) for i in range(int(size))]
    return lambda: tf.constant(values)


@work
def list_of_tensors_to_tensor(size):
    values = [tf.constant(1.0)] * int(size / 16)
    return lambda: tf.convert_to_tensor(values)


@work
def range_to_tensor(size):
    return lambda: tf.constant(range(int(8 * size)))


# Loops and functions.
@work
def loop_of_scalars(size):
    count = tf.function(
        lambda n: tf.while_loop(
            lambda i, x: i < n, lambda i, x: (i + 1, x * 0.5 + 1.0), [tf.constant(0), tf.constant(1.0)]
        )
    )
    return lambda: count(tf.constant(int(100 * size)))


@work
def loop_of_arrays(size):
    count = tf.function(
        lambda n: tf.while_loop(
            lambda i, x: i < n, lambda i, x: (i + 1, tf.sin(x) + 1.0), [tf.constant(0), tf.ones([1000])]
        )
    )
    return lambda: count(tf.constant(int(size / 100)))


@work
def loop_of_large_arrays(size):
    x = random(size)
    count = tf.function(
        lambda n: tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, tf.sin(x) + 1.0), [tf.constant(0), x])
    )
    return lambda: count(tf.constant(20))


@work
def gradient_of_a_loop(size):
    x = tf.ones([100])
    loop = tf.function(
        lambda x: tf.while_loop(
            lambda i, y: i < int(size / 500), lambda i, y: (i + 1, tf.sin(y) * x), [tf.constant(0), x]
        )[1]
    )

    def run():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loop(x)
        return tape.gradient(y, x)

    return run


@work
def host_calls(size):
    steps = int(size / 2000)

    @tf.function(autograph=False)
    def count():
        def step(i):
            return (tf.ensure_shape(tf.py_function(lambda n: n + 1, [i], tf.int32), []),)

        return tf.while_loop(lambda i: i < steps, step, [tf.constant(0)])

    return count


@work
def many_small_ops(size):
    x = tf.ones([3, 3])
    steps = int(size / 2000)

    @tf.function(autograph=False)
    def chain(x):
        for i in range(steps):
            x = tf.matmul(x, x) if i % 2 else tf.transpose(x)
        return x

    chain(x)
    return lambda: [chain(x) for _ in range(20)]


@work
def first_call_of_a_large_function(size):
    steps = int(size / 2000)

    def chain(x):
        for i in range(steps):
            x = tf.concat([x[1:], x[:1] * float(i)], 0)
        return x

    return lambda: tf.function(chain, autograph=False)(tf.ones([3]))


@work
def gradient_of_many_small_ops(size):
    x = tf.ones([3])

    def run():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(int(size / 2000)):
                y = tf.sin(y) * 1.5
        return tape.gradient(y, x)

    return run
