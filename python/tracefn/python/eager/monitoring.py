"""`tensorflow.python.eager.monitoring`: named values that libraries count, set and sample, for each of their labels."""

from __future__ import annotations

import bisect
import contextlib
import time

__all__ = ["BoolGauge", "Buckets", "Counter", "ExponentialBuckets", "IntGauge", "MonitoredTimer", "Sampler", "StringGauge",
           "monitored_timer"]  # fmt: skip


class _Cell:
    """A value."""

    def __init__(self, value) -> None:
        self._value = value

    def value(self):
        """The value."""
        return self._value


class _Gauge(_Cell):
    """A value that is set."""

    def set(self, value) -> None:
        """Sets the value."""
        self._value = type(self._value)(value)


class _Count(_Cell):
    """A number that grows."""

    def increase_by(self, value) -> None:
        """Adds to the number."""
        self._value += value


class Buckets:
    """The bounds between which a Sampler counts.

    Args:
      buckets: increasing floats.
    """

    def __init__(self, buckets) -> None:
        self.buckets = list(buckets)


class ExponentialBuckets(Buckets):
    """Bounds that grow by a factor.

    Args:
      scale: float, the first bound.
      growth_factor: float.
      bucket_count: int.
    """

    def __init__(self, scale, growth_factor, bucket_count) -> None:
        super().__init__(scale * growth_factor**i for i in range(bucket_count))


class _Samples(_Cell):
    """How many samples lie between bounds."""

    def __init__(self, bounds: list) -> None:
        super().__init__([0] * (len(bounds) + 1))
        self._bounds = bounds

    def add(self, value) -> None:
        """Counts a sample."""
        self._value[bisect.bisect_right(self._bounds, value)] += 1


class Metric:
    """Cells by the values of labels.

    Args:
      name, description: str.
      *labels: names of the labels.
    """

    def __init__(self, name, description, *labels) -> None:
        self.name, self.description, self._labels = name, description, labels
        self._cells: dict[tuple, _Cell] = {}

    def _make(self) -> _Cell:
        raise NotImplementedError

    def get_cell(self, *labels):
        """The cell for values of the labels.

        Raises:
          ValueError: another number of values than of labels.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"The {self.name} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(labels, self._make())


class Counter(Metric):
    """Numbers that grow.

    Example:
      >>> from tracefn.python.eager import monitoring
      >>> counter = monitoring.Counter("/calls", "how often something is called", "what")
      >>> counter.get_cell("f").increase_by(2)
      >>> counter.get_cell("f").value()
      2
    """

    def _make(self):
        return _Count(0)


class IntGauge(Metric):
    """Ints that are set."""

    def _make(self):
        return _Gauge(0)


class StringGauge(Metric):
    """Strings that are set."""

    def _make(self):
        return _Gauge("")


class BoolGauge(Metric):
    """Truth values that are set."""

    def _make(self):
        return _Gauge(False)


class Sampler(Metric):
    """Samples that are counted between bounds.

    Args:
      name: str.
      buckets: Buckets.
      description: str.
      *labels: names of the labels.
    """

    def __init__(self, name, buckets, description, *labels) -> None:
        super().__init__(name, description, *labels)
        self._bounds = buckets.buckets

    def _make(self):
        return _Samples(self._bounds)


class MonitoredTimer(contextlib.ContextDecorator):
    """A context that adds the microseconds that it takes to a counter's cell.

    Args:
      cell: cell of a Counter.
      monitored_section_name, avoid_repetitive_counting: accepted, without effect.
    """

    def __init__(self, cell, monitored_section_name=None, avoid_repetitive_counting=False) -> None:
        del monitored_section_name, avoid_repetitive_counting
        self._cell = cell

    def __enter__(self):
        self._start = time.monotonic()
        return self

    def __exit__(self, *_) -> None:
        self._cell.increase_by(int((time.monotonic() - self._start) * 1e6))


def monitored_timer(cell):
    """A decorator that adds the microseconds that calls take to a counter's cell."""
    return MonitoredTimer(cell)
