"""Heston's model by Euler–Maruyama with given noise: prices with a random variance, and a call that a barrier ends."""

SIZES = ((64, 100), (4096, 100))
TOLERANCE = 1e-3


def data(np, size):
    paths, steps = size
    return (np.random.default_rng(0).normal(size=(steps, 2, paths)).astype(np.float32),)


def tensorflow(tf):
    def price(noise):
        dt = 1.0 / noise.shape[0]
        rate, speed, mean, wild, tie = 0.03, 2.0, 0.04, 0.3, -0.7
        s = tf.fill([noise.shape[2]], 100.0)
        v = tf.fill([noise.shape[2]], 0.04)
        alive = tf.ones([noise.shape[2]], tf.bool)
        for z in noise:
            other = tie * z[0] + (1.0 - tie**2) ** 0.5 * z[1]
            spread = tf.sqrt(tf.maximum(v, 0.0) * dt)
            s += s * (rate * dt + spread * z[0])
            v += speed * (mean - v) * dt + wild * spread * other
            alive &= s < 140.0
        payoff = tf.where(alive, tf.maximum(s - 100.0, 0.0), 0.0)
        return tf.exp(-rate) * tf.reduce_mean(payoff), s, v

    return price


def _step(xp):
    def step(s, v, alive, z, dt):
        other = -0.7 * z[0] + (1 - 0.7**2) ** 0.5 * z[1]
        spread = xp.sqrt(xp.maximum(v, 0) * dt)
        s = s + s * (0.03 * dt + spread * z[0])
        v = v + 2.0 * (0.04 - v) * dt + 0.3 * spread * other
        return s, v, alive & (s < 140)

    return step


def jax(jax, jnp, lax):
    step = _step(jnp)

    def price(noise):
        steps, _, n = noise.shape
        start = jnp.full(n, 100, jnp.float32), jnp.full(n, 0.04, jnp.float32), jnp.ones(n, bool)
        s, v, alive = lax.scan(lambda state, z: (step(*state, z, 1 / steps), None), start, noise)[0]
        return jnp.exp(-0.03) * jnp.where(alive, jnp.maximum(s - 100, 0), 0).mean(), s, v

    return jax.jit(price)


def numba(njit, np):
    f32 = np.float32

    @njit
    def price(noise):
        steps, _, n = noise.shape
        dt = f32(1 / steps)
        prices, variances = np.empty(n, np.float32), np.empty(n, np.float32)
        total = f32(0)
        for i in range(n):
            s, v, alive = f32(100), f32(0.04), True
            for t in range(steps):
                first = noise[t, 0, i]
                other = f32(-0.7) * first + f32((1 - 0.7**2) ** 0.5) * noise[t, 1, i]
                spread = np.sqrt(max(v, f32(0)) * dt)
                s += s * (f32(0.03) * dt + spread * first)
                v += f32(2) * (f32(0.04) - v) * dt + f32(0.3) * spread * other
                alive = alive and s < f32(140)
            if alive:
                total += max(s - f32(100), f32(0))
            prices[i], variances[i] = s, v
        return np.exp(f32(-0.03)) * total / n, prices, variances

    return price


def numpy(np):
    step = _step(np)

    def price(noise):
        steps, _, n = noise.shape
        s, v, alive = np.full(n, 100, np.float32), np.full(n, 0.04, np.float32), np.ones(n, bool)
        for z in noise:
            s, v, alive = step(s, v, alive, z, 1 / steps)
        return np.exp(-0.03) * np.where(alive, np.maximum(s - 100, 0), 0).mean(), s, v

    return price
