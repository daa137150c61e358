"""A linear system by Gaussian elimination with partial pivoting and back substitution."""

SIZES = (12, 150)
TOLERANCE = 1e-2


def data(np, size):
    rng = np.random.default_rng(0)
    return rng.normal(size=(size, size)).astype(np.float32), rng.normal(size=size).astype(np.float32)


def tensorflow(tf):
    def solve(a, b):
        n = a.shape[0]
        rows = tf.range(n)
        m = tf.concat([a, b[:, None]], 1)
        for k in tf.range(n):
            p = tf.argmax(tf.where(rows >= k, tf.abs(m[:, k]), -1.0), output_type=tf.int32)
            m = tf.tensor_scatter_nd_update(m, [[k], [p]], tf.stack([m[p], m[k]]))
            factors = tf.where(rows > k, m[:, k] / m[k, k], 0.0)
            m -= factors[:, None] * m[k]
        x = tf.zeros([n])
        for k in tf.range(n - 1, -1, -1):
            rest = m[k, n] - tf.reduce_sum(m[k, :n] * x)
            x = tf.tensor_scatter_nd_update(x, [[k]], [rest / m[k, k]])
        return x

    return solve


def jax(jax, jnp, lax):
    def solve(a, b):
        n = len(a)
        rows = jnp.arange(n)

        def eliminate(k, m):
            p = jnp.argmax(jnp.where(rows >= k, jnp.abs(m[:, k]), -1))
            m = m.at[jnp.array([k, p])].set(m[jnp.array([p, k])])
            factors = jnp.where(rows > k, m[:, k] / m[k, k], 0)
            return m - factors[:, None] * m[k]

        m = lax.fori_loop(0, n, eliminate, jnp.concatenate([a, b[:, None]], 1))

        def substitute(i, x):
            k = n - 1 - i
            return x.at[k].set((m[k, n] - m[k, :n] @ x) / m[k, k])

        return lax.fori_loop(0, n, substitute, jnp.zeros(n, jnp.float32))

    return jax.jit(solve)


def numba(njit, np):
    @njit
    def solve(a, b):
        n = len(a)
        a, x = a.copy(), b.copy()
        for k in range(n):
            p = k
            for i in range(k + 1, n):
                if abs(a[i, k]) > abs(a[p, k]):
                    p = i
            if p != k:
                for j in range(k, n):
                    a[k, j], a[p, j] = a[p, j], a[k, j]
                x[k], x[p] = x[p], x[k]
            for i in range(k + 1, n):
                factor = a[i, k] / a[k, k]
                for j in range(k, n):
                    a[i, j] -= factor * a[k, j]
                x[i] -= factor * x[k]
        for k in range(n - 1, -1, -1):
            for j in range(k + 1, n):
                x[k] -= a[k, j] * x[j]
            x[k] /= a[k, k]
        return x

    return solve


def numpy(np):
    def solve(a, b):
        n = len(a)
        m = np.concatenate([a, b[:, None]], 1)
        for k in range(n):
            p = k + np.abs(m[k:, k]).argmax()
            m[[k, p]] = m[[p, k]]
            m[k + 1 :] -= (m[k + 1 :, k] / m[k, k])[:, None] * m[k]
        x = np.zeros(n, np.float32)
        for k in range(n - 1, -1, -1):
            x[k] = (m[k, n] - m[k, k + 1 : n] @ x[k + 1 :]) / m[k, k]
        return x

    return solve
