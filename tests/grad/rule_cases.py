"""Gradients of every op, to second order, as calls that tracefn and TensorFlow answer alike: what is recorded and compared.

A case is one call of a raw op. Its floating and complex tensors are watched; its answer holds the first gradients with
respect to them, weighted by fixed numbers, and the second ones, of those weighted again.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
from support.elementwise_samples import BINARY, UNARY, dtypes_of, numpy_dtype, sample
from support.op_samples import calls, typed_calls

DIFFERENTIABLE = ("bfloat16", "float16", "float32", "float64", "complex64", "complex128")
# Draws numbers that only its own state or the other library's kernel decides.
RANDOM = frozenset(
    {"RandomShuffle", "Multinomial", "RandomGamma", "RandomPoissonV2", "ParameterizedTruncatedNormal", "NonDeterministicInts"}
)
# Its value is no input.
NOT_CALLED = RANDOM | {"Const"}
SHAPES = {"scalar": [()], "empty": [(0, 3)], "matrix": [(2, 3)]}
PAIRS = {
    "rows": [(2, 3), (3,)],
    "scalar": [(), (2,)],
    "both": [(2, 1), (1, 3)],
    "empty": [(0, 3), (3,)],
    "empty of one": [(1, 3), (0, 1)],
}
REDUCTIONS = {
    "all": {"input": (2, 3), "axis": [0, 1]},
    "none": {"input": (2, 3), "axis": []},
    "last kept": {"input": (2, 3), "axis": [-1], "keep_dims": True},
    "middle": {"input": (2, 3, 2), "axis": [1]},
    "scalar": {"input": (), "axis": []},
    "empty": {"input": (0, 3), "axis": [1]},
    "of empty": {"input": (0, 3), "axis": [0]},
}
REDUCING = ("Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm")


def is_watched(value) -> bool:
    """Whether an argument is a tensor that a gradient can flow to."""
    return isinstance(value, (np.ndarray, np.generic)) and np.asarray(value).dtype.name in DIFFERENTIABLE


def name_of(form: str, arguments: dict) -> str:
    """What a case is called: its form, and a number that changes with its arguments."""
    mark = 0
    for name, value in sorted(arguments.items()):
        for item in value if isinstance(value, list) else [value]:
            array = np.asarray(item)
            data = repr(item) if array.dtype == object else array.tobytes()
            mark = zlib.crc32(f"{name}{array.dtype}{array.shape}{data!r}".encode(), mark)
    return f"{form} {mark:08x}"


def cases(op: str) -> Iterator[tuple[str, dict, bool]]:
    """(name, arguments, whether equal tensors are one) of the cases of an op."""
    if op in NOT_CALLED:
        return
    for arguments in calls(op):
        yield name_of("as it is", arguments), arguments, False
        if repeated := same_twice(arguments):
            yield name_of("twice", repeated), repeated, True
    for attr, dtype, arguments in typed_calls(op):
        if dtype in DIFFERENTIABLE:
            yield name_of(f"{attr}={dtype}", arguments), arguments, False
    if op in UNARY or op in BINARY:
        names = list(calls(op)[0])
        dtype = "float64" if "float64" in dtypes_of(op) else None
        for form, shapes in (SHAPES if len(names) == 1 else PAIRS).items():
            if dtype:
                arguments = {n: sample(op, dtype, shape, i) for i, (n, shape) in enumerate(zip(names, shapes, strict=True))}
                yield name_of(form, arguments), arguments, False
    if op in REDUCING:
        for form, given in REDUCTIONS.items():
            size = int(np.prod(given["input"]))
            values = (np.arange(size) * 7 % 5 - 1.5).reshape(given["input"]) + np.arange(size).reshape(given["input"]) / 8
            arguments = {**given, "input": values, "axis": np.array(given["axis"], np.int32)}
            yield name_of(form, arguments), arguments, False


def same_twice(arguments: dict) -> dict | None:
    """The arguments with the second of two tensors of one dtype and shape replaced by the first; None without such."""
    first = None
    for name, value in arguments.items():
        if not is_watched(value):
            continue
        if first is not None and np.shape(value) == np.shape(first) and value.dtype == first.dtype:
            return {**arguments, name: first}
        first = value if first is None else first
    return None


def weights(like, place: int) -> np.ndarray:
    """Fixed numbers of the shape and dtype of a tensor."""
    random = np.random.default_rng([place, *like.shape])
    values = random.uniform(0.5, 1.5, tuple(like.shape))
    if "complex" in like.dtype.name:
        values = values + 1j * random.uniform(-1.0, 1.0, tuple(like.shape))
    return values.astype(numpy_dtype(like.dtype.name))


def dense(gradient, tf):
    """A gradient as a tensor."""
    return gradient if gradient is None else tf.convert_to_tensor(gradient)


def flat(result) -> list:
    """The tensors of an op's result."""
    if result is None or hasattr(result, "traceback"):
        return []
    parts = result if isinstance(result, (list, tuple)) else [result]
    return [x for part in parts for x in (part if isinstance(part, (list, tuple)) else [part])]


def can_flow(tensor) -> bool:
    """Whether a gradient of it makes sense."""
    return tensor.dtype.name in DIFFERENTIABLE


def gradients(op: str, arguments: dict, one_tensor: bool, tf) -> dict | None:
    """{"first": arrays or None, "second": arrays or None} of a call; None where nothing can flow."""
    watched: list = []
    shared: dict[int, object] = {}

    def tensor(value):
        if one_tensor and id(value) in shared:
            return shared[id(value)]
        made = shared[id(value)] = tf.constant(value)
        watched.append(made)
        return made

    given = {
        name: [tensor(v) if is_watched(v) else v for v in value] if isinstance(value, list)
        else tensor(value) if is_watched(value) else value
        for name, value in arguments.items()
    }
    if not watched:
        return None
    with tf.GradientTape() as outer:
        outer.watch(watched)
        with tf.GradientTape() as inner:
            inner.watch(watched)
            outputs = [x for x in flat(getattr(tf.raw_ops, op)(**given)) if can_flow(x)]
        if not outputs:
            return None
        first = inner.gradient(outputs, watched, [tf.constant(weights(x, i)) for i, x in enumerate(outputs)])
        first = [dense(g, tf) for g in first]
    answer = {"first": first}
    through = [g for g in first if g is not None]
    try:
        second = outer.gradient(through, watched, [tf.constant(weights(x, 7 + i)) for i, x in enumerate(through)])
        answer["second"] = [dense(g, tf) for g in second] if through else [None] * len(watched)
    except Exception as error: # TensorFlow's own; its kind is recorded and compared
        answer["second"] = kind_of(error)
    return {
        order: found if isinstance(found, str) else [None if g is None else g.numpy() for g in found]
        for order, found in answer.items()
    }


def kind_of(error: Exception) -> str:
    """The name of an error's class; that of TensorFlow's for a missing rule is Python's own, which has subclasses."""
    return "LookupError" if isinstance(error, LookupError) else type(error).__name__


def answer(op: str, arguments: dict, one_tensor: bool, tf) -> dict | str | None:
    """The gradients, or the kind of the error that asking for them raises."""
    try:
        return gradients(op, arguments, one_tensor, tf)
    except Exception as error: # TensorFlow's own; its kind is recorded and compared
        return kind_of(error)
