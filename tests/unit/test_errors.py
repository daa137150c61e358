"""tf.errors: what catching, chaining and pickling rely on, beyond the recorded answers."""

import gc
import pickle

import pytest
import tracefn as tf

CLASSES = sorted(tf.errors._CODE_TO_CLASS.items())


def test_a_class_for_each_code():
    codes = {value for name, value in vars(tf.errors).items() if name.isupper() and not name.startswith("_")}
    assert codes == {tf.errors.OK, *tf.errors._CODE_TO_CLASS}


@pytest.mark.parametrize(("code", "cls"), CLASSES)
def test_raised_as_the_core_does(code, cls):
    with pytest.raises(tf.errors.OpError, match="it failed") as caught:
        raise tf.errors._CODE_TO_CLASS[code](None, None, "it failed")
    assert type(caught.value) is cls
    assert caught.value.error_code == code
    assert (caught.value.op, caught.value.node_def) == (None, None)


@pytest.mark.parametrize(("code", "cls"), CLASSES)
def test_pickle_keeps_class_and_text(code, cls):
    error = pickle.loads(pickle.dumps(cls(None, None, "text")))
    assert (type(error), str(error), error.error_code) == (cls, "text", code)


def test_cause_is_kept():
    with pytest.raises(tf.errors.UnknownError) as caught:
        try:
            raise KeyError("k")
        except KeyError as cause:
            raise tf.errors.UnknownError(None, None, "KeyError: 'k'") from cause
    assert isinstance(caught.value.__cause__, KeyError)


def test_the_operation_tells_where_it_was_made():
    class Op:
        name = "sum"
        traceback = ("model.py", 3, "loss", "tf.reduce_sum(x)"), ("model.py", 9, "<module>", None)

    assert str(tf.errors.InternalError(None, Op(), "broken")) == (
        "broken\n\nOriginal stack trace for 'sum':\n"
        '  File "model.py", line 3, in loss\n    tf.reduce_sum(x)\n'
        '  File "model.py", line 9, in <module>\n')


def test_a_subclass_of_a_user_pickles():
    error = pickle.loads(pickle.dumps(_Mine(None, None, "m", 13)))
    assert (type(error), error.message, error.error_code) == (_Mine, "m", 13)


class _Mine(tf.errors.OpError):
    pass


def test_graph_errors_are_python_errors():
    assert issubclass(tf.errors.OperatorNotAllowedInGraphError, TypeError)
    assert issubclass(tf.errors.InaccessibleTensorError, ValueError)
    assert not issubclass(tf.errors.InaccessibleTensorError, tf.errors.OpError)


def test_stubs_made_with_wrong_arguments_end_quietly():
    with pytest.raises(TypeError):
        tf.compat.v1.test.StubOutForTesting("surplus")
    gc.collect()  # a warning from there would be an error
