"""`tf.compat.v1.get_variable` while ops run eagerly and in functions, and templates, which keep Variables."""

import importlib

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture(autouse=True)
def new_store(v1):
    """The default graph keeps the scope: what made it first, eager code or a graph, decides on its reuse."""
    v1.reset_default_graph()


@pytest.fixture
def stores(tf):
    """The module with EagerVariableStore."""
    if tf.__name__ == "tensorflow":
        return importlib.import_module("tensorflow.python.ops.variable_scope")
    from tracefn.as_tensorflow.internal_modules import module_at

    return module_at("python.ops.variable_scope")


def test_each_is_new(tf, v1):
    ones = v1.ones_initializer()
    assert v1.get_variable("a", [2]) is not v1.get_variable("a", [2])
    assert v1.get_variable("a", [3]).shape == [3] and v1.get_variable_scope().reuse is v1.AUTO_REUSE
    for reuse in (False, True, v1.AUTO_REUSE):
        with v1.variable_scope("s", reuse=reuse) as scope:
            assert scope.reuse is v1.AUTO_REUSE
            first, second = v1.get_variable("q", [1]), v1.get_variable("q", [1])
            assert first is not second and first.name == second.name == "s/q:0"
            scope.reuse_variables()
            assert scope.reuse is True and v1.get_variable("r", [], initializer=ones).numpy() == 1
    for _ in range(2):
        pieces = list(v1.get_variable("p", [4], partitioner=v1.fixed_size_partitioner(2)))
        assert [piece.shape.as_list() for piece in pieces] == [[2], [2]]


def test_functions_find_them(tf, v1):
    made = []
    assert v1.get_variable_scope().reuse is v1.AUTO_REUSE and v1.get_variable("first", []) is not None

    @tf.function
    def f(x):
        made.extend(v1.get_variable("in_functions", [], initializer=v1.ones_initializer()) for _ in range(2))
        return x * made[0]

    @tf.function
    def g():
        return v1.get_variable("in_functions", []) + 0.0

    assert float(f(tf.constant(2.0))) == float(f(2.0)) == 2
    assert len(set(map(id, made))) == 1
    made[0].assign(5.0)
    assert float(g()) == 5


def test_templates(tf, v1):
    def inner():
        return v1.get_variable("w", [2])

    template = v1.make_template("template_of_two", lambda n: (inner(), n), n=3)
    assert template.variables == [] and template.name == "template_of_two"
    v, n = template()
    assert template()[0] is v and n == 3 and v.name == "template_of_two/w:0"
    assert template.trainable_variables == template.weights == [v] and template.non_trainable_variables == []
    assert template.variable_scope_name == "template_of_two/" and template.local_variables == []
    inside = v1.make_template("inside", inner)
    outside = v1.make_template("outside", lambda: (inside(), v1.get_variable("o", [1], trainable=False), inside()))
    first, _, second = outside()
    assert first is second is outside()[0] is inside.variables[0]
    assert [v.name for v in outside.variables] == ["outside/inside/w:0", "outside/o:0"]
    assert [v.name for v in outside.non_trainable_variables] == ["outside/o:0"]
    traced = tf.function(lambda x: x + inside())
    assert traced(tf.zeros([2])).numpy().tolist() == first.numpy().tolist()
    numbers = iter(range(9))
    growing = v1.make_template("growing", lambda: v1.get_variable(f"v{next(numbers)}", []))
    growing()
    with pytest.raises(ValueError, match="created when calling a template after the first time"):
        growing()
    with pytest.raises(ValueError, match="unique_name_ cannot be used"):
        v1.make_template("a", inner, unique_name_="b")
    with pytest.raises(ValueError, match="name cannot be None"):
        v1.make_template(None, inner)


def test_templates_of_graphs(tf, v1):
    with tf.Graph().as_default():
        one = v1.make_template("g", lambda: v1.get_variable("w", [2]))
        x = one()
        assert one() is x and one.variables == one.trainable_variables == [x]
        other = v1.make_template("g", lambda: v1.get_variable("w", [2]), create_scope_now_=True)
        assert other.variable_scope.name == "g_1" and other().name == "g_1/w:0" and other.variables != one.variables


def test_stores(tf, v1, stores):
    store = stores.EagerVariableStore()
    for _ in range(2):
        with store.as_default():
            v = v1.get_variable("kept", [2], initializer=v1.ones_initializer())
            with v1.variable_scope(v1.get_variable_scope(), reuse=True):
                assert v1.get_variable("kept", [2]) is v
            v1.get_variable("other", [], trainable=False)
    assert [v.name for v in store.variables()] == ["kept:0", "other:0"]
    assert store.trainable_variables() == [v] and [v.name for v in store.non_trainable_variables()] == ["other:0"]
    copy = store.copy()
    copy.trainable_variables()[0].assign([3.0, 3.0])
    assert v.numpy().tolist() == [1, 1] and v1.get_variable("kept", [2]) is not v


class Recording:
    """A store of a library's own."""

    def __init__(self, tf):
        self.tf, self.made, self.asked = tf, {}, []

    def get_variable(self, name, shape=None, dtype=None, initializer=None, custom_getter=None, **rest):
        self.asked.append((name, rest["trainable"], custom_getter is not None))
        if name not in self.made:
            self.made[name] = self.tf.Variable(self.tf.ones(shape, dtype), name=name)
        return self.made[name]


@pytest.mark.parametrize("where", ["eager", "function", "graph"])
def test_a_store_of_a_library(tf, v1, stores, where):
    store = Recording(tf)

    def program():
        store.asked.clear()  # a function that makes Variables is traced twice
        outside = stores._get_default_variable_store()
        with v1.variable_scope("s"), tf.name_scope("n"), stores.with_variable_store(store):
            assert stores._get_default_variable_store() is store
            first = v1.get_variable("a", [2], trainable=False)
            with v1.variable_scope("inner", custom_getter=lambda getter, *args, **kwargs: getter(*args, **kwargs)):
                v1.get_variable("b", [])
            assert v1.get_variable("a", [2]) is first and first.name == "s/a:0"
        assert stores._get_default_variable_store() is outside
        with pytest.raises(ZeroDivisionError), stores.with_variable_store(store):
            1 / 0
        assert stores._get_default_variable_store() is outside

    if where == "eager":
        program()
    elif where == "function":
        tf.function(program)()
    else:
        with tf.Graph().as_default():
            program()
    assert store.asked == [("s/a", False, False), ("s/inner/b", None, True), ("s/a", None, False)]


@pytest.mark.parametrize("where", ["eager", "graph"])
def test_a_store_of_eager_variables_where_it_is_the_default(tf, v1, stores, where):
    store = stores.EagerVariableStore()
    around = tf.Graph().as_default() if where == "graph" else tf.name_scope("n")
    with around:
        with store.as_default():
            made = v1.get_variable("a", [2])
            with v1.variable_scope("s"):
                v1.get_variable("b", [2], trainable=False)
        assert [v.name for v in store.variables()] == ["a:0", "s/b:0"] and store.variables()[0] is made
        with store.as_default(), v1.variable_scope("", reuse=True):
            assert v1.get_variable("a", [2]) is made
        assert v1.get_variable("a", [2]) is not made
