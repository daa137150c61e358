"""Behaviour that programs found different: forms of arguments, and what happens at the edges."""

import random
import unittest
import unittest.mock

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def test_python_functions_as_decorators(tf):
    @tf.py_function(Tout=[tf.float32, tf.int32])
    def f(x, y):
        return x * 2, y

    @tf.numpy_function(Tout=tf.float32)
    def g(x):
        return x * 2

    @tf.function
    def h(a):
        return f(a, 3), g(a)

    for (x, y), z in (h(tf.constant(3.0)), (f(tf.constant(3.0), 3), g(tf.constant(3.0)))):
        assert float(x) == 6 and int(y) == 3 and float(z) == 6
    assert f.__name__ == "f"
    with pytest.raises(TypeError, match="Missing required argument: 'Tout'"):
        tf.py_function(lambda x: x, [1])
    with pytest.raises(TypeError, match="Don't set the `inp` argument when using tf.numpy_function as a decorator"):
        tf.numpy_function(inp=[1], Tout=tf.int32)
    with pytest.raises(TypeError, match="Missing argument `inp`"):
        tf.py_function(lambda x: x, Tout=tf.int32)


@pytest.mark.parametrize("n, want", [(-3, []), (0, []), (3, [0, 1, 2])])
def test_range_below_zero_is_empty(tf, n, want):
    @tf.function
    def whole(n):
        return tf.convert_to_tensor(range(n)), tf.convert_to_tensor(range(1, n))

    first, second = whole(tf.constant(n))
    assert first.numpy().tolist() == want and second.numpy().tolist() == want[1:]

    @tf.function
    def count(n):
        steps = 0
        for _ in range(n):
            steps += 1
        return steps

    assert int(count(tf.constant(n))) == len(want)


def test_mask_with_the_axis_in_a_tensor(tf):
    x, mask = tf.constant([[1, 2], [3, 4]]), [True, False]
    f = tf.function(lambda axis: tf.boolean_mask(x, mask, axis=axis))
    for axis, want in ((0, [[1, 2]]), (1, [[1], [3]])):
        assert f(tf.constant(axis)).numpy().tolist() == want
        assert tf.boolean_mask(x, mask, axis=tf.constant(axis)).numpy().tolist() == want
    with pytest.raises(TypeError, match="only integer scalar arrays can be converted to a scalar index"):
        tf.boolean_mask(x, mask, axis=tf.constant([1]))


def test_searchsorted_without_elements(tf):
    assert tf.searchsorted(tf.zeros([0]), [1.0]).numpy().tolist() == [0]
    assert tf.searchsorted([1.0], tf.zeros([0])).shape == (0,)
    assert tf.searchsorted(tf.zeros([0, 3]), tf.zeros([0, 2])).shape == (0, 2)
    assert tf.searchsorted(tf.zeros([2, 0]), tf.ones([2, 3])).numpy().tolist() == [[0] * 3] * 2
    got = tf.searchsorted([1.0, 2.0], [1.5], out_type=tf.int64)
    assert got.dtype == tf.int64 and got.numpy().tolist() == [1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Leading dim_size of both tensors must match"):
        tf.searchsorted(tf.zeros([3, 2]), tf.ones([2, 3]))


def test_gradient_of_the_euclidean_norm_at_zero(tf):
    x = tf.constant([[0.0, 0.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.reduce_euclidean_norm(x, axis=1)
    np.testing.assert_allclose(tape.gradient(y, x), [[np.nan, np.nan], [0.6, 0.8]], rtol=1e-6)


@pytest.mark.parametrize(
    "indices, dims, text",
    [
        ([1], [0, 2], "dims contains zero at index 0"),
        ([5], [2, 2], "index is out of bound as with dims"),
        ([5], [65536, 65536], r"product is causing integer overflow: \(65536 65536\)"),
        ([0], [-2, 2], "cannot be negative. Got dim = -2 at index 0"),
        (np.zeros([0], np.int32), [2], "received empty tensor indices"),
        ([[3]], [2, 2], r'can only be scalar or vector, got "\[1,1\]"'),
        (3, 4, "can only be 1-D"),
    ],
)
def test_unravel_index_refuses(tf, indices, dims, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.unravel_index(indices, dims)


def test_unravel_index(tf):
    assert tf.unravel_index(5, [2, 3]).numpy().tolist() == [1, 2]
    assert tf.unravel_index(tf.constant([5, -1], tf.int64), tf.constant([2, 3], tf.int64)).numpy().tolist() == [
        [1, 0],
        [2, -1],
    ]


def slices(tf, dtype):
    return tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0], dtype))


def test_branches_with_indices_of_two_dtypes(tf):
    @tf.function
    def f(p):
        a, b = (lambda: slices(tf, tf.int32)), (lambda: slices(tf, tf.int64))
        one, two = tf.cond(p, a, b), tf.switch_case(tf.cast(p, tf.int32), [a, b, a])
        return one.indices, two.indices

    assert [t.dtype for t in f(tf.constant(True))] == [tf.int64] * 2
    with pytest.raises(TypeError, match="Cannot reconcile tf.cond 0-th outputs"):
        tf.function(lambda p: tf.cond(p, lambda: slices(tf, tf.int32), lambda: tf.ones([3, 2])))(tf.constant(True))


def test_the_tensor_of_another_branch(tf):
    def branches():
        kept = []

        def first():
            kept.append(tf.ones([]))
            return kept[0]

        return first, lambda: kept[0] + 1.0

    with pytest.raises(ValueError, match="Tensor cond/ones:0 in true_fn is accessed from false_fn"):
        tf.function(lambda p: tf.cond(p, *branches()))(tf.constant(True))
    with pytest.raises(ValueError, match="in branch 0 is accessed from branch 1"):
        tf.function(lambda i: tf.switch_case(i, list(branches())))(tf.constant(0))


def test_add_n_of_iterables(tf):
    dense = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))
    assert tf.add_n([dense, tf.ones([3, 2])]).numpy().tolist() == [[2, 2], [1, 1], [1, 1]]
    assert int(tf.add_n(x for x in [1, 2])) == 3
    assert float(tf.add_n(tf.constant([1.0, 2.0]))) == 3
    for nothing in ([], [None]):
        with pytest.raises(ValueError, match="Inputs must be an iterable of at least one"):
            tf.add_n(nothing)
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        tf.add_n(3)
    with pytest.raises(ValueError, match="which does not contain any Tensors"):
        tf.map_fn(lambda x: x, [])


def test_group_refuses_what_is_no_tensor(tf):
    assert tf.group(1) is None
    with pytest.raises(TypeError, match="'inputs' should be zero or more .nested. Tensors. Received 'a' with type"):
        tf.function(lambda: tf.group("a"))()


def test_more_dimensions_than_numpy_has(tf):
    x = tf.reshape(tf.ones([1]), [1] * 65)
    assert (x + 1).shape.rank == 65
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot convert tensor with 65 dimensions to NumPy array"):
        x.numpy()


def test_shapes_of_assignments_at_run_time(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([1.0], shape=[None])

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def assign(x):
        w.assign(x[..., 0])
        return v.assign(x)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tensor with wrong shape. Expected \[2\] got \[3\]"):
        tf.function(lambda x: v.assign(x), input_signature=[tf.TensorSpec(None)])(tf.ones([3]))
    assert v.numpy().tolist() == [1, 2]


def test_sizes_as_float_tensors(tf):
    three = tf.constant(3.0)
    assert tf.zeros((three,)).shape == (3,)
    assert tf.ones([tf.constant(2.5), 1]).shape == (2, 1)
    assert tf.function(lambda n: tf.zeros((n, 2)))(three).shape == (3, 2)
    assert tf.eye(num_rows=tf.constant(2.0)).numpy().tolist() == [[1, 0], [0, 1]]
    assert tf.eye(2, num_columns=three, batch_shape=[2]).shape == (2, 2, 3)
    with pytest.raises(TypeError, match="must be positive integer values"):
        tf.eye(2.0)


def test_seeds_as_floats(tf):
    tf.random.set_seed(1)
    want = tf.random.uniform([2], seed=2).numpy().tolist()
    tf.random.set_seed(1.0)
    assert tf.random.uniform([2], seed=2.7).numpy().tolist() == want
    tf.random.set_seed(np.float32(1))
    assert tf.random.uniform([2], seed=2).numpy().tolist() == want


def test_sizes_as_numbers_in_a_graph(tf):
    with tf.Graph().as_default():
        assert tf.ones(10).shape == (10,) and tf.zeros(np.int64(2)).shape == (2,)


def test_order_of_references(tf):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    assert {r.deref() is v for r in sorted([v.ref(), w.ref()])} == {True, False}
    assert (v.ref() < w.ref()) != (v.ref() > w.ref())
    with pytest.raises(TypeError, match="Cannot compare wrapped object with unwrapped object"):
        _ = v.ref() < 3


def test_attributes_of_a_callable_object(tf):
    class Adder:
        def __init__(self):
            self.amount = 3

        def __call__(self, x):
            return x + self.amount

    assert tf.function(Adder()).amount == 3

    def named(x):
        return x

    named.label = "kept"
    assert tf.function(named).label == "kept"


def test_test_cases_see_the_same_random_numbers(tf):
    seen = []

    class Case(tf.test.TestCase):
        def test_first(self):
            seen.append((random.random(), np.random.rand(), tf.random.uniform([]).numpy()))

        def test_second(self):
            self.test_first()

    state, numpy_state = random.getstate(), np.random.get_state()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(unittest.TestResult())
    random.setstate(state)
    np.random.set_state(numpy_state)
    assert seen[0] == seen[1]


def test_python_functions_of_composite_tensors(tf):
    ragged, spec = tf.ragged.constant([[1], [2, 3]]), tf.RaggedTensorSpec([None, None], tf.int32)
    both = lambda x: tf.py_function(lambda x: (x.values, x), [x], [tf.int32, spec])
    for values, same in (both(ragged), tf.function(both)(ragged)):
        assert values.numpy().tolist() == [1, 2, 3] and same.to_list() == [[1], [2, 3]]
    sparse = tf.sparse.SparseTensor([[0]], [1], [3])
    got = tf.py_function(lambda x: x, [sparse], tf.SparseTensorSpec([3], tf.int32))
    assert got.indices.numpy().tolist() == [[0]] and got.values.numpy().tolist() == [1]
    assert float(tf.py_function(lambda x: x, [2.0], tf.TensorSpec([], tf.float32))) == 2
    for result, types, text in ((1, spec, "is not compatible with"), (ragged, [tf.int32, spec], "is not a Tensor")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.py_function(lambda x, r=result: r, [ragged], types)


def test_lists_of_python_functions(tf):
    """A list has a value for each result; what is left over is dropped, also where one dtype stands for the results."""
    for run in (lambda f: f(), lambda f: tf.function(f)()):
        assert run(lambda: tf.py_function(lambda: [1.0, 2.0], [], tf.float32)).numpy().tolist() == 1
        assert run(lambda: tf.py_function(lambda: [[1.0, 2.0]], [], tf.float32)).numpy().tolist() == [1, 2]
        (one,) = run(lambda: tf.py_function(lambda: [1, 2], [], [tf.int32]))
        assert int(one) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="returns 1 values, but expects to see 2"):
            run(lambda: tf.py_function(lambda: [1], [], [tf.int32, tf.int32]))
    with pytest.raises(ValueError, match="Expected func to be callable. Received func=3"):
        tf.py_function(3, [1.0], tf.float32)
    with pytest.raises(tf.errors.UnknownError, match="return a variable from an eagerly executed py_func"):
        tf.py_function(lambda: tf.Variable(1.0), [], tf.float32)


def test_python_functions_run_as_written(tf):
    seen = []

    @tf.function
    def negative(x):
        return -x if x > 0 else x

    @tf.function
    def f(x):
        def g(x):
            seen.extend([type(int(x)), type(float(x)), type(range(x))])
            return negative(x)

        return tf.py_function(g, [x], tf.int32), tf.numpy_function(lambda x: int(x) + 1, [x], tf.int64)

    first, second = f(tf.constant(2))
    assert int(first) == -2 and int(second) == 3 and seen == [int, float, range]

    @tf.function
    def unconverted(x):
        return tf.autograph.experimental.do_not_convert(lambda: int(x))()

    with pytest.raises(TypeError):
        unconverted(tf.constant(2))


@pytest.mark.parametrize(
    "shape, expected, text",
    [
        ([3], None, ""),
        ([2], [2.0], ""),
        ([2], [" 2"], ""),
        ([1], (), ""),
        ([], (), ""),
        ([3], (), "must have size 1"),
        ([3], [2.0], "Specified explicitly.  Tensor .* dimension 0 must have size 2.  Received size 3"),
        ([2, 3], (), r"must be in \[0, 1\]|must have rank in"),
        ([], ("*", "N"), ""),
    ],
)
def test_forms_of_asserted_shapes(tf, shape, expected, text):
    def check():
        assert tf.debugging.assert_shapes([(tf.ones(shape), expected)]) is None

    for run in (check, tf.function(check)):
        if not text:
            run()
            continue
        with pytest.raises(ValueError, match=text):
            run()


def test_asserted_shapes_at_run_time(tf):
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def check(x, y):
        return tf.debugging.assert_shapes([(x, ("N", "M")), (y, "N")])

    assert check(tf.ones([2, 3]), tf.ones([2])) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="Specified by tensor x:0 dimension 0"):
        check(tf.ones([2, 3]), tf.ones([3]))


def test_recomputed_gradients_of_structures(tf):
    f = tf.recompute_grad(lambda pair, scale: pair["a"] * pair["b"] * scale)
    x, scale = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, scale])
        y = f({"a": x, "b": x}, scale)
    assert [float(g) for g in tape.gradient(y, [x, scale])] == [12, 9]
    g = tf.function(lambda x, s: tf.gradients(f({"a": x, "b": x}, s), [x, s]))
    assert [float(t) for t in g(x, scale)] == [12, 9]


def test_identity_matrices_of_any_dtype(tf):
    want = [[True, False], [False, True]]
    assert tf.eye(2, dtype=tf.bool).numpy().tolist() == want
    assert tf.function(lambda n: tf.eye(n, dtype=tf.bool))(tf.constant(2)).numpy().tolist() == want


@pytest.mark.parametrize("traced", [False, True])
def test_bools_from_numbers(tf, traced):
    run = (lambda f: tf.function(f, autograph=False)()) if traced else (lambda f: f())
    assert not run(lambda: tf.reduce_all(np.array([1, 0])))
    assert run(lambda: tf.reduce_any(np.array([1.5, 0]), axis=0, keepdims=True)).numpy().tolist() == [True]
    with pytest.raises(TypeError):
        run(lambda: tf.reduce_all([1, 0]))
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        run(lambda: tf.reduce_all(tf.constant([1, 0])))


def test_zeros_among_bools_and_words(tf):
    for value in ([True, False], tf.constant([True, False]), ["a", ""], np.array([0, 2])):
        assert float(tf.math.zero_fraction(value)) == 0.5


@pytest.mark.parametrize(
    "dtype, want", [("int64", "float64"), ("int32", "float64"), ("int8", "float32"), ("float16", "float16")]
)
def test_losses_of_integers(tf, dtype, want):
    losses = tf.constant([1, 2], dtype)
    total, mean = tf.nn.scale_regularization_loss(losses), tf.nn.compute_average_loss(losses)
    assert total.dtype == mean.dtype == want and float(total) == 3 and float(mean) == 1.5


def test_sizes_of_any_dtype(tf):
    for dtype, want in ((tf.float64, 6.0), (tf.uint8, 6)):
        for size in (
            tf.size(tf.ones([2, 3]), out_type=dtype),
            tf.function(lambda x, d=dtype: tf.size(x, d))(tf.ones([2, 3])),
        ):
            assert size.dtype == dtype and size.numpy() == want
    assert int(tf.size(tf.ones([300]), out_type=tf.int8)) == 44


def test_gather_along_the_first_axis(tf):
    """batch_dims does not count where the axis is 0."""
    x = tf.constant([[1, 2], [3, 4]])
    assert tf.gather(x, tf.constant([0, 0]), axis=0, batch_dims=1).numpy().tolist() == [[1, 2], [1, 2]]
    assert tf.gather(x[0], tf.constant([0, 1]), axis=0, batch_dims=1).numpy().tolist() == [1, 2]


def test_refused_arguments(tf):
    for repeats, error in (([1.0], TypeError), ([True], TypeError), ([[1, 2]], ValueError)):
        with pytest.raises(error):
            tf.repeat([1, 2], tf.constant(repeats))
    with pytest.raises(TypeError, match="Expected x to be numeric"):
        tf.math.is_strictly_increasing(tf.constant([True, False]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.softmax_cross_entropy_with_logits(tf.constant(1.0), tf.constant(1.0))
    with pytest.raises(ValueError, match="Argument `dtype` got invalid value"):
        tf.random.categorical([[1.0]], 1, dtype=tf.uint8)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.silu(tf.constant([1, 2]))
    with pytest.raises(ValueError, match="rank` must be at least 3"):
        tf.nn.depthwise_conv2d(tf.ones([2, 3]), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "SAME")


def test_axes_that_there_are_not(tf):
    x, tnp = tf.constant([1.0, 2.0]), tf.experimental.numpy
    calls = [
        lambda: tf.sort(x, axis=1),
        lambda: tf.argsort(x, axis=-2),
        lambda: tnp.sort(1.0, axis=0),
        lambda: tnp.rot90(x),
        lambda: tnp.take_along_axis(x, tf.constant([[0]]), 1),
    ]
    for call in calls:
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()
    with pytest.raises(ValueError, match="slice index 1 of dimension 0 out of bounds"):
        tf.function(calls[0])()


def test_repeat_forms(tf):
    x = [[1, 2], [3, 4]]
    for axis, repeats, want in (
        (-1, [1, 2], [[1, 2, 2], [3, 4, 4]]),
        (-2, [0, 2], [[3, 4], [3, 4]]),
        (-1, 2, [[1, 1, 2, 2], [3, 3, 4, 4]]),
        (0, [1, -2], [[1, 2]]),
    ):
        assert tf.repeat(x, repeats, axis=axis).numpy().tolist() == want
    assert tf.repeat(tf.constant(3), tf.constant(2), axis=0).numpy().tolist() == [3, 3]
    with pytest.raises(ValueError, match="axis=1 out of bounds: expected -1<=axis<1"):
        tf.repeat([1, 2, 3], 2, axis=1)
    with pytest.raises(ValueError, match="not compatible|incompatible"):
        tf.repeat([1, 2, 3], [1, 2])


def test_moments_over_all_axes(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for run in (lambda f: f(), lambda f: tf.function(f)()):
        assert [float(t) for t in run(lambda: tf.nn.moments(x, None))] == [2.5, 1.25]
        assert [t.shape for t in run(lambda: tf.nn.moments(x, None, keepdims=True))] == [(1, 1), (1, 1)]
        assert [float(t) for t in run(lambda: tf.nn.weighted_moments(x, None, 1.0))] == [2.5, 1.25]


def test_norms_below_zero(tf):
    for norm in (-1.0, tf.constant(-1.0)):
        assert tf.clip_by_norm([1.5, 2.0], norm).numpy().tolist() == [0, 0]
    assert tf.clip_by_norm([3.0, 4.0], tf.constant(5)).numpy().tolist() == [3, 4]
    with pytest.raises(ValueError):
        tf.clip_by_norm(tf.constant(1.0), [1.0])


def test_means_of_segments_of_integers(tf):
    for dtype, want in (("int32", "float64"), ("uint8", "float32"), ("bfloat16", "bfloat16")):
        mean = tf.math.unsorted_segment_mean(tf.constant([1, 2, 5], dtype), [0, 0, 1], 2)
        assert mean.dtype == want and tf.cast(mean, tf.float64).numpy().tolist() == [1.5, 5]


def test_saturation_of_bools(tf):
    for value, dtype in ((tf.constant([1.0]), tf.bool), (tf.constant([True]), tf.int32)):
        with pytest.raises(TypeError, match="Cannot find minimum value of <dtype: 'bool'>"):
            tf.saturate_cast(value, dtype)


def test_what_is_no_number_has_no_parts(tf):
    for value, name in (([True], "bool"), (["a"], "string")):
        with pytest.raises(TypeError, match=f"input must be a numeric tensor, but got tensor with dtype <dtype: '{name}'>"):
            tf.math.real(value)
    with pytest.raises(ValueError, match="'axis' must be None, an integer, or a tuple of 2 unique integers"):
        tf.norm([1.0, 2.0], axis=[0])
    assert tf.repeat([1, 2], np.array([1.0, 2.0])).numpy().tolist() == [1, 2, 2]


def test_batches_of_index_vectors(tf):
    x = np.arange(12.0).reshape(2, 3, 2)
    places = np.array([[[0], [1]], [[2], [0]]])
    expected = [[[0, 1], [2, 3]], [[10, 11], [6, 7]]]

    def traced(batch_dims):
        return tf.function(lambda: tf.gather_nd(x, places, batch_dims=batch_dims))()

    for one in (1, np.int64(1), np.array(1), tf.constant(1), tf.size(tf.shape(x)[:-2]), 1.0, True):
        assert tf.gather_nd(x, places, batch_dims=one).numpy().tolist() == expected
        assert traced(one).numpy().tolist() == expected
    of_size = tf.function(lambda x: tf.gather_nd(x, places, batch_dims=tf.size(tf.shape(x)[:-2])))
    assert of_size(x).numpy().tolist() == expected
    assert tf.gather_nd(x, [[0, 1]], batch_dims=tf.constant(0)).numpy().tolist() == [[2, 3]]
    for wrong, text in ((-1, "negative batch_dims"), (5, "must be less than rank")):
        with pytest.raises(ValueError, match=text):
            tf.gather_nd(x, places, batch_dims=wrong)
    with pytest.raises(TypeError, match="must be an int"):
        tf.gather_nd(x, places, batch_dims=None)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather_nd(x, places[:1], batch_dims=1)


def test_dimensions_are_tensors(tf):
    three, unknown = tf.compat.v1.Dimension(3), tf.compat.v1.Dimension(None)
    for value, want in ((three, 3), ([three, 2], [3, 2]), ([2, three], [2, 3]), ([np.int32(1), 1, three], [1, 1, 3])):
        x = tf.convert_to_tensor(value)
        assert x.dtype == tf.int32 and x.numpy().tolist() == want
        assert tf.convert_to_tensor(value, tf.int64).dtype == tf.int64
    for error, value, dtype in ((TypeError, three, tf.float32), (ValueError, unknown, None)):
        with pytest.raises(error, match="Cannot convert (unknown )?Dimension"):
            tf.convert_to_tensor(value, dtype)
    x = tf.range(6)
    assert tf.reshape(x, [2, three]).shape == tf.reshape(x, (tf.constant(2), three)).shape == [2, 3]
    assert tf.zeros([three]).shape == tf.zeros(three).shape == tf.random.normal([three]).shape == [3]
    assert (x * three).numpy().tolist() == (three * x).numpy().tolist() == [0, 3, 6, 9, 12, 15]
    assert [part.shape.as_list() for part in tf.split(x, three)] == [[2]] * 3
    assert float(tf.cast(three, tf.float32)) == 3

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def flat(y):
        return tf.reshape(y, [tf.shape(y)[0] * y.shape.dims[1]])

    assert flat(tf.ones([2, 3])).shape == [6]


def test_square_blocks(tf):
    x = tf.reshape(tf.range(8), [4, 2, 1, 1])
    want = tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]])
    assert (tf.batch_to_space(x, 2, crops=[[0, 0], [0, 0]]).numpy() == want.numpy()).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank should be 1"):
        tf.batch_to_space(x, tf.constant(2), [[0, 0], [0, 0]])


def test_mock_of_tests(tf):
    assert tf.compat.v1.test.mock is unittest.mock and not hasattr(tf.test, "mock")


def test_casts_of_variables(tf):
    """A Variable that has the dtype is returned itself, and is read later."""
    v = tf.Variable(1.0)
    for same in (tf.cast(v, tf.float32), tf.cast(v, "float32", name="same"), tf.compat.v1.to_float(v)):
        assert same is v
    assert tf.cast(v, tf.float64) is not v and tf.saturate_cast(v, tf.float32) is not v

    @tf.function
    def later():
        same = tf.cast(v, tf.float32)
        v.assign_add(1.0)
        return same + 0.0, tf.cast(v, tf.int32)

    x, y = later()
    assert float(x) == 2 and int(y) == 2
    with tf.GradientTape() as tape:
        z = tf.cast(v, tf.float32) * 3.0
    assert float(tape.gradient(z, v)) == 3
    with tf.Graph().as_default():
        w = tf.compat.v1.get_variable("w", [])
        assert tf.cast(w, tf.float32) is w and tf.compat.v1.to_double(w).dtype == tf.float64


def test_old_functions_of_ragged_tensors(tf):
    v1 = tf.compat.v1
    r = tf.ragged.constant([[1, 2], [3]])
    longer = tf.ragged.constant([[10, 20, 30], [40, 50]])
    assert v1.where(r > 1).numpy().tolist() == [[0, 1], [1, 0]]
    assert v1.where(r > 1, r, r * 10).to_list() == [[10, 2], [3]]
    assert v1.where(tf.constant([True, False]), r, longer).to_list() == [[1, 2], [40, 50]]
    assert tf.function(lambda c: v1.where(c, r, longer))(tf.constant([False, True])).to_list() == [[10, 20, 30], [3]]
    with pytest.raises(ValueError, match="Input shapes do not match"):
        v1.where(r > 1, r, tf.constant([[1, 2], [3, 4]]))
    assert v1.div(r, 2).to_list() == [[0, 1], [1]]
    words = tf.ragged.constant([["a", "b"], ["c"]])
    assert v1.string_to_hash_bucket(words, 5).to_list() == tf.strings.to_hash_bucket(words, 5).to_list()


def test_options_of_the_compiler_for_tpus(tf):
    options = tf.tpu.XLAOptions(enable_xla_dynamic_padder=False)
    assert tuple(options) == (True, False, False)
