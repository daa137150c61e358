"""tf.config.optimizer: names, wrong types, and what becomes of traces."""

import os
import subprocess
import sys

import pytest
import tracefn as tf

optimizer = tf.config.optimizer
NONE = {"disable_model_pruning": False, "disable_meta_optimizer": False}


@pytest.fixture(autouse=True)
def options():
    """No options set; what the process had comes back afterwards."""
    kept = optimizer.get_experimental_options()
    optimizer.set_experimental_options(dict.fromkeys(kept))
    yield
    optimizer.set_experimental_options(dict.fromkeys([*optimizer.get_experimental_options(), "min_graph_nodes"]))
    optimizer.set_experimental_options(kept)
    optimizer.set_jit(False)


def test_options_are_kept_and_forgotten():
    assert optimizer.get_experimental_options() == NONE
    optimizer.set_experimental_options({"constant_folding": 1, "remapping": [], "layout_optimizer": True})
    expected = {"layout_optimizer": True, "constant_folding": True, "remapping": False, **NONE}
    assert optimizer.get_experimental_options() == expected
    optimizer.set_experimental_options({"constant_folding": None, "layout_optimizer": None, "min_graph_nodes": 5})
    assert optimizer.get_experimental_options() == {"remapping": False, **NONE, "min_graph_nodes": 5}


def test_unknown_names_are_ignored():
    optimizer.set_experimental_options({"no_such_option": True, 3: 4})
    assert optimizer.get_experimental_options() == NONE


@pytest.mark.parametrize("bad", [3, None, {"disable_meta_optimizer": "x"}, {"min_graph_nodes": 1.5}])
def test_wrong_types_change_nothing(bad):
    with pytest.raises(TypeError):
        optimizer.set_experimental_options(bad)
    assert optimizer.get_experimental_options() == NONE


def test_jit():
    for given, kept in [("autoclustering", "autoclustering"), (True, "autoclustering"), (False, ""), ("off", "")]:
        optimizer.set_jit(given)
        assert optimizer.get_jit() == kept


OPTIONS = [
    "constant_folding",
    "shape_optimization",
    "arithmetic_optimization",
    "common_subgraph_elimination",
    "loop_optimization",
    "function_optimization",
    "remapping",
    "machine_code",
]


@pytest.mark.parametrize(
    "given",
    [
        *({name: False} for name in OPTIONS),
        {"disable_model_pruning": True},
        {"disable_meta_optimizer": True},
        {"min_graph_nodes": 10**6},
    ],
    ids=str,
)
def test_results_do_not_depend_on_options(given):
    @tf.function
    def inner(x, scale):
        return tf.exp(x * scale) + 0.0

    def outer(x):
        for _ in tf.range(3):
            x = inner(x, tf.constant(0.5) * 2.0) - tf.reduce_mean(x, axis=-1, keepdims=True)
        return tf.transpose(tf.transpose(x)) * 1.0, tf.reshape(x, tf.shape(x))

    x = tf.random.stateless_normal([4, 64], [1, 2]) / 8
    expected = tf.function(outer)(x)
    optimizer.set_experimental_options(given)
    results = tf.function(outer)(x)
    for result, wanted in zip(results, expected, strict=True):
        assert result.numpy().tobytes() == wanted.numpy().tobytes()


def test_the_environment_switches_all_passes_off():
    code = "import tracefn as tf; print(tf.config.optimizer.get_experimental_options()['disable_meta_optimizer'])"
    for value, off in [("off", "True"), ("", "False"), ("verify", "False")]:
        environment = {**os.environ, "TRACEFN_PASSES": value}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == off
