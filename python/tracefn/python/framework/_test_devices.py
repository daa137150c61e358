"""Parts of `test_util`: contexts in which tests run ops and take gradients, and what TensorFlow was built with."""

from __future__ import annotations

import contextlib
import socket

from tracefn._device import device as placed_on
from tracefn._namespaces import root
from tracefn.config.experimental import disable_op_determinism, enable_op_determinism
from tracefn.gradient_tape import GradientTape
from tracefn.gradients import gradients
from tracefn.ops.linear_algebra import matmul
from tracefn.test import is_gpu_available


@contextlib.contextmanager
def device(use_gpu: bool):
    """A context in which ops run on a GPU, if one is wanted and there, or on the CPU."""
    with placed_on("/device:GPU:0" if use_gpu and is_gpu_available() else "/device:CPU:0"):
        yield


def use_gpu():
    """A context in which ops run on a GPU, if there is one."""
    return device(use_gpu=True)


@contextlib.contextmanager
def force_gpu():
    """A context in which ops run on the first GPU."""
    with placed_on("/device:GPU:0"):
        yield


@contextlib.contextmanager
def force_cpu():
    """A context in which ops run on the CPU."""
    with placed_on("/device:CPU:0"):
        yield


@contextlib.contextmanager
def deterministic_ops():
    """A context in which ops give the same result each time, or raise."""
    try:
        enable_op_determinism()
        yield
    finally:
        disable_op_determinism()


@contextlib.contextmanager
def run_functions_eagerly(run_eagerly: bool):
    """A context in which Functions run eagerly, or do not.

    Raises:
      ValueError: `run_eagerly` is no bool.
    """
    if not isinstance(run_eagerly, bool):
        raise ValueError(f"Expected bool for `run_eagerly` but got {run_eagerly}")
    config = root().config
    before = config.functions_run_eagerly()
    config.run_functions_eagerly(run_eagerly)
    try:
        yield
    finally:
        config.run_functions_eagerly(before)


class _GradientsOfGraph:
    """Has the methods of a tape for `tf.gradients`, which needs none."""

    def watch(self, tensor) -> None:
        """Does nothing: a graph has everything."""

    def gradient(self, target, sources, grad_ys=None):
        """Like `tf.GradientTape.gradient`."""
        found = gradients(target, sources, grad_ys)
        return found if isinstance(sources, list | tuple) else found[0]


class AbstractGradientTape:
    """A context in which tests take gradients by a tape, or by `tf.gradients`."""

    def __init__(self, use_tape, persistent=False) -> None:
        self._context = GradientTape(persistent=persistent) if use_tape else contextlib.nullcontext(_GradientsOfGraph())

    def __enter__(self):
        return self._context.__enter__()

    def __exit__(self, *error) -> None:
        self._context.__exit__(*error)


def matmul_without_tf32(a, b, *args, **kwargs):
    """`tf.linalg.matmul`, which always computes with all bits."""
    return matmul(a, b, *args, **kwargs)


def pick_unused_port() -> int:
    """A number of a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]


def _not_built_with(name: str, what: str):
    def answer() -> bool:
        return False

    answer.__name__, answer.__doc__ = name, f"False: {what}."
    return answer


IsGoogleCudaEnabled = _not_built_with("IsGoogleCudaEnabled", "there are no GPUs")
IsBuiltWithROCm = _not_built_with("IsBuiltWithROCm", "there are no GPUs")
IsBuiltWithNvcc = _not_built_with("IsBuiltWithNvcc", "there are no GPUs")
IsBuiltWithXLA = _not_built_with("IsBuiltWithXLA", "there is no other compiler")
is_mlir_bridge_enabled = _not_built_with("is_mlir_bridge_enabled", "there is no other compiler")
is_asan_enabled = _not_built_with("is_asan_enabled", "no sanitizer is in the code")
is_msan_enabled = _not_built_with("is_msan_enabled", "no sanitizer is in the code")
is_tsan_enabled = _not_built_with("is_tsan_enabled", "no sanitizer is in the code")
is_ubsan_enabled = _not_built_with("is_ubsan_enabled", "no sanitizer is in the code")


def IsCPUTargetAvailable(target) -> bool:  # TensorFlow's name
    """True: code runs on the CPU that is there, whichever it is."""
    del target
    return True
