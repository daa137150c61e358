"""The random numbers by which queues are shuffled."""

from __future__ import annotations

import os

from tracefn import _core

_PHILOX = 1
_AT_ONCE = 256  # a multiple of the 4 that one step of the generator gives


class RandomNumbers:
    """Numbers of 32 bits from a Philox generator; those of TensorFlow for its seeds.

    Args:
      seed, seed2: ints; both 0: the numbers differ each time.
    """

    def __init__(self, seed: int, seed2: int) -> None:
        if seed == 0 and seed2 == 0:
            seed, seed2 = (int.from_bytes(os.urandom(8), "little") for _ in range(2))
        self._key = seed & (1 << 64) - 1
        self._high = seed2 & (1 << 64) - 1
        self._steps = 0
        self._left: list[int] = []

    def next(self) -> int:
        """The next number."""
        if not self._left:
            with _core.TargetContext(None):
                numbers = _core.raw_op("StatelessRandomUniformFullIntV2")(
                    shape=[_AT_ONCE],
                    key=_uint64([self._key]),
                    counter=_uint64([self._steps, self._high]),
                    alg=_PHILOX,
                    dtype="uint32",
                )
            self._steps += _AT_ONCE // 4
            self._left = numbers.numpy().tolist()[::-1]
        return self._left.pop()


def _uint64(values: list[int]):
    return _core.convert_to_tensor(values, dtype="uint64")
