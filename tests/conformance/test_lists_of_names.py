"""What dir() says of namespaces: their public names, those included that are imported on first use; what functions call themselves."""

import functools

import pytest

pytestmark = pytest.mark.rule("surface")

NAMES = {
    "": "Tensor Variable function linalg compat data map_fn",
    "linalg": "LinearOperator LinearOperatorDiag LinearOperatorToeplitz matmul expm experimental",
    "experimental": "ExtensionType BatchableExtensionType Optional dlpack extension_type numpy",
    "types.experimental": "TensorLike ConcreteFunction distributed",
    "dtypes": "float32 as_dtype experimental",
    "io": "gfile read_file FixedLenFeature",
    "compat.v1": "Session placeholder Variable Graph Event GraphDef ConfigProto abs app data logging nn train to_float raw_ops",
    "compat.v1.train": "AdamOptimizer Saver MonitoredSession",
}


@pytest.mark.parametrize("path", NAMES)
def test_names(tf, path):
    module = tf
    for part in path.split("."):
        module = getattr(module, part) if part else module
    listed = dir(module)
    assert listed == sorted(set(listed))
    assert not set(NAMES[path].split()) - set(listed)


@pytest.mark.parametrize("path", ["linalg", "dtypes", "compat.v1"])
def test_names_that_are_listed_are_there(tf, path):
    module = tf
    for part in path.split("."):
        module = getattr(module, part)
    lazy = {"keras", "estimator", "v2"}  # parts of other packages
    assert [name for name in dir(module) if name not in lazy and not hasattr(module, name)] == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("gather", "gather_v2"), ("where", "where_v2"), ("nn.crelu", "crelu_v2"),
        ("nn.relu6", "relu6"), ("nn.gelu", "gelu"), ("image.resize", "resize_images_v2"),
        ("io.gfile.exists", "file_exists_v2"), ("py_function", "eager_py_func"), ("random.normal", "random_normal"),
        ("print", "print_v2"), ("transpose", "transpose_v2"), ("sparse.reorder", "sparse_reorder"), ("Assert", "Assert"),
        ("map_fn", "map_fn_v2"), ("strings.join", "string_join"), ("cond", "cond_for_tf_v2"),
        ("compat.v1.reduce_mean", "reduce_mean_v1"), ("compat.v1.gfile.Exists", "file_exists"), ("reduce_sum", "reduce_sum"),
    ],
)  # fmt: skip
def test_names_of_functions(tf, path, name):
    assert functools.reduce(getattr, path.split("."), tf).__name__ == name


@pytest.mark.parametrize("path", ["audio", "autodiff", "data.experimental", "io", "lookup", "math", "queue", "summary",
                                  "summary.experimental", "types.experimental"])  # fmt: skip
def test_nothing_else_is_listed(tf, path):
    namespace = functools.reduce(getattr, path.split("."), tf)
    listed = {name for name in dir(namespace) if not name.startswith("_")}
    assert not listed & {"annotations", "fill", "functools", "abc", "inspect", "namespace", "value_text", "Any", "TYPE_CHECKING"}


def test_build_info(tf):
    assert list(tf.sysconfig.get_build_info()) and type(tf.sysconfig.get_build_info()).__name__ == "OrderedDict"
