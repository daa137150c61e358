"""Functions that place the nodes of a graph, and changes of nodes after their creation."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def v1(tf):
    return tf.compat.v1


@pytest.fixture
def graph(v1):
    with v1.Graph().as_default() as graph:
        yield graph


class Recorder:
    """A function that places all nodes on one device, and remembers what it was called with."""

    def __init__(self, device):
        self.device, self.seen = device, []

    def __call__(self, op):
        self.seen.append((op.type, op.name, op.device, len(op.inputs)))
        return self.device


def test_a_function_places_each_node(tf, v1, graph):
    place = Recorder("/gpu:0")
    with v1.device(place):
        a = tf.constant(1.0)
        b = a + 1
    c = b * 2
    assert [x.device for x in (a, b, c)] == ["/gpu:0", "/gpu:0", ""]
    assert place.seen == [("Const", "Const", "", 0), ("Const", "add/y", "", 0), ("AddV2", "add", "", 2)]


def test_contexts_around_and_within(tf, v1, graph):
    inner = Recorder("/device:GPU:1")
    with v1.device("/job:w/cpu:0"):
        with v1.device(lambda op: "/job:ps/task:1"):
            a = tf.constant(1.0)
        with v1.device(inner):
            with v1.device("/cpu:3"):
                b = tf.constant(2.0)
            with v1.device(None):
                c = tf.constant(2.0)
            with v1.device(lambda op: ""):
                d = tf.constant(2.0)
        e = tf.constant(2.0)
    assert [x.device for x in (a, b, c)] == ["/job:ps/task:1/device:CPU:0", "/job:w/device:GPU:1", ""]
    assert [x.device for x in (d, e)] == ["/job:w/device:GPU:1", "/job:w/device:CPU:0"]
    assert [seen[2] for seen in inner.seen] == ["/device:CPU:3", ""]


@pytest.mark.parametrize("given, device", [("foo", "foo"), (b"/cpu:0", "/cpu:0"), ("", "")])
def test_what_a_function_may_return(tf, v1, graph, given, device):
    with v1.device(lambda op: given):
        assert tf.constant(1.0).device == device


def test_a_spec_is_a_device(tf, v1, graph):
    with graph.device(lambda op: tf.DeviceSpec(job="a", task=2)):
        assert tf.constant(1.0).device == "/job:a/task:2"


@pytest.mark.parametrize("given", [None, 3])
def test_what_a_function_may_not_return(tf, v1, graph, given):
    with pytest.raises(TypeError, match=f"Expected binary or unicode string, got {given}"), v1.device(lambda op: given):
        tf.constant(1.0)
    assert tf.constant(1.0).device == ""


def test_a_function_that_fails(tf, v1, graph):
    with pytest.raises(ZeroDivisionError), v1.device(lambda op: 1 / 0):
        tf.constant(1.0)
    assert tf.constant(1.0).device == "" and len(graph.get_operations()) == 2


def test_a_function_that_makes_nodes(tf, v1, graph):
    busy = []

    def place(op):
        if not busy:
            busy.append(op)
            tf.no_op(name="extra")
            busy.clear()
        return "/cpu:0"

    with v1.device(place):
        variable = v1.get_variable("v", initializer=1.0, use_resource=True)
        group = tf.group(variable.initializer, name="group")
        calls = []
        call = v1.py_func(lambda: calls.append(1), [], [], name="call")
    assert variable.initializer.type == "AssignVariableOp" and group.name == "group" and call.name == "call"
    with v1.Session() as session:
        session.run([group, call])
        assert session.run(variable) == 1 and calls == [1]


def test_a_function_that_is_an_empty_list(tf, v1, graph):
    class Names(list):
        def __call__(self, op):
            self.append(op.name)
            return "/cpu:1"

    names = Names()
    with v1.device(names):
        assert tf.constant(1.0, name="a").device == "/cpu:1"
    assert names == ["a"]


def test_functions_are_for_graphs_of_v1(tf, v1):
    with pytest.raises(RuntimeError, match="tf.device does not support functions when eager execution is enabled"):
        v1.device(lambda op: "/cpu:0").__enter__()
    with v1.Graph().as_default(), pytest.raises(RuntimeError, match="^tf.device does not support functions.$"):
        tf.device(lambda op: "/cpu:0").__enter__()


def test_within_a_traced_function(tf, v1):
    devices = {}

    @tf.function
    def f(x):
        with v1.device(lambda op: "/cpu:0" if op.type == "Mul" else "/job:localhost"):
            y = x * x + 1
        devices.update((op.type, op.device) for op in y.graph.get_operations())
        return y

    assert float(f(tf.constant(3.0))) == 10
    assert devices == {"Placeholder": "", "Mul": "/cpu:0", "Const": "/job:localhost", "AddV2": "/job:localhost"}


def test_the_setter_of_parameter_servers(tf, v1, graph):
    with v1.device(v1.train.replica_device_setter(ps_tasks=2)):
        a, b = v1.get_variable("a", [2]), v1.get_variable("b", [2])
        c = a + b
    assert [a.device, b.device, c.device] == ["/job:ps/task:0", "/job:ps/task:1", "/job:worker"]


def test_an_object_beside_the_graph_is_placed_by_the_function(tf, v1, graph):
    class Place:
        device = ""

        def _set_device_from_string(self, device):
            self.device = device

        def _set_device(self, device):
            self.device = device

    place = Place()
    with v1.device("/job:w"), v1.device("/cpu:1"):
        graph._apply_device_functions(place)
    assert place.device == "/job:w/device:CPU:1"


def test_the_device_of_a_node_is_changed(tf, graph):
    a = tf.constant(1.0)
    a.op._set_device("/gpu:1")
    assert a.device == "/gpu:1"
    a.op._set_device(tf.DeviceSpec(job="x"))
    assert a.op.device == "/job:x"
    a.op._set_device_from_string("zz")
    assert a.device == "zz"
    with pytest.raises(TypeError, match="Expected binary or unicode string, got None"):
        a.op._set_device(None)


def test_an_input_of_a_node_is_changed(tf, v1, graph):
    a, b = tf.constant(1.0), tf.constant(5.0)
    c = tf.add(a, a)
    d = c * 2
    c.op._update_input(1, b)
    assert c.op.inputs[1] is b
    with v1.Session() as session:
        assert session.run(d) == 12


def test_inputs_that_do_not_fit(tf, v1, graph):
    a = tf.constant(1.0, name="a")
    c = tf.add(a, a)
    with pytest.raises(tf.errors.OutOfRangeError, match=r"Input index \[2\] is greater than the number of total inputs \[2\]"):
        c.op._update_input(2, a)
    with pytest.raises(TypeError, match="tensor must be a Tensor: 3.0"):
        c.op._update_input(0, 3.0)
    d = tf.constant([1.0, 2.0])
    e = tf.square(tf.constant([3.0, 4.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Cannot update edge, incompatible shapes: \[\] and \[2\]"):
        e.op._update_input(0, a)
    e.op._update_input(0, d)
    with v1.Session() as session:
        assert session.run(e).tolist() == [1, 4]


def test_known_values_follow_changes(tf, v1, graph):
    two, three = tf.constant(2), tf.constant(3)
    x = v1.placeholder(tf.float32, [None])
    shape = tf.stack([two, two])
    assert tf.get_static_value(shape).tolist() == [2, 2]
    shape.op._update_input(0, three)
    assert tf.get_static_value(shape).tolist() == [3, 2] and tf.reshape(x, shape).shape == [3, 2]


def test_control_inputs_are_changed(tf, v1, graph):
    a, b, c = (tf.constant(float(i), name=name) for i, name in enumerate("abc"))
    op = (a + b).op
    assert a.op._control_outputs == []
    op._add_control_input(c.op)
    op._add_control_inputs([a.op, b.op])
    assert [one.name for one in op.control_inputs] == ["c", "a", "b"] and a.op._control_outputs == [op]
    op._remove_all_control_inputs()
    assert not op.control_inputs and a.op._control_outputs == []
    for other in (3, c):
        with pytest.raises(RuntimeError, match="Expected a PyOperation got "):
            op._add_control_input(other)


@pytest.mark.superset("TensorFlow runs what was compiled before the change")
def test_a_session_runs_what_was_changed(tf, v1, graph):
    a, b = tf.constant(1.0), tf.constant(5.0)
    c = tf.add(a, a)
    with v1.Session() as session:
        assert session.run(c) == 2
        c.op._update_input(1, b)
        assert session.run(c) == 6
        for _ in range(5):
            c.op._update_input(1, b)
            assert session.run(c) == 6
        assert len(session._parts) == 1


@pytest.mark.superset("TensorFlow orders nodes anew, and refuses circles when it runs them")
def test_inputs_come_before_the_node(tf, v1, graph):
    c = tf.constant(1.0, name="a") + tf.constant(2.0)
    late, other = tf.constant(3.0, name="late"), tf.constant(1)
    for change in (lambda: c.op._update_input(0, late), lambda: c.op._add_control_input(late.op)):
        with pytest.raises(ValueError, match="'add' cannot take 'late' as an input, because that operation was created after it"):
            change()
    with pytest.raises(ValueError, match="'add' cannot be an input of itself"):
        c.op._add_control_input(c.op)
    d = tf.square(c)
    with pytest.raises(TypeError, match="has the dtype float32, which 'Const_1:0' of dtype int32 does not have"):
        d.op._update_input(0, other)
    with v1.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph as"):
        d.op._update_input(0, tf.constant(1.0))


@pytest.mark.superset("TensorFlow takes it, without effect")
def test_a_traced_function_is_not_changed(tf):
    f = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([]))
    (add,) = (op for op in f.graph.get_operations() if op.type == "AddV2")
    with pytest.raises(RuntimeError, match="'add' is part of a function that has been traced: it cannot be changed"):
        add._update_input(1, add.inputs[0])
