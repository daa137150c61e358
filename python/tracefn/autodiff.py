"""`tf.autodiff`: reverse and forward accumulation."""

from tracefn._gradient.forward_accumulator import ForwardAccumulator
from tracefn._missing import getter as _getter
from tracefn.gradient_tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]


__getattr__ = _getter("autodiff")
