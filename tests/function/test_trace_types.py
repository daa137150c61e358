"""The trace type of every kind of Python argument (tracing rules 29-42, 84-87, Y5)."""

from __future__ import annotations

import collections
import enum
import functools
import gc
import re
import types
import weakref

import numpy as np
import pytest
from trace_type_kinds import ByIdentity, Frozen, Nest, Point, Thing, Unhashable, spec_text, tensor, text, trace_type_of
from tracefn.tensor_spec import TensorSpec, VariableSpec
from tracefn.variable import Variable

SCALAR = spec_text("()", "int32")


class Mode(enum.Enum):
    ON = 1


class Level(enum.IntEnum):
    HIGH = 1


class Words(str):
    pass


@pytest.mark.parametrize(("value", "shown"), [
    (1, "Literal[1]"), (2.5, "Literal[2.5]"), (1 + 2j, "Literal[(1+2j)]"), (True, "Literal[True]"),
    (None, "Literal[None]"), ('s"', "Literal['s\"']"), (b"x", "Literal[b'x']"), (range(3), "Literal[range(0, 3)]"),
    (..., "Literal[Ellipsis]"), (Level.HIGH, "Literal[<Level.HIGH: 1>]"), (np.str_("abc"), "Literal[np.str_('abc')]"),
    (float("nan"), "Literal[nan]"),
    (np.zeros([2, 3]), spec_text("(2, 3)", "float64")), (np.float32(1), spec_text("()", "float32")),
    (np.bool_(True), spec_text("()", "bool")), (np.array(["a", "bb"]), spec_text("(2,)", "string")),
    (np.array([b"a", None], dtype=object), spec_text("(2,)", "string")),
    (TensorSpec([None], "int32", name="foo"), spec_text("(None,)", "int32", "foo")),
    (TensorSpec(None), spec_text("<unknown>", "float32")),
    ([], "List[]"), ((), "Tuple[]"), ({}, "Dict[]"), ([1, (2,)], "List[Literal[1], Tuple[Literal[2]]]"),
    (Point(1, (2,)), "Point[['u', Literal[1]], ['w', Tuple[Literal[2]]]]"),
    ({"b": 1, "a": [2]}, "Dict[['b', Literal[1]], ['a', List[Literal[2]]]]"),
    ({3: 1, 2: 2}, "Dict[[3, Literal[1]], [2, Literal[2]]]"), ({(1, 2): 3}, "Dict[[(1, 2), Literal[3]]]"),
    (collections.OrderedDict(b=1), "Dict[['b', Literal[1]]]"), (collections.Counter("aa"), "Dict[['a', Literal[2]]]"),
    (types.MappingProxyType({"z": 1}), "Dict[['z', Literal[1]]]"), (collections.UserDict(q=1), "Dict[['q', Literal[1]]]"),
    (Unhashable(1), "Unhashable[['a', Literal[1]], ['b', Literal[2]]]"),
])
def test_text_of_each_kind(value, shown):
    assert text(value) == shown


@pytest.mark.parametrize(("value", "name"), [
    (frozenset([1]), "frozenset"), (Thing(), "Thing"), (Mode.ON, "Mode"), (Words("q"), "Words"), (len, "builtin_function"),
    (Thing, "type"), (functools.partial(len), "functools.partial"), (Frozen(1), "Frozen"), (ByIdentity(1), "ByIdentity"),
])
def test_objects_are_held_weakly(value, name):
    assert re.fullmatch(rf"Weakref\[<weakref at 0x[0-9a-f]+; to '.*{name}.*' at 0x[0-9a-f]+.*>\]\)", text(value))


def test_tensors_in_structures():
    assert text(tensor([[1.0]])) == spec_text("(1, 1)", "float32")
    assert text(Nest(tensor(1), "m")) == f"CustomNestTraceType [metadata=('m',), components=({SCALAR},)]"
    assert text([tensor(1), {"k": tensor(2)}]) == f"List[{SCALAR}, Dict[['k', {SCALAR}]]]"


def test_rule_36_attrs():
    attr = pytest.importorskip("attr")
    record = attr.make_class("Record", ["p", "q"])
    assert text(record(tensor(1), 2)) == f"Record[['p', {SCALAR}], ['q', Literal[2]]]"
    assert trace_type_of(record(1, 2)) == trace_type_of(attr.make_class("Record", ["p", "q"])(1, 2))
    assert trace_type_of(record(1, 2)) != trace_type_of(attr.make_class("Other", ["p", "q"])(1, 2))


def test_rules_31_to_33_literals():
    assert trace_type_of(1) == trace_type_of(1.0) == trace_type_of(True) and hash(trace_type_of(1)) == hash(trace_type_of(True))
    assert trace_type_of(0) == trace_type_of(False) and trace_type_of(1) != trace_type_of(2) and trace_type_of(1) != trace_type_of("1")
    assert trace_type_of(float("nan")) == trace_type_of(np.nan) and trace_type_of(complex("nan")) == trace_type_of(float("nan"))
    assert repr(trace_type_of(1)) == "Literal[1]" and repr(trace_type_of(True)) == "Literal[True]"


def test_rules_34_and_35_structures():
    assert trace_type_of([1]) == trace_type_of([1]) != trace_type_of((1,))
    assert trace_type_of([1]) != trace_type_of([1, 1]) and trace_type_of([[1]]) != trace_type_of([1])
    assert trace_type_of({"a": 1, "b": 2}) == trace_type_of({"b": 2, "a": 1}) == trace_type_of(collections.OrderedDict(b=2, a=1))
    assert trace_type_of(collections.defaultdict(list, a=1)) == trace_type_of({"a": 1}) != trace_type_of({"c": 1})
    assert trace_type_of(Point(1, 2)) == trace_type_of(collections.namedtuple("Point", ["u", "w"])(1, 2))
    assert trace_type_of(Point(1, 2)) != trace_type_of(collections.namedtuple("Point", ["u", "v"])(1, 2))
    assert trace_type_of(Point(1, 2)) != trace_type_of((1, 2))


def test_rule_37_variables():
    a, b, fixed = Variable(1.0), Variable(2.0), Variable(3.0, trainable=False)
    shown = "VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id={})"
    assert text([a, b, a]) == f"List[{shown.format(0)}, {shown.format(1)}, {shown.format(0)}]"
    assert trace_type_of(a) == trace_type_of(b) and trace_type_of([a, a]) != trace_type_of([a, b]) and trace_type_of(a) != trace_type_of(fixed) and trace_type_of(a) != trace_type_of(tensor(1.0))
    assert isinstance(trace_type_of(a), VariableSpec)


def test_rules_39_and_40_objects():
    class Equal:
        def __init__(self, number):
            self.number = number

        def __eq__(self, other):
            return isinstance(other, Equal) and self.number == other.number

        def __hash__(self):
            return self.number

    one, other = Thing(), Thing()
    assert trace_type_of(one) == trace_type_of(one) != trace_type_of(other)
    first, second = Equal(1), Equal(1)
    assert trace_type_of(first) == trace_type_of(second) != trace_type_of(Equal(2))
    kept, reference = trace_type_of(first), weakref.ref(first)
    assert kept == trace_type_of(second)
    del first
    gc.collect()
    assert reference() is None and kept != trace_type_of(second) and kept != kept
    assert "dead" in repr(kept)


def test_an_error_in_a_users_eq_passes_through():
    class Broken:
        def __eq__(self, other):
            raise KeyError("broken")

        def __hash__(self):
            return 1

    first, second = Broken(), Broken()
    assert trace_type_of(first) == trace_type_of(first)
    with pytest.raises(KeyError, match="broken"):
        trace_type_of(first) == trace_type_of(second)  # noqa: B015


@pytest.mark.parametrize("value", [{1, 2}, bytearray(b"x"), collections.deque([1]), {"a": 1}.keys()])
def test_rule_41_unhashable(value):
    with pytest.raises(TypeError) as error:
        trace_type_of(value)
    assert str(error.value) == (
        f"Could not generate a generic TraceType for {value!r}.Please verify that it is immutable/hashable. Otherwise, "
        "consider implementing the Tracing Protocol for it.")
    assert isinstance(error.value.__cause__, TypeError)


def test_rule_42_weak_references():
    thing = Thing()
    with pytest.raises(TypeError, match=r"^weakref input <weakref at .*; to '.*Thing' at .*> not supported for tf.function.$"):
        trace_type_of(weakref.ref(thing))


def test_other_errors():
    with pytest.raises(TypeError, match="'<' not supported between instances of 'str' and 'int'"):
        trace_type_of({1: 2, "a": 3})
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        trace_type_of(np.array(["2020-01-01"], dtype="datetime64[D]"))
    loop = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        trace_type_of(loop)


def test_wrapped_objects_are_what_they_wrap():
    @functools.wraps(len)
    def wrapper(x):
        return len(x)

    assert trace_type_of(wrapper) == trace_type_of(len)


def test_rule_48_subtypes_and_rule_53_generalisation():
    narrow, wide = trace_type_of([TensorSpec([2]), 1]), trace_type_of([TensorSpec([None]), 1])
    assert narrow.is_subtype_of(wide) and not wide.is_subtype_of(narrow)
    assert narrow.most_specific_common_supertype([trace_type_of([TensorSpec([3]), 1])]) == wide
    assert narrow.most_specific_common_supertype([trace_type_of([TensorSpec([3]), 2])]) is None
    assert narrow.most_specific_common_supertype([trace_type_of([TensorSpec([2], "int32"), 1])]) is None
    assert narrow.most_specific_common_supertype([trace_type_of((TensorSpec([2]), 1))]) is None


def test_flatten_is_in_the_order_of_inputs():
    specs = trace_type_of({"b": TensorSpec([1]), "a": [TensorSpec([2]), 5, TensorSpec([3])]}).flatten()
    assert specs == [TensorSpec([2]), TensorSpec([3]), TensorSpec([1])]
