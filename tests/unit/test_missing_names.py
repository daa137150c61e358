"""Names that are not there: the error says what to write instead, and asking for one stays quick and without effect."""

import ast
import copy
import importlib
import importlib.util
import pathlib
import pickle
import subprocess
import sys
import textwrap
import types

import pytest
import tracefn as tf
from tracefn._missing import names, spellings

PAGE = "docs/coverage.md lists what there is."
ROOT = pathlib.Path(__file__).parents[2]


def not_yet(name: str) -> str:
    return f"TensorFlow has tf.{name}, which is not supported yet: {PAGE}"


MISSPELT = {
    "reduce_summ": "reduce_sum",
    "redcue_mean": "reduce_mean",
    "functon": "function",
    "Funtion": "function",
    "variable": "Variable",
    "gradienttape": "GradientTape",
    "softmax": "nn.softmax",
    "math.matmul": "matmul",
    "math.sigmod": "math.sigmoid",
    "nn.dropuot": "nn.dropout",
    "linalg.inverse": "linalg.inv",
    "linalg.determinant": "linalg.det",
    "random.norml": "random.normal",
    "random.experimental.create_rng_sate": "random.experimental.create_rng_state",
    "strings.joim": "strings.join",
    "debugging.assert_eq": "debugging.assert_equal",
    "config.list_physical_device": "config.list_physical_devices",
    "config.threading.set_inter_op_threads": "config.threading.set_inter_op_parallelism_threads",
    "config.optimizer.get_experimental_option": "config.optimizer.get_experimental_options",
    "autograph.to_grap": "autograph.to_graph",
    "autograph.experimental.do_not_conver": "autograph.experimental.do_not_convert",
    "autodiff.ForwardAcumulator": "autodiff.ForwardAccumulator",
    "bitwise.bitwise_xr": "bitwise.bitwise_xor",
    "dtypes.flot32": "dtypes.float32",
    "errors.InvalidArgument": "errors.InvalidArgumentError",
    "experimental.ExtentionType": "experimental.ExtensionType",
    "experimental.dlpack.from_dlpac": "experimental.dlpack.from_dlpack",
    "nest.map": "nest.map_structure",
    "raw_ops.MatMull": "raw_ops.MatMul",
    "test.TestCas": "test.TestCase",
    "types.experimental.TensorLik": "types.experimental.TensorLike",
    "compat.as_byte": "compat.as_bytes",
    "compat.v1.assing": "compat.v1.assign",
}
UNSUPPORTED = """
    check_pinned
    config.experimental_connect_to_cluster debugging.experimental raw_ops.QueueEnqueueV2
    test.create_local_cluster
""".split()
CALLED = {"sum": "reduce_sum", "array": "constant",
          "math.mean": "reduce_mean", "std": "math.reduce_std", "arange": "range", "mul": "multiply"}  # fmt: skip
OF_OTHER_TIMES = {
    "nn.softmax_cross_entropy_with_logits_v2": "tf.nn.softmax_cross_entropy_with_logits(labels, logits)",
    "wrap_function": "It is a name of TensorFlow 1: tf.compat.v1.wrap_function.",
    "get_session_tensor": "It is a name of TensorFlow 1: tf.compat.v1.get_session_tensor.",
    "load_file_system_library": "It is a name of TensorFlow 1, which is not supported",
    "test.get_temp_dir": "It is a name of TensorFlow 1: tf.compat.v1.test.get_temp_dir.",
    "train.AdamOptimizer": "tf.compat.v1.train.AdamOptimizer. In TensorFlow 2 write tf.keras.optimizers.Adam(learning_rate).",
    "compat.v1.contrib": "TensorFlow 2 has no contrib",
    "compat.v1.estimator": "TensorFlow 2.16 removed estimators",
    "Sessoin": "Did you mean tf.Session? TensorFlow 2 has no sessions",
    "placehoder": "Did you mean tf.placeholder? TensorFlow 2 has no placeholders",
    "get_varible": "Did you mean tf.get_variable? Write tf.Variable(initial_value)",
    "random_nomal": "Did you mean tf.random_normal? It is called tf.random.normal.",
}


def error_of(path: str) -> str:
    """The text of the error for `tf.path`, which must begin as Python's does."""
    namespace, _, name = path.rpartition(".")
    module = load(namespace) if namespace else tf
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    start = f"module '{module.__name__}' has no attribute '{name}'"
    assert str(caught.value).startswith(start) and caught.value.name == name
    return str(caught.value).removeprefix(start).removeprefix(". ")


def load(path: str):
    """What `path` names; its namespaces are imported."""
    value = tf
    for name in path.split("."):
        value = getattr(value, name)
    return value


@pytest.mark.parametrize("path", MISSPELT)
def test_a_misspelt_name(path):
    assert error_of(path) == f"Did you mean tf.{MISSPELT[path]}?"
    load(MISSPELT[path])


@pytest.mark.parametrize("path", UNSUPPORTED)
def test_a_name_that_is_not_supported_yet(path):
    assert error_of(path) == not_yet(path)


@pytest.mark.parametrize("path", CALLED)
def test_a_name_of_another_library_or_time(path):
    assert error_of(path) == f"It is called tf.{CALLED[path]}."
    load(CALLED[path])


@pytest.mark.parametrize("path", OF_OTHER_TIMES)
def test_what_is_gone(path):
    assert OF_OTHER_TIMES[path] in error_of(path)


@pytest.mark.parametrize("path", ["nope", "xyz", "math.foo", "nn.lstm", "dtypes.foo", "compat.v1.nope"])
def test_nothing_is_made_up(path):
    assert error_of(path) == ""


def test_a_misspelt_name_of_what_is_not_supported():
    text = f"Did you mean tf.config.experimental_connect_to_cluster? It is not supported yet: {PAGE}"
    assert error_of("config.experimental_conect_to_cluster") == text


def test_misspelt_keras():
    """Whether or not it is installed."""
    assert error_of("kears") == "Did you mean tf.keras?"


def test_every_namespace_words_its_errors():
    """Those that are there: a close misspelling of one of its names is found."""
    for path in names.tensorflow_names():
        spelled = f"{tf.__name__}.{path}" if path else tf.__name__
        if importlib.util.find_spec(tf.__name__) and sys.modules.get(spelled) is not None:
            name = max(names.names_here(path), key=len)
            assert f"tf.{path}.{name}".replace("..", ".") in error_of(f"{path}.{name}x".lstrip(".")), path


@pytest.mark.parametrize("name", sorted({*spellings.ELSEWHERE.values()}))
def test_the_names_that_are_told_are_tensorflows(name):
    namespace, _, last = name.rpartition(".")
    assert last in names.tensorflow_names()[namespace]


@pytest.mark.parametrize("name", [*spellings.GONE, *spellings.IN_TENSORFLOW_2])
def test_what_is_told_instead_exists(name):
    """Every tf.name in the advice."""
    text = spellings.GONE.get(name) or spellings.IN_TENSORFLOW_2[name]
    for word in text.replace("(", " ").replace(",", " ").replace(")", " ").replace("`", " ").split():
        if word.startswith("tf.") and not word.startswith("tf.keras."):
            load(word.rstrip(".").removeprefix("tf."))


@pytest.mark.parametrize("path", spellings.IN_TENSORFLOW_2)
def test_what_is_of_tensorflow_1(path):
    """At the root these names are accepted, but in the place of TensorFlow."""
    load(f"compat.v1.{path}")
    namespace, _, name = path.rpartition(".")
    instead = spellings.IN_TENSORFLOW_2[path]
    advice = (
        f"It is a name of TensorFlow 1: tf.compat.v1.{path}. In TensorFlow 2 write {instead}.",
        f"It is called {instead.partition('(')[0]}.",
    )
    assert names.advice_for(namespace, name) in advice


def text_of(target, name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(target, name)
    text = str(caught.value)
    start = f"'{type(target).__name__}' object has no attribute '{name}'"
    assert text.startswith(start) and caught.value.name == name
    return text.removeprefix(start).removeprefix(". ")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("asign", "Did you mean 'assign'?"),
        ("reshape", "Write tf.reshape(x, shape)."),
        ("set_value", "Write v.assign(value)."),
        ("grad", "Write tape.gradient(loss, v), of the tf.GradientTape that recorded the loss."),
        ("nothing_like_it", ""),
    ],
)
def test_members_of_variables(name, advice):
    assert text_of(tf.Variable([1.0]), name) == advice
    with tf.Graph().as_default():
        assert text_of(tf.compat.v1.get_variable("v", [2]), name) == advice


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("suffle", "Did you mean 'shuffle'?"),
        ("make_one_shot_iterator", "Write iter(dataset), or `for element in dataset:`."),
        ("shape", "Write dataset.element_spec."),
        ("nothing_like_it", ""),
    ],
)
def test_members_of_datasets(name, advice):
    for dataset in (tf.data.Dataset.range(2), tf.data.Dataset.range(2).map(lambda x: x)):
        assert text_of(dataset, name) == advice


def test_the_error_of_a_property_stays():
    class Shown(type(tf.Variable(1))):
        @property
        def shown(self):
            return self.other.thing

    variable = Shown.__new__(Shown)
    with pytest.raises(AttributeError, match="'Shown' object has no attribute 'other'"):
        _ = variable.shown


def test_hasattr_and_getattr_with_a_default():
    assert not hasattr(tf, "check_pinned") and not hasattr(tf.math, "nope") and getattr(tf, "check_pinned", 3) == 3
    assert not hasattr(tf.constant(1), "nope") and hasattr(tf, "einsum")
    assert not hasattr(tf.Variable(1), "T") and getattr(tf.data.Dataset.range(1), "shape", 3) == 3


def test_the_names_are_read_when_a_text_is_asked_for():
    program = (
        "import sys, tracefn as tf\n"
        "hasattr(tf, 'check_pinned'), hasattr(tf.constant(1), 'T'), hasattr(tf.function(print), 'nope')\n"
        "print('tracefn._missing.spellings' in sys.modules, 'difflib' in sys.modules)\n"
        "try:\n    tf.check_pinned\nexcept AttributeError as e:\n    str(e)\n"
        "print('tracefn._missing.spellings' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\nTrue\n"


@pytest.mark.parametrize("name", ["__wrapped__", "__path_of_nothing__", "_private", "__deepcopy__"])
@pytest.mark.parametrize("owner", [tf, tf.math, tf.raw_ops, tf.constant(1), tf.Variable(1), tf.data.Dataset.range(1), tf.function(print)])
def test_private_names_get_pythons_own_error(owner, name):
    if hasattr(owner, name):
        return
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    assert type(caught.value) is AttributeError and str(caught.value).endswith(f"has no attribute '{name}'")


def test_the_error_is_an_attribute_error_like_others():
    with pytest.raises(AttributeError) as caught:
        _ = tf.reduce_summ
    error = caught.value
    assert type(error).__name__ == "AttributeError" and type(error).__module__ == "builtins"
    assert error.args == ("module 'tracefn' has no attribute 'reduce_summ'",)
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert str(other) == str(error) and type(other) is AttributeError


def test_out_of_a_trace_it_pickles():
    @tf.function
    def f(x):
        return tf.reduce_summ(x)

    with pytest.raises(AttributeError, match="Did you mean tf.reduce_sum?") as caught:
        f(1)
    assert str(caught.value).startswith("in user code:") and str(caught.value).count("Did you mean") == 1
    other = pickle.loads(pickle.dumps(caught.value))
    assert type(other) is AttributeError and str(other) == str(caught.value)


def test_python_adds_no_second_question():
    done = subprocess.run([sys.executable, "-c", "import tracefn as tf; tf.reduce_summ"], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "AttributeError: module 'tracefn' has no attribute 'reduce_summ'. Did you mean tf.reduce_sum?"
    )


def program_error(statement: str) -> Exception:
    with pytest.raises(ImportError) as caught:
        exec(statement, {})
    return caught.value


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("from tracefn import reduce_summ", "Did you mean tf.reduce_sum?"),
        ("from tracefn import check_pinned", not_yet("check_pinned")),
        ("from tracefn import constant, check_pinned", not_yet("check_pinned")),
        ("from tracefn.math import sigmod", "Did you mean tf.math.sigmoid?"),
        ("from tracefn import no_grad", "Write `with tape.stop_recording():`, or tf.stop_gradient(x)."),
    ],
)
def test_from_import(statement, text):
    error = program_error(statement)
    module, name = statement.split()[1], statement.split()[-1]
    file = sys.modules[module].__file__
    assert type(error) is ImportError and error.name == module and error.path == file
    assert str(error) == f"cannot import name '{name}' from '{module}' ({file}). {text}"


@pytest.mark.parametrize(
    ("statement", "module", "text"),
    [
        ("import tracefn.check_pinned", "tracefn.check_pinned", not_yet("check_pinned")),
        ("import tracefn.check_pinned.base", "tracefn.check_pinned", not_yet("check_pinned")),
        ("from tracefn.check_pinned import Base", "tracefn.check_pinned", not_yet("check_pinned")),
        ("from tracefn.check_pinned.base import Base", "tracefn.check_pinned", not_yet("check_pinned")),
        ("import tracefn.mth", "tracefn.mth", "Did you mean tf.math?"),
    ],
)
def test_import_of_a_module(statement, module, text):
    error = program_error(statement)
    assert type(error) is ModuleNotFoundError and error.name == module
    assert str(error) == f"No module named '{module}'. {text}"


def test_keras_that_is_not_installed():
    program = """
        import importlib.util, sys
        sys.modules["keras"] = None
        import tracefn as tf
        print(hasattr(tf, "keras"), hasattr(tf, "optimizers"), importlib.util.find_spec("tracefn.keras"))
        for statement in ("tf.keras", "from tracefn import losses", "import tracefn.keras.layers"):
            try:
                exec(statement)
            except (AttributeError, ImportError) as error:
                print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    text = "tf.keras is the package keras, which is not installed. Install it: pip install 'tracefn[keras]'"
    assert done.stdout.splitlines() == ["False False None", text, text, text]


def test_asking_whether_there_is_a_module():
    assert importlib.util.find_spec("tracefn.check_pinned") is None and importlib.util.find_spec("tracefn.math") is not None
    with pytest.raises(ModuleNotFoundError, match="^No module named 'tracefn.nope'$"):
        importlib.import_module("tracefn.nope")
    with pytest.raises(ModuleNotFoundError, match="^No module named 'nope_of_nowhere'$"):
        importlib.import_module("nope_of_nowhere")


def test_modules_of_the_package_are_no_names_of_it():
    assert not [name for name, value in vars(tf).items() if isinstance(value, types.ModuleType) and not name.startswith("_")
                and name not in names.tensorflow_names()[""] and name not in ("array_api", "as_tensorflow", "compiler", "extension_type", "python", "tools")]  # fmt: skip
    import tracefn.variable as module

    assert module.Variable is tf.Variable


MEMBERS = {
    "shap": "Did you mean 'shape'?",
    "dtyp": "Did you mean 'dtype'?",
    "T": "Write tf.transpose(x).",
    "astype": "Write tf.cast(x, dtype).",
    "sum": "Write tf.reduce_sum(x, axis).",
    "flatten": "Write tf.reshape(x, [-1]).",
    "tolist": "Write x.numpy().tolist().",
    "item": "Write x.numpy().item().",
    "assign": "A tensor never changes: keep a tf.Variable, which has assign.",
    "nope": "",
}


@pytest.mark.parametrize("name", MEMBERS)
def test_what_a_tensor_lacks(name):
    with pytest.raises(AttributeError) as caught:
        getattr(tf.constant([1]), name)
    first, _, rest = str(caught.value).partition("'. ") if MEMBERS[name] else (str(caught.value)[:-1], "", "")
    assert first in (f"'tensorflow.python.framework.ops.EagerTensor' object has no attribute '{name}", f"EagerTensor object has no attribute '{name}")
    also = " If you are looking for numpy-related methods, please run the following: "
    assert rest.partition(also)[0] == MEMBERS[name] and (also in rest) == (name in ("T", "astype", "tolist"))


def test_every_advice_for_tensors_runs():
    from tracefn._missing import members

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        squares = x * x
    known = {"tf": tf, "axis": 0, "dtype": tf.int32, "low": 0.0, "high": 1.0, "y": x, "repeats": 2, "shape": [4], "perm": [1, 0]}
    known |= {"tape": tape, "sources": squares}
    odd = {"squeeze": x[:1], "item": x[0, 0], "all": x > 0, "any": x > 0}
    for name, code in {**members._OF_TENSORS, **members._OF_EAGER}.items():
        value = odd.get(name, x)
        code = code.partition(", of the")[0]
        ast.parse(code, mode="eval")
        if name != "backward":
            eval(code, {**known, "x": value})


def test_a_tensor_without_a_value():
    @tf.function
    def f(x):
        return x.tolist()

    with pytest.raises(AttributeError, match="SymbolicTensor object has no attribute 'tolist'. While a function is traced a tensor"):
        f(tf.constant([1]))


def test_errors_of_attributes_that_a_tensor_has_stay():
    with pytest.raises(AttributeError, match="^Tensor.name is undefined when eager execution is enabled.$"):
        _ = tf.constant(1).name


def test_what_a_function_lacks():
    f = tf.function(lambda x: x)
    with pytest.raises(AttributeError, match="^'Function' object has no attribute 'get_concrete_functions'. Did you mean"):
        _ = f.get_concrete_functions
    with pytest.raises(AttributeError, match="^'Function' object has no attribute 'nope'$"):
        _ = f.nope


def test_the_page_counts_what_is_there():
    text = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert f"| [`tf`](#tf) | {len(names.names_here('') & names.tensorflow_names()[''])} | " in text
