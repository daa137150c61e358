"""Tensors and operations of a graph have one Python object each: programs note by id() what they have visited."""

import gc
import weakref

import pytest

pytestmark = pytest.mark.rule(191)


def run_in(tf, kind, f):
    if kind == "graph":
        with tf.Graph().as_default():
            f()
    else:
        tf.function(f, autograph=False).get_concrete_function()


@pytest.mark.parametrize("kind", ["graph", "function"])
def test_each_way_leads_to_the_same_object(tf, kind):
    def check():
        a = tf.constant(1.0)
        b = a + 1.0
        with tf.control_dependencies([a.op]):
            c = tf.no_op()
        graph = tf.compat.v1.get_default_graph()
        assert a.op is a.op and c is graph.get_operation_by_name(c.name)
        assert a.op.outputs[0] is a and a.op.values()[0] is a
        assert b.op.inputs[0] is a and a.consumers()[0] is b.op
        assert c.control_inputs[0] is a.op
        assert graph.get_operations()[0] is a.op
        assert graph.get_tensor_by_name(a.name) is a and graph.get_operation_by_name(a.op.name) is a.op
        assert graph.as_graph_element(a.name) is a

    run_in(tf, kind, check)


@pytest.mark.parametrize("kind", ["graph", "function"])
def test_attributes_stay(tf, kind):
    def check():
        a = tf.constant(1.0)
        a.note = "seen"
        b = tf.sin(a)
        assert b.op.inputs[0].note == "seen"

    run_in(tf, kind, check)


@pytest.mark.parametrize("kind", ["graph", "function"])
def test_a_walk_by_identity_visits_each_object_once(tf, kind):
    def check():
        x = first = tf.constant(1.0)
        for _ in range(60):
            x = x + tf.sin(x)
        seen, visited, open_ends = set(), [], [first]
        while open_ends:
            at = open_ends.pop()
            if id(at) in seen:
                continue
            seen.add(id(at))
            visited.append(at)
            open_ends.extend(at.outputs if isinstance(at, tf.Operation) else at.consumers())
        assert len(visited) == 1 + 60 * 4

    run_in(tf, kind, check)


def test_tensors_that_were_seen_keep_their_identity(tf):
    with tf.Graph().as_default():
        x = first = tf.compat.v1.placeholder(tf.float32, [])
        for _ in range(60):
            x = x + tf.sin(x)
        seen, level = {}, [x]
        while level:  # each level is dropped before the next one is looked at
            names = {id(t): t.name for t in level}
            for key, name in names.items():
                assert seen.setdefault(key, name) == name
            level = [t for old in level for t in old.op.inputs if id(t) not in seen]
        assert len(seen) == 1 + 60 * 2 and id(first) in seen


def test_attributes_of_tensors_stay_without_them(tf):
    with tf.Graph().as_default():
        b = tf.sin(tf.cos(tf.constant(1.0)))
        b.op.inputs[0].note = "seen"
        b.op.inputs[0].op.outputs[0].other = 2
        gc.collect()
        assert b.op.inputs[0].note == "seen" and b.op.inputs[0].other == 2


def test_a_graph_that_was_walked_ends(tf):
    with tf.Graph().as_default() as graph:
        b = tf.sin(tf.constant(1.0))
        assert b.op.inputs[0].op.outputs
    known = weakref.ref(graph)
    del graph, b
    gc.collect()
    assert known() is None


def test_branches_and_arguments(tf):
    def f(x, y):
        graph = tf.compat.v1.get_default_graph()
        assert graph.inputs[0] is x and x.op.outputs[0] is x
        assert graph.get_operation_by_name(y.op.name) is y.op
        return tf.cond(x > y, lambda: x + 1.0, lambda: y)

    concrete = tf.function(f).get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([]))
    assert concrete.inputs[0] is concrete.graph.inputs[0]
    assert concrete.outputs[0] is concrete.graph.outputs[0]
    assert concrete.outputs[0].op.outputs[0] is concrete.outputs[0]


def test_another_graph_has_other_objects(tf):
    made = []
    for _ in range(2):
        with tf.Graph().as_default() as graph:
            made.append((graph, tf.constant(1.0, name="c")))
    (g, a), (h, b) = made
    assert a is not b and a.op is not b.op
    assert g.get_tensor_by_name("c:0") is a and h.get_tensor_by_name("c:0") is b


def test_objects_of_a_graph_end_with_it(tf):
    graph = tf.Graph()
    with graph.as_default():
        a = tf.constant(1.0)
        a.itself = a
    known = weakref.ref(graph)
    del graph, a
    gc.collect()
    assert known() is None
