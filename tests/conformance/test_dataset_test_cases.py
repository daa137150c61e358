"""The base classes of TensorFlow's own tests of datasets."""

import io
import unittest

import pytest

pytestmark = [pytest.mark.rule("surface"), pytest.mark.filterwarnings("ignore:To make it possible to preserve tf.data options")]


def outcomes(case) -> dict:
    """The problems of a class's tests by their names: the last line of each, "" for none."""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    tests = [test for test in suite if "test_session" not in test.id()]
    found = {test.id().rpartition(".")[2]: "" for test in tests}
    result = unittest.TextTestRunner(io.StringIO()).run(unittest.TestSuite(tests))
    for test, text in result.failures + result.errors:
        found[test.id().rpartition(".")[2]] = text.splitlines()[-1]
    return found


@pytest.fixture
def generate(internal):
    return internal("framework.combinations").generate


def test_elements(tf, internal, generate):
    base = internal("data.kernel_tests.test_base")
    dataset = tf.data.Dataset

    parameterized = pytest.importorskip("absl.testing.parameterized")

    class Case(base.DatasetTestBase, parameterized.TestCase):
        @generate(base.default_test_combinations())
        def test_values(self):
            self.assertDatasetProduces(dataset.range(3).map(lambda x: {"a": x}), [{"a": 0}, {"a": 1}, {"a": 2}])

        @generate(base.v2_only_combinations())
        def test_sparse(self):
            value = tf.compat.v1.SparseTensorValue([[0]], [7], [2])
            self.assertDatasetProduces(dataset.from_tensors(value), [value])

        @generate(base.v2_only_combinations())
        def test_any_order(self):
            self.assertDatasetProduces(dataset.range(3), [2, 0, 1], assert_items_equal=True)

        @generate(base.v2_only_combinations())
        def test_errors(self):
            failing = dataset.range(3).map(lambda x: tf.debugging.check_numerics(tf.math.log(tf.cast(x, tf.float32)), "low"))
            self.assertDatasetProduces(failing, expected_error=(tf.errors.InvalidArgumentError, "low"))

        @generate(base.v2_only_combinations())
        def test_equal(self):
            self.assertDatasetsEqual(dataset.range(3), dataset.from_tensor_slices(tf.range(3, dtype=tf.int64)))

        @generate(base.v2_eager_only_combinations())
        def test_positions(self):
            self.verifyRandomAccess(dataset.range(4), [0, 1, 2, 3])

        @generate(base.v2_only_combinations())
        def test_tables(self):
            for source in ("textfile", "keyvaluetensor", "dataset"):
                table = tf.lookup.StaticHashTable(self.lookupTableInitializer(source, [10, 11]), -1)
                if not tf.executing_eagerly():
                    self.evaluate(tf.compat.v1.tables_initializer())
                self.assertAllEqual([11, -1], self.evaluate(table.lookup(tf.constant([1, 5], tf.int64))))

        @generate(base.v2_only_combinations())
        def test_too_few(self):
            self.assertDatasetProduces(dataset.range(1), [0, 1])

        @generate(base.v2_only_combinations())
        def test_others(self):
            self.assertDatasetProduces(dataset.range(2), [0, 5])

    found = outcomes(Case)
    wrong = {name: text for name, text in found.items() if text}
    assert len(found) == 19
    assert {name.split("_test_mode")[0] for name in wrong} == {"test_too_few", "test_others"}
    assert all("Dataset ended early" in text for name, text in wrong.items() if "few" in name)


def test_positions_of_iterators(tf, internal, generate):
    parameterized = pytest.importorskip("absl.testing.parameterized")
    base, combinations = internal("data.kernel_tests.checkpoint_test_base"), internal("framework.combinations")
    modes = combinations.combine(tf_api_version=2, mode=["eager", "graph"])
    dataset = tf.data.Dataset

    class Case(base.CheckpointTestBase, parameterized.TestCase):
        @generate(combinations.times(modes, base.default_test_combinations()))
        def test_tuples(self, verify_fn):
            verify_fn(self, lambda: dataset.range(7).map(lambda x: (x, x * x)).batch(2), 4)

        @generate(combinations.times(modes, base.default_test_combinations()))
        def test_sparse(self, verify_fn):
            verify_fn(self, lambda: dataset.range(4).map(lambda x: tf.sparse.from_dense([x, 0])), 4)

        @generate(modes)
        def test_refused(self):
            def stateful():
                return dataset.range(4).map(lambda x: tf.py_function(lambda y: y, [x], tf.int64))

            self.verify_error_on_save(stateful, 4, tf.errors.FailedPreconditionError)

        @generate(modes)
        def test_values_that_differ(self):
            self.match({"a": [1, (2, 3)]}, {"a": [1, (2, 3)]})
            self.match([3, 1], [1, 3], assert_items_equal=True)
            self.does_not_match({"a": 1}, {"a": 2})

    found = outcomes(Case)
    assert {name: text for name, text in found.items() if text} == {}
    assert len(found) == 24
