"""Parameters with an input_signature, and casting of arguments to types (tracing rules 57-66, 70, 71)."""

from __future__ import annotations

import collections

import numpy as np
import pytest
from trace_type_kinds import Calls, Point, Unhashable, spec_text, tensor
from tracefn.indexed_slices import IndexedSlicesSpec
from tracefn.tensor_spec import TensorSpec

FLOAT = TensorSpec([])
SHOWN = spec_text("()", "float32")
NESTED = "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args "


def function_type(function, signature) -> str:
    return str(Calls(function, signature).function_type)


@pytest.mark.parametrize(("signature", "words"), [
    (3, "input_signature must be either a tuple or a list, got <class 'int'>."),
    ("ab", "input_signature must be either a tuple or a list, got <class 'str'>."),
    ({"a": FLOAT}, "input_signature must be either a tuple or a list, got <class 'dict'>."),
    ([1], f"{NESTED}[1] with types [<class 'int'>]."),
    ([FLOAT, [None, "a"]], f"{NESTED}[None, 'a'] with types [<class 'NoneType'>, <class 'str'>]."),
])
def test_rule_57_kinds(signature, words):
    with pytest.raises(TypeError) as error:
        Calls(lambda x, y=1: x, signature)
    assert str(error.value) == words


@pytest.mark.parametrize(("function", "signature", "words"), [
    (lambda x, y: x, [FLOAT], "input_signature missing type constraint for y"),
    (lambda x: x, [FLOAT] * 2, "input_signature contains 1 extra type constraints."),
    (lambda x: x, [FLOAT] * 3, "input_signature contains 2 extra type constraints."),
    (lambda x, *, k: x, [FLOAT],
     "Since input_signature is defined, keyword-only parameter `k` must have a default value"),
])
def test_rules_58_and_60_arity(function, signature, words):
    with pytest.raises(TypeError) as error:
        Calls(function, signature)
    assert str(error.value) == words


@pytest.mark.parametrize(("function", "signature", "shown"), [
    (lambda x, y=1: x, (FLOAT,), f"(x: {SHOWN}, y: Literal[1] = <captured_default_value>)"),
    (lambda x: x, [{"a": FLOAT}], f"(x: Dict[['a', {SHOWN}]])"),
    (lambda x: x, [[FLOAT, FLOAT]], f"(x: List[{SHOWN}, {SHOWN}])"),
    (lambda x: x, [IndexedSlicesSpec([None])], f"(x: {IndexedSlicesSpec([None])!r})"),
    (lambda x, *, k=3: x, [FLOAT], f"(x: {SHOWN}, *, k: Literal[3] = <captured_default_value>)"),
    (lambda x, *a: x, [FLOAT, FLOAT], f"(x: {SHOWN}, a_0: {SHOWN}, /)"),
    (lambda x, *a: x, [FLOAT], f"(x: {SHOWN}, /)"),
    (lambda x, **k: x, [FLOAT], f"(x: {SHOWN})"),
    (lambda x, y=np.ones(2): x, [FLOAT],  # noqa: B008
     f"(x: {SHOWN}, y: {spec_text('(2,)', 'float64')} = <captured_default_value>)"),
])
def test_rules_8_59_60_function_type(function, signature, shown):
    assert function_type(function, signature) == shown


def cast(spec, value):
    return Calls(lambda x: x, [spec]).tensors(value)


@pytest.mark.parametrize("value", [[1, 2.5], (1, 2.5), np.array([1, 2.5]), np.array([1, 2.5], np.float32), tensor([1.0, 2.5])])
def test_rule_62_values_become_tensors(value):
    (made,) = cast(TensorSpec([None]), value)
    assert made.dtype.name == "float32" and made.numpy().tolist()[0] == 1.0


def test_rule_62_ints_bools_and_empty_lists():
    assert cast(TensorSpec([], "int32"), True)[0].numpy() == 1
    assert cast(FLOAT, 3)[0].numpy() == 3.0
    assert cast(TensorSpec([None]), [])[0].shape.as_list() == [0]
    assert cast(TensorSpec(None), [[1]])[0].shape.as_list() == [1, 1]


def test_structures_are_cast_leaf_by_leaf():
    assert [t.numpy() for t in cast({"b": FLOAT, "a": [FLOAT]}, collections.OrderedDict(a=[1], b=2))] == [1.0, 2.0]
    other = collections.namedtuple("Other", ["u", "w"])
    assert [t.numpy() for t in cast(Point(FLOAT, FLOAT), other(1, 2))] == [1.0, 2.0]


@pytest.mark.parametrize(("spec", "value", "reason"), [
    (TensorSpec([None]), tensor([1]), f"Can not cast {spec_text('(1,)', 'int32')} to {spec_text('(None,)', 'float32')}"),
    (TensorSpec([None]), 1, f"Can not cast {SHOWN} to {spec_text('(None,)', 'float32')}"),
    (TensorSpec([2], name="foo"), tensor([1.0]),
     f"Can not cast {spec_text('(1,)', 'float32', 'foo')} to {spec_text('(2,)', 'float32', 'foo')}"),
    (FLOAT, "a", "Cannot convert 'a' to EagerTensor of dtype float"),
    (FLOAT, np.array("a"), "could not convert string to float: np.str_('a')"),
    (FLOAT, TensorSpec([], "int32"), f"Can not cast {spec_text('()', 'int32')} to {SHOWN}"),
    (FLOAT, TensorSpec([], name="q"), f"Can not cast {spec_text('()', 'float32', 'q')} to {SHOWN}"),
    ([FLOAT], (1,), "Can not cast (1,) to list type."),
    ([FLOAT], [1, 2], "Expected [1, 2] to have length of 1"),
    ((FLOAT,), [1], "Can not cast [1] to tuple type."),
    ({"a": FLOAT}, 3, "Can not cast 3 to a Dict type."),
    ({"a": FLOAT}, {"b": 1}, f"{{'b': 1}} has different keys with the TraceType Dict[['a', {SHOWN}]]."),
    (Point(FLOAT, FLOAT), (1, 2), "Cannot cast (1, 2) to type <class 'trace_type_kinds.Point'>."),
])
def test_rules_63_and_64_what_does_not_cast(spec, value, reason):
    function = Calls(lambda x: x, [spec])
    with pytest.raises(TypeError) as error:
        function.tensors(value)
    assert str(error.value) == (f"Binding inputs to tf.function failed due to `{reason}`. Received args: {(value,)} and "
                                f"kwargs: {{}} for signature: {function.function_type}.")


def test_a_string_error_of_numpy_is_the_cause():
    with pytest.raises(TypeError) as error:
        cast(FLOAT, np.array("a"))
    assert isinstance(error.value.__cause__, ValueError)


def g(x, training=True, l=(1,), n=float("nan"), *, o=len):  # noqa: E741
    return x


@pytest.mark.parametrize(("args", "kwargs", "reason"), [
    ((1, False), {}, "Can not cast False to Literal[True]"), ((1, True, (2,)), {}, "Can not cast 2 to Literal[1]"),
    ((1,), {"l": 3}, "Can not cast 3 to tuple type."), ((1, tensor(True)), {}, "Can not cast <tf.Tensor: shape=(), dtype=bool"),
    ((1,), {"n": 1.0}, "Can not cast 1.0 to Literal[nan]"), ((1,), {"o": 3}, "Can not cast 3 to Weakref[<weakref at"),
    ((), {}, "missing a required argument: 'x'"), ((1,), {"zz": 1}, "got an unexpected keyword argument 'zz'"),
])
def test_rule_59_defaults_are_fixed(args, kwargs, reason):
    with pytest.raises(TypeError) as error:
        Calls(g, [FLOAT]).key(*args, **kwargs)
    assert str(error.value).startswith(f"Binding inputs to tf.function failed due to `{reason}")


def test_rule_59_equal_values_are_accepted():
    spec = Calls(g, [FLOAT])
    expected = spec.key(1)
    assert spec.key(1, 1, (1.0,), float("nan"), o=len) == expected
    assert spec.key(FLOAT) == expected


def test_rule_60_members_are_positional_only():
    spec = Calls(lambda x, *a, **k: x, [FLOAT, FLOAT])
    spec.key(1, 2)
    for args, kwargs, reason in [((1,), {}, "missing a required argument: 'a_0'"), ((1, 2, 3), {}, "too many positional"),
                                 ((1, 2), {"z": 3}, "got an unexpected keyword argument 'z'"), ((), {"x": 1}, "'x'")]:
        with pytest.raises(TypeError, match=reason):
            spec.key(*args, **kwargs)


def test_composites_of_defaults_are_cast():
    def f(x, record=Unhashable(tensor(1), "b")):  # noqa: B008
        return x

    calls = Calls(f, [FLOAT])
    made = calls.tensors(1, Unhashable(5, "b"))
    assert [t.numpy() for t in made] == [1.0, 5]
    with pytest.raises(TypeError, match=r"Can not cast 'c' to Literal\['b'\]"):
        calls.key(1, Unhashable(5, "c"))
    with pytest.raises(TypeError, match="Cannot cast 3 to type <class '.*Unhashable'>."):
        calls.key(1, 3)
