"""The trace type of every kind of Python argument (rules 29-42, 84-87, Y5)."""

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
from trace_type_kinds import ByIdentity, Frozen, Nest, Point, Thing, Unhashable, spec_text, tensor, text
from tracefn import _core
from tracefn.tensor_spec import TensorSpec, VariableSpec
from tracefn.variable import Variable

of = _core.trace_type_of
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
    assert of(record(1, 2)) == of(attr.make_class("Record", ["p", "q"])(1, 2))
    assert of(record(1, 2)) != of(attr.make_class("Other", ["p", "q"])(1, 2))


def test_rules_31_to_33_literals():
    assert of(1) == of(1.0) == of(True) and hash(of(1)) == hash(of(True))
    assert of(0) == of(False) and of(1) != of(2) and of(1) != of("1")
    assert of(float("nan")) == of(np.nan) and of(complex("nan")) == of(float("nan"))
    assert repr(of(1)) == "Literal[1]" and repr(of(True)) == "Literal[True]"


def test_rules_34_and_35_structures():
    assert of([1]) == of([1]) != of((1,))
    assert of([1]) != of([1, 1]) and of([[1]]) != of([1])
    assert of({"a": 1, "b": 2}) == of({"b": 2, "a": 1}) == of(collections.OrderedDict(b=2, a=1))
    assert of(collections.defaultdict(list, a=1)) == of({"a": 1}) != of({"c": 1})
    assert of(Point(1, 2)) == of(collections.namedtuple("Point", ["u", "w"])(1, 2))
    assert of(Point(1, 2)) != of(collections.namedtuple("Point", ["u", "v"])(1, 2))
    assert of(Point(1, 2)) != of((1, 2))


def test_rule_37_variables():
    a, b, fixed = Variable(1.0), Variable(2.0), Variable(3.0, trainable=False)
    shown = "VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id={})"
    assert text([a, b, a]) == f"List[{shown.format(0)}, {shown.format(1)}, {shown.format(0)}]"
    assert of(a) == of(b) and of([a, a]) != of([a, b]) and of(a) != of(fixed) and of(a) != of(tensor(1.0))
    assert isinstance(of(a), VariableSpec)


def test_rules_39_and_40_objects():
    class Equal:
        def __init__(self, number):
            self.number = number

        def __eq__(self, other):
            return isinstance(other, Equal) and self.number == other.number

        def __hash__(self):
            return self.number

    one, other = Thing(), Thing()
    assert of(one) == of(one) != of(other)
    first, second = Equal(1), Equal(1)
    assert of(first) == of(second) != of(Equal(2))
    kept, reference = of(first), weakref.ref(first)
    assert kept == of(second)
    del first
    gc.collect()
    assert reference() is None and kept != of(second) and kept != kept
    assert "dead" in repr(kept)


def test_an_error_in_a_users_eq_passes_through():
    class Broken:
        def __eq__(self, other):
            raise KeyError("broken")

        def __hash__(self):
            return 1

    first, second = Broken(), Broken()
    assert of(first) == of(first)
    with pytest.raises(KeyError, match="broken"):
        of(first) == of(second)  # noqa: B015


@pytest.mark.parametrize("value", [{1, 2}, bytearray(b"x"), collections.deque([1]), {"a": 1}.keys()])
def test_rule_41_unhashable(value):
    with pytest.raises(TypeError) as error:
        of(value)
    assert str(error.value) == (
        f"Could not generate a generic TraceType for {value!r}.Please verify that it is immutable/hashable. Otherwise, "
        "consider implementing the Tracing Protocol for it.")
    assert isinstance(error.value.__cause__, TypeError)


def test_rule_42_weak_references():
    thing = Thing()
    with pytest.raises(TypeError, match=r"^weakref input <weakref at .*; to '.*Thing' at .*> not supported for tf.function.$"):
        of(weakref.ref(thing))


def test_other_errors():
    with pytest.raises(TypeError, match="'<' not supported between instances of 'str' and 'int'"):
        of({1: 2, "a": 3})
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        of(np.array(["2020-01-01"], dtype="datetime64[D]"))
    loop = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        of(loop)


def test_wrapped_objects_are_what_they_wrap():
    @functools.wraps(len)
    def wrapper(x):
        return len(x)

    assert of(wrapper) == of(len)


def test_rule_48_subtypes_and_rule_53_generalisation():
    narrow, wide = of([TensorSpec([2]), 1]), of([TensorSpec([None]), 1])
    assert narrow.is_subtype_of(wide) and not wide.is_subtype_of(narrow)
    assert narrow.most_specific_common_supertype([of([TensorSpec([3]), 1])]) == wide
    assert narrow.most_specific_common_supertype([of([TensorSpec([3]), 2])]) is None
    assert narrow.most_specific_common_supertype([of([TensorSpec([2], "int32"), 1])]) is None
    assert narrow.most_specific_common_supertype([of((TensorSpec([2]), 1))]) is None


def test_flatten_is_in_the_order_of_inputs():
    specs = of({"b": TensorSpec([1]), "a": [TensorSpec([2]), 5, TensorSpec([3])]}).flatten()
    assert specs == [TensorSpec([2]), TensorSpec([3]), TensorSpec([1])]
