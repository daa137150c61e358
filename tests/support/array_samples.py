"""Calls of the array functions, each with its reference in NumPy: what the tests of values, shapes and modes share."""

from __future__ import annotations

import numpy as np
import tracefn as tf

NUMBERS = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
FLOATS = ("float16", "float32", "float64")
MOVED = NUMBERS + COMPLEX + ("bool",)


def _one_hot(x):
    return np.eye(4, dtype=np.float32)[np.clip(x.astype(int), 0, 3)]


# name: (function of a tensor, reference of an array, dtypes); the argument has shape (2, 3) and elements 0, 1, 2, ...
MATRIX = {
    "transpose": (tf.transpose, np.transpose, MOVED),
    "reshape": (lambda x: tf.reshape(x, [3, -1]), lambda x: x.reshape(3, 2), MOVED),
    "concat": (lambda x: tf.concat([x, x], 1), lambda x: np.concatenate([x, x], 1), MOVED),
    "stack": (lambda x: tf.stack([x, x], -1), lambda x: np.stack([x, x], -1), MOVED),
    "unstack": (lambda x: tf.unstack(x, axis=1)[2], lambda x: x[:, 2], MOVED),
    "split": (lambda x: tf.split(x, 3, 1)[1], lambda x: x[:, 1:2], MOVED),
    "split_sizes": (lambda x: tf.split(x, [1, -1], 1)[1], lambda x: x[:, 1:], MOVED),
    "tile": (lambda x: tf.tile(x, [2, 3]), lambda x: np.tile(x, (2, 3)), MOVED),
    "pad": (lambda x: tf.pad(x, [[1, 0], [0, 2]]), lambda x: np.pad(x, [(1, 0), (0, 2)]), MOVED),
    "pad_reflect": (
        lambda x: tf.pad(x, [[1, 0], [2, 2]], "REFLECT"),
        lambda x: np.pad(x, [(1, 0), (2, 2)], "reflect"),
        MOVED,
    ),
    "pad_symmetric": (
        lambda x: tf.pad(x, [[1, 0], [2, 3]], "SYMMETRIC"),
        lambda x: np.pad(x, [(1, 0), (2, 3)], "symmetric"),
        MOVED,
    ),
    "expand_dims": (lambda x: tf.expand_dims(x, 1), lambda x: x[:, None], MOVED),
    "squeeze": (lambda x: tf.squeeze(x[:, :1], 1), lambda x: x[:, 0], MOVED),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [4, 2, 3]), lambda x: np.broadcast_to(x, (4, 2, 3)), MOVED),
    "reverse": (lambda x: tf.reverse(x, [1]), lambda x: x[:, ::-1], MOVED),
    "roll": (lambda x: tf.roll(x, [1, -1], [0, 1]), lambda x: np.roll(x, [1, -1], [0, 1]), MOVED),
    "repeat": (lambda x: tf.repeat(x, [2, 0, 1], axis=1), lambda x: np.repeat(x, [2, 0, 1], 1), NUMBERS),
    "gather": (lambda x: tf.gather(x, [2, 0], axis=1), lambda x: x[:, [2, 0]], MOVED),
    "gather_batch": (
        lambda x: tf.gather(x, [[2], [1]], axis=1, batch_dims=1),
        lambda x: np.take_along_axis(x, np.array([[2], [1]]), 1),
        MOVED,
    ),
    "gather_nd": (lambda x: tf.gather_nd(x, [[0, 2], [1, 1]]), lambda x: x[[0, 1], [2, 1]], MOVED),
    "gather_nd_batch": (
        lambda x: tf.gather_nd(x, [[2], [1]], batch_dims=1),
        lambda x: x[[0, 1], [2, 1]],
        MOVED,
    ),
    "boolean_mask": (
        lambda x: tf.boolean_mask(x, [True, False, True], axis=1),
        lambda x: x[:, [True, False, True]],
        MOVED,
    ),
    "slice": (lambda x: tf.slice(x, [0, 1], [-1, 2]), lambda x: x[:, 1:], MOVED),
    "strided_slice": (
        lambda x: tf.strided_slice(x, [1, 2], [-3, -4], [-1, -2]),
        lambda x: x[1:-3:-1, 2:-4:-2],
        MOVED,
    ),
    "where_select": (lambda x: tf.where(x > 2, x, tf.zeros_like(x)), lambda x: np.where(x > 2, x, 0 * x), NUMBERS),
    "where_indices": (tf.where, np.argwhere, MOVED),
    "zeros_like": (tf.zeros_like, np.zeros_like, MOVED),
    "ones_like": (tf.ones_like, np.ones_like, MOVED),
    "fill": (lambda x: tf.fill([2, 2], x[1, 2]), lambda x: np.full((2, 2), x[1, 2]), MOVED),
    "one_hot": (lambda x: tf.one_hot(tf.cast(x, tf.int32) % 4, 4), lambda x: _one_hot(x % 4), NUMBERS),
    "reduce_sum": (lambda x: tf.reduce_sum(x, 1), lambda x: x.sum(1, dtype=x.dtype), NUMBERS + COMPLEX),
    "reduce_sum_all": (tf.reduce_sum, lambda x: x.sum(dtype=x.dtype), NUMBERS + COMPLEX),
    "reduce_sum_keep": (
        lambda x: tf.reduce_sum(x, [0, -1], keepdims=True),
        lambda x: x.sum((0, 1), dtype=x.dtype, keepdims=True),
        NUMBERS + COMPLEX,
    ),
    "reduce_prod": (lambda x: tf.reduce_prod(x, 0), lambda x: x.prod(0, dtype=x.dtype), NUMBERS + COMPLEX),
    "reduce_max": (lambda x: tf.reduce_max(x, 0), lambda x: x.max(0), NUMBERS),
    "reduce_min": (lambda x: tf.reduce_min(x, 1), lambda x: x.min(1), NUMBERS),
    "reduce_mean": (
        lambda x: tf.reduce_mean(x, 0),
        lambda x: x.mean(0).astype(x.dtype),
        NUMBERS + COMPLEX,
    ),
    "reduce_std": (lambda x: tf.math.reduce_std(x, 1), lambda x: x.std(1), FLOATS),
    "reduce_variance": (lambda x: tf.math.reduce_variance(x, 1), lambda x: x.var(1), FLOATS),
    "reduce_logsumexp": (
        lambda x: tf.reduce_logsumexp(x, 1),
        lambda x: np.log(np.exp(x.astype(np.float64)).sum(1)),
        FLOATS,
    ),
    "reduce_all": (lambda x: tf.reduce_all(x, 1), lambda x: x.all(1), ("bool",)),
    "reduce_any": (lambda x: tf.reduce_any(x, 1), lambda x: x.any(1), ("bool",)),
    "count_nonzero": (tf.math.count_nonzero, np.count_nonzero, NUMBERS + ("bool",)),
    "argmax": (lambda x: tf.argmax(x, 1), lambda x: x.argmax(1), NUMBERS),
    "argmin": (lambda x: tf.argmin(x, 1), lambda x: x.argmin(1), NUMBERS),
    "cumsum": (lambda x: tf.cumsum(x, 1), lambda x: x.cumsum(1, dtype=x.dtype), NUMBERS + COMPLEX),
    "cumprod": (lambda x: tf.math.cumprod(x, 1), lambda x: x.cumprod(1, dtype=x.dtype), NUMBERS + COMPLEX),
    "sort": (lambda x: tf.sort(x, direction="DESCENDING"), lambda x: np.sort(x)[:, ::-1], NUMBERS),
    "sort_rows": (lambda x: tf.sort(x, axis=0), lambda x: np.sort(x, 0), NUMBERS),
    "top_k": (lambda x: tf.math.top_k(x, 2).values, lambda x: np.sort(x)[:, :0:-1], NUMBERS),
    "matmul": (
        lambda x: tf.matmul(x, x, transpose_b=True),
        lambda x: x @ x.T,
        FLOATS + COMPLEX + ("int32", "int64"),
    ),
    "matmul_batch": (
        lambda x: tf.matmul(x[None], x, adjoint_a=True),
        lambda x: (x.conj().T @ x)[None],
        FLOATS + COMPLEX + ("int32", "int64"),
    ),
    "matvec": (lambda x: tf.linalg.matvec(x, x[0]), lambda x: x @ x[0], FLOATS + COMPLEX),
    "tensordot": (lambda x: tf.tensordot(x, x, [[0], [0]]), lambda x: x.T @ x, FLOATS + COMPLEX),
    "norm": (lambda x: tf.norm(x, axis=1), lambda x: np.linalg.norm(x.astype(np.float64), axis=1), FLOATS),
    "norm_1": (lambda x: tf.norm(x, 1, axis=[0, 1]), lambda x: np.linalg.norm(x.astype(np.float64), 1), FLOATS),
    "diag": (lambda x: tf.linalg.diag(x[1]), lambda x: np.diag(x[1]), MOVED),
    "diag_part": (tf.linalg.diag_part, np.diagonal, MOVED),
    "trace": (tf.linalg.trace, lambda x: np.trace(x, dtype=x.dtype), NUMBERS + COMPLEX),
    "softmax": (
        tf.nn.softmax,
        lambda x: np.exp(x.astype(np.float64)) / np.exp(x.astype(np.float64)).sum(1, keepdims=True),
        FLOATS,
    ),
    "l2_loss": (tf.nn.l2_loss, lambda x: (x**2).sum() / 2, FLOATS),
    "bias_add": (lambda x: tf.nn.bias_add(x, x[0]), lambda x: x + x[0], NUMBERS + COMPLEX),
}
