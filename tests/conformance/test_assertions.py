"""Assertions of `tf.debugging` and `tf.compat.v1`: what holds, what errors say, and the names of their ops."""

import re

import pytest

pytestmark = pytest.mark.rule(28)


def refused(tf, check, *words):
    """The assertion fails, eagerly and in a function, with these words in the text."""
    for run in check, tf.function(lambda: check() and None, autograph=False):
        with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)) as raised:
            run()
        for word in words:
            assert word in str(raised.value)


def test_near_numbers_are_nearer_than_the_tolerance(tf):
    near = tf.debugging.assert_near
    near([1.0, 2.0], [1.0, 2.0])
    near([1.0], [1.4], atol=0.5, rtol=0.0)
    refused(tf, lambda: near([1.0], [1.5], atol=0.5, rtol=0.0), "not equal to tolerance")
    refused(tf, lambda: near(1.0, 1.0, rtol=0.0, atol=0.0), "not equal to tolerance")


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_near_complex_numbers(tf, dtype):
    x = tf.cast([1.0], dtype)
    for near in tf.debugging.assert_near, tf.compat.v1.assert_near:
        near(x, x)
        near(x, x + 0.1, atol=0.2)
        refused(tf, lambda near=near: near(x, x + 1.0), "not equal to tolerance")


def test_texts_of_signs(tf):
    def text(check):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            check(tf.constant([-1, 0, 1, 2, 3]))
        return raised.value.message

    shown = "x (shape=(5,) dtype=int32) = \n['-1', '0', '1', '...']"
    for library in tf.debugging, tf.compat.v1.debugging:
        assert text(library.assert_positive) == f"\nCondition x > 0 did not hold element-wise:\n{shown}"
        assert text(library.assert_non_positive) == f"\nCondition x <= 0 did not hold element-wise:{shown}"


def test_data_in_place_of_the_arguments(tf):
    v1, five = tf.compat.v1, tf.range(5)

    def text(check, *given, **named):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            check(*given, **named)
        return raised.value.message

    assert text(v1.assert_less, 2, 1, data=["less", five], message="told") == "told\nless\n['0', '1', '2', '...']"
    assert text(v1.assert_equal, 2, 1, data=[five], summarize=1) == "['0', '...']"
    assert text(v1.assert_positive, -1, data=["sign"], message="told") == "sign"
    assert "Summarized data: b'near'" in text(v1.assert_near, 1.0, 2.0, data=["near"], message="told")


def test_ranks(tf):
    at_least, rank, one_of = tf.debugging.assert_rank_at_least, tf.debugging.assert_rank, tf.debugging.assert_rank_in
    refused(tf, lambda: one_of([1], (2,)), "must have rank in (2,).  Received rank 1, shape (1,)")
    refused(tf, lambda: rank([1], 1.0), "must be of type tf.int32; got tf.float32")
    refused(tf, lambda: rank([1], [1]), "Rank must be a scalar.")
    rank(tf.sparse.eye(2), 2)
    refused(tf, lambda: rank(tf.sparse.eye(2), 1), "Tensor  must have rank 1.  Received rank 2, shape (2, 2)")
    refused(tf, lambda: at_least(tf.sparse.eye(2), 2))
    refused(tf, lambda: rank(tf.ragged.constant([[1]]), 2))


def test_unknown_ranks(tf):
    v1 = tf.compat.v1

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
    def check(x, rank):
        v1.assert_rank(x, rank, data=["rank of x", x], summarize=2)
        v1.assert_rank_in(x, [rank, 4])
        tf.debugging.assert_rank_at_least(x, rank)
        return x

    assert check([1.0, 2.0], 1).shape == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape("[rank of x] [1 2...]")):
        check([1.0, 2.0, 3.0], 2)


def test_dtypes_that_differ(tf):
    same = tf.debugging.assert_same_float_dtype
    assert same([None, tf.constant(1.0), None]) == tf.float32
    with tf.Graph().as_default():
        single, double = tf.constant(1.0, name="single"), tf.constant(1.0, tf.float64, name="double")
        text = "double:0, type=<dtype: 'float64'>, must be of the same type (<dtype: 'float32'>) as single:0."
        with pytest.raises(ValueError, match=re.escape(text)):
            same([single, double])


def test_names_of_ops_in_graphs(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = tf.constant([1.0])
        made = [
            v1.assert_type(x, tf.float32),
            v1.assert_integer(tf.constant(1)),
            v1.assert_rank(x, 1),
            v1.assert_equal(x, x),
            v1.assert_equal(x, [1.0]),
            v1.assert_non_negative(tf.constant(1)),
        ]
        assert [op.name for op in made] == [
            "assert_type/statically_determined_correct_type",
            "assert_integer/statically_determined_was_integer",
            "assert_rank/static_checks_determined_all_ok",
            "assert_equal/NoOp",
            "assert_equal_2/Assert/AssertGuard/Identity" if made[4].name.endswith("Identity") else "assert_equal_2/Assert/Assert",
            "assert_non_negative/assert_less_equal/Assert/Assert",
        ]
        scalar = v1.assert_scalar(3)
        assert scalar.op.name == "assert_scalar"


def test_strings_that_differ(tf):
    def compare():
        tf.debugging.assert_equal("a", "b")

    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(":0) = \nb'a'\ny (")):
        tf.function(compare, autograph=False)()


def test_data_of_assert_are_a_list(tf):
    for data, words in ("ab", "Expected list for 'data' argument to 'Assert' Op, not ab."), (5, "values must be a sequence."):
        with pytest.raises(TypeError, match=re.escape(words)):
            tf.function(lambda data=data: tf.Assert(tf.constant(True), data), autograph=False)()


def test_data_of_assert_is_a_sequence(tf):
    for data in (tf.constant([1]), {"a": 1}, {1}, iter([1]), 3, None, tf.Variable([1])):
        with pytest.raises(TypeError, match="values must be a sequence"):
            tf.debugging.Assert(False, data)
    tf.debugging.Assert(True, 3)
    for data in ((1, 2), range(1, 3), [1, 2]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Summarized data: 1\n2"):
            tf.debugging.Assert(False, data)


def test_data_of_assert_in_a_graph_keep_their_names(tf):
    with tf.Graph().as_default() as graph:
        tf.debugging.assert_equal(tf.constant(1), tf.constant([1]), name="same")
        tf.debugging.Assert(tf.constant([True])[0], ["told", 3], name="checked")
    names = [x.op.name for x in graph.get_operation_by_name("checked/Assert").inputs]
    assert names[1:] == ["checked/Assert/data_0", "checked/Assert/data_1"]


def sparse_row(tf):
    return tf.sparse.from_dense([[1, 0, 2]])


def test_shapes_of_sparse_tensors(tf):
    check, x = tf.debugging.assert_shapes, sparse_row(tf)
    check([(x, (1, 3))])
    check([(x, ("N", "M")), (tf.zeros([3]), ("M",)), (x, (..., "M"))])
    for shape, words in (
        ((1, 2), "Tensor shape=(1, 3) dtype=int32 dimension 1 must have size 2.  Received size 3, shape (1, 3)"),
        (("N",), "must have rank in (0, 1).  Received rank 2, shape (1, 3)"),
        (("N", "N"), "Specified by tensor shape=(1, 3) dtype=int32 dimension 0."),
    ):
        with pytest.raises(ValueError) as raised:
            check([(x, shape)])
        assert words in str(raised.value)


@pytest.mark.parametrize(
    ("known", "shape", "words"),
    [
        ([None, None], (1, 3), None),
        (None, (1, "N"), None),
        ([None, 3], (..., "N"), None),
        ([None, None], (1, 2), "[Tensor shape=(None, None) dtype=int32 dimension] [1] [must have size] [2] [Received shape: ] [1 3]"),
        (None, ("N",), "[Tensor  must have rank in] [0] [1] [Received shape: ] [1 3]"),
        ([None, 3], ("N", "N"), "[Specified by tensor shape=(None, 3) dtype=int32 dimension 0]"),
    ],
)  # fmt: skip
def test_shapes_of_sparse_tensors_at_run_time(tf, known, shape, words):
    @tf.function(input_signature=[tf.SparseTensorSpec(known, tf.int32)])
    def checked(x):
        tf.debugging.assert_shapes([(x, shape)])
        return tf.sparse.reduce_sum(x)

    if words is None:
        assert checked(sparse_row(tf)) == 3
        return
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        checked(sparse_row(tf))
    assert words in raised.value.message
