"""`tf.autodiff`: reverse and forward accumulation."""

from tracefn.forward_accumulator import ForwardAccumulator
from tracefn.gradient_tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
