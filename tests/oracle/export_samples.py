"""Writes the graph of every op's sample, with the values that tracefn computes, for run_samples.py to check in TensorFlow.

    python tests/oracle/export_samples.py FOLDER          # where tracefn is installed
    TRACEFN_SAMPLES=FOLDER pytest tests/oracle/run_samples.py     # where TensorFlow is; tools/conformance does both

Each call is written in every dtype that its op allows. Beside each sample of constants, two graphs of the same call tell static shapes apart: the tensors given by placeholders of
unknown sizes and of unknown rank, the numbers that say what to do (axes, shapes, counts) still constant.
"""

from __future__ import annotations

import functools
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import tracefn as tf
from support.op_samples import NOT_RUN, caller, calls, samples, typed_calls
from tracefn import _core

# What each placeholder of a graph with unknown shapes has.
UNKNOWN = {"sizes": lambda value: [None] * np.ndim(value), "rank": lambda value: None}


def is_data(value) -> bool:
    """True for inputs whose values an op works on; integers say what to do."""
    return isinstance(value, (np.ndarray, np.generic)) and np.asarray(value).dtype.name not in ("int32", "int64")


def dims(shape: tf.TensorShape) -> list | None:
    return None if shape.rank is None else shape.as_list()


def plain(value) -> np.ndarray:
    """A value that np.savez writes without pickling; strings become bytes of one width."""
    array = np.asarray(value)
    if array.dtype == object:
        return array.astype(np.bytes_)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def traced_once(function, *specs):
    """A trace of a Function of its own; a wrapper, as traces of one code object are counted together and warned of."""
    return tf.function(functools.partial(function)).get_concrete_function(*specs)


def export_run(folder: pathlib.Path, name: str, op: str, run) -> dict:
    traced = traced_once(run)
    (folder / f"{name}.pb").write_bytes(_core.graph_def(traced.graph)[0])
    entry = {"op": op, "file": f"{name}.pb", "outputs": [t.name for t in traced.outputs], "run": op not in NOT_RUN}
    entry["shapes"] = [dims(t.shape) for t in traced.outputs]
    if entry["run"]:
        try:
            values = [plain(t.numpy()) for t in traced()]
        except (tf.errors.NotFoundError, tf.errors.UnimplementedError, tf.errors.InvalidArgumentError) as error:
            entry["refused"] = str(error).splitlines()[0]  # TensorFlow must have no kernel either
            return entry
        np.savez(folder / f"{name}.npz", *values)
        entry["values"] = f"{name}.npz"
    return entry


def export_typed(folder: pathlib.Path, op: str) -> list[dict]:
    """The calls in every other dtype."""
    entries = []
    for number, (attr, dtype, arguments) in enumerate(typed_calls(op)):
        entries.append(export_run(folder, f"{op}_{attr}_{dtype}_{number}", op, caller(op, arguments)))
    return entries


def export_unknown(folder: pathlib.Path, op: str, number: int, arguments: dict, unknown: str) -> dict:
    data = [name for name, value in arguments.items() if is_data(value)]
    others = {name: value for name, value in arguments.items() if name not in data}
    specs = [tf.TensorSpec(UNKNOWN[unknown](arguments[n]), tf.constant(arguments[n]).dtype, name=n) for n in data]

    def call(*values):
        result = getattr(tf.raw_ops, op)(**dict(zip(data, values, strict=True)), **others)
        return list(result) if isinstance(result, tuple) else result

    traced = traced_once(call, *specs)
    file = f"{op}_{number}_{unknown}.pb"
    (folder / file).write_bytes(_core.graph_def(traced.graph)[0])
    return {
        "op": op,
        "file": file,
        "run": False,
        "outputs": [t.name for t in traced.outputs],
        "shapes": [dims(t.shape) for t in traced.outputs],
    }


def main(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for op in _core.op_names():
        entries += [export_run(folder, f"{op}_{i}", op, run) for i, run in enumerate(samples(op))]
        entries += export_typed(folder, op)
        for i, arguments in enumerate(calls(op)):
            if op != "Const" and any(map(is_data, arguments.values())) and _core.op_record(op)["outputs"]:
                entries += [export_unknown(folder, op, i, arguments, unknown) for unknown in UNKNOWN]
    (folder / "index.json").write_text(json.dumps(entries, indent=1))
    print(f"{len(entries)} graphs of {len(_core.op_names())} ops in {folder}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
