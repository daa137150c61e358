"""`tensorflow.python.data.kernel_tests.test_base`: the base class of tests of datasets, and the modes in which they run."""

from __future__ import annotations

import os
import random
import re

import tracefn.compat.v1 as v1
from tracefn import errors
from tracefn.config import list_physical_devices, set_logical_device_configuration
from tracefn.data import Dataset
from tracefn.data import _nest as nest
from tracefn.data._structure import are_compatible
from tracefn.data._tables import DatasetInitializer
from tracefn.data.experimental import at
from tracefn.framework import executing_eagerly, inside_function
from tracefn.lookup import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer
from tracefn.ops.array_creation import zeros
from tracefn.ops.constant import constant
from tracefn.ops.ragged.tensor import is_ragged
from tracefn.python.data.ops import test_mode
from tracefn.python.eager import context
from tracefn.python.framework.combinations import combine
from tracefn.python.framework.sparse_tensor import is_sparse
from tracefn.tensor_array import TensorArray
from tracefn.test import TestCase

__all__ = [
    "DatasetTestBase",
    "default_test_combinations",
    "eager_only_combinations",
    "graph_only_combinations",
    "v1_only_combinations",
    "v2_eager_only_combinations",
    "v2_only_combinations",
]


def _modes(versions, modes) -> list:
    return combine(tf_api_version=versions, mode=modes)


def default_test_combinations() -> list:
    """The arguments of a test for both versions, eagerly and in a graph."""
    return _modes([1, 2], ["eager", "graph"])


def eager_only_combinations() -> list:
    """The arguments of a test for both versions, eagerly."""
    return _modes([1, 2], "eager")


def graph_only_combinations() -> list:
    """The arguments of a test for both versions, in a graph."""
    return _modes([1, 2], "graph")


def v1_only_combinations() -> list:
    """The arguments of a test for version 1, eagerly and in a graph."""
    return _modes(1, ["eager", "graph"])


def v2_only_combinations() -> list:
    """The arguments of a test for version 2, eagerly and in a graph."""
    return _modes(2, ["eager", "graph"])


def v2_eager_only_combinations() -> list:
    """The arguments of a test for version 2, eagerly."""
    return _modes(2, "eager")


class DatasetTestBase(TestCase):
    """A test case with assertions about the elements of datasets, which hold eagerly and in graphs."""

    def setUp(self):
        """Lets datasets know that they are tested."""
        super().setUp()
        test_mode.toggle_test_mode(True)

    def assert_op_cancelled(self, op):
        """Checks that the evaluation of an op is cancelled."""
        with self.assertRaises(errors.CancelledError):
            self.evaluate(op)

    def assertValuesEqual(self, expected, actual):
        """Checks that two values are equal: tensors, dicts of them, or sparse ones."""
        if isinstance(expected, dict):
            self.assertItemsEqual(list(expected), list(actual))
            for key, value in expected.items():
                self.assertValuesEqual(value, actual[key])
        elif is_sparse(expected):
            for part in ("indices", "values", "dense_shape"):
                self.assertAllEqual(getattr(expected, part), getattr(actual, part))
        else:
            self.assertAllEqual(expected, actual)

    def getNext(self, dataset, requires_initialization=False, shared_name=None):
        """A callable that returns the next element of a dataset; in a graph, always the tensors whose runs give them.

        Args:
          dataset: `tf.data.Dataset`.
          requires_initialization: whether an iterator of a graph is one that is initialized, for datasets with state.
          shared_name: the name under which it is shared then.
        """
        if executing_eagerly() or inside_function():
            step = iter(dataset).get_next
        else:
            if requires_initialization:
                iterator = v1.data.make_initializable_iterator(dataset, shared_name)
                self.evaluate(iterator.initializer)
            else:
                iterator = v1.data.make_one_shot_iterator(dataset)
            tensors = iterator.get_next()
            step = lambda: tensors  # noqa: E731

        def get_next():
            element = step()
            return element.stack() if isinstance(element, TensorArray) else element

        return get_next

    def getIteratorOutput(self, get_next) -> list:
        """All values that `get_next` has still to give."""
        values = []
        while True:
            try:
                values.append(self.evaluate(get_next()))
            except errors.OutOfRangeError:
                return values

    def getDatasetOutput(self, dataset, requires_initialization=False) -> list:
        """The values of all elements of a dataset."""
        return self.getIteratorOutput(self.getNext(dataset, requires_initialization))

    def assertDatasetProduces(self, dataset, expected_output=None, expected_shapes=None, expected_error=None,
                              requires_initialization=False, num_test_iterations=1, assert_items_equal=False,
                              expected_error_iter=1):  # fmt: skip
        """Checks the elements of a dataset, or the error that it raises.

        Args:
          dataset: `tf.data.Dataset`.
          expected_output: list of the elements.
          expected_shapes: nest of TensorShapes, those of an element; None for any.
          expected_error: (class, predicate or regular expression) of the error, instead of `expected_output`.
          requires_initialization: as in `getNext`.
          num_test_iterations: how often the elements are read.
          assert_items_equal: whether they may come in another order.
          expected_error_iter: how many steps are tried until the error.
        """
        has_error = expected_error is not None
        self.assertTrue(
            has_error != (expected_output is not None),
            "Exactly one of expected_output or expected error should be provided.",
        )
        if has_error:
            with self.assertRaisesWithPredicateMatch(*expected_error):
                get_next = self.getNext(dataset, requires_initialization)
                for _ in range(expected_error_iter):
                    self.evaluate(get_next())
            return
        if expected_shapes:
            self.assertEqual(expected_shapes, v1.data.get_output_shapes(dataset))
        self.assertGreater(num_test_iterations, 0)
        for _ in range(num_test_iterations):
            get_next = self.getNext(dataset, requires_initialization)
            self._check_elements(self._elements(get_next, len(expected_output)), expected_output, assert_items_equal)
            for _ in range(2):
                with self.assertRaises(errors.OutOfRangeError):
                    self.evaluate(get_next())

    def _elements(self, get_next, count: int) -> list:
        found: list = []
        for _ in range(count):
            try:
                found.append(self.evaluate(get_next()))
            except errors.OutOfRangeError:
                raise AssertionError(
                    f"Dataset ended early, producing {len(found)} elements out of {count}. Dataset output: {found}"
                ) from None
        return found

    def _check_elements(self, found, expected, in_any_order: bool) -> None:
        if in_any_order:
            self.assertItemsEqual(found, expected)
            return
        for one, other in zip(found, expected, strict=True):
            nest.assert_same_structure(one, other)
            for value, wanted in zip(nest.flatten(one), nest.flatten(other), strict=True):
                self.assertValuesEqual(wanted, value)

    def assertDatasetsEqual(self, dataset1, dataset2):
        """Checks that two datasets have compatible specs and equal elements."""
        self.assertTrue(are_compatible(dataset1.element_spec, dataset2.element_spec))
        elements, others = self.getDatasetOutput(dataset1), self.getDatasetOutput(dataset2)
        self.assertLen(elements, len(others))
        for one, other in zip(elements, others, strict=True):
            for a, b in zip(nest.flatten(one), nest.flatten(other), strict=True):
                if is_sparse(a) or is_ragged(a):
                    self.assertValuesEqual(a, b)
                elif getattr(a, "dtype", None) in ("float16", "float32", "float64"):
                    self.assertAllClose(a, b)
                else:
                    self.assertAllEqual(a, b)

    def assertDatasetsRaiseSameError(self, dataset1, dataset2, exception_class, replacements=None):
        """Checks that the first elements of two datasets fail in one way.

        Args:
          dataset1, dataset2: `tf.data.Dataset`.
          exception_class: class of the error.
          replacements: list of (text, other text, count): changes of the first message, with which the second begins.
        """
        first, second = self.getNext(dataset1), self.getNext(dataset2)
        with self.assertRaises(exception_class) as raised:
            self.evaluate(first())
        message = raised.exception.message
        for old, new, count in replacements or []:
            message = message.replace(old, new, count)
        with self.assertRaisesRegex(exception_class, re.escape(message)):
            self.evaluate(second())

    def structuredElement(self, element_structure, shape=None, dtype="int64"):
        """Zeros in place of each None of a nested tuple."""
        if element_structure is None:
            return zeros([] if shape is None else shape, dtype=dtype)
        return tuple([self.structuredElement(part, shape, dtype) for part in element_structure])

    def structuredDataset(self, dataset_structure, shape=None, dtype="int64"):
        """A dataset with one element, `structuredElement(dataset_structure, ...)`."""
        if dataset_structure is None:
            return Dataset.from_tensors(self.structuredElement(None, shape, dtype))
        return Dataset.zip(tuple([self.structuredDataset(part, shape, dtype) for part in dataset_structure]))

    def verifyRandomAccess(self, dataset, expected):
        """Checks the elements by their positions, and that there are no more."""
        self.verifyRandomAccessInfiniteCardinality(dataset, expected)
        with self.assertRaises(errors.OutOfRangeError):
            self.evaluate(at(dataset, index=len(expected)))

    def verifyRandomAccessInfiniteCardinality(self, dataset, expected):
        """Checks the elements by their positions, several times and in several orders."""
        positions = list(range(len(expected)))
        shuffled = positions * 2
        random.shuffle(shuffled)
        for i in [*shuffled, *positions]:
            self.assertAllEqual(expected[i], self.evaluate(at(dataset, i)))

    def textFileInitializer(self, vals):
        """The initializer of a table from the numbers of the lines of a file to the lines."""
        path = os.path.join(self.get_temp_dir(), "text_file_initializer")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{value}\n" for value in vals)
        return TextFileInitializer(path, "int64", TextFileIndex.LINE_NUMBER, "int64", TextFileIndex.WHOLE_LINE)

    def keyValueTensorInitializer(self, vals):
        """The initializer of a table from positions to the elements of a list."""
        return KeyValueTensorInitializer(constant(list(range(len(vals))), dtype="int64"), constant(vals))

    def datasetInitializer(self, vals):
        """The same, from a dataset."""
        return DatasetInitializer(Dataset.zip((Dataset.range(len(vals)), Dataset.from_tensor_slices(vals))))

    def lookupTableInitializer(self, init_source, vals):
        """The initializer of a table from positions to the elements of a list.

        Args:
          init_source: "textfile", "keyvaluetensor" or "dataset".
          vals: list.

        Raises:
          ValueError: there is no such source.
        """
        if init_source == "textfile":
            return self.textFileInitializer(vals)
        if init_source == "keyvaluetensor":
            return self.keyValueTensorInitializer(vals)
        if init_source == "dataset":
            return self.datasetInitializer(vals)
        raise ValueError("Unrecognized init_source: " + init_source)

    def checkDeterminism(self, dataset_fn, expect_determinism, expected_elements):
        """Checks whether the order of elements depends on how long each takes.

        Args:
          dataset_fn: function from the milliseconds that the first element takes to a dataset.
          expect_determinism: whether the order must stay, or must change for some delay.
          expected_elements: list of the elements in their order.
        """
        if expect_determinism:
            self.assertAllEqual(expected_elements, self.getDatasetOutput(dataset_fn(100)))
            return
        for delay in (10, 100, 1000, 20000, 100000):
            found = self.getDatasetOutput(dataset_fn(delay))
            self.assertCountEqual(expected_elements, found)
            if any(one != other for one, other in zip(found, expected_elements, strict=True)):
                return
        self.fail("Failed to observe nondeterministic ordering")

    def configureDevicesForMultiDeviceTest(self, num_devices) -> list:
        """The names of devices into which the processor is divided; the last is a GPU if there is one."""
        set_logical_device_configuration(
            list_physical_devices("CPU")[0], [context.LogicalDeviceConfiguration() for _ in range(num_devices)]
        )
        devices = [f"/device:CPU:{i}" for i in range(num_devices)]
        if list_physical_devices("GPU"):
            devices[-1] = "/device:GPU:0"
        return devices
