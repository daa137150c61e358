"""The heat equation on a square plate by explicit steps, its edges kept as they are."""

SIZES = ((32, 50), (200, 100))


def data(np, size):
    n, steps = size
    u = np.random.default_rng(0).uniform(0, 1, (n, n)).astype(np.float32)
    u[0] = 2
    return u, np.int32(steps)


def tensorflow(tf):
    def diffuse(u, steps):
        for _ in tf.range(steps):
            around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
            change = 0.2 * (around - 4.0 * u[1:-1, 1:-1])
            u += tf.pad(change, [[1, 1], [1, 1]])
        return u

    return diffuse


def jax(jax, jnp, lax):
    def diffuse(u, steps):
        def step(_, u):
            around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
            return u.at[1:-1, 1:-1].add(0.2 * (around - 4 * u[1:-1, 1:-1]))

        return lax.fori_loop(0, steps, step, u)

    return jax.jit(diffuse)


def numba(njit, np):
    @njit
    def diffuse(u, steps):
        u, new = u.copy(), u.copy()
        n, m = u.shape
        for _ in range(steps):
            for i in range(1, n - 1):
                for j in range(1, m - 1):
                    around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                    new[i, j] = u[i, j] + np.float32(0.2) * (around - np.float32(4) * u[i, j])
            u, new = new, u
        return u

    return diffuse


def numpy(np):
    def diffuse(u, steps):
        u = u.copy()
        for _ in range(steps):
            around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
            u[1:-1, 1:-1] += 0.2 * (around - 4 * u[1:-1, 1:-1])
        return u

    return diffuse
