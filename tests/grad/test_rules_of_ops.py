"""The gradient of every op in every dtype, and of public functions, to second order, against TensorFlow's as recorded by record_rules.py."""

from __future__ import annotations

import functools
import json
import pathlib
import re

import numpy as np
import pytest
import tracefn as tf
from grad.function_cases import expressions, gradients
from grad.rule_cases import answer, cases
from support.elementwise_samples import numpy_dtype

FOLDER = pathlib.Path(__file__).parent / "recorded"
RECORDED = json.loads((FOLDER / "rules.json").read_text())
FUNCTIONS = json.loads((FOLDER / "functions.json").read_text())
OPS = tf._core.op_names()
# TensorFlow's kernels, not its gradients, are missing here; tracefn may well have them.
NO_KERNEL = ("NotFoundError", "UnimplementedError")
# TensorFlow has no second derivative of these.
MORE_THAN_TENSORFLOW = {"Softsign", "SoftsignGrad", "QuantizeAndDequantizeV4", "QuantizeAndDequantizeV4Grad"}
# TensorFlow's rules, which would say that there is no gradient, take too few arguments: a TypeError.
MORE_THAN_TENSORFLOW |= {"SparseSparseMaximum", "SparseSparseMinimum"}
# tf.sign of complex numbers has a gradient there, made of other ops; the op itself has none.
OTHERWISE = ("Sign T=complex64", "Sign T=complex128")
# TensorFlow's rule of this gradient (_BatchNormGrad in nn_fused_batch_norm_grad.py) is no reference. It stops the
# gradient of the mean inside of the variance, so that its own derivative, the third of batch normalization, is
# approximate. Without training it leaves out the statistics that are given. It watches y_backprop and x by themselves, so
# that a tensor given as both counts twice for each. test_batch_norm_gradients.py compares with the formula.
BATCH_NORM = (
    *(f"FusedBatchNormGrad{version} {case}" for version in ("", "V2") for case in ("as it is 052f5f1c", "twice 97caaf00")),
    *(
        f"FusedBatchNormGradV3 {case}"
        for case in (
            "as it is 471222ce",
            "twice 31829b50",
            "as it is 815c3a06",
            "twice f22dacb8",
            "T=bfloat16 6925d976",
            "T=float16 f31c4926",
        )
    ),
)
# TensorFlow's kernels refuse gradients of grouped convolutions in these dtypes.
GROUPED = ("Conv2D T=float16 762335f8", "Conv2D T=float64 de113909")
# Relative to the largest number of a gradient, or to one: a few roundings of the dtype. Second derivatives of half
# numbers cancel much.
TOLERANCE = {"bfloat16": 2e-2, "float16": 4e-3, "float32": 2e-5, "float64": 1e-9, "complex64": 5e-5, "complex128": 1e-9}
# The second derivative of CumulativeLogsumexp is a difference of exponentials, whose rounding does not cancel as they do.
# TensorFlow's CTCLoss takes exponentials of doubles as floats.
LOOSER = {"CumulativeLogsumexp": 2, "CTCLoss": 200}


@functools.cache
def cases_of(op: str) -> dict:
    return {f"{op} {name}": (arguments, one) for name, arguments, one in cases(op)}


def array(recorded: dict) -> np.ndarray:
    values = np.array(recorded["values"], np.float64)
    if recorded["dtype"].startswith("complex"):
        values = values[0::2] + 1j * values[1::2]
    return values.reshape(recorded["shape"])


def assert_equal(got: list, wanted: list, where: str, looser: int = 1) -> None:
    """Asserts that gradients are those recorded: None, dtype, shape and numbers."""
    assert [g is None for g in got] == [w is None for w in wanted], where
    for g, w in zip(got, wanted, strict=True):
        if w is None:
            continue
        assert (g.dtype, list(g.shape)) == (numpy_dtype(w["dtype"]), w["shape"]), where
        numbers = array(w)
        largest = float(np.abs(numbers[np.isfinite(numbers)]).max(initial=1.0))
        tolerance = TOLERANCE[w["dtype"]] * looser
        wide = g.astype(np.complex128 if g.dtype.kind == "c" else np.float64)
        np.testing.assert_allclose(wide, numbers, rtol=tolerance, atol=tolerance * largest, err_msg=where)


@pytest.mark.parametrize("name", RECORDED)
def test_gradient(name):
    op = name.split(" ")[0]
    if name not in cases_of(op):
        pytest.fail(f"{name} is recorded and no longer made; run tests/grad/record_rules.py with TensorFlow.")
    arguments, one_tensor = cases_of(op)[name]
    wanted = RECORDED[name]
    if wanted in NO_KERNEL:
        pytest.skip("TensorFlow has no kernel")
    if name.startswith(OTHERWISE):
        pytest.skip("the public function is compared")
    if name in BATCH_NORM:
        pytest.skip("test_batch_norm_gradients.py compares it with the formula")
    if op == "BlockLSTMV2":
        pytest.skip("TensorFlow's rule calls BlockLSTMGrad, whose gates are in another order; conformance tests it")
    got = answer(op, arguments, one_tensor, tf)
    if isinstance(wanted, str):
        if op not in MORE_THAN_TENSORFLOW and name not in GROUPED:
            assert got == wanted or {got, wanted} == {"NotFoundError", "InvalidArgumentError"}  # no kernel either
        return
    assert isinstance(got, dict), got
    assert_equal(got["first"], wanted["first"], "first", LOOSER.get(op, 1))
    if isinstance(wanted["second"], str):
        assert op in MORE_THAN_TENSORFLOW or got["second"] == wanted["second"]
    else:
        assert not isinstance(got["second"], str), got["second"]
        assert_equal(got["second"], wanted["second"], "second", LOOSER.get(op, 1))


@pytest.mark.parametrize("op", OPS)
def test_every_case_is_recorded(op):
    missing = [
        name
        for name, (arguments, one_tensor) in cases_of(op).items()
        if name not in RECORDED and answer(op, arguments, one_tensor, tf) is not None
    ]
    assert not missing, "run tests/grad/record_rules.py with TensorFlow"


def missing_name(expression: str) -> str | None:
    """A function of the expression that tracefn has not got."""
    for path in re.findall(r"tf((?:\.[a-z_0-9]+)+)", expression):
        at = tf
        for part in path[1:].split("."):
            if not hasattr(at, part):
                return "tf" + path
            at = getattr(at, part)
    return None


@pytest.mark.parametrize("expression", FUNCTIONS)
def test_gradient_of_a_function(expression):
    if name := missing_name(expression):
        pytest.skip(f"{name} is not in tracefn yet")
    wanted = FUNCTIONS[expression]
    got = gradients(expression, tf)
    for order in ("first", "second"):
        assert not isinstance(got[order], str), got[order]
        assert_equal(got[order], wanted[order], order)


def test_every_function_is_recorded():
    assert set(expressions()) == set(FUNCTIONS), "run tests/grad/record_rules.py with TensorFlow"
