"""The longest common subsequence of two strings of codes: the table row by row, then the way back through it."""

SIZES = ((20, 16), (100, 80))


def data(np, size):
    rng = np.random.default_rng(0)
    return tuple(rng.integers(0, 4, n).astype(np.int32) for n in size)


def tensorflow(tf):
    def common(a, b):
        m, n = a.shape[0], b.shape[0]
        last = tf.zeros([n + 1], tf.int32)
        rows = tf.TensorArray(tf.int32, size=m + 1)
        rows = rows.write(0, last)
        for i in tf.range(m):
            row = tf.TensorArray(tf.int32, size=n + 1)
            left = 0
            row = row.write(0, left)
            for j in tf.range(n):
                left = last[j] + 1 if a[i] == b[j] else tf.maximum(left, last[j + 1])
                row = row.write(j + 1, left)
            last = row.stack()
            rows = rows.write(i + 1, last)
        table = rows.stack()

        taken = tf.zeros([m], tf.bool)
        i, j = tf.constant(m), tf.constant(n)
        while i > 0 and j > 0:
            if a[i - 1] == b[j - 1]:
                i -= 1
                j -= 1
                taken = tf.tensor_scatter_nd_update(taken, [[i]], [True])
            elif table[i, j - 1] > table[i - 1, j]:
                j -= 1
            else:
                i -= 1
        return table[m, n], taken

    return common


def jax(jax, jnp, lax):
    def common(a, b):
        def row(last, x):
            def cell(left, inputs):
                y, above, corner = inputs
                left = jnp.where(x == y, corner + 1, jnp.maximum(left, above))
                return left, left

            rest = lax.scan(cell, jnp.int32(0), (b, last[1:], last[:-1]))[1]
            new = jnp.concatenate([jnp.zeros(1, jnp.int32), rest])
            return new, new

        first = jnp.zeros(len(b) + 1, jnp.int32)
        table = jnp.concatenate([first[None], lax.scan(row, first, a)[1]])

        def back(state):
            i, j, taken = state
            equal = a[i - 1] == b[j - 1]
            aside = ~equal & (table[i, j - 1] > table[i - 1, j])
            taken = taken.at[i - 1].max(equal)
            return jnp.where(aside, i, i - 1), jnp.where(equal | aside, j - 1, j), taken

        start = len(a), len(b), jnp.zeros(len(a), bool)
        return table[-1, -1], lax.while_loop(lambda state: (state[0] > 0) & (state[1] > 0), back, start)[2]

    return jax.jit(common)


def _plain(np):
    def common(a, b):
        m, n = len(a), len(b)
        table = np.zeros((m + 1, n + 1), np.int32)
        for i in range(m):
            for j in range(n):
                if a[i] == b[j]:
                    table[i + 1, j + 1] = table[i, j] + 1
                else:
                    table[i + 1, j + 1] = max(table[i + 1, j], table[i, j + 1])

        taken = np.zeros(m, np.bool_)
        i, j = m, n
        while i > 0 and j > 0:
            if a[i - 1] == b[j - 1]:
                i -= 1
                j -= 1
                taken[i] = True
            elif table[i, j - 1] > table[i - 1, j]:
                j -= 1
            else:
                i -= 1
        return table[m, n], taken

    return common


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
