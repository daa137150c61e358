"""Newton's method for two equations of two unknowns, from many starts, until each has converged."""

SIZES = (20, 200)
TOLERANCE = 1e-3


def data(np, size):
    return (np.random.default_rng(0).uniform(0.5, 2, (size, 2)).astype(np.float32),)


def tensorflow(tf):
    def solve(starts):
        roots = tf.TensorArray(tf.float32, size=tf.shape(starts)[0])
        for i in tf.range(tf.shape(starts)[0]):
            v = starts[i]
            error = tf.constant(1.0)
            n = 0
            while error > 1e-6 and n < 50:
                x, y = v[0], v[1]
                f = tf.stack([x * x + y * y - 4.0, x * y - 1.0])
                a, b, c, d = 2.0 * x, 2.0 * y, y, x
                det = a * d - b * c
                step = tf.stack([d * f[0] - b * f[1], a * f[1] - c * f[0]]) / det
                v = v - step
                error = tf.reduce_max(tf.abs(step))
                n += 1
            roots = roots.write(i, v)
        return roots.stack()

    return solve


def jax(jax, jnp, lax):
    def one(v):
        def step(state):
            v, _, n = state
            x, y = v
            f = jnp.stack([x * x + y * y - 4.0, x * y - 1.0])
            a, b, c, d = 2.0 * x, 2.0 * y, y, x
            move = jnp.stack([d * f[0] - b * f[1], a * f[1] - c * f[0]]) / (a * d - b * c)
            return v - move, jnp.max(jnp.abs(move)), n + 1

        return lax.while_loop(lambda s: (s[1] > 1e-6) & (s[2] < 50), step, (v, jnp.float32(1), 0))[0]

    return jax.jit(lambda starts: lax.map(one, starts))


def _plain(np):
    def solve(starts):
        roots = np.empty_like(starts)
        f32 = np.float32
        for i in range(len(starts)):
            x, y = starts[i, 0], starts[i, 1]
            error, n = f32(1), 0
            while error > 1e-6 and n < 50:
                f, g = x * x + y * y - f32(4), x * y - f32(1)
                a, b, c, d = f32(2) * x, f32(2) * y, y, x
                det = a * d - b * c
                p, q = (d * f - b * g) / det, (a * g - c * f) / det
                x, y = x - p, y - q
                error = max(abs(p), abs(q))
                n += 1
            roots[i, 0], roots[i, 1] = x, y
        return roots

    return solve


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
