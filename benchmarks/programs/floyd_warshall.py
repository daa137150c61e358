"""Shortest paths between all nodes of a small graph."""

SIZES = (8, 32)


def data(np, size):
    rng = np.random.default_rng(0)
    d = rng.uniform(1, 10, (size, size)).astype(np.float32)
    np.fill_diagonal(d, 0)
    return (d,)


def tensorflow(tf):
    def shortest(d):
        for k in tf.range(tf.shape(d)[0]):
            d = tf.minimum(d, d[:, k][:, None] + d[k][None, :])
        return d

    return shortest


def jax(jax, jnp, lax):
    def shortest(d):
        return lax.fori_loop(0, d.shape[0], lambda k, d: jnp.minimum(d, d[:, k, None] + d[None, k]), d)

    return jax.jit(shortest)


def numba(njit, np):
    @njit
    def shortest(d):
        d = d.copy()
        n = len(d)
        for k in range(n):
            for i in range(n):
                for j in range(n):
                    d[i, j] = min(d[i, j], d[i, k] + d[k, j])
        return d

    return shortest


def numpy(np):
    def shortest(d):
        for k in range(len(d)):
            d = np.minimum(d, d[:, k, None] + d[None, k])
        return d

    return shortest
