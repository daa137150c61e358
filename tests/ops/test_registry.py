"""What holds for every recorded op: its record is TensorFlow's, it has a sample, and the sample runs the same way eagerly,
traced, and traced with sizes unknown."""

import inspect

import numpy as np
import pytest
import tracefn as tf
from support.elementwise_samples import OP_DEFS
from support.op_samples import CALLS, GRAPH_ONLY, PROGRAMS, calls, samples
from tracefn import _core

OPS = _core.op_names()
DTYPES = frozenset(
    "bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128 string "
    "resource variant".split()
)
# Each call takes the next numbers of a stream.
UNREPEATABLE = frozenset(
    "RandomUniform RandomStandardNormal TruncatedNormal RandomUniformInt RandomShuffle Multinomial RandomGamma "
    "RandomPoissonV2 ParameterizedTruncatedNormal NonDeterministicInts "
    "UniformCandidateSampler LogUniformCandidateSampler LearnedUnigramCandidateSampler "
    "ThreadUnsafeUnigramCandidateSampler FixedUnigramCandidateSampler "
    "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 Timestamp".split()
)
# TensorFlow's gradient function answers None for every input, which is what "none" says here.
NO_DERIVATIVE = frozenset({"FloorDiv", "TruncateDiv", "Floor", "Ceil", "Round", "Rint", "ArgMax", "ArgMin"})


@pytest.mark.parametrize("op", OPS)
def test_every_op_has_a_sample(op):
    assert samples(op)


def test_samples_are_of_ops():
    assert {*CALLS, *PROGRAMS} <= set(OPS)


def comparable(attr: dict) -> dict:
    """An attribute's record without the dtypes that do not exist here, and with the order of choices forgotten."""
    record = {key: attr[key] for key in ("name", "type", "minimum") if key in attr}
    if record["type"] in ("type", "list(type)") and attr.get("allowed"):
        record["allowed"] = sorted(DTYPES & set(attr["allowed"]))
    elif attr.get("allowed"):
        record["allowed"] = sorted(attr["allowed"])
    return record


def default_of(attr: dict):
    value = attr.get("default")
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, tf.DType):
        return value.name
    if isinstance(value, tf.TensorShape):
        return value.as_list() if value.rank is not None else None
    if isinstance(value, tf.Tensor):
        return value.numpy().tolist()
    if isinstance(value, dict):  # a tensor of integers
        return value["intVal"]
    return value


@pytest.mark.parametrize("op", OPS)
def test_the_record_is_tensorflows(op):
    ours, theirs = _core.op_record(op), OP_DEFS[op]
    assert ours["inputs"] == theirs["inputs"]
    assert ours["outputs"] == theirs["outputs"]
    ours_attrs = [a for a in ours["attrs"] if a["type"] != "host"]  # the Python function of a host call
    assert sorted(map(comparable, ours_attrs), key=str) == sorted(map(comparable, theirs["attrs"]), key=str)
    assert {a["name"]: default_of(a) for a in ours_attrs} == {a["name"]: default_of(a) for a in theirs["attrs"]}
    assert ours["is_stateful"] == theirs["is_stateful"]
    assert ours["is_commutative"] == theirs["is_commutative"]
    if theirs["gradient"] == "rule":
        assert (ours["gradient"] != "rule") == (op in NO_DERIVATIVE)


@pytest.mark.parametrize("op", OPS)
def test_the_parameters_are_tensorflows(op):
    ours = set(inspect.signature(getattr(tf.raw_ops, op)).parameters)
    assert set(OP_DEFS[op]["raw"]) <= ours


def allocated(how: str) -> list[str]:
    return [op for op in OPS if _core.op_record(op)["allocation"] == how]


def shapes_with_constants(op: str) -> list[tf.TensorShape]:
    """What the shape rule says of each sample while tracing, where the arguments are constants."""
    return [tensor.shape for run in samples(op) for tensor in tf.function(run).get_concrete_function().outputs]


@pytest.mark.parametrize("op", allocated("by shape rule"))
def test_the_shape_rule_that_allocates_knows_the_shape(op):
    assert all(shape.is_fully_defined() for shape in shapes_with_constants(op))


@pytest.mark.parametrize("op", allocated("by values"))
def test_no_shape_rule_reads_the_values_that_decide_the_shape(op):
    assert not all(shape.is_fully_defined() for shape in shapes_with_constants(op))


# The caller has the value of a placeholder; the host has the functions of the others.
FETCH_FROM_OUTSIDE = {"Placeholder", "EagerPyFunc", "PyFunc", "PyFuncStateless"}


@pytest.mark.parametrize("op", sorted(set(allocated("objects")) - FETCH_FROM_OUTSIDE))
def test_kernels_that_fetch_their_outputs_have_an_object_to_fetch_from(op):
    record = _core.op_record(op)
    types = {arg.get("type") for arg in record["inputs"] + record["outputs"]}
    kinds = {attr["type"] for attr in record["attrs"]}
    assert types & {"resource", "variant"} or kinds & {"func", "list(func)"}


def arrays(results) -> list[np.ndarray]:
    return [np.asarray(r.numpy(), object if r.dtype == tf.string else None) for r in results]


def in_graph(run) -> list[np.ndarray]:
    return arrays(tf.function(run)())


@pytest.mark.parametrize("op", OPS)
def test_traced_is_eager(op):
    for run in samples(op):
        traced = tf.function(run).get_concrete_function()
        graph = traced.graph
        assert op in {node.type for node in graph.get_operations()} | called_types(graph)
        if op in GRAPH_ONLY or op in UNREPEATABLE:
            continue
        for eager, result in zip(arrays(run()), arrays(traced()), strict=True):
            assert eager.dtype == result.dtype
            np.testing.assert_array_equal(eager, result)
        for tensor, result in zip(traced.outputs, run(), strict=True):
            assert tensor.dtype == result.dtype
            assert tensor.shape.is_compatible_with(result.shape)


def called_types(graph) -> set[str]:
    """The ops in the text of a graph's functions."""
    text = _core.graph_def(graph)[1]
    return {line.split('"')[1] for line in text.splitlines() if line.strip().startswith("op: ")}


def relaxed(value: np.ndarray, rank_known: bool) -> tf.TensorSpec:
    return tf.TensorSpec([None] * value.ndim if rank_known else None, tf.constant(value).dtype)


def tensor_inputs(op: str, arguments: dict) -> dict:
    """The tensor arguments of a call; inputs that are lists are left as they are."""
    return {name: value for name, value in arguments.items() if isinstance(value, (np.ndarray, np.generic))}


def caller(op: str, names: list[str], others: dict):
    """The op as a function of its tensor arguments; results as one list."""

    def run(*values):
        result = getattr(tf.raw_ops, op)(**dict(zip(names, values, strict=True)), **others)
        if result is None or hasattr(result, "traceback"):
            return []
        return tf.nest.flatten(list(result) if isinstance(result, tuple) else result)

    return run


@pytest.mark.parametrize("op", sorted(set(OPS) - set(PROGRAMS) - UNREPEATABLE))
@pytest.mark.parametrize("rank_known", [True, False], ids=["sizes unknown", "rank unknown"])
def test_the_shape_rule_fits_the_result(op, rank_known):
    for arguments in calls(op):
        inputs = {} if op == "Const" else tensor_inputs(op, arguments)
        others = {name: value for name, value in arguments.items() if name not in inputs}

        run = caller(op, list(inputs), others)
        specs = [relaxed(np.asarray(v), rank_known) for v in inputs.values()]
        concrete = tf.function(run).get_concrete_function(*specs)
        values = [tf.constant(v) for v in inputs.values()]
        known, results = run(*values), concrete(*values)
        for inferred, eager, result in zip(concrete.outputs, known, results, strict=True):
            assert inferred.dtype == result.dtype
            assert inferred.shape.is_compatible_with(result.shape)
            np.testing.assert_array_equal(eager.numpy(), result.numpy())
