"""Odd-even transposition, the bubble sort whose pairs are exchanged all at once."""

SIZES = (16, 256)


def data(np, size):
    return (np.random.default_rng(0).normal(size=size).astype(np.float32),)


def tensorflow(tf):
    def exchange(x):
        pairs = tf.reshape(x, [-1, 2])
        a, b = pairs[:, 0], pairs[:, 1]
        return tf.reshape(tf.stack([tf.minimum(a, b), tf.maximum(a, b)], 1), tf.shape(x))

    def sort(x):
        for i in tf.range(tf.size(x)):
            x = exchange(x) if i % 2 == 0 else tf.concat([x[:1], exchange(x[1:-1]), x[-1:]], 0)
        return x

    return sort


def jax(jax, jnp, lax):
    def exchange(x):
        pairs = x.reshape(-1, 2)
        return jnp.stack([pairs.min(1), pairs.max(1)], 1).reshape(-1)

    def sort(x):
        def step(i, x):
            return lax.cond(i % 2 == 0, exchange, lambda x: x.at[1:-1].set(exchange(x[1:-1])), x)

        return lax.fori_loop(0, x.size, step, x)

    return jax.jit(sort)


def numba(njit, np):
    @njit
    def sort(x):
        x = x.copy()
        n = len(x)
        for i in range(n):
            for j in range(i % 2, n - 1, 2):
                if x[j] > x[j + 1]:
                    x[j], x[j + 1] = x[j + 1], x[j]
        return x

    return sort


def numpy(np):
    def sort(x):
        x = x.copy()
        n = len(x)
        for i in range(n):
            a, b = x[i % 2 : n - 1 : 2], x[i % 2 + 1 : n : 2]
            a[:], b[:] = np.minimum(a, b), np.maximum(a, b)
        return x

    return sort
