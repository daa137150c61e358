"""What dir() says of namespaces: their public names, those included that are imported on first use."""

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
