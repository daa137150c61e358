"""Calls raw ops with arguments that nobody would pass: eager, under a tape, and traced with shapes known or not. See README.md.

python tests/fuzz/raw_op_calls.py --cases 100000
"""

from __future__ import annotations

import functools
import inspect
import os
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent)]
os.environ.setdefault("TRACEFN_PASSES", "verify")

import numpy as np
import runner
import support.op_samples
import support.resource_samples
import tracefn as tf
from hostile_values import Pool, array
from support.hostile import variants
from support.op_samples import PROGRAMS, calls
from tracefn import _core

# What users are to see where a call is wrong; a MemoryError is Python's own word for memory that there is not.
EXPECTED = (tf.errors.OpError, ValueError, TypeError, OverflowError, NotImplementedError, LookupError, MemoryError)
# What a child may take beyond what it has at first: filling more takes longer than a case may.
MEMORY = 1 << 30
MODES = ["eager", "tape", "traced", "traced of any shape", "traced of any rank", "traced constants", "traced gradient"]
# Ops whose results the arguments alone do not give.
RANDOM = frozenset(op for op in _core.op_names() if _core.op_record(op)["is_stateful"])


@functools.cache
def _pool() -> Pool:
    return Pool()


@functools.cache
def _ops() -> list[str]:
    return sorted(_core.op_names())


@functools.cache
def _record(op: str) -> dict:
    return _core.op_record(op)


class _Recorder:
    """tf.raw_ops, but that it keeps what one op was called with."""

    def __init__(self, op: str) -> None:
        self._op, self.calls = op, []

    def __getattr__(self, name: str):
        made = getattr(tf.raw_ops, name)
        if name != self._op:
            return made

        def call(**arguments):
            self.calls.append(arguments)
            return made(**arguments)

        call.__signature__ = inspect.signature(made)
        return call


def _good_arguments(op: str) -> list[dict]:
    """Keyword arguments that the op takes; none for an op whose sample makes it in another way."""
    if op not in PROGRAMS:
        return [dict(arguments) for arguments in calls(op)]
    recorder = _Recorder(op)
    modules = (support.op_samples, support.resource_samples)
    kept = [module.raw for module in modules]
    try:
        for module in modules:
            module.raw = recorder
        PROGRAMS[op]()
    finally:
        for module, raw in zip(modules, kept, strict=True):
            module.raw = raw
    return [dict(arguments) for arguments in recorder.calls]


def _of_type(rng: random.Random, record: dict, arg: dict, types: dict):
    """An input as the op declares it; inputs that share a type attribute mostly share the type."""
    dtype = arg.get("type")
    if "type_attr" in arg:
        allowed = next(a for a in record["attrs"] if a["name"] == arg["type_attr"]).get("allowed")
        names = [d for d in allowed or [] if d not in ("bfloat16", "resource", "variant")] or None
        dtype = types.setdefault(arg["type_attr"], rng.choice(names) if names else None)
    if dtype in ("resource", "variant"):
        return _pool().handle(rng)
    return array(rng, dtype)


def _drawn_arguments(rng: random.Random, op: str) -> dict:
    record = _record(op)
    arguments, types = {}, {}
    for arg in record["inputs"]:
        if rng.random() < 0.1:
            arguments[arg["name"]] = _pool().argument(rng)
        elif "number_attr" in arg or "type_list_attr" in arg:
            arguments[arg["name"]] = [_of_type(rng, record, arg, types) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
        else:
            arguments[arg["name"]] = _of_type(rng, record, arg, types)
    given = {arg.get(kind) for arg in record["inputs"] for kind in ("type_attr", "number_attr", "type_list_attr")}
    for attr in record["attrs"]:
        is_optional = "default" in attr or attr["name"] in given
        if rng.random() < (0.3 if is_optional else 0.97):
            arguments[attr["name"]] = _pool().attribute(rng, attr)
    return arguments


def _changed_arguments(rng: random.Random, op: str, arguments: dict) -> dict:
    """Arguments that are right but for one or two."""
    record = _record(op)
    attrs = {a["name"]: a for a in record["attrs"]}
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice([*arguments, *attrs, "nonsense"])
        if name in attrs and rng.random() < 0.7:
            arguments[name] = _pool().attribute(rng, attrs[name])
            continue
        near = list(variants(arguments.get(name)))
        arguments[name] = rng.choice(near)[1] if near and rng.random() < 0.6 else _pool().argument(rng)
    if arguments and rng.random() < 0.05:
        arguments.pop(rng.choice(list(arguments)))
    return arguments


def arguments_of(seed: int) -> tuple[str, dict, random.Random]:
    """The op and the arguments of a case, and what its further choices are drawn from."""
    rng = random.Random(seed)
    np.random.seed(seed % 2**32)
    tf.random.set_seed(seed)
    op = rng.choice(_ops())
    good = _good_arguments(op) if rng.random() < 0.6 else []
    return op, _changed_arguments(rng, op, rng.choice(good)) if good else _drawn_arguments(rng, op), rng


def _is_array(value) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) or (tf.is_tensor(value) and tf.executing_eagerly())


def _split(arguments: dict) -> tuple[list, list]:
    """The places of arrays among the arguments, also in lists, and the arrays."""
    places, values = [], []
    for name, value in arguments.items():
        items = value if isinstance(value, list) else [value]
        for i, item in enumerate(items):
            if _is_array(item):
                places.append((name, i if isinstance(value, list) else None))
                values.append(item)
    return places, values


def _filled(arguments: dict, places: list, values) -> dict:
    filled = {name: list(value) if isinstance(value, list) else value for name, value in arguments.items()}
    for (name, i), value in zip(places, values, strict=True):
        if i is None:
            filled[name] = value
        else:
            filled[name][i] = value
    return filled


def _tensors(result) -> list:
    return [t for t in tf.nest.flatten(result) if tf.is_tensor(t)] if not hasattr(result, "traceback") else []


def _call(op: str, arguments: dict) -> list:
    return _tensors(getattr(tf.raw_ops, op)(**arguments))


def _with_gradient(op: str, arguments: dict) -> list:
    places, values = _split(arguments)
    tensors = [tf.convert_to_tensor(v) for v in values]
    floats = [t for t in tensors if t.dtype.is_floating or t.dtype.is_complex]
    with tf.GradientTape() as tape:
        for t in floats:
            tape.watch(t)
        results = _call(op, _filled(arguments, places, tensors))
    tape.gradient([r for r in results if r.dtype.is_floating or r.dtype.is_complex], floats)
    return results


def _traced(op: str, arguments: dict, mode: str) -> list:
    run = _with_gradient if mode == "traced gradient" else _call
    if mode == "traced constants":
        return tf.function(lambda: run(op, arguments), autograph=False)()
    places, values = _split(arguments)
    tensors = [tf.convert_to_tensor(v) for v in values]

    def shape(t):
        return (
            None
            if mode == "traced of any rank"
            else [None] * t.shape.rank
            if mode == "traced of any shape"
            else t.shape
        )

    specs = [tf.TensorSpec(shape(t), t.dtype) for t in tensors]
    function = tf.function(
        lambda *given: run(op, _filled(arguments, places, given)), input_signature=specs, autograph=False
    )
    return function(*tensors)


def _answer(op: str, arguments: dict, mode: str) -> list:
    if mode == "eager":
        results = _call(op, arguments)
    elif mode == "tape":
        results = _with_gradient(op, arguments)
    else:
        results = _traced(op, arguments, mode)
    return [_value(t) for t in results]


def _value(tensor):
    """What the tensor holds, all of it read: an array, or the dtype of a handle."""
    if tensor.dtype in (tf.resource, tf.variant):
        return tensor.dtype.name
    value = np.asarray(tensor.numpy())
    if list(value.shape) != tensor.shape.as_list():
        raise AssertionError(f"a value of shape {value.shape} in a tensor of shape {tensor.shape}")
    for word in value.reshape(-1) if value.dtype == object else ():
        if not isinstance(word, bytes):
            raise AssertionError(f"a string tensor holds {type(word)}")
    return value


def _agree(a, b) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and a == b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind not in "fcV":
        return bool(np.all(a == b))
    with np.errstate(all="ignore"):
        return bool(np.allclose(a.astype(complex), b.astype(complex), rtol=1e-2, atol=1e-2, equal_nan=True))


def _refuse_internal(error: BaseException) -> None:
    if isinstance(error, tf.errors.InternalError) or "is a bug" in str(error) or "check failed" in str(error):
        raise error


def _outcome(op: str, arguments: dict, mode: str) -> tuple[str, list]:
    try:
        return "an answer", _answer(op, arguments, mode)
    except EXPECTED as error:
        _refuse_internal(error)
        return type(error).__name__, []


def run(pool: object, seed: int) -> str:
    """One case: a call in one way, and eagerly as well where both must give the same."""
    op, arguments, rng = arguments_of(seed)
    mode = rng.choice(MODES)
    outcome, results = _outcome(op, arguments, mode)
    is_compared = mode not in ("eager", "traced constants")  # constants take the types that attributes name
    if is_compared and outcome == "an answer" and op not in RANDOM and all(_plain(v) for v in arguments.values()):
        places, values = _split(arguments)
        other, expected = _outcome(op, _filled(arguments, places, [tf.convert_to_tensor(v) for v in values]), "eager")
        if other != "an answer":
            return f"{mode}: an answer, but eager {other}"
        if len(results) != len(expected) or not all(map(_agree, results, expected)):
            raise AssertionError(f"{op} gives {results} {mode}, {expected} eager")
    return f"{mode}: {outcome}"


def _plain(value) -> bool:
    """Whether eager calls and graphs read the value alike: numbers in lists become other types, and so do arrays that lie
    deeper than in a list."""
    if isinstance(value, list):
        return all(_plain(v) and not isinstance(v, list) for v in value)
    return isinstance(value, (np.ndarray, np.generic, str, bytes, int)) or tf.is_tensor(value)


def show(seed: int) -> None:
    """Prints the call of a case."""
    op, arguments, rng = arguments_of(seed)
    print(f"{op}({', '.join(f'{n}={v!r}' for n, v in arguments.items())}), {rng.choice(MODES)}", flush=True)


if __name__ == "__main__":
    if "--seed" in sys.argv:
        show(int(sys.argv[sys.argv.index("--seed") + 1]))
    sys.exit(runner.main(lambda: b"", lambda _: _pool(), run, __file__, __doc__.splitlines()[0], memory=MEMORY))
