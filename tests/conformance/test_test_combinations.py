"""Combinations of arguments of tests, as TensorFlow's own tests and Keras's make them."""

import collections
import importlib
import sys
import unittest

import pytest

pytestmark = pytest.mark.rule("surface")
parameterized = pytest.importorskip("absl.testing.parameterized")


@pytest.fixture(scope="module")
def module(tf):
    """The modules below `tensorflow.python`."""

    def found(path: str):
        if tf.__name__ == "tensorflow":
            return importlib.import_module(f"tensorflow.python.{path}")
        from tracefn.as_tensorflow.internal_modules import module_at

        return module_at(f"python.{path}")

    return found


def results_of(cls) -> dict:
    """What becomes of each test of a class: "ran", the reason of its being skipped, or its error."""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(cls)
    found = {test._testMethodName: "ran" for test in suite}
    result = suite.run(unittest.TestResult())
    for test, text in [*result.skipped, *result.errors, *result.failures]:
        found[test._testMethodName] = text.strip().splitlines()[-1]
    return found


def test_combinations_are_in_order(module):
    lib = module("framework.test_combinations")
    assert lib.combine(b=[1, 2], a="x") == [{"a": "x", "b": 1}, {"a": "x", "b": 2}]
    assert [tuple(one.values()) for one in lib.combine(a=[1, 2], b=[3, 4])] == [(1, 3), (1, 4), (2, 3), (2, 4)]
    assert lib.combine() == [collections.OrderedDict()] and lib.combine(a=(1, 2)) == [{"a": (1, 2)}]
    product = lib.times(lib.combine(b=[1, 2]), lib.combine(a=[3]), lib.combine(c=[4, 5]))
    assert [list(one.items()) for one in product][1] == [("b", 1), ("a", 3), ("c", 5)] and len(product) == 4
    with pytest.raises(ValueError, match="Keys need to not overlap"):
        lib.times(lib.combine(a=[1]), lib.combine(a=[2]))
    named = lib.NamedObject("Name", [1, 2])
    assert repr(named) == "Name" and list(named) == [1, 2] and named.index(2) == 1
    assert lib.OptionalParameter("a") == lib.OptionalParameter("a") != lib.OptionalParameter("b")


def test_modes(tf, module):
    lib = module("framework.combinations")
    seen = []

    class Modes(tf.test.TestCase, parameterized.TestCase):
        @lib.generate(lib.combine(mode=["graph", "eager"], x=[1, None]))
        def test_both(self, x):
            seen.append((tf.executing_eagerly(), x))

        @lib.generate(lib.combine(mode="eager"))
        def test_named(self, mode):
            seen.append(mode)

        @lib.generate(lib.combine(tf_api_version=[1, 2]))
        def test_versions(self):
            pass

        @lib.generate(lib.combine(y=[1]))
        def test_other_names(self, z):
            pass

    results = results_of(Modes)
    assert seen == [(True, 1), (True, None), (False, 1), (False, None), "eager"]
    assert results["test_both_test_mode_eager_x_None"] == results["test_named_test_mode_eager"] == "ran"
    assert results["test_versions_test_tfapiversion_1"] == "- Skipping a TF1.x test when TF2 is enabled."
    assert results["test_versions_test_tfapiversion_2"] == "ran"
    assert "The test requires parameters whose arguments were not passed: {'z'}" in results["test_other_names_test_y_1"]


def test_of_classes(tf, module):
    lib = module("framework.combinations")
    seen = []

    @lib.generate(lib.combine(mode=["graph", "eager"]))
    class All(tf.test.TestCase, parameterized.TestCase):
        def test_first(self):
            seen.append(tf.executing_eagerly())

        def helper(self):
            raise AssertionError

    assert set(results_of(All)) == {"test_first_test_mode_graph", "test_first_test_mode_eager", "test_session"}
    assert sorted(seen) == [False, True]


def test_strategies(tf, module, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tests"])  # TensorFlow asks the flags of the command line
    distribute = tf.__internal__.distribute.combinations
    combine = tf.__internal__.test.combinations.combine
    seen = []

    class Strategies(tf.test.TestCase, parameterized.TestCase):
        @distribute.generate(
            combine(
                distribution=[
                    distribute.default_strategy,
                    distribute.one_device_strategy,
                    distribute.mirrored_strategy_with_one_cpu,
                    distribute.mirrored_strategy_with_two_gpus,
                    distribute.cloud_tpu_strategy,
                ],
                mode=["eager"],
            )
        )
        def test_all(self, distribution):
            seen.append((type(distribution).__name__, distribution.num_replicas_in_sync))

        @distribute.generate(combine(required_gpus=[0, 1]))
        def test_gpus(self):
            seen.append("none")

    results = results_of(Strategies)
    assert results["test_all_test_distribution_Mirrored2GPUs_mode_eager"] == "- Only 0 of 2 required GPUs are available."
    assert "TPU" in results["test_all_test_distribution_CloudTPU_mode_eager"]
    assert results["test_gpus_test_requiredgpus_1"] == "- Only 0 of 1 required GPUs are available."
    assert [name.removesuffix("V1").lstrip("_") for name, count in seen[:3] if count == 1] == [
        "DefaultDistributionStrategy",
        "MirroredStrategy",
        "OneDeviceStrategy",
    ]
    assert seen[3:] == ["none"] and distribute.in_main_process()
    of_strategies = module("distribute.strategy_combinations")
    assert of_strategies.default_strategy in of_strategies.all_strategies
    assert module("distribute.combinations").concat([1], [2, 3]) == [1, 2, 3]
