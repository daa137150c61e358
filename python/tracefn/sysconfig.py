"""`tf.sysconfig`: how the package was built."""

from __future__ import annotations

import collections as _collections

from tracefn._missing import getter as _getter

__all__ = ["CXX11_ABI_FLAG", "CXX_VERSION", "MONOLITHIC_BUILD", "get_build_info", "get_lib"]

CXX11_ABI_FLAG = 1
CXX_VERSION = 202002
MONOLITHIC_BUILD = 1


def get_build_info() -> _collections.OrderedDict:
    """For which hardware the package was built: only for CPUs.

    Example:
      >>> import tracefn as tf
      >>> tf.sysconfig.get_build_info()["is_cuda_build"]
      False
    """
    return _collections.OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


def get_lib() -> str:
    """The folder of the package, which holds its libraries."""
    return __file__.rpartition("/")[0]


__getattr__ = _getter("sysconfig")
