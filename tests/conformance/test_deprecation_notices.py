"""What is logged when a program uses deprecated names, arguments and values."""

import importlib
import logging
import pickle

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def said(tf):
    """The notices, without the file and line that they begin with. None has come before."""

    class Kept(logging.Handler):
        def emit(self, record):
            found.append(record.getMessage().partition(": ")[2])

    importlib.import_module(f"{tf.__name__}.python.util.deprecation")._PRINTED_WARNING.clear()
    found: list[str] = []
    handler = Kept()
    tf.get_logger().addHandler(handler)
    yield found
    tf.get_logger().removeHandler(handler)


GONE = "is deprecated and will be removed"
LATER = f"{GONE} in a future version.\nInstructions for updating:\n"

# Each is called twice; the notice comes once.
FUNCTIONS = [
    (lambda tf, x: tf.compat.v1.to_double(x), "to_double (from tensorflow.python.ops.math_ops)", "Use `tf.cast` instead."),
    (
        lambda tf, x: tf.math.accumulate_n([x, x]),
        "accumulate_n (from tensorflow.python.ops.math_ops)",
        "Use `tf.math.add_n` Instead",
    ),
    (
        lambda tf, x: tf.test.is_gpu_available(),
        "is_gpu_available (from tensorflow.python.framework.test_util)",
        "Use `tf.config.list_physical_devices('GPU')` instead.",
    ),
    (
        lambda tf, x: tf.data.experimental.unique(),
        "unique (from tensorflow.python.data.experimental.ops.unique)",
        "Use `tf.data.Dataset.unique(...)",
    ),
    (
        lambda tf, x: tf.compat.v1.data.Dataset.range(2).output_types,
        "DatasetV1.output_types (from tensorflow.python.data.ops.dataset_ops)",
        "Use `tf.compat.v1.data.get_output_types(dataset)`.",
    ),
]


@pytest.mark.parametrize(("call", "name", "advice"), FUNCTIONS)
def test_functions(tf, said, call, name, advice):
    for _ in range(2):
        call(tf, tf.constant([1.0]))
    assert said == [f"{name} {LATER}{advice}"]


def test_a_date_is_named(tf, said):
    with tf.Graph().as_default():
        tf.compat.v1.all_variables()
    assert said[0].startswith(f"all_variables (from tensorflow.python.ops.variables) {GONE} after 2017-03-02.\n")


ARGUMENTS = [
    (lambda tf, x: tf.compat.v1.reduce_prod(x, keep_dims=True), "reduce_prod_v1", "math_ops", "keep_dims"),
    (lambda tf, x: tf.compat.v1.reduce_min(x, 0, None, None, None, True), "reduce_min_v1", "math_ops", "keep_dims"),
    (lambda tf, x: tf.compat.v1.argmin(x, dimension=0), "argmin", "math_ops", "dimension"),
    (lambda tf, x: tf.compat.v1.squeeze(x, squeeze_dims=[0]), "squeeze", "array_ops", "squeeze_dims"),
    (lambda tf, x: tf.compat.v1.zeros_initializer(tf.float32), "Zeros.__init__", "init_ops", "dtype"),
]


@pytest.mark.parametrize(("call", "name", "module", "argument"), ARGUMENTS)
def test_arguments_in_graphs(tf, said, call, name, module, argument):
    call(tf, tf.constant([1.0]))
    assert said == [], "eagerly, nothing is said about arguments"
    for _ in range(2):
        with tf.Graph().as_default():
            call(tf, tf.constant([1.0]))
    (text,) = said
    assert text.startswith(f"calling {name} (from tensorflow.python.ops.{module}) with {argument} {LATER}")


def test_arguments_that_are_not_given(tf, said):
    with tf.Graph().as_default():
        x = tf.constant([[1.0]])
        tf.compat.v1.reduce_any(x > 0, axis=0, keepdims=True)
        tf.compat.v1.nn.log_softmax(x, axis=0)
        tf.compat.v1.expand_dims(x, axis=0)
    assert said == []


def test_values(tf, said):
    x = tf.constant([1.0])
    tf.foldr(lambda a, b: a, x)
    assert said == []
    for _ in range(2):
        tf.foldr(lambda a, b: a, x, back_prop=False)
    (text,) = said
    assert text.startswith(
        "calling foldr_v2 (from tensorflow.python.ops.functional_ops) with back_prop=False is deprecated and will be removed in "
        "a future version.\nInstructions for updating:\nback_prop=False is deprecated."
    )


def test_the_line_of_the_call(tf):
    lines = []

    class Kept(logging.Handler):
        def emit(self, record):
            lines.append(record.getMessage().partition(": ")[0])

    handler = Kept()
    tf.get_logger().addHandler(handler)
    tf.data.experimental.ignore_errors()
    tf.get_logger().removeHandler(handler)
    assert lines == [f"From {__file__}:{test_the_line_of_the_call.__code__.co_firstlineno + 9}"]


def test_v1_pipelines_by_queues(tf, said):
    with tf.Graph().as_default():
        tf.compat.v1.train.batch([tf.constant(1)], 2)
    names = [text.partition(" ")[0] for text in said]
    assert names == ["batch", "QueueRunner.__init__", "add_queue_runner"]


def test_variables_in_graphs(tf, said):
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=1)
        v.count_up_to(3)
        with tf.compat.v1.Session() as session:
            session.run(v.initializer)
            v.load(2, session)
    names = [text.partition(" ")[0] for text in said]
    assert names == ["BaseResourceVariable.count_up_to", "Variable.load"]


def test_other_names_for_one_function(tf, said):
    """Names of the same function share the notice, and those who read it get one object."""
    v1 = tf.compat.v1
    assert v1.math.l2_normalize is v1.linalg.l2_normalize is v1.nn.l2_normalize
    with tf.Graph().as_default():
        x = tf.constant([[1.0]])
        v1.math.l2_normalize(x, dim=1), v1.nn.l2_normalize(x, dim=1)
    assert len(said) == 1


def test_what_such_functions_are(tf):
    function = tf.compat.v1.div
    assert function.__name__ == "div" and callable(function) and "(deprecated)" in function.__doc__.splitlines()[0]
    assert "Deprecated: THIS FUNCTION IS DEPRECATED." in function.__doc__
    assert pickle.loads(pickle.dumps(tf.compat.v1.Session)) is tf.compat.v1.Session
    assert "to_float" in dir(tf.compat.v1) and "map_fn" in dir(tf) and "unbatch" in dir(tf.data.experimental)


def test_none_are_wanted(tf, said):
    deprecation = importlib.import_module(f"{tf.__name__}.python.util.deprecation")
    with deprecation.silence():
        tf.compat.v1.div(1, 2)
    deprecation._PRINT_DEPRECATION_WARNINGS = False
    tf.compat.v1.div(1, 2)
    deprecation._PRINT_DEPRECATION_WARNINGS = True
    assert said == []
    tf.compat.v1.div(1, 2)
    assert len(said) == 1


def test_in_functions(tf, said):
    @tf.function
    def f(x):
        return tf.compat.v1.to_int64(x) + tf.cast(tf.map_fn(lambda a: a + 1.0, x, back_prop=False), tf.int64)

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [3, 5]
    assert [text.partition(" (")[0] for text in said] == ["to_int64", "calling map_fn_v2"]


def test_sessions_of_tests(tf, said):
    class Case(tf.test.TestCase):
        def test_one(self):
            for _ in range(2):
                with self.test_session():
                    self.assertEqual(self.evaluate(tf.constant(2)), 2)

    Case("test_one").debug()
    name = "TensorFlowTestCase.test_session (from tensorflow.python.framework.test_util)"
    assert said == [f"{name} {LATER}Use `self.session()` or `self.cached_session()` instead."]


def test_types_of_generators(tf, said):
    with tf.Graph().as_default():
        tf.data.Dataset.from_generator(lambda: [1], output_signature=tf.TensorSpec([], tf.int32))
        assert said == []
        for _ in range(2):
            tf.data.Dataset.from_generator(lambda: [1], tf.int32)
        tf.data.Dataset.from_generator(lambda: [1], output_types=tf.int32, output_shapes=[])
    name = "DatasetV2.from_generator (from tensorflow.python.data.ops.dataset_ops)"
    assert said == [f"calling {name} with {one} {LATER}Use output_signature instead" for one in ("output_types", "output_shapes")]
