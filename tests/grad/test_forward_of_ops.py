"""Forward accumulation of every op: the Jacobian that it multiplies is the one whose transpose the tape multiplies."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
import tracefn as tf
from grad.rule_cases import can_flow, cases, flat, is_watched, weights

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "rules.json").read_text())
# Forward accumulation differentiates the gradient, which is linear, once more. The gradient of these has none, here and in
# TensorFlow; nobody notices in the second derivative of a function that is linear itself.
WITHOUT_FORWARD = (
    "FractionalAvgPool",
    "RaggedFillEmptyRows",
    "ResizeNearestNeighbor",
    "SparseFillEmptyRows",
    "SparseSlice",
    *(f"SparseSegment{kind}{ends}" for kind in ("Mean", "SqrtN", "Sum") for ends in ("", "WithNumSegments")),
)
# What TensorFlow calls their gradient is not the transpose of a Jacobian: the image under the inverse transform; nothing
# flows through the gradients of a bilinear interpolation, of fake quantization, and of a sum of sparse tensors.
NO_TRANSPOSE = ("FakeQuantWithMinMax", "ImageProjectiveTransform", "ResizeBilinear", "SparseAdd")
# Those that TensorFlow differentiates twice.
SMOOTH = [
    name
    for name, found in RECORDED.items()
    if isinstance(found, dict) and not isinstance(found["second"], str) and not name.startswith((*WITHOUT_FORWARD, *NO_TRANSPOSE))
]
OPS = sorted({name.split(" ")[0] for name in SMOOTH})
# TensorFlow's rule, which is ours, forgets to conjugate.
NOT_CONJUGATED = ("MulNoNan T=complex64", "MulNoNan T=complex128")
# Relative to the sum of the absolute parts: a few roundings of the dtype.
TOLERANCE = {
    "bfloat16": 5e-2,
    "float16": 1e-2,
    "float32": 1e-4,
    "float64": 1e-11,
    "complex64": 1e-4,
    "complex128": 1e-11,
}


def wide(tensor) -> np.ndarray:
    return tensor.numpy().astype(np.complex128 if tensor.dtype.is_complex else np.float64).ravel()


def product(a, b) -> tuple[float, float]:
    """(the real inner product of two tensors, the sum of the absolute values of its parts)."""
    with np.errstate(invalid="ignore"):  # some samples lie where a derivative is infinite
        parts = (np.conj(wide(a)) * wide(b)).real
        return parts.sum(), np.abs(parts).sum()


def tensors_of(arguments: dict) -> tuple[dict, list]:
    """(arguments with tensors, those that gradients can flow to)."""
    watched: list = []

    def tensor(value):
        if not is_watched(value):
            return value
        watched.append(tf.constant(value))
        return watched[-1]

    given = {n: [tensor(x) for x in v] if isinstance(v, list) else tensor(v) for n, v in arguments.items()}
    return given, watched


def check(op: str, arguments: dict) -> None:
    """Compares <w, J t> with <J* w, t>."""
    given, watched = tensors_of(arguments)
    tangents = [tf.constant(weights(x, 40 + i)) for i, x in enumerate(watched)]
    with tf.autodiff.ForwardAccumulator(watched, tangents) as acc, tf.GradientTape() as tape:
        tape.watch(watched)
        outputs = [x for x in flat(getattr(tf.raw_ops, op)(**given)) if can_flow(x)]
    dys = [tf.constant(weights(x, i)) for i, x in enumerate(outputs)]
    backward = [tf.convert_to_tensor(g) for g in tape.gradient(outputs, watched, dys, unconnected_gradients="zero")]
    forward = acc.jvp(outputs, unconnected_gradients="zero")
    left = [product(w, j) for w, j in zip(dys, forward, strict=True)]
    right = [product(g, t) for g, t in zip(backward, tangents, strict=True)]
    scale = sum(size for _, size in left + right)
    for x, j in zip(outputs, forward, strict=True):
        assert j.dtype == x.dtype and j.shape == x.shape
    worst = max(TOLERANCE[x.dtype.name] for x in [*watched, *outputs])
    if np.isfinite(scale):
        assert abs(sum(v for v, _ in left) - sum(v for v, _ in right)) <= worst * max(scale, 1.0)


@pytest.mark.parametrize("op", OPS)
def test_transpose_of_the_tapes(op):
    checked = 0
    for form, arguments, _ in cases(op):
        name = f"{op} {form}"
        if name in SMOOTH and not name.startswith(NOT_CONJUGATED):
            check(op, arguments)
            checked += 1
    assert checked


@pytest.mark.parametrize("op", WITHOUT_FORWARD)
def test_without_a_gradient_of_the_gradient_an_error_says_so(op):
    for _, arguments, _ in cases(op):
        with pytest.raises(LookupError, match=f"no entry for: {op.removesuffix('WithNumSegments')}Grad"):
            check(op, arguments)


# Why there are no differences to compare, or other ones.
OTHERWISE = {
    "Cast": "no sample takes and gives float64",
    "Cholesky": "reads one triangle of its input, and the gradient is that of a symmetric one",
    "EditDistance": "nothing flows through it",
    "LeakyRelu": "a sample lies at the corner",
    "QuantizeAndDequantizeV2": "the gradient is that of the identity",
    "QuantizeAndDequantizeV3": "the gradient is that of the identity",
    "SoftmaxCrossEntropyWithLogits": "as in TensorFlow, nothing flows from its second result to the labels",
    "StatelessParameterizedTruncatedNormal": "the gradient holds the distribution function fixed, not what was drawn",
    "StatelessRandomPoisson": "no sample gives float64",
}
# They take or give complex numbers, or are called with other dtypes only.
NO_DOUBLES = {"Angle", "Complex", "ComplexAbs", "Conj", "Eig", "IdentityN", "Imag", "IsotonicRegression", "Print", "Real"}
NO_DOUBLES |= {"SparseMatMul", "ApproxTopK", "BatchMatMulV3"}
NO_DOUBLES |= {f"{kind}FFT{axes}" for kind in ("", "I") for axes in ("", "2D", "3D")}
NO_DOUBLES |= {f"{kind}FFT{axes}" for kind in ("R", "IR") for axes in ("", "2D")}
# TensorFlow has no kernels for doubles.
NO_DOUBLES |= {"AvgPool3D", "AvgPool3DGrad", "MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad"}
NO_DOUBLES |= {"DrawBoundingBoxes", "ExtractGlimpse", "SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2"}
NO_DOUBLES |= {"ResizeBicubic"}  # of doubles it is differentiated once; of 16-bit floats, not at all
NO_DOUBLES |= {f"FusedBatchNorm{kind}{version}" for kind in ("", "Grad") for version in ("", "V2", "V3")}


def directional(op: str, arguments: dict, step: float = 1e-6) -> int:
    """Compares a product with central differences along the same direction, in float64; returns how many numbers."""
    given, watched = tensors_of(arguments)
    with tf.GradientTape() as tape:
        tape.watch(watched)
        outputs = doubles(op, given)
    # As TensorFlow has it, nothing flows to some inputs (a pad's value, a range's start): they stay.
    flows = [g is not None for g in tape.gradient(outputs, watched)]
    tangents = [weights(x, 40 + i) * flow for i, (x, flow) in enumerate(zip(watched, flows, strict=True))]
    with tf.autodiff.ForwardAccumulator(watched, [tf.constant(t) for t in tangents]) as acc:
        outputs = doubles(op, given)
    found = acc.jvp(outputs, unconnected_gradients="zero")
    sides = []
    for sign in (1, -1):
        numbers = iter(tangents)
        move = lambda v, sign=sign, numbers=numbers: v + sign * step * next(numbers) if is_watched(v) else v  # noqa: E731
        moved = {n: [move(x) for x in v] if isinstance(v, list) else move(v) for n, v in arguments.items()}
        sides.append([x.numpy() for x in doubles(op, tensors_of(moved)[0])])
    compared = 0
    for jvp, above, below in zip(found, *sides, strict=True):
        with np.errstate(invalid="ignore"):
            wanted = (above - below) / (2 * step)
        finite = np.isfinite(wanted)  # not so for the largest of nothing
        if op in EMPTY_SEGMENTS:
            finite &= ~np.isnan(jvp.numpy())
        np.testing.assert_allclose(jvp.numpy()[finite], wanted[finite], rtol=1e-5, atol=1e-5)
        compared += finite.sum()
    return compared


def doubles(op: str, given: dict) -> list:
    """The float64 results of a call."""
    return [x for x in flat(getattr(tf.raw_ops, op)(**given)) if x.dtype == tf.float64]


def float64_cases(op: str) -> list[dict]:
    """The arguments of an op's cases all of whose floating tensors are of float64."""
    made = []
    for form, arguments, _ in cases(op):
        leaves = [x for v in arguments.values() for x in (v if isinstance(v, list) else [v]) if is_watched(x)]
        if f"{op} {form}" in SMOOTH and leaves and all(np.asarray(x).dtype == np.float64 for x in leaves):
            made.append(arguments)
    return made


DOUBLE = [op for op in OPS if float64_cases(op)]
# The gradient divides by the number of elements that reach a segment; of an empty one, the product is NaN, as in
# TensorFlow.
EMPTY_SEGMENTS = ("SegmentMax", "SegmentMean", "SegmentMin", "UnsortedSegmentMax", "UnsortedSegmentMin")


@pytest.mark.parametrize("op", [op for op in DOUBLE if op not in OTHERWISE])
def test_finite_differences(op):
    assert sum(directional(op, arguments) for arguments in float64_cases(op)) > 0


def test_every_op_takes_float64_or_is_named():
    assert set(OPS) - set(DOUBLE) == NO_DOUBLES
