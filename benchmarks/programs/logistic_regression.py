"""Logistic regression by gradient descent, the gradient from a tape."""

SIZES = (20, 200)
TOLERANCE = 1e-3


def data(np, size):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 8)).astype(np.float32)
    y = (x @ rng.normal(size=8) > 0).astype(np.float32)
    return x, y, np.int32(size)


def tensorflow(tf):
    def fit(x, y, steps):
        w = tf.zeros([8])
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                tape.watch(w)
                z = tf.linalg.matvec(x, w)
                loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=z))
            w -= 0.5 * tape.gradient(loss, w)
        return w

    return fit


def jax(jax, jnp, lax):
    def fit(x, y, steps):
        def loss(w):
            z = x @ w
            return jnp.mean(jax.nn.softplus(z) - z * y)

        return lax.fori_loop(0, steps, lambda _, w: w - 0.5 * jax.grad(loss)(w), jnp.zeros(8, jnp.float32))

    return jax.jit(fit)


def _plain(np):
    def fit(x, y, steps):
        w = np.zeros(8, np.float32)
        transposed = np.ascontiguousarray(x.T)
        for _ in range(steps):
            p = 1 / (1 + np.exp(-(x @ w)))
            w = w - np.float32(0.5) * (transposed @ (p - y)) / np.float32(len(y))
        return w

    return fit


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
