"""Functions that select elements of ragged tensors: by index, by condition, by partition."""

from __future__ import annotations

from tracefn._export import export
from tracefn.framework import control_dependencies
from tracefn.ops._build import convert, name_scope, op
from tracefn.ops.array_shape import concat as concat_tensors
from tracefn.ops.by_path import public_function
from tracefn.ops.debugging import check_equal, check_less, check_non_negative
from tracefn.ops.indexing import argsort
from tracefn.ops.indexing import boolean_mask as mask_tensor
from tracefn.ops.ragged.broadcast import broadcast, match_dtypes, partitioned, row_numbers
from tracefn.ops.ragged.elementwise import map_flat_values
from tracefn.ops.ragged.getitem import pick_rows
from tracefn.ops.ragged.reduction import reduce_sum
from tracefn.ops.ragged.row_partition import cast, size_of
from tracefn.ops.ragged.spec import RaggedTensorSpec
from tracefn.ops.ragged.tensor import RaggedTensor, convert_values, is_ragged, positive_axis
from tracefn.ops.repeat import repeat


def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Slices along an axis, by index."""
    del validate_indices
    with name_scope(name or "RaggedGather"):
        params, indices = convert_values(params, "params"), convert_values(indices, "indices")
        match_dtypes(params, indices)
        rank = indices.shape.rank
        if batch_dims != rank:
            batch_dims = positive_axis(batch_dims, rank, "batch_dims", "rank(indices)")
        if params.shape.rank is not None and batch_dims >= params.shape.rank:
            raise ValueError("batch_dims must be less than rank(params)")
        axis = positive_axis(batch_dims if axis is None else axis, params.shape.rank, ndims_name="rank(params)")
        if axis < batch_dims:
            raise ValueError("axis must be greater than or equal to batch_dims")
        if rank is not None and not 0 <= batch_dims <= rank:
            raise ValueError(f"batch_dims={batch_dims} must be between 0 and rank(indices)={rank}")
        return _gather(params, indices, axis, batch_dims)


def _gather(params, indices, axis: int, batch_dims: int):
    if not (is_ragged(params) or is_ragged(indices)):
        return op("GatherV2")(params=params, indices=indices, axis=axis, batch_dims=batch_dims)
    if batch_dims > 0:
        return _batch_gather(params, indices, axis, batch_dims)
    if axis > 1:
        params = partitioned(params, 1, _kind(params, indices))
        return params.with_values(_gather(params.values, indices, axis - 1, 0))
    if axis == 1:
        rank = _known_rank(indices)
        return _gather(_flat_rows(params), indices + _with_rank(_row_starts(params, indices.dtype), rank + 1), 0, 0)
    if is_ragged(indices):
        return indices.with_values(_gather(params, indices.values, 0, 0))
    rank = _known_rank(indices)
    if rank == 1:
        return pick_rows(params, indices)
    splits, flat = op("RaggedGather")(params_nested_splits=list(params.nested_row_splits),
                                      params_dense_values=params.flat_values, indices=indices,
                                      OUTPUT_RAGGED_RANK=rank + params.ragged_rank - 1)
    return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)  # type: ignore[attr-defined]


def _kind(*values):
    return match_dtypes(*values)[0]


def _known_rank(indices) -> int:
    if indices.shape.rank is None:
        raise ValueError("rank(indices) must be known statically")
    return indices.shape.rank


def _flat_rows(x):
    """The first two dimensions as one."""
    if is_ragged(x):
        return x.values
    shape = op("ConcatV2")(values=[[-1], op("Shape")(input=x)[2:]], axis=0)
    return op("Reshape")(tensor=x, shape=shape)


def _row_starts(x, dtype):
    """Where each row starts in what `_flat_rows` returns."""
    if is_ragged(x):
        return cast(x.row_starts(), dtype)
    shape = op("Shape")(input=x, out_type=dtype)
    return row_numbers(shape[0]) * shape[1]


def _with_rank(x, rank: int):
    """A vector with dimensions of size 1 behind."""
    return op("Reshape")(tensor=x, shape=[-1, *[1] * (rank - 1)])


def _batch_gather(params, indices, axis: int, batch_dims: int):
    first = indices.shape[:batch_dims]
    if not params.shape[:batch_dims].is_compatible_with(first):
        raise ValueError(f"batch shape from indices {first} does not match params shape {params.shape}")
    kind = _kind(params, indices)
    if batch_dims > 1:
        for one, other, text in ((params, indices, "indices dimension corresponds to uniform params"),
                                 (indices, params, "params dimension corresponds to uniform indices")):
            if not is_ragged(one) and other.uniform_row_length is None:
                raise ValueError(f"batch shape from indices does not match params shape: ragged {text} dimension")
        params, indices = partitioned(params, 1, kind), partitioned(indices, 1, kind)
        return params.with_values(_gather(params.values, indices.values, axis - 1, batch_dims - 1))
    if axis > 1:
        # The dimension before the axis becomes one of the batch, with the same indices for each of its rows.
        if is_ragged(indices):
            params = partitioned(params, 1, kind)
            rows = params.with_values(params.value_rowids())
            adjusted = _gather(indices, rows, 0, 0)
        else:
            adjusted = params.with_values(repeat(indices, params.row_lengths(), 0))
        return _batch_gather(params, adjusted, axis, batch_dims + 1)
    rank = _known_rank(indices)
    return _gather(_flat_rows(params), indices + _with_rank(_row_starts(params, indices.dtype), rank), axis - 1, 0)


def batch_gather(params, indices, name=None):
    """Slices along the last dimension of the indices, whose dimensions before are those of a batch."""
    with name_scope(name or "RaggedBatchGather"):
        params, indices = convert_values(params, "params"), convert_values(indices, "indices")
        return _gather(params, indices, indices.shape.rank - 1, indices.shape.rank - 1)


def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """Slices at the index vectors in the last dimension of the indices."""
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    if bad_indices_policy not in ("", "DEFAULT"):
        raise ValueError("non-default bad_indices_policy not supported for ragged gather")
    with name_scope(name or "RaggedGatherNd"):
        params, indices = convert_values(params, "params"), convert_values(indices, "indices")
        kind = _kind(params, indices)
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("indices.rank be statically known.")
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        if is_ragged(indices) and rank == indices.ragged_rank + 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        length = indices.shape.as_list()[-1]
        if length is None:
            raise ValueError("indices.shape[-1] must be statically known.")
        if not is_ragged(params) and not is_ragged(indices):
            return op("GatherNd")(params=params, indices=indices)
        if rank > 2:
            nested = partitioned(indices, rank - 2, kind)
            made = nested.with_flat_values(gather_nd(params, nested.flat_values))
            dense = not is_ragged(indices) and is_ragged(made) and made.ragged_rank == rank - 2
            return made.to_tensor() if dense else made
        if length == 0:
            return _repeated_whole(params, indices, rank)
        if length == 1:
            return gather(params, op("Reshape")(tensor=indices, shape=[-1]))
        return _at_vectors(params, cast(indices, kind), length)


def _repeated_whole(params, indices, rank: int):
    """All of the values, once for each empty index vector."""
    expand, tile = public_function("expand_dims"), public_function("tile")
    whole = params.shape.rank
    for _ in range(rank - 1):
        params = expand(params, 0)
    counts = op("Shape")(input=indices)[:-1]
    return tile(params, concat_tensors([counts, [1] * whole], axis=0)) if rank > 1 else params


def _at_vectors(params, indices, length: int):
    """Level by level, the place of the row in the values of the level."""
    places = op("GatherV2")(params=params.row_splits, indices=indices[..., 0], axis=0) + indices[..., 1]
    values = params.values
    for axis in range(2, length):
        if not is_ragged(values):
            rest = concat_tensors([op("ExpandDims")(input=places, dim=-1), indices[..., axis:]], axis=-1)
            return op("GatherNd")(params=values, indices=rest)
        places = op("GatherV2")(params=values.row_starts(), indices=places, axis=0) + indices[..., axis]
        values = values.values
    return gather(values, places)


def where(condition, x=None, y=None, name=None):
    """Elements of x where the condition holds, of y elsewhere; or the places where it holds."""
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    with name_scope(name or "RaggedWhere"):
        condition = convert_values(condition, "condition")
        if x is None:
            return _places(condition)
        x, y = convert_values(x, "x"), convert_values(y, "y")
        match_dtypes(condition, x, y)
        condition, x, y = broadcast([condition, x, y], inner=True)
        return map_flat_values(public_function("where"), condition, x, y)


def where_of_rows(condition, x=None, y=None, name=None):
    """`where` without broadcasting: a vector as condition chooses rows, which may differ in length."""
    if x is None or y is None:
        return where(condition, x, y, name)
    with name_scope(name or "RaggedWhere"):
        condition = convert_values(condition, "condition")
        x, y = convert_values(x, "x"), convert_values(y, "y")
        match_dtypes(condition, x, y)
        if all(map(is_ragged, (condition, x, y))):
            return map_flat_values(public_function("compat.v1.where"), condition, x, y)
        if is_ragged(condition):
            raise ValueError("Input shapes do not match.")
        condition.shape.assert_has_rank(1)
        rows = public_function("concat")([x, y], axis=0)
        count = op("Shape")(input=condition, out_type="int64")[0]
        first = public_function("range")(count)
        return gather(rows, op("Select")(condition=condition, t=first, e=first + count))


def _places(condition):
    """The index vectors of the true elements."""
    if not is_ragged(condition):
        return op("Where")(condition=condition)
    inner = _places(condition.values)
    condition = condition.with_row_splits_dtype("int64")
    first = inner[:, 0]
    rows = op("GatherV2")(params=condition.value_rowids(), indices=first, axis=0)
    columns = first - op("GatherV2")(params=condition.row_splits, indices=rows, axis=0)
    both = [op("ExpandDims")(input=part, dim=1) for part in (rows, columns)]
    return concat_tensors([*both, inner[:, 1:]], axis=1)


@export("ragged.boolean_mask")
def boolean_mask(data, mask, name=None):
    """The elements for which a mask is true, row by row.

    Args:
      data: tensor or RaggedTensor.
      mask: bool tensor or RaggedTensor of known rank, whose shape is a prefix of that of `data`.
      name: name of the ops.

    Returns:
      RaggedTensor of the same rank; a tensor if both have one dimension.

    Raises:
      ValueError: the mask is a scalar, or of unknown rank.

    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]])
    <tf.RaggedTensor [[1, 3], [6]]>
    """
    with name_scope(name or "RaggedMask"):
        data, mask = convert_values(data, "data"), convert_values(mask, "mask", dtype="bool")
        kind = _kind(data, mask)
        rank = mask.shape.rank
        if rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        return _masked(data, mask, rank, kind)


def _masked(data, mask, rank: int, kind):
    if rank == 1:
        if not is_ragged(data):
            return mask_tensor(data, mask)
        lengths = mask_tensor(data.row_lengths(), mask)
        of_values = op("GatherV2")(params=mask, indices=data.value_rowids(), axis=0)
        values = _masked(data.values, of_values, 1, kind)
        return RaggedTensor.from_row_lengths(values, lengths, validate=False)
    if not is_ragged(mask):
        depth = min(data.ragged_rank, rank - 1) if is_ragged(data) else rank - 1
        mask = partitioned(mask, depth, kind)
    data = partitioned(data, mask.ragged_rank, kind)
    message = "Inputs must have identical ragged splits"
    checks = []
    if data.row_splits is not mask.row_splits:
        checks = [check_equal(mask.row_splits, data.row_splits, message=message)]
    with control_dependencies([check for check in checks if check is not None]):
        values = _masked(data.values, mask.values, rank - 1, kind)
        if rank > 2:
            return RaggedTensor.from_row_splits(values, mask.row_splits, validate=False)
        kept = reduce_sum(mask.with_values(cast(mask.values, kind)), axis=1)
        return RaggedTensor.from_row_lengths(values, kept, validate=False)


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Rows of elements, by the number of the row of each.

    Args:
      data: tensor or RaggedTensor.
      partitions: int tensor or RaggedTensor of known rank, whose shape is a prefix of that of `data`: the row of each
        element.
      num_partitions: int scalar, the number of rows.
      name: name of the ops.

    Returns:
      RaggedTensor.

    Raises:
      ValueError: the rank of `partitions` is not known.
      InvalidArgumentError: a row is out of range.

    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [2, 0, 2], 3)
    <tf.RaggedTensor [[b'b'], [], [b'a', b'c']]>
    """
    with name_scope(name or "SegmentStack"):
        data = convert_values(data, "data")
        kind = data.row_splits.dtype if is_ragged(data) else None
        if not is_ragged(partitions):
            partitions = convert(partitions, dtype_hint=kind, name="partitions")
        count = convert(num_partitions, dtype_hint=partitions.dtype, name="num_partitions")
        if kind is not None and partitions.dtype != kind:
            partitions = public_function("cast")(partitions, kind)
        count = cast(count, partitions.dtype)
        rank = partitions.shape.rank
        if rank is None:
            raise ValueError("partitions must have known rank.")
        count.shape.assert_has_rank(0)
        partitions.shape.assert_is_compatible_with(data.shape[:rank])
        return _by_partition(data, partitions, count, rank)


def _by_partition(data, partitions, count, rank: int):
    if rank == 0:
        stack = public_function("stack")
        return RaggedTensor.from_value_rowids(stack([data]), stack([partitions]), nrows=count, validate=False)
    if rank == 1:
        order = argsort(partitions, stable=True)
        rows = op("GatherV2")(params=partitions, indices=order, axis=0)
        values = pick_rows(data, order)
        checks = [check_less(rows[-1:], count, message="partitions must be less than num_partitions"),
                  check_non_negative(partitions, message="partitions must be non-negative.")]
        with control_dependencies([check for check in checks if check is not None]):
            return RaggedTensor.from_value_rowids(values, rows, nrows=count, validate=False)
    kind = partitions.dtype
    data = partitioned(data, 1, kind)
    partitions = partitioned(partitions, max(data.ragged_rank, rank - 1) if not is_ragged(partitions) else 1, kind)
    check = check_equal(data.row_splits, partitions.row_splits,
                        message="data and partitions have incompatible ragged shapes")
    with control_dependencies([] if check is None else [check]):
        return _by_partition(data.values, partitions.values, count, rank - 1)


def dynamic_partition(data, partitions, num_partitions, name=None):
    """A list of the rows of `stack_dynamic_partitions`."""
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    rows = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [rows[i] for i in range(num_partitions)]


def embedding_lookup(params, ids, max_norm=None, name=None):
    """The rows of a table with the given ids."""
    if params is None:
        raise ValueError("params must be specified.")
    with name_scope(name or "embedding_lookup_ragged"):
        if not ids.dtype.is_integer:
            raise ValueError("The values contained by the inputs have type "
                             f"{ids.dtype} and cannot be processed. All values should be indices, either of type `int32` "
                             "or `int64`.")
        return ids.with_flat_values(public_function("nn.embedding_lookup")(params, ids.flat_values, max_norm))


def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False,
           b_is_sparse=False, output_type=None, grad_a=False, grad_b=False, name=None):
    """Products of matrices, the rows or columns of which may be ragged."""
    del grad_a, grad_b
    for letter, transposed, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transposed and adjoint:
            raise ValueError(f"Only one of transpose_{letter} and adjoint_{letter} can be True.")
    options = {"transpose_a": transpose_a, "transpose_b": transpose_b, "adjoint_a": adjoint_a, "adjoint_b": adjoint_b,
               "a_is_sparse": a_is_sparse, "b_is_sparse": b_is_sparse, "output_type": output_type}
    with name_scope(name or "RaggedMatMul"):
        a, b = convert_values(a, "a"), convert_values(b, "b")
        if a.dtype != b.dtype:
            raise ValueError("`a` and `b` must have the same dtype.")
        ranks = {x.shape.rank for x in (a, b)} - {None}
        if not ranks:
            raise ValueError("matmul requires at least one input to have known rank if either input is ragged.")
        if len(ranks) > 1 or min(ranks) < 2:
            raise ValueError("`a` and `b` must have the same rank.")
        return _product(a, b, ranks.pop(), options)


def _product(a, b, rank: int, options):
    kind = _kind(a, b)
    if rank == 2:
        return _matrix_product(a, b, options)
    if rank > 3:
        a, b = partitioned(a, 1, kind), partitioned(b, 1, kind)
        check = check_equal(a.row_splits, b.row_splits,
                            message="Batch dimensions of `a` and `b` do not have the same size.")
        with control_dependencies([] if check is None else [check]):
            values = matmul(a.values, b.values, **options)
            return a.with_values(values)
    if is_ragged(a) and a.ragged_rank == 1 and not (is_ragged(b) or options["transpose_a"] or options["adjoint_a"]):
        rows = op("ExpandDims")(input=a.values, dim=1)
        made = public_function("linalg.matmul")(rows, repeat(b, a.row_lengths(), axis=0), **options)
        return a.with_values(op("Squeeze")(input=made, squeeze_dims=[1]))
    return _products_one_by_one(a, b, options, kind)


def _matrix_product(a, b, options):
    message = "The matrices in `a` and `b` may not be ragged in their innermost dimension."
    checks, dense = [], []
    for x in (a, b):
        if is_ragged(x):
            count = op("Size")(input=x.flat_values)
            x = x.to_tensor()
            checks.append(check_equal(count, op("Size")(input=x), message=message))
        dense.append(x)
    with control_dependencies([check for check in checks if check is not None]):
        return public_function("linalg.matmul")(*dense, **options)


def _products_one_by_one(a, b, options, kind):
    from tracefn.ops.functional import map_fn  # start-up time: few programs need it

    ragged_columns = is_ragged(b) and (b.ragged_rank == 2 or options["transpose_b"] or options["adjoint_b"])

    def product(pair):
        made = _matrix_product(*pair, options)
        return RaggedTensor.from_tensor(made, row_splits_dtype=kind) if ragged_columns else made

    spec = RaggedTensorSpec(None, options["output_type"] or a.dtype, int(ragged_columns), kind)
    made = map_fn(product, (a, b), fn_output_signature=spec)
    rows = -1 if options["transpose_a"] or options["adjoint_a"] else -2
    columns = -2 if options["transpose_b"] or options["adjoint_b"] else -1
    made._set_shape([size_of(a.shape, 0), a.shape.as_list()[rows], b.shape.as_list()[columns]])
    return made


