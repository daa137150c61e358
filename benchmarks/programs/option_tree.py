"""American puts of many strikes by a binomial tree, from the leaves to the root."""

SIZES = ((4, 50), (32, 500))
TOLERANCE = 1e-3


def data(np, size):
    strikes, steps = size
    return np.linspace(80, 120, strikes).astype(np.float32), np.int32(steps)


def tensorflow(tf):
    def price(strikes, steps):
        rate, sigma = 0.05, 0.2
        dt = 1.0 / tf.cast(steps, tf.float32)
        up = tf.exp(sigma * tf.sqrt(dt))
        p = (tf.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
        shrink = tf.exp(-rate * dt)
        spot = 100.0 * up ** tf.cast(2 * tf.range(steps + 1) - steps, tf.float32)
        value = tf.maximum(strikes[:, None] - spot, 0.0)
        for _ in tf.range(steps):
            spot *= up
            after = tf.concat([value[:, 1:], value[:, -1:]], 1)
            value = tf.maximum(shrink * (p * after + (1.0 - p) * value), strikes[:, None] - spot)
        return value[:, 0]

    return price


def jax(jax, jnp, lax):
    def price(strikes, steps):
        rate, sigma = 0.05, 0.2
        dt = 1 / steps
        up = jnp.exp(sigma * jnp.sqrt(dt))
        p = (jnp.exp(rate * dt) - 1 / up) / (up - 1 / up)
        shrink = jnp.exp(-rate * dt)
        spot = 100 * up ** (2 * jnp.arange(steps + 1) - steps).astype(jnp.float32)

        def back(_, state):
            spot, value = state
            spot = spot * up
            after = jnp.roll(value, -1, 1)
            return spot, jnp.maximum(shrink * (p * after + (1 - p) * value), strikes[:, None] - spot)

        return lax.fori_loop(0, steps, back, (spot, jnp.maximum(strikes[:, None] - spot, 0)))[1][:, 0]

    return jax.jit(price, static_argnums=1)


def numba(njit, np):
    f32 = np.float32

    @njit
    def price(strikes, steps):
        rate, sigma = 0.05, 0.2
        dt = 1 / steps
        up = np.exp(sigma * np.sqrt(dt))
        p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
        shrink = np.exp(-rate * dt)
        rising, falling, up = f32(shrink * p), f32(shrink * (1 - p)), f32(up)
        first = np.empty(steps + 1, np.float32)
        for j in range(steps + 1):
            first[j] = f32(100) * up ** f32(2 * j - steps)
        prices = np.empty_like(strikes)
        for s in range(len(strikes)):
            spot = first.copy()
            value = np.maximum(strikes[s] - spot, f32(0))
            for n in range(steps, 0, -1):
                for j in range(n):
                    spot[j] *= up
                    value[j] = max(rising * value[j + 1] + falling * value[j], strikes[s] - spot[j])
            prices[s] = value[0]
        return prices

    return price


def numpy(np):
    def price(strikes, steps):
        rate, sigma = 0.05, 0.2
        dt = 1 / steps
        up = np.exp(sigma * np.sqrt(dt))
        p = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
        shrink = np.exp(-rate * dt)
        spot = (100 * up ** (2.0 * np.arange(steps + 1) - steps)).astype(np.float32)
        value = np.maximum(strikes[:, None] - spot, 0)
        for _ in range(steps):
            spot = (spot[:-1] * up).astype(np.float32)
            value = (shrink * (p * value[:, 1:] + (1 - p) * value[:, :-1])).astype(np.float32)
            value = np.maximum(value, strikes[:, None] - spot)
        return value[:, 0]

    return price
