"""Names of classes of type specs: those of extension types with a `__name__`, and those that programs register."""

import pytest
import tracefn as tf
from tracefn._type_spec_registry import get_name, lookup, register


class Named(tf.experimental.ExtensionType):
    __name__ = "tests.Named"
    x: tf.Tensor


class Unnamed(tf.experimental.ExtensionType):
    x: tf.Tensor


class Below(Named):
    y: tf.Tensor


def test_extension_types_with_a_name_are_registered():
    assert get_name(Named.Spec) == "tests.Named.Spec"
    assert lookup("tests.Named.Spec") is Named.Spec
    assert Named.__name__ == "Named"


@pytest.mark.parametrize("kind", [Unnamed, Below])
def test_others_are_not(kind):
    with pytest.raises(ValueError, match=f"TypeSpec .*{kind.__name__}.Spec has not been registered"):
        get_name(kind.Spec)


def test_own_classes():
    assert get_name(tf.TensorSpec) == "tf.TensorSpec"
    assert lookup("tf.RaggedTensorSpec") is tf.RaggedTensorSpec


def test_a_name_is_given_once():
    with pytest.raises(ValueError, match="Name tests.Named.Spec has already been registered for class"):

        class Other(tf.experimental.ExtensionType):
            __name__ = "tests.Named"
            x: tf.Tensor

    with pytest.raises(ValueError, match="has already been registered with name tests.Named.Spec"):
        register("tests.other")(Named.Spec)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: register(5), TypeError, "Expected `name` to be a string; got 5"),
        (lambda: register("a b.c"), ValueError, "Registered name must have the form"),
        (lambda: register("plain"), ValueError, "Registered name must have the form"),
        (lambda: register("tests.int")(int), TypeError, "Expected `cls` to be a TypeSpec; got <class 'int'>"),
        (lambda: get_name(5), TypeError, "Expected `cls` to be a TypeSpec; got 5"),
        (lambda: lookup(5), TypeError, "Expected `name` to be a string. Got 5."),
        (lambda: lookup("tests.none"), ValueError, "No TypeSpec has been registered with name 'tests.none'"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
