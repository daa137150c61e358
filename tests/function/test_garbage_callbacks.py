"""Python code that runs during a collection, or that starts one, finds graphs whole."""

import gc
import weakref

import pytest
import tracefn as tf
from dropped_functions import Mark, custom_gradient, differentiated, knows_itself, make_and_drop, traced


@pytest.fixture(autouse=True)
def _collected():
    """Each test begins without garbage of others."""
    gc.collect()


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


def test_instances_that_are_collected_before_they_are_made():
    """The first instance of a class of graphs makes a weak reference to the class, which may collect."""
    threshold = gc.get_threshold()
    for _ in range(20):

        class Scratch(tf.__internal__.FuncGraph):
            pass

        gc.set_threshold(1)
        try:
            graph = Scratch("scratch")
        finally:
            gc.set_threshold(*threshold)
        assert graph.name == "scratch"
