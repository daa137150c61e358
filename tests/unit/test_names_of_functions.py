"""Public functions are found by the names that they say they have; messages can be explained."""

import pickle
import pydoc
import types

import pytest
import tracefn as tf

NAMESPACES = "debugging linalg math nn data.experimental feature_column config quantization graph_util image io strings sparse".split()


@pytest.mark.parametrize("path", ["", *NAMESPACES])
def test_functions_are_pickled_by_their_names(path):
    namespace = tf
    for part in path.split(".") if path else ():
        namespace = getattr(namespace, part)
    public = [getattr(namespace, name) for name in dir(namespace) if not name.startswith("_")]
    functions = [value for value in public if type(value) is types.FunctionType]
    assert functions
    for function in functions:
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("what", [tf.train.Example, tf.train.Features, tf.train, tf.map_fn, tf.gather, tf.data, tf.Variable])
def test_help(what):
    assert pydoc.render_doc(what, renderer=pydoc.plaintext)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "silu", "relu", "gelu"])
def test_activations_have_the_names_by_which_keras_loads_them(name):
    assert getattr(tf.nn, name).__name__ == name
