"""The Lorenz system by Euler's method: a vector of three, the last state kept."""

SIZES = (1000, 10000)
TOLERANCE = 10  # chaos: only whether it runs


def data(np, size):
    return np.array([1.0, 1.0, 1.0], np.float32), np.int32(size)


def tensorflow(tf):
    def solve(state, steps):
        for _ in tf.range(steps):
            x, y, z = tf.unstack(state)
            state = state + 0.001 * tf.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])
        return state

    return solve


def jax(jax, jnp, lax):
    def solve(state, steps):
        def step(_, state):
            x, y, z = state
            return state + 0.001 * jnp.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

        return lax.fori_loop(0, steps, step, state)

    return jax.jit(solve)


def _plain(np):
    def solve(state, steps):
        f = np.float32
        dt, ten, most, ratio = f(0.001), f(10), f(28), f(8 / 3)
        for _ in range(steps):
            x, y, z = state[0], state[1], state[2]
            state = state + dt * np.array([ten * (y - x), x * (most - z) - y, x * y - ratio * z], dtype=np.float32)
        return state

    return solve


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
