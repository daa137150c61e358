"""Memory shared with and copied from other libraries: NumPy, the buffer protocol, DLPack; lifetimes and references."""

import copy
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest
import tracefn as tf
from tracefn._core import convert_to_tensor as constant
from tracefn._core import from_dlpack, to_dlpack

DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "bool", "complex64", "complex128"]


def address(array):
    return np.asarray(array).__array_interface__["data"][0]


def test_numpy_is_a_copy_in():
    array = np.arange(4.0)
    tensor = constant(array)
    array[:] = 7
    assert tensor.numpy().tolist() == [0, 1, 2, 3]


def test_numpy_is_a_copy_out():
    tensor = constant([1.0, 2.0])
    value = tensor.numpy()
    value[:] = 7
    assert tensor.numpy().tolist() == [1, 2]


@pytest.mark.parametrize("dtype", DTYPES)
def test_asarray_is_a_read_only_view(dtype):
    tensor = constant(np.ones((2, 3), dtype))
    view = np.asarray(tensor)
    assert view.dtype == dtype
    assert address(view) == address(tensor)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 0
    del tensor
    gc.collect()
    assert view.tolist() == np.ones((2, 3), dtype).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_memoryview(dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    view = memoryview(constant(array))
    assert view.readonly and view.c_contiguous
    assert (view.shape, view.strides, view.nbytes) == (array.shape, array.strides, array.nbytes)
    assert np.array_equal(np.asarray(view), array)


def test_memoryview_of_what_has_no_buffer():
    with pytest.raises(BufferError, match="string"):
        memoryview(constant("a"))
    with pytest.raises(BufferError, match="bfloat16"):
        memoryview(constant([1.0], "bfloat16"))


def test_released_buffer_outlives_its_tensor():
    tensor = constant(np.arange(1000))
    view = memoryview(tensor)
    reference = weakref.ref(tensor)
    del tensor
    assert view[999] == 999
    view.release()
    assert reference() is None


def test_numpy_copy_argument():
    tensor = constant([1.0, 2.0])
    assert address(tensor.__array__(copy=False)) == address(tensor)
    assert tensor.__array__(copy=True).flags.writeable
    assert tensor.__array__("float64").dtype == "float64"
    with pytest.raises(ValueError, match="copy"):
        tensor.__array__("float64", copy=False)
    with pytest.raises(ValueError, match="copy"):
        constant(["a"]).__array__(copy=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_to_numpy_shares_read_only(dtype):
    tensor = constant(np.arange(6).reshape(2, 3).astype(dtype))
    array = np.from_dlpack(tensor)
    assert array.dtype == dtype and array.tolist() == tensor.numpy().tolist()
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        assert not array.flags.writeable
        assert address(array) == address(tensor)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [lambda a: a, lambda a: a.T, lambda a: a[:, ::2], lambda a: a[::-1], lambda a: a[1]])
def test_dlpack_from_numpy(dtype, order):
    array = order(np.arange(12).reshape(3, 4).astype(dtype))
    tensor = from_dlpack(array)
    assert tensor.dtype == dtype and np.array_equal(tensor.numpy(), array)
    if array.flags.c_contiguous:
        assert address(tensor) == address(array)


def test_dlpack_holds_the_producer():
    array = np.arange(1000.0)
    reference = weakref.ref(array)
    tensor = from_dlpack(array)
    del array
    gc.collect()
    assert reference() is not None
    assert (tensor + tensor).numpy()[999] == 1998
    del tensor
    gc.collect()
    assert reference() is None


def test_dlpack_capsule_is_used_once_and_may_be_dropped():
    capsule = to_dlpack(constant([1, 2]))
    assert from_dlpack(capsule).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most once"):
        from_dlpack(capsule)
    del capsule
    to_dlpack(constant([3]))
    gc.collect()


def test_dlpack_refusals():
    with pytest.raises(tf.errors.InvalidArgumentError, match="string"):
        to_dlpack(constant("a"))
    with pytest.raises(TypeError):
        to_dlpack([1])
    with pytest.raises(AttributeError):
        from_dlpack([1])
    with pytest.raises(BufferError):
        constant([1]).__dlpack__(copy=False)
    with pytest.raises(BufferError):
        constant([1]).__dlpack__(dl_device=(2, 0))
    assert constant([1]).__dlpack_device__() == (1, 0)


def test_bfloat16_and_scalars_through_dlpack():
    assert from_dlpack(constant([1.5], "bfloat16")).dtype == tf.bfloat16
    assert from_dlpack(constant(2.5)).shape == ()
    assert from_dlpack(constant(np.zeros((0, 3)))).shape == (0, 3)


def test_attributes_and_cycles_are_collected():
    tensor = constant([1.0])
    tensor.extra = [tensor]
    assert tensor.__dict__.keys() == {"extra"}
    reference = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert reference() is None


def test_objects_are_recycled_without_their_attributes():
    for _ in range(200):
        tensor = constant(1.0)
        assert tensor.__dict__ == {}
        tensor.mark = 1


def test_references_are_balanced():
    tensor, value = constant([1.0, 2.0]), [1.0, 2.0]
    before = sys.getrefcount(tensor), sys.getrefcount(value), sys.getrefcount(type(tensor))
    for _ in range(100):
        assert (tensor + value).shape == [2]
        assert (tensor == tensor.cpu()).numpy().all()
        list(tensor)
        constant(tensor)
        constant(value)
        repr(tensor)
        tensor.numpy()
        assert tensor.shape == [2]
        memoryview(tensor).release()
        np.from_dlpack(tensor)
        with pytest.raises(TypeError):
            tensor - "a"
        with pytest.raises(TypeError):
            hash(tensor)
    after = sys.getrefcount(tensor), sys.getrefcount(value), sys.getrefcount(type(tensor))
    assert after[:2] == before[:2]
    assert abs(after[2] - before[2]) < 20


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_pickle_and_copies(dtype):
    tensor = constant(np.arange(6).reshape(2, 3), dtype)
    assert copy.copy(tensor) is tensor and copy.deepcopy(tensor) is tensor
    for again in (pickle.loads(pickle.dumps(tensor)), pickle.loads(pickle.dumps(tensor, protocol=2))):
        assert again is not tensor
        assert (again.dtype, again.shape) == (tensor.dtype, tensor.shape)
        assert repr(again) == repr(tensor)


def test_pickle_of_strings_and_types():
    assert pickle.loads(pickle.dumps(constant([["a", b"\xff\x00"]]))).numpy().tolist() == [[b"a", b"\xff\x00"]]
    kind = type(constant(1))
    assert pickle.loads(pickle.dumps(kind)) is kind


@pytest.mark.parametrize("parts", [(1, (2,), b"1234567"), (1, (2**62, 4), b""), (99, (), b"1234"), (7, (2,), [b"a"]),
                                   (1, (), [1.0]), (1, (-1,), b""), (20, (), b"12345678"), (1, (None,), b"1234")])
def test_hostile_pickles_are_refused(parts):
    from tracefn._core import _tensor_from_parts

    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
        _tensor_from_parts(*parts)
