"""Binding of calls, keys, and what the Python function is called with (tracing rules 8, 16, 28, 43, 77, 83, 98, 194)."""

from __future__ import annotations

import collections
import functools
import inspect

import pytest
import tracefn as tf
from trace_type_kinds import Calls, Nest, Point, Thing, Unhashable, spec_text, tensor
from tracefn import _core
from tracefn.tensor_spec import TensorSpec

SCALAR = spec_text("()", "int32")


def call(function, *args, **kwargs) -> str:
    return str(Calls(function).key(*args, **kwargs))


def f(x, y=2):
    return x


def g(a, /, b, *, c):
    return a


def h(x, *args, k=3, **kwargs):
    return x


@pytest.mark.parametrize(("function", "shown"), [
    (f, "(x, y=<captured_default_value>)"), (g, "(a, /, b, *, c)"),
    (h, "(x, *args, k=<captured_default_value>, **kwargs)"),
    (functools.partial(h, 1, k=2), "(*args, k=<captured_default_value>, **kwargs)"),
    (functools.partial(f, y=7), "(x, *, y=<captured_default_value>)"), (Thing().__init__, "(*args, **kwargs)"),
])
def test_rule_8_function_type(function, shown):
    assert str(Calls(function).function_type) == shown


def test_function_type_attributes():
    made = Calls(h).function_type
    assert list(made.parameters) == ["x", "args", "k", "kwargs"] and made.captures == {} and made.output is None
    parameter = made.parameters["k"]
    assert (parameter.name, parameter.kind, parameter.optional, parameter.type_constraint) == (
        "k", inspect.Parameter.KEYWORD_ONLY, True, None)
    assert repr(parameter) == "Parameter(name=k, kind=KEYWORD_ONLY, optional=True, type_constraint=None)"
    assert str(parameter) == "k=<captured_default_value>"
    assert repr(made).startswith("Input Parameters:\n  x (POSITIONAL_OR_KEYWORD): None\n  args (VAR_POSITIONAL): None\n")
    traced = tf.function(f)
    made = traced.get_concrete_function(tensor(1)).function_type
    assert made.flat_inputs == [TensorSpec([], "int32")]
    assert made == traced.get_concrete_function(tensor(3), 2).function_type


def test_methods():
    class Model:
        def method(self, x, y=1):
            return x

    assert str(Calls(Model().method).function_type) == "(x, y=<captured_default_value>)"
    assert str(Calls(Model.method, is_method=True).function_type) == "(x, y=<captured_default_value>)"


def test_rule_28_one_key_however_given():
    assert call(f, 1) == call(f, 1, 2) == call(f, x=1) == call(f, y=2, x=1) == "(x: Literal[1], y: Literal[2])"


def test_rules_43_and_83_members():
    assert call(h, 1, tensor(1), 5, z=1, b=tensor(2)) == (
        f"(x: Literal[1], args_0: {SCALAR}, args_1: Literal[5], /, *, k: Literal[3], b: {SCALAR}, z: Literal[1])")
    assert call(h, 1, b=1, a=2) == call(h, 1, a=2, b=1) == (
        "(x: Literal[1], /, *, k: Literal[3], a: Literal[2], b: Literal[1])")
    assert call(lambda *xs: 0, 1) == "(xs_0: Literal[1], /)" and call(lambda **ks: 0) == "()"


@pytest.mark.parametrize(("function", "args", "kwargs"), [
    (f, (), {}), (f, (1, 2, 3), {}), (f, (1,), {"z": 1}), (f, (1,), {"x": 2}), (g, (), {}), (g, (1, 2), {}),
    (g, (), {"a": 1, "b": 2, "c": 3}), (g, (1, 2, 3), {"c": 1}), (h, (), {"q": 1}), (h, (1,), {"x": 3}),
])
def test_rule_194_binding_errors(function, args, kwargs):
    with pytest.raises(TypeError) as reason:
        inspect.signature(function).bind(*args, **kwargs)
    spec = Calls(function)
    with pytest.raises(TypeError) as error:
        spec.key(*args, **kwargs)
    assert str(error.value) == (
        f"Binding inputs to tf.function failed due to `{reason.value}`. Received args: {args} and kwargs: {kwargs} "
        f"for signature: {spec.function_type}.")


def placeholders(value):
    calls = Calls(lambda x: x)
    key = calls.key(value)
    return calls.with_placeholders(key, [f"t{i}" for i in range(len(key.describe_leaves()))])[0][0]


def test_placeholders_keep_classes():
    t = tensor(1)
    assert placeholders([t, (t, 1), Point(t, "s")]) == ["t0", ("t1", 1), Point("t2", "s")]
    assert placeholders(range(3)) == [0, 1, 2]
    made = placeholders({"z": t, "a": [t, t]})
    assert made == {"z": "t2", "a": ["t0", "t1"]} and list(made) == ["z", "a"]
    ordered = placeholders(collections.OrderedDict(b=1, a=t))
    assert type(ordered) is collections.OrderedDict and list(ordered) == ["b", "a"]
    assert type(placeholders(collections.defaultdict(list, a=t))) is dict
    assert placeholders(collections.Counter("aab")) == collections.Counter("aab")
    assert placeholders(Nest(t, "m")).part == "t0"
    thing = Thing()
    assert placeholders(thing) is thing


def test_rule_y5_dataclasses_are_rebuilt_without_init():
    value = Unhashable(tensor(1), 5)
    made = placeholders(value)
    assert type(made) is Unhashable and (made.a, made.b) == ("t0", 5)
    assert value.checked and not hasattr(made, "checked")


def test_attrs_classes_are_rebuilt():
    attr = pytest.importorskip("attr")

    @attr.s(frozen=True)
    class Record:
        p = attr.ib()
        _q = attr.ib(kw_only=True, default=3)
        r = attr.ib(init=False, default=5)

    made = placeholders(Record(tensor(1), q=tensor(2)))
    assert (made.p, made._q, made.r) == ("t0", "t1", 5)


def test_a_dead_object_has_no_placeholder():
    calls = Calls(lambda x: x)
    key = calls.key(Thing())
    with pytest.raises(ReferenceError, match="has been deleted"):
        calls.with_placeholders(key, [])


def test_rule_16_order_of_placeholders():
    t = tensor(1)
    assert Calls(lambda x, y: x).key([t, {"z": t, "a": (t, t)}], t).placeholder_order == [0, 3, 1, 2, 4]


def test_rule_77_structured_input_signature():
    t = tensor(1)
    made = tf.function(h).get_concrete_function([1, t], t, k=Point(t, 2), z={"b": t, "a": (range(2),)}, o=Thing())
    (args, kwargs) = made.structured_input_signature
    named = functools.partial(TensorSpec, [], "int32")
    assert args == ([1, named("x_1")], named("args_0"))
    assert kwargs.pop("o").__class__.__name__ == "UnknownArgument"
    assert kwargs == {"k": Point(named("k_u"), 2), "z": {"b": named("z_b"), "a": ([0, 1],)}}
    made = tf.function(f).get_concrete_function(TensorSpec([None], name="foo"))
    assert made.structured_input_signature == ((TensorSpec([None], name="foo"), 2), {})


def appends(d, e=None, *args, **kwargs):
    for value in (d, e, *args, *kwargs.values()):
        if isinstance(value, list):
            value.append(1)


def check_unmodified(function, *args, **kwargs):
    key = Calls(function).key(*args, **kwargs)
    _core.call_with_placeholders(function, function, key, [tensor(0)] * len(key.describe_leaves()))


@pytest.mark.parametrize(("args", "kwargs", "names"), [
    (([1],), {}, "d"), (((1,), [tensor(1)]), {}, "e"), ((1, 2, [1], [2]), {}, "args"), ((1,), {"z": [], "b": []}, "kwargs"),
    (([],), {"e": [], "q": []}, "d, e, kwargs"),
])
def test_rule_98_modified_arguments(args, kwargs, names):
    with pytest.raises(ValueError) as error:
        check_unmodified(appends, *args, **kwargs)
    assert str(error.value) == (
        "appends(d, e=None, *args, **kwargs) should not modify its Python input arguments. Modifying a copy is allowed. "
        f"The following parameter(s) were modified: {names}")


def test_rule_98_deep_changes_and_none():
    def sets(value):
        value["k"][0]["x"] = tensor(1)

    with pytest.raises(ValueError, match="were modified: value$"):
        check_unmodified(sets, {"k": [{"x": 1}]})

    def changes_dataclass(value):
        value.a = 5

    with pytest.raises(ValueError, match="were modified: value$"):
        check_unmodified(changes_dataclass, Unhashable(1))
    check_unmodified(lambda *args, **kwargs: args[0][0], [tensor(1)], q={"a": [tensor(1), Unhashable([1])]}, o=Thing())
