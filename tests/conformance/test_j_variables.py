"""Section J of the tracing rules: captured tensors and Variables, and Variables made by a Function."""

import abc
import collections.abc
import copy
import gc
import weakref

import pytest

SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only"
    " created once or created outside tf.function. See"
    " https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)


class Lazy:
    """Makes its Variable from the first call's argument."""

    def __init__(self, tf):
        self.tf = tf
        self.v = None

    def step(self, x):
        if self.v is None:
            self.v = self.tf.Variable(x)
        return self.v.assign_add(1.0)


@pytest.mark.rule(107, 108)
def test_rebinding_is_not_seen_assigning_is(tf):
    scale, v = tf.constant(2.0), tf.Variable(10.0)
    f = tf.function(lambda x: x * scale + v)
    assert f(tf.constant(3.0)).numpy() == 16.0
    scale = tf.constant(100.0)
    v.assign(1.0)
    assert f(tf.constant(3.0)).numpy() == 7.0
    v = tf.Variable(1000.0)
    assert f(tf.constant(3.0)).numpy() == 7.0


@pytest.mark.rule(107)
def test_a_tensor_is_captured_once(tf):
    outer = tf.constant([1.0, 2.0])
    concrete = tf.function(lambda: outer + outer * outer).get_concrete_function()
    assert len(concrete.captured_inputs) == 1 and concrete().numpy().tolist() == [2.0, 6.0]


@pytest.mark.rule(107)
def test_captures_through_nested_functions(tf):
    v, w = tf.Variable(2.0), tf.constant(3.0)
    inner = tf.function(lambda x: x * v + w)
    outer = tf.function(lambda x: inner(inner(x)))
    assert outer(tf.constant(1.0)).numpy() == 13.0
    v.assign(1.0)
    assert outer(tf.constant(1.0)).numpy() == 7.0
    concrete = outer.get_concrete_function(tf.constant(1.0))
    assert [x is v for x in concrete.variables] == [True]


@pytest.mark.rule(107)
def test_a_tensor_of_the_outer_trace(tf):
    @tf.function
    def outer(x):
        y = x + 1.0
        inner = tf.function(lambda z: y * z)
        return inner(x) + inner(y)

    assert outer(tf.constant(2.0)).numpy() == 15.0


@pytest.mark.rule(109)
def test_later_traces_see_new_globals(tf):
    layers = [2.0]

    @tf.function
    def f(x):
        for factor in layers:
            x = x * factor
        return x

    assert f(tf.constant(1.0)).numpy() == 2.0
    layers.append(5.0)
    assert f(tf.constant(1.0)).numpy() == 2.0
    assert f(tf.constant([1.0])).numpy().tolist() == [10.0]


@pytest.mark.rule(110, 120)
def test_reads_are_at_their_point_of_the_program(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f():
        a = v.read_value()
        v.assign_add(1.0)
        b = v + 0.0
        v.assign(10.0)
        return a, b, tf.identity(v)

    assert [t.numpy() for t in f()] == [1.0, 2.0, 10.0]
    assert [t.numpy() for t in f()] == [10.0, 11.0, 10.0]


@pytest.mark.rule(111)
def test_an_assignment_gives_something_that_reads_the_new_value(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        updated = v.assign(x)
        return updated + 1.0, updated[0], v.assign_add(x) * 1.0

    first, head, last = f(tf.constant([5.0, 6.0]))
    assert first.numpy().tolist() == [6.0, 7.0] and head.numpy() == 5.0 and last.numpy().tolist() == [10.0, 12.0]


@pytest.mark.rule(111)
@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
def test_a_static_shape_mismatch(tf, method):
    v = tf.Variable([1.0, 2.0])
    f = tf.function(lambda x: getattr(v, method)(x))
    with pytest.raises(ValueError):
        f(tf.constant([1.0, 2.0, 3.0]))
    assert v.numpy().tolist() == [1.0, 2.0]


@pytest.mark.rule(111)
def test_the_text_of_a_shape_mismatch(tf):
    v = tf.Variable(0.0, name="w")
    with pytest.raises(ValueError) as error:
        v.assign([1.0, 2.0])
    assert str(error.value) == (
        "Cannot assign value to variable ' w:0': Shape mismatch.The variable shape (), and the assigned value shape (2,)"
        " are incompatible."
    )


@pytest.mark.rule(111, 27)
def test_a_value_of_another_dtype(tf):
    v = tf.Variable(0.0)
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype int32"):
        v.assign(tf.constant(1))
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype int32"):
        tf.function(lambda: v.assign(tf.constant(1)))()


@pytest.mark.rule(111)
def test_a_variable_of_unknown_shape(tf):
    v = tf.Variable([1.0], shape=tf.TensorShape([None]))
    f = tf.function(lambda x: v.assign(x), autograph=False)
    assert f(tf.constant([1.0, 2.0])).shape.as_list() == [2] and v.shape.as_list() == [None]
    assert v.numpy().tolist() == [1.0, 2.0]


@pytest.mark.rule(112, 114)
def test_a_variable_lives_as_long_as_the_object_that_keeps_it(tf):
    lazy = Lazy(tf)
    f = tf.function(lazy.step)
    f(tf.constant(1.0))
    alive = weakref.ref(lazy.v)
    gc.collect()
    assert f(tf.constant(1.0)).numpy() == 3.0 and alive() is not None


@pytest.mark.rule(113)
def test_text_of_a_variable(tf, traced_value):
    v = tf.Variable(3.0625)
    w = tf.Variable([[1, 2]], name="table", trainable=False)
    assert str(v) == repr(v) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=3.0625>"
    assert str(w) == "<tf.Variable 'table:0' shape=(1, 2) dtype=int32, numpy=array([[1, 2]], dtype=int32)>"
    assert traced_value(lambda: (str(v), repr(w))) == (
        "<tf.Variable 'Variable:0' shape=() dtype=float32>",
        "<tf.Variable 'table:0' shape=(1, 2) dtype=int32>",
    )


@pytest.mark.rule(114, 117)
def test_a_variable_made_in_the_first_call(tf):
    lazy = Lazy(tf)
    f = tf.function(lazy.step)
    assert f(tf.constant(3.0)).numpy() == 4.0
    assert f(tf.constant(100.0)).numpy() == 5.0
    assert f.experimental_get_tracing_count() == 2 and lazy.v.numpy() == 5.0


@pytest.mark.rule(115)
def test_the_python_code_runs_twice(tf, traces):
    kept = []

    @tf.function
    def f(x):
        traces.append(bool(kept))
        if not kept:
            kept.append(tf.Variable(1.0))
        return kept[0] * x

    f(tf.constant(2.0))
    assert traces == [False, True]
    f(tf.constant(3.0))
    assert len(traces) == 2


@pytest.mark.rule(114, 115)
def test_several_variables(tf):
    kept = []

    @tf.function
    def f(n):
        if not kept:
            kept.extend(tf.Variable(float(i), name=f"v{i}") for i in range(n))
        return tf.add_n([v.read_value() for v in kept])

    assert f(4).numpy() == 6.0 and [v.name for v in kept] == ["v0:0", "v1:0", "v2:0", "v3:0"]


@pytest.mark.rule(114)
def test_get_concrete_function_may_make_variables(tf):
    kept = []

    @tf.function
    def f(x):
        if not kept:
            kept.append(tf.Variable([1.0, 2.0]))
        return kept[0] * x

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert concrete.variables[0] is kept[0] and concrete(tf.constant(2.0)).numpy().tolist() == [2.0, 4.0]


@pytest.mark.rule(116)
def test_a_local_variable(tf):
    @tf.function
    def f(x):
        v = tf.Variable(x)
        return v + 1.0

    with pytest.raises(ValueError) as error:
        f(tf.constant(1.0))
    assert SINGLETON in str(error.value)


@pytest.mark.rule(116)
def test_a_variable_made_in_a_later_trace(tf):
    kept = []

    @tf.function
    def f(x):
        if not kept or isinstance(x, int):
            kept.append(tf.Variable(1.0))
        return kept[-1] + 0.0

    assert f(tf.constant(1.0)).numpy() == 1.0
    with pytest.raises(ValueError) as error:
        f(3)
    assert SINGLETON in str(error.value)


@pytest.mark.rule(116)
def test_a_local_variable_inside_init_scope(tf):
    @tf.function
    def f():
        with tf.init_scope():
            v = tf.Variable(1.0)
        return v + 1.0

    with pytest.raises(ValueError) as error:
        f()
    assert SINGLETON in str(error.value)


@pytest.mark.needs("autograph")
@pytest.mark.rule(116)
def test_a_variable_under_a_tensor_condition(tf):
    kept = []

    @tf.function
    def f(x):
        if x > 0.0:
            kept.append(tf.Variable(1.0))
        return x

    with pytest.raises(ValueError, match="singleton tf.Variable"):
        f(tf.constant(1.0))


@pytest.mark.rule(117)
def test_the_initial_value_from_the_arguments(tf):
    kept = {}

    @tf.function
    def f(x):
        if "v" not in kept:
            kept["v"] = tf.Variable(tf.reduce_sum(x) * 2.0)
        return kept["v"] + 0.0

    assert f(tf.constant([1.0, 2.0])).numpy() == 6.0
    assert f(tf.constant([5.0, 5.0])).numpy() == 6.0


@pytest.mark.rule(117)
def test_a_callable_initial_value(tf):
    kept = []

    @tf.function
    def f(x):
        if not kept:
            kept.append(tf.Variable(lambda: tf.fill([2], 3.0)))
        return kept[0] * x

    assert f(tf.constant(2.0)).numpy().tolist() == [6.0, 6.0]


@pytest.mark.rule(118, 204)
def test_each_instance_has_its_own(tf):
    class Counter:
        def __init__(self):
            self.v = None

        @tf.function
        def add(self, x):
            if self.v is None:
                self.v = tf.Variable(0.0)
            return self.v.assign_add(x)

    a, b = Counter(), Counter()
    a.add(tf.constant(1.0)), a.add(tf.constant(1.0)), b.add(tf.constant(10.0))
    assert a.v.numpy() == 2.0 and b.v.numpy() == 10.0 and a.v is not b.v


OPERATORS = {
    "v + 1": (lambda v: v + 1.0, 5.0),
    "1 - v": (lambda v: 1.0 - v, -3.0),
    "v * v": (lambda v: v * v, 16.0),
    "2 / v": (lambda v: 2.0 / v, 0.5),
    "v ** 2": (lambda v: v**2.0, 16.0),
    "v % 3": (lambda v: v % 3.0, 1.0),
    "v // 3": (lambda v: v // 3.0, 1.0),
    "-v": (lambda v: -v, -4.0),
    "abs(v)": (lambda v: abs(v), 4.0),
    "v == 4": (lambda v: v == 4.0, True),
    "v != 4": (lambda v: v != 4.0, False),
    "v > 1": (lambda v: v > 1.0, True),
    "v <= 1": (lambda v: v <= 1.0, False),
}


@pytest.mark.rule(119)
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("traced", [False, True])
def test_operators_on_variables(tf, name, traced):
    v = tf.Variable(4.0)
    op, expected = OPERATORS[name]
    result = tf.function(lambda: op(v), autograph=False)() if traced else op(v)
    assert isinstance(result, tf.Tensor) and result.numpy() == expected


@pytest.mark.rule(119)
def test_variables_index_and_convert(tf):
    v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    assert (
        v[0].numpy().tolist() == [1, 2, 3] and v[1, -1].numpy() == 6 and v[:, ::2].numpy().tolist() == [[1, 3], [4, 6]]
    )
    assert tf.function(lambda: v[:, 1])().numpy().tolist() == [2, 5]
    n = tf.Variable(3)
    assert int(n) == 3 and float(tf.Variable(2.5)) == 2.5 and bool(n > 2)
    assert tf.reduce_sum(v).numpy() == 21 and tf.convert_to_tensor(v).shape.as_list() == [2, 3]


@pytest.mark.rule(111, 119)
def test_assigning_to_a_slice(tf):
    v = tf.Variable([1, 2, 3, 4])
    v[1:3].assign([20, 30])
    tf.function(lambda: v[0].assign(10), autograph=False)()
    assert v.numpy().tolist() == [10, 20, 30, 4]


@pytest.mark.rule(107)
@pytest.mark.parametrize("read", ["gather", "sparse_read", "embedding_lookup"])
def test_reading_rows_reads_no_more(tf, read):
    v = tf.Variable([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    rows = {
        "gather": lambda i: tf.gather(v, i),
        "sparse_read": lambda i: v.sparse_read(i),
        "embedding_lookup": lambda i: tf.nn.embedding_lookup(v, i),
    }[read]
    traced = tf.function(rows)
    indices = tf.constant([1, 1, 2])
    types = [op.type for op in traced.get_concrete_function(indices).graph.get_operations()]
    assert "ResourceGather" in types and "ReadVariableOp" not in types
    for f in (rows, traced):
        with tf.GradientTape() as tape:
            y = f(indices)
        gradient = tape.gradient(y, v)
        assert isinstance(gradient, tf.IndexedSlices)
        assert gradient.indices.numpy().tolist() == [1, 1, 2]
        assert tf.convert_to_tensor(gradient).numpy().tolist() == [[0, 0], [2, 2], [1, 1]]


@pytest.mark.rule(107)
def test_rows_are_read_at_their_place_in_the_program(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f():
        before = tf.gather(v, [0])
        v.assign([10.0, 20.0])
        return before, tf.gather(v, [0]), tf.gather_nd(v, [[1]])

    assert [x.numpy().tolist() for x in f()] == [[1.0], [10.0], [20.0]]


@pytest.mark.rule(115)
def test_a_value_given_while_tracing_stays(tf):
    made = []

    @tf.function
    def f(x):
        if not made:
            made.extend([tf.Variable([1.0, 2.0]), tf.Variable(3.0)])
            with tf.init_scope():
                made[1].assign(10.0)
        return made[0] + made[1] + x

    assert f(tf.constant(2.0)).numpy().tolist() == [13, 14]
    made.clear()
    other = tf.function(f.python_function)
    outer = tf.function(lambda x: other(x))
    assert outer(tf.constant(2.0)).numpy().tolist() == [13, 14]


@pytest.mark.rule(114)
def test_creator_scopes(tf):
    log = []

    def creator(name, value):
        def create(next_creator, **kwargs):
            log.append((name, kwargs["initial_value"], kwargs["name"], kwargs["trainable"]))
            return next_creator(**{**kwargs, "initial_value": value})

        return create

    with tf.variable_creator_scope(creator("outer", 1.0)), tf.variable_creator_scope(creator("inner", 2.0)):
        v = tf.Variable(3.0, name="v")
    assert log == [("inner", 3.0, "v", None), ("outer", 2.0, "v", None)]
    assert v.numpy() == 1 and isinstance(v, tf.Variable)

    made = []

    @tf.function
    def f():
        if not made:
            made.append(tf.Variable(5.0))
        return made[0] + 1.0

    with tf.variable_creator_scope(creator("f", 7.0)):
        assert f().numpy() == 8
    assert len(log) == 3 and tf.Variable(4.0).numpy() == 4


@pytest.mark.rule(114)
def test_arguments_that_creators_get(tf):
    log = []

    def note(next_creator, **kwargs):
        log.append({name for name, value in kwargs.items() if value is not None})
        return next_creator(**kwargs)

    with tf.variable_creator_scope(note):
        tf.Variable(1.0)
        tf.Variable(1.0, name="v", experimental_enable_variable_lifting=False, other=3)
    always = {"initial_value", "validate_shape", "synchronization", "aggregation"}
    assert log == [always, always | {"name", "experimental_enable_variable_lifting", "other"}]


@pytest.mark.rule(114)
def test_arguments_of_tensorflow_1_that_creators_get(tf):
    v1, log = tf.compat.v1, []

    def note(next_creator, **kwargs):
        log.append({name: kwargs[name] for name in ("collections", "use_resource", "expected_shape", "shape", "dtype", "trainable")})
        return next_creator(**kwargs)

    with tf.Graph().as_default(), tf.variable_creator_scope(note):
        v1.Variable(1.0, collections=["ours"], expected_shape=[])
        assert len(v1.get_collection("ours")) == 1
        v1.get_variable("a", [2], collections=["theirs"], trainable=False)
        v1.get_variable("b", initializer=tf.constant([1.0]))
        with v1.variable_scope("s", use_resource=False):
            v1.get_variable("c", [1])
    assert [tuple(given.values()) for given in log] == [
        (["ours"], None, [], None, None, None),
        (["theirs"], True, None, tf.TensorShape([2]), tf.float32, False),
        (None, True, None, None, None, True),
        (None, False, None, tf.TensorShape([1]), tf.float32, True),
    ]


@pytest.mark.rule(112)
def test_shallow_and_deep_copies(tf):
    v = tf.Variable([1.0], name="a", trainable=False)
    deep = copy.deepcopy(v)
    assert copy.copy(v) is v and copy.copy([v])[0] is v
    v.assign([2.0])
    assert (deep.numpy().tolist(), deep.name, deep.trainable) == ([1.0], "a:0", False)


@pytest.mark.rule(112, 114)
def test_copies_are_no_business_of_creator_scopes(tf):
    v = tf.Variable([1.0], name="a", trainable=True)

    def refuse(next_creator, **kwargs):
        raise AssertionError(kwargs)

    with tf.variable_creator_scope(refuse):
        deep = copy.deepcopy([v])[0]
    assert deep is not v and (deep.numpy().tolist(), deep.name, deep.trainable) == ([1.0], "a:0", True)
    with tf.variable_creator_scope(refuse), pytest.raises(AssertionError):
        tf.Variable(1.0)


@pytest.mark.rule(114)
def test_the_type_of_variables_is_one_of_abstract_base_classes(tf):
    assert issubclass(type(tf.Variable), abc.ABCMeta)

    class Iterable(tf.Variable, collections.abc.Iterable):
        def __iter__(self):
            return iter(())

    assert issubclass(Iterable, tf.Variable) and issubclass(Iterable, collections.abc.Iterable)


@pytest.mark.rule(107)
def test_unknown_arguments_are_ignored(tf):
    v = tf.Variable(1.0, use_resource=True, collections=["losses"], anything=3)
    assert v.numpy() == 1.0 and v.trainable
