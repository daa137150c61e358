"""What only circles of references through a graph keep alive is freed by gc.collect(); all else stays.

The Python callables that a graph holds (the rules of tf.custom_gradient and its kin, what tf.py_function runs) may refer to
tensors of that graph, or to the Function whose trace it is.
"""

import gc
import weakref

import pytest
import tracefn as tf
from dropped_functions import (
    KINDS,
    SHAPES,
    USES,
    Mark,
    custom_gradient,
    differentiated,
    in_cond,
    knows_itself,
    make_and_drop,
    plain,
    slope_of,
)


@pytest.fixture(scope="module", autouse=True)
def _others_set_aside():
    """Collections look at what these tests make, not at the modules of all tests, which takes a quarter of a second."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _collected():
    """Each test begins without garbage of others."""
    gc.collect()


@pytest.mark.parametrize("use", USES, ids=lambda u: u.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_a_dropped_function_is_freed(kind, shape, use):
    mark = make_and_drop(kind, shape, use)
    gc.collect()
    gc.collect()
    assert mark() is None


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.__name__)
def test_a_held_function_survives_collections(kind, shape):
    mark = Mark()
    f = shape(kind(mark), mark)
    slope = slope_of(kind, 3.0)
    for use in USES:
        gc.collect()
        use(f, slope)
    gc.collect()
    differentiated(f, slope)


def test_a_second_collection_finds_nothing():
    kept = []
    for kind in KINDS:
        for shape in (plain, knows_itself, in_cond):
            make_and_drop(kind, shape, differentiated)
            mark = Mark()
            kept.append(shape(kind(mark), mark))
            differentiated(kept[-1], slope_of(kind, 3.0))
    for _ in range(3):
        gc.collect()
    assert gc.collect() == 0


def test_a_held_tensor_of_the_graph_keeps_it():
    mark = Mark()
    square = custom_gradient(mark)
    held = []

    @tf.function
    def f(x):
        held.append(square(x))
        return held[0]

    f(tf.constant(3.0))
    mark, square = weakref.ref(mark), None
    graph = weakref.ref(held[0].graph)
    del f
    for _ in range(3):
        gc.collect()
    assert mark() is not None
    assert held[0].op.type == "IdentityN"
    assert graph() is None  # the Python object of the graph was not held
    held.clear()
    gc.collect()
    assert mark() is None


@pytest.mark.parametrize(
    "hold", [lambda y: y.op, lambda y: y.graph, lambda y: y.consumers], ids=["op", "graph", "method"]
)
def test_what_is_held_of_a_graph_keeps_it(hold):
    held = []

    def run():
        mark = Mark()
        square = custom_gradient(mark)

        @tf.function
        def f(x):
            y = square(x)
            held.append(hold(y))
            return y

        f(tf.constant(3.0))
        return weakref.ref(mark)

    mark = run()
    for _ in range(3):
        gc.collect()
    assert mark() is not None
    held.clear()
    gc.collect()
    assert mark() is None


def test_a_held_concrete_function_keeps_its_rules():
    mark = Mark()
    concrete = knows_itself(custom_gradient(mark), mark).get_concrete_function(tf.TensorSpec([], tf.float32))
    del mark.function
    mark = weakref.ref(mark)
    for _ in range(3):
        gc.collect()
    assert mark() is not None
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = concrete(x)
    gc.collect()
    assert float(tape.gradient(y, x)) == 6.0
    del concrete, tape, y
    gc.collect()
    assert mark() is None


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.__name__)
def test_a_tape_keeps_the_rules_of_what_it_recorded(shape):
    mark = Mark()
    f = shape(custom_gradient(mark), mark)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    mark = weakref.ref(mark)
    del f
    for _ in range(3):
        gc.collect()
    assert float(tape.gradient(y, x)) == 6.0


def test_a_function_that_calls_another_keeps_its_rules():
    mark = Mark()
    inner = tf.function(custom_gradient(mark))

    @tf.function
    def outer(x):
        return inner(x) + x

    trace = outer.get_concrete_function(tf.TensorSpec([], tf.float32))
    mark, inner, outer = weakref.ref(mark), None, None
    for _ in range(3):
        gc.collect()
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = trace(x)
    gc.collect()
    assert float(tape.gradient(y, x)) == 7.0
    del tape, y, trace
    gc.collect()
    assert mark() is None


def test_a_persistent_tape_in_the_closure_of_its_rule():
    def run():
        mark = Mark()
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)

            @tf.custom_gradient
            def square(v):
                return v * v, lambda dy: 2.0 * v * dy if tape and mark else dy

            y = square(x)
        assert float(tape.gradient(y, x)) == 6.0
        return weakref.ref(mark), tape, x, y

    mark, tape, x, y = run()
    gc.collect()
    assert mark() is not None
    assert float(tape.gradient(y, x)) == 6.0
    del tape
    gc.collect()
    assert mark() is None


def test_a_traced_persistent_tape_in_the_closure_of_a_rule():
    def run():
        mark = Mark()

        @tf.function
        def f(x):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)

                @tf.custom_gradient
                def square(v):
                    return v * v, lambda dy: 2.0 * v * dy if tape and mark else dy

                y = square(x)
            return tape.gradient(y, x)

        assert float(f(tf.constant(3.0))) == 6.0
        return weakref.ref(mark)

    mark = run()
    gc.collect()
    assert mark() is None


def test_a_plain_graph():
    def run():
        mark = Mark()
        graph = tf.Graph()
        with graph.as_default():
            x = tf.constant(3.0)
            y = custom_gradient(mark)(x)
            mark.tensor, mark.graph = y, graph
            gc.collect()
            assert tf.gradients(y, x)[0].graph is graph
        return weakref.ref(mark)

    mark = run()
    gc.collect()
    gc.collect()
    assert mark() is None


def test_a_graph_that_is_being_built_survives():
    mark = Mark()
    square = custom_gradient(mark)

    @tf.function
    def f(x):
        y = square(x)
        gc.collect()
        z = tf.cond(y > 0.0, lambda: [square(y), gc.collect()][0], lambda: y)
        gc.collect()
        slope = tf.gradients(z, x)[0]
        gc.collect()
        return slope

    assert float(f(tf.constant(3.0))) == 4 * 27.0
    gc.collect()
    assert float(f(tf.constant(2.0))) == 4 * 8.0


def test_frozen_objects_stay():
    mark = Mark()
    f = knows_itself(custom_gradient(mark), mark)
    differentiated(f, 6.0)
    trace = weakref.ref(mark)
    del f, mark
    gc.freeze()
    try:
        gc.collect()
        assert trace() is not None
    finally:
        gc.unfreeze()
    gc.collect()
    assert trace() is None
