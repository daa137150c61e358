"""Why a call was traced: each piece of advice of `explain()` is followed, and the traces are counted."""

import collections
import dataclasses

import numpy as np
import pytest
import tracefn as tf

Pair = collections.namedtuple("Pair", "first second")


class Config:
    def __init__(self, size):
        self.size = size


class Comparable(Config):
    def __eq__(self, other):
        return isinstance(other, Comparable) and self.size == other.size

    def __hash__(self):
        return hash(self.size)


@dataclasses.dataclass
class Step:
    rate: object
    x: object


class Extended(tf.experimental.ExtensionType):
    values: tf.Tensor


def body(x, y=None):
    return 0


def count(calls, **options) -> int:
    """The traces that calls of a new Function make."""
    f = tf.function(body, **options)
    for call in calls:
        f(*call)
    return f.experimental_get_tracing_count()


def last_explanation(calls, function=body, **options):
    f = tf.function(function, **options)
    for call in calls:
        f(*call)
    return f.explain()[-1]


def fix_of(calls, function=body, **options) -> str:
    """The one fix that is told of the last of some calls."""
    (difference,) = last_explanation(calls, function, **options).differences
    return difference.fix


V, W = tf.Variable(1.0), tf.Variable(2.0)
VECTORS = [(tf.zeros([n]),) for n in (2, 3, 4, 5)]
RELAXED = "Use @tf.function(reduce_retracing=True)"

# name: (calls, the fix, the calls that follow it, options, the traces that are left)
FOLLOWED = {
    "another dtype that the first one holds": (
        [(tf.constant(1.5),), (tf.constant(1),)],
        "Pass tf.cast(x, tf.float32).",
        [(tf.constant(1.5),), (tf.cast(tf.constant(1), tf.float32),)],
        {},
        1,
    ),
    "a wider dtype": (
        [(tf.constant(1),), (tf.constant(1.5),)],
        "Pass tf.cast(x, tf.float32) in every call.",
        [(tf.cast(1, tf.float32),), (tf.cast(1.5, tf.float32),)],
        {},
        1,
    ),
    "dtypes that neither holds": (
        [(tf.constant(1, tf.uint8),), (tf.constant(1, tf.int8),)],
        "Pass tf.cast(x, tf.int16) in every call.",
        [(tf.cast(tf.constant(1, tf.uint8), tf.int16),), (tf.cast(tf.constant(1, tf.int8), tf.int16),)],
        {},
        1,
    ),
    "arrays of NumPy": (
        [(tf.constant([1.5]),), (np.array([1.5]),)],
        "Pass tf.cast(x, tf.float64) in every call.",
        [(tf.cast(tf.constant([1.5]), tf.float64),), (tf.cast(np.array([1.5]), tf.float64),)],
        {},
        1,
    ),
    "another dtype and shape": (
        [(tf.constant([1.5]),), (tf.constant([1, 2]),)],
        f"Pass tf.cast(x, tf.float32). {RELAXED}.",
        [(tf.cast(a, tf.float32),) for a in ([1.5], [1, 2], [1, 2, 3])],
        {"reduce_retracing": True},
        2,
    ),
    "another size": (VECTORS[:2], f"{RELAXED}.", VECTORS, {"reduce_retracing": True}, 2),
    "another size of a Variable": (
        [(tf.Variable([1.0]),), (tf.Variable([1.0, 2.0]),)],
        f"{RELAXED}.",
        [(tf.Variable(tf.zeros([n])),) for n in (1, 2, 3, 4)],
        {"reduce_retracing": True},
        2,
    ),
    "another size in a structure": (
        [([tf.zeros([2])],), ([tf.zeros([3])],)],
        f"{RELAXED}.",
        [([tf.zeros([n])],) for n in (2, 3, 4)],
        {"reduce_retracing": True},
        2,
    ),
    "another size in a value of a class": (
        [(Extended(tf.zeros([2])),), (Extended(tf.zeros([3])),)],
        f"{RELAXED}.",
        [(Extended(tf.zeros([n])),) for n in (2, 3, 4)],
        {"reduce_retracing": True},
        2,
    ),
    "numbers": (
        [(1,), (2,)],
        "Pass tf.constant(x) where the value may vary.",
        [(tf.constant(1),), (tf.constant(2),)],
        {},
        1,
    ),
    "texts": (
        [("a",), ("b",)],
        "Pass tf.constant(x) where the value may vary.",
        [(tf.constant("a"),), (tf.constant("b"),)],
        {},
        1,
    ),
    "switches": (
        [(True,), (False,)],
        "Pass tf.constant(x) where the value may vary.",
        [(tf.constant(True),), (tf.constant(False),)],
        {},
        1,
    ),
    "large numbers": (
        [(2**40,), (2**41,)],
        "Pass tf.constant(x, tf.int64) where the value may vary.",
        [(tf.constant(2**40, tf.int64),), (tf.constant(2**41, tf.int64),)],
        {},
        1,
    ),
    "numbers of two kinds": (
        [(1,), (1.5,)],
        "Pass tf.cast(x, tf.float32) where the value may vary.",
        [(tf.cast(1, tf.float32),), (tf.cast(1.5, tf.float32),)],
        {},
        1,
    ),
    "a number and a large one": (
        [(1,), (2**40,)],
        "Pass tf.cast(x, tf.int64) where the value may vary.",
        [(tf.cast(1, tf.int64),), (tf.cast(2**40, tf.int64),)],
        {},
        1,
    ),
    "a switch and a number": (
        [(False,), (3,)],
        "Pass tf.cast(x, tf.int32) where the value may vary.",
        [(tf.cast(False, tf.int32),), (tf.cast(3, tf.int32),)],
        {},
        1,
    ),
    "a number after a tensor": (
        [(tf.constant(1.5),), (2,)],
        "Pass tf.constant(x, tf.float32) for a Python value.",
        [(tf.constant(1.5),), (tf.constant(2, tf.float32),)],
        {},
        1,
    ),
    "a tensor after a number": (
        [(2.5,), (tf.constant(1.5, tf.float64),)],
        "Pass tf.constant(x, tf.float64) for a Python value.",
        [(tf.constant(2.5, tf.float64),), (tf.constant(1.5, tf.float64),)],
        {},
        1,
    ),
    "a float after a tensor of ints": (
        [(tf.constant(1),), (2.5,)],
        "Pass tf.cast(x, tf.float32) in every call.",
        [(tf.cast(tf.constant(1), tf.float32),), (tf.cast(2.5, tf.float32),)],
        {},
        1,
    ),
    "a number after a vector": (
        [(tf.constant([1.5]),), (2,)],
        f"Pass tf.constant(x, tf.float32) for a Python value. {RELAXED}.",
        [(tf.constant([1.5]),), (tf.constant(2, tf.float32),), (tf.zeros([2, 2]),)],
        {"reduce_retracing": True},
        2,
    ),
    "text after a tensor of text": (
        [(tf.constant("a"),), ("b",)],
        "Pass tf.constant(x, tf.string) for a Python value.",
        [(tf.constant("a"),), (tf.constant("b", tf.string),)],
        {},
        1,
    ),
    "numbers in a structure": (
        [({"a": [1]},), ({"a": [2]},)],
        "Pass tf.constant(x['a'][0]) where the value may vary.",
        [({"a": [tf.constant(1)]},), ({"a": [tf.constant(2)]},)],
        {},
        1,
    ),
    "numbers in a named tuple": (
        [(Pair(1, 2),), (Pair(1, 3),)],
        "Pass tf.constant(x.second) where the value may vary.",
        [(Pair(1, tf.constant(2)),), (Pair(1, tf.constant(3)),)],
        {},
        1,
    ),
    "numbers in a dataclass": (
        [(Step(1, [2]),), (Step(2, [2]),)],
        "Pass tf.constant(x.rate) where the value may vary.",
        [(Step(tf.constant(1), [2]),), (Step(tf.constant(2), [2]),)],
        {},
        1,
    ),
    "a Variable and a tensor": (
        [(V,), (tf.constant(1.0),)],
        "Pass tf.convert_to_tensor(x) in every call.",
        [(tf.convert_to_tensor(V),), (tf.convert_to_tensor(tf.constant(1.0)),)],
        {},
        1,
    ),
    "Variables of two dtypes": (
        [(V,), (tf.Variable(1),)],
        "Pass Variables of one dtype.",
        [(V,), (tf.Variable(1, dtype=tf.float32),)],
        {},
        1,
    ),
    "Variables of which one is trainable": (
        [(V,), (tf.Variable(1.0, trainable=False),)],
        "Pass Variables that are all trainable, or none.",
        [(V,), (W,)],
        {},
        1,
    ),
    "a tuple and a list": (
        [([1, 2],), ((1, 2),)],
        "Pass a list each time: list(x).",
        [(list([1, 2]),), (list((1, 2)),)],  # noqa: C410 - as it is told
        {},
        1,
    ),
    "more members": (
        [([V],), ([V, W],)],
        "Pass as many members each time: x had 1, and has 2.",
        [([V, W],), ([W, V],)],
        {},
        1,
    ),
    "other keys": (
        [({"a": 1, "b": 2},), ({"a": 1, "c": 2},)],
        "Pass the same keys each time: 'c' is new, 'b' is gone.",
        [({"a": 1, "b": 2},), ({"b": 2, "a": 1},)],
        {},
        1,
    ),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_the_fix_is_followed(name):
    calls, fix, followed, options, traces = FOLLOWED[name]
    assert count(calls) == 2
    assert fix_of(calls) == fix or fix_of(calls, lambda x: 0).startswith(fix.removesuffix("."))
    assert count(followed, **options) == traces


def test_an_input_signature_is_told_where_there_can_be_one():
    pairs = [(tf.zeros([2]), tf.zeros([2, 3])), (tf.zeros([3]), tf.zeros([3, 3]))]
    fixes = {d.fix for d in last_explanation(pairs, lambda x, y: 0).differences}
    signature = [tf.TensorSpec([None], tf.float32), tf.TensorSpec([None, 3], tf.float32)]
    assert fixes == {f"{RELAXED}, or input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([None, 3], tf.float32)]."}
    f = tf.function(lambda x, y: 0, input_signature=signature)
    for pair in pairs:
        f(*pair)
    assert f.experimental_get_tracing_count() == 1
    with_mode = [(tf.zeros([2]), "a"), (tf.zeros([3]), "a")]
    assert fix_of(with_mode) == f"{RELAXED}."
    assert fix_of(VECTORS[:2], lambda *xs: 0) == f"{RELAXED}."
    assert fix_of(VECTORS[:2], lambda x: 0) == f"{RELAXED}, or input_signature=[tf.TensorSpec([None], tf.float32)]."


@pytest.mark.parametrize("calls", [VECTORS, [*VECTORS, (tf.zeros([2, 2]),)], [([x],) for (x,) in VECTORS]])
def test_reduce_retracing_is_not_advised_where_it_is_set(calls):
    for explanation in _explanations(calls, reduce_retracing=True):
        for difference in explanation.differences:
            assert "Use @tf.function" not in difference.fix and "made this trace for TensorSpec(" in difference.fix
    shown = str(_explanations(VECTORS, reduce_retracing=True)[1])
    assert "x: TensorSpec(shape=(2,), dtype=tf.float32, name=None) before, TensorSpec(shape=(3,)," in shown
    assert "reduce_retracing=True made this trace for TensorSpec(shape=(None,), dtype=tf.float32, name=None)" in shown


def _explanations(calls, **options):
    f = tf.function(body, **options)
    for call in calls:
        f(*call)
    return f.explain()


def test_inside_no_retrace_too():
    f = tf.function(lambda x: x, reduce_retracing=True)
    f(tf.zeros([2]))
    with tf.no_retrace(), pytest.raises(tf.RetracingError) as caught:
        f(tf.zeros([3]))
    assert "Use @tf.function" not in str(caught.value) and "reduce_retracing=True is set" in str(caught.value)
    assert "input_signature=[tf.TensorSpec([None], tf.float32)] makes one trace" in str(caught.value)


def test_objects():
    first, second = Config(1), Config(1)
    assert fix_of([(first,), (second,)]) == (
        "Pass the same object, or give Config an __eq__ and a __hash__, and keep the objects."
    )
    assert count([(first,), (first,)]) == 1
    one, other = Comparable(1), Comparable(1)
    assert count([(one,), (other,)]) == 1
    assert fix_of([(one,), (Comparable(2),)]) == "Pass the same object as x each time."
    functions = [lambda: 1, lambda: 1]
    assert fix_of([(functions[0],), (functions[1],)]) == "Pass the same object as x each time."


def test_an_object_that_is_gone():
    f = tf.function(body)
    f(Comparable(1))
    f(Comparable(1))  # the first has died, and equals nothing
    (difference,) = f.explain()[1].differences
    assert difference.fix == "The object of that trace is gone: keep the object, and pass the same one as x each time."
    kept = Comparable(1)
    assert count([(kept,), (kept,), (Comparable(1),)]) == 1


@pytest.mark.parametrize(
    ("calls", "fix"),
    [
        ([(None,), (1,)], "None and a value need a trace each."),
        ([(tf.constant(1),), (None,)], "None and a tensor need a trace each."),
        ([(V,), (None,)], "Pass the same kind of value each time."),
        ([("a",), (1,)], "Pass the same kind of value each time."),
        ([(range(3),), (range(4),)], "Each such value has a trace of its own."),
        ([(2**70,), (2**71,)], "Each such value has a trace of its own."),
        ([(tf.constant("a"),), (1,)], "Pass the same kind of value each time."),
        ([(tf.constant("a"),), (tf.constant(1),)], "Pass x with one dtype each time."),
        ([(V, V), (V, W)], "A call with one Variable twice and a call with two need a trace each."),
        ([([1],), (1,)], "Pass the same kind of value each time."),
        ([(Pair(1, 2),), (Step(1, 2),)], "Pass values of the same class, with the same fields, each time."),
        ([(Extended(tf.zeros([2])),), (Extended(tf.zeros([2], tf.int32)),)], "Pass the same kind of value each time."),
        ([([],), ([1],)], "Pass as many members each time: x had 0, and has 1."),
        ([({},), ({"a": 1},)], "Pass the same keys each time: 'a' is new."),
    ],
)
def test_where_no_code_helps_none_is_told(calls, fix):
    assert count(calls) == 2 and fix_of(calls) == fix


def test_arguments_that_come_and_go():
    f = tf.function(lambda *args, **kwargs: 0)
    f(V)
    f(V, W)
    f(V, key=1)
    assert [d.fix for d in f.explain()[1].differences] == ["Pass the same number of arguments, and the same keywords."]
    assert [d.path for d in f.explain()[2].differences] == ["key"]


def test_a_trace_that_was_dropped():
    explanation = last_explanation([(1,), (2,), (1,)], max_traces=1)
    assert explanation.differences == []
    assert str(explanation).endswith("trace 0 served such calls, and was dropped for others. Raise max_traces, which is 1.")
    assert count([(1,), (2,), (1,)], max_traces=2) == 2


def test_types_are_cut():
    text = str(last_explanation([(dict.fromkeys(range(99), "a" * 99),), ({"b" * 999: 1},)]))
    assert len(text) < 800
    assert len(str(last_explanation([("a" * 5000,), ("b" * 5000,)]))) < 700


def warnings_of(caplog) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_the_warning_names_the_argument_and_the_line(caplog):
    f = tf.function(eval("lambda x, size: x"))
    for n in range(5):
        f(tf.zeros([2]), n)
    line = test_the_warning_names_the_argument_and_the_line.__code__.co_firstlineno + 3
    (text,) = warnings_of(caplog)
    start, _, rest = text.partition(" (the last at ")
    assert start.startswith("5 out of the last 5 calls to <function <lambda> at 0x")
    assert rest.startswith(
        f"{__file__}:{line} for size: Literal[3] before, Literal[4] now. Pass tf.constant(size) where the value may vary)"
        " triggered tf.function retracing. Tracing is expensive and the excessive number of tracings could be due to (1)"
    )
    assert "\n" not in text


def test_the_warning_where_functions_are_made_in_a_loop(caplog):
    body = eval("lambda x: x")
    for _ in range(5):
        tf.function(body)(1)
    (text,) = warnings_of(caplog)
    assert ", the first call of a new tf.function: make it once, and call that one again) triggered" in text


def test_the_warning_where_instances_are_made_in_a_loop(caplog):
    class Model:
        @tf.function
        def call(self, x):
            return x

    for _ in range(5):
        Model().call(1)
    (text,) = warnings_of(caplog)
    assert ", the first call for another instance: keep one instance, and call its method again) triggered" in text


def test_the_warning_shows_a_few_differences(caplog):
    f = tf.function(eval("lambda a, b, c, d, e: 0"))
    for n in range(5):
        f(*range(n * 10, n * 10 + 5))
    (text,) = warnings_of(caplog)
    assert text.count(" before, ") == 3 and ", and 2 more. Pass tf.constant(a)" in text


def test_the_warning_is_made_outside_of_locks(caplog):
    """What is compared may be the program's own, and may call Functions."""
    inner = tf.function(eval("lambda x: x"))

    class Calls:
        def __eq__(self, other):
            inner(tf.constant(1))
            return self is other

        __hash__ = object.__hash__

    kept = [Calls() for _ in range(5)]
    f = tf.function(eval("lambda x: 0"))
    for one in kept:
        f(one)
    assert len(warnings_of(caplog)) == 1
