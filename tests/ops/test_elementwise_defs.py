"""The records of the elementwise ops against TensorFlow's OpDefs: dtypes that are refused."""

import numpy as np
import pytest
import tracefn as tf
from support.elementwise_samples import BINARY, OP_DEFS, UNARY, numpy_dtype

# Recorded besides those with samples: gradients, selections, sums, parts of complex numbers.
OTHERS = """
AccumulateNV2 AddN Angle ApproximateEqual BesselI0 BesselI1 BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e
BesselY0 BesselY1 Betainc Bitcast Cast ClipByValue Complex ComplexAbs Dawsn Digamma EluGrad Expint FresnelCos FresnelSin
Igamma IgammaGradA Igammac Imag LeakyRelu LeakyReluGrad Polygamma PopulationCount Real ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad Select SelectV2 SeluGrad
SigmoidGrad SoftplusGrad SoftsignGrad Spence SqrtGrad TanhGrad Zeta
""".split()
DTYPES = """
bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128
""".split()


@pytest.mark.parametrize("op", [*UNARY, *BINARY, *OTHERS])
def test_allowed_dtypes(op):
    record = OP_DEFS[op]
    allowed = {a["name"]: a.get("allowed") for a in record["attrs"]}.get("T")
    if allowed is None or record["inputs"][0].get("number_attr") or op in ("Select", "SelectV2"):
        return
    names = [i["name"] for i in record["inputs"]]
    for dtype in DTYPES:
        if dtype in allowed:
            continue
        x = tf.constant(np.ones(2, numpy_dtype(dtype)))
        attrs = {a["name"]: "float32" for a in record["attrs"] if a["name"] in ("Tout", "type")}
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="allowed values|does not match"):
            getattr(tf.raw_ops, op)(**dict.fromkeys(names, x), **attrs)
