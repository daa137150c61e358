"""Advice is right: what a message says to write is written, and the program then gives what was meant."""

import importlib.util
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tracefn as tf

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import advised
import advised_in_words
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
    first, second = np.asarray(result), np.asarray(expected)
    if first.dtype.kind in "OSU":
        return first.tolist() == second.tolist()
    return first.shape == second.shape and np.allclose(first, second, rtol=1e-6, atol=0.0)


def _error_of(module, case, arguments) -> Exception:
    traced = module.f if case.eager else tf.function(module.f, **eval(f"dict({case.options})"))
    with pytest.raises(Exception) as error:
        traced(*arguments)
    return error.value


def _message_of(error: Exception) -> str:
    """What a terminal shows: the error's text and its notes."""
    return "\n".join([str(error).rstrip(), *getattr(error, "__notes__", [])])


def check(case, folder) -> str:
    """Follows the advice of a program's message as often as there is some; the first message."""
    source = _HEADER + case.source
    first = ""
    for step in range(case.rounds):
        module = _module(folder, f"mistake_{step}", source)
        message = _message_of(_error_of(module, case, _arguments(case.calls[0])))
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
    told = message.rpartition("  *\n")[2].strip().splitlines()
    told = told[1:] if "  *\n" in message else told  # without the user's line
    assert len([line for line in told if line.strip()]) <= 6


@pytest.mark.parametrize("name", advised_in_words.PAIRS)
def test_advice_in_words(name, tmp_path):
    pair = advised_in_words.PAIRS[name]
    mistake, fixed = (_module(tmp_path, part, _HEADER + getattr(pair, part)) for part in ("mistake", "fixed"))
    with pytest.raises(Exception) as error:
        tf.function(mistake.f, **eval(f"dict({pair.options})"))(*_arguments(pair.call))
    message = _message_of(error.value)
    assert not [words for words in pair.words if words not in message], message
    result = tf.function(fixed.f)(*_arguments(pair.call))
    assert _same(result, eval(pair.result, {"tf": tf}))


def test_the_users_own_errors_are_left_alone(tmp_path):
    texts = ["None values not supported.", "Tensor is unhashable", "'SymbolicTensor' object is not callable"]
    for i, text in enumerate(texts):
        module = _module(tmp_path, f"own_{i}", f'{_HEADER}\n\n\ndef f(x):\n    raise ValueError("{text}")\n')
        for options in ({}, {"autograph": False}):
            with pytest.raises(ValueError) as error:
                tf.function(module.f, **options)(tf.constant(1))
            assert str(error.value).rstrip().endswith(text)


@pytest.mark.parametrize("call", ["np.round(x, 2)", "np.where(x)", "np.linalg.norm(x, 2)", "np.exp(x, dtype='f8')", "x.round(2)",
                                  "math.log(x, 2)", "np.sum(x, dtype='f8')"])  # fmt: skip
def test_arguments_that_mean_something_else_here(call, tmp_path):
    module = _module(tmp_path, "arguments", f"{_HEADER}\nimport math\nimport numpy as np\n\n\ndef f(x):\n    return {call}\n")
    with pytest.raises(Exception) as error:
        tf.function(module.f)(tf.constant([1.0]))
    assert "Fix:" not in str(error.value)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    "call",
    [
        "tf.nn.batch_normalization(tf.zeros([2, 3]), tf.zeros([4]), tf.ones([3]), None, None, 0.1)",
        "tf.nn.nce_loss(tf.zeros([3, 2]), tf.zeros([3]), [[1]], tf.zeros([1, 4]), 1, 3)",
        "tf.linalg.matvec(tf.zeros([2, 3]), tf.zeros([4]))",
    ],
)
def test_a_function_of_several_ops_gives_them_other_operands(call, traced, tmp_path):
    module = _module(tmp_path, "composed", f"{_HEADER}\n\n\ndef f():\n    return {call}\n")
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as error:
        (tf.function(module.f) if traced else module.f)()
    assert "has shape" not in _message_of(error.value)


def test_the_shape_of_a_tensor_that_was_replaced_is_not_told(tmp_path):
    source = f"{_HEADER}\n\n\ndef f(x):\n    n = x.shape[0]\n    x = tf.reshape(x, [-1, 2, 2])\n    return tf.zeros([n, 2]) + x[0]\n"
    module = _module(tmp_path, "replaced", source)
    with pytest.raises(TypeError, match="Expected int32, but got None") as error:
        tf.function(module.f, input_signature=[tf.TensorSpec([None, 4])])(tf.ones([3, 4]))
    assert "has shape" not in str(error.value)


def test_without_source_there_is_no_advice():
    scope = {"tf": tf}
    exec("def f(x):\n    return x * None\n", scope)
    with pytest.raises(ValueError) as error:
        tf.function(scope["f"])(tf.constant(1))
    assert str(error.value).rstrip().endswith("None values not supported.")


def test_the_package_by_another_name(tmp_path):
    source = "import tracefn\n\n\ndef f(x):\n    return tracefn.sqrt(x)\n"
    module = _module(tmp_path, "other_name", source)
    with pytest.raises(TypeError) as error:
        tf.function(module.f)(tf.constant(4))
    assert "Fix: write `return tracefn.sqrt(tracefn.cast(x, tracefn.float32))` on line 5." in str(error.value)


def test_the_top_level_of_a_module(tmp_path):
    source = (
        f"{_HEADER}\n\n\ndef other():\n    rate = 7\n    return rate\n\n\nrate = 2\nsteps = tf.constant([0.5, 1.5])\n"
        "for step in steps:\n    rate = rate + step * tf.constant(2)\n"
    )
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        _module(tmp_path, "top_level", source)
    assert "Fix: write `rate = rate + step * tf.cast(tf.constant(2), tf.float32)` on line 12." in str(error.value)
    fixed = _module(tmp_path, "fixed", following.followed(source, str(error.value)))
    assert float(fixed.rate) == 6.0


def test_variables_of_inner_functions_are_others(tmp_path):
    source = (
        f"{_HEADER}\n\n\ndef f(x):\n    def other():\n        total = 7\n        return total\n\n    total = 0\n"
        "    for v in x:\n        total += v\n    return total + other()\n"
    )
    error = _error_of(_module(tmp_path, "inner", source), advised.Case("", ()), (tf.constant([1.5]),))
    fixed = _module(tmp_path, "fixed", following.followed(source, str(error)))
    assert float(tf.function(fixed.f)(tf.constant([1.5]))) == 8.5


def _output(path, source: str) -> str:
    path.write_text(source, encoding="utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_loop_in_a_loop(tmp_path):
    source = (
        f"{_HEADER}\n\n\ndef f(x):\n    found = None\n    for i in tf.range(2):\n        for v in x:\n            if v > 2.5:\n"
        "                found = v * tf.cast(i, tf.float32)\n    return found\n\n\n"
        "try:\n    print(float(tf.function(f)(tf.constant([1.0, 2.0, 3.0]))))\nexcept ValueError as error:\n    print(error)\n"
    )
    message = _output(tmp_path / "mistake.py", source)
    assert "'found' is not allowed to be None before the loop (line 5: `found = None`)" in message
    assert _output(tmp_path / "fixed.py", following.followed(source, message)) == "3.0\n"


def test_shapes_are_said_of_tensors_only(tmp_path):
    """Neither of the letters of a product, nor of the numbers of a shape."""
    matrix = (tf.ones([2, 3]),)
    product = _module(tmp_path, "product", f'{_HEADER}\n\n\ndef f(x):\n    return tf.einsum("ij,jk->ik", x, tf.ones([2, 3]))\n')
    message = str(_error_of(product, advised.Case("", ()), matrix))
    assert "`x` has shape (2, 3) and `tf.ones([2, 3])` has shape (2, 3). Axes with the same letter must" in message
    wider = _module(tmp_path, "wider", f"{_HEADER}\n\n\ndef f(x):\n    return tf.broadcast_to(x, [3, 3])\n")
    for called in (wider.f, tf.function(wider.f)):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)) as error:
            called(*matrix)
        assert "has shape" not in str(error.value)


_LAYERS = f"""{_HEADER}


class Layer:
    def __init__(self):
        self.weights = tf.Variable([[1.5]])
        self.bias = None

    def __call__(self, x):
        return tf.matmul(x, self.weights)

    def shift(self, x):
        return x + self.bias
"""
_OF_LAYERS = {
    "layer(x)": ("`x` is int32 and `self.weights` is float32.", "__call__", 10),
    "layer.shift(x)": ("`self.bias` is None", "shift", 13),
}


@pytest.mark.parametrize("call", _OF_LAYERS)
@pytest.mark.parametrize("wrap", ["tf.function", ""])
def test_lines_of_installed_packages(call, wrap, tmp_path, monkeypatch):
    """Nobody edits them: the advice names the program's own line."""
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / "layers_of_others.py").write_text(_LAYERS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.delitem(sys.modules, "layers_of_others", raising=False)
    source = f"{_HEADER}\nimport layers_of_others\n\nlayer = layers_of_others.Layer()\n\n\ndef f(x):\n    return {call}\n"
    module = _module(tmp_path, "own", source)
    line = source.count("\n")
    function = tf.function(module.f) if wrap else module.f
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)) as error:
        function(tf.constant([[1]]))
    message = str(error.value)
    facts, name, at = _OF_LAYERS[call]
    called = f"This is in {name} of layers_of_others, line {at}; line {line} of the program calls it: `return {call}`."
    assert facts in message and called in message and "Fix:" not in message


@pytest.mark.parametrize(
    "call",
    [
        "tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y)",
        "tf.nn.weighted_cross_entropy_with_logits(x, y, 2.0)",
        "tf.nn.log_poisson_loss(x, y)",
    ],
)
def test_functions_that_give_their_ops_other_operands(call, tmp_path):
    """The message is on those; nothing wrong is said of the function's own arguments."""
    module = _module(tmp_path, "others", f"{_HEADER}\n\n\ndef f(x, y):\n    return {call}\n")
    for function in (module.f, tf.function(module.f)):
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)) as error:
            function(tf.constant([1, 2]), tf.constant([1.0, 2.0], tf.float64))
        for wrong in ("`x` is float64", "`y` is int32"):
            assert wrong not in str(error.value)
