"""Roots of many equations at once by bisection."""

SIZES = (16, 4096)


def data(np, size):
    return (np.linspace(0.1, 10, size).astype(np.float32),)


def _solve(xp):
    def solve(a):
        low, high = xp.zeros_like(a), xp.ones_like(a) * 4
        for _ in range(30):
            middle = (low + high) / 2
            below = middle * middle * middle < a
            low, high = xp.where(below, middle, low), xp.where(below, high, middle)
        return low

    return solve


def tensorflow(tf):
    def solve(a):
        low, high = tf.zeros_like(a), tf.ones_like(a) * 4
        for _ in tf.range(30):
            middle = (low + high) / 2
            below = middle * middle * middle < a
            low, high = tf.where(below, middle, low), tf.where(below, high, middle)
        return low

    return solve


def jax(jax, jnp, lax):
    def solve(a):
        def step(_, ends):
            low, high = ends
            middle = (low + high) / 2
            below = middle * middle * middle < a
            return jnp.where(below, middle, low), jnp.where(below, high, middle)

        return lax.fori_loop(0, 30, step, (jnp.zeros_like(a), jnp.ones_like(a) * 4))[0]

    return jax.jit(solve)


def numba(njit, np):
    @njit
    def solve(a):
        out = np.empty_like(a)
        for i in range(len(a)):
            low, high = np.float32(0), np.float32(4)
            for _ in range(30):
                middle = (low + high) / np.float32(2)
                if middle * middle * middle < a[i]:
                    low = middle
                else:
                    high = middle
            out[i] = low
        return out

    return solve


def numpy(np):
    return _solve(np)
