"""Section W of the tracing rules: running functions eagerly, and checks of numbers."""

import math

import pytest


@pytest.fixture
def eager_functions(tf):
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture
def numerics_checked(tf):
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


@pytest.mark.rule(220)
def test_run_functions_eagerly(tf, traces, eager_functions):
    @tf.function
    def f(x):
        traces.append((tf.executing_eagerly(), int(x)))
        return x + 1

    assert tf.config.functions_run_eagerly()
    assert [int(f(tf.constant(n))) for n in (1, 1, 2)] == [2, 2, 3]
    assert traces == [(True, 1), (True, 1), (True, 2)] and f.experimental_get_tracing_count() == 0


@pytest.mark.rule(220)
def test_running_eagerly_is_undone(tf, traces):
    f = tf.function(lambda x: traces.append(tf.executing_eagerly()))
    tf.config.run_functions_eagerly(True)
    f(tf.constant(1))
    tf.config.run_functions_eagerly(False)
    assert not tf.config.functions_run_eagerly()
    f(tf.constant(1)), f(tf.constant(1))
    assert traces == [True, False]


@pytest.mark.rule(220)
def test_running_eagerly_takes_python_control_flow(tf, eager_functions):
    @tf.function(autograph=False)
    def f(x):
        return "positive" if x > 0 else "other"

    assert f(tf.constant(1)) == "positive"


@pytest.mark.rule(221)
@pytest.mark.parametrize(
    "values, words", [([1.0, math.inf], "Inf"), ([1.0, math.nan], "NaN"), ([math.inf, math.nan], "Inf and NaN")]
)
@pytest.mark.parametrize("traced", [False, True])
def test_check_numerics(tf, values, words, traced):
    check = lambda x: tf.debugging.check_numerics(x, "the message")
    f = tf.function(check, autograph=False) if traced else check
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"the message : Tensor had {words} values"):
        f(tf.constant(values))
    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]


@pytest.mark.rule(221)
def test_enable_check_numerics_eagerly(tf, numerics_checked):
    with pytest.raises(tf.errors.InvalidArgumentError, match='eagerly-executing op "Log"'):
        tf.math.log(tf.constant(0.0))
    assert tf.math.log(tf.constant(1.0)).numpy() == 0.0


@pytest.mark.rule(221)
def test_the_error_of_an_eager_op_tells_its_inputs(tf, numerics_checked):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.constant([1.0, -1.0, 0.0]) / tf.constant([0.0, 0.0, 0.0])
    text = str(error.value)
    assert '!!! Detected Infinity or NaN in output 0 of eagerly-executing op "RealDiv" (# of outputs: 1) !!!\n' in text
    assert "  dtype: <dtype: 'float32'>\n  shape: (3,)\n  # of -Inf elements: 1\n  # of +Inf elements: 1\n" in text
    assert "  # of +NaN elements: 1\n\n  Input tensors (2):\n         0: tf.Tensor([ 1. -1.  0.], shape=(3,)" in text
    assert tf.reshape(tf.constant([math.inf]), [1, 1]).numpy() == math.inf  # nothing that it made


@pytest.mark.rule(221)
@pytest.mark.parametrize("nested", ["no", "branch", "loop"])
def test_the_error_of_a_graph_op_tells_where_it_was_made(tf, numerics_checked, nested):
    def body(x):
        return tf.math.log(x - 1.0)

    def f(x):
        if nested == "branch":
            return tf.cond(x > 0.0, lambda: body(x), lambda: x)
        if nested == "loop":
            return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, body(y)), [0, x])[1]
        return body(x)

    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.function(f, autograph=False)(tf.constant(1.0))
    text = str(error.value)
    assert 'in output 0 of graph op "Log" (# of outputs: 1) !!!' in text and "Tensor had -Inf values" in text
    assert 'sub:0", shape=(), dtype=float32)\n  Graph name: "' in text
    line = body.__code__.co_firstlineno + 1
    assert "Stack trace of op's creation" in text and f"test_w_debugging.py (L{line}) body" in text


@pytest.mark.rule(221)
def test_functions_keep_the_checks_they_were_traced_with(tf):
    plain = tf.function(lambda x: tf.math.log(x), autograph=False)
    plain(tf.constant(1.0))
    tf.debugging.enable_check_numerics()
    checked = tf.function(lambda x: tf.math.log(x), autograph=False)
    checked(tf.constant(1.0))
    tf.debugging.disable_check_numerics()
    assert plain(tf.constant(0.0)).numpy() == -math.inf
    with pytest.raises(tf.errors.InvalidArgumentError):
        checked(tf.constant(0.0))


@pytest.mark.rule(221)
def test_enable_check_numerics_in_graphs(tf, numerics_checked):
    f = tf.function(lambda x: tf.math.log(x) * 0.0, autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match='graph op "Log"'):
        f(tf.constant(0.0))


@pytest.mark.rule(221)
def test_disable_check_numerics(tf):
    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()
    assert tf.math.log(tf.constant(0.0)).numpy() == -math.inf
    assert tf.function(lambda x: tf.math.log(x), autograph=False)(tf.constant(0.0)).numpy() == -math.inf
