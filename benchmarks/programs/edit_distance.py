"""The edit distance of two strings of codes: a row of the table at a time, a TensorArray per row."""

SIZES = ((20, 15), (60, 50))


def data(np, size):
    rng = np.random.default_rng(0)
    return tuple(rng.integers(0, 4, n).astype(np.int32) for n in size)


def tensorflow(tf):
    def distance(a, b):
        n = b.shape[0]
        last = tf.range(n + 1)
        for i in tf.range(tf.shape(a)[0]):
            row = tf.TensorArray(tf.int32, size=n + 1)
            left = i + 1
            row = row.write(0, left)
            for j in tf.range(n):
                cost = tf.where(a[i] == b[j], 0, 1)
                left = tf.minimum(tf.minimum(left + 1, last[j + 1] + 1), last[j] + cost)
                row = row.write(j + 1, left)
            last = row.stack()
        return last[n]

    return distance


def jax(jax, jnp, lax):
    def distance(a, b):
        def row(last, x):
            def cell(left, inputs):
                y, above, corner = inputs
                left = jnp.minimum(jnp.minimum(left + 1, above + 1), corner + jnp.where(x == y, 0, 1))
                return left, left

            first = last[0] + 1
            rest = lax.scan(cell, first, (b, last[1:], last[:-1]))[1]
            return jnp.concatenate([first[None], rest]), None

        return lax.scan(row, jnp.arange(b.shape[0] + 1, dtype=jnp.int32), a)[0][-1]

    return jax.jit(distance)


def _plain(np):
    def distance(a, b):
        last = np.arange(len(b) + 1).astype(np.int32)
        for i in range(len(a)):
            row = np.empty_like(last)
            row[0] = i + 1
            for j in range(len(b)):
                row[j + 1] = min(row[j] + 1, last[j + 1] + 1, last[j] + (0 if a[i] == b[j] else 1))
            last = row
        return last[len(b)]

    return distance


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
