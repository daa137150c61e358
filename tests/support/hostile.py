"""Calls every op with arguments that are wrong, empty, huge or of another kind, and says what came of it. Run as a program by
tests/ops/test_hostile.py, because a crash must be seen and named:

    python -m support.hostile FIRST LAST        ops number FIRST to LAST - 1 of the registry

Each line names a case before it runs; a case ends with an answer or with one of the errors that users are to see.
"""

from __future__ import annotations

import itertools
import resource
import sys

import numpy as np
import tracefn as tf
from tracefn import _core

from support.op_samples import PROGRAMS, calls

EXPECTED = (tf.errors.OpError, ValueError, TypeError, OverflowError, NotImplementedError)
MEMORY = 3 << 30
INTEGERS = (-1, 0, 7, 2**31 - 1, -(2**31), 2**62, -(2**63))


def variants(value):
    """Hostile arguments in place of `value`, each with a name."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        yield "empty", array.reshape(-1)[:0]
        yield "empty rows", np.zeros((0, 3), array.dtype)
        yield "scalar", array.reshape(-1)[0] if array.size else np.zeros((), array.dtype)
        yield "deeper", array[None, ..., None]
        yield "longer", np.concatenate([array.reshape(-1)] * 2)
        yield "of another type", np.array(b"text", object) if array.dtype != object else np.float32(1)
        yield "None", None
        yield "an object", object()
        if array.dtype.kind in "iu":
            low, high = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
            for number in INTEGERS:
                if low <= number <= high:
                    yield f"all {number}", np.full_like(array, number)
                    if array.size:
                        yield (
                            f"first {number}",
                            np.concatenate([[number], array.reshape(-1)[1:]]).astype(array.dtype).reshape(array.shape),
                        )
        elif array.dtype.kind in "fc":
            for number in (np.nan, np.inf, -np.inf, 0):
                yield f"all {number}", np.full_like(array, number)
    elif isinstance(value, list):
        yield "no items", []
        yield "one item", value[:1]
        yield "an object", [object()]
        for name, item in variants(value[0]) if value else ():
            yield f"first item {name}", [item, *value[1:]]
    elif isinstance(value, bool):
        yield "a string", "yes"
    elif isinstance(value, int):
        for number in (*INTEGERS, 2**70, 0.5, "1", None):
            yield repr(number), number
    elif isinstance(value, str):
        for text in ("", "nonsense", "\0", 3):
            yield repr(text), text


def emptied(arguments: dict):
    """Arguments that fit each other, without elements: one size is zero in all of them, or each has no rows."""
    arrays = {n: v for n, v in arguments.items() if isinstance(v, np.ndarray) and v.ndim}
    for size in sorted({d for v in arrays.values() for d in v.shape if d}):
        slices = {n: tuple(slice(0 if d == size else None) for d in v.shape) for n, v in arrays.items()}
        changed = {n: v[slices[n]] for n, v in arrays.items()}
        yield f"every size of {size} is 0", {**arguments, **changed}
    for name, value in arrays.items():
        for axis in range(value.ndim):
            yield f"{name} has none along axis {axis}", {**arguments, name: value[(slice(None),) * axis + (slice(0),)]}
    for first, second in itertools.combinations(arrays, 2):
        changed = {n: arrays[n][:0] for n in (first, second)}
        yield f"{first} and {second} have no rows", {**arguments, **changed}


def cases(op: str):
    for number, arguments in enumerate(calls(op)):
        for name, value in arguments.items():
            for what, hostile in variants(value):
                yield f"{op} {number}: {name} {what}", {**arguments, name: hostile}
            yield f"{op} {number}: no {name}", {n: v for n, v in arguments.items() if n != name}
        for what, empty in emptied(arguments):
            yield f"{op} {number}: {what}", empty


def call(op: str, arguments: dict) -> str:
    try:
        getattr(tf.raw_ops, op)(**arguments)
    except EXPECTED as error:
        return type(error).__name__
    except MemoryError:
        return "MemoryError"
    return "an answer"


def main(first: int, last: int) -> None:
    with open("/proc/self/statm", encoding="ascii") as statm:
        soft = MEMORY + int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (soft, soft))
    count = 0
    for op in sorted(set(_core.op_names()) - set(PROGRAMS))[first:last]:
        for name, arguments in cases(op):
            for mode, run in (("eager", call), ("traced", lambda op, a: traced(op, a))):
                print(f"{name} ({mode})", flush=True)
                run(op, arguments)
                count += 1
    print(f"done: {count} calls", flush=True)


def traced(op: str, arguments: dict) -> str:
    """The same with the tensors as inputs of a function, of which nothing but the dtype is known."""
    tensors = {n: v for n, v in arguments.items() if isinstance(v, (np.ndarray, np.generic))}
    others = {n: v for n, v in arguments.items() if n not in tensors}
    specs = [tf.TensorSpec(None, tf.constant(v).dtype) for v in tensors.values()]

    def body(*values):
        result = getattr(tf.raw_ops, op)(**dict(zip(tensors, values, strict=True)), **others)
        return None if hasattr(result, "traceback") else result

    try:
        tf.function(body, input_signature=specs, autograph=False)(*tensors.values())
    except EXPECTED as error:
        return type(error).__name__
    except MemoryError:
        return "MemoryError"
    return "an answer"


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
