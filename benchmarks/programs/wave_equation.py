"""The wave equation on a ring, by rolls of the string."""

SIZES = ((100, 100), (2000, 500))
TOLERANCE = 1e-3


def data(np, size):
    n, steps = size
    x = np.arange(n) / n
    return np.exp(-100 * (x - 0.5) ** 2).astype(np.float32), np.int32(steps)


def tensorflow(tf):
    def swing(u, steps):
        last = u
        for _ in tf.range(steps):
            bend = tf.roll(u, 1, 0) - 2.0 * u + tf.roll(u, -1, 0)
            new = 2.0 * u - last + 0.25 * bend
            last = u
            u = new
        return u

    return swing


def jax(jax, jnp, lax):
    def swing(u, steps):
        def step(_, state):
            u, last = state
            bend = jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1)
            return 2 * u - last + 0.25 * bend, u

        return lax.fori_loop(0, steps, step, (u, u))[0]

    return jax.jit(swing)


def numba(njit, np):
    @njit
    def swing(u, steps):
        n = len(u)
        u, last = u.copy(), u.copy()
        two, quarter = np.float32(2), np.float32(0.25)
        for _ in range(steps):
            new = np.empty_like(u)
            for i in range(n):
                bend = u[i - 1] - two * u[i] + u[(i + 1) % n]
                new[i] = two * u[i] - last[i] + quarter * bend
            last = u
            u = new
        return u

    return swing


def numpy(np):
    def swing(u, steps):
        last = u
        for _ in range(steps):
            bend = np.roll(u, 1) - 2 * u + np.roll(u, -1)
            u, last = 2 * u - last + 0.25 * bend, u
        return u

    return swing
