"""The public functions whose results are weak if their arguments are. They are replaced when a mode with weak dtypes is
turned on, and come back when it is turned off."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tracefn._logging import get_logger
from tracefn._namespaces import root
from tracefn.composite import CompositeTensor
from tracefn.experimental.numpy.promotion_modes import result_kind, weak_dtypes
from tracefn.experimental.numpy.weak_tensors import WeakTensor, plain, plain_all, weak_all

tf = root()

# Namespace -> functions of one value, the first argument unless ":name" says which.
UNARY = {
    "": "abs acos acosh asin asinh atan atanh cos cosh exp expand_dims floor identity negative ones_like "
    "reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum reshape round scalar_mul:x sigmoid sign sin "
    "sinh sqrt square squeeze stop_gradient tan tanh transpose zeros_like",
    "math": "abs acos acosh angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e ceil conj cos cosh "
    "digamma erf erfc erfinv exp expm1 floor imag lgamma log log1p log_sigmoid log_softmax ndtri negative real "
    "reciprocal reciprocal_no_nan reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod "
    "reduce_std reduce_sum reduce_variance rint round rsqrt scalar_mul:x sigmoid sign sin sinh softplus sqrt square tan "
    "tanh",
    "math.special": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 "
    "bessel_k1e bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence",
    "debugging": "check_numerics",
    "image": "extract_patches",
    "linalg": "diag diag_part matrix_transpose tensor_diag_part trace",
    "nn": "depth_to_space gelu leaky_relu log_softmax relu6 scale_regularization_loss sigmoid softplus "
    "space_to_depth tanh",
    "experimental.numpy": "abs absolute amax amin angle arange arccos arcsin arcsinh arctan arctanh around array asanyarray "
    "asarray ascontiguousarray average bitwise_not cbrt ceil conj conjugate copy cos cosh cumprod cumsum deg2rad diag "
    "diagflat diagonal diff empty_like exp exp2 expand_dims expm1 fabs fix flatten flip fliplr flipud floor full_like imag "
    "log log1p max mean min moveaxis nanmean negative ones_like positive prod ptp ravel real reciprocal "
    "repeat reshape rot90 round sign sin sinc sinh sort sqrt square squeeze std sum swapaxes tan tanh trace transpose triu "
    "vander var zeros_like",
    "compat.v1": "abs acos acosh angle asin asinh atan atanh ceil check_numerics conj cos cosh depth_to_space "
    "diag_part digamma erf erfc exp expand_dims expm1 extract_image_patches floor identity imag lgamma log log1p "
    "log_sigmoid matrix_diag matrix_diag_part matrix_transpose negative ones_like real reciprocal reduce_max reduce_mean "
    "reduce_min reduce_prod reduce_sum reshape rint round rsqrt scalar_mul:x sigmoid sign sin sinh space_to_depth sqrt "
    "square squeeze stop_gradient tan tanh trace transpose zeros_like",
}
# Functions of two values, the first two arguments.
BINARY = {
    "": "add divide matmul multiply pow realdiv subtract truediv truncatediv truncatemod",
    "math": "add divide divide_no_nan floordiv floormod mod multiply multiply_no_nan pow subtract truediv",
    "linalg": "matmul matvec",
    "experimental.numpy": "matmul hypot",
    "compat.v1": "add div_no_nan divide floor_div floormod matmul mod multiply pow realdiv subtract truediv truncatediv "
    "truncatemod",
}
# The same, but their results are strong.
COMPARISONS = {
    "": "equal maximum minimum",
    "math": "equal maximum minimum",
    "compat.v1": "equal maximum minimum",
}
# Functions of any number of values, each promoted by itself.
OF_EACH = {"experimental.numpy": "atleast_1d atleast_2d atleast_3d ix_"}


def converted(value, dtype):
    """The value as a tensor of a dtype."""
    value = plain(value)
    if isinstance(value, (tf.Tensor, CompositeTensor)):
        return tf.cast(value, dtype)
    return tf.convert_to_tensor(value, dtype)


def _warn(op, *values) -> None:
    types = ", ".join(str(type(value)) for value in values)
    get_logger().warning(
        "The new dtype semantics do not support %s.%s(%s). Falling back to old semantics.", op.__module__, op.__name__, types
    )


def _with_arguments(op, rule: Callable[[dict[str, Any], Callable[[], Any]], Any]):
    """A function that promotes arguments of another one.

    Args:
      op: the other function.
      rule: called with the arguments by name and a function that calls `op` with them as they are then. It returns the result.

    Without weak dtypes, and with arguments that do not fit, about which it complains itself, `op` alone is called.
    """
    signature = inspect.signature(op)

    @functools.wraps(op)
    def function(*args, **kwargs):
        if not weak_dtypes():
            return op(*args, **kwargs)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return op(*args, **kwargs)
        bound.apply_defaults()
        return rule(bound.arguments, lambda: op(*bound.args, **bound.kwargs))

    return function


def _first_two(op) -> list[str]:
    return list(inspect.signature(op).parameters)[:2]


def of_one(op, name: str = ""):
    """A function of one value, whose result is weak if the value is and no dtype is asked for."""
    name = name or next(iter(inspect.signature(op).parameters))

    def rule(held, call):
        value = held[name]
        if isinstance(value, tf.Tensor) or held.get("dtype") is not None:
            return call()
        try:
            dtype, weak = result_kind(value)
        except NotImplementedError:
            _warn(op, value)
            return call()
        held[name] = converted(value, dtype)
        return (weak_all if weak else plain_all)(call())

    return _with_arguments(op, rule)


def of_two(op, comparison: bool = False):
    """A function of two values, which are promoted; its result is weak if their promoted dtype is."""
    first, second = _first_two(op)

    def rule(held, call):
        x, y = held[first], held[second]
        try:
            dtype, weak = result_kind(x, y)
        except NotImplementedError:
            _warn(op, x, y)
            return call()
        held[first], held[second] = converted(x, dtype), converted(y, dtype)
        return (weak_all if weak and not comparison else plain_all)(call())

    return _with_arguments(op, rule)


def _of_each(op):
    """A function of any number of values; what it makes of weak ones is weak."""

    @functools.wraps(op)
    def function(*values):
        if not weak_dtypes():
            return op(*values)
        found = [result_kind(value) for value in values]
        result = op(*[converted(value, dtype) for value, (dtype, _) in zip(values, found, strict=True)])
        if not isinstance(result, (list, tuple)):
            return (weak_all if found[0][1] else plain_all)(result)
        made = [(weak_all if weak else plain_all)(item) for item, (_, weak) in zip(result, found, strict=True)]
        return type(result)(made)

    return function


def _constant(op):
    """`tf.constant`: weak without a dtype; with one, it converts tensors of other dtypes to it."""

    def rule(held, call):
        value, dtype = held["value"], held["dtype"]
        try:
            target, weak = result_kind(value, dtype)
        except NotImplementedError:
            _warn(op, value, dtype)
            return call()
        held["value"] = plain(value)
        if dtype is None:
            held["dtype"] = target
        elif isinstance(held["value"], tf.Tensor):
            if target != dtype:
                raise TypeError(
                    f"Expected tensor {held['value']} with dtype {tf.as_dtype(dtype)!r}, but got dtype {held['value'].dtype!r}."
                )
            held["value"] = tf.cast(held["value"], target)
        result = call()
        return weak_all(result) if weak and dtype is None else result

    return _with_arguments(op, rule)


def _concat(op):
    """`tf.concat`: of one value that is no list, its identity, as weak as the value."""

    @functools.wraps(op)
    def concat(values, *args, **kwargs):
        result = op(values, *args, **kwargs)
        return weak_all(result) if weak_dtypes() and isinstance(values, WeakTensor) else result

    return concat


def _clip(op):
    """`tf.clip_by_value`: the value is promoted with its bounds, but as weak as it was."""

    def clip(t, clip_value_min, clip_value_max, name=None):
        if weak_dtypes():
            dtype, _ = result_kind(t, clip_value_min)
            dtype, _ = result_kind(dtype, clip_value_max)
            t, clip_value_min, clip_value_max = (converted(x, dtype) for x in (t, clip_value_min, clip_value_max))
        return op(t, clip_value_min, clip_value_max, name)

    return of_one(functools.update_wrapper(clip, op))


def _wide(op):
    """A function that multiplies by a float64 of NumPy, which is strong: its real results are float64."""

    @functools.wraps(op)
    def wide(x, *args, **kwargs):
        if weak_dtypes() and isinstance(x, tf.Tensor):
            if not (x.dtype.is_floating or x.dtype.is_complex):
                x = tf.cast(x, tf.float32)
            return tf.cast(op(x, *args, **kwargs), result_kind(x, tf.float64)[0])
        return op(x, *args, **kwargs)

    return of_one(wide)


def _wide_of_integers(op, factor_first=False):
    """A function that multiplies by a Python float, with which integers become float64 or are refused."""

    @functools.wraps(op)
    def wide(x, *args, **kwargs):
        if weak_dtypes() and x.dtype.is_integer:
            x = tf.cast(x, result_kind(*((1.0, x) if factor_first else (x, 1.0)))[0])
        return op(x, *args, **kwargs)

    return of_one(wide)


def _moments(op):
    """`tf.nn.moments`: the mean is as weak as the value, the variance strong."""

    @functools.wraps(op)
    def moments(x, *args, **kwargs):
        mean, variance = op(x, *args, **kwargs)
        weak = weak_dtypes() and isinstance(x, WeakTensor)
        return (weak_all if weak else plain_all)(mean), plain(variance)

    return moments


def _of_strong(op, second_first: bool = False):
    """A function of two values that are made strong, and then promoted: in their order, or the second one first."""
    first, second = _first_two(op)

    def rule(held, call):
        x, y = (converted(held[name], result_kind(held[name])[0]) for name in (first, second))
        dtype, _ = result_kind(y, x) if second_first else result_kind(x, y)
        held[first], held[second] = converted(x, dtype), converted(y, dtype)
        return call()

    return _with_arguments(op, rule)


def _loss(op):
    """A function of targets and logits."""
    return _of_strong(op, second_first=True)


def _of_first(op):
    """A function of two values, the second of which is cast to the dtype of the first."""
    first, second = _first_two(op)

    def rule(held, call):
        dtype, _ = result_kind(held[first])
        held[first], held[second] = converted(held[first], dtype), tf.cast(plain(held[second]), dtype)
        return call()

    return _with_arguments(op, rule)


def _alone(op):
    """A function of any number of values, whose result is weak if there is just one and it is weak."""
    alone = _of_each(op)

    @functools.wraps(op)
    def function(*values, **kwargs):
        return alone(*values) if len(values) == 1 and not kwargs else op(*values, **kwargs)

    return function


def _meshgrid(op):
    """A function whose results are promoted with the dtype of the first one."""

    @functools.wraps(op)
    def meshgrid(*args, **kwargs):
        results = op(*args, **kwargs)
        if not weak_dtypes():
            return results
        return [tf.cast(result, result_kind(result, results[0])[0]) for result in map(plain, results)]

    return meshgrid


def _float64(op):
    """A function that computes with a float64 of NumPy, whatever its arguments."""

    @functools.wraps(op)
    def function(*args, **kwargs):
        result = plain(op(*args, **kwargs))
        widens = weak_dtypes() and result.dtype.is_floating and kwargs.get("dtype") is None
        return tf.cast(result, tf.float64) if widens else result

    return function


def _strong(op):
    """A function whose results are strong."""

    @functools.wraps(op)
    def function(*args, **kwargs):
        return plain(op(*args, **kwargs))

    return function


def _of_plain(op):
    """A function that takes the tensors of weak tensors."""

    @functools.wraps(op)
    def function(*args, **kwargs):
        return op(*map(plain, args), **{name: plain(value) for name, value in kwargs.items()})

    return function


def _weak_numbers(function):
    """A function whose results are weak tensors where they are Python's numbers; what is no function stays as it is."""
    if not callable(function):
        return function

    def weak():
        return tf.nest.map_structure(lambda x: tf.constant(x) if type(x) in (int, float, complex) else x, function())

    return weak


def _of_branches(op):
    """`tf.cond`, `tf.case` and `tf.switch_case`: numbers that branches in a graph return are weak tensors."""

    def rule(held, call):
        if not tf.executing_eagerly():
            for name in ("true_fn", "false_fn", "default"):
                if name in held:
                    held[name] = _weak_numbers(held[name])
            for name in ("pred_fn_pairs", "branch_fns"):
                if isinstance(held.get(name), dict):
                    held[name] = {key: _weak_numbers(fn) for key, fn in held[name].items()}
                elif isinstance(held.get(name), (list, tuple)):
                    held[name] = [_of_pair(one) for one in held[name]]
        return call()

    return _with_arguments(op, rule)


def _of_pair(branch):
    """A branch, or a pair of what selects it and it."""
    is_pair = isinstance(branch, tuple) and len(branch) == 2
    return (branch[0], _weak_numbers(branch[1])) if is_pair else _weak_numbers(branch)


def assigning(op):
    """A method of Variables that takes a value, which is promoted to the dtype of the Variable."""

    @functools.wraps(op)
    def method(self, value, *args, **kwargs):
        if not weak_dtypes():
            return op(self, value, *args, **kwargs)
        try:
            dtype, _ = result_kind(self, value)
        except NotImplementedError:
            _warn(op, self, value)
            return op(self, value, *args, **kwargs)
        if dtype != self.dtype:
            raise TypeError(
                f"Variable dtype is immutable. Calling {op.__name__} of Variable (with dtype {self.dtype}) on {value} "
                f"requires converting {value} to {self.dtype}. This is disabled in the current promotion semantics. Please "
                f"convert {value} manually before calling {op.__name__}."
            )
        return op(self, converted(value, dtype), *args, **kwargs)

    return method


# The functions with rules of their own.
OTHERS: dict[str, dict[str, Callable]] = {
    "": {
        "case": _of_branches,
        "clip_by_norm": _of_first,
        "clip_by_value": _clip,
        "concat": _concat,
        "cond": _of_branches,
        "constant": _constant,
        "get_static_value": _of_plain,
        "meshgrid": _meshgrid,
        "switch_case": _of_branches,
        "tensordot": _of_strong,
    },
    "math": {"erfcinv": lambda op: _wide_of_integers(_wide(op), factor_first=True)},
    "linalg": {"tensordot": _of_strong},
    "nn": {
        "log_poisson_loss": _loss,
        "moments": _moments,
        "sigmoid_cross_entropy_with_logits": _loss,
        "silu": lambda op: of_one(_of_first(op)),
        "swish": lambda op: of_one(_of_first(op)),
    },
    "experimental.numpy": {
        "broadcast_arrays": _alone,
        "geomspace": _float64,
        "log10": _wide,
        "log2": _wide,
        "logaddexp2": _float64,
        "meshgrid": _meshgrid,
        "rad2deg": _wide_of_integers,
    },
    "compat.v1": {"clip_by_value": _clip, "constant": _strong, "tensordot": _of_strong},
    "compat.v1.nn": {"log_softmax": _strong},
    "TensorSpec": {"from_tensor": _of_plain},
}

# (namespace, name) -> the function as it was.
_replaced: dict[tuple[Any, str], Any] = {}


def _namespace(path: str):
    return functools.reduce(getattr, path.split(".") if path else (), tf)


def _replace(place, name: str, wrapper: Callable) -> None:
    op = getattr(place, name)
    _replaced[place, name] = op
    function = wrapper(op)
    function._tf_stands_for = op
    setattr(place, name, function)


def _entries(table: dict[str, str]):
    for path, names in table.items():
        for entry in names.split():
            yield _namespace(path), entry


def turn_on() -> None:
    """Replaces the functions."""
    if _replaced:
        return
    for place, entry in _entries(UNARY):
        name, _, argument = entry.partition(":")
        _replace(place, name, lambda op, argument=argument: of_one(op, argument))
    for place, name in _entries(BINARY):
        _replace(place, name, of_two)
    for place, name in _entries(COMPARISONS):
        _replace(place, name, lambda op: of_two(op, comparison=True))
    for place, name in _entries(OF_EACH):
        _replace(place, name, _of_each)
    for path, wrappers in OTHERS.items():
        for name, wrapper in wrappers.items():
            _replace(_namespace(path), name, wrapper)
    for name in ("assign", "assign_add", "assign_sub"):
        _replace(tf.Variable, name, assigning)


def turn_off() -> None:
    """Puts the functions back."""
    for (place, name), op in _replaced.items():
        setattr(place, name, op)
    _replaced.clear()
