"""`tensorflow.python.framework.test_util`: the base class of tests, and decorators that say in which modes a test runs."""

from __future__ import annotations

import functools
import os

from tracefn._core import Graph
from tracefn.framework import executing_eagerly
from tracefn.function import function
from tracefn.python.framework._test_devices import (
    AbstractGradientTape,
    IsBuiltWithNvcc,
    IsBuiltWithROCm,
    IsBuiltWithXLA,
    IsCPUTargetAvailable,
    IsGoogleCudaEnabled,
    deterministic_ops,
    device,
    force_cpu,
    force_gpu,
    is_asan_enabled,
    is_mlir_bridge_enabled,
    is_msan_enabled,
    is_tsan_enabled,
    is_ubsan_enabled,
    matmul_without_tf32,
    pick_unused_port,
    run_functions_eagerly,
    use_gpu,
)
from tracefn.python.framework._test_graphs import (
    assert_equal_graph_def,
    assert_ops_in_graph,
    get_node_def_from_graph,
)
from tracefn.python.framework._test_layouts import (
    NCHW_VECT_CToNHWC,
    NCHWToNHWC,
    NHWCToNCHW,
    NHWCToNCHW_VECT_C,
)
from tracefn.python.framework._test_modes import (
    build_as_function_and_v1_graph,
    disable_eager_op_as_function,
    each_function,
    for_all_test_methods,
    generate_combinations_with_testcase_name,
    is_test,
    py_func_if_in_function,
    refuse_class,
    run_class_in_v1_v2,
    run_in_async_and_sync_mode,
    run_in_v1_v2,
    skip_if,
    skip_if_error,
    with_forward_compatibility_horizons,
)
from tracefn.random_seed import set_seed
from tracefn.test import TestCase, disable_with_predicate, gpu_device_name, is_gpu_available, with_eager_op_as_function

__all__ = [
    "AbstractGradientTape",
    "IsBuiltWithNvcc",
    "IsBuiltWithROCm",
    "IsBuiltWithXLA",
    "IsCPUTargetAvailable",
    "IsGoogleCudaEnabled",
    "NCHWToNHWC",
    "NCHW_VECT_CToNHWC",
    "NHWCToNCHW",
    "NHWCToNCHW_VECT_C",
    "TensorFlowTestCase",
    "assert_equal_graph_def",
    "assert_ops_in_graph",
    "build_as_function_and_v1_graph",
    "deprecated_graph_mode_only",
    "deterministic_ops",
    "device",
    "disable_eager_op_as_function",
    "disable_with_predicate",
    "for_all_test_methods",
    "force_cpu",
    "force_gpu",
    "generate_combinations_with_testcase_name",
    "get_node_def_from_graph",
    "gpu_device_name",
    "is_asan_enabled",
    "is_mlir_bridge_enabled",
    "is_msan_enabled",
    "is_tsan_enabled",
    "is_ubsan_enabled",
    "matmul_without_tf32",
    "pick_unused_port",
    "py_func_if_in_function",
    "run_all_in_graph_and_eager_modes",
    "run_class_in_v1_v2",
    "run_functions_eagerly",
    "run_in_async_and_sync_mode",
    "run_in_graph_and_eager_modes",
    "run_in_v1_v2",
    "run_v1_only",
    "run_v2_only",
    "skip_if",
    "skip_if_error",
    "use_gpu",
    "with_eager_op_as_function",
    "with_forward_compatibility_horizons",
]
TensorFlowTestCase = TestCase
_SEED = 87654321


def InstallStackTraceHandler() -> None:  # TensorFlow's name
    """Does nothing: Python's faulthandler shows where a process ends."""


def test_src_dir_path(relative_path) -> str:
    """A path below the package."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)).rpartition("/python/")[0], relative_path)


test_src_dir_path.__test__ = False  # type: ignore[attr-defined]  # no test, whatever its name says


def IsMklEnabled() -> bool:  # TensorFlow's name
    """Whether kernels are Intel's."""
    return False


def GpuSupportsHalfMatMulAndConv() -> bool:  # TensorFlow's name
    """Whether there is a GPU that computes with 16 bits."""
    return False


def is_xla_enabled() -> bool:
    """Whether functions are compiled by XLA."""
    return False


def _optional(decorate):
    """A decorator that may be written with and without brackets."""

    @functools.wraps(decorate)
    def decorator(func=None, *args, **kwargs):
        if func is not None and callable(func):
            return decorate(func, *args, **kwargs)
        return lambda function: decorate(function, *args, **kwargs)

    return decorator


@_optional
def run_in_graph_and_eager_modes(func=None, config=None, use_gpu=True, assert_no_eager_garbage=False):
    """A decorator of a test that runs it in a graph with a session, and then eagerly, each after `setUp`.

    Raises:
      ValueError: it decorates a class.
    """
    del assert_no_eager_garbage
    refuse_class(func, "run_in_graph_and_eager_modes", " Did you mean to use `run_all_in_graph_and_eager_modes`?")

    @functools.wraps(func)
    def decorated(self, *args, **kwargs):
        with Graph().as_default(), self.session(config=config, use_gpu=use_gpu):
            func(self, *args, **kwargs)
        self.tearDown()
        self._tempdir = None
        self.setUp()
        set_seed(_SEED)
        return func(self, *args, **kwargs)

    return decorated


def run_all_in_graph_and_eager_modes(cls):
    """`run_in_graph_and_eager_modes` for each test of a class, except for `test_session`."""
    for name, value in list(vars(cls).items()):
        if is_test(name, value):
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


@_optional
def deprecated_graph_mode_only(func=None):
    """A decorator of a test, or a class of them, that runs it in a graph."""
    if isinstance(func, type):
        return each_function(func, deprecated_graph_mode_only)

    @functools.wraps(func)
    def decorated(self, *args, **kwargs):
        if not executing_eagerly():
            return func(self, *args, **kwargs)
        with Graph().as_default():
            return func(self, *args, **kwargs)

    return decorated


run_deprecated_v1 = deprecated_graph_mode_only


def run_all_in_deprecated_graph_mode_only(cls):
    """`deprecated_graph_mode_only` for each test of a class."""
    return for_all_test_methods(lambda: deprecated_graph_mode_only)(cls)


@_optional
def run_v1_only(func=None, reason=None):
    """A decorator of a test, or a class of them, for TensorFlow 1: it is skipped."""
    if isinstance(func, str):
        return lambda function: run_v1_only(function, func)
    if isinstance(func, type):
        return each_function(func, run_v1_only)

    @functools.wraps(func)
    def decorated(self, *args, **kwargs):
        self.skipTest(reason or "Test is only compatible with v1")

    return decorated


@_optional
def run_v2_only(func=None, reason=None):
    """A decorator of a test for TensorFlow 2: it runs."""
    del reason
    return func


def run_gpu_only(func=None):
    """A decorator of a test that needs a GPU."""
    return _needing(func, is_gpu_available, "Test requires GPU")


def run_cuda_only(func=None):
    """A decorator of a test that needs a GPU by NVIDIA."""
    return _needing(func, is_gpu_available, "Test requires CUDA GPU")


def run_gpu_or_tpu(func=None):
    """A decorator of a test that needs an accelerator."""
    return _needing(func, is_gpu_available, "Test requires GPU or TPU")


def _needing(func, is_there, text: str):
    def decorator(function):
        @functools.wraps(function)
        def decorated(self, *args, **kwargs):
            if not is_there():
                self.skipTest(text)
            return function(self, *args, **kwargs)

        return decorated

    return decorator if func is None else decorator(func)


def also_run_as_tf_function(f):
    """A decorator of a test that runs it eagerly and as a `tf.function`."""
    @functools.wraps(f)
    def decorated(*args, **kwargs):
        f(*args, **kwargs)
        function(lambda: f(*args, **kwargs), autograph=False)()

    return decorated


def _unchanged(text: str):
    """A decorator about what is not there, which returns the test as it is."""

    def decorator(func=None, *args, **kwargs):
        return func if callable(func) else (lambda function: function)

    decorator.__doc__ = text
    return decorator


disable_cudnn_autotune = _unchanged("For tests that choose cuDNN's algorithms, which are not used.")
disable_asan = disable_msan = disable_tsan = disable_ubsan = _unchanged("For tests that a sanitizer cannot run with.")
disable_xla = _unchanged("For tests that XLA cannot compile, which compiles nothing here.")
no_xla_auto_jit = xla_allow_fallback = disable_mlir_bridge = disable_tfrt = enable_output_all_intermediates = disable_xla
run_all_without_tensor_float_32 = run_without_tensor_float_32 = _unchanged("For tests that need all bits: they get them.")
enable_tf_xla_constant_folding = set_xla_env_flag = disable_xla
enable_c_shapes = with_c_shapes = enable_eager_op_as_function = enable_graph_building_optimization = _unchanged(
    "For tests of a way to build graphs, of which there is one."
)
add_graph_building_optimization_tests = enable_nested_function_shape_inference = enable_c_shapes
enable_control_flow_v2 = with_control_flow_v2 = disable_control_flow_v2 = _unchanged("Conditionals and loops are single nodes in any case.")
assert_no_new_pyobjects_executing_eagerly = assert_no_new_tensors = assert_no_garbage_created = _unchanged(
    "The test alone: what it leaves behind is not counted."
)
