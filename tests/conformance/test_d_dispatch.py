"""Section D of the tracing rules: which trace a call uses, when it traces, how keys are generalised, the warning."""

import collections
import functools
import re
import threading
import time

import numpy as np
import pytest


@pytest.fixture
def shapes_traced(tf):
    """A Function of one tensor, and the list of static shapes that it was traced for."""

    def make(**options):
        shapes = []

        def probe(x):
            shapes.append(None if x.shape.rank is None else tuple(x.shape.as_list()))
            return tf.identity(x)

        return tf.function(probe, **options), shapes

    return make


@pytest.mark.rule(47)
def test_exact_match_before_a_more_general_trace(tf):
    f = tf.function(lambda x: tf.constant(str(x.shape)))
    f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert f(tf.zeros([2])).numpy() == b"(None,)"
    f.get_concrete_function(tf.TensorSpec([2, 2], tf.float32))
    assert f(tf.zeros([2, 2])).numpy() == b"(2, 2)"


@pytest.mark.rule(47)
def test_exact_match_that_was_traced_first(tf):
    f = tf.function(lambda x: tf.constant(str(x.shape)))
    f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    f.get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert f(tf.zeros([2])).numpy() == b"(2,)"
    assert f(tf.zeros([3])).numpy() == b"(None,)"
    assert f(tf.zeros([3, 3])).numpy() == b"<unknown>"
    assert f.experimental_get_tracing_count() == 3


@pytest.mark.rule(48, 49)
@pytest.mark.parametrize(
    "order, used, count",
    [
        ("half any rankless", "(2, None)", 3),
        ("half rankless any", "(2, None)", 2),  # `any` is served by the rankless trace.
        ("any half rankless", "(None, None)", 2),  # `half` is served by the trace of `any`.
        ("any rankless half", "(None, None)", 2),
        ("rankless half any", "<unknown>", 1),
        ("rankless any half", "<unknown>", 1),
    ],
)
def test_the_most_specific_supertype(tf, order, used, count):
    shapes = {"half": [2, None], "any": [None, None], "rankless": None}
    f = tf.function(lambda x: tf.constant(str(x.shape)))
    for name in order.split():
        f.get_concrete_function(tf.TensorSpec(shapes[name], tf.float32))
    assert f(tf.zeros([2, 5])).numpy().decode() == used
    assert f.experimental_get_tracing_count() == count


@pytest.mark.rule(48)
def test_ties_go_to_the_earliest(tf):
    for first, second, text in (([None, 2], [1, None], b"(None, 2)"), ([1, None], [None, 2], b"(1, None)")):
        f = tf.function(lambda x: tf.constant(str(x.shape)))
        f.get_concrete_function(tf.TensorSpec(first, tf.float32))
        f.get_concrete_function(tf.TensorSpec(second, tf.float32))
        assert f(tf.zeros([1, 2])).numpy() == text and f.experimental_get_tracing_count() == 2


@pytest.mark.rule(48)
def test_several_parameters(tf):
    f = tf.function(lambda x, y: tf.constant(f"{x.shape} {y.shape}"))
    spec = lambda shape: tf.TensorSpec(shape, tf.float32)
    f.get_concrete_function(spec([None]), spec([3]))
    f.get_concrete_function(spec([None]), spec([None]))
    assert f(tf.zeros([9]), tf.zeros([3])).numpy() == b"(None,) (3,)"
    assert f(tf.zeros([9]), tf.zeros([4])).numpy() == b"(None,) (None,)"
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.rule(48)
def test_python_values_only_match_themselves(tf, traces):
    f = tf.function(lambda x, mode: traces.append(mode))
    f.get_concrete_function(tf.TensorSpec([None], tf.float32), "a")
    f(tf.zeros([2]), "a")
    assert traces == ["a"]
    f(tf.zeros([2]), "b")
    assert traces == ["a", "b"]


@pytest.mark.rule(48, 53)
def test_structures_match_leaf_by_leaf(tf, traces):
    f = tf.function(lambda d: traces.append(d["a"].shape.as_list()))
    f.get_concrete_function({"a": tf.TensorSpec([None], tf.float32), "b": 1})
    f({"a": tf.zeros([4]), "b": 1}), f({"b": 1, "a": tf.zeros([5])})
    assert traces == [[None]]
    f({"a": tf.zeros([4]), "b": 2})
    assert traces == [[None], [4]]


@pytest.mark.rule(49)
def test_get_concrete_function_of_a_covered_spec(tf):
    f = tf.function(lambda x: x)
    general = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
    assert f.get_concrete_function(tf.TensorSpec([3, 2], tf.float32)) is general
    assert f.get_concrete_function(tf.zeros([4, 2])) is general
    assert f.get_concrete_function(tf.TensorSpec([None, None], tf.float32)) is not general


@pytest.mark.rule(49)
def test_no_match_traces(tf, shapes_traced):
    f, shapes = shapes_traced()
    f(tf.zeros([1])), f(tf.zeros([2])), f(tf.zeros([1, 1]))
    assert shapes == [(1,), (2,), (1, 1)]


@pytest.mark.rule(50)
def test_equal_keys_never_retrace(tf, traces):
    f = tf.function(lambda x, k: traces.append(k))
    for _ in range(20):
        f(tf.zeros([2]), "a"), f(np.zeros(2, np.float32), "a"), f(tf.zeros([3]), "a")
    assert len(traces) == 2


@pytest.mark.rule(12, 50)
@pytest.mark.parametrize("make", [lambda tf, x: tf.constant(x), lambda tf, x: np.array(x)], ids=["tensors", "arrays"])
def test_a_value_given_twice_is_two_arguments(tf, make):
    x, y = make(tf, [1.0, 2.0]), make(tf, [5.0, 7.0])
    f = tf.function(lambda a, b: a - b)
    assert f(x, x).numpy().tolist() == [0, 0]
    assert f(x, y).numpy().tolist() == [-4, -5]
    assert f(y, x).numpy().tolist() == [4, 5]
    g = tf.function(lambda a, b: a - b)
    assert g(b=x, a=x).numpy().tolist() == [0, 0]
    assert g(b=y, a=x).numpy().tolist() == [-4, -5]
    h = tf.function(lambda d: d["a"] - d["b"])
    assert h({"b": x, "a": x}).numpy().tolist() == [0, 0]
    assert h({"b": x, "a": y}).numpy().tolist() == [4, 5]


@pytest.mark.rule(12, 50)
def test_a_default_that_is_given_too_is_two_arguments(tf):
    default, y = tf.constant([1.0, 2.0]), tf.constant([5.0, 7.0])
    f = tf.function(lambda a, b=default: a - b)
    assert f(default).numpy().tolist() == [0, 0]
    assert f(y).numpy().tolist() == [4, 5]


@pytest.mark.rule(50)
def test_eight_threads_make_one_trace(tf, traces):
    barrier = threading.Barrier(8)
    results = []

    @tf.function
    def f(x):
        traces.append(0)
        time.sleep(0.05)
        return x + 1

    def call(n):
        barrier.wait()
        results.append(int(f(tf.constant(n))))

    threads = [threading.Thread(target=call, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == list(range(1, 9)) and len(traces) == 1


@pytest.mark.rule(51)
@pytest.mark.parametrize("reduce_retracing", [False, True])
def test_a_new_dtype_traces(tf, traces, reduce_retracing):
    f = tf.function(lambda x: traces.append(x.dtype.name), reduce_retracing=reduce_retracing)
    f.get_concrete_function(tf.TensorSpec(None, tf.float32))
    f(tf.constant(1.0)), f(tf.constant(1)), f(tf.constant(1.0, tf.float64)), f(tf.constant(2))
    assert traces == ["float32", "int32", "float64"]


@pytest.mark.rule(52)
def test_generalising_dimensions(tf, shapes_traced):
    f, shapes = shapes_traced(reduce_retracing=True)
    for shape in ([1, 4], [2, 4], [3, 4], [3, 5], [9, 9]):
        assert f(tf.zeros(shape)).shape.as_list() == shape
    assert shapes == [(1, 4), (None, 4), (None, None)]


@pytest.mark.rule(52)
def test_generalising_ranks(tf, shapes_traced):
    f, shapes = shapes_traced(reduce_retracing=True)
    f(tf.zeros([1])), f(tf.zeros([1, 1])), f(tf.zeros([])), f(tf.zeros([2, 3, 4]))
    assert shapes == [(1,), None]


@pytest.mark.rule(52)
def test_generalising_with_each_trace_in_order(tf, shapes_traced):
    f, shapes = shapes_traced(reduce_retracing=True)
    f(tf.zeros([1, 2])), f(tf.zeros([1, 3])), f(tf.zeros([5, 2])), f(tf.zeros([6, 7]))
    assert shapes == [(1, 2), (1, None), (None, None)]


@pytest.mark.rule(52, 53)
def test_other_dtypes_are_left_out(tf, traces):
    f = tf.function(lambda x: traces.append((x.dtype.name, x.shape.as_list())), reduce_retracing=True)
    f(tf.zeros([1])), f(tf.zeros([2], tf.int32)), f(tf.zeros([3])), f(tf.zeros([4], tf.int32)), f(tf.zeros([5]))
    assert traces == [("float32", [1]), ("int32", [2]), ("float32", [None]), ("int32", [None])]


@pytest.mark.rule(53)
def test_generalising_inside_structures(tf, traces):
    f = tf.function(
        lambda d, p: traces.append((d["x"].shape.as_list(), d["k"], p[0].shape.as_list())), reduce_retracing=True
    )
    for n in (1, 2, 3):
        f({"x": tf.zeros([n]), "k": "mode"}, (tf.zeros([2, n]),))
    assert traces == [([1], "mode", [2, 1]), ([None], "mode", [2, None])]


@pytest.mark.rule(53)
def test_python_values_are_never_joined(tf, traces):
    f = tf.function(lambda x, k: traces.append((x.shape.as_list(), k)), reduce_retracing=True)
    f(tf.zeros([1]), 1), f(tf.zeros([2]), 2), f(tf.zeros([3]), 1), f(tf.zeros([4]), 2), f(tf.zeros([5]), 2)
    assert traces == [([1], 1), ([2], 2), ([None], 1), ([None], 2)]


@pytest.mark.rule(53)
def test_structures_are_never_joined(tf, traces):
    f = tf.function(lambda s: traces.append(len(s)), reduce_retracing=True)
    f([tf.zeros([1])]), f([tf.zeros([1]), tf.zeros([1])]), f((tf.zeros([1]),)), f([tf.zeros([2])]), f([tf.zeros([3])])
    assert traces == [1, 2, 1, 1]


@pytest.mark.rule(53)
def test_namedtuples_are_generalised(tf, traces):
    Batch = collections.namedtuple("Batch", "x label")
    f = tf.function(lambda b: traces.append((type(b).__name__, b.x.shape.as_list())), reduce_retracing=True)
    for n in (1, 2, 3):
        f(Batch(tf.zeros([n]), "same"))
    assert traces == [("Batch", [1]), ("Batch", [None])]


@pytest.mark.rule(54)
def test_the_exact_trace_stays_in_use(tf):
    f = tf.function(lambda x: tf.constant(str(x.shape)), reduce_retracing=True)
    assert [f(tf.zeros([n])).numpy() for n in (1, 2, 1, 2, 3)] == [b"(1,)", b"(None,)", b"(1,)", b"(None,)", b"(None,)"]
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.rule(52, 54)
def test_get_concrete_function_generalises_too(tf):
    f = tf.function(lambda x: x, reduce_retracing=True)
    first = f.get_concrete_function(tf.zeros([1]))
    second = f.get_concrete_function(tf.zeros([2]))
    assert first.structured_input_signature[0][0].shape.as_list() == [1]
    assert second.structured_input_signature[0][0].shape.as_list() == [None]
    assert f.get_concrete_function(tf.zeros([3])) is second


def retracing_warnings(log_lines):
    return [text for level, text in log_lines if level == "WARNING" and "triggered tf.function retracing" in text]


@pytest.mark.rule(55)
def test_the_warning_and_its_text(tf, log_lines):
    @tf.function
    def noisy(x):
        return x

    for n in range(4):
        noisy(n)
    assert retracing_warnings(log_lines) == []
    noisy(4)
    (text,) = retracing_warnings(log_lines)
    assert text.startswith("5 out of the last 5 calls to <function ")
    assert "noisy at 0x" in text and text.endswith(
        "triggered tf.function retracing. Tracing is expensive and the excessive number of tracings could be due to"
        " (1) creating @tf.function repeatedly in a loop, (2) passing tensors with different shapes, (3) passing Python"
        " objects instead of tensors. For (1), please define your @tf.function outside of the loop. For (2), @tf.function"
        " has reduce_retracing=True option that can avoid unnecessary retracing. For (3), please refer to"
        " https://www.tensorflow.org/guide/function#controlling_retracing and"
        " https://www.tensorflow.org/api_docs/python/tf/function for  more details."
    )


@pytest.mark.rule(55)
def test_the_warning_names_the_function_of_a_method(tf, log_lines):
    class Model:
        @tf.function
        def decorated(self, x):
            return x

        def plain(self, x):
            return x

    for call in Model().decorated, tf.function(Model().plain):
        for n in range(5):
            call(n)
    decorated, plain = retracing_warnings(log_lines)
    assert re.match(r"5 out of the last 5 calls to <function \S*Model\.decorated at 0x\w+> ", decorated)
    assert re.match(r"5 out of the last 5 calls to <bound method \S*Model\.plain of <\S*Model object at 0x\w+>> ", plain)


@pytest.mark.rule(55)
def test_the_warning_comes_at_most_twice(tf, log_lines):
    f = tf.function(lambda x: x)
    for n in range(15):
        f(n)
    texts = retracing_warnings(log_lines)
    assert [text.split(" calls")[0] for text in texts] == ["5 out of the last 5", "6 out of the last 6"]


@pytest.mark.rule(55)
def test_no_warning_when_most_calls_hit(tf, log_lines):
    f = tf.function(lambda x: x)
    for n in range(8):
        for _ in range(4):
            f(n)
    assert retracing_warnings(log_lines) == []


@pytest.mark.rule(55)
def test_calls_that_hit_are_counted(tf, log_lines):
    f = tf.function(lambda x: x)
    for n in (0, 0, 0, 1, 2, 3, 4):
        f(n)
    (text,) = retracing_warnings(log_lines)
    assert text.startswith("5 out of the last 7 calls to <function ")


@pytest.mark.rule(56)
def test_the_count_is_per_code_object(tf, log_lines):
    def body(x):
        return x

    for _ in range(5):
        tf.function(body)(1)
    assert len(retracing_warnings(log_lines)) == 1


def added(x, y):
    return x + y


@pytest.mark.rule(56)
def test_the_count_sees_through_decorators_and_not_through_partials(tf, log_lines):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args)

        return wrapper

    for n in range(6):  # six functions behind one kind of wrapper
        tf.function(decorate(eval(f"lambda x: x + {n}")), autograph=False)(n)
    for n in range(6):
        tf.function(functools.partial(added, n))(1)
    assert retracing_warnings(log_lines) == []
    wrapped = decorate(lambda x: x)
    for n in range(5):
        tf.function(wrapped)(n)
    assert len(retracing_warnings(log_lines)) == 1


@pytest.mark.rule(55)
def test_only_eager_calls_count(tf, log_lines):
    inner = tf.function(lambda x: x)

    @tf.function
    def outer():
        total = 0
        for i in range(7):
            total += inner(i)
        return total

    assert outer().numpy() == 21 and inner.experimental_get_tracing_count() == 7
    for i in range(10, 18):
        inner.get_concrete_function(i)
    assert retracing_warnings(log_lines) == []


@pytest.mark.rule(56)
def test_the_logger_level_silences_it(tf, log_lines):
    tf.get_logger().setLevel("ERROR")
    f = tf.function(lambda x: x)
    for n in range(6):
        f(n)
    assert log_lines == []
