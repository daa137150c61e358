"""Results that a program drops though it should use them: TensorFlow says so."""

import logging

import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def told(tf, caplog):
    """A function from a call to the kinds of the results that it is told to have dropped."""
    logger = tf.get_logger()

    def told(call):
        caplog.clear()
        logger.addHandler(caplog.handler)
        try:
            call()
        finally:
            logger.removeHandler(caplog.handler)
        errors = {id(record): record.getMessage() for record in caplog.records if record.levelno == logging.ERROR}
        for text in errors.values():
            first, second, _, use, made, *lines = text.split("\n")
            assert first == lines[-1] == "=" * 34 and second.startswith("Object was never used (type <class '")
            assert use == 'If you want to mark it as used call its "mark_used()" method.'
            assert made == "It was originally created here:"
        return [text.partition("'")[2].partition("'")[0].rpartition(".")[2] for text in errors.values()]

    return told


def test_writes_to_arrays(tf, told):
    array = tf.TensorArray(tf.float32, 3)

    def dropped():
        array.write(0, 1.0)

    def used():
        again = tf.TensorArray(tf.float32, 3)
        again = again.write(0, 1.0)
        again = again.write(1, 2.0).write(2, 3.0)
        return again.stack()

    def marked():
        tf.TensorArray(tf.float32, 3).write(0, 1.0).mark_used()

    assert told(dropped) == ["TensorArray"]
    assert told(used) == told(marked) == []
    assert told(tf.function(dropped)) == [] and told(tf.function(used)) == []


def test_assertions_in_a_graph(tf, v1, told):
    def dropped():
        x = v1.placeholder(tf.int32)
        tf.Assert(v1.placeholder(tf.bool, []), ["x"])
        tf.debugging.assert_equal(x, 3)
        v1.assert_greater(x, 3)
        tf.TensorArray(tf.float32, 2).write(0, 1.0)

    def used():
        x = v1.placeholder(tf.int32)
        tf.Assert(v1.placeholder(tf.bool, []), ["x"]).mark_used()
        with tf.control_dependencies([tf.debugging.assert_equal(x, 3), v1.assert_greater(x, 3)]):
            tf.identity(x)
        tf.group(v1.assert_rank(x, 1))
        v1.assert_rank(tf.constant([1]), 1)  # known now
        tf.debugging.assert_shapes([(x, (1,))])

    with tf.Graph().as_default():
        assert told(dropped) == ["Operation"] * 3 + ["TensorArray"]
        assert told(used) == []

    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def traced(x):
        tf.debugging.assert_equal(x, 3)

    assert told(lambda: traced(tf.constant(3))) == []
