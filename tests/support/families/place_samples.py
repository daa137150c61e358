"""Samples of ops that find places among numbers."""

import numpy as np

from support.sample_values import f32, grid

CALLS: dict[str, list[dict]] = {
    "NthElement": [
        {"input": grid(2, 5)[:, ::-1].copy(), "n": np.int32(1)},
        {"input": f32(3, 1, 2), "n": np.int32(0), "reverse": True},
    ],
    "Bucketize": [{"input": f32([-5, 10], [150, 0]), "boundaries": [0.0, 10.0, 100.0]}],
}
