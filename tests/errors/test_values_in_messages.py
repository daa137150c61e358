"""Messages show what is small of the program's values as it is, and of what is large its kind and size."""

import collections

import numpy as np
import pytest
import tracefn as tf
from tracefn._value_text import shortened, value_str, value_text

ARRAY = np.arange(10_000.0).reshape(100, 100)
TENSOR = tf.constant(ARRAY)
NUMBERS = list(range(1000))
TEXT = "word " * 1000
TABLE = dict.fromkeys(range(1000), ARRAY)
Pair = collections.namedtuple("Pair", "first second")


class Plain:
    """Without a hash, so that no trace can be kept for it."""

    __hash__ = None

    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return f"Plain({self.held!r})"


def spec(*shape, dtype=tf.float32):
    return tf.TensorSpec(shape, dtype)


def one(x, y=None):
    return x


with_signature = tf.function(one, input_signature=[spec(2)])
with_list = tf.function(one, input_signature=[[spec(2), spec(2)]])
with_dict = tf.function(one, input_signature=[{"a": spec(2)}])
with_literal = tf.function(lambda x, mode="fast": x, input_signature=[spec(None)])
with_long_literal = tf.function(lambda x, mode=TEXT: x, input_signature=[spec(None)])
concrete = tf.function(lambda x: x * 2).get_concrete_function(spec(2))


@tf.function
def traced(make):
    return make()


CALLS = {
    "an array for a smaller one": lambda: with_signature(ARRAY),
    "a tensor for a smaller one": lambda: with_signature(TENSOR),
    "text for a tensor": lambda: with_signature(TEXT),
    "numbers for a tensor": lambda: with_signature(NUMBERS),
    "a dict for a tensor": lambda: with_signature(TABLE),
    "an array for a list": lambda: with_list(ARRAY),
    "too many members": lambda: with_list([ARRAY] * 500),
    "a list for a dict": lambda: with_dict([ARRAY] * 500),
    "other keys": lambda: with_dict(TABLE),
    "another literal": lambda: with_literal(tf.zeros([3]), mode=TEXT),
    "an array for a literal": lambda: with_literal(tf.zeros([3]), mode=ARRAY),
    "a long literal in the signature": lambda: with_long_literal(ARRAY),
    "another value for a long literal": lambda: with_long_literal(tf.zeros([3]), mode="fast"),
    "too many arguments": lambda: tf.function(one)(ARRAY, TENSOR, NUMBERS, TEXT, TABLE),
    "an unknown keyword": lambda: tf.function(one)(ARRAY, z=TABLE),
    "no hash": lambda: tf.function(one)(Plain(NUMBERS)),
    "no hash, a set": lambda: tf.function(one)(set(NUMBERS)),
    "no hash in a structure": lambda: tf.function(one)({"a": [Plain(TEXT)]}),
    "a signature of values": lambda: tf.function(one, input_signature=NUMBERS),
    "a signature with an array": lambda: tf.function(one, input_signature=[ARRAY]),
    "a concrete function, one too many": lambda: concrete(ARRAY, ARRAY),
    "a concrete function, a list": lambda: concrete([ARRAY]),
    "a concrete function, text": lambda: concrete(TEXT),
    "nest, other lengths": lambda: tf.nest.assert_same_structure(NUMBERS, NUMBERS[1:]),
    "nest, leaf and container": lambda: tf.nest.assert_same_structure([ARRAY] * 50, TABLE[0]),
    "nest, other keys": lambda: tf.nest.assert_same_structure(TABLE, dict(list(TABLE.items())[1:])),
    "nest, other classes": lambda: tf.nest.assert_same_structure(NUMBERS, tuple(NUMBERS)),
    "nest, packed": lambda: tf.nest.pack_sequence_as([ARRAY] * 100, NUMBERS),
    "nest, packed into a leaf": lambda: tf.nest.pack_sequence_as(ARRAY, NUMBERS),
    "nest, no sequence": lambda: tf.nest.pack_sequence_as([1], TABLE),
    "a constant of mixed kinds": lambda: tf.constant([*NUMBERS, "a"], tf.int32),
    "a constant of another dtype": lambda: tf.constant(TEXT, tf.int32),
    "a constant of another shape": lambda: tf.constant(ARRAY, shape=[3]),
    "a constant that is ragged": lambda: tf.constant([NUMBERS, NUMBERS[1:]]),
    "a constant of a dict": lambda: tf.constant(TABLE),
    "a constant of objects": lambda: tf.constant([Plain(NUMBERS)] * 100),
    "a traced constant of mixed kinds": lambda: traced(lambda: tf.constant([*NUMBERS, "a"], tf.int32)),
    "a traced constant of a dict": lambda: traced(lambda: tf.constant(TABLE)),
    "a traced constant of objects": lambda: traced(lambda: tf.constant([Plain(NUMBERS)] * 100)),
    "another dtype asked for": lambda: tf.convert_to_tensor(TENSOR, tf.int32),
    "a Variable of another dtype": lambda: tf.convert_to_tensor(tf.Variable(TENSOR), tf.int32),
    "a Variable as a key": lambda: {tf.Variable(TENSOR): 1},
    "an operand that is no tensor": lambda: TENSOR + TEXT,
    "a traced operand that is no tensor": lambda: tf.function(lambda x: x + TEXT)(TENSOR),
    "a subscript": lambda: TENSOR[TEXT],
    "a shape": lambda: tf.TensorShape([TEXT]),
    "an attribute of an op": lambda: tf.raw_ops.Cast(x=1, DstT=TABLE),
    "an input that is no list": lambda: tf.raw_ops.AddN(inputs=ARRAY),
    "a dtype": lambda: tf.as_dtype(TEXT),
    "a spec of a value": lambda: tf.type_spec_from_value(TABLE),
    "watched": lambda: tf.GradientTape().watch(TEXT),
    "branches": lambda: tf.switch_case(tf.constant(0), TEXT),
    "a branch": lambda: tf.switch_case(tf.constant(0), [(NUMBERS, ARRAY, TEXT)]),
    "an assertion": lambda: tf.debugging.assert_equal(TENSOR, TENSOR + 1),
    "an assertion with data": lambda: tf.Assert(tf.constant(False), [TENSOR, TEXT[:50]]),
    "an assertion known while tracing": lambda: traced(lambda: tf.debugging.assert_equal(ARRAY, ARRAY + 1)),
    "a keyword of tf.print": lambda: tf.print(1, nope=TABLE),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_message_stays_short(name):
    with pytest.raises((TypeError, ValueError, tf.errors.OpError)) as caught:
        CALLS[name]()
    text = str(caught.value)
    assert len(text) < 2500 and "500." not in text and ", 500, " not in text


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: with_signature(ARRAY), "<ndarray of shape (100, 100) and dtype float64>"),
        (lambda: with_signature(TENSOR), "<tf.Tensor: shape=(100, 100), dtype=float64>"),
        (lambda: tf.function(one)(TENSOR, z=1), "args: (<tf.Tensor: shape=(100, 100), dtype=float64>,) and kwargs: {'z': 1}"),
        (lambda: tf.function(one)(1, 2, 3), "args: (1, 2, 3) and kwargs: {}"),
        (lambda: {tf.Variable(TENSOR, name="w"): 1}, "(Variable: <tf.Variable 'w:0' shape=(100, 100) dtype=float64>)"),
        (lambda: tf.function(one)({1, 2}), "Could not generate a generic TraceType for {1, 2}.Please"),
    ],
)
def test_shape_and_dtype_are_told(call, text):
    with pytest.raises(TypeError) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [None, 1, 2.5, "a", b"a", [], (), set(), {}, [1, "a"], (1,), {1}, {"a": (1, 2)}, [[1], {"b": [2]}], Pair(1, [2]), tf.int32,
     tf.TensorShape([1, None]), spec(None, 3), range(5), collections.OrderedDict(a=1), np.float32(1), np.arange(3)],
)  # fmt: skip
def test_what_is_small_is_shown_as_it_is(value):
    shown = repr(value) if value.__class__ is not Pair else "Pair(first=1, second=[2])"
    assert value_text(value) == shown
    assert value_str(value) == str(value)


def test_what_is_large():
    assert value_text(NUMBERS) == "[0, 1, 2, 3, 4, 5, ... 994 more]"
    assert value_text({"a": TENSOR, "b": [ARRAY]}) == (
        "{'a': <tf.Tensor: shape=(100, 100), dtype=float64>, 'b': [<ndarray of shape (100, 100) and dtype float64>]}"
    )
    assert value_text(TEXT) == repr(TEXT[:40]) + "... (5000 in all)"
    assert value_text(Pair(ARRAY, TABLE))[:60] == "Pair(first=<ndarray of shape (100, 100) and dtype float64>, "
    assert len(value_text(TABLE)) <= 240 and len(value_text([TABLE] * 100)) <= 240 and len(value_text(10**4000)) <= 240
    assert shortened("a" * 300, 40) == "a" * 27 + "..." + "a" * 10


def test_odd_values():
    class Broken:
        def __repr__(self):
            raise RuntimeError("no text")

    class Odd:
        shape = dtype = __array__ = property(lambda self: 1 / 0)

        def __repr__(self):
            return "an odd one"

    holds_itself = [1]
    holds_itself.append(holds_itself)
    assert value_text(Broken()).startswith("<") and "Broken object at 0x" in value_text(Broken())
    assert value_text(Odd()) == "an odd one" and value_text([Odd()] * 2) == "[an odd one, an odd one]"
    assert value_text(holds_itself) == "[1, [1, [1, [1, [...]]]]]"
    assert value_text(10**5000).startswith("<int object") and value_text("\ud800") == repr("\ud800")
    assert value_text(np.zeros([2, 2])) == "array([[0., 0.],\n       [0., 0.]])"
    assert value_text(np.zeros([6, 1], np.int32)) == "array([[0], [0], [0], [0], [0], [0]], dtype=int32)"


def test_values_of_a_trace_keep_their_names():
    shown = []

    @tf.function
    def f(x, v):
        shown.extend([value_text(x), value_text(v)])

    f(tf.zeros([100]), tf.Variable(tf.zeros([100]), name="v"))
    assert shown == ["<tf.Tensor 'x:0' shape=(100,) dtype=float32>", "<tf.Variable 'v:0' shape=(100,) dtype=float32>"]
