"""Values that are wrong, huge, odd, or change while they are read: an error or the right tensor, never a crash."""

import threading

import numpy as np
import pytest
import tracefn as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tracefn._core import convert_to_tensor as constant


def test_a_list_that_contains_itself():
    items = []
    items.append(items)
    with pytest.raises(ValueError, match="levels of nesting"):
        constant(items)
    pair = [constant(1)]
    pair.append(pair)
    with pytest.raises((ValueError, TypeError)):
        constant(pair)


def test_deep_nesting():
    items = 1
    for _ in range(200):
        items = [items]
    assert constant(items).ndim == 200
    for _ in range(5000):
        items = [items]
    with pytest.raises(ValueError, match="levels of nesting"):
        constant(items)


def test_long_lists():
    assert constant([1] * 1_000_000).shape == (1_000_000,)
    assert constant([[0.5, 1.5]] * 100_000).shape == (100_000, 2)
    with pytest.raises(ValueError, match="mixed"):
        constant([1] * 100_000 + ["a"])
    with pytest.raises(TypeError) as error:
        constant([1] * 100_000, "string")
    assert len(str(error.value)) < 4000


def test_ranges_of_any_length():
    assert constant(range(10**6)).numpy().sum() == sum(range(10**6))
    with pytest.raises(tf.errors.ResourceExhaustedError):
        constant(range(10**15))
    with pytest.raises(ValueError, match="out-of-range"):
        constant(range(10**30))
    with pytest.raises(ValueError, match="out-of-range"):
        constant(range(2**62, 2**63 + 10, 2**61))


class Trap:
    def __init__(self, items):
        self.items = items

    def __index__(self):
        self.items.clear()
        return 1

    __int__ = __float__ = __index__


class EvilSequence:
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if i > 10:
            raise IndexError
        return float(i)


def test_lists_that_change_while_they_are_read():
    items = [1.0]
    items.extend([Trap(items), 2.0])
    with pytest.raises((ValueError, TypeError)):
        constant(items)

    class Float(float):
        def __float__(self):
            values.clear()
            return 1.0

    values = [1.0, Float(2.0), 3.0, 4.0]
    try:
        constant(values)
    except ValueError as error:
        assert "rectangular" in str(error)


def test_sequences_that_lie_about_their_length():
    assert constant(EvilSequence(11)).shape == (11,)
    for length in (3, 100):
        with pytest.raises(ValueError):
            constant(EvilSequence(length))

    class Negative(EvilSequence):
        def __len__(self):
            return -1  # noqa: PLE0303 - the point of the test

    with pytest.raises(ValueError):
        constant(Negative(0))


class RaisingArray:
    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


@pytest.mark.parametrize("error", [KeyError("boom"), ValueError("boom"), TypeError("boom"), KeyboardInterrupt("boom"),
                                   RecursionError("boom")])
def test_errors_of_array_pass_through(error):
    for use in (constant, lambda x: constant(1.0) + x, lambda x: constant(1.0) == x, lambda x: constant([constant(1), x])):
        with pytest.raises(type(error), match="boom") as caught:
            use(RaisingArray(error))
        assert caught.value is error


def test_errors_of_tf_tensor_pass_through():
    class Broken:
        def __tf_tensor__(self, dtype=None, name=None):
            raise ZeroDivisionError("boom")

    class Wrong:
        def __tf_tensor__(self, dtype=None, name=None):
            return 1

    with pytest.raises(ZeroDivisionError, match="boom"):
        constant(Broken())
    with pytest.raises(RuntimeError, match="must return a Tensor"):
        constant(Wrong())


def test_a_repr_that_fails():
    class Unprintable:
        def __repr__(self):
            raise RuntimeError("no repr")

    with pytest.raises(ValueError, match="Attempt to convert a value .*Unprintable.* to a Tensor"):
        constant(Unprintable())


def test_odd_strings():
    assert constant("a\0b").numpy() == b"a\0b"
    assert constant(b"\xff\0").numpy() == b"\xff\0"
    with pytest.raises(UnicodeEncodeError):
        constant("\ud800")
    assert constant(np.array(["a\0\0b", "c"])).numpy().tolist() == [b"a\0\0b", b"c"]


def test_types_are_no_values():
    class WithMethods:
        def __tf_tensor__(self, dtype=None, name=None):
            return constant(1)

        def __array__(self):
            return np.zeros(1)

    for value in (WithMethods, int, np.float32, np.ndarray):
        with pytest.raises(ValueError, match="unsupported type"):
            constant(value)


def test_subscripts_that_raise():
    class Index:
        def __index__(self):
            raise ZeroDivisionError("boom")

    tensor = constant([1, 2, 3])
    with pytest.raises(ZeroDivisionError, match="boom"):
        tensor[Index()]
    with pytest.raises(ZeroDivisionError, match="boom"):
        tensor[Index():]
    with pytest.raises(ValueError, match="63"):
        tensor[(None,) * 64]


@settings(max_examples=200, deadline=None)
@given(hnp.arrays(st.sampled_from(["i1", "<i4", ">i4", ">f8", "<f2", "?", "<c8", "u8"]),
                  hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)), st.data())
def test_arrays_of_any_layout(array, data):
    axes = data.draw(st.permutations(range(array.ndim)))
    steps = tuple(slice(None, None, data.draw(st.sampled_from([1, 2, -1, -2]))) for _ in range(array.ndim))
    view = array.transpose(axes)[steps]
    tensor = constant(view)
    assert tensor.dtype == array.dtype.newbyteorder("=")
    assert np.array_equal(tensor.numpy(), view, equal_nan=array.dtype.kind in "fc")
    if view.ndim:
        assert np.array_equal(constant(np.asfortranarray(view)).numpy(), view, equal_nan=array.dtype.kind in "fc")


NUMBERS = st.one_of(st.integers(-2**31, 2**31 - 1), st.floats(allow_nan=False, width=32))


@settings(max_examples=300, deadline=None)
@given(st.recursive(NUMBERS, lambda inner: st.lists(inner, max_size=4), max_leaves=12))
def test_nests_convert_as_numpy_or_are_refused(nest):
    first = nest
    while isinstance(first, list) and first:
        first = first[0]
    if first == []:  # TensorFlow looks no further
        assert constant(nest).numpy().size == 0
        return
    try:
        expected = np.array(nest)
    except ValueError:
        with pytest.raises(ValueError, match="non-rectangular|mixed types"):
            constant(nest)
        return
    try:
        tensor = constant(nest)
    except ValueError as error:  # a float of a width that the first leaf does not ask for
        assert "out of range" in str(error) or "non-rectangular" in str(error)
        return
    if expected.dtype != object:
        assert tensor.shape == expected.shape
        assert np.array_equal(tensor.numpy(), expected.astype(tensor.dtype.as_numpy_dtype))


def test_threads():
    tensor = constant(np.arange(100_000, dtype="float32"))
    small = constant(2.0)
    failures = []

    def work():
        try:
            for _ in range(200):
                assert float((small + small) * small) == 8.0
                assert constant([1, 2, 3]).numpy().tolist() == [1, 2, 3]
                value = tensor + tensor
                assert value.numpy()[99_999] == 199_998
                np.asarray(value)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
