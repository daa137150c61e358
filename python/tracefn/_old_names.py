"""Names of TensorFlow 1 at the root of the package: accepted, with one warning each that tells today's spelling.

In the place of TensorFlow they are not: libraries ask with hasattr which of the two TensorFlows they run on.
"""

from __future__ import annotations

import types

from tracefn._deprecated import without_notices
from tracefn._logging import warn

# Where old names are now, below `tracefn`. What to write instead is in tracefn/_missing/spellings.py.
_MOVED = {
    "assign": "compat.v1.assign",
    "assign_add": "compat.v1.assign_add",
    "assign_sub": "compat.v1.assign_sub",
    "glorot_normal_initializer": "compat.v1.glorot_normal_initializer",
    "glorot_uniform_initializer": "compat.v1.glorot_uniform_initializer",
    "log": "math.log",
    "multinomial": "random.categorical",
    "py_func": "compat.v1.py_func",
    "random_normal": "random.normal",
    "random_shuffle": "random.shuffle",
    "random_uniform": "random.uniform",
    "set_random_seed": "random.set_seed",
    "to_bfloat16": "compat.v1.to_bfloat16",
    "to_complex128": "compat.v1.to_complex128",
    "to_complex64": "compat.v1.to_complex64",
    "to_double": "compat.v1.to_double",
    "to_float": "compat.v1.to_float",
    "to_int32": "compat.v1.to_int32",
    "to_int64": "compat.v1.to_int64",
    "truncated_normal": "random.truncated_normal",
    "truncated_normal_initializer": "compat.v1.truncated_normal_initializer",
    "variance_scaling_initializer": "compat.v1.variance_scaling_initializer",
}
# The others are found in tf.compat.v1.
_OF_V1 = frozenset(
    """
    AUTO_REUSE ConfigProto Dimension GPUOptions GraphDef GraphKeys GraphOptions InteractiveSession NoGradient
    NotDifferentiable OpError OptimizerOptions Print RunMetadata RunOptions Session SparseTensorValue VariableScope
    accumulate_n add_check_numerics_ops add_to_collection add_to_collections all_variables angle app arg_max arg_min
    assert_greater_equal assert_integer assert_less_equal assert_near assert_negative assert_non_negative
    assert_non_positive assert_none_equal assert_positive assert_proper_iterable assert_rank_at_least assert_rank_in
    assert_same_float_dtype assert_scalar assert_type assert_variables_initialized batch_gather batch_scatter_update
    batch_to_space_nd bincount ceil check_numerics cholesky cholesky_solve clip_by_average_norm colocate_with
    confusion_matrix conj container convert_to_tensor_or_indexed_slices convert_to_tensor_or_sparse_tensor count_nonzero
    count_up_to cross cumprod depth_to_space diag diag_part digamma dimension_at_index disable_eager_execution
    disable_v2_behavior div div_no_nan enable_eager_execution enable_resource_variables enable_v2_behavior erf erfc
    expm1 extract_image_patches flags floor_div floordiv floormod get_collection get_collection_ref get_default_graph
    get_default_session get_local_variable get_seed get_variable get_variable_scope global_norm global_variables
    global_variables_initializer imag initialize_all_tables initialize_all_variables initialize_local_variables
    initialize_variables invert_permutation is_finite is_inf is_nan is_non_decreasing is_numeric_tensor
    is_strictly_increasing is_variable_initialized lgamma lin_space local_variables local_variables_initializer log1p
    log_sigmoid logging logical_xor make_template manip matrix_band_part matrix_determinant matrix_diag matrix_diag_part
    matrix_inverse matrix_set_diag matrix_solve matrix_solve_ls matrix_transpose matrix_triangular_solve mod
    model_variables moving_average_variables no_regularizer op_scope orthogonal_initializer placeholder
    placeholder_with_default polygamma python_io qr random_crop random_gamma random_poisson real reciprocal reduce_join
    regex_replace report_uninitialized_variables reset_default_graph reverse_v2 rint rsqrt scatter_add scatter_div
    scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub scatter_update
    segment_max segment_mean segment_min segment_prod segment_sum self_adjoint_eig self_adjoint_eigvals setdiff1d
    space_to_depth spectral squared_difference string_join string_split string_strip string_to_hash_bucket
    string_to_hash_bucket_fast string_to_hash_bucket_strong string_to_number substr svd tables_initializer
    tensor_scatter_add tensor_scatter_sub tensor_scatter_update trace trainable_variables
    uniform_unit_scaling_initializer unsorted_segment_max unsorted_segment_mean unsorted_segment_min
    unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum user_ops variable_op_scope variable_scope
    variables_initializer verify_tensor_all_finite where_v2 zeta
    """.split()
)
_EAGER = {
    "GradientTape": ("GradientTape", "tf.GradientTape"),
    "Variable": ("Variable", "tf.Variable"),
    "defun": ("function", "tf.function"),
    "function": ("function", "tf.function"),
    "py_func": ("py_function", "tf.py_function"),
}


class _Old(types.ModuleType):
    """A namespace of TensorFlow 1's contrib with a few names of today."""

    def __init__(self, root, path: str, names: dict) -> None:
        super().__init__(path)
        self._root = root
        self._names = names

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}")
        if name not in self._names:
            raise AttributeError(f"module '{self.__name__}' has no attribute {name!r}. TensorFlow 2 has no contrib.")
        value = _told(self._root, f"{self.__name__}.{name}", *self._names[name])
        setattr(self, name, value)
        return value


_ACCEPTED = {"contrib", *_MOVED, *_OF_V1}
_found: dict[str, object] = {}


def _told(root, old: str, path: str, today: str):
    return _with_warning(root, old, path, f"Write {today}.")


def _with_warning(root, old: str, path: str, advice: str):
    value = root
    for part in path.split("."):
        value = getattr(value, part)
    warn(f"tf.{old} is a name of TensorFlow 1. {advice}")
    return without_notices(value)


def _of_v1(root, name: str):
    from tracefn._missing.names import renamed  # start-up time: few programs have old names
    from tracefn._missing.spellings import GONE  # start-up time: few programs have old names

    advice = GONE.get(name) or f"Write tf.{renamed().get(name, f'compat.v1.{name}')}."
    return _with_warning(root, name, f"compat.v1.{name}", advice)


def names() -> set[str]:
    """The old names that are accepted."""
    return _ACCEPTED


def refuse_all() -> None:
    """From now on no old name is accepted."""
    _ACCEPTED.clear()


def old_name(root, name: str):
    """What an old name stands for, after a warning.

    Args:
      root: the package.
      name: one of `names()`.
    """
    if name in _found:
        return _found[name]
    if name == "contrib":
        contrib = _Old(root, "contrib", {})
        contrib.eager = _Old(root, "contrib.eager", _EAGER)  # type: ignore[attr-defined]
        _found[name] = contrib
    elif name in _MOVED:
        from tracefn._missing.spellings import IN_TENSORFLOW_2  # start-up time: few programs have old names

        _found[name] = _told(root, name, _MOVED[name], IN_TENSORFLOW_2[name])
    else:
        _found[name] = _of_v1(root, name)
    return _found[name]
