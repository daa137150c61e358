"""tensorflow.python.eager.tape: tapes that are pushed and popped, and Variables that they are told of."""

import pytest

pytestmark = pytest.mark.rule("surface")


def test_variables_that_are_read(tf, internal):
    tapes, v, fixed = internal("eager.tape"), tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    tape = tapes.push_new_tape()
    _ = v * fixed
    tapes.pop_tape(tape)
    assert [w.ref() for w in tape.watched_variables()] == [v.ref()]
    tape = tapes.push_new_tape(watch_accessed_variables=False)
    _ = v * v
    tapes.watch_variable(tape, fixed)
    tapes.pop_tape(tape)
    assert [w.ref() for w in tape.watched_variables()] == [fixed.ref()]
    _ = v * v
    tapes.push_tape(tape)
    tapes.pop_tape(tape)


def test_tapes_are_told(tf, internal):
    tapes, v, w, fixed = internal("eager.tape"), tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tapes.variables_accessed([v, fixed])
        tapes.variable_accessed(w)
    assert [x.ref() for x in tape.watched_variables()] == [v.ref(), w.ref()]
    tapes.variables_accessed([v])  # no tape is active


def test_templates_are_found(tf, internal):
    templates = internal("ops.template")
    with tf.Graph().as_default():
        made = tf.compat.v1.make_template("t", lambda: tf.compat.v1.get_variable("v", []))
        assert isinstance(made, templates.Template)
    assert isinstance(tf.compat.v1.make_template("t", lambda: 1), templates.EagerTemplate)
