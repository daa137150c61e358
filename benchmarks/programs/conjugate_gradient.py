"""Conjugate gradients for a symmetric positive definite system, until the residual is small."""

SIZES = (20, 300)
TOLERANCE = 1e-3


def data(np, size):
    rng = np.random.default_rng(0)
    m = rng.normal(size=(size, size))
    return (m @ m.T / size + 0.1 * np.eye(size)).astype(np.float32), rng.normal(size=size).astype(np.float32)


def tensorflow(tf):
    def solve(a, b):
        x = tf.zeros_like(b)
        r = b
        p = r
        square = tf.tensordot(r, r, 1)
        limit = 1e-10 * square
        n = 0
        while square > limit and n < 200:
            ap = tf.linalg.matvec(a, p)
            alpha = square / tf.tensordot(p, ap, 1)
            x += alpha * p
            r -= alpha * ap
            new = tf.tensordot(r, r, 1)
            p = r + new / square * p
            square = new
            n += 1
        return x

    return solve


def jax(jax, jnp, lax):
    def solve(a, b):
        limit = 1e-10 * (b @ b)

        def step(state):
            x, r, p, square, n = state
            ap = a @ p
            alpha = square / (p @ ap)
            r = r - alpha * ap
            new = r @ r
            return x + alpha * p, r, r + new / square * p, new, n + 1

        start = jnp.zeros_like(b), b, b, b @ b, 0
        return lax.while_loop(lambda state: (state[3] > limit) & (state[4] < 200), step, start)[0]

    return jax.jit(solve)


def numba(njit, np):
    @njit
    def solve(a, b):
        m = len(b)
        x, r, p = np.zeros_like(b), b.copy(), b.copy()
        square = r @ r
        limit = np.float32(1e-10) * square
        n = 0
        while square > limit and n < 200:
            ap = a @ p
            alpha = square / (p @ ap)
            for i in range(m):
                x[i] += alpha * p[i]
                r[i] -= alpha * ap[i]
            new = r @ r
            for i in range(m):
                p[i] = r[i] + new / square * p[i]
            square = new
            n += 1
        return x

    return solve


def numpy(np):
    def solve(a, b):
        x = np.zeros_like(b)
        r = b
        p = r
        square = r @ r
        limit = np.float32(1e-10) * square
        n = 0
        while square > limit and n < 200:
            ap = a @ p
            alpha = square / (p @ ap)
            x = x + alpha * p
            r = r - alpha * ap
            new = r @ r
            p = r + new / square * p
            square = new
            n += 1
        return x

    return solve
