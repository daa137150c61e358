"""Knuth, Morris and Pratt's search of a text of bytes: the table of borders, then where the pattern ends in the text."""

SIZES = ((300, 6), (10000, 12))


def data(np, size):
    rng = np.random.default_rng(0)
    text = rng.choice([97, 98], size[0], p=[0.7, 0.3]).astype(np.uint8)
    return text, text[50 : 50 + size[1]].copy()


def tensorflow(tf):
    def search(text, pattern):
        n, m = text.shape[0], pattern.shape[0]
        border = tf.zeros([m], tf.int32)
        k = 0
        for i in tf.range(1, m):
            while k > 0 and pattern[i] != pattern[k]:
                k = border[k - 1]
            if pattern[i] == pattern[k]:
                k += 1
            border = tf.tensor_scatter_nd_update(border, [[i]], [k])

        ends = tf.TensorArray(tf.bool, size=n)
        count = 0
        k = 0
        for i in tf.range(n):
            while k > 0 and text[i] != pattern[k]:
                k = border[k - 1]
            if text[i] == pattern[k]:
                k += 1
            found = k == m
            ends = ends.write(i, found)
            if found:
                count += 1
                k = border[m - 1]
        return count, ends.stack()

    return search


def jax(jax, jnp, lax):
    def search(text, pattern):
        m = len(pattern)

        def advance(k, c, border):
            k = lax.while_loop(lambda k: (k > 0) & (c != pattern[k]), lambda k: border[k - 1], k)
            return jnp.where(c == pattern[k], k + 1, k)

        def extend(i, state):
            border, k = state
            k = advance(k, pattern[i], border)
            return border.at[i].set(k), k

        border, _ = lax.fori_loop(1, m, extend, (jnp.zeros(m, jnp.int32), jnp.int32(0)))

        def step(k, c):
            k = advance(k, c, border)
            return jnp.where(k == m, border[m - 1], k), k == m

        ends = lax.scan(step, jnp.int32(0), text)[1]
        return ends.sum(), ends

    return jax.jit(search)


def _plain(np):
    def search(text, pattern):
        n, m = len(text), len(pattern)
        border = np.zeros(m, np.int32)
        k = 0
        for i in range(1, m):
            while k > 0 and pattern[i] != pattern[k]:
                k = border[k - 1]
            if pattern[i] == pattern[k]:
                k += 1
            border[i] = k

        ends = np.zeros(n, np.bool_)
        count = 0
        k = 0
        for i in range(n):
            while k > 0 and text[i] != pattern[k]:
                k = border[k - 1]
            if text[i] == pattern[k]:
                k += 1
            if k == m:
                ends[i] = True
                count += 1
                k = border[m - 1]
        return count, ends

    return search


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
