"""`tensorflow.python.training.moving_averages`: averages of Variables."""

from __future__ import annotations

from tracefn._training.moving_averages import ExponentialMovingAverage, assign_moving_average

__all__ = ["ExponentialMovingAverage", "assign_moving_average"]
