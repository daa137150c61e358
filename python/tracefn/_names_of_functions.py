"""The names that functions have in TensorFlow, where they are not the last words of their public paths: `tf.gather.__name__` is
"gather_v2". Programs print them and write them into files.

The activations `softmax`, `log_softmax` and `silu` keep their public names: Keras saves a layer's activation by its name,
and cannot load "softmax_v2".
"""

from __future__ import annotations

# Their names end in "_v2".
_V2 = frozenset(
    """
    argmax argmin assert_equal assert_greater assert_less assert_rank batch_to_space boolean_mask case
    compat.v1.nn.conv3d_backprop_filter debugging.assert_greater_equal debugging.assert_integer debugging.assert_less_equal
    debugging.assert_near debugging.assert_negative debugging.assert_non_negative debugging.assert_non_positive
    debugging.assert_none_equal debugging.assert_positive debugging.assert_rank_at_least debugging.assert_rank_in
    debugging.assert_scalar debugging.assert_type expand_dims foldl foldr gather gather_nd image.crop_and_resize
    image.draw_bounding_boxes image.extract_glimpse image.sample_distorted_bounding_box io.decode_csv io.gfile.copy
    io.gfile.rename io.gfile.stat io.gfile.walk io.parse_example io.parse_single_example io.serialize_many_sparse
    io.serialize_sparse linalg.norm map_fn math.count_nonzero math.in_top_k nn.avg_pool
    nn.batch_norm_with_global_normalization nn.conv1d nn.conv2d nn.conv2d_transpose nn.conv3d nn.conv3d_transpose
    nn.convolution nn.crelu nn.ctc_beam_search_decoder nn.depthwise_conv2d nn.dilation2d nn.dropout nn.embedding_lookup
    nn.embedding_lookup_sparse nn.erosion2d nn.fractional_avg_pool nn.fractional_max_pool nn.max_pool
    nn.max_pool_with_argmax nn.moments nn.nce_loss nn.pool nn.safe_embedding_lookup_sparse nn.sampled_softmax_loss
    nn.separable_conv2d nn.softmax_cross_entropy_with_logits nn.sparse_softmax_cross_entropy_with_logits
    nn.sufficient_statistics nn.weighted_cross_entropy_with_logits nn.weighted_moments ones_like pad print reverse_sequence
    scan shape size squeeze strings.reduce_join summary.create_file_writer transpose tuple where zeros_like
    """.split()
)
# Their names end in "_v1".
_V1 = frozenset(
    """
    compat.v1.autograph.to_code compat.v1.autograph.to_graph compat.v1.bincount compat.v1.confusion_matrix
    compat.v1.constant compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite
    compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite compat.v1.nn.conv3d compat.v1.nn.dilation2d
    compat.v1.nn.max_pool_with_argmax compat.v1.reduce_mean compat.v1.string_to_hash_bucket compat.v1.string_to_number
    compat.v1.test.assert_equal_graph_def compat.v1.variable_creator_scope
    """.split()
)
_OTHERS = dict(
    pair.split("=")
    for pair in """
    Assert=Assert compat.v1.convert_to_tensor=convert_to_tensor_v1_with_dispatch compat.v1.decode_csv=decode_csv
    compat.v1.gfile.Copy=copy compat.v1.gfile.DeleteRecursively=delete_recursively compat.v1.gfile.Exists=file_exists
    compat.v1.gfile.Glob=get_matching_files compat.v1.gfile.IsDirectory=is_directory
    compat.v1.gfile.ListDirectory=list_directory compat.v1.gfile.MakeDirs=recursive_create_dir
    compat.v1.gfile.MkDir=create_dir compat.v1.gfile.Remove=delete_file compat.v1.gfile.Rename=rename
    compat.v1.gfile.Stat=stat compat.v1.gfile.Walk=walk compat.v1.io.parse_example=parse_example
    compat.v1.io.parse_single_example=parse_single_example compat.v1.serialize_many_sparse=serialize_many_sparse
    compat.v1.serialize_sparse=serialize_sparse compat.v1.strings.length=string_length
    compat.v1.strings.split=strings_split_v1 compat.v1.tuple=tuple cond=cond_for_tf_v2
    debugging.assert_all_finite=verify_tensor_all_finite_v2 image.extract_patches=extract_image_patches_v2
    image.non_max_suppression_overlaps=non_max_suppression_with_overlaps image.resize=resize_images_v2
    image.resize_with_crop_or_pad=resize_image_with_crop_or_pad image.resize_with_pad=resize_image_with_pad_v2
    io.gfile.exists=file_exists_v2 io.gfile.glob=get_matching_files_v2 io.gfile.isdir=is_directory_v2
    io.gfile.listdir=list_directory_v2 io.gfile.makedirs=recursive_create_dir_v2 io.gfile.mkdir=create_dir_v2
    io.gfile.remove=delete_file_v2 io.gfile.rmtree=delete_recursively_v2 linalg.diag=matrix_diag
    linalg.diag_part=matrix_diag_part linalg.eigh=self_adjoint_eig linalg.eigvalsh=self_adjoint_eigvals
    linalg.lstsq=matrix_solve_ls linalg.set_diag=matrix_set_diag linspace=linspace_nd make_ndarray=MakeNdarray
    math.divide_no_nan=div_no_nan nn.depthwise_conv2d_backprop_filter=depthwise_conv2d_native_backprop_filter
    nn.depthwise_conv2d_backprop_input=depthwise_conv2d_native_backprop_input py_function=eager_py_func
    random.gamma=random_gamma random.normal=random_normal random.poisson=random_poisson_v2 random.shuffle=random_shuffle
    random.stateless_binomial=stateless_random_binomial random.stateless_gamma=stateless_random_gamma
    random.stateless_normal=stateless_random_normal random.stateless_poisson=stateless_random_poisson
    random.stateless_uniform=stateless_random_uniform random.uniform=random_uniform signal.fftnd=_fftn signal.ifftnd=_ifftn
    signal.irfft2d=_irfft signal.irfft3d=_irfft signal.irfft=_irfft signal.irfftnd=_irfftn signal.rfft2d=_rfft
    signal.rfft3d=_rfft signal.rfft=_rfft signal.rfftnd=_rfftn sparse.add=sparse_add_v2 sparse.bincount=sparse_bincount
    sparse.concat=sparse_concat_v2 sparse.cross=sparse_cross sparse.cross_hashed=sparse_cross_hashed
    sparse.expand_dims=sparse_expand_dims sparse.fill_empty_rows=sparse_fill_empty_rows sparse.mask=sparse_mask
    sparse.maximum=sparse_maximum sparse.minimum=sparse_minimum sparse.reduce_max=sparse_reduce_max_v2
    sparse.reduce_sum=sparse_reduce_sum_v2 sparse.reorder=sparse_reorder sparse.reset_shape=sparse_reset_shape
    sparse.reshape=sparse_reshape sparse.retain=sparse_retain sparse.segment_mean=sparse_segment_mean_v2
    sparse.segment_sqrt_n=sparse_segment_sqrt_n_v2 sparse.segment_sum=sparse_segment_sum_v2 sparse.slice=sparse_slice
    sparse.softmax=sparse_softmax sparse.sparse_dense_matmul=sparse_tensor_dense_matmul sparse.split=sparse_split_v2
    sparse.to_dense=sparse_tensor_to_dense sparse.to_indicator=sparse_to_indicator sparse.transpose=sparse_transpose
    strings.bytes_split=string_bytes_split strings.format=string_format strings.join=string_join
    strings.split=string_split_v2 strings.to_number=string_to_number
    """.split()
)


def name_in_tensorflow(path: str) -> str | None:
    """The `__name__` of the function with a public path; None if it is the last word of the path."""
    if path in _V2 or path in _V1:
        return path.rpartition(".")[2] + ("_v2" if path in _V2 else "_v1")
    return _OTHERS.get(path)
