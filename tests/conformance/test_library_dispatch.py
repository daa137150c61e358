"""What functions and operators do with a library's own values: dispatchers, operators given to classes, conversion, scopes."""

import pytest

pytestmark = pytest.mark.rule("surface")


class Word:
    """A value that is no tensor."""

    def __init__(self, text="word"):
        self.text = text


def test_operators_as_functions(tf):
    operators = tf.__operators__
    x = tf.constant([1, 2, 3])
    assert operators.add(x, 1).numpy().tolist() == [2, 3, 4]
    assert operators.eq(x, 2).numpy().tolist() == [False, True, False] and operators.ne(x, None) is True
    assert int(operators.getitem(x, -1)) == 3
    assert operators.ragged_getitem(tf.ragged.constant([[1], [2, 3]]), 1).numpy().tolist() == [2, 3]


def test_operators_of_tensors_given_to_a_class(tf):
    class Symbol(Word):
        dtype = tf.float32
        __add__, __rmul__, __neg__ = tf.Tensor.__add__, tf.Tensor.__rmul__, tf.Tensor.__neg__
        __getitem__ = tf.Tensor.__getitem__

    class Dispatcher(tf.__internal__.dispatch.OpDispatcher):
        def __init__(self, name):
            self.name = name

        def handle(self, args, kwargs):
            found = any(isinstance(value, Symbol) for value in (*args, *kwargs.values()))
            return self.name if found else self.NOT_SUPPORTED

    for name, op in (("add", tf.__operators__.add), ("mul", tf.math.multiply), ("neg", tf.math.negative),
                     ("item", tf.__operators__.getitem)):  # fmt: skip
        Dispatcher(name).register(op)
    symbol = Symbol()
    assert (symbol + 1.0, 2.0 * symbol, -symbol, symbol[0]) == ("add", "mul", "neg", "item")
    assert tf.Tensor.__add__(tf.constant(1), 2).numpy() == 3


def test_functions_of_a_library_dispatch(tf):
    dispatch = tf.__internal__.dispatch

    @dispatch.add_dispatch_support
    def twice(x, name=None):
        return tf.convert_to_tensor(x) * 2

    class OfWords(dispatch.OpDispatcher):
        def handle(self, args, kwargs):
            return args[0].text * 2 if isinstance(args[0], Word) else self.NOT_SUPPORTED

    OfWords().register(twice)
    assert int(twice(3)) == 6 and twice(Word("ab")) == "abab" and twice.__name__ == "twice"
    with pytest.raises((TypeError, ValueError)):
        twice(object())
    with pytest.raises(AssertionError):
        OfWords().register(lambda x: x)


def test_dispatch_by_types(tf):
    import importlib

    dispatch = importlib.import_module(f"{tf.__name__}.python.util.dispatch")

    @dispatch.add_dispatch_support
    def shown(x):
        return str(int(tf.convert_to_tensor(x)))

    @dispatch.dispatch_for_types(shown, Word)
    def shown_word(x):
        return x.text

    assert shown(1) == "1" and shown(Word("a")) == "a"
    with pytest.raises(AssertionError):
        dispatch.dispatch_for_types(shown, Word)(lambda x, y: x)


def test_class_methods_dispatch(tf):
    class OfWords(tf.__internal__.dispatch.OpDispatcher):
        def handle(self, args, kwargs):
            values = [*args[1:], *kwargs.values()]
            return (args[0], "word") if any(isinstance(value, Word) for value in values) else self.NOT_SUPPORTED

    OfWords().register(tf.RaggedTensor.from_row_splits)
    assert tf.RaggedTensor.from_row_splits(Word(), [0, 1]) == (tf.RaggedTensor, "word")
    assert tf.RaggedTensor.from_row_splits([1, 2], [0, 2]).numpy().tolist() == [[1, 2]]


def test_functions_that_a_program_gives_away(tf):
    internal = tf.__internal__.autograph

    def sign(x):
        return 1 if x > 0 else -1

    def call(x):
        return internal.tf_convert(sign, internal.control_status_ctx())(x)

    assert int(tf.function(tf.autograph.experimental.do_not_convert(lambda x: x))(tf.constant(-3))) == -3
    assert int(tf.function(call)(tf.constant(-3))) == -1
    plain = tf.autograph.experimental.do_not_convert(call)
    for unconverted in (tf.function(call, autograph=False), tf.function(lambda x: plain(x))):
        with pytest.raises(TypeError, match="bool"):
            unconverted(tf.constant(-3))


def test_types_of_saved_objects(tf):
    load = tf.__internal__.saved_model.load
    version = load.VersionedTypeRegistration(object_factory=lambda proto: 3, version=1, min_producer_version=1, min_consumer_version=1)
    load.register_revived_type("conformance_thing", lambda obj: isinstance(obj, Word), [version])
    assert "conformance_thing" in load.registered_identifiers()
    with pytest.raises(AssertionError):
        load.register_revived_type("conformance_two", lambda obj: False, [version, version])


def test_moving_averages(tf):
    v = tf.Variable(1.0)
    tf.__internal__.train.assign_moving_average(v, 3.0, 0.5, zero_debias=False)
    assert float(v) == 2


def test_delegated_children(tf):
    class Wrapper(tf.__internal__.tracking.DelegatingTrackableMixin, tf.__internal__.tracking.Trackable):
        pass

    inner = tf.Module()
    inner.part = tf.Module()
    assert list(Wrapper(inner)._trackable_children()) == ["part"]


def test_unique_names_that_are_not_marked(tf):
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="a")
        assert [graph.unique_name("a", mark_as_used=False) for _ in range(2)] == ["a_1", "a_1"]
        assert graph.unique_name("a") == "a_1" and graph.unique_name("a", mark_as_used=False) == "a_2"


def test_graphs_around_functions(tf):
    seen = []

    @tf.function
    def f(x):
        graph = tf.compat.v1.get_default_graph()
        seen.append((graph.outer_graph is not None, hasattr(graph.outer_graph, "outer_graph"), graph._get_control_flow_context()))
        return x

    f(1.0)
    assert seen == [(True, False, None)]


def test_graphs_that_capture_tensors_of_others(tf):
    with tf.__internal__.FuncGraph("one").as_default():
        x = tf.constant([1.0, 2.0])
    with tf.__internal__.FuncGraph("other").as_default() as other:
        y = x * 2.0
    assert y.shape.as_list() == [2] and len(other.captures) == 1


def test_shapes_of_captured_sizes(tf):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([1], tf.int32)], autograph=False)
    def f(n):
        size = tf.concat([n, [1]], 0)

        def body(i, x):
            drawn = tf.random.stateless_uniform(size, [1, 2])
            seen.append(drawn.shape.as_list())
            return i + 1, x + drawn

        return tf.while_loop(lambda i, _: i < 3, body, (0, tf.zeros(size)))[1]

    assert f.get_concrete_function().structured_outputs.shape.as_list() == [None, 1]
    assert seen[0] == [None, 1]


def test_implementations_for_the_processor(tf):
    def implementation(value, **attributes):
        return tf.function(lambda x: x * value, autograph=False, experimental_attributes={"api_implements": "times", **attributes})

    @tf.function(autograph=False)
    def f(x):
        result = implementation(2.0)(x)
        other = implementation(3.0, api_preferred_device="CPU").get_concrete_function(x)
        other.add_to_graph()
        other.add_gradient_functions_to_graph()
        return result

    assert float(f(tf.constant(1.0))) == 3


def test_cudnn_only_where_it_runs(tf):
    def call():
        return tf.raw_ops.CudnnRNNV3(input=tf.zeros([3, 2, 4]), input_h=tf.zeros([1, 2, 5]), input_c=tf.zeros([1, 2, 5]),
                                     params=tf.zeros([10]), sequence_lengths=tf.constant([3, 3]))  # fmt: skip

    concrete = tf.function(call).get_concrete_function()
    assert concrete.structured_outputs.output.shape.as_list() == [3, 2, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered to support Op"):
        concrete()
    with pytest.raises(tf.errors.NotFoundError, match="Could not find device for node"):
        call()


def test_arguments_that_say_nothing(tf):
    assert tf.random.stateless_categorical([[0.0, 1.0]], 3, seed=[1, 2], dtype=None).dtype == tf.int64
    v = tf.compat.v1.Variable(1.0, experimental_enable_variable_lifting=False)
    assert float(v) == 1
    with pytest.raises(NotImplementedError):
        tf.compat.v1.logging.flush()
    assert isinstance(tf.__git_version__, str) and isinstance(tf.__compiler_version__, str)


def test_layers_of_old_keras(tf, monkeypatch):
    monkeypatch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    with pytest.raises(AttributeError, match="`Dense` is not available with Keras 3"):
        _ = tf.compat.v1.layers.Dense
    with pytest.raises(AttributeError, match="`LSTMCell` is not available with Keras 3"):
        _ = tf.compat.v1.nn.rnn_cell.LSTMCell
