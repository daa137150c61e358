"""Holt's exponential smoothing of a batch of series: a level and a trend each, forecast a step ahead."""

SIZES = ((4, 100), (64, 500))
TOLERANCE = 1e-3


def data(np, size):
    rng = np.random.default_rng(0)
    return ((0.05 * np.arange(size[1]) + rng.normal(size=size)).astype(np.float32),)


def tensorflow(tf):
    def smooth(x):
        steps = tf.shape(x)[1]
        level = x[:, 0]
        trend = tf.zeros_like(level)
        forecasts = tf.TensorArray(tf.float32, size=steps)
        for t in tf.range(steps):
            ahead = level + trend
            forecasts = forecasts.write(t, ahead)
            new = 0.3 * x[:, t] + 0.7 * ahead
            trend = 0.1 * (new - level) + 0.9 * trend
            level = new
        return tf.transpose(forecasts.stack())

    return smooth


def jax(jax, jnp, lax):
    def smooth(x):
        def step(state, value):
            level, trend = state
            ahead = level + trend
            new = 0.3 * value + 0.7 * ahead
            return (new, 0.1 * (new - level) + 0.9 * trend), ahead

        return lax.scan(step, (x[:, 0], jnp.zeros_like(x[:, 0])), x.T)[1].T

    return jax.jit(smooth)


def numba(njit, np):
    @njit
    def smooth(x):
        forecasts = np.empty_like(x)
        for i in range(x.shape[0]):
            level, trend = x[i, 0], np.float32(0)
            for t in range(x.shape[1]):
                ahead = level + trend
                forecasts[i, t] = ahead
                new = np.float32(0.3) * x[i, t] + np.float32(0.7) * ahead
                trend = np.float32(0.1) * (new - level) + np.float32(0.9) * trend
                level = new
        return forecasts

    return smooth


def numpy(np):
    def smooth(x):
        forecasts = np.empty_like(x)
        level = x[:, 0]
        trend = np.zeros_like(level)
        for t in range(x.shape[1]):
            ahead = forecasts[:, t] = level + trend
            new = 0.3 * x[:, t] + 0.7 * ahead
            trend = 0.1 * (new - level) + 0.9 * trend
            level = new
        return forecasts

    return smooth
