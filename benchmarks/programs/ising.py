"""The Ising model on a torus: Metropolis sweeps over the two colours of a checkerboard, with given noise."""

SIZES = ((16, 50), (128, 50))


def data(np, size):
    n, sweeps = size
    rng = np.random.default_rng(0)
    spins = rng.choice([-1, 1], (n, n)).astype(np.int32)
    return spins, rng.uniform(size=(sweeps, n, n)).astype(np.float32)


def tensorflow(tf):
    def simulate(spins, noise):
        n = spins.shape[0]
        black = (tf.range(n)[:, None] + tf.range(n)) % 2 == 0
        magnetization = tf.TensorArray(tf.float32, size=noise.shape[0])
        for i in tf.range(noise.shape[0]):
            for color in (black, ~black):
                around = tf.roll(spins, 1, 0) + tf.roll(spins, -1, 0) + tf.roll(spins, 1, 1) + tf.roll(spins, -1, 1)
                cost = tf.cast(2 * spins * around, tf.float32)
                flip = color & (noise[i] < tf.exp(-0.44 * cost))
                spins = tf.where(flip, -spins, spins)
            magnetization = magnetization.write(i, tf.reduce_mean(tf.cast(spins, tf.float32)))
        return spins, magnetization.stack()

    return simulate


def _sweep(xp):
    def sweep(spins, noise, black):
        for color in (black, ~black):
            around = xp.roll(spins, 1, 0) + xp.roll(spins, -1, 0) + xp.roll(spins, 1, 1) + xp.roll(spins, -1, 1)
            cost = (2 * spins * around).astype(xp.float32)
            spins = xp.where(color & (noise < xp.exp(xp.float32(-0.44) * cost)), -spins, spins)
        return spins

    return sweep


def jax(jax, jnp, lax):
    sweep = _sweep(jnp)

    def simulate(spins, noise):
        n = len(spins)
        black = (jnp.arange(n)[:, None] + jnp.arange(n)) % 2 == 0

        def step(spins, uniform):
            spins = sweep(spins, uniform, black)
            return spins, spins.astype(jnp.float32).mean()

        return lax.scan(step, spins, noise)

    return jax.jit(simulate)


def numba(njit, np):
    @njit
    def simulate(spins, noise):
        sweeps, n, _ = noise.shape
        spins = spins.copy()
        magnetization = np.empty(sweeps, np.float32)
        for k in range(sweeps):
            for color in range(2):
                for i in range(n):
                    for j in range((i + color) % 2, n, 2):
                        around = spins[i - 1, j] + spins[(i + 1) % n, j] + spins[i, j - 1] + spins[i, (j + 1) % n]
                        cost = np.float32(2 * spins[i, j] * around)
                        if noise[k, i, j] < np.exp(np.float32(-0.44) * cost):
                            spins[i, j] = -spins[i, j]
            magnetization[k] = spins.mean()
        return spins, magnetization

    return simulate


def numpy(np):
    sweep = _sweep(np)

    def simulate(spins, noise):
        n = len(spins)
        black = (np.arange(n)[:, None] + np.arange(n)) % 2 == 0
        magnetization = np.empty(len(noise), np.float32)
        for i in range(len(noise)):
            spins = sweep(spins, noise[i], black)
            magnetization[i] = spins.mean()
        return spins, magnetization

    return simulate
