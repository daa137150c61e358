"""tensorflow.python.ops.linalg.linear_operator_util: what classes of linear operators are made with."""

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def util(internal):
    return internal("ops.linalg.linear_operator_util")


def test_values_that_may_change(tf, util):
    class Later(tf.Module):
        dtype, shape = tf.float32, tf.TensorShape([])

    v, later = tf.Variable(1.0), Later()
    assert util.is_ref(v) and util.is_ref(later) and not util.is_ref(tf.constant(1.0)) and not util.is_ref(tf.Module())
    assert util.convert_nonref_to_tensor(v, dtype=tf.float32) is v and util.convert_nonref_to_tensor(later) is later
    assert util.convert_nonref_to_tensor(None) is None and util.convert_nonref_to_tensor(1, dtype_hint=tf.int64).dtype == tf.int64
    with pytest.raises(TypeError, match="must be of dtype `float64` Received: `float32`"):
        util.convert_nonref_to_tensor(v, dtype=tf.float64)
    with pytest.raises(TypeError, match="cannot be reference type"):
        util.assert_not_ref_type(v, "x")
    assert util.base_dtype("float32") == tf.float32 and util.dtype_name(np.int32) == "int32"
    util.check_dtype(v, tf.float32)
    with pytest.raises(TypeError, match="Expected argument to have dtype"):
        util.check_dtype(v, tf.int32)


def test_assertions(tf, util):
    util.assert_no_entries_with_modulus_zero([1.0, -2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="none"):
        util.assert_no_entries_with_modulus_zero([1j, 0], message="none")
    util.assert_zero_imag_part([1.0])
    util.assert_zero_imag_part([1 + 0j])
    with pytest.raises(tf.errors.InvalidArgumentError, match="real"):
        util.assert_zero_imag_part([1j], message="real")
    operator = tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3]))
    util.assert_compatible_matrix_dimensions(operator, tf.ones([3, 1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Dimensions are not compatible"):
        util.assert_compatible_matrix_dimensions(operator, tf.ones([2, 1]))
    util.assert_is_batch_matrix(tf.ones([2, 2]))
    with pytest.raises(ValueError, match="at least two dimensions"):
        util.assert_is_batch_matrix(tf.ones([2]))
    assert util.shape_tensor([]).dtype == tf.int32 and util.shape_tensor([2]).numpy().tolist() == [2]


def test_batches_of_matrices(tf, util):
    shapes = [[2, 3], [4, 1, 5], [6, 1, 1, 1]]
    found = util.broadcast_matrix_batch_dims([tf.ones(shape) for shape in shapes])
    assert [x.shape.as_list() for x in found] == [[6, 4, 2, 3], [6, 4, 1, 5], [6, 4, 1, 1]]
    with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
        util.broadcast_matrix_batch_dims([tf.ones([2, 1, 1]), tf.ones([3, 1, 1])])
    assert util.broadcast_matrix_batch_dims([]) == []
    assert util.broadcast_matrix_batch_dims([[[1.0]]])[0].shape == (1, 1)
    matrix, rhs = np.array([[2.0, 1.0], [0.0, 4.0]]), np.arange(12.0).reshape(3, 2, 2)
    for adjoint in (False, True):
        expected = np.linalg.solve(matrix.T if adjoint else matrix, rhs)
        np.testing.assert_allclose(util.matrix_solve_with_broadcast(matrix, rhs, adjoint=adjoint), expected)


def test_adjoints_of_each_other(tf, util):
    a = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    symmetric = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [2.0, 4.0]], is_self_adjoint=True)
    adjoint = tf.linalg.LinearOperatorAdjoint(a)
    assert util.is_adjoint_pair(symmetric, symmetric) and not util.is_adjoint_pair(a, symmetric)
    assert util.is_aat_form([symmetric, symmetric]) and not util.is_aat_form([a, symmetric, a])
    assert util.is_adjoint_pair(a, adjoint) == util.is_aat_form([a, adjoint])
    with pytest.raises(ValueError, match="AAT form is undefined"):
        util.is_aat_form([])


def test_hints(tf, util):
    hint = util.use_operator_or_provided_hint_unless_contradicting
    known = tf.linalg.LinearOperatorFullMatrix([[1.0]], is_self_adjoint=True)
    assert hint(known, "is_self_adjoint", None, "no") is True and hint(known, "is_square", None, "no") is True
    assert hint(known, "is_positive_definite", None, "no") is None and hint(known, "is_positive_definite", False, "no") is False
    with pytest.raises(ValueError, match="they differ"):
        hint(known, "is_self_adjoint", False, "they differ")
