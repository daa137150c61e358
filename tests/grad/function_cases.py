"""Gradients of public functions as expressions of x, which tracefn and TensorFlow answer alike."""

from __future__ import annotations

import numpy as np
from grad.rule_cases import dense, kind_of, weights

X = (np.arange(6).reshape(2, 3) * 7 % 5 + np.arange(6).reshape(2, 3) / 8 + 0.3) / 3.0
REAL = """
tf.reduce_mean(x, 0, keepdims=True)
tf.math.reduce_std(x, 1)
tf.math.reduce_variance(x, 0)
tf.reduce_logsumexp(x, 1)
tf.reduce_logsumexp(x)
tf.math.reduce_euclidean_norm(x, 1)
tf.norm(x, axis=1)
tf.norm(x, ord=1)
tf.norm(x, ord=3, axis=0)
tf.norm(x, ord=np.inf, axis=1)
tf.nn.softmax(x)
tf.nn.softmax(x, axis=0)
tf.nn.log_softmax(x, 0)
tf.nn.relu(x - 0.5)
tf.nn.relu6(x * 9.0 - 2.0)
tf.nn.leaky_relu(x - 0.5, 0.3)
tf.nn.elu(x - 0.5)
tf.nn.selu(x - 0.5)
tf.nn.gelu(x - 0.5)
tf.nn.gelu(x - 0.5, approximate=True)
tf.nn.silu(x - 0.5)
tf.nn.softplus(x)
tf.nn.crelu(x - 0.5)
tf.nn.l2_loss(x)
tf.nn.l2_normalize(x, 1)
tf.nn.moments(x, [0])[1]
tf.nn.bias_add(x, x[0])
tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x * 0.5), x)
tf.nn.softmax_cross_entropy_with_logits(tf.stop_gradient(tf.nn.softmax(x)), x * x)
tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x)
tf.nn.sigmoid_cross_entropy_with_logits(labels=x * 0.2, logits=x)
tf.nn.weighted_cross_entropy_with_logits(x * 0.2, x, 1.7)
tf.nn.log_poisson_loss(x, x * 0.3)
tf.nn.batch_normalization(x, x[0], x[1] * x[1], 0.3, 1.2, 0.01)
tf.nn.embedding_lookup(x, [1, 0, 1])
tf.matmul(x, x, transpose_b=True)
tf.matmul(tf.stack([x, 2.0 * x]), x, transpose_a=True)
tf.linalg.matvec(x, x[1])
tf.tensordot(x, x, [[1], [1]])
tf.tensordot(x, x, 0)
tf.einsum("ij,kj->ik", x, x)
tf.einsum("ij->j", x * x)
tf.einsum("bi,bj->bij", x, x)
tf.cumsum(x, 1, exclusive=True)
tf.cumsum(x, 0, reverse=True)
tf.math.cumprod(x, 1, reverse=True)
tf.math.cumulative_logsumexp(x, 1)
tf.clip_by_value(x, 0.5, 1.0)
tf.clip_by_norm(x, 1.0)
tf.clip_by_norm(x, 1.0, axes=[1])
tf.clip_by_global_norm([x, x[0]], 1.0)[0][0]
tf.where(x > 0.7, x * x, tf.sin(x))
tf.where(x > 0.7, x[0], 0.0)
tf.maximum(x, x[0])
tf.minimum(x, 0.8)
tf.math.pow(x, x)
tf.math.atan2(x, x[0])
tf.math.xlogy(x, x)
tf.math.divide_no_nan(x, x - x[0])
tf.math.squared_difference(x, x[1])
tf.math.floormod(x, 0.4)
tf.math.lbeta(x + 1.0)
tf.math.lgamma(x + 1.0)
tf.math.digamma(x + 1.0)
tf.math.erf(x)
tf.math.ndtri(x * 0.3)
tf.math.log_sigmoid(x)
tf.math.top_k(x, 2)[0]
tf.sort(x, 1, direction="DESCENDING")
tf.gather(x, [1, 0, 1])
tf.gather(x, [[2, 0]], axis=1)
tf.gather(x, [[2, 0], [1, 1]], batch_dims=1)
tf.gather_nd(x, [[1, 2], [0, 0], [1, 2]])
tf.boolean_mask(x, x > 0.6)
tf.dynamic_partition(x, [1, 0], 2)[0]
tf.dynamic_stitch([[0, 2], [1]], [x, x[:1]])
tf.scatter_nd([[2], [0]], x, [4, 3])
tf.tensor_scatter_nd_add(x, [[0, 1], [1, 1]], x[:, 0])
tf.tensor_scatter_nd_update(x, [[0, 1], [1, 1]], x[:, 0])
tf.tensor_scatter_nd_max(x, [[0, 1], [1, 1]], x[:, 0])
tf.math.segment_sum(x, [0, 0])
tf.math.segment_mean(x, [0, 1])
tf.math.segment_max(x, [0, 0])
tf.math.segment_prod(x, [0, 0])
tf.math.unsorted_segment_sum(x, [2, 2], 3)
tf.math.unsorted_segment_mean(x, [2, 2], 3)
tf.math.unsorted_segment_max(x, [2, 2], 3)
tf.math.unsorted_segment_prod(x, [2, 2], 3)
x[::-1, 1:]
x[..., tf.newaxis, 1]
x[:, 1]
tf.strided_slice(x, [0, 2], [2, 0], [1, -1])
tf.slice(x, [0, 1], [-1, 2])
tf.reverse(x, [1])
tf.roll(x, [1, -1], [0, 1])
tf.transpose(x)
tf.reshape(x, [3, -1])
tf.squeeze(x[:, :1])
tf.expand_dims(x, 1)
tf.tile(x, [2, 1])
tf.repeat(x, [2, 0, 1], axis=1)
tf.broadcast_to(x[0], [2, 3])
tf.pad(x, [[1, 0], [0, 2]])
tf.pad(x, [[1, 0], [0, 2]], "REFLECT")
tf.pad(x, [[1, 0], [0, 2]], "SYMMETRIC")
tf.concat([x, x * x], 1)
tf.stack([x, x * x], 1)
tf.unstack(x, axis=1)[1]
tf.split(x, [1, 2], 1)[1]
tf.meshgrid(x[0], x[1])[0]
tf.add_n([x, x, x * x])
tf.eye(2, dtype=x.dtype) @ x
tf.linalg.diag(x[0]) @ tf.transpose(x)
tf.linalg.diag_part(tf.matmul(x, x, transpose_b=True))
tf.linalg.set_diag(tf.matmul(x, x, transpose_a=True), x[0])
tf.linalg.band_part(x, 0, 1)
tf.linalg.trace(tf.matmul(x, x, transpose_b=True))
tf.linalg.det(x[:, :2])
tf.linalg.slogdet(x[:, :2])[1]
tf.linalg.logdet(tf.matmul(x, x, transpose_b=True) + tf.eye(2, dtype=x.dtype))
tf.linalg.inv(x[:, :2])
tf.linalg.solve(x[:, :2], x[:, 1:])
tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + tf.eye(2, dtype=x.dtype))
tf.linalg.triangular_solve(x[:, :2], x[:, 1:])
tf.linalg.cross(x, x[::-1])
tf.linalg.normalize(x)[0]
tf.linalg.adjoint(x)
tf.map_fn(lambda row: row * row[0], x)
tf.scan(lambda a, row: a * row, x)
tf.foldl(lambda a, row: a + row * row, x)
tf.vectorized_map(lambda row: row * row[0], x)
tf.stop_gradient(x) * x
tf.identity(x) * x
tf.cast(tf.cast(x, tf.complex128) ** 2.0, x.dtype)
tf.math.real(tf.complex(x, x) ** 2.0)
tf.abs(tf.complex(x, x * x))
tf.math.angle(tf.complex(x, x * x))
tf.raw_ops.Cast(x=x, DstT=tf.float16)
tf.math.polyval([x, x[0]], x[1])
tf.math.zero_fraction(x)
tf.ensure_shape(x, [2, None])
tf.debugging.check_numerics(x, "odd")
tf.reduce_prod(x, 1)
tf.reduce_prod(tf.concat([x, tf.zeros([2, 1], x.dtype)], 1), 1)
tf.reduce_max(tf.concat([x, x], 1), 1)
tf.reduce_min(x)
tf.math.accumulate_n([x, x * x])
tf.image.flip_left_right(x[tf.newaxis, :, :, tf.newaxis])
tf.signal.fft(tf.cast(x, tf.complex128))
"""
COMPLEX = """
z * z
tf.abs(z)
tf.math.angle(z)
tf.math.conj(z) * z
tf.math.real(z) * tf.math.imag(z)
tf.exp(z) / z
tf.sqrt(z)
tf.math.log(z)
tf.sin(z) + tf.cosh(z)
tf.tanh(z)
tf.pow(z, 2.5)
tf.reduce_sum(z, 1)
tf.reduce_prod(z, 1)
tf.reduce_mean(z)
tf.matmul(z, z, adjoint_b=True)
tf.matmul(z, z, transpose_b=True)
tf.linalg.det(z[:, :2])
tf.linalg.inv(z[:, :2])
tf.einsum("ij,kj->ik", z, tf.math.conj(z))
tf.linalg.adjoint(z)
tf.cumsum(z, 1)
tf.math.cumprod(z, 1)
tf.math.reciprocal(z)
tf.math.rsqrt(z)
tf.math.xlogy(z, z)
tf.math.divide_no_nan(z, z + 1.0)
tf.math.squared_difference(z, z[0])
tf.where(tf.abs(z) > 0.7, z, z * z)
tf.gather(z, [1, 0, 1])
tf.norm(z)
tf.nn.l2_normalize(z)
tf.sigmoid(z)
tf.math.sign(z)
tf.math.asinh(z)
"""


def expressions() -> list[str]:
    """All of them, by one variable each."""
    return [line for line in (REAL + COMPLEX).splitlines() if line]


def gradients(expression: str, tf) -> dict:
    """The first and second gradients of an expression's value, weighted by fixed numbers.

    Raises:
      Exception: whatever the module does.
    """
    is_complex = expression in COMPLEX.splitlines()
    x = tf.constant(X + (0.4j * X[::-1] - 0.2j if is_complex else 0.0))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = eval(expression, {"tf": tf, "np": np, "x": x, "z": x})  # written above
        first = dense(inner.gradient(y, x, tf.constant(weights(y, 0))), tf)
    answer = {"first": [first]}
    try:
        second = None if first is None else outer.gradient(first, x, tf.constant(weights(first, 7)))
        answer["second"] = [dense(second, tf)]
    except Exception as error: # its kind is recorded and compared
        answer["second"] = kind_of(error)
    return {
        order: found if isinstance(found, str) else [None if g is None else g.numpy() for g in found]
        for order, found in answer.items()
    }
