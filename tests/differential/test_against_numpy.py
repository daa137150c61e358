"""Arrays drawn at random: broadcasting, reductions, indexing, rearranging and casting give what NumPy gives."""

import numpy as np
import pytest
import tracefn as tf
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

FLOATS = ["float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
MOVED = [*FLOATS, *INTEGERS, "bool", "complex64", "complex128"]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
common = settings(max_examples=120, deadline=None)


def elements(dtype: str):
    """Values whose sums and products have no rounding to speak of; subnormals are flushed here and not by NumPy."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind == "u":
        return st.integers(0, 7)
    if kind == "i":
        return st.integers(-7, 7)
    whole = st.integers(-64, 64).map(lambda n: n / 8)
    return st.builds(complex, whole, whole) if kind == "c" else whole


@st.composite
def arrays(draw, dtypes=tuple(MOVED), shapes=SHAPES):
    dtype = draw(st.sampled_from(list(dtypes)))
    return draw(hnp.arrays(dtype, draw(shapes), elements=elements(dtype)))


def same(ours: tf.Tensor, numpys, rtol: float = 0) -> None:
    """Equal dtype, shape and values."""
    got, wanted = np.asarray(ours.numpy()), np.asarray(numpys)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol) if rtol else np.testing.assert_array_equal(got, wanted)


def both(function, *inputs):
    """The eager result, after checking that the traced one, with unknown sizes, is the same and as declared."""
    tensors = [tf.constant(i) for i in inputs]
    eager = function(*tensors)
    specs = [tf.TensorSpec([None] * t.shape.rank, t.dtype) for t in tensors]
    traced = tf.function(function, input_signature=specs, autograph=False)
    result = traced(*tensors)
    assert result.dtype == eager.dtype and traced.get_concrete_function().output_shapes.is_compatible_with(result.shape)
    np.testing.assert_array_equal(result.numpy(), eager.numpy())
    return eager


BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "equal": np.equal,
    "less": np.less,
    "greater_equal": np.greater_equal,
}


@common
@given(
    st.sampled_from(sorted(BINARY)),
    st.sampled_from([*FLOATS, *INTEGERS]),
    hnp.mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_dims=4),
    st.data(),
)
def test_broadcasting(op, dtype, shapes, data):
    x, y = (data.draw(hnp.arrays(dtype, s, elements=elements(dtype))) for s in shapes.input_shapes)
    same(both(getattr(tf, op), x, y), BINARY[op](x, y))


@common
@given(arrays(FLOATS), arrays(FLOATS))
def test_shapes_that_do_not_broadcast_are_refused(x, y):
    y = y.astype(x.dtype)
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            tf.add(x, y)


REDUCTIONS = {"reduce_sum": np.sum, "reduce_prod": np.prod, "reduce_max": np.max, "reduce_min": np.min}


@common
@given(st.sampled_from(sorted(REDUCTIONS)), arrays([*FLOATS, "int32", "int64"]), st.booleans(), st.data())
def test_reductions(op, x, keepdims, data):
    axes = data.draw(st.none() | st.lists(st.integers(0, x.ndim - 1), unique=True) if x.ndim else st.none())
    negative = data.draw(st.booleans())
    over = None if axes is None else [a - x.ndim if negative else a for a in axes]
    assume(x.size or op in ("reduce_sum", "reduce_prod"))
    if op == "reduce_prod" and x.dtype.kind == "f":  # what passes the range on the way depends on the order
        assume(np.abs(np.log2(np.abs(x[x != 0], dtype=np.float64))).sum() < np.finfo(x.dtype).maxexp - 1)
    numpys = None if axes is None else tuple(axes)
    wanted = REDUCTIONS[op](x, numpys, dtype=x.dtype, keepdims=keepdims) if op in ("reduce_sum", "reduce_prod") else (
        REDUCTIONS[op](x, numpys, keepdims=keepdims)
    )
    exact = op != "reduce_prod" or x.dtype.kind == "i"
    same(both(lambda t: getattr(tf, op)(t, over, keepdims), x), wanted, 0 if exact else 1e-5)


@common
@given(arrays([*FLOATS, "int32"], hnp.array_shapes(min_dims=1, max_dims=3, min_side=1)), st.data())
def test_scans_and_positions(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    same(both(lambda t: tf.cumsum(t, axis), x), np.cumsum(x, axis, dtype=x.dtype))
    same(both(lambda t: tf.argmax(t, axis), x), np.argmax(x, axis))
    same(both(lambda t: tf.sort(t, axis), x), np.sort(x, axis))
    same(both(lambda t: tf.reverse(t, [axis]), x), np.flip(x, axis))


@common
@given(arrays(), st.data())
def test_basic_indexing(x, data):
    index = data.draw(hnp.basic_indices(x.shape, max_dims=6, allow_newaxis=True))
    same(both(lambda t: t[index], x), x[index])


@common
@given(arrays(shapes=hnp.array_shapes(min_dims=1, max_dims=4, min_side=1)), st.data())
def test_gathering(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4))
    indices = data.draw(hnp.arrays("int32", shape, elements=st.integers(0, x.shape[axis] - 1)))
    same(both(lambda t, i: tf.gather(t, i, axis=axis), x, indices), np.take(x, indices, axis))


@common
@given(arrays(), st.data())
def test_shapes_of_the_same_elements(x, data):
    perm = data.draw(st.permutations(range(x.ndim)))
    same(both(lambda t: tf.transpose(t, perm), x), x.transpose(perm))
    sizes = [d for d in x.shape if d != 1]
    same(both(lambda t: tf.reshape(t, sizes), x), x.reshape(sizes))
    same(both(tf.squeeze, x) if 1 not in x.shape else tf.squeeze(tf.constant(x)), x.squeeze())
    axis = data.draw(st.integers(-x.ndim - 1, x.ndim))
    same(both(lambda t: tf.expand_dims(t, axis), x), np.expand_dims(x, axis))
    same(both(lambda t: tf.stack([t, t], axis), x), np.stack([x, x], axis))


@common
@given(arrays(shapes=hnp.array_shapes(min_dims=1, max_dims=4, min_side=0)), st.data())
def test_joining_and_repeating(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    length = data.draw(st.integers(0, 3))
    shape = list(x.shape)
    shape[axis] = length
    y = data.draw(hnp.arrays(x.dtype, shape, elements=elements(x.dtype.name)))
    same(both(lambda a, b: tf.concat([a, b], axis), x, y), np.concatenate([x, y], axis))
    repeats = data.draw(st.lists(st.integers(0, 3), min_size=x.ndim, max_size=x.ndim))
    same(both(lambda t: tf.tile(t, tf.constant(repeats, tf.int32)), x), np.tile(x, repeats))
    widths = data.draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=x.ndim, max_size=x.ndim))
    same(both(lambda t: tf.pad(t, widths), x), np.pad(x, widths))
    shift = data.draw(st.integers(-7, 7))
    same(both(lambda t: tf.roll(t, shift, axis), x), np.roll(x, shift, axis))


@common
@given(arrays([*FLOATS, *INTEGERS, "bool"]), st.sampled_from([*FLOATS, *INTEGERS, "bool", "complex64"]))
def test_casts(x, target):
    # Negative floats as unsigned integers are the machine's business.
    assume(x.dtype.kind != "f" or not target.startswith("u") or (x >= 0).all())
    same(both(lambda t: tf.cast(t, target), x), x.astype(target))


@common
@given(arrays([*FLOATS]), st.data())
def test_matrix_products(x, data):
    assume(x.ndim >= 2)
    columns = data.draw(st.integers(0, 4))
    y = data.draw(hnp.arrays(x.dtype, (*x.shape[:-2], x.shape[-1], columns), elements=elements(x.dtype.name)))
    same(both(tf.matmul, x, y), x @ y, 1e-5)


SIZES = st.sampled_from([-(2**31), -2, -1, 0, 1, 3, 2**31 - 1])


@common
@given(arrays(["float32"]), st.lists(SIZES, max_size=4), st.integers(-5, 5))
def test_hostile_sizes_and_axes_give_errors(x, sizes, axis):
    """An answer of the shape that was asked for, or an error; nothing else."""
    t, wanted = tf.constant(x), tf.constant(sizes, tf.int32)
    allowed = (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError, tf.errors.UnimplementedError, ValueError)
    big = np.prod([abs(float(s)) for s in sizes]) > 1e7
    for call in (
        lambda: tf.reshape(t, wanted),
        lambda: tf.broadcast_to(t, wanted) if not big else None,
        lambda: tf.zeros(wanted) if not big else None,
        lambda: tf.slice(t, tf.zeros_like(wanted), wanted),
        lambda: tf.concat([t, t], axis),
        lambda: tf.stack([t, t], axis),
        lambda: tf.gather(t, wanted, axis=axis),
        lambda: tf.reduce_sum(t, axis),
        lambda: tf.argmax(t, axis),
        lambda: tf.roll(t, 3, axis),
        lambda: tf.split(t, 2, axis),
        lambda: tf.transpose(t, wanted),
        lambda: tf.squeeze(t, axis),
        lambda: tf.expand_dims(t, axis),
    ):
        try:
            call()
        except allowed:
            continue
