"""Ops that TensorFlow has removed: their names are in `tf.raw_ops`, and calls say what replaced them."""

from __future__ import annotations

from tracefn import _core
from tracefn.errors import UnimplementedError

# Op: (the version of graphs without it, what TensorFlow says).
REMOVED = {
    "AdjustContrast": (2, "Use AdjustContrastv2 instead"),
    "AudioSummary": (15, "Use AudioSummaryV2."),
    "BatchCholesky": (13, "Use Cholesky instead."),
    "BatchCholeskyGrad": (13, "Use CholeskyGrad instead."),
    "BatchFFT": (15, "Use FFT"),
    "BatchFFT2D": (15, "Use FFT2D"),
    "BatchFFT3D": (15, "Use FFT3D"),
    "BatchIFFT": (15, "Use IFFT"),
    "BatchIFFT2D": (15, "Use IFFT2D"),
    "BatchIFFT3D": (15, "Use IFFT3D"),
    "BatchMatrixBandPart": (14, "Use MatrixBandPart"),
    "BatchMatrixDeterminant": (13, "Use MatrixDeterminant instead."),
    "BatchMatrixDiag": (14, "Use MatrixDiag"),
    "BatchMatrixDiagPart": (14, "Use MatrixDiagPart"),
    "BatchMatrixInverse": (13, "Use MatrixInverse instead."),
    "BatchMatrixSetDiag": (14, "Use MatrixSetDiag"),
    "BatchMatrixSolve": (13, "Use MatrixSolve instead."),
    "BatchMatrixSolveLs": (13, "Use MatrixSolveLs instead."),
    "BatchMatrixTriangularSolve": (13, "Use MatrixTriangularSolve instead."),
    "BatchNormWithGlobalNormalization": (9, "Use tf.nn.batch_normalization()"),
    "BatchNormWithGlobalNormalizationGrad": (9, "Use tf.nn.batch_normalization()"),
    "BatchSelfAdjointEig": (11, "Use SelfAdjointEigV2 instead."),
    "BatchSelfAdjointEigV2": (13, "Use SelfAdjointEigV2 instead."),
    "BatchSvd": (13, "Use Svd instead."),
    "Conv3DBackpropFilter": (10, "Use Conv3DBackpropFilterV2"),
    "Conv3DBackpropInput": (10, "Use Conv3DBackpropInputV2"),
    "FixedLengthRecordReader": (26, "Use FixedLengthRecordReaderV2"),
    "IdentityReader": (26, "Use IdentityReaderV2"),
    "MatrixExponential": (27, "Use Python implementation tf.linalg.matrix_exponential instead."),
    "PlaceholderV2": (23, "Placeholder now behaves the same as PlaceholderV2."),
    "QuantizeAndDequantize": (22, "Replaced by QuantizeAndDequantizeV2"),
    "RandomCrop": (8, "Random crop is now pure Python"),
    "RandomPoisson": (25, "Replaced by RandomPoissonV2"),
    "SelfAdjointEig": (11, "Use SelfAdjointEigV2 instead."),
    "StatefulStandardNormal": (29, "Use StatefulStandardNormalV2 instead"),
    "TFRecordReader": (26, "Use TFRecordReaderV2"),
    "TensorArray": (16, "Use TensorArrayV3"),
    "TensorArrayClose": (16, "Use TensorArrayCloseV3"),
    "TensorArrayCloseV2": (26, "Use TensorArrayCloseV3"),
    "TensorArrayConcat": (16, "Use TensorArrayGradV3"),
    "TensorArrayGather": (16, "Use TensorArrayGatherV3"),
    "TensorArrayGatherV2": (26, "Use TensorArrayGatherV3"),
    "TensorArrayGrad": (16, "Use TensorArrayGradV3"),
    "TensorArrayGradV2": (26, "Use TensorArrayGradV3"),
    "TensorArrayPack": (16, "Use TensorArrayGatherV3 with RangeOp"),
    "TensorArrayRead": (16, "Use TensorArrayReadV3"),
    "TensorArrayReadV2": (26, "Use TensorArrayReadV3"),
    "TensorArrayScatter": (19, "Use TensorArrayGradV3"),
    "TensorArrayScatterV2": (26, "Use TensorArrayScatterV3"),
    "TensorArraySize": (16, "Use TensorArraySizeV3"),
    "TensorArraySizeV2": (26, "Use TensorArraySizeV3"),
    "TensorArraySplit": (16, "Use TensorArraySplitV3"),
    "TensorArraySplitV2": (26, "Use TensorArraySplitV3"),
    "TensorArrayUnpack": (20, "Use TensorArrayScatterV3 with RangeOp"),
    "TensorArrayV2": (26, "Use TensorArrayV3"),
    "TensorArrayWrite": (16, "Use TensorArrayWriteV3"),
    "TensorArrayWriteV2": (26, "Use TensorArrayWriteV3"),
    "TextLineReader": (26, "Use TextLineReaderV2"),
    "TileGrad": (3, "TileGrad has been replaced with reduce_sum"),
    "TopK": (7, "Use TopKV2 instead"),
}


def removed_op(name: str):
    """The function of a removed op: it raises an error.

    Args:
      name: one of REMOVED.
    """
    version, instead = REMOVED[name]

    def call(*args, **kwargs):
        del args, kwargs
        from tracefn.version import GRAPH_DEF_VERSION  # start-up time: few programs ask for versions

        text = f"Op {name} is not available in GraphDef version {GRAPH_DEF_VERSION}. It has been removed in version {version}."
        if _core.current_graph() is None:
            raise UnimplementedError(None, None, f"{text} {instead}.")
        raise NotImplementedError(f"{text} {instead}.")

    call.__name__ = call.__qualname__ = name
    return call
