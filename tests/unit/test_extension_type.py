"""tf.experimental.ExtensionType: what holds beyond the recorded answers."""

import gc
import inspect
import pickle
import typing
import weakref

import numpy as np
import pytest
import tracefn as tf
from tracefn._extension.immutable_dict import ImmutableDict


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor
    unit: str = "m"


class Table(tf.experimental.ExtensionType):
    columns: typing.Mapping[str, Masked]
    sizes: typing.Tuple[int, ...] = ()  # noqa: UP006 - TensorFlow takes either spelling

    def __validate__(self):
        if len(self.sizes) > 3:
            raise ValueError("too many sizes")


def _table():
    return Table({"b": Masked([1, 2], [True, False]), "a": Masked([3.0], [True], unit="s")}, sizes=(1, 2))


def test_round_trip_through_components():
    table = _table()
    spec = table._type_spec
    assert bool(spec._from_components(spec._to_components(table)) == table)
    flat = tf.nest.flatten(table, expand_composites=True)
    assert [t.dtype for t in flat] == [tf.float32, tf.bool, tf.int32, tf.bool]
    packed = tf.nest.pack_sequence_as(table, flat, expand_composites=True)
    assert bool(packed == table)
    assert list(packed.columns) == ["b", "a"]
    assert [s.dtype for s in spec.flatten()] == [t.dtype for t in flat]


def test_specs_are_ordered_like_their_tensors():
    narrow = Masked([1.0, 2.0], [True, False])._type_spec
    wide = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec(None, tf.bool), "m")
    assert narrow.is_subtype_of(wide)
    assert not wide.is_subtype_of(narrow)
    joined = narrow.most_specific_common_supertype([Masked([1.0], [True])._type_spec])
    assert joined == Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool), "m")
    assert narrow.most_specific_common_supertype([Masked([1.0], [True], "s")._type_spec]) is None


def test_specs_pickle_and_hash():
    spec = _table()._type_spec
    again = pickle.loads(pickle.dumps(spec))
    assert again == spec
    assert hash(again) == hash(spec)
    assert type(again) is Table.Spec


def test_values_pickle():
    table = pickle.loads(pickle.dumps(_table()))
    assert bool(table == _table())
    with pytest.raises(AttributeError, match="Cannot mutate attribute `sizes`"):
        table.sizes = ()


def test_no_way_to_set_a_field_after_a_failed_constructor():
    kept = []

    class Leaky(tf.experimental.ExtensionType):
        a: int

        def __init__(self, a):
            kept.append(self)
            self.a = a

    with pytest.raises(TypeError, match="a: expected 'int', got 'str'"):
        Leaky("x")
    with pytest.raises(AttributeError, match="outside the custom constructor"):
        kept[0].a = 2


def test_validate_runs_after_conversion_and_not_for_components():
    with pytest.raises(ValueError, match="too many sizes"):
        Table({}, (1, 2, 3, 4))
    spec = Table({})._type_spec
    assert spec._from_components(()).sizes == ()


def test_constructor_of_a_base_class():
    class Base(tf.experimental.ExtensionType):
        a: int

        def __init__(self, a):
            self.a = a

    class Derived(Base):
        b: int

        def __init__(self, a):
            super().__init__(a)
            self.b = a + 1

    assert repr(Derived(1)).endswith("Derived(a=1, b=2)")
    assert list(inspect.signature(Derived).parameters) == ["a"]


def test_signature_has_keyword_only_fields_after_defaults():
    class Late(tf.experimental.ExtensionType):
        a: int = 1
        b: int

    assert inspect.signature(Late).parameters["b"].kind is inspect.Parameter.KEYWORD_ONLY
    assert Late(b=2).b == 2
    with pytest.raises(TypeError, match="too many positional arguments"):
        Late(1, 2)


def test_forward_references_to_later_classes():
    class Tree(tf.experimental.ExtensionType):
        children: "typing.Tuple[Tree, ...]" = ()  # noqa: UP006
        size: int = 0

    tree = Tree((Tree(size=1), Tree((Tree(size=3),))))
    assert tree.children[1].children[0].size == 3
    with pytest.raises(TypeError, match=r"children\[0\]: expected 'Tree', got 'int'"):
        Tree((3,))


def test_deep_paths_in_messages():
    class Deep(tf.experimental.ExtensionType):
        x: typing.Mapping[str, typing.Tuple[typing.Mapping[int, int], int]]  # noqa: UP006

    assert dict(Deep({"k": ({1: 2}, 3)}).x["k"][0]) == {1: 2}
    with pytest.raises(TypeError, match=r"x\['k'\]\[0\]\[1\]: expected 'int', got 'str'"):
        Deep({"k": ({1: "a"}, 3)})
    with pytest.raises(TypeError, match=r"x\['k'\]\[0\]\[<key>\]: expected 'int', got 'str'"):
        Deep({"k": ({"a": 1}, 3)})


def test_classes_and_values_are_freed():
    class Passing(tf.experimental.ExtensionType):
        a: tf.Tensor

    value = Passing([1.0])
    tf.nest.flatten(value, expand_composites=True)
    dead = weakref.ref(value), weakref.ref(Passing)
    del value
    assert dead[0]() is None
    del Passing
    gc.collect()
    assert dead[1]() is None


def test_equality_of_values_without_tensors():
    class Plain(tf.experimental.ExtensionType):
        a: int

    assert (Plain(1) == Plain(1), Plain(1) != Plain(1), Plain(1) == Plain(2), Plain(1) == 3) == (
        True, False, False, False)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Plain(1))


def test_immutable_dict():
    d = ImmutableDict({"b": 1, "a": 2})
    assert (d == {"a": 2, "b": 1}, len(d), "a" in d, list(d)) == (True, 2, True, ["b", "a"])
    assert tf.nest.map_structure(lambda x: x + 1, d) == {"b": 2, "a": 3}
    assert pickle.loads(pickle.dumps(d)) == d
    with pytest.raises(TypeError):
        d["a"] = 3


def test_numpy_arrays_become_tensors():
    value = Masked(np.zeros([2], np.float16), np.ones([2], bool))
    assert (value.values.dtype, value.mask.dtype) == (tf.float16, tf.bool)
