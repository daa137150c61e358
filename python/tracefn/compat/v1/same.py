"""The names of `tf.compat.v1` that are the same as in `tf`."""

from __future__ import annotations

NAMES = frozenset(
    """
    AggregationMethod Assert CriticalSection DType GradientTape Graph IndexedSlices IndexedSlicesSpec Module
    NoneTensorSpec Operation OptionalSpec RaggedTensor RaggedTensorSpec RegisterGradient SparseTensor
    SparseTensorSpec Tensor TensorArray TensorArraySpec TensorShape TensorSpec TypeSpec UnconnectedGradients
    VariableSynchronization abs acos acosh add add_n approx_top_k argsort as_dtype as_string asin asinh atan atan2
    atanh bfloat16 bitcast bool broadcast_dynamic_shape broadcast_static_shape broadcast_to cast check_pinned
    clip_by_global_norm clip_by_norm clip_by_value complex complex128 complex64 concat control_dependencies conv
    conv2d_backprop_filter_v2 conv2d_backprop_input_v2 cos cosh cumsum custom_gradient divide double
    dynamic_partition dynamic_stitch edit_distance einsum ensure_shape equal exp extract_volume_patches eye fftnd
    fill fingerprint float16 float32 float64 floor function get_logger get_static_value grad_pass_through greater
    greater_equal group guarantee_const half histogram_fixed_width histogram_fixed_width_bins identity identity_n
    ifftnd import_graph_def init_scope int16 int32 int64 int8 irfftnd is_symbolic_tensor is_tensor less less_equal
    linspace load_library load_op_library logical_and logical_not logical_or make_ndarray make_tensor_proto matmul
    matrix_square_root maximum meshgrid minimum multiply negative newaxis no_gradient no_op
    nondifferentiable_batch_function not_equal numpy_function one_hot ones parallel_stack pow print py_function
    qint16 qint32 qint8 quint16 quint8 ragged_fill_empty_rows ragged_fill_empty_rows_grad random_index_shuffle range
    rank realdiv recompute_grad register_tensor_conversion_function repeat required_space_to_batch_paddings reshape
    resource reverse rfftnd roll round saturate_cast scatter_nd searchsorted sequence_mask shape_n sigmoid sign sin
    sinh slice sort space_to_batch_nd split sqrt square stack stop_gradient strided_slice string subtract
    switch_case tan tanh tensor_scatter_nd_add tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub
    tensor_scatter_nd_update tensordot tile timestamp truediv truncatediv truncatemod type_spec_from_value uint16
    uint32 uint64 uint8 unique unique_with_counts unravel_index unstack variant vectorized_map zeros
    """.split()
)
