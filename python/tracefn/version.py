"""`tf.version`: the versions of the package, and of the GraphDefs that it writes."""

import platform as _platform

from tracefn._missing import getter as _getter

__all__ = ["COMPILER_VERSION", "GIT_VERSION", "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER",
           "GRAPH_DEF_VERSION_MIN_PRODUCER", "VERSION"]  # fmt: skip

VERSION = "2.21.0"
GIT_VERSION = "unknown"
COMPILER_VERSION = _platform.python_compiler()
# Those of TensorFlow's GraphDefs, which a reader compares with its own.
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

__getattr__ = _getter("version")
