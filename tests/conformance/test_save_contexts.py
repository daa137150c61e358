"""`save_context`: functions that are traced while a model is saved can ask whether it is, and with which options."""

import threading

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def contexts(internal):
    return internal("saved_model.save_context")


def test_functions_that_are_traced_when_a_model_is_saved(tf, contexts, tmp_path):
    seen = []

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([])])
        def f(self, x):
            seen.append(contexts.in_save_context())
            seen.append(contexts.get_save_options().experimental_debug_stripper)
            return x

    options = tf.saved_model.SaveOptions(experimental_debug_stripper=True)
    tf.saved_model.save(Model(), str(tmp_path), options=options)
    assert seen == [True, True] and not contexts.in_save_context()
    with pytest.raises(ValueError, match="Not in a SaveContext."):
        contexts.get_save_options()


def test_a_failure_ends_it(tf, contexts, tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([])])
        def f(self, x):
            raise KeyError("no")

    with pytest.raises(KeyError):
        tf.saved_model.save(Model(), str(tmp_path))
    assert not contexts.in_save_context()


def test_entering_it(tf, contexts):
    options, elsewhere = tf.saved_model.SaveOptions(), []
    with contexts.save_context(options):
        assert contexts.in_save_context() and contexts.get_save_options() is options
        thread = threading.Thread(target=lambda: elsewhere.append(contexts.in_save_context()))
        thread.start()
        thread.join()
        with pytest.raises(ValueError, match="Already in a SaveContext."), contexts.save_context(options):
            pass
    assert elsewhere == [False] and not contexts.in_save_context()
