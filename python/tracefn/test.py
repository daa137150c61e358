"""`tf.test`: unittest's TestCase with assertions about tensors."""

from __future__ import annotations

import contextlib
import random
import tempfile
import unittest

import numpy as np

from tracefn import nest
from tracefn._missing import getter as _getter
from tracefn.dtypes import as_dtype as _as_dtype
from tracefn.errors import OpError
from tracefn.framework import is_tensor
from tracefn.random_seed import DEFAULT_GRAPH_SEED, set_seed

__all__ = ["TestCase", "get_temp_dir", "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_rocm",
           "is_built_with_xla", "is_gpu_available", "main"]  # fmt: skip


def _array(value) -> np.ndarray:
    """A tensor, Variable, number or nested list as an array."""
    if is_tensor(value):
        value = value.numpy()
    elif isinstance(value, (list, tuple)):
        value = [_array(item) if is_tensor(item) or isinstance(item, (list, tuple)) else item for item in value]
    return np.asarray(value)


class TestCase(unittest.TestCase):
    """A test case whose assertions take tensors, arrays, numbers and nests of these.

    Example:
      >>> import tracefn as tf
      >>> tf.test.TestCase().assertAllClose(tf.constant([1.0]), [1.0 + 1e-9])
    """

    def setUp(self) -> None:
        """Seeds the generators of Python, NumPy and this package, so that every test sees the same random numbers."""
        super().setUp()
        random.seed(DEFAULT_GRAPH_SEED)
        np.random.seed(DEFAULT_GRAPH_SEED)
        set_seed(DEFAULT_GRAPH_SEED)

    def evaluate(self, tensors):
        """A nest of tensors as NumPy arrays and scalars."""
        return nest.map_structure(lambda t: t.numpy() if is_tensor(t) else t, tensors)

    def get_temp_dir(self) -> str:
        """A folder for the files of this test, which is removed when the test ends."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    @contextlib.contextmanager
    def cached_session(self, *args, **kwargs):
        """A context without effect: ops run eagerly."""
        yield

    session = cached_session

    def assertAllEqual(self, a, b, msg=None) -> None:
        """Asserts that shapes and elements are equal; NaN equals NaN."""
        a, b = self._of_one_shape(a, b, msg)
        same = (a == b) | ((a != a) & (b != b))
        self.assertTrue(np.all(same), self._difference(a, b, ~np.asarray(same), msg))

    def assertNotAllEqual(self, a, b, msg=None) -> None:
        """Asserts that the shapes or an element differ."""
        a, b = _array(a), _array(b)
        self.assertFalse(a.shape == b.shape and bool(np.all(a == b)), msg or "The two values are equal at all elements.")

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None) -> None:
        """Asserts that structures and shapes are equal, and elements are within the tolerances."""
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertIsInstance(a, dict, msg)
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        a, b = self._of_one_shape(a, b, msg)
        if a.dtype.kind not in "fcV" and b.dtype.kind not in "fcV":
            self.assertAllEqual(a, b, msg)
            return
        if a.dtype.kind == "V" or b.dtype.kind == "V":  # bfloat16
            a, b = a.astype(np.float32), b.astype(np.float32)
        close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        self.assertTrue(np.all(close), self._difference(a, b, ~np.asarray(close), msg))

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None) -> None:
        """Asserts that an element is outside of the tolerances."""
        try:
            self.assertAllClose(a, b, rtol, atol, msg)
        except AssertionError:
            return
        self.fail(msg or "The two values are close at all elements.")

    def assertAllCloseAccordingToType(
        self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3, half_atol=1e-3,
        bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None,
    ) -> None:  # fmt: skip
        """`assertAllClose` with wider tolerances for narrower dtypes."""
        kinds = {_array(a).dtype.name, _array(b).dtype.name}
        if "bfloat16" in kinds:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        elif "float16" in kinds:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        elif "float32" in kinds or "complex64" in kinds:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNear(self, f1, f2, err, msg=None) -> None:
        """Asserts that two numbers differ by at most `err`."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, msg or f"{f1!r} != {f2!r} +/- {err!r}")

    def assertArrayNear(self, farray1, farray2, err, msg=None) -> None:
        """Asserts that sequences of equal length have numbers that differ by at most `err`."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for first, second in zip(farray1, farray2, strict=True):
            self.assertNear(float(first), float(second), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None) -> None:
        """Asserts that the norm of the difference of two arrays is at most `err`."""
        distance = float(np.linalg.norm(_array(ndarray1) - _array(ndarray2)))
        self.assertLessEqual(distance, err, msg)

    def assertAllGreater(self, a, comparison_target) -> None:
        """Asserts that every element is greater than a number."""
        self.assertGreater(np.min(_array(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target) -> None:
        """Asserts that every element is at least a number."""
        self.assertGreaterEqual(np.min(_array(a)), comparison_target)

    def assertAllLess(self, a, comparison_target) -> None:
        """Asserts that every element is less than a number."""
        self.assertLess(np.max(_array(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target) -> None:
        """Asserts that every element is at most a number."""
        self.assertLessEqual(np.max(_array(a)), comparison_target)

    def assertAllInRange(
        self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False
    ) -> None:
        """Asserts that every element is between two numbers."""
        target = _array(target)
        low = target > lower_bound if open_lower_bound else target >= lower_bound
        high = target < upper_bound if open_upper_bound else target <= upper_bound
        self.assertTrue(np.all(low & high), f"Elements out of [{lower_bound}, {upper_bound}]: {target[~(low & high)]}")

    def assertAllInSet(self, target, expected_set) -> None:
        """Asserts that every element is in a set."""
        found = set(_array(target).ravel().tolist())
        self.assertTrue(found <= set(expected_set), f"{found - set(expected_set)} not in {expected_set}")

    def assertShapeEqual(self, input_a, input_b, msg=None) -> None:
        """Asserts that two tensors or arrays have the same shape."""
        self.assertEqual(tuple(_array(input_a).shape), tuple(_array(input_b).shape), msg)

    def assertDTypeEqual(self, target, expected_dtype) -> None:
        """Asserts that a tensor or array has a dtype."""
        self.assertEqual(_as_dtype(_array(target).dtype), _as_dtype(expected_dtype))

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """Asserts that the body raises such an exception and that its text matches, or that the predicate is true for it."""
        matches = expected_err_re_or_predicate
        with self.assertRaises(exception_type) as raised:
            yield
        error = raised.exception
        if callable(matches):
            self.assertTrue(matches(error), f"{error!r} does not fit")
        else:
            self.assertRegex(error.message if isinstance(error, OpError) else str(error), matches)

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """Asserts that the body raises an OpError whose text matches."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type=OpError, expected_err_re_or_predicate="Incompatible shapes"
    ):
        """Asserts that the body raises an error about incompatible shapes."""
        return self.assertRaisesWithPredicateMatch(exception_type, expected_err_re_or_predicate)

    def assertEmpty(self, container, msg=None) -> None:
        """Asserts that a container is empty."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container, msg=None) -> None:
        """Asserts that a container is not empty."""
        self.assertNotEqual(len(container), 0, msg)

    def assertLen(self, container, expected_len, msg=None) -> None:
        """Asserts that a container has a length."""
        self.assertEqual(len(container), expected_len, msg)

    def assertStartsWith(self, actual, expected_start, msg=None) -> None:
        """Asserts that a text starts with another."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    def assertBetween(self, value, minv, maxv, msg=None) -> None:
        """Asserts that minv <= value <= maxv."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not between {minv!r} and {maxv!r}")

    def _of_one_shape(self, a, b, msg):
        a, b = _array(a), _array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: {a.shape} and {b.shape}. {msg or ''}")
        if a.dtype.kind == "O" or b.dtype.kind == "O":  # strings: str and bytes are compared as bytes
            a, b = (np.vectorize(_as_bytes, otypes=[object])(x) if x.size else x for x in (a, b))
        elif {a.dtype.kind, b.dtype.kind} == {"U", "S"}:
            a, b = a.astype("S"), b.astype("S")
        return a, b

    def _difference(self, a, b, where, msg) -> str:
        where = np.broadcast_to(where, a.shape)
        return f"{msg or ''}\nnot equal where {np.argwhere(where).tolist()[:10]}\nlhs = {a[where]}\nrhs = {b[where]}"


def _as_bytes(value):
    return value.encode() if isinstance(value, str) else value


def main(argv=None) -> None:
    """Runs the tests of the main module.

    Args:
      argv: command line; None for that of the process.
    """
    unittest.main(argv=argv)


def get_temp_dir() -> str:
    """A new folder for temporary files."""
    return tempfile.mkdtemp()


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability=None) -> bool:
    """False: GPUs are not supported."""
    return False


def is_built_with_cuda() -> bool:
    """False: CUDA is not supported."""
    return False


def is_built_with_rocm() -> bool:
    """False: ROCm is not supported."""
    return False


def is_built_with_gpu_support() -> bool:
    """False: GPUs are not supported."""
    return False


def is_built_with_xla() -> bool:
    """False: XLA is not supported."""
    return False


__getattr__ = _getter("test")
