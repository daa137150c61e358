"""Section C of the tracing rules: structures as arguments, dataclasses and mappings (Y5) among them."""

import collections
import dataclasses

import attrs
import numpy as np
import pytest

Point = collections.namedtuple("Point", "x y")


Other = collections.namedtuple("Other", "x y")


PointUV = collections.namedtuple("Point", "u v")


@attrs.define
class Pair:
    left: object
    right: object


@attrs.define
class Pair2:
    left: object
    right: object


@pytest.mark.rule(34)
def test_kinds_and_lengths_of_sequences(tf, traces_of):
    assert traces_of([1], (1,)) == 2
    assert traces_of([], (), {}) == 3
    assert traces_of([1], [1, 2], [1]) == 2
    assert traces_of([1, [2, 3]], [[1, 2], 3], [1, [2, 3]]) == 2
    assert traces_of([1, [2]], [1, (2,)]) == 2
    assert traces_of((1, (2, (3,))), (1, (2, (3,)))) == 1


@pytest.mark.rule(34)
def test_leaves_of_structures(tf, traces_of):
    assert traces_of([tf.constant(1)], [tf.constant(2)]) == 1
    assert traces_of([tf.constant(1)], [tf.constant(1.0)]) == 2
    assert traces_of([tf.constant(1)], [1]) == 2
    assert traces_of([np.zeros(2)], [tf.zeros([2], tf.float64)]) == 1
    assert traces_of({"a": [1, 2]}, {"a": [1, 3]}) == 2
    assert traces_of([1, True], [1, 1]) == 1


@pytest.mark.rule(34)
def test_structures_are_rebuilt_inside(tf, traced_value):
    one = tf.constant(1)
    inside = traced_value(lambda s: s, {"k": [one, 2], "t": (one, "text")})
    assert type(inside["k"]) is list and type(inside["t"]) is tuple
    assert inside["k"][1] == 2 and inside["t"][1] == "text" and inside["k"][0].name == "args_0:0"


@pytest.mark.rule(35)
def test_namedtuples(tf, traces_of):
    assert traces_of(Point(1, 2), Point(1, 2)) == 1
    assert traces_of(Point(1, 2), Other(1, 2)) == 2
    assert traces_of(Point(1, 2), PointUV(1, 2)) == 2
    assert traces_of(Point(1, 2), (1, 2)) == 2
    assert traces_of(Point(1, 2), Point(1, 3)) == 2


@pytest.mark.rule(35)
def test_namedtuples_of_one_name_and_fields_are_one(tf, traces_of):
    again = collections.namedtuple("Point", "x y")
    assert again is not Point and traces_of(Point(1, 2), again(1, 2)) == 1


@pytest.mark.rule(35)
def test_dicts(tf, traces_of):
    assert traces_of({"a": 1, "b": 2}, {"b": 2, "a": 1}) == 1
    assert traces_of({"a": 1}, {"b": 1}) == 2
    assert traces_of({"a": 1}, {"a": 1, "b": 2}) == 2
    assert traces_of({1: 5}, {2: 5}) == 2
    assert traces_of({}, {}) == 1
    assert traces_of({"a": {"b": 1}}, {"a": {"b": 1}}, {"a": {"c": 1}}) == 2


@pytest.mark.rule(35)
def test_dict_classes_share(tf, traces_of):
    plain, ordered = {"a": 1, "b": 2}, collections.OrderedDict([("b", 2), ("a", 1)])
    assert traces_of(plain, ordered, collections.defaultdict(int, plain)) == 1


@pytest.mark.rule(35)
def test_keys_must_be_sortable(tf):
    f = tf.function(lambda d: None)
    with pytest.raises(TypeError, match="'<' not supported between instances of '(int|str)' and '(int|str)'"):
        f({"a": 1, 2: 1})


@pytest.mark.rule(36)
def test_attrs_classes(tf, traces_of):
    assert traces_of(Pair(1, 2), Pair(1, 2)) == 1
    assert traces_of(Pair(1, 2), Pair(1, 3)) == 2
    assert traces_of(Pair(1, 2), Pair2(1, 2)) == 2
    assert traces_of(Pair(tf.constant(1), 2), Pair(tf.constant(5), 2)) == 1
    assert traces_of(Pair(Pair(1, 2), 3), Pair(Pair(1, 2), 3), Pair(3, Pair(1, 2))) == 2


@pytest.mark.rule(36)
def test_attrs_instance_inside(tf, traced_value):
    given = Pair(tf.constant(1), "w")
    inside = traced_value(lambda p: p, given)
    assert type(inside) is Pair and inside is not given
    assert inside.right == "w" and inside.left.name == "args_0:0"


class Field:
    """An attrs field as far as tracing has to look at it."""

    def __init__(self, name):
        self.name = name


class LooksLikeAttrs:
    __attrs_attrs__ = (Field("left"), Field("right"))

    def __init__(self, left, right):
        self.left, self.right = left, right


@pytest.mark.rule(36)
def test_a_class_that_imitates_attrs(tf, traces_of, traced_value):
    given = LooksLikeAttrs(tf.constant(1), "w")
    inside = traced_value(lambda p: p, given)
    assert type(inside) is LooksLikeAttrs and inside.right == "w" and inside.left.name == "args_0:0"
    assert traces_of(given, LooksLikeAttrs(tf.constant(2), "w"), LooksLikeAttrs(tf.constant(2), "v")) == 2


@pytest.mark.rule("Y5")
@pytest.mark.superset("Y5")
def test_unhashable_dataclass_is_a_structure(tf, traces):
    @dataclasses.dataclass
    class State:
        position: object
        steps: int

    def move(s):
        traces.append(type(s))
        return State(s.position + 1.0, s.steps + 1)

    f = tf.function(move)
    result = f(State(tf.constant(1.0), 3))
    assert type(result) is State and result.position.numpy() == 2.0 and int(result.steps) == 4
    f(State(tf.constant(5.0), 3))
    assert traces == [State]
    f(State(tf.constant(5.0), 4)), f(State(tf.constant([5.0]), 4))
    assert len(traces) == 3


@pytest.mark.rule("Y5")
@pytest.mark.superset("Y5")
def test_frozen_dataclass_with_a_tensor_field_is_a_structure(tf, traces):
    @dataclasses.dataclass(frozen=True)
    class State:
        position: object

        def __post_init__(self):
            traces.append("init")

    f = tf.function(lambda s: s.position * 2.0)
    assert f(State(tf.constant(1.0))).numpy() == 2.0 and f(State(tf.constant(4.0))).numpy() == 8.0
    assert f.experimental_get_tracing_count() == 1
    assert traces == ["init", "init"]  # The caller's two; the one inside is made without __init__.


@pytest.mark.rule("Y5", 39)
def test_dataclass_that_is_an_object(tf, traces_of, traced_value):
    @dataclasses.dataclass(eq=False)
    class Handle:
        value: object

    first, second = Handle(1), Handle(1)
    assert traces_of(first, second, first) == 2
    assert traced_value(lambda h: h, first) is first


@pytest.mark.rule("Y5", 35)
def test_mapping_classes_are_structures(tf, traces_of, traced_value):
    boxed = collections.UserDict({"b": 1, "a": tf.constant(1)})
    inside = traced_value(lambda m: m, boxed)
    assert type(inside) is collections.UserDict and inside["b"] == 1 and not hasattr(inside["a"], "numpy")
    assert traces_of(collections.UserDict({"a": 1}), {"a": 1}, collections.UserDict({"a": 2})) == 2


@pytest.mark.rule("Y5")
def test_nest_has_plain_dataclasses_as_leaves(tf):
    @dataclasses.dataclass
    class State:
        position: int

    state = State(1)
    assert tf.nest.flatten([state, 2]) == [state, 2]


@pytest.mark.rule("Y5")
def test_nest_opens_dataclasses_that_say_how(tf):
    @dataclasses.dataclass
    class Masked:
        mask: bool
        value: object

        def __tf_flatten__(self):
            return (self.mask,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(*metadata, *components)

    assert tf.nest.flatten([Masked(True, [1, 2]), 3]) == [1, 2, 3]
    doubled = tf.nest.map_structure(lambda v: v * 2, Masked(False, 4))
    assert doubled == Masked(False, 8)


@pytest.mark.rule(34)
def test_metadata_of_a_class_that_says_how_need_not_be_hashable(tf, traces):
    @dataclasses.dataclass
    class Tagged:
        tags: list
        value: object

        def __tf_flatten__(self):
            return (self.tags,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(metadata[0], components[0])

    @tf.function
    def f(x):
        traces.append(x.tags)
        return Tagged([*x.tags, "out"], x.value + 1.0)

    result = f(Tagged(["a"], tf.constant(1.0)))
    assert result.tags == ["a", "out"] and result.value.numpy() == 2
    f(Tagged(["a"], tf.constant(2.0))), f(Tagged(["b"], tf.constant(2.0)))
    assert traces == [["a"], ["b"]]
