"""Linear regression on features, their squares and a constant: a tape's gradients, descended with momentum."""

SIZES = ((100, 50), (1000, 200))
TOLERANCE = 1e-3


def data(np, size):
    n, steps = size
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 8)).astype(np.float32)
    y = x @ rng.normal(size=(8, 1)) + x**2 @ rng.normal(size=(8, 1)) + 0.5 + 0.1 * rng.normal(size=(n, 1))
    return x, y.astype(np.float32), np.int32(steps)


def tensorflow(tf):
    def fit(x, y, steps):
        w, u, b = tf.zeros([8, 1]), tf.zeros([8, 1]), tf.zeros([1])
        vw, vu, vb = tf.zeros([8, 1]), tf.zeros([8, 1]), tf.zeros([1])
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                tape.watch([w, u, b])
                loss = tf.reduce_mean(tf.square(x @ w + x**2 @ u + b - y))
            gw, gu, gb = tape.gradient(loss, [w, u, b])
            vw = 0.9 * vw - 0.01 * gw
            vu = 0.9 * vu - 0.01 * gu
            vb = 0.9 * vb - 0.01 * gb
            w += vw
            u += vu
            b += vb
        return w, u, b

    return fit


def jax(jax, jnp, lax):
    def fit(x, y, steps):
        def loss(weights):
            w, u, b = weights
            return jnp.mean((x @ w + x**2 @ u + b - y) ** 2)

        def step(_, state):
            weights, speeds = state
            speeds = jax.tree.map(lambda v, g: 0.9 * v - 0.01 * g, speeds, jax.grad(loss)(weights))
            return jax.tree.map(jnp.add, weights, speeds), speeds

        start = jnp.zeros((8, 1)), jnp.zeros((8, 1)), jnp.zeros(1)
        return lax.fori_loop(0, steps, step, (start, start))[0]

    return jax.jit(fit)


def numba(njit, np):
    @njit
    def fit(x, y, steps):
        n, d = x.shape
        w, u, b = np.zeros((d, 1), np.float32), np.zeros((d, 1), np.float32), np.float32(0)
        vw, vu, vb = np.zeros((d, 1), np.float32), np.zeros((d, 1), np.float32), np.float32(0)
        decay, rate = np.float32(0.9), np.float32(0.01)
        for _ in range(steps):
            gw, gu, gb = np.zeros(d, np.float32), np.zeros(d, np.float32), np.float32(0)
            for i in range(n):
                error = b - y[i, 0]
                for j in range(d):
                    error += x[i, j] * w[j, 0] + x[i, j] * x[i, j] * u[j, 0]
                error *= np.float32(2 / n)
                for j in range(d):
                    gw[j] += error * x[i, j]
                    gu[j] += error * x[i, j] * x[i, j]
                gb += error
            for j in range(d):
                vw[j, 0] = decay * vw[j, 0] - rate * gw[j]
                vu[j, 0] = decay * vu[j, 0] - rate * gu[j]
                w[j, 0] += vw[j, 0]
                u[j, 0] += vu[j, 0]
            vb = decay * vb - rate * gb
            b += vb
        return w, u, np.array([b])

    return fit


def numpy(np):
    def fit(x, y, steps):
        w, u, b = np.zeros((8, 1), np.float32), np.zeros((8, 1), np.float32), np.zeros(1, np.float32)
        vw, vu, vb = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
        for _ in range(steps):
            error = 2 * (x @ w + x**2 @ u + b - y) / len(y)
            vw = 0.9 * vw - 0.01 * (x.T @ error)
            vu = 0.9 * vu - 0.01 * ((x**2).T @ error)
            vb = 0.9 * vb - 0.01 * error.sum(0)
            w, u, b = w + vw, u + vu, b + vb
        return w, u, b

    return fit
