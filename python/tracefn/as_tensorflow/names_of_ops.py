"""Names below `tensorflow.python.ops` that are not public, and the names that their objects have below this package.

Entries are "module: name", or "module: name=name there". Ragged functions are the public ones, which know ragged tensors.
"""

from __future__ import annotations

_CLASSES_OF_INITIALIZERS = "GlorotNormal GlorotUniform Identity Orthogonal TruncatedNormal VarianceScaling"
_SHAPES = "ops.ragged.dynamic_shape: broadcast_dynamic_shape broadcast_to ones"
PLACES = {
    "array_ops": (
        "compat.v1.arrays: listdiff=setdiff1d; ops.repeat: repeat_with_axis=repeat; "
        "ops.ragged.tensor: get_positive_axis=positive_axis"
    ),
    "init_ops": "compat.v1.initial_values: Initializer _compute_fans=fans",
    "init_ops_v2": (
        "compat.v1.initial_values: _compute_fans=fans; "
        f"ops.initializers: Initializer; ops.keras_initializers: {_CLASSES_OF_INITIALIZERS} glorot_normal=GlorotNormal "
        "glorot_normal_initializer=GlorotNormal glorot_uniform=GlorotUniform glorot_uniform_initializer=GlorotUniform "
        "he_normal=HeNormal he_uniform=HeUniform identity=Identity identity_initializer=Identity lecun_normal=LecunNormal "
        "lecun_uniform=LecunUniform orthogonal=Orthogonal orthogonal_initializer=Orthogonal truncated_normal=TruncatedNormal "
        "truncated_normal_initializer=TruncatedNormal variance_scaling_initializer=VarianceScaling"
    ),
    "math_ops": "math: mod=floormod",
    "linalg_ops_impl": "ops.array_creation: eye",
    "lookup_ops": "ops.tables: LookupInterface",
    "ragged.dynamic_ragged_shape": _SHAPES,
    "ragged.ragged_array_ops": (
        f"{_SHAPES} fill zeros ragged_reshape=reshape ragged_shape=shape; ops.ragged.arrays: bitcast expand_dims "
        "ragged_one_hot=one_hot rank reverse size split tile; ops.ragged.selection: dynamic_partition"
    ),
    "ragged.ragged_batch_gather_ops": "ops.ragged.selection: batch_gather",
    "ragged.ragged_concat_ops": "ops.ragged.arrays: concat",
    "ragged.ragged_conversion_ops": (
        "ops.ragged.conversion: to_tensor to_sparse; ops.ragged.tensor: from_tensor=RaggedTensor.from_tensor "
        "from_sparse=RaggedTensor.from_sparse"
    ),
    "ragged.ragged_embedding_ops": (
        "ops.ragged.selection: embedding_lookup; ops.embedding_sparse: embedding_lookup_sparse safe_embedding_lookup_sparse"
    ),
    "ragged.ragged_gather_ops": "ops.ragged.selection: gather gather_nd",
    "ragged.ragged_getitem": "ops.ragged.tensor: ragged_tensor_getitem=RaggedTensor.__getitem__",
    "ragged.ragged_map_ops": "ops.functional: map_fn",
    "ragged.ragged_math_ops": (
        "ops.ragged.reduction: add_n ragged_cumsum=cumsum reduce_all reduce_any reduce_max reduce_mean reduce_min "
        "reduce_prod reduce_std reduce_sum reduce_variance segment_max segment_mean segment_min segment_prod "
        "segment_sqrt_n segment_sum softmax; ops.ragged.selection: matmul; ops.ragged.arrays: dropout_v2=dropout "
        "stateless_dropout"
    ),
    "ragged.ragged_squeeze_op": "ops.ragged.arrays: squeeze",
    "ragged.ragged_string_ops": (
        "ops.ragged.strings: ragged_tensor_to_string=text_of reduce_join string_format=format string_join=join"
    ),
    "ragged.ragged_tensor": "ops.ragged.tensor: is_ragged merge_dims",
    "ragged.ragged_tensor_shape": "ops.ragged.dynamic_shape: broadcast_dynamic_shape broadcast_to",
    "ragged.ragged_where_op": "compat.v1.arrays: where; ops.ragged.selection: where_v2=where",
    "ragged.row_partition": "ops.ragged.row_partition: RowPartitionSpec",
    "string_ops": "compat.v1.numbers: string_split",
    "template": "compat.v1.templates: EagerTemplate Template",
    "variables": "compat.v1.partitioned: PartitionedVariable",
}
