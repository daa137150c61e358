"""The names of `tf.compat.v1` that are the same as in `tf`."""

from __future__ import annotations

NAMES = frozenset(
    """
    AggregationMethod Assert DType GradientTape Graph IndexedSlices IndexedSlicesSpec Module Operation Tensor
    RaggedTensor RaggedTensorSpec TensorArray TensorArraySpec TensorShape TensorSpec TypeSpec UnconnectedGradients
    VariableSynchronization abs acos acosh add add_n argsort as_dtype as_string asin asinh atan atan2 atanh
    bfloat16 bitcast bool broadcast_dynamic_shape broadcast_static_shape broadcast_to cast clip_by_global_norm
    clip_by_norm clip_by_value complex complex128 complex64 concat control_dependencies cos cosh cumsum
    custom_gradient divide double dynamic_partition dynamic_stitch einsum ensure_shape equal exp eye fill float16
    float32 float64 floor function get_logger get_static_value greater graph_util greater_equal group half
    histogram_fixed_width histogram_fixed_width_bins identity identity_n import_graph_def init_scope int16 int32
    int64 int8 is_symbolic_tensor is_tensor less less_equal linspace logical_and logical_not logical_or
    make_ndarray matmul maximum meshgrid minimum multiply negative newaxis no_op not_equal numpy_function one_hot
    ones pow print py_function ragged ragged_fill_empty_rows ragged_fill_empty_rows_grad range rank realdiv
    recompute_grad register_tensor_conversion_function repeat reshape resource reverse roll round saturate_cast
    scatter_nd searchsorted sequence_mask shape_n sigmoid sign sin sinh slice sort split sqrt square stack
    stop_gradient strided_slice string subtract switch_case tan tanh tensor_scatter_nd_add tensor_scatter_nd_max
    tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update tensordot tile timestamp truediv
    truncatediv truncatemod type_spec_from_value uint16 uint32 uint64 uint8 unique unique_with_counts unravel_index
    unstack variant vectorized_map zeros
    """.split()
)
