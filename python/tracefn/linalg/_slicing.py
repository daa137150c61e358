"""Parts of a batch of operators: `operator[i]`, `operator[..., :2]`."""

from __future__ import annotations

from tracefn.framework import is_tensor
from tracefn.linalg import _tensors
from tracefn.ops.array_shape import concat, shape


def _sliced(value, ndims, slices: tuple, operator):
    if isinstance(value, (list, tuple)):
        return [_sliced(x, n, slices, operator) for x, n in zip(value, ndims or [0] * len(value), strict=True)]
    if getattr(value, "_is_linear_operator", False):
        if value.batch_shape.rank == 0:
            return value
        if value.batch_shape != operator.batch_shape:
            raise NotImplementedError(
                f"{type(operator).__name__} cannot be sliced: the batch shape of {value.name}, {value.batch_shape}, is "
                f"not that of the whole, {operator.batch_shape}."
            )
        return value[slices]
    value = _tensors.convert(value, dtype_hint=operator.dtype)
    whole = concat([operator.batch_shape_tensor(), shape(value)[shape(value).shape[0] - ndims :]], 0)
    return _tensors.op("BroadcastTo")(input=value, shape=whole)[(*slices, *[slice(None)] * ndims)]


def batch_slice(operator, slices):
    """The operator with its tensors sliced along the dimensions of the batch.

    Raises:
      NotImplementedError: an operator inside has another batch shape.
    """
    slices = slices if isinstance(slices, tuple) else (slices,)
    if not any(s is Ellipsis for s in slices if not is_tensor(s)):
        slices = (*slices, Ellipsis)
    parameters = operator.parameters
    for name, ndims in operator._matrix_ndims.items():
        value = operator._argument(name)
        if value is not None:
            parameters[name] = _sliced(value, ndims, slices, operator)
    return type(operator)(**parameters)
