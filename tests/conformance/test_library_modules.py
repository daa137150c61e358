"""Modules below `tensorflow.python` that libraries stand on: structures, decorators, inspection, dispatch, identity sets."""

import collections
import enum
import functools
import importlib
import inspect
import logging
import threading

import pytest

pytestmark = pytest.mark.rule("surface")

Pair = collections.namedtuple("Pair", "a b")
Other = collections.namedtuple("Other", "a b")


@pytest.fixture
def module(tf):
    return lambda path: importlib.import_module(f"{tf.__name__}.{path}")


@pytest.fixture
def nest(module):
    return module("python.util.nest")


@pytest.fixture
def slices(tf):
    return tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))


def test_parts_at_the_places_of_leaves(nest):
    assert nest.flatten_up_to([0, 0], [[1, 2], 3]) == [[1, 2], 3]
    assert nest.flatten_up_to(0, [1]) == [[1]]
    assert nest.flatten_up_to({"a": 0, "b": 0}, {"b": 1, "a": [2]}) == [[2], 1]
    assert nest.flatten_up_to(Pair(0, 0), Pair(1, [2])) == [1, [2]]
    assert nest.flatten_up_to([0, 0], (1, 2), check_types=False) == [1, 2]
    assert nest.flatten_with_tuple_paths_up_to([0, [0]], [[1], [2]]) == [((0,), [1]), ((1, 0), 2)]


@pytest.mark.parametrize("shallow, deep, error, words", [
    ([0], 3, TypeError, "input must also be a sequence. Input has type: <class 'int'>"),
    ([0, 0], (1, 2), TypeError, "Input structure has type <class 'tuple'>, while shallow structure has type <class 'list'>"),
    ([0], [1, 2], ValueError, "Input structure has length 2, while shallow structure has length 1"),
    ({"a": 0, "c": 0}, {"b": 1, "a": 2}, ValueError, "not in the input_tree: ['c']"),
    (Pair(0, 0), Other(1, 2), TypeError, "don't have the same sequence type"),
])  # fmt: skip
def test_structures_that_differ(nest, shallow, deep, error, words):
    with pytest.raises(error) as caught:
        nest.assert_shallow_structure(shallow, deep)
    assert words in str(caught.value)


def test_composites_in_structures(nest, slices):
    assert nest.flatten_up_to(0, slices, expand_composites=True) == [slices]
    assert len(nest.flatten_up_to(slices, slices, expand_composites=True)) == 2
    with pytest.raises(TypeError):
        nest.flatten_up_to([0], slices, expand_composites=True)
    assert list(nest.yield_flat_paths([slices], expand_composites=True)) == [(0, "IndexedSlices", 0), (0, "IndexedSlices", 1)]
    assert nest.is_nested_or_composite(slices) and not nest.is_nested(slices)


def test_maps_over_paths(nest):
    assert nest.map_structure_up_to((0, [0]), lambda x, y: (x, y), (1, [[2]]), (3, [4])) == ((1, 3), [([2], 4)])
    assert nest.map_structure_with_paths(lambda path, x: f"{path}:{x}", {"a": [1]}) == {"a": ["a/0:1"]}
    assert nest.map_structure_with_tuple_paths(lambda path, x: (path, x), {"a": [1]}) == {"a": [(("a", 0), 1)]}
    assert nest.flatten_with_joined_string_paths({"a": [1, 2]}, separator=".") == [("a.0", 1), ("a.1", 2)]
    with pytest.raises(ValueError):
        nest.map_structure_up_to([0], lambda: None)


def test_dicts_of_leaves(nest):
    assert nest.flatten_dict_items({(4, 5): (1, 2), 6: 3}) == {4: 1, 5: 2, 6: 3}
    for bad in ({(4, 5): (1,)}, {(4, 5): (1, 2), 4: 3}):
        with pytest.raises(ValueError):
            nest.flatten_dict_items(bad)
    with pytest.raises(TypeError):
        nest.flatten_dict_items([1])


def test_depths_of_traversal(nest):
    shallow = nest.get_traverse_shallow_structure
    assert shallow(lambda s: [True, False] if isinstance(s, list) and len(s) == 2 else True, [[1, 2], 3]) == [[True, False], False]
    assert shallow(lambda s: False, [3]) is False
    for answer in (3, [1]):
        with pytest.raises(TypeError):
            shallow(lambda s, answer=answer: answer, [1])


def test_variables_in_structures(tf, module):
    utils = module("python.util.variable_utils")
    found = utils.convert_variables_to_tensors([tf.Variable(1.0), 2])
    assert not isinstance(found[0], tf.Variable) and float(found[0]) == 1 and found[1] == 2
    assert utils.replace_variables_with_atoms([tf.Variable(1.0), "a"]) == [0, "a"]


@pytest.fixture
def warnings(tf):
    seen = []

    class Kept(logging.Handler):
        def emit(self, record):
            seen.append(record.getMessage())

    handler = Kept()
    tf.get_logger().addHandler(handler)
    yield seen
    tf.get_logger().removeHandler(handler)


def test_deprecated_functions_warn_once(module, warnings):
    deprecation = module("python.util.deprecation")

    @deprecation.deprecated("2030-01-01", "Use g.")
    def f(x):
        """Says x.

        More.
        """
        return x

    assert (f(1), f(2)) == (1, 2)
    assert len(warnings) == 1 and "f (from" in warnings[0] and "will be removed after 2030-01-01" in warnings[0]
    assert "Use g." in warnings[0] and __file__ in warnings[0]
    assert f.__doc__.startswith("Says x. (deprecated)\n\nDeprecated: THIS FUNCTION IS DEPRECATED.") and "More." in f.__doc__


def test_deprecated_classes(module, warnings):
    deprecation = module("python.util.deprecation")

    @deprecation.deprecated(None, "Use D.")
    class C:
        """A class."""

        def __init__(self, x):
            self.x = x

    assert C(3).x == 3 and "in a future version" in warnings[0] and isinstance(C, type)


def test_deprecated_arguments(module, warnings):
    deprecation = module("python.util.deprecation")

    @deprecation.deprecated_args("2030-01-01", "Use y.", "older", ("oldest", None))
    def f(older=None, y=None, oldest=None):
        return y

    @deprecation.deprecated_arg_values("2030-01-01", "Use y.", odd=3)
    def g(odd=None):
        return odd

    assert f(y=3) == 3 and f(oldest=None) is None and not warnings
    assert "Deprecated: SOME ARGUMENTS ARE DEPRECATED: `(older, oldest)`. They will be removed after 2030-01-01." in f.__doc__
    assert g(odd=3) == 3 and g(odd=4) == 4
    assert sum(" with odd=3 is " in text for text in warnings) == 1


def test_wrong_deprecations(module):
    deprecation = module("python.util.deprecation")
    for wrong in (
        lambda: deprecation.deprecated("soon", "x"),
        lambda: deprecation.deprecated("2030-01-01", ""),
        lambda: deprecation.deprecated_args("2030-01-01", "x"),
        lambda: deprecation.deprecated_args("2030-01-01", "x", "q")(lambda x: x),
        lambda: deprecation.deprecated_argument_lookup("a", 1, "b", 2),
    ):
        with pytest.raises(ValueError):
            wrong()
    assert deprecation.deprecated_argument_lookup("a", None, "b", 2) == 2


def test_silence(module, warnings):
    deprecation = module("python.util.deprecation")
    old = deprecation.deprecated_alias("old.f", "new.f", lambda x: x)
    with deprecation.silence():
        assert old(1) == 1
    assert not warnings
    old(1)
    assert "The name old.f is deprecated. Please use new.f instead." in warnings[0]


def test_inspection_of_decorated_functions(tf, module):
    inspection, decorators = module("python.util.tf_inspect"), module("python.util.tf_decorator")

    def f(a, b=1, *, c=2):
        return a

    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)

    wrapped = decorators.make_decorator(f, wrapper)
    assert inspection.getfullargspec(wrapped).args == ["a", "b"] and inspection.getargspec(lambda x: x).args == ["x"]
    assert inspection.getcallargs(wrapped, 5) == {"a": 5, "b": 1, "c": 2}
    assert inspection.getfullargspec(functools.partial(lambda a, b=1: a, 3)).args == ["b"]
    assert list(inspection.signature(wrapped).parameters) == ["a", "b", "c"]
    other = decorators.rewrap(wrapped, f, lambda a: -a)
    assert other is wrapped and decorators.unwrap(other)[1](3) == -3


@pytest.mark.parametrize("levels", [1, 2])
def test_another_function_under_a_decorated_method(module, levels):
    decorators = module("python.util.tf_decorator")

    def doubled(f):
        return decorators.make_decorator(f, lambda *args: 2 * f(*args))

    class Number:
        def __init__(self, value):
            self.value = value

        def method(self, x):
            return self.value + x

        for _ in range(levels):
            method = doubled(method)

    seven = Number(7)
    assert seven.method(1) == 8 * 2**levels
    inner = decorators.unwrap(seven.method)[1]
    other = decorators.rewrap(seven.method, inner, lambda self, x: -x)
    assert other == seven.method and decorators.unwrap(seven.method)[1](seven, 3) == -3
    assert decorators.rewrap(seven.value, seven.value, abs) is abs


def test_rewrapping_a_method_leaves_those_of_other_instances(tf, module):
    decorators, inspection = module("python.util.tf_decorator"), module("python.util.tf_inspect")

    class Layer:
        @tf.function
        def call(self, x):
            return 2 * x

    first, second = Layer(), Layer()
    method = first.call
    assert decorators.rewrap(method, decorators.unwrap(method)[1], lambda *args: 0) is method
    assert inspection.getfullargspec(method).varargs == "args"
    for other in (second.call, Layer().call, Layer.call):
        assert inspection.getfullargspec(other).args == ["self", "x"]
    assert int(first.call(tf.constant(1))) == int(second.call(tf.constant(1))) == 2


def test_contexts_from_generators(module):
    @module("python.util.tf_contextlib").contextmanager
    def seven():
        yield 7

    with seven() as x:
        assert x == 7
    assert module("python.util.tf_decorator").unwrap(seven)[0][0].decorator_name == "contextmanager"


def test_identity(module):
    identity = module("python.util.object_identity")
    one, same = [1], [1]
    table = identity.ObjectIdentityDictionary()
    table[one] = "a"
    assert table[one] == "a" and same not in table and list(table) == [one]
    items = identity.ObjectIdentitySet([one, one, same])
    assert len(items) == 2 and one in items and [1] not in items
    items.discard(one)
    assert len(items) == 1 and items.intersection([same]) == identity.ObjectIdentitySet([same])
    assert identity.Reference(one) == identity.Reference(one) != identity.Reference(same) and identity.Reference(one).deref() is one


def test_weak_identity(module):
    class Thing:
        pass

    thing = Thing()
    table = module("python.util.object_identity").ObjectIdentityWeakKeyDictionary()
    table[thing] = 1
    assert len(table) == 1 and table[thing] == 1 and Thing() not in table


def test_public_names(tf, module):
    export = module("python.util.tf_export")

    @export.keras_export("keras.layers.OfConformance", v1=["keras.old"])
    class Mine:
        pass

    assert export.get_canonical_name_for_symbol(Mine, api_name="keras") == "keras.layers.OfConformance"
    assert export.get_symbol_from_name("keras.layers.OfConformance") is Mine
    assert export.get_canonical_name_for_symbol(tf.RaggedTensor) == "RaggedTensor"
    assert export.get_canonical_name_for_symbol(tf.math.add) == "math.add"
    assert export.get_canonical_name_for_symbol(lambda: 0) is None


def test_names_of_type_specs(tf, module):
    registry = module("python.framework.type_spec_registry")

    class Spec(tf.TypeSpec):
        value_type = property(lambda self: list)
        _component_specs = property(lambda self: [])
        _serialize = lambda self: ()
        _to_components = lambda self, value: []
        _from_components = lambda self, components: []

    name = "conformance.LibrarySpec"
    registry.register(name)(Spec)
    assert registry.get_name(Spec) == name and registry.lookup(name) is Spec
    assert registry.get_name(tf.TensorSpec) == "tf.TensorSpec" and registry._NAME_TO_TYPE_SPEC[name] is Spec
    for wrong in (lambda: registry.register("nodot"), lambda: registry.register(name)(Spec)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        registry.register("a.B")(int)


def test_specs_without_sizes_and_names(tf, module):
    spec = tf.TensorSpec([2, 3], tf.float32, name="a")
    assert spec._with_tensor_ranks_only().shape.as_list() == [None, None] and spec._without_tensor_names().name is None
    assert tf.SparseTensorSpec([2])._with_tensor_ranks_only().shape.as_list() == [None]
    assert isinstance(spec, module("python.framework.type_spec").BatchableTypeSpec)
    assert isinstance(spec, module("python.framework.tensor_spec").DenseSpec)


def test_static_shapes(tf, module):
    as_shape = module("python.framework.tensor_util").constant_value_as_shape
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([2], tf.int32)])
    def f(x, n):
        size = tf.shape(x)
        for value in (size, tf.concat([size, [5]], 0), tf.stack([size[0], 4]), size[1:], n, tf.cast(size, tf.int64)):
            seen.append(as_shape(value).as_list())
        return size

    f.get_concrete_function()
    assert seen == [[None, 3], [None, 3, 5], [None, 4], [3], [None, None], [None, 3]]


def test_numbers_below_another(tf, module):
    flow = module("python.ops.parallel_for.control_flow_ops")
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    found = flow.pfor(lambda i: {"row": tf.gather(x, i) * 2.0, "i": i}, 2)
    assert found["row"].numpy().tolist() == [[2, 4], [6, 8]] and found["i"].numpy().tolist() == [0, 1]
    assert tf.function(lambda n: flow.pfor(lambda i: i * i, n))(tf.constant(3)).numpy().tolist() == [0, 1, 4]
    assert flow.for_loop(lambda i: i + 1, tf.int32, 3).numpy().tolist() == [1, 2, 3]


def test_parallel_loops_trace_once(tf, module):
    flow = module("python.ops.parallel_for.control_flow_ops")
    table = tf.Variable(tf.ones([3, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0, 1, 1]) ** 2, 1)
    calls = []

    def rows(i):
        calls.append(i)
        with tape._ensure_recording():
            z = tf.gather(y, i)
        return {"dense": tape.gradient(z, table), "none": None}

    found = flow.pfor(rows, 2)
    assert len(calls) == 1 and found["none"] is None
    assert found["dense"].numpy().tolist() == [[[2, 2], [0, 0], [0, 0]], [[0, 0], [2, 2], [0, 0]]]
    assert flow.pfor(lambda i: None, 3) is None


def test_jacobians_in_graphs(tf, module):
    of = module("python.ops.parallel_for.gradients")

    @tf.function
    def f(x):
        y = x * x
        return of.jacobian(y, x)

    whole = f(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert whole.shape.as_list() == [2, 2, 2, 2] and float(whole[1, 0, 1, 0]) == 6 and float(whole[1, 0, 0, 0]) == 0


def test_convolution_as_an_object(tf, module):
    convolution = module("python.ops.nn_ops").Convolution
    x, filters = tf.ones([1, 4, 2]), tf.ones([3, 2, 5])
    made = convolution(x.shape, filters.shape, "SAME", strides=[2])
    assert made(x, filters).numpy().tolist() == tf.nn.convolution(x, filters, strides=2, padding="SAME").numpy().tolist()


def test_prevented_gradients(tf, module):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = module("python.ops.array_ops").prevent_gradient(x, message="not this one")
    with pytest.raises(LookupError, match="not this one"):
        tape.gradient(y, x)


def test_counters_and_gauges(module):
    monitoring = module("python.eager.monitoring")
    counter = monitoring.Counter("/conformance/counter", "calls", "what")
    counter.get_cell("f").increase_by(2)
    counter.get_cell("f").increase_by(3)
    assert counter.get_cell("f").value() == 5 and counter.get_cell("g").value() == 0
    gauge = monitoring.StringGauge("/conformance/string", "a word")
    gauge.get_cell().set("word")
    assert gauge.get_cell().value() == "word"
    with pytest.raises(ValueError):
        counter.get_cell()


def test_marks_for_documentation(module):
    marks = module("tools.docs.doc_controls")

    @marks.do_not_generate_docs
    def f():
        pass

    assert vars(f) == {"_tf_docs_do_not_document": None}


def test_modes(module):
    modes = module("python.saved_model.model_utils.mode_keys")
    assert (modes.KerasModeKeys.TEST, modes.EstimatorModeKeys.EVAL) == ("test", "eval")
    assert modes.is_predict("infer") and modes.is_predict("predict") and not modes.is_train("eval")


def test_decorators_of_tests(tf, module):
    util = module("python.framework.test_util")
    modes = []

    class Tests(tf.test.TestCase):
        @util.run_in_graph_and_eager_modes
        def test_both(self):
            modes.append(tf.executing_eagerly())
            self.assertEqual(self.evaluate(tf.constant(1) + 1), 2)

        @util.deprecated_graph_mode_only
        def test_graph(self):
            modes.append(tf.executing_eagerly())

    try:
        for name in ("test_both", "test_graph"):
            result = Tests(name).run()
            assert result.wasSuccessful(), result.errors + result.failures
    finally:
        tf.random.set_seed(None)  # setUp sets it
    assert modes == [False, True, False]


def test_what_counts_as_a_tensor(tf):
    class Symbol:
        is_tensor_like = True

    assert tf.is_tensor(Symbol()) and not tf.is_tensor(enum)


def test_sizes_of_other_values(tf):
    assert tf.compat.dimension_value(tf.compat.v1.Dimension(3)) == 3
    assert tf.compat.dimension_value("a") == "a" and tf.compat.dimension_value(None) is None


def test_decorators_keep_the_signature(tf):
    def f(a, b=2, *, c=3):
        return a + b + c

    decorated = tf.__internal__.decorator.make_decorator(f, lambda *args, **kwargs: f(*args, **kwargs))
    assert inspect.getfullargspec(decorated) == inspect.getfullargspec(f)
    assert decorated(1) == 6


def test_what_public_decorators_were_applied_to(tf, module):
    unwrap = module("python.util.tf_decorator").unwrap

    def f(x):
        return x, lambda dy: dy

    class Model(tf.Module):
        @tf.Module.with_name_scope
        def run(self, x):
            return x

    for decorated, name in [
        (tf.custom_gradient(f), "custom_gradient"),
        (tf.recompute_grad(f), "recompute_grad"),
        (tf.grad_pass_through(f), "grad_pass_through"),
        (tf.function(f), "tf.function"),
    ]:
        decorators, target = unwrap(decorated)
        assert [decorator.decorator_name for decorator in decorators] == [name]
        assert target is f and decorated.__wrapped__ is f and decorated.__original_wrapped__ is f
        assert decorated.__name__ == "f" and list(inspect.signature(decorated).parameters) == ["x"]
    assert unwrap(Model.run)[1].__name__ == "run" and Model().run(1) == 1
    assert unwrap(tf.function(tf.custom_gradient(f)))[1] is f


@pytest.mark.parametrize(
    ("seed", "salt", "expected"),
    [(None, "a", None), (0, "", 1338843268), (1, "a", 1873417531), (-5, "é", 65898494), (2**40, "a", 1887700890)],
)
def test_new_seeds(module, seed, salt, expected):
    assert module("python.ops.distributions.util").gen_new_seed(seed, salt) == expected


def test_shards_of_a_program(module):
    functions = module("python.tpu.tpu_function")
    context = functions.get_tpu_context()
    assert context.number_of_shards is None and functions.get_tpu_context() is context
    with pytest.raises(ZeroDivisionError), functions.tpu_shard_context(4):
        assert context.number_of_shards == 4
        with pytest.raises(NotImplementedError, match="tpu_shard_context cannot be nested"), functions.tpu_shard_context(2):
            pass
        found = []
        thread = threading.Thread(target=lambda: found.append(context.number_of_shards))
        thread.start()
        thread.join()
        assert found == [None]
        1 / 0
    assert context.number_of_shards is None
    loop = functions.on_device_training_loop(lambda: 1)
    assert loop() == 1 and loop.step_marker_location == "STEP_MARK_AT_TOP_LEVEL_WHILE_LOOP"
