"""Random expressions over the public API, half of them with something wrong, and what evaluating one gives.

`generate(subject)` makes the expressions, `answer` evaluates one with a module in the place of `tf`. The generator is
seeded; its expressions are kept beside TensorFlow's answers, so that a test needs neither.
"""

from __future__ import annotations

import random
import zlib

import numpy as np

FLOATS = ["float32", "float64", "float16"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = [*FLOATS, *INTEGERS, "bool", "complex64"]
COUNT = 150


def array(dtype: str, *shape: int) -> np.ndarray:
    """Small numbers, the same for equal arguments; every fifth float is an odd one."""
    generator = np.random.default_rng(zlib.crc32(f"{dtype}{shape}".encode()))
    size = int(np.prod(shape))
    values = generator.integers(0 if dtype.startswith("u") else -5, 7, size)
    if dtype == "bool":
        return (values % 2 == 0).reshape(shape)
    if dtype in FLOATS:
        values = values / 2
        values[4::5] = [np.nan, np.inf, -np.inf, -0.0][size % 4]
    return values.astype(dtype).reshape(shape)


def shape_of(rng: random.Random, most: int = 3) -> list[int]:
    return [rng.choice([0, 1, 1, 2, 3, 4]) for _ in range(rng.randint(0, most))]


def value(dtype: str, shape: list[int]) -> str:
    return f"array({dtype!r}{''.join(f', {d}' for d in shape)})"


def axes(rng: random.Random, rank: int) -> str:
    """An axis, a list of axes, or None; sometimes out of range or twice the same."""
    kind = rng.random()
    if kind < 0.2:
        return "None"
    if kind < 0.6:
        return str(rng.randint(-rank - (kind < 0.25), max(rank - 1, 0) + (kind < 0.25)))
    return str([rng.randint(-rank, max(rank - 1, 0)) for _ in range(rng.randint(0, 3))])


def broadcast(rng: random.Random) -> str:
    op = rng.choice(
        "add subtract multiply truediv math.floordiv math.floormod maximum minimum less equal not_equal greater_equal "
        "math.squared_difference pow math.divide_no_nan math.xlogy atan2 bitwise.bitwise_and math.logical_xor".split()
    )
    dtype = rng.choice(["bool"] if "logical" in op else INTEGERS if "bitwise" in op else DTYPES)
    left = shape_of(rng)
    right = [rng.choice([d, 1]) for d in left][rng.randint(0, len(left)) :] if rng.random() < 0.8 else shape_of(rng)
    other = dtype if rng.random() < 0.9 else rng.choice(DTYPES)
    return f"tf.{op}({value(dtype, left)}, {value(other, right)})"


def reduction(rng: random.Random) -> str:
    op = rng.choice(
        "sum prod max min mean any all std variance logsumexp euclidean_norm argmax argmin cumsum cumprod count_nonzero"
        .split()
    )  # fmt: skip
    dtype = rng.choice(["bool"] if op in ("any", "all") else DTYPES)
    shape = shape_of(rng)
    axis = axes(rng, len(shape))
    if op in ("argmax", "argmin"):
        return f"tf.{op}({value(dtype, shape)}, axis={axis if '[' not in axis else 0})"
    if op in ("cumsum", "cumprod"):
        flags = f"exclusive={rng.random() < 0.5}, reverse={rng.random() < 0.5}"
        return f"tf.math.{op}({value(dtype, shape)}, axis={axis if axis[0] not in '[N' else 0}, {flags})"
    name = op if op == "count_nonzero" else f"reduce_{op}"
    return f"tf.math.{name}({value(dtype, shape)}, axis={axis}, keepdims={rng.random() < 0.4})"


def index(rng: random.Random) -> str:
    shape = shape_of(rng, 4)
    parts = []
    for d in shape[: rng.randint(0, len(shape))] + ([3] if rng.random() < 0.05 else []):
        kind = rng.random()
        if kind < 0.35:
            parts.append(str(rng.randint(-d, d - 1) if d else 0) if kind < 0.3 else str(d + 3))
        else:
            bounds = [rng.choice(["", str(rng.randint(-d - 2, d + 2))]) for _ in range(2)]
            step = rng.choice(["", "", "1", "2", "-1", "-2", "-3"]) if kind < 0.97 else "0"
            parts.append(":".join([*bounds, step]) if step else ":".join(bounds))
    for extra in ("...", "tf.newaxis"):
        if rng.random() < 0.3:
            parts.insert(rng.randint(0, len(parts)), extra)
    return f"tf.constant({value(rng.choice(DTYPES), shape)})[{', '.join(parts) or '...'}]"


def rearrangement(rng: random.Random) -> str:
    shape, dtype = shape_of(rng), rng.choice(DTYPES)
    x, rank = value(dtype, shape), len(shape)
    size = int(np.prod(shape))
    axis = rng.randint(-rank - 1, rank)
    op = rng.choice("reshape transpose concat stack gather tile pad reverse roll split expand_dims squeeze slice".split())
    if op == "reshape":
        wanted = rng.choice([[-1], [size], [1, size], [-1, 2], [2, -1, 1], [3, 5], [-1, -1], []])
        return f"tf.reshape({x}, {wanted})"
    if op == "transpose":
        perm = rng.sample(range(rank), rank) if rng.random() < 0.8 else [0] * rank
        return f"tf.transpose({x}, {perm})" if rng.random() < 0.8 else f"tf.transpose({x})"
    if op == "concat":
        other = list(shape)
        if shape and -rank <= axis < rank:
            other[axis] = rng.choice([0, 1, 2])
        if rng.random() < 0.1:
            other.append(1)
        return f"tf.concat([{x}, {value(dtype, other)}], {axis})"
    if op == "stack":
        return f"tf.stack([{x}, {x if rng.random() < 0.9 else value(dtype, [*shape, 1])}], {axis})"
    if op == "gather":
        size_there = shape[axis] if shape and -rank <= axis < rank else 1
        picks = [rng.randint(0, max(size_there - (rng.random() < 0.9), 0)) for _ in range(rng.randint(0, 3))]
        return f"tf.gather({x}, tf.constant({picks}, tf.int32), axis={axis})"
    if op == "tile":
        return f"tf.tile({x}, tf.constant({[rng.choice([0, 1, 2, 2, -1][: 4 + (rng.random() < 0.1)]) for _ in shape]}, tf.int32))"
    if op == "pad":
        mode = rng.choice(["CONSTANT", "REFLECT", "SYMMETRIC"])
        widths = [[rng.choice([0, 1, 2]), rng.choice([0, 1])] for _ in shape]
        return f"tf.pad({x}, tf.reshape(tf.constant({widths}, tf.int32), [{rank}, 2]), {mode!r})"
    if op == "reverse":
        return f"tf.reverse({x}, tf.constant({[axis] if size == 0 or rng.random() < 0.9 else [0, 0]}, tf.int32))"
    if op == "roll":
        return f"tf.roll({x}, {rng.randint(-5, 5)}, {axis})"
    if op == "split":
        return f"tf.split({x}, {rng.choice([1, 2, 3])}, {axis})[0]"
    if op == "expand_dims":
        return f"tf.expand_dims({x}, {axis})"
    if op == "squeeze":
        return f"tf.squeeze({x}, {rng.choice([axis, [axis], None])})"
    begin = [rng.randint(0, d + (rng.random() < 0.1)) for d in shape]
    sizes = [rng.choice([-1, 0, d - b, d]) for d, b in zip(shape, begin, strict=True)]
    return f"tf.slice({x}, tf.constant({begin}, tf.int32), tf.constant({sizes}, tf.int32))"


def cast(rng: random.Random) -> str:
    source, target = rng.choice(DTYPES), rng.choice(DTYPES)
    if rng.random() < 0.3:
        numbers = [rng.choice([-1e9, -1.5, -0.5, 0.5, 1.5, 2.5, 254.9, 65536.5, 3e9]) for _ in range(3)]
        return f"tf.cast(tf.constant({numbers}, tf.float64), tf.{target})" if target in FLOATS else (
            f"tf.cast(tf.cast(tf.constant({numbers}, tf.float64), tf.int64), tf.{target})"
        )
    x = value(source, shape_of(rng))
    # What an odd float becomes as an integer is the machine's business.
    source_is_odd = source in FLOATS and target not in (*FLOATS, "complex64", "bool")
    return f"tf.cast(tf.where(tf.math.is_finite({x}), {x}, tf.zeros_like({x})), tf.{target})" if source_is_odd else (
        f"tf.cast({x}, tf.{target})"
    )


SUBJECTS = {
    "broadcast": broadcast,
    "reduction": reduction,
    "index": index,
    "rearrangement": rearrangement,
    "cast": cast,
}


def generate(subject: str) -> list[str]:
    """COUNT different expressions."""
    rng = random.Random(subject)
    found: dict[str, None] = {}
    while len(found) < COUNT:
        found[SUBJECTS[subject](rng)] = None
    return list(found)


def evaluate(expression: str, tf):
    """The tensor that an expression gives with `tf`."""
    with np.errstate(all="ignore"):
        return eval(expression, {"tf": tf, "array": array})


def answer(expression: str, tf) -> dict:
    """Dtype, shape and values of the tensor, or the type of the error, as JSON has it."""
    try:
        result = evaluate(expression, tf).numpy()
    except Exception as error:
        return {"error": type(error).__name__}
    array_ = np.asarray(result)
    kind = array_.dtype.kind
    flat = array_.reshape(-1)
    values = [[str(float(v.real)), str(float(v.imag))] for v in flat] if kind == "c" else (
        [str(float(v)) for v in flat] if kind == "f" else [int(v) for v in flat]
    )
    return {"dtype": array_.dtype.name, "shape": list(array_.shape), "values": values}
