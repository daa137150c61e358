"""What only circles of references through a graph keep alive is freed by gc.collect(); all else stays.

The Python callables that a graph holds (the rules of tf.custom_gradient and its kin, what tf.py_function runs) may refer to
tensors of that graph, or to the Function whose trace it is.
"""

import gc
import os
import subprocess
import sys
import threading
import weakref

import pytest
import tracefn as tf


class Mark:
    """What a closure holds: told by a weak reference whether the closure is there."""


def custom_gradient(mark):
    @tf.custom_gradient
    def square(x):
        def gradient(dy):
            return 2.0 * x * dy if mark else dy

        return x * x, gradient

    return square


def custom_gradient_of_a_closure(mark):
    def square(x):
        y = tf.custom_gradient(lambda v: (v * v, lambda dy: 2.0 * x * dy if mark else dy))
        return y(x)

    return square


def grad_pass_through(mark):
    def square(x):
        x.mark = mark
        return tf.grad_pass_through(tf.square)(x)

    return square


def recompute_grad(mark):
    return tf.recompute_grad(lambda x: x * x if mark else x)


def py_function(mark):
    def square(x):
        return tf.ensure_shape(tf.py_function(lambda v: v * v if mark else v, [x], tf.float32), x.shape)

    return square


def numpy_function(mark):
    def square(x):
        return tf.ensure_shape(tf.numpy_function(lambda v: v * v if mark else v, [x], tf.float32), x.shape)

    return square


KINDS = [custom_gradient, custom_gradient_of_a_closure, grad_pass_through, recompute_grad, py_function, numpy_function]


def slope_of(kind, x):
    """The gradient of its square at x; 0 where there is none."""
    return {grad_pass_through: 1.0, numpy_function: 0.0}.get(kind, 2.0 * x)


# Each takes a function of a tensor and the mark, and returns a function to be called.


def plain(square, mark):
    return tf.function(square)


def nested(square, mark):
    inner = tf.function(square)
    return tf.function(lambda x: inner(x) + 0.0 * x)


def nested_twice(square, mark):
    inner = tf.function(square)
    middle = tf.function(lambda x: inner(x) + 0.0)
    return tf.function(lambda x: middle(x) * 1.0 + inner(x) * 0.0)


def in_cond(square, mark):
    return tf.function(lambda x: tf.cond(x > 0.0, lambda: square(x), lambda: x))


def in_switch_case(square, mark):
    return tf.function(lambda x: tf.switch_case(tf.cast(x > 0.0, tf.int32), [lambda: x, lambda: square(x)]))


def in_while(square, mark):
    return tf.function(
        lambda x: tf.while_loop(lambda i, y: i < 1, lambda i, y: (i + 1, square(y)), [tf.constant(0), x])[1]
    )


def in_for(square, mark):
    @tf.function
    def f(x):
        for _ in tf.range(1):
            x = square(x)
        return x

    return f


def knows_itself(square, mark):
    f = tf.function(square)
    mark.function = f
    return f


def knows_itself_in_cond(square, mark):
    f = in_cond(square, mark)
    mark.function = f
    return f


def knows_itself_in_while(square, mark):
    f = in_while(square, mark)
    mark.function = f
    return f


def knows_itself_nested(square, mark):
    f = nested(square, mark)
    mark.function = f
    return f


def knows_its_trace(square, mark):
    f = tf.function(square)
    mark.trace = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    return f


def method(square, mark):
    class Model:
        @tf.function
        def call(self, x):
            return self.square(x)

    model = Model()
    model.square = square
    mark.model = model
    return model.call


def method_with_signature(square, mark):
    class Model:
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def call(self, x):
            return self.square(x)

    model = Model()
    model.square = square
    mark.model = model
    return model.call


SHAPES = [
    plain,
    nested,
    nested_twice,
    in_cond,
    in_switch_case,
    in_while,
    in_for,
    knows_itself,
    knows_itself_in_cond,
    knows_itself_in_while,
    knows_itself_nested,
    knows_its_trace,
    method,
    method_with_signature,
]


# Each uses a function once; `slope` is the expected gradient at 3.


def traced(f, slope):
    f.get_concrete_function(tf.TensorSpec([], tf.float32))


def called(f, slope):
    assert float(f(tf.constant(3.0))) == 9.0
    assert float(f(tf.constant(2.0))) == 4.0


def differentiated(f, slope):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x, unconnected_gradients="zero")) == slope


def differentiated_by_a_persistent_tape(f, slope):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x, unconnected_gradients="zero")) == slope


def differentiated_in_a_function(f, slope):
    @tf.function
    def g(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    assert float(g(tf.constant(3.0))) == slope


def differentiated_by_tf_gradients(f, slope):
    @tf.function
    def g(x):
        return tf.gradients(f(x), x, unconnected_gradients="zero")[0]

    assert float(g(tf.constant(3.0))) == slope


USES = [
    traced,
    called,
    differentiated,
    differentiated_by_a_persistent_tape,
    differentiated_in_a_function,
    differentiated_by_tf_gradients,
]


def make_and_drop(kind, shape, use):
    """A weak reference to the mark of a function that was used once."""
    mark = Mark()
    f = shape(kind(mark), mark)
    use(f, slope_of(kind, 3.0))
    return weakref.ref(mark)


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


def test_a_rule_may_collect():
    @tf.custom_gradient
    def square(x):
        def gradient(dy):
            gc.collect()
            return 2.0 * x * dy

        return x * x, gradient

    def run():
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.function(square)(x)  # nothing but the tape holds the trace
        return float(tape.gradient(y, x))

    assert run() == 6.0


def test_a_py_function_may_collect():
    def run():
        mark = Mark()

        def collect(v):
            gc.collect()
            return v * v if mark else v

        @tf.function
        def f(x):
            return tf.py_function(collect, [x], tf.float32)

        mark.function = f
        assert float(f(tf.constant(3.0))) == 9.0
        return weakref.ref(mark)

    mark = run()
    gc.collect()
    assert mark() is None


def test_a_finalizer_may_bring_the_function_back():
    kept = []

    class Returning:
        def __del__(self):
            kept.append(self)

    def run():
        mark = Returning()
        mark.mark = Mark()
        f = tf.function(custom_gradient(mark))
        mark.function = f
        differentiated(f, 6.0)

    run()
    gc.collect()
    differentiated(kept[0].function, 6.0)
    mark = weakref.ref(kept[0].mark)
    traced(kept[0].function, 6.0)
    for _ in range(3):
        gc.collect()
    differentiated(kept[0].function, 6.0)
    kept.clear()
    gc.collect()
    assert mark() is None
    assert not kept


def test_a_finalizer_may_keep_a_piece_of_the_graph():
    kept = []

    class Keeping:
        def __del__(self):
            kept.append((self.trace.graph, self.tensor.op))
            del self.tensor, self.trace

    def run():
        keeping, mark = Keeping(), Mark()

        @tf.function
        def f(x):
            keeping.tensor = custom_gradient(mark)(x)
            mark.keeping = keeping
            return keeping.tensor

        keeping.trace = f.get_concrete_function(tf.TensorSpec([], tf.float32))

    def slope():
        """Calls the rule, for it is a node's."""
        graph, op = kept[0]
        with graph.as_default():
            return tf.gradients(op.outputs[0], op.inputs[-1])[0]

    run()
    for _ in range(3):
        gc.collect()
        assert slope().op.type == "Mul"
    assert any(isinstance(x, Keeping) for x in gc.get_objects())
    kept.clear()
    gc.collect()
    assert not any(isinstance(x, Keeping) for x in gc.get_objects())


def test_a_finalizer_may_call_the_function():
    results = []

    class Calling:
        def __del__(self):
            x = tf.constant(3.0)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = self.function(x)
            results.append(float(tape.gradient(y, x)))

    def run():
        calling = Calling()
        calling.function = tf.function(custom_gradient(calling))

        traced(calling.function, 6.0)

    run()
    gc.collect()
    assert results == [6.0]
    gc.collect()
    gc.collect()


def test_a_weak_reference_s_callback_may_collect_and_trace():
    results = []

    def dead(_):
        gc.collect()
        results.append(float(tf.function(custom_gradient(Mark()))(tf.constant(3.0))))

    mark = make_and_drop(custom_gradient, knows_itself, differentiated)
    watcher = weakref.ref(mark(), dead)
    gc.collect()
    assert watcher() is None
    assert results == [9.0]


def test_a_callback_that_takes_itself_off_the_list():
    """Then the interpreter leaves out the callback behind it."""
    marks = []

    def once(phase, info):
        if phase == "stop":
            gc.callbacks.remove(once)

    for _ in range(3):
        gc.callbacks.insert(0, once)
        marks.append(make_and_drop(custom_gradient, knows_itself, differentiated))
        gc.collect()
        marks.append(make_and_drop(custom_gradient, knows_itself, differentiated))
    gc.collect()
    assert [m() for m in marks] == [None] * len(marks)


def test_callbacks_may_be_cleared():
    kept = list(gc.callbacks)

    def clear(phase, info):
        if phase == "start":
            gc.callbacks.clear()

    mark = Mark()
    f = knows_itself(custom_gradient(mark), mark)
    differentiated(f, 6.0)
    kept = [c for c in gc.callbacks if type(c).__name__ != "GarbageCallback"]
    try:
        gc.callbacks.append(clear)
        gc.collect()
        for _ in range(10):
            gc.collect()
            differentiated(f, 6.0)
        # The next callable brings it back.
        made = make_and_drop(custom_gradient, knows_itself, differentiated)
        gc.collect()
        assert made() is None
        differentiated(f, 6.0)
    finally:
        gc.callbacks.extend(c for c in kept if c not in gc.callbacks)


def test_shadows_may_be_looked_at_and_kept():
    seen = []

    def look(phase, info):
        for found in gc.get_objects():
            if type(found).__name__ == "Shadow":
                seen.append(found)
                gc.get_referents(found)
                repr(found)
                gc.is_tracked(found)

    mark = Mark()
    f = knows_itself(custom_gradient(mark), mark)
    differentiated(f, 6.0)
    gc.callbacks.append(look)
    try:
        gc.collect()
        gc.collect(1)
    finally:
        gc.callbacks.remove(look)
    assert seen
    with pytest.raises(TypeError, match="cannot create"):
        type(seen[0])()
    assert all(not any(type(r).__name__ == "Mark" for r in gc.get_referents(s)) for s in seen)
    gc.collect()
    differentiated(f, 6.0)
    mark = weakref.ref(mark)
    seen.clear()
    del f
    gc.collect()
    gc.collect()
    assert mark() is None


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


STRESS = """
import gc, sys, threading, weakref
import tracefn as tf

stop = threading.Event()
failures = []
marks = []

class Mark:
    pass

def make(mark):
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: 2.0 * x * dy if mark else dy
    return square

def work(seed):
    shared = None
    try:
        n = 0
        while not stop.is_set():
            n += 1
            mark = Mark()
            square = make(mark)
            kind = (n + seed) % 4
            if kind == 0:
                f = tf.function(square)
            elif kind == 1:
                f = tf.function(lambda x: tf.cond(x > 0.0, lambda: square(x), lambda: x))
            elif kind == 2:
                inner = tf.function(square)
                f = tf.function(lambda x: inner(x))
            else:
                f = tf.function(lambda x: tf.while_loop(
                    lambda i, y: i < 1, lambda i, y: (i + 1, square(y)), [tf.constant(0), x])[1])
            if n % 2:
                mark.function = f
            x = tf.constant(3.0)
            with tf.GradientTape(persistent=n % 3 == 0) as tape:
                tape.watch(x)
                y = f(x)
                if shared is not None:
                    y = y + 0.0 * shared(x)
            assert float(tape.gradient(y, x)) == 6.0
            assert float(f(tf.ones([2000]) * 3.0)[0]) == 9.0 if kind in (0, 2) else True
            if n % 5 == 0:
                shared = f
            marks.append(weakref.ref(mark))
    except BaseException as error:
        import traceback
        traceback.print_exc()
        failures.append(error)

threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for t in threads:
    t.start()
import time
end = time.monotonic() + SECONDS
rounds = 0
while time.monotonic() < end and not failures:
    gc.collect()
    rounds += 1
stop.set()
for t in threads:
    t.join()
gc.collect()
gc.collect()
assert not failures
assert rounds > 3
left = sum(m() is not None for m in marks)
print(len(marks), rounds, left)
assert left == 0, left
"""


def test_threads_that_trace_differentiate_and_drop():
    seconds = os.environ.get("TRACEFN_STRESS_SECONDS", "6")
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", STRESS.replace("SECONDS", seconds)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


MEMORY = """
import gc, os
import tracefn as tf

def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def make():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: 2.0 * x * dy
    f = tf.function(lambda x: square(x), autograph=False)
    f(tf.constant(3.0))

def run(n):
    for i in range(n):
        make()
        if i % 200 == 199:
            gc.collect()
    gc.collect()
    return resident()

run(400)
before = run(200)
print((run(2000) - before) / 2000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_dropped_functions_take_no_memory():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 600  # bytes for each; 6 KB when the graph stays


def test_a_thread_that_runs_a_function_keeps_it():
    mark = Mark()
    inside, go = threading.Event(), threading.Event()
    results = []

    def make(mark):
        def wait(v):
            inside.set()
            go.wait(30)
            return v * v if mark else v

        @tf.function
        def f(x):
            return tf.ensure_shape(tf.py_function(wait, [x], tf.float32), [])

        mark.function = f
        return f

    f = make(mark)

    def run(function):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        results.append((float(y), float(tape.gradient(y, x))))

    thread = threading.Thread(target=run, args=(f,))
    thread.start()
    del f
    watcher = weakref.ref(mark)
    del mark
    assert inside.wait(30)
    for _ in range(3):
        gc.collect()
    go.set()
    thread.join()
    del thread
    assert results == [(9.0, 6.0)]
    gc.collect()
    assert watcher() is None


def test_gradients_stay_right_over_many_collections():
    weight = tf.Variable(1.0)

    @tf.custom_gradient
    def twice(x):
        return 2.0 * x, lambda dy: 3.0 * dy

    @tf.function
    def loss(x):
        for _ in tf.range(3):
            x = tf.cond(x > 0.0, lambda: twice(x) * weight, lambda: x)  # noqa: B023
        return x

    for n in range(1, 6):
        with tf.GradientTape() as tape:
            y = loss(tf.constant(float(n)))
        gc.collect()
        # The last factor's 2 * 4n, the one before's 3 * 2 * 2n, the first one's 9 * 2n.
        assert float(tape.gradient(y, weight)) == 38.0 * n
        gc.collect()
