"""An orthonormal basis of a matrix's columns by the modified method of Gram and Schmidt."""

SIZES = ((12, 6), (200, 60))
TOLERANCE = 1e-3


def data(np, size):
    return (np.random.default_rng(0).normal(size=size).astype(np.float32),)


def tensorflow(tf):
    def basis(a):
        n = a.shape[1]
        q = tf.zeros_like(a)
        for k in tf.range(n):
            v = a[:, k] / tf.norm(a[:, k])
            one = tf.one_hot(k, n)
            q += v[:, None] * one
            later = tf.cast(tf.range(n) > k, tf.float32)
            a -= v[:, None] * (tf.linalg.matvec(a, v, transpose_a=True) * later)
        return q

    return basis


def jax(jax, jnp, lax):
    def basis(a):
        n = a.shape[1]

        def column(k, state):
            a, q = state
            v = a[:, k] / jnp.linalg.norm(a[:, k])
            later = jnp.arange(n) > k
            return a - v[:, None] * ((v @ a) * later), q.at[:, k].set(v)

        return lax.fori_loop(0, n, column, (a, jnp.zeros_like(a)))[1]

    return jax.jit(basis)


def numba(njit, np):
    @njit
    def basis(a):
        q = a.copy()
        m, n = q.shape
        for k in range(n):
            s = np.float32(0)
            for i in range(m):
                s += q[i, k] * q[i, k]
            s = np.float32(1) / np.sqrt(s)
            for i in range(m):
                q[i, k] *= s
            along = np.zeros(n, np.float32)
            for i in range(m):
                for j in range(k + 1, n):
                    along[j] += q[i, k] * q[i, j]
            for i in range(m):
                for j in range(k + 1, n):
                    q[i, j] -= q[i, k] * along[j]
        return q

    return basis


def numpy(np):
    def basis(a):
        q = a.copy()
        for k in range(q.shape[1]):
            v = q[:, k] / np.linalg.norm(q[:, k])
            q[:, k] = v
            q[:, k + 1 :] -= v[:, None] * (v @ q[:, k + 1 :])
        return q

    return basis
