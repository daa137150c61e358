"""`tensorflow.python.ops.linalg.linear_operator_util`: parts of classes of linear operators."""

from __future__ import annotations

from tracefn import _core
from tracefn.dtypes import as_dtype
from tracefn.linalg._tensors import broadcast_batches, check_no_zeros, check_real, is_ref, solve_broadcast
from tracefn.ops._build import name_scope
from tracefn.ops.array_shape import shape
from tracefn.ops.debugging import check_equal

__all__ = [
    "assert_compatible_matrix_dimensions",
    "assert_is_batch_matrix",
    "assert_no_entries_with_modulus_zero",
    "assert_not_ref_type",
    "assert_zero_imag_part",
    "base_dtype",
    "broadcast_matrix_batch_dims",
    "check_dtype",
    "convert_nonref_to_tensor",
    "dtype_name",
    "is_aat_form",
    "is_adjoint_pair",
    "is_ref",
    "matrix_solve_with_broadcast",
    "shape_tensor",
    "use_operator_or_provided_hint_unless_contradicting",
]


def convert_nonref_to_tensor(value, dtype=None, dtype_hint=None, name=None):
    """A tensor, unless a value may change, so that it must be read when it is used.

    Args:
      value: what `tf.convert_to_tensor` takes, or None.
      dtype, dtype_hint, name: as in `tf.convert_to_tensor`.

    Returns:
      Tensor; None, a Variable or a Module as it is.

    Raises:
      TypeError: a value that may change has another dtype.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.linalg.linear_operator_util import convert_nonref_to_tensor
      >>> v = tf.Variable(1.0)
      >>> convert_nonref_to_tensor(v) is v, float(convert_nonref_to_tensor(2.0))
      (True, 2.0)
    """
    if value is None:
        return None
    if not is_ref(value):
        return _core.convert_to_tensor(value, dtype=dtype, dtype_hint=dtype_hint, name=name)
    if dtype is not None and base_dtype(dtype) != base_dtype(value.dtype):
        raise TypeError(f"Argument `value` must be of dtype `{dtype_name(dtype)}` Received: `{dtype_name(value.dtype)}`.")
    return value


def base_dtype(dtype):
    """A dtype, of which there are none by reference here."""
    return as_dtype(dtype).base_dtype


def dtype_name(dtype) -> str:
    """The name of a dtype."""
    return as_dtype(dtype).name


def check_dtype(arg, dtype) -> None:
    """Raises TypeError unless a tensor has a dtype."""
    if arg.dtype.base_dtype != dtype:
        raise TypeError(f"Expected argument to have dtype {dtype}. Found: {arg.dtype} in tensor {arg}.")


def assert_not_ref_type(x, arg_name) -> None:
    """Raises TypeError if a value may change."""
    if is_ref(x):
        raise TypeError(f"Argument {arg_name} cannot be reference type. Found: {type(x)}.")


def assert_no_entries_with_modulus_zero(x, message=None, name="assert_no_entries_with_modulus_zero"):
    """An assertion that no element of a tensor is 0.

    Raises:
      InvalidArgumentError: one is.
    """
    with name_scope(name):
        return check_no_zeros(x, message)


def assert_zero_imag_part(x, message=None, name="assert_zero_imag_part"):
    """An assertion that all elements of a tensor are real.

    Raises:
      InvalidArgumentError: one is not.
    """
    with name_scope(name):
        return check_real(x, message)


def assert_compatible_matrix_dimensions(operator, x):
    """An assertion that an operator can be multiplied by a matrix [..., n, k].

    Raises:
      InvalidArgumentError: the number of its columns is not n.
    """
    return check_equal(
        shape(x)[-2],
        operator.domain_dimension_tensor(),
        message="Dimensions are not compatible.  shape[-2] of argument to be the same as this operator",
    )


def assert_is_batch_matrix(tensor) -> None:
    """Raises ValueError if a tensor's rank is known to be below 2."""
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise ValueError(f"Expected [batch] matrix to have at least two dimensions. Found: {tensor}.")


def shape_tensor(shape, name=None):
    """A shape as a tensor of ints; an empty one, too."""
    empty = isinstance(shape, (tuple, list)) and not shape
    return _core.convert_to_tensor(shape, dtype="int32" if empty else None, name=name)


def broadcast_matrix_batch_dims(batch_matrices, name=None) -> list:
    """Matrices whose leading dimensions are broadcast together.

    Args:
      batch_matrices: list of tensors [..., m, n], whose m and n may differ.
      name: name scope of the ops, or None.

    Raises:
      ValueError: a tensor is of rank below 2; leading dimensions do not fit.

    Example:
      >>> import tracefn as tf
      >>> from tracefn.python.ops.linalg.linear_operator_util import broadcast_matrix_batch_dims
      >>> [x.shape.as_list() for x in broadcast_matrix_batch_dims([tf.ones([2, 3]), tf.ones([4, 1, 1])])]
      [[4, 2, 3], [4, 1, 1]]
    """
    with name_scope(name or "broadcast_matrix_batch_dims"):
        matrices = [_core.convert_to_tensor(matrix) for matrix in batch_matrices]
        for matrix in matrices:
            assert_is_batch_matrix(matrix)
        return broadcast_batches(matrices) if len(matrices) > 1 else matrices


def matrix_solve_with_broadcast(matrix, rhs, adjoint=False, name=None):
    """`tf.linalg.solve` for matrices whose leading dimensions are broadcast together.

    Args:
      matrix: tensor [..., n, n].
      rhs: tensor [..., n, k].
      adjoint: whether the adjoints of the matrices are meant.
      name: name scope of the ops, or None.
    """
    with name_scope(name or "MatrixSolveWithBroadcast"):
        matrix = _core.convert_to_tensor(matrix, name="matrix")
        return solve_broadcast(matrix, _core.convert_to_tensor(rhs, dtype=matrix.dtype, name="rhs"), adjoint)


def is_adjoint_pair(x, y) -> bool:
    """Whether two operators are known to be each other's adjoint, because one was made of the other."""
    if x is y and x.is_self_adjoint is not None:
        return x.is_self_adjoint
    return x.H is y or y.H is x


def is_aat_form(operators) -> bool:
    """Whether a list of operators multiplies to A A^H.

    Raises:
      ValueError: the list is empty.
    """
    operators = list(operators)
    if not operators:
        raise ValueError("AAT form is undefined for empty operators")
    half = len(operators) // 2
    pairs = zip(operators[:half], reversed(operators), strict=False)
    return len(operators) % 2 == 0 and all(is_adjoint_pair(x, y) for x, y in pairs)


def use_operator_or_provided_hint_unless_contradicting(operator, hint_attr_name, provided_hint_value, message):
    """What is known of a property of an operator from itself, and from who made another one of it.

    Returns:
      True, False, or None if neither knows.

    Raises:
      ValueError: they contradict each other; with this message.
    """
    hints = {getattr(operator, hint_attr_name), provided_hint_value} - {None}
    if len(hints) > 1:
        raise ValueError(message)
    return next(iter(hints), None)
