"""Why tracefn lacks names of TensorFlow: groups of them, in the order in which a name is looked up."""

from __future__ import annotations

import re
from typing import NamedTuple


class Group(NamedTuple):
    """Names that are missing for one reason. `paths` matches a whole path without "tf."."""

    title: str
    reason: str
    paths: str


GROUPS = (
    Group("TPU", "another device", r"(compat\.v1\.)?tpu(\..*)?|raw_ops\..*(TPU|Tpu|SparseCore|InfeedEn|InfeedDe|Outfeed|Prelinearize|AllToAll|CrossReplica).*"
          r"|raw_ops\.(CollateTPUEmbeddingMemory|ConvertToCooTensor|GetMinibatch.*|GlobalIterId|StoreMinibatch.*|WorkerHeartbeat|ReplicatedInput|ReplicatedOutput|ComputeDedup.*)"),
    Group("XLA", "parts of another compiler", r"(compat\.v1\.)?(xla|mlir)(\..*)?|raw_ops\.(Xla.*|AssignVariableXlaConcatND|ReadVariableXlaSplitND|TensorArray.*XLA.*|Rpc.*)"),
    Group("GPU", "another device", r"raw_ops\.(Cudnn.*|Nccl.*|CheckPinned|Copy|CopyHost)|(compat\.v1\.)?check_pinned|experimental\.tensorrt.*|raw_ops\.TRT.*"),
    Group("no kernel for CPUs", "TensorFlow's ops have none either", r"(compat\.v1\.)?conv2d_backprop_(input|filter)_v2|raw_ops\.Conv2DBackprop(Input|Filter)V2|raw_ops\.(CTCLossV2|Segment(Max|Min|Prod|Sum)V2|SparseMatrix(Add|Mul|Softmax|SoftmaxGrad|Zeros)|GenerateBoundingBoxProposals)|image\.generate_bounding_box_proposals"),
    Group("no codec", "JPEG XL: Pillow has none either", r"(io|image)\.decode_jxl|raw_ops\.DecodeJxl"),
    Group("ends the process", "an exception does", r"raw_ops\.Abort"),
    Group("quantized arithmetic", "ops that compute with tensors of qint8, quint8, …; there are such tensors",
          r"quantization\.(quantized_concat|experimental.*)|compat\.v1\.quantized_concat|raw_ops\.(QuantizeDownAndShrinkRange|Quantized.*|Requant.*|RequantizationRange.*|Uniform(De)?[qQ]uantize.*|UniformQuantized.*|UniformRequantize)"),
    Group("removed from TensorFlow", "no GraphDef of TensorFlow 2 may hold them",
          r"raw_ops\.(QuantizeAndDequantize|Batch(Cholesky|CholeskyGrad|FFT|FFT2D|FFT3D|IFFT.*|Matrix.*|NormWithGlobal.*|SelfAdjointEig.*|Svd)|AdjustContrast|TopK|Where3|RandomCrop|MatrixInverse1|ResourceApplyOld)"),
    Group("Keras", "the package keras, which runs on this one: docs/keras.md", r"(keras|losses|metrics|optimizers)(\..*)?|nn\.RNNCell.*|initializers|compat\.v1\.(keras|layers)"),
    Group("trees and clusters", "parts of estimators, which TensorFlow has no more", r"raw_ops\.BoostedTrees.*|compat\.v1\.estimator|raw_ops\.(IsBoostedTrees.*|KMC2.*|Kmeans.*|NearestNeighbors|TensorForest.*|SdcaOptimizer.*|SdcaFprint|SdcaShrinkL1)"),
    Group("queues and readers", "queues, readers and accumulators are objects here, without raw ops; there are no stages and stacks",
          r"queue.*|raw_ops\..*(Queue|Reader|Barrier|Stage|Stack|Accumulator).*|raw_ops\.(Stage.*|Unstage|OrderedMap.*|Map(Clear|IncompleteSize|Peek|Size|Stage|Unstage.*)|SparseAccumulator.*|ConditionalAccumulator|RecordInput)|compat\.v1\..*(Queue|Reader|Stack|Accumulator).*"),
    Group("TensorFlow 1 references", "ops on Variables by reference, and control flow by nodes", r"raw_ops\.(Assign|AssignAdd|AssignSub|StridedSliceAssign|SymbolicGradient|Ref.*|Scatter(Add|Div|Max|Min|Mul|Nd(Add|Sub|Update|Max|Min)|Sub|Update)|Apply.*|SparseApply.*|Variable|VariableV2|TemporaryVariable|DestroyTemporaryVariable|IsVariableInitialized|CountUpTo|Enter|Exit|Merge|Switch|NextIteration|LoopCond|TensorArray.*|.*(Session).*|MutableHashTable|MutableDenseHashTable|MutableHashTableOfTensors|HashTable|LookupTable(Export|Find|Import|Insert|Size)|InitializeTable|InitializeTableFromTextFile|Mutex|Save|SaveSlices|Restore|RestoreSlice)"),
    Group("distribution", "one process, one device", r"distribute.*|raw_ops\.(Collective.*|Distributed.*|_?Send|_?Recv|Broadcast.*Send.*|.*HostSend|.*HostRecv|DelegateFuncCall|RemoteCall|RemoteFusedGraphExecute|RpcCall)|config\.experimental_connect.*|config\.experimental\.ClusterDeviceFilters|experimental\.dtensor.*|types\.experimental\.distributed.*|test\.create_local_cluster|(compat\.v1\.)?nondifferentiable_batch_function|raw_ops\.(BatchFunction|Batch|Unbatch|UnbatchGrad)|compat\.v1\.distribut.*"),
    Group("plug-ins", "there is no interface for them", r"experimental\.register_filesystem_plugin|sysconfig\.get_(include|compile_flags|link_flags)|raw_ops\.FileSystemSetConfiguration|lite.*|compat\.v1\.(lite|load_file_system_library)"),
    Group("input pipelines", "not yet", r"data.*|raw_ops\.(ComputeBatchSize|DummyIterationCounter|GetElementAtIndex|GetOptions|WindowOp)|raw_ops\..*(Dataset|Iterator|RandomSeedGenerator|SeedGenerator|MemoryCache|CompressElement|UncompressElement|ThreadPoolHandle|StatsAggregator).*|compat\.v1\.data"),
    Group("TensorBoard's debugger", "it reads what TensorFlow's own runtime writes; tf.debugging.enable_check_numerics finds NaNs here", r"debugging\.experimental.*|raw_ops\.Debug.*"),
    Group("saving and training", "not yet", r"(saved_model|train|summary|profiler|lite)(\..*)?|raw_ops\.ImportEvent|compat\.v1\.(Event|HistogramProto|LogMessage|MetaGraphDef|SessionLog|Summary|SummaryMetadata|TensorInfo|saved_model|summary)|raw_ops\..*(Save|Restore|Checkpoint|Summary|Sharded|LoadAndRemap|GenerateVocab).*"),
)  # fmt: skip
NOT_YET = Group("not yet", "nothing speaks against them", ".*")
_COMPILED = [(group, re.compile(group.paths)) for group in GROUPS]


def group_of(path: str) -> Group:
    """Why a missing name, such as "raw_ops.Abort", is missing."""
    return next((group for group, pattern in _COMPILED if pattern.fullmatch(path)), NOT_YET)
