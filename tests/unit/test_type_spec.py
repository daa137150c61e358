"""tf.TypeSpec and its classes: the laws of their order, composition, pickling."""

import pickle

import numpy as np
import pytest
import tracefn as tf
from hypothesis import given
from hypothesis import strategies as st
from tracefn.tensor_spec import NoneTensorSpec, VariableSpec

shapes = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(0, 2)), max_size=2))
dtypes = st.sampled_from([tf.float32, tf.int32])
tensor_specs = st.builds(tf.TensorSpec, shapes, dtypes, st.sampled_from([None, "a", "b"]))
variable_specs = st.builds(VariableSpec, shapes, dtypes, st.booleans(), st.just(0))
slices_specs = st.builds(tf.IndexedSlicesSpec, shapes, dtypes)


class Box(tf.TypeSpec):
    """Any serialization."""

    def __init__(self, *parts):
        self.parts = parts

    value_type = object
    _component_specs = ()

    def _serialize(self):
        return self.parts

    def _to_components(self, value):
        return ()

    def _from_components(self, components):
        return object()


boxes = st.recursive(tensor_specs, lambda inner: st.one_of(
    st.builds(Box, inner), st.lists(inner, max_size=2).map(Box), st.builds(lambda x: Box({"k": x}, 3), inner)))
specs = st.one_of(tensor_specs, variable_specs, slices_specs, boxes)


@given(specs, specs, specs)
def test_subtype_is_an_order(a, b, c):
    assert a.is_subtype_of(a)
    assert not (a.is_subtype_of(b) and b.is_subtype_of(c)) or a.is_subtype_of(c)


@given(st.one_of(*[st.tuples(s, s) for s in (tensor_specs, variable_specs, slices_specs, boxes)]))
def test_common_supertype_covers_both(pair):
    a, b = pair
    joined = a.most_specific_common_supertype([b])
    assert joined == b.most_specific_common_supertype([a])
    if joined is not None:
        assert a.is_subtype_of(joined)
        assert b.is_subtype_of(joined)
    else:
        with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
            a.most_specific_compatible_type(b)


@given(specs, specs)
def test_equality_hash_and_pickle(a, b):
    assert a == a
    assert (a == b) == (b == a) == (not a != b)  # noqa: SIM202 - both operators are ours
    assert a != b or hash(a) == hash(b)
    again = pickle.loads(pickle.dumps(a))
    assert again == a
    assert repr(again) == repr(a)
    assert a != 3
    assert a != None  # noqa: E711 - its own comparison is meant


def test_containers_are_told_apart():
    assert Box([1]) != Box((1,))
    assert Box({"a": 1}) == Box({"a": 1})
    assert hash(Box({"a": 1, "b": 2})) == hash(Box({"b": 2, "a": 1}))
    assert Box(np.array([1])) != Box(np.array([1], np.int8))
    assert Box({"a": [tf.TensorShape([1])]}).is_compatible_with(Box({"a": [tf.TensorShape([None])]}))


def test_a_set_is_no_serialization():
    with pytest.raises(ValueError, match="unsupported value of type <class 'set'>"):
        hash(Box({1}))


def test_abstract():
    with pytest.raises(TypeError, match="abstract"):
        tf.TypeSpec()


def test_trace_type_of_shapes_and_dtypes():
    for value in (tf.float32, tf.TensorShape([1]), tf.TensorSpec([])):
        assert isinstance(value, tf.types.experimental.TraceType)


def test_none():
    spec = tf.type_spec_from_value(None)
    assert spec == NoneTensorSpec()
    assert (repr(spec), spec.flatten(), spec.to_tensors(None), spec.from_tensors(iter(()))) == (
        "NoneTensorSpec()", [], [], None)


def test_variable_specs_without_number_have_no_order():
    with pytest.raises(NotImplementedError, match="doesn't support alias_id=None"):
        VariableSpec([], alias_id=0).is_subtype_of(VariableSpec([]))


def test_placeholders_only_while_tracing():
    from tracefn.trace_type import PlaceholderContext

    with pytest.raises(RuntimeError, match="while a function is traced"):
        tf.TensorSpec([1]).placeholder_value(PlaceholderContext())


def test_nested_specs_flatten_in_order_of_the_components():
    class Two(Box):
        _component_specs = {"b": tf.IndexedSlicesSpec([2]), "a": tf.TensorSpec([])}

    assert [spec.dtype for spec in Two().flatten()] == [tf.float32, tf.float32, tf.int64]
    assert tf.nest.flatten(Two(), expand_composites=True) == Two().flatten()
    taken = Two().from_tensors(iter([1, 2, 3]))
    assert isinstance(taken, object)
