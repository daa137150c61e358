"""Calls public functions of TensorFlow and of tracefn with random arguments and compares the answers.

    python tests/differential/functions.py                     both, in processes of their own; prints the differences
        --cases 50 --seed 7 --only 'math.*' --peer PYTHON      PYTHON: an interpreter that has TensorFlow
    python tests/differential/functions.py --record            writes TensorFlow's answers for test_public_functions.py

What is known to differ, and why, is in function_exceptions.py.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import importlib
import inspect
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import warnings

import numpy as np

FOLDER = pathlib.Path(__file__).parent
RECORDED = FOLDER / "recorded_functions"
_CACHE = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
PEER = os.path.join(os.environ.get("TRACEFN_PEERS", os.path.join(_CACHE, "tracefn-peers")), "tf", "bin", "python")
NAMESPACES = ["math", "linalg", "nn", "image", "random", "strings", "bitwise", "experimental.numpy", ""]
RECORDED_CASES = 6
SECONDS = 20  # for one call


def found(tf) -> dict[str, list]:
    """The public functions below `tf`, each once, with the parameters of its signature."""
    functions: dict[str, list] = {}
    seen: set[int] = set()
    for space in NAMESPACES:
        module = tf
        for part in filter(None, space.split(".")):
            module = getattr(module, part)
        for name in sorted(dir(module)):
            function = None if name.startswith("_") else getattr(module, name, None)
            if not callable(function) or isinstance(function, type) or id(function) in seen:
                continue
            try:
                parameters = inspect.signature(function).parameters.values()
            except (TypeError, ValueError):
                continue
            seen.add(id(function))
            functions[f"{space}.{name}" if space else name] = [
                [p.name, p.kind.name, None if p.default is p.empty else repr(p.default)] for p in parameters
            ]
    return functions


def names_for(tf):
    """What the expressions of function_calls.py may name."""
    from expressions import array

    def plain(dtype, *shape):
        if dtype == "bfloat16":
            return tf.cast(array("float32", *shape), tf.bfloat16)
        if dtype == "complex128":
            return array("complex64", *shape).astype("complex128")
        return array(dtype, *shape)

    def words(*shape):
        size = int(np.prod(shape))
        texts = [b"abc", b"", b" B a", "é€".encode(), b"12.5", b"aaab\xff"]
        return tf.constant(np.array((texts * (size // 6 + 1))[:size], object).reshape(shape), tf.string)

    def odd(dtype, *shape):
        size = int(np.prod(shape))
        numbers = [np.nan, -0.0, np.inf, 1e-42, -np.inf, 3e38, 0.5]
        values = np.array((numbers * (size // 7 + 1))[:size], np.float64).reshape(shape)
        return tf.cast(values, dtype)

    def matrix(dtype, *shape):
        """Well away from singular; symmetric."""
        if dtype not in ("float32", "float64", "complex64"):
            return plain(dtype, *shape)
        values = np.nan_to_num(np.real(array("float32", *shape)), posinf=1, neginf=-1)
        values = (values + np.swapaxes(values, -1, -2)) / 8 + np.diag(np.arange(2, 2 + shape[-1]))
        return tf.constant(values.astype(dtype))

    def integers(dtype, low, high, *shape):
        size = int(np.prod(shape))
        values = low + (np.arange(size) * 7 + 3) % (high - low + 1)
        return tf.constant(values.reshape(shape), dtype)

    return {"tf": tf, "np": np, "array": plain, "words": words, "odd": odd, "matrix": matrix, "integers": integers}


def described(value, tf) -> object:
    """A result as JSON has it: tensors by dtype, shape and values; structures as lists; other values by their text."""
    if isinstance(value, (list, tuple)):
        return [described(v, tf) for v in value]
    if isinstance(value, dict):
        return {str(k): described(v, tf) for k, v in value.items()}
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": [described(value.flat_values, tf), *(described(s, tf) for s in value.nested_row_splits)]}
    if isinstance(value, (tf.sparse.SparseTensor, tf.IndexedSlices)):
        parts = (value.indices, value.values, value.dense_shape)
        return {type(value).__name__: [described(p, tf) for p in parts]}
    if isinstance(value, (tf.Tensor, tf.Variable, np.ndarray, np.generic)):
        return _tensor(value)
    return {
        "text": str(value) if isinstance(value, (bool, int, float, str, bytes, type(None))) else type(value).__name__
    }


def _tensor(value) -> dict:
    values = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    dtype = getattr(value.dtype, "name", str(value.dtype))
    if values.dtype.name not in ("object", "bool") and values.dtype.kind not in "biufcSU":
        values = values.astype(np.float32)  # bfloat16 and the like
    kind, flat = values.dtype.kind, values.reshape(-1)[:200]
    if kind == "c":
        listed = [f"{float(v.real):.9g}{float(v.imag):+.9g}j" for v in flat]
    elif kind == "f":
        listed = [f"{float(v):.9g}" for v in flat]
    elif kind in "OSU":
        listed = [v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in flat]
    else:
        listed = [int(v) for v in flat]
    return {"dtype": dtype, "shape": list(np.shape(values)), "values": listed}


def answer(expression: str, tf, names) -> object:
    try:
        with np.errstate(all="ignore"):
            tf.random.set_seed(7)
            return described(eval(expression, dict(names)), tf)
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)[:300]}


def work(module: str, cases: str, answers: str, first: int) -> None:
    """Answers the cases from number `first` on, each on a line of its own."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    tf = importlib.import_module(module)
    tf.get_logger().setLevel("ERROR")
    names = names_for(tf)
    with open(cases, encoding="utf-8") as file, open(answers, "a", encoding="utf-8") as out:
        for expression in json.load(file)[first:]:
            signal.alarm(SECONDS)  # ends the process: a call that does not return is not to be waited for
            print(json.dumps(answer(expression, tf, names)), file=out, flush=True)


def answered(python: str, module: str, cases: list[str]) -> list:
    """The answers of `module`. A call that ends its process is answered by {"error": "crash"}."""
    with tempfile.TemporaryDirectory() as folder:
        questions, answers = pathlib.Path(folder, "cases.json"), pathlib.Path(folder, "answers.jsonl")
        questions.write_text(json.dumps(cases), encoding="utf-8")
        answers.touch()
        while (done := len(answers.read_text(encoding="utf-8").splitlines())) < len(cases):
            command = [python, __file__, "--work", module, str(questions), str(answers), str(done)]
            log = subprocess.run(command, check=False, capture_output=True, text=True)
            if len(answers.read_text(encoding="utf-8").splitlines()) == done and log.returncode > 0:
                raise SystemExit(f"{module} does not run:\n{log.stderr[-2000:]}")
            if log.returncode < 0:
                with answers.open("a", encoding="utf-8") as out:
                    print(json.dumps({"error": "crash", "text": f"signal {-log.returncode}"}), file=out)
        return [json.loads(line) for line in answers.read_text(encoding="utf-8").splitlines()]


def signatures(python: str, module: str) -> dict:
    script = (
        f"import functions, importlib, json; print(json.dumps(functions.found(importlib.import_module({module!r}))))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])}
    result = subprocess.run([python, "-c", script], check=True, capture_output=True, text=True, env=environment)
    return json.loads(result.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=RECORDED_CASES)
    parser.add_argument("--seed", default="")
    parser.add_argument("--only", default="*")
    parser.add_argument("--peer", default=PEER)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--all", action="store_true", help="shows the known exceptions too")
    options = parser.parse_args()

    from function_calls import calls, left_out
    from function_exceptions import difference, excused

    theirs = signatures(options.peer, "tensorflow")
    ours = importlib.import_module("tracefn")
    cases = [
        (function, call)
        for function, signature in theirs.items()
        if fnmatch.fnmatch(function, options.only) and left_out(function) is None and has(ours, function)
        for call in calls(function, signature, options.cases, options.seed)
    ]
    expressions = [call for _, call in cases]
    expected = answered(options.peer, "tensorflow", expressions)
    if options.record:
        write(cases, expected)
        return
    got = answered(sys.executable, "tracefn", expressions)
    kinds: collections.Counter = collections.Counter()
    for (_, call), want, have in zip(cases, expected, got, strict=True):
        kind = difference(want, have)
        why = kind and excused(call, want, have)
        kinds["excused" if why else kind or "same"] += 1
        if kind and (options.all or not why):
            print(f"{kind}: {call}\n   TensorFlow: {json.dumps(want)[:300]}\n   tracefn:    {json.dumps(have)[:300]}")
    print(f"{len({f for f, _ in cases})} functions, {len(cases)} calls: {dict(kinds)}")
    silent = {f for f, _ in cases} - {f for (f, _), w in zip(cases, expected, strict=True) if "error" not in w}
    print(f"only errors from: {' '.join(sorted(silent))}")


def has(tf, function: str) -> bool:
    for part in function.split("."):
        try:
            tf = getattr(tf, part)
        except AttributeError:
            return False
    return True


def write(cases, answers) -> None:
    """One file a namespace; a call whose answer does not return or ends the process is left out."""
    RECORDED.mkdir(exist_ok=True)
    files: dict[str, list[str]] = collections.defaultdict(list)
    for (function, call), have in zip(cases, answers, strict=True):
        if isinstance(have, dict) and have.get("error") == "crash":
            continue
        if isinstance(have, dict):
            have.pop("text", None) if "error" in have else None
        files[function.rpartition(".")[0] or "tf"].append(f"{json.dumps(call)}: {json.dumps(have)}")
    for space, lines in files.items():
        (RECORDED / f"{space}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:5], int(sys.argv[5]))
    else:
        main()
