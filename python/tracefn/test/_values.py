"""Assertions about Python values, which TensorFlow's TestCase has from absl."""

from __future__ import annotations

import collections.abc
import importlib
import json
import re
import unittest
from typing import TYPE_CHECKING


def _bare_case() -> type[unittest.TestCase]:
    """absl's TestCase where absl-py is installed: a class may then name one of absl's cases before this package's, as on TensorFlow."""
    try:
        return importlib.import_module("absl.testing.absltest").TestCase  # optional: a package of its own
    except ModuleNotFoundError:
        return unittest.TestCase


if TYPE_CHECKING:
    _BareCase = unittest.TestCase
else:
    _BareCase = _bare_case()


class ValueAssertions(_BareCase):
    """Assertions about sequences, sets, texts and structures."""

    assertItemsEqual = unittest.TestCase.assertCountEqual
    assertRaisesRegexp = unittest.TestCase.assertRaisesRegex

    def fail(self, msg=None, user_msg=None):
        """Fails the test; `user_msg` is appended to `msg`."""
        super().fail(msg if user_msg is None else f"{msg}: {user_msg}" if msg else user_msg)

    def assertEmpty(self, container, msg=None):
        """Asserts that a container is empty."""
        self._require_sized(container, msg)
        if len(container):
            self.fail(f"{container!r} has length of {len(container)}.", msg)

    def assertNotEmpty(self, container, msg=None):
        """Asserts that a container is not empty."""
        self._require_sized(container, msg)
        if not len(container):
            self.fail(f"{container!r} has length of 0.", msg)

    def assertLen(self, container, expected_len, msg=None):
        """Asserts that a container has a length."""
        self._require_sized(container, msg)
        if len(container) != expected_len:
            self.fail(f"{container!r} has length of {len(container)}, expected {expected_len}.", msg)

    def _require_sized(self, container, msg) -> None:
        if not isinstance(container, collections.abc.Sized):
            self.fail(f"Expected a Sized object, got: {type(container).__name__!r}", msg)

    def assertStartsWith(self, actual, expected_start, msg=None):
        """Asserts that a text starts with another."""
        if not actual.startswith(expected_start):
            self.fail(f"{actual!r} does not start with {expected_start!r}" + (f" : {msg!r}" if msg else ""))

    def assertNotStartsWith(self, actual, unexpected_start, msg=None):
        """Asserts that a text does not start with another."""
        if actual.startswith(unexpected_start):
            self.fail(f"{actual!r} does start with {unexpected_start!r}", msg)

    def assertEndsWith(self, actual, expected_end, msg=None):
        """Asserts that a text ends with another."""
        if not actual.endswith(expected_end):
            self.fail(f"{actual!r} does not end with {expected_end!r}", msg)

    def assertNotEndsWith(self, actual, unexpected_end, msg=None):
        """Asserts that a text does not end with another."""
        if actual.endswith(unexpected_end):
            self.fail(f"{actual!r} does end with {unexpected_end!r}", msg)

    def assertBetween(self, value, minv, maxv, msg=None):
        """Asserts that minv <= value <= maxv."""
        if not minv <= value <= maxv:
            self.fail(f'"{value!r}" unexpectedly not between "{minv!r}" and "{maxv!r}"', msg)

    def assertIsSubclass(self, cls, superclass, msg=None):
        """Asserts that a class is derived from another."""
        if not issubclass(cls, superclass):
            self.fail(f"{cls!r} is not a subclass of {superclass!r}", msg)

    def assertNotIsSubclass(self, cls, superclass, msg=None):
        """Asserts that a class is not derived from another."""
        if issubclass(cls, superclass):
            self.fail(f"{cls!r} is a subclass of {superclass!r}", msg)

    def assertSameElements(self, expected_seq, actual_seq, msg=None):
        """Asserts that two sequences have the same elements, however often."""
        if isinstance(expected_seq, (str, bytes)) or isinstance(actual_seq, (str, bytes)):
            self.fail("Passing string/bytes to assertSameElements is usually a bug. Did you mean to use assertEqual?\n"
                      f"Expected: {expected_seq}\nActual: {actual_seq}")
        expected, actual = list(expected_seq), list(actual_seq)
        missing = [item for item in expected if item not in actual]
        unexpected = [item for item in actual if item not in expected]
        if missing or unexpected:
            self.fail(f"Expected, but missing:\n  {missing!r}\nUnexpected, but present:\n  {unexpected!r}", msg)

    def assertContainsSubset(self, expected_subset, actual_set, msg=None):
        """Asserts that all of `expected_subset` is in `actual_set`."""
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self.fail(f"Missing elements {missing}\nExpected: {expected_subset}\nActual: {actual_set}", msg)

    def assertNoCommonElements(self, expected_seq, actual_seq, msg=None):
        """Asserts that two sequences have no element in common."""
        common = set(expected_seq) & set(actual_seq)
        if common:
            self.fail(f"Common elements {common}\nExpected: {expected_seq}\nActual: {actual_seq}", msg)

    def assertContainsSubsequence(self, container, subsequence, msg=None):
        """Asserts that the elements of `subsequence` are in `container`, in this order."""
        rest = iter(container)
        for item in subsequence:
            if item not in rest:  # which takes all up to the item
                self.fail(f"{list(subsequence)} not a subsequence of {container}. First non-matching element: {item}", msg)

    def assertContainsExactSubsequence(self, container, subsequence, msg=None):
        """Asserts that the elements of `subsequence` are in `container`, in this order, one after the other."""
        whole, part = list(container), list(subsequence)
        if not any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1)):
            self.fail(f"{part} not an exact subsequence of {whole}.", msg)

    def assertContainsInOrder(self, strings, target, msg=None):
        """Asserts that texts are in `target`, in this order."""
        at, last = 0, None
        for text in (strings,) if isinstance(strings, (bytes, str)) else strings:
            found = target.find(str(text), at)
            if found < 0:
                self.fail(f"Did not find {text!r}{'' if last is None else f' after {last!r}'} in {target!r}", msg)
            at, last = found, text

    def assertSequenceStartsWith(self, prefix, whole, msg=None):
        """Asserts that a sequence starts with the elements of another, or with one element."""
        if not isinstance(prefix, collections.abc.Sized):
            prefix = [prefix]
        if len(prefix) == 0 and len(whole) != 0:
            self.fail(f"{whole!r} does not start with {prefix!r}: the prefix is empty.", msg)
        self.assertSequenceEqual(list(prefix), list(whole[: len(prefix)]), msg)

    def assertSequenceAlmostEqual(self, expected_seq, actual_seq, places=None, msg=None, delta=None):
        """Asserts that two sequences have as many elements, which are almost equal."""
        if len(expected_seq) != len(actual_seq):
            self.fail(f"Sequence size mismatch: {len(expected_seq)} vs {len(actual_seq)}", msg)
        wrong = []
        for i, (expected, actual) in enumerate(zip(expected_seq, actual_seq, strict=True)):
            try:
                self.assertAlmostEqual(expected, actual, places=places, msg=msg, delta=delta)
            except self.failureException as error:
                wrong.append(f"At index {i}: {error}")
        if wrong:
            self.fail("; ".join(wrong[:30]), msg)

    def assertDictAlmostEqual(self, a, b, places=None, msg=None, delta=None):
        """Asserts that two dicts have the same keys, and values that are equal or almost equal numbers."""
        self.assertSameElements(a, b, msg)
        for key in a:
            if isinstance(a[key], (int, float)) and isinstance(b[key], (int, float)):
                self.assertAlmostEqual(a[key], b[key], places=places, msg=msg or str(key), delta=delta)
            else:
                self.assertEqual(a[key], b[key], msg or str(key))

    def assertRegexMatch(self, actual_str, regexes, message=None):
        """Asserts that a text matches one of a list of regular expressions somewhere."""
        if isinstance(regexes, (str, bytes)):
            self.fail("regexes is string or bytes; use assertRegex instead.", message)
        if not regexes:
            self.fail("No regexes specified.", message)
        if not any(re.search(regex, actual_str, re.MULTILINE) for regex in regexes):
            self.fail(f'"{actual_str}" does not contain any of the regexes {list(regexes)!r}.', message)

    def assertRaisesWithLiteralMatch(self, expected_exception, expected_exception_message, callable_obj=None, *args,
                                     **kwargs):  # fmt: skip
        """Asserts that the body, or a call, raises an exception with exactly this text."""
        context = self.assertRaisesRegex(expected_exception, f"^{re.escape(expected_exception_message)}$")
        if callable_obj is None:
            return context
        with context:
            callable_obj(*args, **kwargs)
        return None

    def assertTotallyOrdered(self, *groups, **kwargs):
        """Asserts that the elements of each group are equal, and less than those of the groups after it."""
        msg = kwargs.get("msg")
        for i, group in enumerate(groups):
            for one in group:
                for other in group:
                    self.assertFalse(one < other or other < one or one != other, msg or f"{one!r} and {other!r} are not equal")
                for greater in (item for later in groups[i + 1 :] for item in later):
                    self.assertLess(one, greater, msg)
                    self.assertFalse(greater <= one, msg or f"{greater!r} unexpectedly not greater than {one!r}")

    def assertSameStructure(self, a, b, aname="a", bname="b", msg=None):
        """Asserts that two structures of dicts, lists and other values are equal; tells where they differ."""
        problems: list[str] = []
        self._compare(a, b, aname, bname, problems)
        if problems:
            self.fail("; ".join(problems[:30]), msg)

    def _compare(self, a, b, aname: str, bname: str, problems: list[str]) -> None:
        both = (a, b)
        if all(isinstance(value, collections.abc.Mapping) for value in both):
            for key in a:
                if key in b:
                    self._compare(a[key], b[key], f"{aname}[{key!r}]", f"{bname}[{key!r}]", problems)
                else:
                    problems.append(f"{aname} has [{key!r}] with value {a[key]!r} but it's missing in {bname}")
            problems += [f"{aname} lacks [{key!r}] but {bname} has it with value {b[key]!r}" for key in b if key not in a]
        elif all(isinstance(value, (list, tuple)) for value in both):
            for i, (x, y) in enumerate(zip(a, b, strict=False)):
                self._compare(x, y, f"{aname}[{i}]", f"{bname}[{i}]", problems)
            shorter, longer = sorted(((a, aname), (b, bname)), key=lambda pair: len(pair[0]))
            problems += [f"{longer[1]} has [{i}] with value {longer[0][i]!r} but {shorter[1]} does not"
                         for i in range(len(shorter[0]), len(longer[0]))]
        elif a != b:
            problems.append(f"{aname} is {a!r} but {bname} is {b!r}")

    def assertJsonEqual(self, first, second, msg=None):
        """Asserts that two texts are the same JSON."""
        self.assertSameStructure(json.loads(first), json.loads(second), aname="first", bname="second", msg=msg)
