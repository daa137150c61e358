"""Values for arguments of raw ops that nobody would pass, beside some that are right: what raw_op_calls.py draws from."""

from __future__ import annotations

import random

import numpy as np
import tracefn as tf

NUMBERS = ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TYPES = [*NUMBERS, "bool", "complex64", "complex128", "string"]
ALL_TYPES = [*TYPES, "bfloat16", "resource", "variant"]
INTEGERS = [0, 1, 2, 3, -1, -2, 5, 63, 64, 100, 2**31 - 1, -(2**31), 2**31, 2**40, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, 1.0, -1.5, 2.5, np.nan, np.inf, -np.inf, 1e38, -1e-40, 1e300]
TEXTS = [b"", b"abc", b"1.5", b"-7", b"\xff\xfe", b"a,b;c", "é".encode(), b"x" * 300, b"{}", b"\0"]
SHAPES = [None, [], [2], [3], [2, 3], [0], [0, 3], [None], [None, 3], [-1], [2**40], [-5], [1] * 9, "x", [2.5]]


def array(rng: random.Random, dtype: str | None = None, shape: tuple | None = None) -> np.ndarray:
    """An array of few elements, some of them at the ends of the type."""
    dtype = dtype or rng.choice(TYPES)
    if shape is None:
        shape = tuple(rng.choice([0, 1, 2, 2, 3, 4]) for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 4])))
    n = int(np.prod(shape, dtype=int))
    if dtype == "string":
        flat = np.empty(n, object)
        flat[:] = [rng.choice(TEXTS) for _ in range(n)]
        return flat.reshape(shape)
    if dtype == "bool":
        return np.array([rng.random() < 0.5 for _ in range(n)], bool).reshape(shape)
    if dtype.startswith(("q", "float8", "int4", "uint4")):
        return np.array([rng.choice([0, 1, 2, 3]) for _ in range(n)]).astype(tf.as_dtype(dtype).as_numpy_dtype).reshape(shape)
    kind = np.dtype(dtype).kind
    if kind in "iu":
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        few = [v for v in (INTEGERS if rng.random() < 0.3 else [0, 1, 2, 3, -1]) if low <= v <= high]
        return np.array([rng.choice(few) for _ in range(n)], dtype).reshape(shape)
    few = FLOATS if rng.random() < 0.4 else [0.5, -1.0, 2.0, 3.25]
    with np.errstate(all="ignore"):
        return np.array([rng.choice(few) for _ in range(n)]).astype(dtype).reshape(shape)


class Pool:
    """Functions and handles, made once in a process; handles that ops may change are made anew for each use."""

    def __init__(self) -> None:
        scalar, whole, any_float = tf.TensorSpec([], "float32"), tf.TensorSpec([], "int32"), tf.TensorSpec(None)

        def traced(f, *specs):
            return tf.function(f, autograph=False).get_concrete_function(*specs)

        two = tf.TensorSpec([2], "float32")
        self.functions = [
            traced(lambda x: x + 1.0, scalar),
            traced(lambda x: x < 3.0, scalar),
            traced(lambda x: x * 2.0, any_float),
            traced(lambda x: tf.reduce_sum(x) < 9.0, any_float),
            traced(lambda x: x + 1, whole),
            traced(lambda x: x < 3, whole),
            traced(lambda x: None, scalar),
            traced(lambda x: (x, x), scalar),
            traced(lambda: tf.constant(1.0)),
            traced(lambda x, y: x + y, scalar, scalar),
            traced(lambda x, y: (x + 1, y * 2.0), whole, any_float),
            traced(lambda x, y: x < 3, whole, any_float),
            traced(lambda x: x, tf.TensorSpec([], "string")),
            traced(lambda x: tf.reshape(x, [2]) + tf.range(2.0), two),
            traced(lambda x: tf.cast(x, "string") if x.dtype == tf.string else tf.strings.as_string(x), any_float),
            traced(
                lambda x: tf.raw_ops.TensorListReserve(
                    element_shape=np.zeros(0, np.int32), num_elements=x, element_dtype="float32"
                ),
                whole,
            ),
        ]

    def handle(self, rng: random.Random):
        """A tensor of type resource or variant."""
        raw, start = tf.raw_ops, np.float32([[1, 2, 3], [4, 5, 6]])
        kind = rng.randrange(9)
        if kind == 0:
            return raw.TensorListFromTensor(tensor=start, element_shape=np.int32([3]))
        if kind == 1:
            return raw.TensorListReserve(element_shape=np.int32(-1), num_elements=2, element_dtype="int64")
        if kind == 2:
            return raw.EmptyTensorList(element_shape=np.int32([-1]), max_num_elements=1, element_dtype="string")
        if kind == 3:
            return raw.TensorListFromTensor(tensor=np.array([b"a", b"b"], object), element_shape=np.zeros(0, np.int32))
        if kind == 4:
            return raw.Pack(values=[raw.TensorListFromTensor(tensor=[1, 2], element_shape=np.zeros(0, np.int32))] * 2)
        handle = raw.VarHandleOp(dtype=rng.choice(["float32", "string", "int32"]), shape=[2, 3])
        if kind == 5:
            return handle
        handle = raw.VarHandleOp(dtype="float32", shape=[2, 3])
        raw.AssignVariableOp(resource=handle, value=start)
        if kind == 6:
            raw.DestroyResourceOp(resource=handle)
        if kind == 7:
            return raw.Pack(values=[handle, handle])
        return handle

    def argument(self, rng: random.Random):
        """Something for an input."""
        kind = rng.randrange(14)
        if kind < 6:
            return array(rng)
        if kind == 6:
            return self.handle(rng)
        if kind == 7:
            return tf.constant(array(rng))
        if kind == 8:
            return [array(rng) for _ in range(rng.randrange(4))]
        if kind == 9:
            return rng.choice(
                [None, object(), "text", b"\0", {}, {"a": 1}, (), set(), range(3), 2**70, 1j, 1.5, True, ...]
            )
        if kind == 10:
            return rng.choice(
                [[], [[]], [[], [1]], [1, "a"], [None], [[[1], 2]], [[1, 2], [3]], [object()], [2**70], [b"a", 1]]
            )
        if kind == 11:
            return rng.choice(INTEGERS)
        if kind == 12:
            return rng.choice(
                [tf.float32, tf.TensorSpec([2]), tf.TensorShape([2]), tf.TensorShape(None), self.functions[0]]
            )
        return [self.argument(rng) for _ in range(rng.randrange(3))]

    def function(self, rng: random.Random):
        """Something for an attribute that holds a function."""
        if rng.random() < 0.85:
            return rng.choice(self.functions)
        return rng.choice([None, "f", 3, tf.compat.v1.get_default_graph(), lambda x: x, tf.function(lambda x: x)])

    def attribute(self, rng: random.Random, record: dict):
        """Something for an attribute as `record` declares it, or something else."""
        kind = record["type"]
        if rng.random() < 0.05:
            return self.argument(rng)
        if kind.startswith("list("):
            inner = {**record, "type": kind[5:-1]}
            return [self.attribute(rng, inner) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3]))]
        if kind == "int":
            return rng.choice([*INTEGERS, 2**70, 0.5, "1", None])
        if kind == "float":
            return rng.choice([*FLOATS, 2, "1", None])
        if kind == "bool":
            return rng.choice([True, False, 0, 1, 2, None, "yes"])
        if kind == "type":
            return rng.choice(record["allowed"] if record.get("allowed") and rng.random() < 0.5 else ALL_TYPES)
        if kind == "string":
            words = record.get("allowed") or []
            return rng.choice([*words, "", "nonsense", "\0", b"\xff", 3, None])
        if kind == "shape":
            return rng.choice(SHAPES)
        if kind == "func":
            return self.function(rng)
        return self.argument(rng)
