"""tf.TensorShape: the laws of its order, and unusual arguments, beyond the recorded answers."""

import pickle

import numpy as np
import pytest
import tracefn as tf
from hypothesis import given
from hypothesis import strategies as st
from tracefn.dimension import Dimension

S = tf.TensorShape
sizes = st.one_of(st.none(), st.integers(0, 3))
shapes = st.one_of(st.none(), st.lists(sizes, max_size=3)).map(S)


@given(shapes, shapes, shapes)
def test_subtype_is_an_order(a, b, c):
    assert a.is_subtype_of(a)
    assert not (a.is_subtype_of(b) and b.is_subtype_of(a)) or a == b
    assert not (a.is_subtype_of(b) and b.is_subtype_of(c)) or a.is_subtype_of(c)


@given(shapes, shapes, shapes)
def test_common_supertype_is_the_least(a, b, c):
    joined = a.most_specific_common_supertype([b])
    assert a.is_subtype_of(joined)
    assert b.is_subtype_of(joined)
    assert joined == b.most_specific_common_supertype([a]) == a.most_specific_compatible_shape(b)
    assert joined.most_specific_common_supertype([c]) == a.most_specific_common_supertype([b, c])
    if a.is_subtype_of(c) and b.is_subtype_of(c):
        assert joined.is_subtype_of(c)


@given(shapes, shapes)
def test_merge_is_the_most_general_of_what_fits_both(a, b):
    assert a.is_compatible_with(b) == b.is_compatible_with(a)
    if a.is_compatible_with(b):
        merged = a.merge_with(b)
        assert merged == b.merge_with(a)
        assert merged.is_subtype_of(a)
        assert merged.is_subtype_of(b)
    else:
        with pytest.raises(ValueError, match="are not compatible"):
            a.merge_with(b)
        with pytest.raises(ValueError, match="are incompatible"):
            a.assert_is_compatible_with(b)


@given(shapes, shapes)
def test_equal_shapes_have_equal_hashes(a, b):
    assert (a == b) == (a._dims == b._dims) == (not a != b)  # noqa: SIM202 - both operators are ours
    assert a != b or hash(a) == hash(b)
    assert pickle.loads(pickle.dumps(a)) == a


@given(st.lists(sizes, max_size=5), st.slices(5))
def test_known_rank_slices_as_a_tuple(dims, part):
    assert S(dims)[part].as_list() == dims[part]
    assert list(S(dims)) == dims
    assert (S(dims) + S(dims)).as_list() == dims + dims


def test_from_dims_takes_the_tuple_as_it_is():
    dims = (2, None)
    assert S._from_dims(dims)._dims is dims
    assert S._from_dims(None) == S(None)
    assert type(_Sub._from_dims(dims)) is _Sub


class _Sub(S):
    pass


def test_sizes_become_plain_ints():
    for value in (np.int8(3), np.array(3), Dimension(3), True):
        assert type(S([value])._dims[0]) is int


def test_errors_of_the_iterable_come_through():
    def broken():
        yield 1
        raise KeyError("inner")

    with pytest.raises(KeyError, match="inner"):
        S(broken())


def test_a_cyclic_list_is_refused():
    dims = [1]
    dims.append(dims)
    with pytest.raises(TypeError, match="Dimension value must be integer"):
        S(dims)


def test_huge_ranks_and_sizes():
    shape = S([2**62] * 1000)
    assert shape.num_elements() == 2**62000
    assert S([None] * 100_000).rank == 100_000
    assert S([0, 2**70]).num_elements() == 0


def test_no_attributes_of_ones_own():
    with pytest.raises(AttributeError):
        S([1]).extra = 1


class TestDimension:
    def test_arithmetic(self):
        d = Dimension(7)
        results = [d + 2, 2 + d, d - 2, 9 - d, d * 2, 2 * d, d // 2, 15 // d, d % 4, 9 % d]
        assert [r.value for r in results] == [9, 9, 5, 2, 14, 14, 3, 2, 3, 2]
        assert (Dimension(None) + 1).value is None

    def test_unknown_compares_as_none(self):
        assert (Dimension(None) == 3) is None
        assert (Dimension(3) < Dimension(None)) is None
        assert (Dimension(3) == "a") is False

    def test_order(self):
        d = Dimension(3)
        assert (d < 4, d <= 3, d > 3, d >= 4, d != 3) == (True, True, False, False, False)

    def test_uses_as_a_number(self):
        assert list(range(Dimension(2))) == [0, 1]
        with pytest.raises(TypeError, match="unhashable type: .Dimension."):
            hash(Dimension(3))
        assert pickle.loads(pickle.dumps(Dimension(3))).value == 3
        assert (str(Dimension(None)), repr(Dimension(None))) == ("?", "Dimension(None)")

    def test_merge(self):
        assert Dimension(None).merge_with(3).value == 3
        with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
            Dimension(3).merge_with(4)
