"""`tensorflow.python.framework.test_util`: the base class of tests, and decorators that say in which modes a test runs."""

from __future__ import annotations

import functools
import os
import types
import unittest

from tracefn._core import Graph
from tracefn.framework import executing_eagerly
from tracefn.function import function
from tracefn.random_seed import set_seed
from tracefn.test import TestCase, is_gpu_available

__all__ = ["TensorFlowTestCase", "deprecated_graph_mode_only", "run_all_in_graph_and_eager_modes", "run_in_graph_and_eager_modes",
           "run_v1_only", "run_v2_only"]  # fmt: skip
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


def _each_test(cls: type, decorate) -> type:
    for name, value in list(vars(cls).items()):
        if name.startswith(unittest.defaultTestLoader.testMethodPrefix) and isinstance(value, types.FunctionType):
            setattr(cls, name, decorate(value))
    return cls


def _refuse_class(f) -> None:
    if isinstance(f, type):
        raise ValueError("`run_in_graph_and_eager_modes` only supports test methods. Did you mean to use "
                         "`run_all_in_graph_and_eager_modes`?")


@_optional
def run_in_graph_and_eager_modes(func=None, config=None, use_gpu=True, assert_no_eager_garbage=False):
    """A decorator of a test that runs it in a graph with a session, and then eagerly, each after `setUp`.

    Raises:
      ValueError: it decorates a class.
    """
    del assert_no_eager_garbage
    _refuse_class(func)

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
        if callable(value) and name.startswith(unittest.defaultTestLoader.testMethodPrefix) and name != "test_session":
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


@_optional
def deprecated_graph_mode_only(func=None):
    """A decorator of a test, or a class of them, that runs it in a graph."""
    if isinstance(func, type):
        return _each_test(func, deprecated_graph_mode_only)

    @functools.wraps(func)
    def decorated(self, *args, **kwargs):
        if not executing_eagerly():
            return func(self, *args, **kwargs)
        with Graph().as_default():
            return func(self, *args, **kwargs)

    return decorated


run_deprecated_v1 = deprecated_graph_mode_only


@_optional
def run_v1_only(func=None, reason=None):
    """A decorator of a test, or a class of them, for TensorFlow 1: it is skipped."""
    if isinstance(func, str):
        return lambda function: run_v1_only(function, func)
    if isinstance(func, type):
        return _each_test(func, run_v1_only)

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
disable_xla = _unchanged("For tests that XLA cannot compile, which compiles nothing here.")
no_xla_auto_jit = xla_allow_fallback = disable_mlir_bridge = disable_tfrt = enable_output_all_intermediates = disable_xla
run_all_without_tensor_float_32 = run_without_tensor_float_32 = _unchanged("For tests that need all bits: they get them.")
enable_control_flow_v2 = with_control_flow_v2 = _unchanged("Conditionals and loops are single nodes in any case.")
assert_no_new_pyobjects_executing_eagerly = assert_no_new_tensors = assert_no_garbage_created = _unchanged(
    "The test alone: what it leaves behind is not counted."
)
