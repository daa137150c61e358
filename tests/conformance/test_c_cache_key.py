"""Section C of the tracing rules: what of an argument decides whether two calls share a trace."""

import collections
import dataclasses
import enum
import gc
import weakref

import attrs
import numpy as np
import pytest


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Plain:
    """Compared by identity."""


class ByValue:
    """Compared by `==`, hashable."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, ByValue) and self.value == other.value

    def __hash__(self):
        return hash(self.value)


class EqualWithoutHash:
    """Has `==`, and so no hash of its own."""

    __hash__ = None

    def __eq__(self, other):
        return True


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


@pytest.mark.rule(28)
def test_binding_makes_one_key(tf, traces):
    @tf.function
    def f(a, b=2, *, c=3):
        traces.append((a, b, c))

    f(1), f(1, 2), f(a=1), f(b=2, a=1), f(1, c=3), f(1, 2, c=3)
    assert traces == [(1, 2, 3)]
    f(1, c=4), f(1, 3)
    assert traces[1:] == [(1, 2, 4), (1, 3, 3)]


@pytest.mark.rule(28)
def test_tensor_default(tf, traces):
    @tf.function
    def f(a, scale=None):
        traces.append(scale)
        return a

    one = tf.constant(1.0)
    f(one), f(one, None), f(one, scale=None), f(a=one)
    assert traces == [None]


@pytest.mark.rule(29)
def test_tensors_by_dtype_and_shape(tf, traces_of):
    assert traces_of(tf.constant(1), tf.constant(7)) == 1
    assert traces_of(tf.zeros([2]), tf.ones([2])) == 1
    assert traces_of(tf.zeros([2]), tf.zeros([3])) == 2
    assert traces_of(tf.zeros([2]), tf.zeros([2, 1]), tf.zeros([1, 2])) == 3
    assert traces_of(tf.constant(1), tf.constant(1, tf.int64)) == 2
    assert traces_of(tf.constant(1.0), tf.constant([1.0])) == 2
    assert traces_of(tf.constant("a"), tf.constant("bcd")) == 1
    assert traces_of(tf.zeros([0]), tf.zeros([0, 3])) == 2


@pytest.mark.rule(29)
def test_symbolic_tensors_by_static_shape(tf, traces):
    inner = tf.function(lambda x: traces.append(x.shape.as_list()))
    outer = tf.function(lambda x: (inner(x), inner(tf.reshape(x, [2, 2])), inner(x + 1.0))[0])
    outer.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert traces == [[None], [2, 2]]


@pytest.mark.rule(30)
def test_numpy_values_are_tensors(tf, traces_of):
    assert traces_of(np.float32(1), np.float32(2), tf.constant(3.0)) == 1
    assert traces_of(np.float64(1), tf.constant(1.0, tf.float64), np.array(1.0)) == 1
    assert traces_of(np.zeros(2, np.float32), tf.ones([2])) == 1
    assert traces_of(np.zeros(2), tf.zeros([2])) == 2
    assert traces_of(np.int64(1), np.int32(1)) == 2
    assert traces_of(np.bool_(True), np.bool_(False), tf.constant(True)) == 1
    assert traces_of(np.int32(1), 1) == 2
    assert traces_of(np.array(["a", "b"]), np.array(["c", "ddd"])) == 1


@pytest.mark.rule(30)
@pytest.mark.parametrize(
    "value, dtype",
    [(np.float64(1), "float64"), (np.arange(3), "int64"), (np.bool_(True), "bool"), (np.ones((1, 2)), "float64"),
     (np.float16(1), "float16"), (np.complex64(1), "complex64"), (np.uint8(3), "uint8"), (np.array("a"), "string")],
)  # fmt: skip
def test_numpy_values_are_symbolic_inside(tf, traced_value, value, dtype):
    assert traced_value(lambda x: (x.dtype.name, x.shape.as_list(), hasattr(x, "numpy")), value) == (
        dtype,
        list(np.shape(value)),
        False,
    )


@pytest.mark.rule(31)
def test_equal_numbers_share(tf, traces_of):
    assert traces_of(1, 1.0, True) == 1
    assert traces_of(0, False, 0.0, -0.0) == 1
    assert traces_of(1, 1 + 0j) == 1
    assert traces_of(1, 2, 1, 2) == 2
    assert traces_of(10**30, 10**30, 10**30 + 1) == 2
    assert traces_of(2.5, 2.5, 2) == 2


@pytest.mark.rule(31)
def test_other_literals(tf, traces_of):
    assert traces_of("a", str(b"a", "ascii"), "b") == 2
    assert traces_of("a", b"a") == 2
    assert traces_of(b"x", b"x") == 1
    assert traces_of(None, None) == 1
    assert traces_of(None, 0, False) == 2
    assert traces_of(..., Ellipsis) == 1
    assert traces_of(frozenset([1, 2]), frozenset([2, 1]), frozenset([1])) == 2
    assert traces_of("1", 1) == 2


@pytest.mark.rule(31)
def test_ranges(tf, traces_of, traced_value):
    assert traces_of(range(3), range(0, 3, 1), range(0, 3)) == 1
    assert traces_of(range(3), range(4)) == 2
    assert traced_value(lambda r: r, range(2, 5)) == [2, 3, 4]


@pytest.mark.rule(31)
@pytest.mark.parametrize("value", [3, 2.5, True, "text", b"bytes", 1 + 2j, None, frozenset([1]), ...])
def test_literals_stay_python_inside(tf, traced_value, value):
    inside = traced_value(lambda x: x, value)
    assert inside == value and type(inside) is type(value)


@pytest.mark.rule(31)
def test_a_subclass_of_int_is_its_value(tf, traces_of):
    class Number(int):
        pass

    assert traces_of(1, Number(1)) == 1


@pytest.mark.rule(32)
def test_the_first_of_equal_values_is_baked_in(tf, traces):
    f = tf.function(lambda x: (traces.append(x), tf.constant(str(x)))[1])
    assert f(1).numpy() == b"1" and f(True).numpy() == b"1" and f(1.0).numpy() == b"1"
    assert len(traces) == 1
    g = tf.function(lambda x: tf.constant(str(x)))
    assert g(True).numpy() == b"True" and g(1).numpy() == b"True"


@pytest.mark.rule(32)
def test_the_first_of_equal_values_in_a_structure(tf):
    f = tf.function(lambda pair: tf.constant(str(pair)))
    assert f([0, "a"]).numpy() == b"[0, 'a']" and f([False, "a"]).numpy() == b"[0, 'a']"


@pytest.mark.rule(33)
def test_nan_matches_nan(tf, traces_of):
    assert traces_of(float("nan"), float("nan"), np.nan, -float("nan")) == 1
    assert traces_of([float("nan"), 1], [float("nan"), 1], [float("nan"), 2]) == 2


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


@pytest.mark.rule(37)
def test_variables(tf, traces_of):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert traces_of(a, b, a) == 1
    assert traces_of(a, tf.Variable(1.0, trainable=False)) == 2
    assert traces_of(a, tf.Variable([1.0])) == 2
    assert traces_of(a, tf.Variable(1)) == 2
    assert traces_of(tf.Variable([1.0]), tf.Variable([1.0], shape=[None])) == 2
    assert traces_of(a, tf.constant(1.0)) == 2


@pytest.mark.rule(37)
def test_aliasing(tf, traces_of):
    a, b, c = (tf.Variable(float(n)) for n in range(3))
    assert traces_of([a, a], [b, b]) == 1
    assert traces_of([a, b], [b, a], [c, a]) == 1
    assert traces_of([a, a], [a, b]) == 2
    assert traces_of([a, b, a], [b, a, b], [a, b, b], [a, a, b]) == 3


@pytest.mark.rule(37)
def test_aliasing_across_parameters(tf, traces):
    @tf.function
    def f(x, y, *, z):
        traces.append(0)
        x.assign_add(1.0)
        return y + z

    a, b = tf.Variable(1.0), tf.Variable(10.0)
    assert f(a, b, z=a).numpy() == 12.0 and f(b, a, z=b).numpy() == 13.0
    assert f(a, a, z=b).numpy() == 14.0
    assert len(traces) == 2


@pytest.mark.rule(38)
def test_a_variable_argument_is_the_callers(tf):
    @tf.function
    def bump(v, by):
        v.assign_add(by)
        return v * 1.0

    a, b = tf.Variable(1.0), tf.Variable(10.0)
    assert bump(a, tf.constant(1.0)).numpy() == 2.0
    assert bump(b, tf.constant(5.0)).numpy() == 15.0
    assert (a.numpy(), b.numpy()) == (2.0, 15.0) and bump.experimental_get_tracing_count() == 1


@pytest.mark.rule(38)
def test_variables_in_a_structure_argument(tf):
    @tf.function
    def swap(d):
        old = d["a"].read_value()
        d["a"].assign(d["b"])
        d["b"].assign(old)

    a, b, c = tf.Variable(1), tf.Variable(2), tf.Variable(3)
    swap({"a": a, "b": b})
    swap({"a": b, "b": c})
    assert [int(v.numpy()) for v in (a, b, c)] == [2, 3, 1] and swap.experimental_get_tracing_count() == 1


@pytest.mark.rule(39)
def test_objects_by_identity(tf, traces_of):
    a, b = Plain(), Plain()
    assert traces_of(a, a, b, a) == 2
    assert traces_of([a], [a], [b]) == 2
    assert traces_of(int, float, int) == 2
    assert traces_of(len, len, abs) == 2
    assert traces_of(Color.RED, Color.RED, Color(1), Color.GREEN) == 2
    assert traces_of(Plain, Plain) == 1
    assert traces_of(lambda: 0, lambda: 0) == 2
    assert traces_of(tf.float32, tf.float32, tf.int32) == 2
    assert traces_of(tf.TensorShape([1]), tf.TensorShape([1]), tf.TensorShape([2])) == 2


@pytest.mark.rule(39)
def test_objects_by_equality(tf, traces_of):
    one, same, two = ByValue(1), ByValue(1), ByValue(2)
    assert traces_of(one, same, two) == 2


@pytest.mark.rule(39)
def test_frozen_dataclass_by_equality(tf, traces_of, traced_value):
    @dataclasses.dataclass(frozen=True)
    class Options:
        depth: int

    a, b, c = Options(1), Options(1), Options(2)
    assert traces_of(a, b, c) == 2
    assert traced_value(lambda o: o, a) is a


@pytest.mark.rule(39)
def test_mutation_does_not_retrace(tf, traces):
    f = tf.function(lambda o: (traces.append(0), tf.constant(o.value))[1])
    holder = Plain()
    holder.value = 5
    assert f(holder).numpy() == 5
    holder.value = 6
    assert f(holder).numpy() == 5 and len(traces) == 1


@pytest.mark.rule(39)
def test_the_object_itself_is_inside(tf, traced_value):
    holder = Plain()
    assert traced_value(lambda o: o, holder) is holder
    assert traced_value(lambda s: s["o"], {"o": holder}) is holder


@pytest.mark.rule(40)
def test_objects_are_not_kept_alive(tf):
    f = tf.function(lambda o: None)
    holder = Plain()
    alive = weakref.ref(holder)
    f(holder)
    del holder
    gc.collect()
    assert alive() is None


@pytest.mark.rule(40)
def test_a_dead_key_never_matches(tf, traces):
    f = tf.function(lambda o: traces.append(0))
    for _ in range(4):
        f(Plain())
    assert len(traces) == 4
    g = tf.function(lambda o: traces.append(0))
    for _ in range(3):
        g(ByValue(7))
    assert len(traces) == 7


@pytest.mark.rule(41)
@pytest.mark.parametrize(
    "value", [{1, 2}, bytearray(b"a"), EqualWithoutHash(), collections.deque([1])], ids=lambda v: type(v).__name__
)
def test_unhashable_objects(tf, value):
    f = tf.function(lambda x: None)
    with pytest.raises(TypeError) as error:
        f(value)
    assert str(error.value) == (
        f"Could not generate a generic TraceType for {value!r}.Please verify that it is immutable/hashable. Otherwise,"
        " consider implementing the Tracing Protocol for it."
    )
    assert f.experimental_get_tracing_count() == 0


@pytest.mark.rule(41)
def test_unhashable_object_in_a_structure(tf):
    with pytest.raises(TypeError, match=r"Could not generate a generic TraceType for \{1\}\."):
        tf.function(lambda x: None)({"k": [{1}]})


@pytest.fixture
def fruit(tf):
    """A class that says itself what of it decides about traces: its flavour, not its weight."""

    class FruitType(tf.types.experimental.TraceType):
        def __init__(self, flavour, value):
            self.flavour, self.value = flavour, value

        def is_subtype_of(self, other):
            return self == other

        def most_specific_common_supertype(self, others):
            return self if all(self == other for other in others) else None

        def placeholder_value(self, placeholder_context=None):
            return self.value

        def __eq__(self, other):
            return isinstance(other, FruitType) and self.flavour == other.flavour

        def __hash__(self):
            return hash(self.flavour)

    class Fruit(tf.types.experimental.SupportsTracingProtocol):
        def __init__(self, flavour, weight):
            self.flavour, self.weight = flavour, weight

        def __tf_tracing_type__(self, context):
            return FruitType(self.flavour, self)

    return Fruit


@pytest.mark.rule(41, 39)
def test_the_tracing_protocol(tf, traces_of, fruit):
    assert traces_of(fruit("sweet", 1), fruit("sweet", 2), fruit("sour", 1)) == 2
    assert traces_of([fruit("sweet", 1), 1], [fruit("sweet", 9), 1], [fruit("sweet", 9), 2]) == 2


@pytest.mark.rule(41)
def test_the_placeholder_of_the_tracing_protocol(tf, fruit):
    f = tf.function(lambda x: tf.constant(x.weight))
    assert f(fruit("sweet", 1)).numpy() == 1 and f(fruit("sweet", 2)).numpy() == 1


@pytest.mark.rule(42)
def test_weak_reference_argument(tf):
    holder = Plain()
    with pytest.raises(
        TypeError, match=r"weakref input <weakref at .*; to '.*Plain' at .*> not supported for tf.function"
    ):
        tf.function(lambda x: None)(weakref.ref(holder))


@pytest.mark.rule(43)
def test_varargs_by_position(tf, traces):
    f = tf.function(lambda *args: traces.append(len(args)))
    f(), f(1), f(1, 2), f(1), f(2, 1), f()
    assert traces == [0, 1, 2, 2]
    f(tf.constant(1), tf.constant(2)), f(tf.constant(3), tf.constant(4))
    assert len(traces) == 5


@pytest.mark.rule(43)
def test_keywords_by_name(tf, traces):
    f = tf.function(lambda **kwargs: traces.append(sorted(kwargs)))
    f(a=1, b=2), f(b=2, a=1), f(a=1), f(b=1)
    assert traces == [["a", "b"], ["a"], ["b"]]


@pytest.mark.rule(43)
def test_varargs_and_a_tuple_are_different(tf, traces):
    f = tf.function(lambda *args: traces.append(args))
    f(1, 2), f((1, 2))
    assert traces == [(1, 2), ((1, 2),)]


@pytest.mark.rule(44, 109)
def test_free_variables_are_not_in_the_key(tf, traces):
    factor = 2
    table = {"offset": 0}
    holder = Plain()
    holder.power = 1

    @tf.function
    def f(x):
        traces.append(0)
        return x**holder.power * factor + table["offset"]

    assert f(tf.constant(3)).numpy() == 6
    factor, table["offset"], holder.power = 5, 100, 2
    assert f(tf.constant(3)).numpy() == 6 and len(traces) == 1
    assert f(tf.constant([3])).numpy().tolist() == [145]


@pytest.mark.rule(45)
def test_specs_stand_for_tensors(tf, traces):
    f = tf.function(lambda x: traces.append(x))
    f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    f(tf.zeros([2])), f(np.zeros(2, np.float32))
    assert len(traces) == 1
    f.get_concrete_function(tf.zeros([2]))
    assert len(traces) == 1
    f.get_concrete_function(tf.TensorSpec([2], tf.float32, name="other"))
    assert len(traces) == 2  # A name is part of the spec.


@pytest.mark.rule(45)
def test_specs_inside_structures(tf, traces):
    f = tf.function(lambda d: traces.append(0))
    spec = tf.TensorSpec([], tf.int32)
    f.get_concrete_function({"a": spec, "b": [spec, 3]})
    f({"a": tf.constant(1), "b": [tf.constant(2), 3]})
    assert len(traces) == 1


@pytest.mark.rule(46)
def test_calls_from_a_trace_share_the_cache(tf, traces):
    inner = tf.function(lambda x: (traces.append(0), x + 1)[1])
    outer = tf.function(lambda x: inner(x) + inner(x * 2))
    assert outer(tf.constant(1)).numpy() == 5
    assert inner(tf.constant(9)).numpy() == 10
    assert len(traces) == 1
    inner(tf.constant([1]))
    outer(tf.constant([1]))
    assert len(traces) == 2


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
