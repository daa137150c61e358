"""Records TensorFlow's OpDef of every op that this project writes into graphs, as tests/oracle/op_defs.json.

Run with the oracle's interpreter (TensorFlow 2.21), from anywhere:

    python tests/oracle/record_op_defs.py

The registry test compares our op records with this file. Names in OPS that TensorFlow does not register are listed on
stderr and left out. The output is sorted and one op per line, so that a re-recording reads as a diff.
"""

from __future__ import annotations

import inspect
import json
import pathlib
import sys

import tensorflow as tf
from google.protobuf.json_format import MessageToDict
from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import op_def_registry, ops

OUTPUT = pathlib.Path(__file__).with_name("op_defs.json")

OPS = """
Abs AccumulateNV2 Acos Acosh Add AddN AddV2 All Angle Any ApproximateEqual ArgMax ArgMin AsString Asin Asinh Assert
AssignAddVariableOp AssignSubVariableOp AssignVariableOp Atan Atan2 Atanh AvgPool AvgPoolGrad
BatchMatMulV2 BatchMatMulV3 BesselI0e BesselI1e Betainc BiasAdd BiasAddGrad Bincount Bitcast BitwiseAnd BitwiseOr
BitwiseXor BroadcastArgs BroadcastGradientArgs BroadcastTo Bucketize
Case Cast Ceil CheckNumerics CheckNumericsV2 Cholesky ClipByValue Complex ComplexAbs ConcatOffset ConcatV2 Conj
ConjugateTranspose Const Conv2D Conv2DBackpropFilter Conv2DBackpropInput Cos Cosh Cross Cumprod Cumsum
CumulativeLogsumexp
DebugNumericSummaryV2 DenseBincount DepthToSpace DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter
DepthwiseConv2dNativeBackpropInput DestroyResourceOp Diag DiagPart Digamma Div DivNoNan DynamicPartition DynamicStitch
EagerPyFunc Einsum Elu EluGrad EmptyTensorList EnsureShape Equal Erf Erfc Erfinv EuclideanNorm Exp ExpandDims Expm1
FakeParam Fill Floor FloorDiv FloorMod FusedBatchNormV3 FusedBatchNormGradV3
Gather GatherNd GatherV2 Greater GreaterEqual
HistogramFixedWidth
Identity IdentityN If Igamma Igammac Imag InTopKV2 Inv InvGrad Invert InvertPermutation IsFinite IsInf IsNan IsVariableInitialized
L2Loss LeakyRelu LeakyReluGrad LeftShift LowerBound Less LessEqual Lgamma LinSpace Log Log1p LogMatrixDeterminant LogSoftmax
LogicalAnd LogicalNot LogicalOr LoopCond
MatMul MatrixBandPart MatrixDeterminant MatrixDiagPartV3 MatrixDiagV3 MatrixInverse MatrixSetDiagV3 MatrixSolve
MatrixSolveLs MatrixTriangularSolve Max MaxPool MaxPoolGrad Maximum Mean Min Minimum MirrorPad MirrorPadGrad Mod Mul MulNoNan
Multinomial
Ndtri Neg NextAfter NoOp NotEqual
OneHot OnesLike
Pack Pad PadV2 ParallelDynamicStitch ParameterizedTruncatedNormal PartitionedCall Placeholder PlaceholderWithDefault
Polygamma PopulationCount Pow PreventGradient PrintV2 Prod PyFunc PyFuncStateless
Qr
RandomGamma RandomGammaGrad RandomPoissonV2 RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt Range Rank
ReadVariableOp Real RealDiv Reciprocal ReciprocalGrad ReduceJoin RegexFullMatch RegexReplace Relu Relu6 Relu6Grad ReluGrad RemoteCall Reshape
ResourceApplyAdam ResourceApplyGradientDescent ResourceApplyKerasMomentum ResourceCountUpTo ResourceGather ResourceGatherNd ResourceScatterAdd
ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul ResourceScatterNdAdd
ResourceScatterNdMax ResourceScatterNdMin ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub
ResourceScatterUpdate ResourceStridedSliceAssign Restore RestoreV2 Reverse ReverseSequence ReverseV2 RightShift Rint Roll
Round Rsqrt RsqrtGrad
SaveV2 ScatterNd SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum Select SelectV2 SelfAdjointEigV2
Selu SeluGrad Shape ShapeN Sigmoid SigmoidGrad Sign Sin Sinh Size Slice Snapshot Softmax SoftmaxCrossEntropyWithLogits Softplus
SoftplusGrad Softsign SoftsignGrad SpaceToDepth SparseSoftmaxCrossEntropyWithLogits Split SplitV Sqrt SqrtGrad Square
SquaredDifference Squeeze StatefulPartitionedCall StatelessCase StatelessIf StatelessMultinomial
StatelessParameterizedTruncatedNormal StatelessRandomBinomial StatelessRandomGammaV2 StatelessRandomGammaV3
StatelessRandomGetAlg StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg StatelessRandomNormal
StatelessRandomNormalV2 StatelessRandomPoisson StatelessRandomUniform StatelessRandomUniformFullInt
StatelessRandomUniformFullIntV2 StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomUniformV2
StatelessShuffle StatelessTruncatedNormal StatelessTruncatedNormalV2 StatelessWhile StaticRegexFullMatch
StaticRegexReplace StopGradient StridedSlice
StridedSliceGrad StringFormat StringJoin StringLength StringLower StringSplitV2 StringStrip StringToHashBucketFast StringToNumber
StringUpper Sub Substr Sum Svd SymbolicGradient
Tan Tanh TanhGrad TensorListConcat TensorListConcatLists TensorListConcatV2 TensorListElementShape TensorListFromTensor TensorListGather
TensorListGetItem TensorListLength TensorListPopBack TensorListPushBack TensorListPushBackBatch TensorListReserve
TensorListResize TensorListScatter TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem
TensorListSplit TensorListStack TensorScatterAdd
TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate Tile Timestamp TopKV2
Transpose TridiagonalSolve TruncateDiv TruncateMod TruncatedNormal
Unique UniqueV2 UniqueWithCounts UniqueWithCountsV2 Unpack UnravelIndex UnsortedSegmentMax UnsortedSegmentMin
UnsortedSegmentProd UnsortedSegmentSum UnsortedSegmentJoin UpperBound
VarHandleOp VarIsInitializedOp VariableShape
Where While
Xdivy Xlog1py Xlogy
ZerosLike Zeta
Conv3D Conv3DBackpropFilterV2 Conv3DBackpropInputV2 Dilation2D Dilation2DBackpropFilter Dilation2DBackpropInput
AvgPool3D AvgPool3DGrad FractionalAvgPool FractionalAvgPoolGrad FractionalMaxPool FractionalMaxPoolGrad
MaxPoolGradGrad MaxPoolV2 MaxPoolGradV2 MaxPoolGradGradV2 MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPoolWithArgmax
MaxPoolGradWithArgmax MaxPoolGradGradWithArgmax LRN LRNGrad FusedBatchNorm FusedBatchNormV2 FusedBatchNormGrad
FusedBatchNormGradV2 SpaceToBatch BatchToSpace SpaceToBatchND BatchToSpaceND
""".split()


def dtype_name(number: int) -> str:
    """TensorFlow's dtype name ("float32") of a DataType enum value."""
    return tf.as_dtype(number).name


def attr_value(value) -> object:
    """One AttrValue as plain JSON: dtype names, ints, floats, bools, strings, shapes as lists (None: unknown)."""
    kind = value.WhichOneof("value")
    if kind == "type":
        return dtype_name(value.type)
    if kind == "s":
        return value.s.decode()
    if kind == "shape":
        return None if value.shape.unknown_rank else [d.size if d.size >= 0 else None for d in value.shape.dim]
    if kind == "tensor":
        return MessageToDict(value.tensor)
    if kind == "func":
        return value.func.name
    if kind == "list":
        items = value.list
        if items.type:
            return [dtype_name(t) for t in items.type]
        return [s.decode() for s in items.s] or list(items.i) or list(items.f) or list(items.b)
    return getattr(value, kind)


def arg_record(arg) -> dict:
    """One input or output: its name, and a fixed type or the attributes that decide type and number."""
    record = {"name": arg.name}
    if arg.type != types_pb2.DT_INVALID:
        record["type"] = dtype_name(arg.type)
    for field in ("type_attr", "number_attr", "type_list_attr"):
        if getattr(arg, field):
            record[field] = getattr(arg, field)
    if arg.is_ref:
        record["is_ref"] = True
    return record


def attr_record(attr) -> dict:
    """One attribute: name, type, and where given its default, allowed values and minimum."""
    record = {"name": attr.name, "type": attr.type}
    if attr.HasField("default_value"):
        record["default"] = attr_value(attr.default_value)
    if attr.HasField("allowed_values"):
        record["allowed"] = attr_value(attr.allowed_values)
    if attr.has_minimum:
        record["minimum"] = attr.minimum
    return record


def gradient_kind(name: str) -> str:
    """What TensorFlow declares: "rule" a gradient function, "none" that there is none, "missing" nothing at all."""
    try:
        return "none" if ops.gradient_registry.lookup(name) is None else "rule"
    except LookupError:
        return "missing"


def op_record(op_def) -> dict:
    """An OpDef as plain JSON, with its gradient declaration and its parameters in tf.raw_ops, which are Python's."""
    return {
        "inputs": [arg_record(a) for a in op_def.input_arg],
        "outputs": [arg_record(a) for a in op_def.output_arg],
        "attrs": [attr_record(a) for a in op_def.attr],
        "is_stateful": op_def.is_stateful,
        "is_commutative": op_def.is_commutative,
        "is_aggregate": op_def.is_aggregate,
        "gradient": gradient_kind(op_def.name),
        "raw": list(inspect.signature(getattr(tf.raw_ops, op_def.name)).parameters),
    }


def main() -> None:
    defs = {name: op_def_registry.get(name) for name in sorted(set(OPS))}
    absent = [name for name, op_def in defs.items() if op_def is None]
    lines = [
        f"{json.dumps(name)}: {json.dumps(op_record(op_def))}" for name, op_def in defs.items() if op_def is not None
    ]
    ops_text = ",\n".join(lines)
    OUTPUT.write_text(f'{{"tensorflow": "{tf.__version__}",\n"ops": {{\n{ops_text}\n}}}}\n')
    print(f"{len(lines)} ops recorded; not in TensorFlow: {' '.join(absent) or 'none'}", file=sys.stderr)


if __name__ == "__main__":
    main()
