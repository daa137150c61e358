"""A particle filter for a hidden position, with given noise and systematic resampling."""

SIZES = ((100, 30), (1000, 100))
TOLERANCE = 0.1  # rounding decides which particle is drawn, and neighbours differ


def data(np, size):
    n, steps = size
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(steps, n)).astype(np.float32)
    offsets = rng.uniform(size=steps).astype(np.float32)
    seen = (np.sin(np.arange(steps) * 0.2) * 2 + 0.3 * rng.normal(size=steps)).astype(np.float32)
    return seen, noise, offsets


def tensorflow(tf):
    def track(seen, noise, offsets):
        steps, n = noise.shape
        x = tf.zeros([n])
        path = tf.TensorArray(tf.float32, size=steps)
        for t in tf.range(steps):
            x = 0.9 * x + 0.5 * noise[t]
            weights = tf.exp(-((seen[t] - x) ** 2) / (2 * 0.3**2))
            weights /= tf.reduce_sum(weights)
            path = path.write(t, tf.reduce_sum(weights * x))
            points = (tf.range(n, dtype=tf.float32) + offsets[t]) / n
            chosen = tf.searchsorted(tf.cumsum(weights), points)
            x = tf.gather(x, tf.minimum(chosen, n - 1))
        return path.stack()

    return track


def jax(jax, jnp, lax):
    def track(seen, noise, offsets):
        n = noise.shape[1]

        def step(x, inputs):
            z, shocks, offset = inputs
            x = 0.9 * x + 0.5 * shocks
            weights = jnp.exp(-((z - x) ** 2) / (2 * 0.3**2))
            weights = weights / weights.sum()
            chosen = jnp.searchsorted(jnp.cumsum(weights), (jnp.arange(n) + offset) / n)
            return x[jnp.minimum(chosen, n - 1)], (weights * x).sum()

        return lax.scan(step, jnp.zeros(n, jnp.float32), (seen, noise, offsets))[1]

    return jax.jit(track)


def numba(njit, np):
    f32 = np.float32

    @njit
    def track(seen, noise, offsets):
        steps, n = noise.shape
        x, moved, weights = np.zeros(n, np.float32), np.empty(n, np.float32), np.empty(n, np.float32)
        path = np.empty(steps, np.float32)
        for t in range(steps):
            total = f32(0)
            for i in range(n):
                moved[i] = f32(0.9) * x[i] + f32(0.5) * noise[t, i]
                apart = seen[t] - moved[i]
                weights[i] = np.exp(-apart * apart / f32(2 * 0.3**2))
                total += weights[i]
            mean = f32(0)
            for i in range(n):
                weights[i] /= total
                mean += weights[i] * moved[i]
            path[t] = mean
            k, reached = 0, weights[0]
            for i in range(n):
                point = (f32(i) + offsets[t]) / f32(n)
                while reached < point and k < n - 1:
                    k += 1
                    reached += weights[k]
                x[i] = moved[k]
        return path

    return track


def numpy(np):
    def track(seen, noise, offsets):
        steps, n = noise.shape
        x = np.zeros(n, np.float32)
        path = np.empty(steps, np.float32)
        for t in range(steps):
            x = 0.9 * x + 0.5 * noise[t]
            weights = np.exp(-((seen[t] - x) ** 2) / (2 * 0.3**2))
            weights /= weights.sum()
            path[t] = (weights * x).sum()
            chosen = np.searchsorted(np.cumsum(weights), (np.arange(n, dtype=np.float32) + offsets[t]) / n)
            x = x[np.minimum(chosen, n - 1)]
        return path

    return track
