"""Trace types that users write: `__tf_tracing_type__`, and composites by their TypeSpec."""

from __future__ import annotations

import pytest
import tracefn as tf
from trace_type_kinds import Calls, tensor, trace_type_of
from tracefn import _core
from tracefn.tensor_spec import TensorSpec
from tracefn.trace_type import TraceType
from tracefn.type_spec import TypeSpec


class PairType(TraceType):
    def __init__(self, spec, alias):
        self.spec, self.alias = spec, alias

    def is_subtype_of(self, other):
        return isinstance(other, PairType) and self.spec.is_subtype_of(other.spec)

    def most_specific_common_supertype(self, others):
        joined = self.spec.most_specific_common_supertype([other.spec for other in others])
        return None if joined is None else PairType(joined, self.alias)

    def placeholder_value(self, placeholder_context):
        return Pair(placeholder_context.placeholder(self.spec))

    def flatten(self):
        return [self.spec]

    def to_tensors(self, value):
        return [value.part]

    def cast(self, value, casting_context):
        if not isinstance(value, Pair):
            raise TypeError("no Pair")
        return value

    def __eq__(self, other):
        return isinstance(other, PairType) and (self.spec, self.alias) == (other.spec, other.alias)

    def __hash__(self):
        return hash(self.spec)

    def __repr__(self):
        return f"PairType({self.alias})"


class Pair:
    def __init__(self, part):
        self.part = part

    def __tf_tracing_type__(self, context):
        return PairType(TensorSpec(self.part.shape, self.part.dtype), context.alias_global_id(id(self)))


def test_protocol_decides_equality_subtypes_and_text():
    one, other = Pair(tensor([1.0])), Pair(tensor([2.0]))
    assert isinstance(trace_type_of(one), PairType)
    assert trace_type_of([one]) == trace_type_of([other]) and trace_type_of([one, one]) != trace_type_of([one, other])
    assert repr(trace_type_of([one, other, one])) == "List[PairType(0), PairType(1), PairType(0)]"
    wide = trace_type_of([Pair(TensorSpec([None]))])
    assert trace_type_of([one]).is_subtype_of(wide) and not wide.is_subtype_of(trace_type_of([one]))
    assert trace_type_of([one]).most_specific_common_supertype([trace_type_of([Pair(tensor([1.0, 2.0]))])]) == wide


def test_protocol_values_are_taken_apart_and_built():
    part = tensor([1.0])
    calls = Calls(lambda x: x)
    assert calls.tensors([Pair(part), 3])[0] is part
    (args, kwargs) = calls.with_placeholders(calls.key([Pair(part), 3]), ["placeholder"])
    assert args[0][0].part == "placeholder" and args[0][1] == 3 and kwargs == {}


def test_protocol_must_return_a_trace_type():
    class Wrong:
        def __tf_tracing_type__(self, context):
            return 3

    with pytest.raises(TypeError, match="^Expected an instance of TraceType for Tracing Protocol call to .* but got 3$"):
        trace_type_of(Wrong())


def test_contexts_die_with_the_call():
    kept = []

    class Keeps:
        def __tf_tracing_type__(self, context):
            kept.append(context)
            return TensorSpec([])

    assert trace_type_of(Keeps()) == TensorSpec([])
    with pytest.raises(RuntimeError, match="cannot be used after the call"):
        kept[0].alias_global_id(1)


def test_errors_of_the_protocol_pass_through():
    class Raises:
        def __tf_tracing_type__(self, context):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        trace_type_of([Raises()])


def test_placeholder_context_refuses_more_than_flatten_lists():
    class Greedy(PairType):
        def placeholder_value(self, placeholder_context):
            return [placeholder_context.placeholder(self.spec), placeholder_context.placeholder(self.spec)]

    with pytest.raises(ValueError, match="asked for more tensors than flatten"):
        _core.build_value(Greedy(TensorSpec([]), 0), ["one"])


class Range(TypeSpec):
    """A composite of two tensors."""

    value_type = tuple
    _component_specs = property(lambda self: [TensorSpec([]), TensorSpec([2], "int32")])

    def _serialize(self):
        return ()

    def to_tensors(self, value):
        return list(value)

    def from_tensors(self, tensors):
        return ("range", next(tensors), next(tensors))

    def _to_components(self, value):
        return list(value)

    def _from_components(self, components):
        return tuple(components)


def test_composites_by_their_spec():
    class Composite:
        def __tf_tracing_type__(self, context):
            return Range()

        def __iter__(self):
            return iter(["low", "high"])

    calls = Calls(lambda x, y: x)
    key = calls.key(Composite(), 1)
    assert str(key) == "(x: Range(), y: Literal[1])" and len(key.describe_leaves()) == 2
    assert calls.tensors(Composite(), 1) == ["low", "high"]
    assert calls.with_placeholders(key, ["a", "b"]) == ((("range", "a", "b"), 1), {})
    assert trace_type_of(Range()) == Range()


def test_a_type_that_flattens_to_itself():
    class Endless(TraceType):
        def is_subtype_of(self, other):
            return self == other

        def most_specific_common_supertype(self, others):
            return self

        def placeholder_value(self, placeholder_context):
            return None

        def flatten(self):
            return [self]

        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return 1

    class Value:
        def __tf_tracing_type__(self, context):
            return Endless()

    with pytest.raises(TypeError, match="with the type itself in it"):
        tf.function(lambda value: tf.constant(1))(Value())
