"""The knapsack by dynamic programming: the best value for every capacity."""

SIZES = ((10, 50), (40, 500))


def data(np, size):
    items, capacity = size
    rng = np.random.default_rng(0)
    return (
        rng.integers(1, 20, items).astype(np.int32),
        rng.integers(1, 100, items).astype(np.int32),
        np.zeros(capacity + 1, np.int32),
    )


def tensorflow(tf):
    def best(weights, values, table):
        for i in tf.range(tf.shape(weights)[0]):
            c = tf.shape(table)[0] - 1
            while c >= weights[i]:
                better = tf.maximum(table[c], table[c - weights[i]] + values[i])
                table = tf.tensor_scatter_nd_update(table, [[c]], [better])
                c -= 1
        return table

    return best


def jax(jax, jnp, lax):
    def best(weights, values, table):
        c = jnp.arange(table.shape[0])

        def step(table, item):
            w, v = item
            moved = jnp.where(c >= w, table[jnp.maximum(c - w, 0)] + v, 0)
            return jnp.maximum(table, moved), None

        return lax.scan(step, table, (weights, values))[0]

    return jax.jit(best)


def numba(njit, np):
    @njit
    def best(weights, values, table):
        table = table.copy()
        for i in range(len(weights)):
            for c in range(len(table) - 1, weights[i] - 1, -1):
                table[c] = max(table[c], table[c - weights[i]] + values[i])
        return table

    return best


def numpy(np):
    def best(weights, values, table):
        table = table.copy()
        for w, v in zip(weights, values, strict=True):
            table[w:] = np.maximum(table[w:], table[:-w] + v)
        return table

    return best
