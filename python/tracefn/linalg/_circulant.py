"""Circulant operators: convolutions with a kernel around a ring or a torus, given by the kernel's spectrum."""

from __future__ import annotations

import math

from tracefn.dtypes import as_dtype, complex64
from tracefn.linalg import _hints, _tensors
from tracefn.linalg._linear_operator import LinearOperator
from tracefn.linalg._tensors import constant, convert, op
from tracefn.ops._build import EPSILONS
from tracefn.ops.array_creation import ones
from tracefn.ops.array_shape import concat, rank, reshape, shape
from tracefn.ops.casting import cast
from tracefn.ops.complex_numbers import complex as complex_number
from tracefn.ops.complex_numbers import conj, imag, real
from tracefn.ops.debugging import check_less, check_positive
from tracefn.ops.linear_algebra import matrix_transpose
from tracefn.ops.math import abs as absolute
from tracefn.ops.ranges import range as number_range
from tracefn.ops.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from tracefn.tensor_shape import TensorShape

_TRANSFORMS = {1: "FFT", 2: "FFT2D", 3: "FFT3D"}


def _as_complex(x):
    x = convert(x)
    if x.dtype.is_complex:
        return x
    return cast(x, "complex128" if x.dtype.name == "float64" else "complex64")


def _transposed(x):
    """Matrices with rows and columns exchanged, also of unknown rank."""
    if x.shape.rank is not None:
        return matrix_transpose(x)
    last = rank(x) - 1
    return op("Transpose")(x=x, perm=concat([number_range(last - 1), op("Pack")(values=[last, last - 1])], 0))


class _Circulant(LinearOperator):
    """What circulant operators of all depths have in common; `_depth` is the number of a spectrum's axes."""

    _arguments = ("spectrum", "input_output_dtype")
    _depth = 0

    def _set_up(self, parameters):
        spectrum, name = parameters["spectrum"], parameters["name"]
        self._spectrum = _tensors.parameter(spectrum, "spectrum")
        axes = self._spectrum.shape.rank
        if axes is not None and axes < self._depth:
            raise ValueError(f"Argument `spectrum` must have at least {self._depth} dimensions. Received: {spectrum}.")
        hints = {hint: parameters[hint] for hint in _hints.HINTS}
        if not self._spectrum.dtype.is_complex:
            if hints["is_self_adjoint"] is False:
                raise ValueError(
                    "A real spectrum always corresponds to a self-adjoint operator. Expected argument `is_self_adjoint` to "
                    f"be True when `spectrum.dtype.is_complex` = True. Received: {hints['is_self_adjoint']}."
                )
            hints["is_self_adjoint"] = True
        if hints["is_square"] is False:
            raise ValueError(
                "A [[nested] block] circulant operator is always square. Expected argument `is_square` to be True. "
                f"Received: {hints['is_square']}."
            )
        hints["is_square"] = True
        super().__init__(as_dtype(parameters["input_output_dtype"]), name=name, parameters=parameters, **hints)

    @property
    def spectrum(self):
        """The eigenvalues [..., n_1, ..., n_d]: the Fourier transform of the convolution kernel."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """The number d of axes that belong to one matrix."""
        return self._depth

    @property
    def block_shape(self):
        """The sizes of these axes, as far as they are known."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self):
        """The sizes of these axes as an int32 tensor."""
        known = self.block_shape
        if known.is_fully_defined():
            return constant(known.as_list(), "int32")
        return shape(self._spectrum)[-self._depth :]

    def convolution_kernel(self, name="convolution_kernel"):
        """The inverse Fourier transform of the spectrum, of the operator's dtype."""
        with self._scope(name):
            return cast(self._transform(_as_complex(self._spectrum), inverse=True), self.dtype)

    def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
        """An op that fails unless the matrix is real, up to rounding.

        Raises:
          InvalidArgumentError: the spectrum is not Hermitian.
        """
        with self._scope(name):
            part = absolute(imag(self.convolution_kernel()))
            most = EPSILONS[part.dtype.name] * cast(self.domain_dimension_tensor(), part.dtype)
            return check_less(part, most, message="Spectrum was not Hermitian")

    def _transform(self, x, inverse=False):
        return op(("I" if inverse else "") + _TRANSFORMS[self._depth])(input=x)

    def _like(self, spectrum, **arguments):
        return type(self)(spectrum, **arguments)

    def _shape(self):
        static, blocks = self._spectrum.shape, self.block_shape
        if static.rank is None:
            return TensorShape(None)
        n = math.prod(blocks.as_list()) if blocks.is_fully_defined() else None
        return static[: -self._depth].concatenate(TensorShape([n, n]))

    def _shape_tensor(self):
        sizes = shape(self._spectrum)
        n = reduce_prod(sizes[-self._depth :])
        return concat([sizes[: -self._depth], op("Pack")(values=[n, n])], 0)

    def _axes(self):
        return list(range(-self._depth, 0))

    def _flat(self):
        """The spectrum [..., n]."""
        spectrum = convert(self._spectrum)
        if self._depth == 1:
            return spectrum
        return reshape(spectrum, concat([shape(spectrum)[: -self._depth], [-1]], 0))

    # What circulant operators are made into.

    def _linop_adjoint(self):
        spectrum = convert(self._spectrum)
        return self._like(conj(spectrum) if spectrum.dtype.is_complex else spectrum, **_hints.hints_of(self))

    def _linop_inverse(self):
        return self._like(1.0 / convert(self._spectrum), input_output_dtype=self.dtype, **_hints.hints_of(self))

    def _linop_matmul(self, left_operator, right_operator):
        if type(right_operator) is not type(left_operator):
            return super()._linop_matmul(left_operator, right_operator)
        product = convert(left_operator.spectrum) * convert(right_operator.spectrum)
        return self._like(product, **_hints.of_commuting(left_operator, right_operator))

    def _linop_solve(self, left_operator, right_operator):
        if type(right_operator) is not type(left_operator):
            return super()._linop_solve(left_operator, right_operator)
        quotient = convert(right_operator.spectrum) / convert(left_operator.spectrum)
        return self._like(quotient, **_hints.of_commuting(left_operator, right_operator))

    # Checks

    def _assert_non_singular(self):
        return _tensors.check_no_zeros(self._spectrum, "Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self):
        message = "Not positive definite:  Real part of spectrum was not all positive."
        return check_positive(real(self._spectrum), message=message)

    def _assert_self_adjoint(self):
        return _tensors.check_real(
            self._spectrum, "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        )

    # Products

    def _filtered(self, x, adjoint, adjoint_arg, change):
        """The inverse transform of what `change` makes of the transforms of x's columns and of the spectrum."""
        spectrum = _as_complex(self._spectrum)
        spectrum = conj(spectrum) if adjoint else spectrum
        x = cast(_tensors.adjoint_if(x, adjoint_arg), spectrum.dtype)
        static = None
        if x.shape.rank is not None and self.shape.rank is not None:
            batch = _tensors.broadcast_static(x.shape[:-2], self.batch_shape)
            static = batch.concatenate([self.shape[-1], x.shape[-1]])
        blocks, sizes = self.block_shape_tensor(), shape(x)
        columns = reshape(_transposed(x), concat([sizes[:-2], sizes[-1:], blocks], 0))
        spectrum = reshape(spectrum, concat([shape(spectrum)[: -self._depth], [1], blocks], 0))
        result = self._transform(change(self._transform(columns), spectrum), inverse=True)
        flat = reshape(result, concat([shape(result)[: -self._depth], self.domain_dimension_tensor()[None]], 0))
        result = cast(_transposed(flat), self.dtype)
        if static is not None:
            result.set_shape(static)
        return result

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._filtered(x, adjoint, adjoint_arg, lambda columns, spectrum: spectrum * columns)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._filtered(rhs, adjoint, adjoint_arg, lambda columns, spectrum: columns / spectrum)

    # Numbers

    def _determinant(self):
        return cast(reduce_prod(convert(self._spectrum), self._axes()), self.dtype)

    def _log_abs_determinant(self):
        return cast(reduce_sum(op("Log")(x=absolute(convert(self._spectrum))), self._axes()), self.dtype)

    def _trace(self):
        spectrum = convert(self._spectrum)
        real_part = reduce_sum(real(spectrum), self._axes())
        if not self.dtype.is_complex:
            return cast(real_part, self.dtype)
        if self.is_self_adjoint:
            if real_part.dtype.name not in ("float32", "float64"):
                return cast(real_part, self.dtype)
            imaginary = op("ZerosLike")(x=real_part)
        else:
            imaginary = reduce_sum(imag(spectrum), self._axes())
        return cast(complex_number(real_part, imaginary), self.dtype)

    def _diag_part(self):
        value = self.trace() / cast(self.domain_dimension_tensor(), self.dtype)
        return value[..., None] * ones(self.shape_tensor()[:-1], dtype=self.dtype)

    def _eigvals(self):
        return self._flat()

    def _cond(self):
        sizes = absolute(self._flat())
        return reduce_max(sizes, -1) / reduce_min(sizes, -1)


class LinearOperatorCirculant(_Circulant):
    """The operator of a circulant matrix: element (i, j) is h[(i - j) mod n] of a convolution kernel h.

    Products and solutions are computed by Fourier transforms, in O(n log n) for each column.

    Args:
      spectrum: float16, float32, float64, complex64 or complex128 tensor [..., n]: the Fourier transform of h, which holds
        the eigenvalues. The matrix is self-adjoint if it is real.
      input_output_dtype: dtype of arguments and results. A real dtype is right if the spectrum is Hermitian.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: the spectrum has no axis, or is real and hinted not to be self-adjoint, or `is_square` is False.

    >>> operator = tf.linalg.LinearOperatorCirculant([6.0, 4.0, 2.0, 4.0], input_output_dtype=tf.float32)
    >>> operator.convolution_kernel().numpy().tolist()
    [4.0, 1.0, 0.0, 1.0]
    """

    _depth = 1
    _matrix_ndims = {"spectrum": 1}

    def __init__(
        self,
        spectrum,
        input_output_dtype=complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant",
    ):
        self._set_up({k: v for k, v in locals().items() if k not in ("self", "__class__")})


class LinearOperatorCirculant2D(_Circulant):
    """The operator of a block circulant matrix, whose blocks are circulant: a convolution over two axes.

    Args:
      spectrum: float16, float32, float64, complex64 or complex128 tensor [..., n_1, n_2]: the Fourier transform of the
        kernel. The matrix is [..., n_1 n_2, n_1 n_2].
      input_output_dtype: dtype of arguments and results. A real dtype is right if the spectrum is Hermitian.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: as for `tf.linalg.LinearOperatorCirculant`.

    >>> operator = tf.linalg.LinearOperatorCirculant2D([[2.0, 2.0], [2.0, 2.0]], input_output_dtype=tf.float32)
    >>> operator.matvec([1.0, 2.0, 3.0, 4.0]).numpy().tolist()
    [2.0, 4.0, 6.0, 8.0]
    """

    _depth = 2
    _matrix_ndims = {"spectrum": 2}

    def __init__(
        self,
        spectrum,
        input_output_dtype=complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant2D",
    ):
        self._set_up({k: v for k, v in locals().items() if k not in ("self", "__class__")})


class LinearOperatorCirculant3D(_Circulant):
    """The operator of a nested block circulant matrix: a convolution over three axes.

    Args:
      spectrum: float16, float32, float64, complex64 or complex128 tensor [..., n_1, n_2, n_3]: the Fourier transform of
        the kernel. The matrix is [..., n, n] with n = n_1 n_2 n_3.
      input_output_dtype: dtype of arguments and results. A real dtype is right if the spectrum is Hermitian.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints.
      name: name of the operator.

    Raises:
      ValueError: as for `tf.linalg.LinearOperatorCirculant`.

    >>> tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 2, 3])).shape
    TensorShape([12, 12])
    """

    _depth = 3
    _matrix_ndims = {"spectrum": 3}

    def __init__(
        self,
        spectrum,
        input_output_dtype=complex64,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name="LinearOperatorCirculant3D",
    ):
        self._set_up({k: v for k, v in locals().items() if k not in ("self", "__class__")})
