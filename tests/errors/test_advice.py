"""Advice is right: what a message says to write is written, and the program then gives what was meant."""

import importlib.util
import pathlib
import sys

import numpy as np
import pytest

import tracefn as tf

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import advised
import following

_HEADER = "import tracefn as tf"


def _module(folder, name: str, source: str):
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _arguments(text: str) -> tuple:
    return eval(f"({text},)", {"tf": tf})


def _same(result, expected) -> bool:
    if isinstance(expected, (tuple, dict)):
        keys = expected if isinstance(expected, dict) else range(len(expected))
        return len(result) == len(expected) and all(_same(result[k], expected[k]) for k in keys)
    return _as_float32(result) == _as_float32(expected)


def _as_float32(value):
    """Numbers as a graph has them, where those of Python are float32."""
    array = np.asarray(value)
    return (array if array.dtype.kind in "OSU" else array.astype("complex64")).tolist()


def _error_of(module, case, arguments) -> Exception:
    traced = tf.function(module.f, **eval(f"dict({case.options})"))
    with pytest.raises(Exception) as error:
        traced(*arguments)
    return error.value


def check(case, folder) -> str:
    """Follows the advice of a program's message as often as there is some; the first message."""
    source = _HEADER + case.source
    first = ""
    for step in range(case.rounds):
        module = _module(folder, f"mistake_{step}", source)
        message = str(_error_of(module, case, _arguments(case.calls[0]))).rstrip()
        first = first or message
        source = following.followed(source, message)
    eager, fixed = _module(folder, "eager", _HEADER + case.source), _module(folder, "fixed", source)
    traced = tf.function(fixed.f, **eval(f"dict({case.options})"))
    for i, call in enumerate(case.calls):
        result = traced(*_arguments(call))
        if case.results is None:
            assert _same(result, eager.f(*_arguments(call))), source
        else:
            assert _same(result, eval(case.results[i], {"tf": tf})), (result, source)
    return first


@pytest.mark.parametrize("name", advised.CASES)
def test_advice_followed_to_the_letter(name, tmp_path):
    case = advised.CASES[name]
    message = check(case, tmp_path)
    assert tf.executing_eagerly()
    assert case.words in message
    body = message.rpartition("  *\n")[2].strip().splitlines()[1:]
    assert len([line for line in body if line.strip()]) <= 5
