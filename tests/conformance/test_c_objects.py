"""Section C of the tracing rules: Variables and other objects as arguments, and the tracing protocol."""

import collections
import dataclasses
import enum
import gc
import weakref

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
def test_a_variable_argument_has_the_class_and_attributes_of_the_callers(tf):
    class Scaled(type(tf.Variable(1.0))):
        def __init__(self, value, scale, **keywords):
            super().__init__(value, **keywords)
            self.scale = scale

        def scaled(self):
            return self * self.scale

    seen = []

    @tf.function
    def f(v):
        seen.append((type(v), v.scale, v.constraint, v.aggregation, v.note))
        v.assign_add(1.0)
        return v.scaled()

    a = Scaled(1.0, 2.0, constraint=abs, aggregation=tf.VariableAggregation.SUM)
    b = Scaled(10.0, 2.0, constraint=abs, aggregation=tf.VariableAggregation.SUM)
    a.note = b.note = "n"
    assert float(f(a)) == 4.0 and float(f(b)) == 22.0 and float(f(a)) == 6.0 and float(b) == 11.0
    assert seen == [(Scaled, 2.0, abs, tf.VariableAggregation.SUM, "n")]
    with tf.GradientTape() as tape:
        result = f(b)
    assert float(tape.gradient(result, b)) == 2.0


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
