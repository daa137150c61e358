"""Forward accumulation of every op: the Jacobian that it multiplies is the one whose transpose the tape multiplies."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest
import tracefn as tf
from grad.rule_cases import can_flow, cases, flat, is_watched, weights

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "rules.json").read_text())
# Those that TensorFlow differentiates twice.
SMOOTH = [name for name, found in RECORDED.items() if isinstance(found, dict) and not isinstance(found["second"], str)]
OPS = sorted({name.split(" ")[0] for name in SMOOTH})
# TensorFlow's rule, which is ours, forgets to conjugate.
NOT_CONJUGATED = ("MulNoNan T=complex64", "MulNoNan T=complex128")
# Relative to the sum of the absolute parts: a few roundings of the dtype.
TOLERANCE = {"bfloat16": 5e-2, "float16": 1e-2, "float32": 1e-4, "float64": 1e-11, "complex64": 1e-4, "complex128": 1e-11}


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
