"""`StructuredTensor.from_pyval`: dicts, nested lists and plain values as StructuredTensors, RaggedTensors and tensors."""

from __future__ import annotations

from tracefn._structured.nested_lists import empty_depth, keys_and_depth, values_by_field, zeros_for_dicts
from tracefn.ops.by_path import public_function
from tracefn.ops.ragged.spec import RaggedTensorSpec
from tracefn.tensor_shape import TensorShape
from tracefn.tensor_spec import TensorSpec


def from_python(cls, value, spec, path: tuple):
    """The value that `value` stands for.

    Args:
      cls: StructuredTensor.
      value: dict, list, tuple, or plain value.
      spec: its spec, or None.
      path: the fields that led here, for errors.

    Raises:
      ValueError: it cannot be converted, or does not fit the spec.
    """
    if isinstance(value, dict):
        return _of_dict(cls, value, spec, path)
    if not isinstance(value, (list, tuple)):
        return _of_scalar(value, spec, path)
    keys: dict = {}
    rank = keys_and_depth(value, keys)
    return _of_values(cls, value, spec, path) if rank is None else _of_dicts(cls, value, keys, rank, spec, path)


def _mismatch(path, *, value, spec) -> ValueError:
    return ValueError(f"Value at {path!r} does not match typespec: {value!r} vs {spec!r}")


def _parsing(path: tuple, convert):
    try:
        return convert()
    except Exception as error:
        raise ValueError(f"Error parsing path {path!r}") from error


def _of_dict(cls, value: dict, spec, path):
    specs = dict.fromkeys(value)
    if spec is not None:
        fits = isinstance(spec, cls.Spec) and spec.rank == 0 and value.keys() == spec._fields.keys()
        if not fits:
            raise _mismatch(path, value=value, spec=spec)
        specs = spec._fields
    fields = {name: from_python(cls, item, specs[name], (*path, name)) for name, item in value.items()}
    return cls.from_fields(fields)


def _of_dicts(cls, value, keys: dict, rank: int, spec, path):
    """A list of dicts, or of lists of them: a StructuredTensor of at least `rank` dimensions."""
    fields = values_by_field(value, keys)
    if spec is None:
        shape = TensorShape([None] * rank)
        fields = {name: from_python(cls, item, None, (*path, name)) for name, item in fields.items()}
    else:
        if not isinstance(spec, cls.Spec) or fields.keys() - spec._fields.keys():
            raise _mismatch(path, value=value, spec=spec)
        shape = spec.shape
        if shape.rank < rank:
            raise ValueError(f"Value at {path!r} does not match typespec (rank mismatch): {value!r} vs {spec!r}")
        fields = {name: from_python(cls, fields.get(name, []), part, (*path, name)) for name, part in spec._fields.items()}
    if not fields and spec is None:
        return _parsing(path, lambda: _of_empty_dicts(cls, value, rank))
    return _parsing(path, lambda: cls.from_fields(fields, shape))


def _of_empty_dicts(cls, value, rank: int):
    count = len(value)
    if rank == 1:
        return cls.from_fields({}, (count,), nrows=count)
    zeros = public_function("ragged.constant")(zeros_for_dicts(value))
    return cls.from_fields({}, [count, *[None] * (rank - 1)], nrows=count, row_partitions=zeros._nested_row_partitions)


def _of_values(cls, value, spec, path):
    """A list without dicts: a tensor or RaggedTensor, or a StructuredTensor without elements."""
    ragged = public_function("ragged.constant")
    if spec is None:
        return _parsing(path, lambda: ragged(value))
    if isinstance(spec, TensorSpec):
        made = _parsing(path, lambda: public_function("constant")(value, spec.dtype))
        if not spec.shape.is_compatible_with(made.shape):
            raise _mismatch(path, value=spec, spec=value)
        return made
    if isinstance(spec, RaggedTensorSpec):
        rank = spec.ragged_rank
        return _parsing(path, lambda: ragged(value, dtype=spec.dtype, ragged_rank=rank, inner_shape=spec.shape[rank + 1 :],
                                             row_splits_dtype=spec.row_splits_dtype))  # fmt: skip
    rank = empty_depth(value) if isinstance(spec, cls.Spec) else None
    if rank is None:
        raise _mismatch(path, value=spec, spec=value)
    return _of_dicts(cls, value, {}, rank, spec, path)


def _of_scalar(value, spec, path):
    constant = public_function("constant")
    if spec is None:
        return _parsing(path, lambda: constant(value))
    if not isinstance(spec, TensorSpec) or spec.shape.rank != 0:
        raise _mismatch(path, value=spec, spec=value)
    return constant(value, spec.dtype)
