"""The cheapest order of a chain of matrix products: the cost of every interval, by its length."""

SIZES = (8, 32)


def data(np, size):
    return (np.random.default_rng(0).integers(5, 50, size + 1).astype(np.int32),)


def tensorflow(tf):
    def order(sizes):
        n = sizes.shape[0] - 1
        cost = tf.zeros([n, n], tf.int32)
        split = tf.zeros([n, n], tf.int32)
        for length in tf.range(2, n + 1):
            for i in tf.range(n - length + 1):
                j = i + length - 1
                best, place = tf.int32.max, i
                for k in tf.range(i, j):
                    total = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                    if total < best:
                        best, place = total, k
                cost = tf.tensor_scatter_nd_update(cost, [[i, j]], [best])
                split = tf.tensor_scatter_nd_update(split, [[i, j]], [place])
        return cost, split

    return order


def jax(jax, jnp, lax):
    def order(sizes):
        n = len(sizes) - 1
        ks = jnp.arange(n)

        def interval(i, state, length):
            cost, split = state
            j = i + length - 1
            below = jnp.roll(cost[:, j], -1)
            totals = cost[i] + below + sizes[i] * sizes[1:] * sizes[j + 1]
            totals = jnp.where((ks >= i) & (ks < j), totals, jnp.iinfo(jnp.int32).max)
            return cost.at[i, j].set(totals.min()), split.at[i, j].set(totals.argmin().astype(jnp.int32))

        def of_length(length, state):
            return lax.fori_loop(0, n - length + 1, lambda i, state: interval(i, state, length), state)

        zeros = jnp.zeros((n, n), jnp.int32)
        return lax.fori_loop(2, n + 1, of_length, (zeros, zeros))

    return jax.jit(order)


def numba(njit, np):
    @njit
    def order(sizes):
        n = len(sizes) - 1
        cost, split = np.zeros((n, n), np.int32), np.zeros((n, n), np.int32)
        for length in range(2, n + 1):
            for i in range(n - length + 1):
                j = i + length - 1
                best, place = 2**31 - 1, i
                for k in range(i, j):
                    total = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                    if total < best:
                        best, place = total, k
                cost[i, j], split[i, j] = best, place
        return cost, split

    return order


def numpy(np):
    def order(sizes):
        n = len(sizes) - 1
        cost, split = np.zeros((n, n), np.int32), np.zeros((n, n), np.int32)
        for length in range(2, n + 1):
            for i in range(n - length + 1):
                j = i + length - 1
                totals = cost[i, i:j] + cost[i + 1 : j + 1, j] + sizes[i] * sizes[i + 1 : j + 1] * sizes[j + 1]
                cost[i, j], split[i, j] = totals.min(), i + totals.argmin()
        return cost, split

    return order
