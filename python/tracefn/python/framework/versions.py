"""`tensorflow.python.framework.versions`: the names of `tf.version`, and those that TensorFlow's package has of them."""

from __future__ import annotations

from tracefn.version import (  # type: ignore[attr-defined]  # stubs leave constants out
    COMPILER_VERSION,
    GIT_VERSION,
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION,
)

__version__, __git_version__, __compiler_version__ = VERSION, GIT_VERSION, COMPILER_VERSION
# How TensorFlow's own libraries are built: of ours neither question arises.
CXX11_ABI_FLAG = __cxx11_abi_flag__ = 1
MONOLITHIC_BUILD = __monolithic_build__ = 0

__all__ = [
    "COMPILER_VERSION",
    "CXX11_ABI_FLAG",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "MONOLITHIC_BUILD",
    "VERSION",
    "__compiler_version__",
    "__cxx11_abi_flag__",
    "__git_version__",
    "__monolithic_build__",
    "__version__",
]
