"""Public ops as values: pickled and copied by reference, and with the parts that Python functions have."""

import copy
import inspect
import marshal
import pickle
import types
import typing
import weakref

import pytest

pytestmark = pytest.mark.rule("surface")

NAMES = ["nn.relu", "tanh", "math.sin", "nn.elu", "nn.log_softmax", "reduce_sum", "matmul", "strings.upper", "io.read_file", "one_hot"]


def found(tf, name):
    for part in name.split("."):
        tf = getattr(tf, part)
    return tf


@pytest.mark.parametrize("name", NAMES)
def test_pickled_and_copied_by_reference(tf, name):
    op = found(tf, name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps({"activation": op}, protocol))["activation"] is op
    assert copy.copy(op) is op
    assert copy.deepcopy([op])[0] is op


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_a_function(tf, name):
    op = found(tf, name)
    assert isinstance(op.__code__, types.CodeType)
    assert isinstance(op.__globals__, dict)
    assert isinstance(op.__annotations__, dict)
    assert op.__kwdefaults__ is None
    assert isinstance(typing.get_type_hints(op), dict)
    assert inspect.getfullargspec(op).args[-1] == "name"


def test_parameters_of_the_code(tf):
    code = tf.nn.relu.__code__
    assert code.co_varnames[: code.co_argcount] == ("features", "name")
    assert tf.nn.relu.__defaults__ == (None,)
    assert tf.nn.relu.__closure__ is None


def test_a_function_made_of_the_code(tf):
    code = marshal.loads(marshal.dumps(tf.nn.relu.__code__))
    made = types.FunctionType(code, tf.nn.relu.__globals__, "made", tf.nn.relu.__defaults__)
    assert made(tf.constant([1.0, -1.0])).numpy().tolist() == [1.0, 0.0]


def test_ops_are_functions_that_can_be_referred_to(tf):
    for op in (tf.nn.relu, tf.tanh, tf.add, tf.matmul, tf.reduce_sum):
        assert inspect.isfunction(op) and isinstance(op, types.FunctionType)
        assert weakref.ref(op)() is op and "name" in inspect.signature(op).parameters
