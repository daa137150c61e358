"""tf.nest: round trips, errors of deep and cyclic structures, threads, and classes that die."""

import collections
import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import attr
import pytest
import tracefn as tf
from hypothesis import given
from hypothesis import strategies as st
from tracefn._nest import kinds

nest = tf.nest
Point = collections.namedtuple("Point", "x y")


@attr.s
class Fields:
    a = attr.ib(kw_only=True)
    _b = attr.ib(kw_only=True)
    c = attr.ib(init=False, default=0)


leaves = st.one_of(st.integers(), st.none(), st.text(max_size=2))
structures = st.recursive(leaves, lambda inner: st.one_of(
    st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple), st.builds(Point, inner, inner),
    st.dictionaries(st.text(max_size=2), inner, max_size=3),
    st.dictionaries(st.text(max_size=2), inner, max_size=3).map(collections.OrderedDict),
    st.dictionaries(st.text(max_size=2), inner, max_size=3).map(lambda d: collections.defaultdict(list, d)),
    st.dictionaries(st.text(max_size=2), inner, max_size=3).map(collections.UserDict),
    st.builds(Fields, a=inner, b=inner)))


@given(structures)
def test_packing_the_leaves_gives_the_structure(structure):
    flat = nest.flatten(structure)
    packed = nest.pack_sequence_as(structure, flat)
    assert packed == structure
    assert type(packed) is type(structure)
    assert nest.map_structure(lambda x: x, structure) == structure
    nest.assert_same_structure(structure, packed)


@given(structures, structures)
def test_same_structure_or_an_error(a, b):
    try:
        nest.assert_same_structure(a, b)
    except (TypeError, ValueError) as error:
        text = str(error)
        assert text.startswith("The two structures don't have the same nested structure.\n\nFirst structure: type=")
        with pytest.raises(type(error)):
            nest.map_structure(lambda x, y: None, a, b)
    else:
        assert len(nest.flatten(a)) == len(nest.flatten(b))


@given(structures)
def test_wrong_number_of_leaves(structure):
    flat = nest.flatten(structure)
    with pytest.raises(ValueError, match=r"Could not pack sequence|The target structure is of type"):
        nest.pack_sequence_as(structure, [*flat, 1])
    if flat and nest.is_nested(structure):
        with pytest.raises(ValueError, match=f"Structure had {len(flat)} atoms, but flat_sequence had {len(flat) - 1}"):
            nest.pack_sequence_as(structure, flat[:-1])


def test_input_is_not_changed_and_output_is_new():
    structure = [1, {"a": [2]}]
    packed = nest.pack_sequence_as(structure, [5, 6])
    assert (structure, packed) == ([1, {"a": [2]}], [5, {"a": [6]}])
    assert nest.map_structure(lambda x: x, structure)[1] is not structure[1]


def test_order_of_calls_is_the_order_of_flatten():
    seen = []
    nest.map_structure(seen.append, {"b": [1, 2], "a": 0})
    assert seen == [0, 1, 2]


def test_attrs_fields_by_keyword_and_without_init():
    packed = nest.pack_sequence_as(Fields(a=1, b=2), [5, 6, 7])
    assert (packed.a, packed._b, packed.c) == (5, 6, 7)


def test_defaultdict_keeps_its_factory():
    class Mine(collections.defaultdict):
        pass

    packed = nest.pack_sequence_as(Mine(int, b=1, a=2), [3, 4])
    assert packed.default_factory is int
    assert packed["new"] == 0


def test_a_mapping_is_no_flat_sequence():
    with pytest.raises(TypeError, match="found incompatible type `<class 'dict'>`"):
        nest.pack_sequence_as([1, 2], {0: 1, 1: 2})


def test_a_list_gives_no_doubt_about_leaves_that_equal_everything():
    class Equal:
        def __eq__(self, other):
            return True

        __hash__ = None

    packed = nest.pack_sequence_as([1, [2]], [Equal(), Equal()])
    assert type(packed[1][0]) is Equal


def _deep(levels, wrap):
    structure = 1
    for _ in range(levels):
        structure = wrap(structure)
    return structure


WRAPPERS = [lambda x: [x], lambda x: (x,), lambda x: {"k": x}, lambda x: Point(x, 0), lambda x: collections.deque([x])]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_three_hundred_levels(wrap):
    structure = _deep(300, wrap)
    packed = nest.map_structure(lambda x: x + 1, structure)
    nest.assert_same_structure(structure, packed)
    assert nest.flatten(packed)[0] == 2


@pytest.mark.parametrize("wrap", WRAPPERS[:3])
def test_ten_thousand_levels_are_a_clear_error(wrap):
    structure = _deep(10_000, wrap)
    for call in (lambda: nest.flatten(structure), lambda: nest.pack_sequence_as(structure, [1]),
                 lambda: nest.assert_same_structure(structure, structure),
                 lambda: nest.map_structure(lambda x: x, structure)):
        with pytest.raises(RecursionError, match="contains itself or is nested too deeply"):
            call()


def test_cycles_are_a_clear_error():
    cyclic_list, cyclic_dict = [1], {}
    cyclic_list.append(cyclic_list)
    cyclic_dict["a"] = (cyclic_dict,)
    for cyclic in (cyclic_list, cyclic_dict):
        with pytest.raises(RecursionError, match="contains itself"):
            nest.flatten(cyclic)
        with pytest.raises(RecursionError, match="contains itself"):
            nest.assert_same_structure(cyclic, cyclic)
    with pytest.raises(ValueError, match="is a sequence, while substructure"):
        nest.assert_same_structure([1], [[2]])


def test_classes_are_not_kept_alive():
    cls = collections.namedtuple("Passing", "a")
    leaf = type("Leaf", (), {})
    key = id(cls)
    assert nest.flatten([cls([1]), leaf()])[0] == 1
    dead = weakref.ref(cls), weakref.ref(leaf)
    assert key in kinds.PLAIN
    del cls, leaf
    gc.collect()
    assert [ref() for ref in dead] == [None, None]
    assert key not in kinds.PLAIN
    assert key not in kinds.EXPANDED
    assert key not in kinds._CLASSES


def test_new_classes_from_many_threads():
    classes = [collections.namedtuple(f"T{i}", "a b") for i in range(200)]

    def work(_):
        return [nest.map_structure(lambda x: x + 1, cls(1, [2])) for cls in classes]

    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(work, range(8)):
            assert [type(r) for r in result] == classes
            assert all(r == (2, [3]) for r in result)


def test_wrapt_proxies():
    wrapt = pytest.importorskip("wrapt")
    proxy = wrapt.ObjectProxy({"b": 1, "a": wrapt.ObjectProxy([2])})
    assert nest.flatten(proxy) == [2, 1]
    packed = nest.pack_sequence_as(proxy, [5, 6])
    assert type(packed) is wrapt.ObjectProxy
    assert packed == {"b": 6, "a": [5]}
    assert not nest.is_nested(wrapt.ObjectProxy(5))
    nest.assert_same_structure(proxy, {"b": 1, "a": [2]})


def test_classes_with_the_flatten_protocol():
    class Pair:
        def __init__(self, data, note):
            self.data, self.note = data, note

        def __tf_flatten__(self):
            return (self.note,), (self.data,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(components[0], metadata[0])

    mapped = nest.map_structure(lambda x: x * 10, [Pair({"k": 2}, "note")])
    assert (mapped[0].data, mapped[0].note) == ({"k": 20}, "note")


def test_errors_of_user_code_come_through():
    class Odd:
        def __tf_flatten__(self):
            raise KeyError("mine")

        __tf_unflatten__ = None

    with pytest.raises(KeyError, match="mine"):
        nest.flatten([Odd()])
    with pytest.raises(StopIteration):
        nest.map_structure(lambda x: next(iter(())), [1, 2])
