"""`tf.test.TestCase`: assertions about tensors, arrays, numbers and nests of these."""

from __future__ import annotations

import collections.abc
import contextlib
import math
import re

import numpy as np

from tracefn import _core, version
from tracefn.compat.v1.ragged_arrays import RaggedTensorValue
from tracefn.errors import InvalidArgumentError, OpError
from tracefn.framework import executing_eagerly, is_tensor
from tracefn.ops.device_spec import DeviceSpec
from tracefn.ops.ragged.tensor import RaggedTensor
from tracefn.test._message_text import parsed, same
from tracefn.test._running import RunningCase

_MOST_SHOWN = 10  # elements in a message


def _is_ragged(value) -> bool:
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


class TestCase(RunningCase):
    """A test case whose assertions take tensors, arrays, numbers and nests of these.

    Example:
      >>> import tracefn as tf
      >>> tf.test.TestCase().assertAllClose(tf.constant([1.0]), [1.0 + 1e-9])
    """

    def _array(self, value) -> np.ndarray:
        """A tensor, Variable, number or nested list as an array."""
        if is_tensor(value) and not _is_ragged(value):
            value = self.evaluate(value) if isinstance(value, _core.SymbolicTensor) else value.numpy()
        elif isinstance(value, (list, tuple)):
            value = [self._array(item) if is_tensor(item) or isinstance(item, (list, tuple)) else item for item in value]
        if isinstance(value, np.ndarray):
            return value
        try:
            return np.array(value)
        except ValueError as error:
            if "inhomogeneous shape" in str(error):
                return np.array(value, dtype=object)
            raise

    _GetNdArray = _array  # the name in TensorFlow, which test cases use

    def assertAllEqual(self, a, b, msg=None):
        """Asserts that shapes and elements are equal; NaN equals NaN. Ragged tensors are equal as lists, too."""
        if _is_ragged(a) or _is_ragged(b):
            return self._assert_ragged(a, b, lambda x, y, path: self.assertEqual(x, y, msg or path))
        msg = msg or ""
        a, b = self.evaluate_if_both_tensors(a, b)
        a, b = self._array(a), self._array(b)
        if a.shape != b.shape:  # the text of an array takes long
            told = f" Contents: {b!r}. \n{msg}." if _is_short(b) else f" {msg}"
            self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}.{told}")
        one, other = a, b
        if {a.dtype.kind, b.dtype.kind} <= set("USO") and a.dtype != b.dtype or a.dtype.kind == "O":
            one, other = (np.array([_as_bytes(item) for item in x.ravel()], dtype=object).reshape(x.shape) for x in (a, b))
        same = np.asarray(one == other) | np.asarray((one != one) & (other != other))
        if not np.all(same):
            lines = [msg, *_differing(one, other, np.broadcast_to(~same, a.shape), "equal", repr)]
            if a.dtype.kind != b.dtype.kind and {a.dtype.kind, b.dtype.kind} <= set("USO"):
                a, b = (np.array(x.ravel().tolist()) for x in (one, other))
            np.testing.assert_array_equal(a, b, err_msg="\n".join(lines))
        return None

    def _assert_ragged(self, a, b, compare) -> None:
        """Compares ragged tensors as lists, item by item; `compare(x, y, path)` compares two items."""
        if not executing_eagerly():
            a, b = (self.evaluate(value) if is_tensor(value) or isinstance(value, RaggedTensor) else value for value in (a, b))
        as_lists = [value.to_list() if _is_ragged(value) else self._array(value).tolist() if is_tensor(value) or
                    isinstance(value, np.ndarray) else list(value) for value in (a, b)]  # fmt: skip

        def walk(x, y, path):
            self.assertEqual(isinstance(x, list), isinstance(y, list), path)
            if not isinstance(x, list):
                compare(x, y, path)
                return
            self.assertLen(x, len(y), f"Length differs for {path}")
            for i, (one, other) in enumerate(zip(x, y, strict=True)):
                walk(one, other, f"{path}[{i}]")

        walk(as_lists[0], as_lists[1], "value")
        if not any(isinstance(value, (list, tuple)) for value in (a, b)):
            ranks = [value.ragged_rank if _is_ragged(value) else 0 for value in (a, b)]
            self.assertEqual(*ranks)

    def assertNotAllEqual(self, a, b, msg=None):
        """Asserts that the shapes or an element differ."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Asserts that structures and shapes are equal, and |a - b| <= atol + rtol * |b| for all elements.

        Args:
          a, b: nests of dicts, tuples and lists.
          rtol, atol: tolerances, relative to `b` and absolute.
          msg: added to the text of the error.

        Raises:
          ValueError: one of the values is a dict and the other is not, or lists differ in length.
        """
        self._close(a, b, rtol, atol, "", msg or "")

    def _close(self, a, b, rtol, atol, path: str, msg: str) -> None:
        if _is_ragged(a) or _is_ragged(b):
            self._assert_ragged(a, b, lambda x, y, at: self._close(x, y, rtol, atol, at, msg))
            return
        a, b = (value._asdict() if hasattr(value, "_asdict") else value for value in (a, b))
        is_dict = isinstance(a, collections.abc.Mapping)
        if is_dict != isinstance(b, collections.abc.Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg}")
        if is_dict:
            self.assertItemsEqual(a.keys(), b.keys(), f"mismatched keys: a{path} has keys {a.keys()}, but b{path} has keys "
                                                      f"{b.keys()}. {msg}")  # fmt: skip
            for key in a:
                self._close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
            return
        told = f"Mismatched value: a{path} is different from b{path}. {msg}"
        if not isinstance(a, (list, tuple)):
            self._arrays_close(a, b, rtol, atol, told)
            return
        try:
            a_array, b_array = self._array(a), self._array(b)
            self._same_shapes(a_array, b_array)
            is_plain = a_array.dtype.kind != "O" and b_array.dtype.kind != "O"
        except (ValueError, TypeError, NotImplementedError):
            is_plain = False
        if is_plain:
            self._arrays_close(a_array, b_array, rtol, atol, told)
            return
        if len(a) != len(b):
            raise ValueError(f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)} items. {msg}")
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            self._close(x, y, rtol, atol, f"{path}[{i}]", msg)

    def _arrays_close(self, a, b, rtol, atol, msg) -> None:
        a, b = self.evaluate_if_both_tensors(a, b)
        a, b = self._array(a), self._array(b)
        self._same_shapes(a, b)
        dtype = a.dtype
        a, b = (x.astype(np.float32) if x.dtype.kind == "V" else x for x in (a, b))  # bfloat16
        if not np.allclose(a, b, rtol=rtol, atol=atol):
            far = np.logical_or(np.abs(a - b) > atol + rtol * np.abs(b), np.isnan(a) != np.isnan(b))
            x, y = (a[far], b[far]) if a.ndim else (a, b)
            lines = [msg, *_differing(a, b, far, "close", str), f"not close dif = {np.abs(x - y)}",
                     f"not close tol = {atol + rtol * np.abs(y)}", f"dtype = {dtype}, shape = {a.shape}"]  # fmt: skip
            np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg="\n".join(lines), equal_nan=True)

    def _same_shapes(self, a, b) -> None:
        if a.shape != b.shape:  # the text of an array takes long
            shown = f" with contents {b}." if _is_short(b) else "."
            self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}{shown}")

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Asserts that an element is outside of the tolerances."""
        try:
            self.assertAllClose(a, b, rtol, atol, msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}")

    def assertAllCloseAccordingToType(
        self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3, half_atol=1e-3,
        bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None,
    ):  # fmt: skip
        """`assertAllClose` with wider tolerances for narrower dtypes."""
        a, b = self.evaluate_if_both_tensors(a, b)
        a, b = self._array(a), self._array(b)
        kinds = {a.dtype.name, b.dtype.name}
        for names, wider_rtol, wider_atol in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if kinds & names:
                rtol, atol = max(rtol, wider_rtol), max(atol, wider_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNear(self, f1, f2, err, msg=None):
        """Asserts that two numbers differ by at most `err`."""
        f1, f2 = np.squeeze(f1), np.squeeze(f2)
        if f1 != f2:
            difference = math.fabs(f1 - f2)
            told = f" ({msg})" if msg is not None else ""
            self.assertTrue(difference <= err, f"{f1:f} != {f2:f} +/- {err:f} (difference: {difference:g}){told}")

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Asserts that sequences of equal length have numbers that differ by at most `err`."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for first, second in zip(farray1, farray2, strict=True):
            self.assertNear(float(first), float(second), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """Asserts that the norm of the difference of two arrays is less than `err`."""
        self.assertTrue(np.linalg.norm(self._array(ndarray1) - self._array(ndarray2)) < err, msg)

    def assertAllGreater(self, a, comparison_target):
        """Asserts that every element is greater than a number."""
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        """Asserts that every element is at least a number."""
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        """Asserts that every element is less than a number."""
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        """Asserts that every element is at most a number."""
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
        """Asserts that every element is a number between two others, and not NaN."""
        target = self._array(target)
        if target.dtype.kind not in "fiuV":
            raise AssertionError(f"The value of {target} does not have an ordered numeric type, instead it has type: "
                                 f"{target.dtype}")
        missing = np.isnan(target)
        if np.any(missing):
            raise AssertionError(f"{np.count_nonzero(missing)} of the {target.size} element(s) are NaN. Subscripts(s) and "
                                 f"value(s) of the NaN element(s):\n{_places(missing, target)}")
        low = target <= lower_bound if open_lower_bound else target < lower_bound
        high = target >= upper_bound if open_upper_bound else target > upper_bound
        wrong = np.logical_or(low, high)
        if np.any(wrong):
            text = f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
            raise AssertionError(f"{np.count_nonzero(wrong)} of the {target.size} element(s) are outside the range {text}. "
                                 f"Subscript(s) and value(s) of the offending elements:\n{_places(wrong, target)}")

    def assertAllInSet(self, target, expected_set):
        """Asserts that every element is in a set."""
        others = np.setdiff1d(self._array(target).flatten(), list(expected_set))
        if np.size(others):
            raise AssertionError(f"{np.size(others)} unique element(s) are not in the set {expected_set}: {others}")

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """Asserts that two tensors or arrays have the same shape.

        Raises:
          TypeError: a value is no tensor and no array.
        """
        for which, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, (np.ndarray, np.generic, _core.Tensor)):
                raise TypeError(f"{which} must be a Numpy ndarray, Numpy scalar, or a Tensor.Instead received {type(value)}")
        shapes = [list(value.shape) for value in (input_a, input_b)]
        self.assertAllEqual(*shapes, msg=msg)

    def assertDTypeEqual(self, target, expected_dtype):
        """Asserts that a tensor or array has a dtype."""
        self.assertEqual(self._array(target).dtype, expected_dtype)

    def assertDeviceEqual(self, device1, device2, msg=None):
        """Asserts that two names or DeviceSpecs are of the same device."""
        names = [value if isinstance(value, DeviceSpec) else DeviceSpec.from_string(value or "")
                 for value in (device1, device2)]
        first, second = (spec.to_string() for spec in names)
        self.assertEqual(first, second, f"Devices {first} and {second} are not equal. {msg}")

    def assertDictEqual(self, a, b, msg=None):
        """Asserts that two dicts have the same keys, and equal values, or near ones for floats."""
        try:
            super().assertDictEqual(a, b, msg)
        except Exception:  # tensors have no single truth; the comparison below says what differs
            self.assertSameElements(a.keys(), b.keys())
            for key, value in a.items():
                close = self._array(value).dtype.kind == "f"
                (self.assertAllClose if close else self.assertAllEqual)(value, b[key], msg=key)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """Asserts that the body raises such an exception and that its text matches, or that the predicate is true for it."""
        matches = expected_err_re_or_predicate
        try:
            yield
            self.fail(f"{exception_type.__name__} not raised")
        except Exception as error:
            text = error.message if isinstance(error, OpError) else str(error)
            if not isinstance(error, exception_type) or not (matches(error) if callable(matches) else re.search(matches, text)):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """Asserts that the body raises an OpError whose text matches."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type=InvalidArgumentError):
        """Asserts that the body raises an error about shapes that do not fit."""
        return self.assertRaisesWithPredicateMatch(exception_type, r"Incompatible shapes|Dimensions must be equal|"
                                                                   r"required broadcastable shapes")  # fmt: skip

    def assertProtoEquals(self, expected_message_maybe_ascii, validate_message, msg=None, relative_tolerance=None):
        """Fails unless two messages are equal.

        Args:
          expected_message_maybe_ascii: message of the same class, or the text form of one.
          validate_message: message, or the list of messages that is a field of one.
          msg: said when it fails.
          relative_tolerance: how far numbers may be apart, as a part of the larger one; None: not at all.
        """
        expected = expected_message_maybe_ascii
        if not isinstance(expected, (str, bytes, type(validate_message))):
            raise AssertionError(f"Can't compare protos of type {type(expected)} and {type(validate_message)}.")
        if not isinstance(expected, (str, bytes)) and expected == validate_message:
            return
        if isinstance(validate_message, collections.abc.MutableSequence):
            self.fail(self._formatMessage(msg, f"Expected the messages:\n{expected}\nbut got:\n{validate_message}"))
        text = expected.decode() if isinstance(expected, bytes) else str(expected)
        if not same(parsed(text), parsed(str(validate_message)), relative_tolerance):
            self.fail(self._formatMessage(msg, f"Expected the message:\n{text}\nbut got:\n{validate_message}"))

    def assertProtoEqualsVersion(self, expected, actual, producer=None, min_consumer=None, msg=None):
        """Fails unless a GraphDef is that in text form, which says nothing of versions.

        Args:
          expected: str.
          actual: GraphDef.
          producer, min_consumer: the versions; None: `tf.version.GRAPH_DEF_VERSION` and its least consumer.
          msg: said when it fails.
        """
        producer = version.GRAPH_DEF_VERSION if producer is None else producer
        min_consumer = version.GRAPH_DEF_VERSION_MIN_CONSUMER if min_consumer is None else min_consumer
        least = f"min_consumer: {min_consumer}" if min_consumer else ""  # a zero is not written
        versions = f"versions {{ producer: {producer} {least} }};\n"
        self.assertProtoEquals(versions + expected, actual, msg=msg)


def _places(where, values) -> str:
    """The subscripts and values of some elements, a line for each."""
    found = np.argwhere(where)
    lines = [f"  {place} : {values[tuple(place)]}" for place in found[:_MOST_SHOWN]]
    return "\n".join(lines + ["  ..."] * (len(found) > _MOST_SHOWN))


def _is_short(array) -> bool:
    """Whether an error shows an array's elements."""
    return array.ndim <= 3 or array.size < 500


def _differing(a, b, where, told, shown) -> list[str]:
    """The places and values of the elements that differ, lines of an error."""
    x, y = (a[where], b[where]) if a.ndim else (a, b)
    places = [f"not {told} where = {np.nonzero(where)}"] if a.ndim else []
    return [*places, f"not {told} lhs = {shown(x)}", f"not {told} rhs = {shown(y)}"]


def _as_bytes(value):
    return value.encode() if isinstance(value, str) else value
