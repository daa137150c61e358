"""What networks do besides products and convolutions: their gradients, depthwise and transposed convolutions, pooling,
normalization."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from fusion import TF_MODES
from rows import Code, Row, Work, same

DATA = """
random = np.random.RandomState(3)
def operands(shapes):
    return [arr(random.standard_normal(shape).astype("float32")) for shape in shapes]
"""
# Images have the channels last in memory for all; torch names their axes in another order.
TORCH = """
F, aten = torch.nn.functional, torch.ops.aten
def images(x):
    return x.permute(0, 3, 1, 2)
def filters(w):
    return w.permute(3, 2, 0, 1)
def back(x):
    return x.permute(0, 2, 3, 1)
"""
JAX = """
import jax
lax = jax.lax
def conv(x, w, groups=1):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)
def largest(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
def average(x):
    sums = lambda v: lax.reduce_window(v, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return sums(x) / sums(jnp.ones((1, *x.shape[1:3], 1), x.dtype))
def normalized(x, scale, offset):
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-4) * scale + offset
"""


@dataclass(frozen=True)
class Kind:
    """A function of `shapes`, for tracefn and TensorFlow, for torch and for jax; none: no such function."""

    shapes: tuple[tuple[int, ...], ...]
    tf: str
    torch: str | None
    jax: str | None
    flops: float = 0
    out: tuple[int, ...] = ()  # the shape of the result, if that and the operands are the bytes moved at least
    why_not: dict[str, str] = field(default_factory=dict)


IMAGES, SMALL, LARGE = (8, 56, 56, 64), (8, 28, 28, 128), (8, 112, 112, 64)
FILTERS, WIDE_FILTERS = (3, 3, 64, 64), (3, 3, 128, 128)
ONE_BY_ONE, FOUR_TIMES = (1, 1, 64, 256), (8, 56, 56, 256)
POOLED = (8, 56, 56, 64)
TORCH_BACK = (
    "aten.convolution_backward(images(dy), images(x), filters(w), None, [1, 1], [p, p], [1, 1], False, [0, 0], 1, {})"
)
POOL = "ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='SAME'"
# These windows have no padding before the first pixel; torch pads both sides alike.
TORCH_PAD = {"torch": "pads both sides alike"}


def gradients(images: tuple[int, ...], filters: tuple[int, ...], of_images: bool) -> Kind:
    """The gradient of a convolution with respect to its images or its filters."""
    dy = (*images[:3], filters[3])
    if of_images:
        tf = f"tf.raw_ops.Conv2DBackpropInput(input_sizes={images}, filter=w, out_backprop=dy, strides=[1] * 4, padding='SAME')"
        jax = "jax.vjp(lambda v: conv(v, w), x)[1](dy)[0]"
        torch = "back(" + TORCH_BACK.format("[True, False, False]") + "[0])"
    else:
        tf = f"tf.raw_ops.Conv2DBackpropFilter(input=x, filter_sizes={filters}, out_backprop=dy, strides=[1] * 4, padding='SAME')"
        jax = "jax.vjp(lambda v: conv(x, v), w)[1](dy)[0]"
        torch = TORCH_BACK.format("[False, True, False]") + "[1].permute(2, 3, 1, 0)"
    torch = torch.replace("[p, p]", f"[{filters[0] // 2}] * 2")
    return Kind(
        (images, filters, dy),
        f"x, w, dy: {tf}",
        f"x, w, dy: {torch}",
        f"x, w, dy: {jax}",
        flops=2.0 * prod(dy) * prod(filters[:3]),
    )


KINDS = {
    "gradient of 8 x 56 x 56 x 64 by 3 x 3 x 64: images": gradients(IMAGES, FILTERS, True),
    "gradient of 8 x 56 x 56 x 64 by 3 x 3 x 64: filters": gradients(IMAGES, FILTERS, False),
    "gradient of 8 x 28 x 28 x 128 by 3 x 3 x 128: images": gradients(SMALL, WIDE_FILTERS, True),
    "gradient of 8 x 28 x 28 x 128 by 3 x 3 x 128: filters": gradients(SMALL, WIDE_FILTERS, False),
    "gradient of 8 x 56 x 56 x 64 by 1 x 1 x 256: filters": gradients(IMAGES, ONE_BY_ONE, False),
    "depthwise, 8 x 56 x 56 x 64 by 3 x 3": Kind(
        (IMAGES, (3, 3, 64, 1)),
        "x, w: tf.nn.depthwise_conv2d(x, w, [1] * 4, 'SAME')",
        "x, w: back(F.conv2d(images(x), w.permute(2, 3, 0, 1), padding=1, groups=64))",
        "x, w: conv(x, w.reshape(3, 3, 1, 64), 64)",
        out=IMAGES,
    ),
    "depthwise, gradient of images": Kind(
        (IMAGES, (3, 3, 64, 1), IMAGES),
        f"x, w, dy: tf.raw_ops.DepthwiseConv2dNativeBackpropInput(input_sizes={IMAGES}, filter=w, out_backprop=dy, "
        "strides=[1] * 4, padding='SAME')",
        "x, w, dy: back(aten.convolution_backward(images(dy), images(x), w.permute(2, 3, 0, 1), None, [1, 1], [1, 1], "
        "[1, 1], False, [0, 0], 64, [True, False, False])[0])",
        "x, w, dy: jax.vjp(lambda v: conv(v, w.reshape(3, 3, 1, 64), 64), x)[1](dy)[0]",
    ),
    "depthwise, gradient of filters": Kind(
        (IMAGES, (3, 3, 64, 1), IMAGES),
        "x, w, dy: tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(input=x, filter_sizes=[3, 3, 64, 1], out_backprop=dy, "
        "strides=[1] * 4, padding='SAME')",
        "x, w, dy: aten.convolution_backward(images(dy), images(x), w.permute(2, 3, 0, 1), None, [1, 1], [1, 1], "
        "[1, 1], False, [0, 0], 64, [False, True, False])[1].permute(2, 3, 0, 1)",
        "x, w, dy: jax.vjp(lambda v: conv(x, v.reshape(3, 3, 1, 64), 64), w)[1](dy)[0]",
    ),
    "transposed, 8 x 28 x 28 x 128 by 3 x 3 x 64, stride 2": Kind(
        (SMALL, (3, 3, 64, 128)),
        f"x, w: tf.nn.conv2d_transpose(x, w, {IMAGES}, 2, 'SAME')",
        None,
        "x, w: lax.conv_transpose(x, w, (2, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'), transpose_kernel=True)",
        flops=2.0 * prod(SMALL) * 9 * 64,
        why_not=TORCH_PAD,
    ),
    "max pool 3 x 3, stride 2, of 8 x 112 x 112 x 64": Kind(
        (LARGE,), f"x: tf.raw_ops.MaxPool(input=x, {POOL})", None, "x: largest(x)", out=POOLED, why_not=TORCH_PAD
    ),
    "max pool, gradient": Kind(
        (LARGE, POOLED),
        f"x, dy: tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=dy, grad=dy, {POOL})",
        None,
        "x, dy: jax.vjp(largest, x)[1](dy)[0]",
        why_not=TORCH_PAD,
    ),
    "average pool 3 x 3, stride 2, of 8 x 112 x 112 x 64": Kind(
        (LARGE,), f"x: tf.raw_ops.AvgPool(value=x, {POOL})", None, "x: average(x)", out=POOLED, why_not=TORCH_PAD
    ),
    "average pool, gradient": Kind(
        (POOLED,),
        f"dy: tf.raw_ops.AvgPoolGrad(orig_input_shape={list(LARGE)}, grad=dy, {POOL})",
        None,
        f"dy: jax.vjp(average, jnp.zeros({LARGE}, jnp.float32))[1](dy)[0]",
        out=LARGE,
        why_not=TORCH_PAD,
    ),
    "batch norm of 8 x 112 x 112 x 64": Kind(
        (LARGE, (64,), (64,)),
        "x, s, o: tf.raw_ops.FusedBatchNormV3(x=x, scale=s, offset=o, mean=[], variance=[])[0]",
        "x, s, o: back(torch.native_batch_norm(images(x), s, o, None, None, True, 0.1, 1e-4)[0])",
        "x, s, o: normalized(x, s, o)",
        out=LARGE,
    ),
    "batch norm, gradient": Kind(
        (LARGE, LARGE, (64,), (64,)),
        "x, dy, s, m: tf.raw_ops.FusedBatchNormGradV3(y_backprop=dy, x=x, scale=s, reserve_space_1=m, "
        "reserve_space_2=m * m, reserve_space_3=[])[0]",
        "x, dy, s, m: back(aten.native_batch_norm_backward(images(dy), images(x), s, None, None, m, "
        "torch.rsqrt(m * m + 1e-4), True, 1e-4, [True, True, True])[0])",
        None,
        why_not={"jax.jit": "has no such function of given moments"},
    ),
    "local response, radius 2, of 8 x 56 x 56 x 64": Kind(
        (IMAGES,),
        "x: tf.nn.lrn(x, 2, 1.0, 0.2, 0.75)",
        "x: back(F.local_response_norm(images(x), 5, 1.0, 0.75, 1.0))",
        None,
        out=IMAGES,
        why_not={"jax.jit": "has no such function"},
    ),
}


def row(name: str) -> Row:
    kind = KINDS[name]
    found = same(Code(DATA + f"run = function(lambda {kind.tf})", "run(*data)"), *TF_MODES)
    if kind.torch:
        found["torch"] = Code(DATA + TORCH + f"run = lambda {kind.torch}", "run(*data)")
    if kind.jax:
        found["jax.jit"] = Code(DATA + JAX + f"run = jit(lambda {kind.jax})", "done(run(*data))")
    moved = 4.0 * (sum(map(prod, kind.shapes)) + prod(kind.out)) if kind.out else 0
    return Row(
        name,
        found,
        prepare=f"data = operands({kind.shapes})",
        work=Work(moved, kind.flops) if moved or kind.flops else None,
        tolerance=1e-2,
        mismatches=0.01,
        why_not=kind.why_not,
    )


ROWS = [row(name) for name in KINDS]
