"""Which names the namespaces of `tf.compat.v1` have, and where those are that are elsewhere in `tf`."""

from __future__ import annotations

# The names of a namespace that are the same as in that of `tf`.
SAME = {
    "autograph": """
        set_verbosity trace
    """,
    "autograph.experimental": """
        Feature do_not_convert set_loop_options
    """,
    "bitwise": """
        bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
    """,
    "config": """
        LogicalDevice LogicalDeviceConfiguration PhysicalDevice experimental_connect_to_cluster
        experimental_connect_to_host experimental_functions_run_eagerly experimental_run_functions_eagerly
        functions_run_eagerly get_logical_device_configuration get_soft_device_placement get_visible_devices
        list_logical_devices list_physical_devices run_functions_eagerly set_logical_device_configuration
        set_soft_device_placement set_visible_devices
    """,
    "config.experimental": """
        ClusterDeviceFilters VirtualDeviceConfiguration disable_mlir_bridge enable_mlir_bridge
        enable_tensor_float_32_execution get_device_details get_device_policy get_memory_growth get_memory_info
        get_memory_usage get_synchronous_execution get_virtual_device_configuration get_visible_devices
        list_logical_devices list_physical_devices reset_memory_stats set_device_policy set_memory_growth
        set_synchronous_execution set_virtual_device_configuration set_visible_devices
        tensor_float_32_execution_enabled
    """,
    "config.optimizer": """
        get_experimental_options get_jit set_experimental_options set_jit
    """,
    "config.threading": """
        get_inter_op_parallelism_threads get_intra_op_parallelism_threads set_inter_op_parallelism_threads
        set_intra_op_parallelism_threads
    """,
    "debugging": """
        Assert assert_proper_iterable assert_same_float_dtype assert_shapes check_numerics disable_check_numerics
        disable_traceback_filtering enable_check_numerics enable_traceback_filtering get_log_device_placement
        is_numeric_tensor is_traceback_filtering_enabled set_log_device_placement
    """,
    "distribute": """
        CrossDeviceOps HierarchicalCopyAllReduce InputContext InputReplicationMode MirroredStrategy NcclAllReduce
        OneDeviceStrategy ReduceOp ReductionToOneDevice ReplicaContext RunOptions Server Strategy StrategyExtended
        experimental_set_strategy get_replica_context get_strategy has_strategy in_cross_replica_context
    """,
    "distribute.cluster_resolver": """
        ClusterResolver SimpleClusterResolver TFConfigClusterResolver TPUClusterResolver
    """,
    "distribute.experimental": """
        CentralStorageStrategy CollectiveCommunication CollectiveHints CommunicationImplementation CommunicationOptions
        MultiWorkerMirroredStrategy ParameterServerStrategy TPUStrategy
    """,
    "dtypes": """
        DType QUANTIZED_DTYPES as_dtype bfloat16 bool cast complex complex128 complex64 double float16 float32 float64
        half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource saturate_cast string uint16 uint32
        uint64 uint8 variant
    """,
    "dtypes.experimental": """
        float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz int2 int4 uint2 uint4
    """,
    "errors": """
        ABORTED ALREADY_EXISTS AbortedError AlreadyExistsError CANCELLED CancelledError DATA_LOSS DEADLINE_EXCEEDED
        DataLossError DeadlineExceededError FAILED_PRECONDITION FailedPreconditionError INTERNAL INVALID_ARGUMENT
        InternalError InvalidArgumentError NOT_FOUND NotFoundError OK OUT_OF_RANGE OpError OutOfRangeError
        PERMISSION_DENIED PermissionDeniedError RESOURCE_EXHAUSTED ResourceExhaustedError UNAUTHENTICATED UNAVAILABLE
        UNIMPLEMENTED UNKNOWN UnauthenticatedError UnavailableError UnimplementedError UnknownError
    """,
    "experimental": """
        BatchableExtensionType DynamicRaggedShape ExtensionType ExtensionTypeBatchEncoder ExtensionTypeSpec Optional
        RowPartition StructuredTensor async_clear_error async_scope dispatch_for_api
        dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis
        dispatch_for_unary_elementwise_apis enable_strict_mode float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn
        float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz function_executor_type int2 int4 register_filesystem_plugin uint2
        uint4 unregister_dispatch_for
    """,
    "experimental.extension_type": """
        as_dict
    """,
    "graph_util": """
        import_graph_def
    """,
    "io": """
        FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature TFRecordOptions TFRecordWriter
        VarLenFeature decode_and_crop_jpeg decode_base64 decode_bmp decode_compressed decode_gif decode_image
        decode_jpeg decode_json_example decode_jxl decode_png decode_proto decode_webp deserialize_many_sparse
        encode_base64 encode_jpeg encode_png encode_proto extract_jpeg_shape is_jpeg match_filenames_once
        matching_files parse_sequence_example parse_single_sequence_example parse_tensor read_file serialize_tensor
        write_file write_graph
    """,
    "io.gfile": """
        GFile copy exists get_registered_schemes glob isdir join listdir makedirs mkdir remove rename rmtree stat walk
    """,
    "linalg": """
        LinearOperator LinearOperatorAdjoint LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular
        LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorComposition
        LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity
        LinearOperatorInversion LinearOperatorKronecker LinearOperatorLowRankUpdate LinearOperatorLowerTriangular
        LinearOperatorPermutation LinearOperatorScaledIdentity LinearOperatorToeplitz LinearOperatorTridiag
        LinearOperatorZeros adjoint band_part cholesky cholesky_solve cross det diag diag_part eigh eigh_tridiagonal
        eigvalsh einsum expm eye global_norm inv l2_normalize logdet logm lstsq lu lu_matrix_inverse lu_reconstruct
        lu_solve matmul matrix_rank matrix_transpose matvec normalize pinv qr set_diag slogdet solve sqrtm svd
        tensor_diag tensor_diag_part tensordot trace triangular_solve tridiagonal_matmul tridiagonal_solve
    """,
    "linalg.experimental": """
        conjugate_gradient
    """,
    "lookup": """
        KeyValueTensorInitializer TextFileIndex TextFileInitializer
    """,
    "lookup.experimental": """
        DenseHashTable MutableHashTable
    """,
    "losses": """
        Reduction
    """,
    "math": """
        abs accumulate_n acos acosh add add_n angle approx_max_k approx_min_k asin asinh atan atan2 atanh bessel_i0
        bessel_i0e bessel_i1 bessel_i1e betainc ceil conj cos cosh cumprod cumsum cumulative_logsumexp digamma divide
        divide_no_nan equal erf erfc erfcinv erfinv exp expm1 floor floordiv floormod greater greater_equal igamma
        igammac imag invert_permutation is_finite is_inf is_nan is_non_decreasing is_strictly_increasing l2_normalize
        lbeta less less_equal lgamma log log1p log_sigmoid logical_and logical_not logical_or logical_xor maximum
        minimum multiply multiply_no_nan ndtri negative nextafter not_equal polygamma polyval pow real reciprocal
        reciprocal_no_nan reduce_euclidean_norm reduce_std reduce_variance rint round rsqrt scalar_mul segment_max
        segment_mean segment_min segment_prod segment_sum sigmoid sign sin sinh sobol_sample softplus softsign sqrt
        square squared_difference subtract tan tanh top_k truediv unsorted_segment_max unsorted_segment_mean
        unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum xdivy xlog1py xlogy
        zero_fraction zeta
    """,
    "math.special": """
        bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint fresnel_cos
        fresnel_sin spence
    """,
    "nest": """
        assert_same_structure flatten is_nested map_structure pack_sequence_as
    """,
    "nn": """
        all_candidate_sampler approx_max_k approx_min_k atrous_conv2d atrous_conv2d_transpose avg_pool1d avg_pool3d
        batch_normalization bias_add collapse_repeated compute_accidental_hits compute_average_loss conv1d_transpose
        conv_transpose ctc_greedy_decoder ctc_unique_labels depthwise_conv2d_backprop_filter
        depthwise_conv2d_backprop_input elu fixed_unigram_candidate_sampler l2_loss l2_normalize leaky_relu
        learned_unigram_candidate_sampler local_response_normalization log_poisson_loss lrn max_pool1d max_pool2d
        max_pool3d normalize_moments relu relu6 scale_regularization_loss selu sigmoid_cross_entropy_with_logits silu
        softsign top_k with_space_to_batch zero_fraction
    """,
    "quantization": """
        dequantize fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
        fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
        fake_quant_with_min_max_vars_per_channel_gradient quantize quantize_and_dequantize quantize_and_dequantize_v2
        quantized_concat
    """,
    "nn.experimental": """
        general_dropout stateless_dropout
    """,
    "queue": """
        FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
    """,
    "random": """
        Algorithm Generator all_candidate_sampler categorical create_rng_state fixed_unigram_candidate_sampler fold_in
        gamma get_global_generator learned_unigram_candidate_sampler log_uniform_candidate_sampler normal
        set_global_generator shuffle split stateless_binomial stateless_categorical stateless_gamma stateless_normal
        stateless_parameterized_truncated_normal stateless_poisson stateless_truncated_normal stateless_uniform
        truncated_normal uniform uniform_candidate_sampler
    """,
    "random.experimental": """
        Algorithm Generator create_rng_state get_global_generator index_shuffle set_global_generator stateless_fold_in
        stateless_shuffle stateless_split
    """,
    "ragged": """
        boolean_mask constant cross cross_hashed map_flat_values range row_splits_to_segment_ids
        segment_ids_to_row_splits stack stack_dynamic_partitions
    """,
    "saved_model": """
        ASSETS_DIRECTORY ASSETS_KEY Asset CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES
        CLASSIFY_OUTPUT_SCORES DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB DEFAULT_SERVING_SIGNATURE_DEF_KEY GPU
        PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS
        SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION SERVING SaveOptions TPU TRAINING
        VARIABLES_DIRECTORY VARIABLES_FILENAME contains_saved_model save
    """,
    "saved_model.experimental": """
        TrackableResource VariablePolicy
    """,
    "sets": """
        difference intersection size union
    """,
    "signal": """
        dct fft fft2d fft3d fftnd fftshift frame hamming_window hann_window idct ifft ifft2d ifft3d ifftnd ifftshift
        inverse_mdct inverse_stft inverse_stft_window_fn irfft irfft2d irfft3d irfftnd kaiser_bessel_derived_window
        kaiser_window linear_to_mel_weight_matrix mdct mfccs_from_log_mel_spectrograms overlap_and_add rfft rfft2d
        rfft3d rfftnd stft vorbis_window
    """,
    "sparse": """
        SparseTensor bincount cross cross_hashed expand_dims eye fill_empty_rows from_dense mask maximum minimum
        reorder reset_shape reshape retain slice softmax sparse_dense_matmul to_dense to_indicator transpose
    """,
    "strings": """
        as_string bytes_split format join lower ngrams regex_full_match regex_replace strip to_hash_bucket_fast
        to_hash_bucket_strong unicode_decode unicode_decode_with_offsets unicode_encode unicode_script unicode_split
        unicode_split_with_offsets unicode_transcode unsorted_segment_join upper
    """,
    "sysconfig": """
        CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD get_build_info get_compile_flags get_include get_lib
        get_link_flags
    """,
    "test": """
        Benchmark TestCase benchmark_config create_local_cluster disable_with_predicate gpu_device_name
        is_built_with_cuda is_built_with_gpu_support is_built_with_rocm is_built_with_xla is_cpu_target_available
        is_gpu_available main with_eager_op_as_function
    """,
    "train": """
        BytesList CheckpointManager CheckpointOptions ClusterDef ClusterSpec Coordinator Example
        ExponentialMovingAverage Feature FeatureList FeatureLists Features FloatList Int64List JobDef SequenceExample
        ServerDef checkpoints_iterator get_checkpoint_state latest_checkpoint list_variables load_checkpoint
        load_variable
    """,
    "train.experimental": """
        PythonState
    """,
    "types.experimental": """
        FunctionType TensorLike
    """,
    "version": """
        COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER
        VERSION
    """,
    "xla": """
        experimental
    """,
    "xla.experimental": """
        compile jit_scope
    """,
}

# Other names, and their paths below `tf`.
MOVED = {
    "COMPILER_VERSION": "version.COMPILER_VERSION",
    "CXX11_ABI_FLAG": "sysconfig.CXX11_ABI_FLAG",
    "CXX_VERSION": "sysconfig.CXX_VERSION",
    "FIFOQueue": "queue.FIFOQueue",
    "FixedLenFeature": "io.FixedLenFeature",
    "FixedLenSequenceFeature": "io.FixedLenSequenceFeature",
    "GIT_VERSION": "version.GIT_VERSION",
    "GRAPH_DEF_VERSION": "version.GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER": "version.GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER": "version.GRAPH_DEF_VERSION_MIN_PRODUCER",
    "MONOLITHIC_BUILD": "sysconfig.MONOLITHIC_BUILD",
    "NoGradient": "no_gradient",
    "NotDifferentiable": "no_gradient",
    "OpError": "errors.OpError",
    "PaddingFIFOQueue": "queue.PaddingFIFOQueue",
    "PriorityQueue": "queue.PriorityQueue",
    "QUANTIZED_DTYPES": "dtypes.QUANTIZED_DTYPES",
    "QueueBase": "queue.QueueBase",
    "RandomShuffleQueue": "queue.RandomShuffleQueue",
    "SparseFeature": "io.SparseFeature",
    "VERSION": "version.VERSION",
    "VarLenFeature": "io.VarLenFeature",
    "VariableAggregation": "VariableAggregation",
    "__compiler_version__": "version.COMPILER_VERSION",
    "__cxx11_abi_flag__": "sysconfig.CXX11_ABI_FLAG",
    "__git_version__": "version.GIT_VERSION",
    "__monolithic_build__": "sysconfig.MONOLITHIC_BUILD",
    "__version__": "version.VERSION",
    "accumulate_n": "math.accumulate_n",
    "angle": "math.angle",
    "assert_proper_iterable": "debugging.assert_proper_iterable",
    "assert_same_float_dtype": "debugging.assert_same_float_dtype",
    "betainc": "math.betainc",
    "ceil": "math.ceil",
    "check_numerics": "debugging.check_numerics",
    "cholesky": "linalg.cholesky",
    "cholesky_solve": "linalg.cholesky_solve",
    "conj": "math.conj",
    "cross": "linalg.cross",
    "cumprod": "math.cumprod",
    "debugging.assert_all_finite": "compat.v1.verify_tensor_all_finite",
    "debugging.assert_equal": "compat.v1.assert_equal",
    "debugging.assert_greater": "compat.v1.assert_greater",
    "debugging.assert_greater_equal": "compat.v1.assert_greater_equal",
    "debugging.assert_integer": "compat.v1.assert_integer",
    "debugging.assert_less": "compat.v1.assert_less",
    "debugging.assert_less_equal": "compat.v1.assert_less_equal",
    "debugging.assert_near": "compat.v1.assert_near",
    "debugging.assert_negative": "compat.v1.assert_negative",
    "debugging.assert_non_negative": "compat.v1.assert_non_negative",
    "debugging.assert_non_positive": "compat.v1.assert_non_positive",
    "debugging.assert_none_equal": "compat.v1.assert_none_equal",
    "debugging.assert_positive": "compat.v1.assert_positive",
    "debugging.assert_rank": "compat.v1.assert_rank",
    "debugging.assert_rank_at_least": "compat.v1.assert_rank_at_least",
    "debugging.assert_rank_in": "compat.v1.assert_rank_in",
    "debugging.assert_scalar": "compat.v1.assert_scalar",
    "debugging.assert_type": "compat.v1.assert_type",
    "debugging.is_finite": "math.is_finite",
    "debugging.is_inf": "math.is_inf",
    "debugging.is_nan": "math.is_nan",
    "debugging.is_non_decreasing": "math.is_non_decreasing",
    "debugging.is_strictly_increasing": "math.is_strictly_increasing",
    "decode_base64": "io.decode_base64",
    "decode_compressed": "io.decode_compressed",
    "decode_json_example": "io.decode_json_example",
    "dequantize": "quantization.dequantize",
    "deserialize_many_sparse": "io.deserialize_many_sparse",
    "diag": "linalg.tensor_diag",
    "diag_part": "linalg.tensor_diag_part",
    "digamma": "math.digamma",
    "dimension_value": "compat.dimension_value",
    "div_no_nan": "math.divide_no_nan",
    "dtypes.as_string": "as_string",
    "encode_base64": "io.encode_base64",
    "erf": "math.erf",
    "erfc": "math.erfc",
    "expm1": "math.expm1",
    "fake_quant_with_min_max_args": "quantization.fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient": "quantization.fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars": "quantization.fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient": "quantization.fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel": "quantization.fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient": "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
    "fft": "signal.fft",
    "fft2d": "signal.fft2d",
    "fft3d": "signal.fft3d",
    "floordiv": "math.floordiv",
    "floormod": "math.floormod",
    "gfile.GFile": "io.gfile.GFile",
    "gfile.Open": "io.gfile.GFile",
    "global_norm": "linalg.global_norm",
    "ifft": "signal.ifft",
    "ifft2d": "signal.ifft2d",
    "ifft3d": "signal.ifft3d",
    "igamma": "math.igamma",
    "igammac": "math.igammac",
    "imag": "math.imag",
    "initializers.constant": "compat.v1.constant_initializer",
    "initializers.global_variables": "compat.v1.global_variables_initializer",
    "initializers.glorot_normal": "compat.v1.glorot_normal_initializer",
    "initializers.glorot_uniform": "compat.v1.glorot_uniform_initializer",
    "initializers.local_variables": "compat.v1.local_variables_initializer",
    "initializers.ones": "compat.v1.ones_initializer",
    "initializers.orthogonal": "compat.v1.orthogonal_initializer",
    "initializers.random_normal": "compat.v1.random_normal_initializer",
    "initializers.random_uniform": "compat.v1.random_uniform_initializer",
    "initializers.tables_initializer": "compat.v1.tables_initializer",
    "initializers.truncated_normal": "compat.v1.truncated_normal_initializer",
    "initializers.uniform_unit_scaling": "compat.v1.uniform_unit_scaling_initializer",
    "initializers.variables": "compat.v1.variables_initializer",
    "initializers.variance_scaling": "compat.v1.variance_scaling_initializer",
    "initializers.zeros": "compat.v1.zeros_initializer",
    "invert_permutation": "math.invert_permutation",
    "io.PaddingFIFOQueue": "queue.PaddingFIFOQueue",
    "io.PriorityQueue": "queue.PriorityQueue",
    "io.QueueBase": "queue.QueueBase",
    "io.RandomShuffleQueue": "queue.RandomShuffleQueue",
    "io.decode_csv": "compat.v1.decode_csv",
    "io.decode_raw": "compat.v1.decode_raw",
    "io.parse_example": "compat.v1.parse_example",
    "io.parse_single_example": "compat.v1.parse_single_example",
    "io.serialize_many_sparse": "compat.v1.serialize_many_sparse",
    "io.serialize_sparse": "compat.v1.serialize_sparse",
    "is_finite": "math.is_finite",
    "is_inf": "math.is_inf",
    "is_nan": "math.is_nan",
    "is_non_decreasing": "math.is_non_decreasing",
    "is_numeric_tensor": "debugging.is_numeric_tensor",
    "is_strictly_increasing": "math.is_strictly_increasing",
    "lbeta": "math.lbeta",
    "lgamma": "math.lgamma",
    "lin_space": "linspace",
    "linalg.norm": "compat.v1.norm",
    "linalg.transpose": "linalg.matrix_transpose",
    "log": "math.log",
    "log1p": "math.log1p",
    "log_sigmoid": "math.log_sigmoid",
    "logical_xor": "math.logical_xor",
    "manip.batch_to_space_nd": "compat.v1.batch_to_space_nd",
    "manip.gather_nd": "compat.v1.gather_nd",
    "manip.reshape": "reshape",
    "manip.reverse": "reverse",
    "manip.roll": "roll",
    "manip.scatter_nd": "scatter_nd",
    "manip.space_to_batch_nd": "space_to_batch_nd",
    "manip.tile": "tile",
    "matching_files": "io.matching_files",
    "math.argmax": "compat.v1.argmax",
    "math.argmin": "compat.v1.argmin",
    "math.bincount": "compat.v1.bincount",
    "math.confusion_matrix": "compat.v1.confusion_matrix",
    "math.count_nonzero": "compat.v1.count_nonzero",
    "math.mod": "math.floormod",
    "math.reduce_all": "compat.v1.reduce_all",
    "math.reduce_any": "compat.v1.reduce_any",
    "math.reduce_logsumexp": "compat.v1.reduce_logsumexp",
    "math.reduce_max": "compat.v1.reduce_max",
    "math.reduce_mean": "compat.v1.reduce_mean",
    "math.reduce_min": "compat.v1.reduce_min",
    "math.reduce_prod": "compat.v1.reduce_prod",
    "math.reduce_sum": "compat.v1.reduce_sum",
    "math.special.bessel_i0": "math.bessel_i0",
    "math.special.bessel_i0e": "math.bessel_i0e",
    "math.special.bessel_i1": "math.bessel_i1",
    "math.special.bessel_i1e": "math.bessel_i1e",
    "matrix_band_part": "linalg.band_part",
    "matrix_determinant": "linalg.det",
    "matrix_diag": "linalg.diag",
    "matrix_diag_part": "linalg.diag_part",
    "matrix_inverse": "linalg.inv",
    "matrix_set_diag": "linalg.set_diag",
    "matrix_solve": "linalg.solve",
    "matrix_solve_ls": "linalg.lstsq",
    "matrix_transpose": "linalg.matrix_transpose",
    "matrix_triangular_solve": "linalg.triangular_solve",
    "mod": "math.floormod",
    "nn.avg_pool2d": "compat.v1.nn.avg_pool",
    "nn.avg_pool_v2": "nn.avg_pool",
    "nn.conv3d_backprop_filter_v2": "compat.v1.nn.conv3d_backprop_filter",
    "nn.ctc_beam_search_decoder_v2": "nn.ctc_beam_search_decoder",
    "nn.ctc_loss_v2": "nn.ctc_loss",
    "nn.depth_to_space": "compat.v1.depth_to_space",
    "nn.depthwise_conv2d_native_backprop_filter": "nn.depthwise_conv2d_backprop_filter",
    "nn.depthwise_conv2d_native_backprop_input": "nn.depthwise_conv2d_backprop_input",
    "nn.in_top_k": "compat.v1.math.in_top_k",
    "nn.log_softmax": "compat.v1.math.log_softmax",
    "nn.log_uniform_candidate_sampler": "random.log_uniform_candidate_sampler",
    "nn.max_pool_v2": "nn.max_pool",
    "nn.sigmoid": "math.sigmoid",
    "nn.softmax": "compat.v1.math.softmax",
    "nn.softplus": "math.softplus",
    "nn.space_to_batch": "compat.v1.space_to_batch",
    "nn.space_to_depth": "compat.v1.space_to_depth",
    "nn.swish": "nn.silu",
    "nn.tanh": "math.tanh",
    "nn.uniform_candidate_sampler": "random.uniform_candidate_sampler",
    "parse_single_sequence_example": "io.parse_single_sequence_example",
    "parse_tensor": "io.parse_tensor",
    "polygamma": "math.polygamma",
    "python_io.TFRecordCompressionType": "compat.v1.io.TFRecordCompressionType",
    "python_io.TFRecordOptions": "io.TFRecordOptions",
    "python_io.TFRecordWriter": "io.TFRecordWriter",
    "python_io.tf_record_iterator": "compat.v1.io.tf_record_iterator",
    "qr": "linalg.qr",
    "quantize": "quantization.quantize",
    "quantized_concat": "quantization.quantized_concat",
    "random.get_seed": "compat.v1.get_seed",
    "random.multinomial": "compat.v1.multinomial",
    "random.poisson": "compat.v1.random_poisson",
    "random.set_random_seed": "compat.v1.set_random_seed",
    "random_crop": "image.random_crop",
    "random_gamma": "random.gamma",
    "random_normal": "random.normal",
    "random_shuffle": "random.shuffle",
    "random_uniform": "random.uniform",
    "read_file": "io.read_file",
    "real": "math.real",
    "reciprocal": "math.reciprocal",
    "regex_replace": "strings.regex_replace",
    "reverse_v2": "reverse",
    "rint": "math.rint",
    "rsqrt": "math.rsqrt",
    "saved_model.constants.ASSETS_DIRECTORY": "saved_model.ASSETS_DIRECTORY",
    "saved_model.constants.ASSETS_KEY": "saved_model.ASSETS_KEY",
    "saved_model.constants.DEBUG_DIRECTORY": "saved_model.DEBUG_DIRECTORY",
    "saved_model.constants.DEBUG_INFO_FILENAME_PB": "saved_model.DEBUG_INFO_FILENAME_PB",
    "saved_model.constants.SAVED_MODEL_FILENAME_PB": "saved_model.SAVED_MODEL_FILENAME_PB",
    "saved_model.constants.SAVED_MODEL_FILENAME_PBTXT": "saved_model.SAVED_MODEL_FILENAME_PBTXT",
    "saved_model.constants.SAVED_MODEL_SCHEMA_VERSION": "saved_model.SAVED_MODEL_SCHEMA_VERSION",
    "saved_model.constants.VARIABLES_DIRECTORY": "saved_model.VARIABLES_DIRECTORY",
    "saved_model.constants.VARIABLES_FILENAME": "saved_model.VARIABLES_FILENAME",
    "saved_model.experimental.save": "saved_model.save",
    "saved_model.load_v2": "saved_model.load",
    "saved_model.loader.maybe_saved_model_directory": "saved_model.contains_saved_model",
    "saved_model.maybe_saved_model_directory": "saved_model.contains_saved_model",
    "saved_model.signature_constants.CLASSIFY_INPUTS": "saved_model.CLASSIFY_INPUTS",
    "saved_model.signature_constants.CLASSIFY_METHOD_NAME": "saved_model.CLASSIFY_METHOD_NAME",
    "saved_model.signature_constants.CLASSIFY_OUTPUT_CLASSES": "saved_model.CLASSIFY_OUTPUT_CLASSES",
    "saved_model.signature_constants.CLASSIFY_OUTPUT_SCORES": "saved_model.CLASSIFY_OUTPUT_SCORES",
    "saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY": "saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "saved_model.signature_constants.PREDICT_INPUTS": "saved_model.PREDICT_INPUTS",
    "saved_model.signature_constants.PREDICT_METHOD_NAME": "saved_model.PREDICT_METHOD_NAME",
    "saved_model.signature_constants.PREDICT_OUTPUTS": "saved_model.PREDICT_OUTPUTS",
    "saved_model.signature_constants.REGRESS_INPUTS": "saved_model.REGRESS_INPUTS",
    "saved_model.signature_constants.REGRESS_METHOD_NAME": "saved_model.REGRESS_METHOD_NAME",
    "saved_model.signature_constants.REGRESS_OUTPUTS": "saved_model.REGRESS_OUTPUTS",
    "saved_model.tag_constants.GPU": "saved_model.GPU",
    "saved_model.tag_constants.SERVING": "saved_model.SERVING",
    "saved_model.tag_constants.TPU": "saved_model.TPU",
    "saved_model.tag_constants.TRAINING": "saved_model.TRAINING",
    "segment_max": "math.segment_max",
    "segment_mean": "math.segment_mean",
    "segment_min": "math.segment_min",
    "segment_prod": "math.segment_prod",
    "segment_sum": "math.segment_sum",
    "self_adjoint_eig": "linalg.eigh",
    "self_adjoint_eigvals": "linalg.eigvalsh",
    "serialize_tensor": "io.serialize_tensor",
    "sets.set_difference": "sets.difference",
    "sets.set_intersection": "sets.intersection",
    "sets.set_size": "sets.size",
    "sets.set_union": "sets.union",
    "sparse.SparseConditionalAccumulator": "compat.v1.SparseConditionalAccumulator",
    "sparse.add": "compat.v1.sparse_add",
    "sparse.concat": "compat.v1.sparse_concat",
    "sparse.matmul": "sparse.sparse_dense_matmul",
    "sparse.merge": "compat.v1.sparse_merge",
    "sparse.placeholder": "compat.v1.sparse_placeholder",
    "sparse.reduce_max": "compat.v1.sparse_reduce_max",
    "sparse.reduce_max_sparse": "compat.v1.sparse_reduce_max_sparse",
    "sparse.reduce_sum": "compat.v1.sparse_reduce_sum",
    "sparse.reduce_sum_sparse": "compat.v1.sparse_reduce_sum_sparse",
    "sparse.segment_mean": "compat.v1.sparse_segment_mean",
    "sparse.segment_sqrt_n": "compat.v1.sparse_segment_sqrt_n",
    "sparse.segment_sum": "compat.v1.sparse_segment_sum",
    "sparse.split": "compat.v1.sparse_split",
    "sparse_fill_empty_rows": "sparse.fill_empty_rows",
    "sparse_mask": "sparse.mask",
    "sparse_maximum": "sparse.maximum",
    "sparse_minimum": "sparse.minimum",
    "sparse_reorder": "sparse.reorder",
    "sparse_reset_shape": "sparse.reset_shape",
    "sparse_reshape": "sparse.reshape",
    "sparse_retain": "sparse.retain",
    "sparse_slice": "sparse.slice",
    "sparse_softmax": "sparse.softmax",
    "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
    "sparse_tensor_to_dense": "sparse.to_dense",
    "sparse_to_indicator": "sparse.to_indicator",
    "sparse_transpose": "sparse.transpose",
    "spectral.dct": "signal.dct",
    "spectral.fft": "signal.fft",
    "spectral.fft2d": "signal.fft2d",
    "spectral.fft3d": "signal.fft3d",
    "spectral.idct": "signal.idct",
    "spectral.ifft": "signal.ifft",
    "spectral.ifft2d": "signal.ifft2d",
    "spectral.ifft3d": "signal.ifft3d",
    "spectral.irfft": "signal.irfft",
    "spectral.irfft2d": "signal.irfft2d",
    "spectral.irfft3d": "signal.irfft3d",
    "spectral.rfft": "signal.rfft",
    "spectral.rfft2d": "signal.rfft2d",
    "spectral.rfft3d": "signal.rfft3d",
    "squared_difference": "math.squared_difference",
    "string_join": "strings.join",
    "string_strip": "strings.strip",
    "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
    "string_to_hash_bucket_strong": "strings.to_hash_bucket_strong",
    "strings.reduce_join": "compat.v1.reduce_join",
    "strings.substr": "compat.v1.substr",
    "strings.to_hash_bucket": "compat.v1.string_to_hash_bucket",
    "strings.to_number": "compat.v1.string_to_number",
    "summary.Event": "compat.v1.Event",
    "summary.SessionLog": "compat.v1.SessionLog",
    "summary.Summary": "compat.v1.Summary",
    "summary.SummaryDescription": "compat.v1.SummaryDescription",
    "summary.TaggedRunMetadata": "compat.v1.TaggedRunMetadata",
    "svd": "linalg.svd",
    "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub",
    "tensor_scatter_update": "tensor_scatter_nd_update",
    "trace": "linalg.trace",
    "train.match_filenames_once": "io.match_filenames_once",
    "train.piecewise_constant_decay": "compat.v1.train.piecewise_constant",
    "train.queue_runner.add_queue_runner": "compat.v1.train.add_queue_runner",
    "train.queue_runner.start_queue_runners": "compat.v1.train.start_queue_runners",
    "train.write_graph": "io.write_graph",
    "truncated_normal": "random.truncated_normal",
    "unsorted_segment_max": "math.unsorted_segment_max",
    "unsorted_segment_mean": "math.unsorted_segment_mean",
    "unsorted_segment_min": "math.unsorted_segment_min",
    "unsorted_segment_prod": "math.unsorted_segment_prod",
    "unsorted_segment_sqrt_n": "math.unsorted_segment_sqrt_n",
    "unsorted_segment_sum": "math.unsorted_segment_sum",
    "where_v2": "where",
    "write_file": "io.write_file",
    "zeta": "math.zeta",
}
