"""`tf.test.TestCase` beside the cases of absl, where that is installed."""

import unittest

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def test_dicts_where_absl_has_the_case_too(tf):
    parameterized = pytest.importorskip("absl.testing.parameterized")

    class Case(tf.test.TestCase, parameterized.TestCase):
        def runTest(self):
            pass

    case = Case()
    case.assertDictEqual({"a": [1, 2], "b": {"c": 3}}, {"b": {"c": 3}, "a": [1, 2]})
    case.assertEqual({"a": 1}, {"a": 1})
    for left, right in (({"a": 1}, {"a": 2}), ({"a": 1}, {"b": 1}), ({}, {"a": 1})):
        for assertion in (case.assertEqual, case.assertDictEqual):
            with pytest.raises(AssertionError, match="."):
                assertion(left, right)


def test_classes_that_name_the_case_of_absl_first(tf):
    absltest = pytest.importorskip("absl.testing.absltest")
    parameterized = pytest.importorskip("absl.testing.parameterized")
    assert issubclass(tf.test.TestCase, absltest.TestCase)

    class Case(parameterized.TestCase, tf.test.TestCase):
        def runTest(self):
            pass

    case = Case()
    case.assertDictEqual({"a": np.array([0, 2])}, {"a": [0, 2]})
    case.assertEqual({"a": tf.constant([1.0, 2.0])}, {"a": [1.0, 2.0 + 1e-7]})
    with pytest.raises(AssertionError):
        case.assertEqual({"a": np.array([0, 2])}, {"a": [0, 3]})
    with case.assertRaisesWithPredicateMatch(ValueError, "too (small|large)"):
        raise ValueError("this is too small")
    with case.assertRaisesWithPredicateMatch(ValueError, lambda error: "small" in str(error)):
        raise ValueError("this is too small")
    with pytest.raises(AssertionError), case.assertRaisesWithPredicateMatch(ValueError, "nothing"):
        raise ValueError("this is too small")

    class Seeded(parameterized.TestCase, tf.test.TestCase):
        values = []

        @parameterized.named_parameters(("one", 1), ("two", 2))
        def test_random(self, size):
            self.assertLen(range(size), size)
            self.values.append((float(tf.random.uniform([])), np.random.random(), self.get_temp_dir() != ""))

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Seeded).run(result)
    assert result.wasSuccessful() and Seeded.values[0] == Seeded.values[1] and len(Seeded.values) == 2
