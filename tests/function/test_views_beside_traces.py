"""What a Function, a graph and a module say of themselves while other threads trace: each view is of one moment."""

import sys
import threading
import time

import pytest
import tracefn as tf

SECONDS = 1.0


@pytest.fixture(autouse=True)
def often_switching():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def beside(change, *views) -> None:
    """Calls `change(i)` on a thread while each of `views` is called on others; raises what one of them raised."""
    errors: list = []
    done = threading.Event()

    def repeat(call):
        try:
            i = 0
            while not done.is_set():
                call(i)
                i += 1
        except BaseException as error:
            errors.append(error)
            done.set()

    calls = [change, *(lambda i, view=view: view() for view in views)]
    threads = [threading.Thread(target=repeat, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    done.wait(SECONDS)
    done.set()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_of_a_function():
    f = tf.function(lambda x, n: x * n)
    tf.get_logger().setLevel("ERROR")
    seen = []
    beside(
        lambda i: f(tf.constant(1.0), float(i)),
        f.pretty_printed_concrete_signatures,
        lambda: seen.append(len(f.explain())),
        f.experimental_get_tracing_count,
        f.cache_info,
        lambda: f.get_concrete_function(tf.constant(1.0), 1.0).pretty_printed_signature(),
    )
    assert seen == sorted(seen) and len(f.explain()) == f.experimental_get_tracing_count()


def test_of_a_function_that_forgets():
    f = tf.function(lambda x, n: x * n, max_traces=3)
    tf.get_logger().setLevel("ERROR")
    beside(
        lambda i: f(tf.constant(1.0), float(i)),
        lambda: f(tf.constant(1.0), time.perf_counter()),
        lambda: f.pretty_printed_concrete_signatures(verbose=False),
        f.explain,
        f.cache_clear,
    )
    assert f.cache_info().currsize <= 3 + 2  # of the two threads that traced


def test_of_instances():
    class Model:
        @tf.function
        def f(self, x):
            return x + 1

    kept = [Model() for _ in range(3)]
    beside(
        lambda i: Model().f(tf.constant(i)),
        lambda: [model.f.pretty_printed_concrete_signatures() for model in kept],
        lambda: [model.f(tf.constant(1)) for model in kept],
        Model.f.explain,
    )


def test_of_a_graph_being_traced():
    inside = []
    big = [tf.constant(float(i)) for i in range(50)] + [tf.zeros([200]) for _ in range(50)]
    variables = [tf.Variable(float(i)) for i in range(50)]

    @tf.function
    def f(x, n):
        graph = x.graph
        inside.append(graph)
        for t in (*big, *variables):
            x = x + tf.reduce_sum(t)
            graph.add_to_collection(f"c{len(graph.get_operations())}", x)
        return x * n

    tf.get_logger().setLevel("ERROR")

    def last():
        return inside[-1] if inside else tf.Graph()

    beside(
        lambda i: f.get_concrete_function(tf.TensorSpec([]), float(i)),
        lambda: [len(last().captures), last().variables, last().trainable_variables, last().external_captures],
        lambda: [len(last().inputs), len(last().outputs), last().get_operations()],
        lambda: [op.inputs for op in last().get_operations()],
        lambda: [last().collections, last().get_all_collection_keys(), last().get_collection("c3")],
        lambda: last().text(sources=False),
    )


def test_of_a_module():
    module = tf.Module()
    module.layers = [tf.Module() for _ in range(3)]

    def change(i):
        setattr(module, f"v{i % 50}", tf.Variable(1.0))
        module.layers.append(tf.Module())
        module.parts = {"a": tf.Module()}
        module.parts[f"p{i % 9}"] = tf.Module()
        del module.parts[f"p{i % 9}"]
        if i % 50 > 25:
            delattr(module, f"v{i % 50}")
            del module.layers[3:]

    beside(
        change,
        lambda: module.variables,
        lambda: module.trainable_variables,
        lambda: module.submodules,
        lambda: list(module._flatten(with_path=True)),
    )


def made(i: int):
    def g(x):
        for row in x:
            if row > i:
                return row
        return x[0]

    return g


def test_of_gradients_registered_and_functions_converted():
    from tracefn.autograph.api import why_unconverted

    def change(i):
        tf.function(made(i)).get_concrete_function(tf.TensorSpec([2], tf.int32))
        tf.RegisterGradient(f"Beside{i}_{time.perf_counter()}")(lambda op, dy: dy)

    beside(
        change,
        lambda: why_unconverted(change.__code__),
        lambda: tf.autograph.to_graph(made(3)),
    )
