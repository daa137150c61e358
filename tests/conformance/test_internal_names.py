"""`tf.__internal__`: what libraries on top of TensorFlow reach for."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_dispatchers(tf):
    internal = tf.__internal__

    class Word:
        def __init__(self, text):
            self.text = text

    class Dispatcher(internal.dispatch.OpDispatcher):
        def handle(self, args, kwargs):
            values = [*args, *kwargs.values()]
            if not any(isinstance(value, Word) for value in values):
                return self.NOT_SUPPORTED
            return "dispatched"

    Dispatcher().register(tf.math.erfc)
    assert tf.math.erfc(Word("a")) == "dispatched"
    assert float(tf.math.erfc(0.0)) == 1
    with pytest.raises((TypeError, ValueError)):
        tf.math.erf(Word("a"))


def test_eager_mode(tf):
    seen = []

    @tf.function
    def function(x):
        with tf.__internal__.eager_context.eager_mode():
            seen.append(int(tf.constant(1) + 1))
        return x

    function(tf.constant(1))
    assert seen == [2]


def test_shallow_structures(tf):
    nest = tf.__internal__.nest
    found = nest.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), [[1, 2], (3, 4)])
    assert found == [[True, True], False]
    with pytest.raises(TypeError):
        nest.get_traverse_shallow_structure(lambda s: 3, [1])


def test_gauges(tf):
    gauge = tf.__internal__.monitoring.BoolGauge("/conformance/gauge", "a gauge", "part")
    gauge.get_cell("model").set(True)
    assert gauge.get_cell("model").value() is True
    assert gauge.get_cell("other").value() is False


def test_graphs(tf):
    def graph_def(value):
        with tf.Graph().as_default() as graph:
            tf.constant(value, name="a")
        return graph.as_graph_def()

    equal = tf.__internal__.graph_util.graph_defs_equal
    assert equal(graph_def(1), graph_def(1)) and not equal(graph_def(1), graph_def(2))


def test_names(tf):
    internal = tf.__internal__
    assert isinstance(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])), internal.CompositeTensor)
    assert internal.is_tfrt_enabled() is False and internal.tf2.enabled() is True
    assert internal.get_enclosing_xla_context() is None
    for name in ("call_context", "clear_session", "get_session", "load_model"):
        assert callable(getattr(internal, f"register_{name}_function"))


def test_options_of_sessions(tf):
    config = tf.__internal__.eager_context.get_config()
    config.allow_soft_placement = True
    assert config.allow_soft_placement
    assert config.intra_op_parallelism_threads == tf.config.threading.get_intra_op_parallelism_threads()
    with tf.Graph().as_default(), tf.compat.v1.Session(config=config) as session:
        assert session.run(tf.constant(3)) == 3


def test_strategies_and_types_of_version_1_by_their_namespaces(tf):
    v1 = tf.compat.v1
    strategy = v1.distribute.experimental.CentralStorageStrategy()
    assert not isinstance(strategy, v1.distribute.experimental.ParameterServerStrategy)
    assert int(strategy.run(lambda x: x + 1, args=(tf.constant(1),))) == 2
    assert v1.distribute.cluster_resolver.SimpleClusterResolver is tf.distribute.cluster_resolver.SimpleClusterResolver
    assert v1.dtypes.experimental.int4 is tf.dtypes.experimental.int4


def test_tensors_or_indexed_slices(tf, internal):
    module = internal("framework.indexed_slices")
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert module.internal_convert_to_tensor_or_indexed_slices(slices) is slices
    assert module.internal_convert_to_tensor_or_indexed_slices(1, tf.float32).dtype == tf.float32
    with pytest.raises(ValueError, match="Incompatible tensor conversion requested to `dtype` int32"):
        module.internal_convert_to_tensor_or_indexed_slices(slices, tf.int32)
    for convert in (module.internal_convert_n_to_tensor_or_indexed_slices, module.convert_n_to_tensor_or_indexed_slices):
        first, second, third = convert([slices, 2, None])
        assert first is slices and int(second) == 2 and third is None
        with pytest.raises(TypeError, match="Argument `values` must be iterable."):
            convert(1)


def test_errors_of_codes(tf, internal):
    make = internal("framework.errors_impl")._make_specific_exception
    assert isinstance(make(None, None, "text", 8), tf.errors.ResourceExhaustedError)
    assert make(None, None, "text", 8).message == "text"
    with pytest.warns(UserWarning, match="Unknown error code: 99"):
        assert type(make(None, None, "text", 99)) is tf.errors.UnknownError
