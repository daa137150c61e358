"""Tensors that sessions of TensorFlow 1 keep between their runs."""

import gc

import pytest

pytestmark = pytest.mark.rule(27)


@pytest.fixture
def session(tf, v1):
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def keep(v1, session, tensor):
    return session.run(v1.get_session_handle(tensor))


def test_a_kept_tensor_is_taken_in_a_later_run(tf, v1, session):
    kept = keep(v1, session, tf.constant([1, 2]) * 5)
    assert str(kept) == kept.handle and kept.handle.endswith(";/job:localhost/replica:0/task:0/device:CPU:0")
    holder, tensor = v1.get_session_tensor(kept.handle, tf.int32)
    assert (holder.dtype, tensor.dtype) == (tf.string, tf.int32)
    assert session.run(tensor + 1, {holder: kept.handle}).tolist() == [6, 11]
    assert kept.eval().tolist() == [5, 10]
    doubled = session.run(v1.get_session_handle(tensor * 2), {holder: kept.handle})
    assert doubled.handle != kept.handle and doubled.eval().tolist() == [10, 20]


def test_handles_are_fed_in_place_of_values(tf, v1, session):
    x = v1.placeholder(tf.float32, [2])
    kept = keep(v1, session, tf.constant([1.0, 2.0]))
    assert session.run(x * 2.0, {x: kept}).tolist() == [2.0, 4.0]
    found = session.run({"a": x, "kept": v1.get_session_handle(x + 1.0)}, {x: kept})
    assert found["a"].tolist() == [1.0, 2.0] and found["kept"].eval().tolist() == [2.0, 3.0]


def test_kept_tensors_are_deleted(tf, v1, session):
    kept = keep(v1, session, tf.constant(3))
    holder, tensor = v1.get_session_tensor(kept.handle, tf.int32)
    kept.delete()
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
        session.run(tensor, {holder: kept.handle})
    for call in (kept.eval, kept.delete):
        with pytest.raises(TypeError, match="may have already been deleted"):
            call()
    raw = keep(v1, session, tf.constant(4)).get_raw_handle()
    gc.collect()
    assert session.run(tensor, {holder: raw}) == 4
    there, deleter = v1.delete_session_tensor(raw)
    session.run(deleter, {there: raw})
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the session store"):
        session.run(tensor, {holder: raw})


def test_what_session_handles_refuse(tf, v1, session):
    with pytest.raises(TypeError, match="`data` must be of type Tensor"):
        v1.get_session_handle(3)
    for call in (lambda: v1.get_session_tensor("foo", tf.int32), lambda: v1.delete_session_tensor("foo")):
        with pytest.raises(ValueError, match="Unknown attribute 'foo' is encountered while parsing the device spec: 'foo'"):
            call()
    with tf.init_scope(), pytest.raises(TypeError, match="`data` must be of type Tensor"):
        v1.get_session_handle([1])


def test_there_are_no_session_handles_eagerly(tf, v1):
    with pytest.raises(tf.errors.FailedPreconditionError, match="GetSessionHandle called on null session state"):
        v1.get_session_handle(tf.constant(1))
