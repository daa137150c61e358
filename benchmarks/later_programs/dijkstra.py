"""Shortest paths from one node by Dijkstra's method on a dense matrix of lengths."""

SIZES = ((16,), (200,))


def data(np, size):
    (n,) = size
    rng = np.random.default_rng(0)
    lengths = rng.uniform(1, 10, (n, n)).astype(np.float32)
    lengths[rng.uniform(size=(n, n)) < 0.6] = np.inf
    return (lengths,)


def tensorflow(tf):
    def paths(lengths):
        n = lengths.shape[0]
        distance = tf.tensor_scatter_nd_update(tf.fill([n], float("inf")), [[0]], [0.0])
        before = tf.fill([n], -1)
        done = tf.zeros([n], tf.bool)
        for _ in tf.range(n):
            u = tf.argmin(tf.where(done, float("inf"), distance), output_type=tf.int32)
            done = tf.tensor_scatter_nd_update(done, [[u]], [True])
            through = distance[u] + lengths[u]
            shorter = through < distance
            distance = tf.where(shorter, through, distance)
            before = tf.where(shorter, u, before)
        return distance, before

    return paths


def jax(jax, jnp, lax):
    def paths(lengths):
        n = lengths.shape[0]

        def visit(_, state):
            distance, before, done = state
            u = jnp.argmin(jnp.where(done, jnp.inf, distance)).astype(jnp.int32)
            through = distance[u] + lengths[u]
            shorter = through < distance
            return jnp.where(shorter, through, distance), jnp.where(shorter, u, before), done.at[u].set(True)

        start = jnp.full(n, jnp.inf).at[0].set(0), jnp.full(n, -1, jnp.int32), jnp.zeros(n, bool)
        return lax.fori_loop(0, n, visit, start)[:2]

    return jax.jit(paths)


def numba(njit, np):
    @njit
    def paths(lengths):
        n = len(lengths)
        distance = np.full(n, np.inf, np.float32)
        distance[0] = 0
        before = np.full(n, -1, np.int32)
        done = np.zeros(n, np.bool_)
        for _ in range(n):
            u, least = -1, np.float32(np.inf)
            for i in range(n):
                if not done[i] and (u < 0 or distance[i] < least):
                    u, least = i, distance[i]
            done[u] = True
            for i in range(n):
                through = distance[u] + lengths[u, i]
                if through < distance[i]:
                    distance[i] = through
                    before[i] = u
        return distance, before

    return paths


def numpy(np):
    def paths(lengths):
        n = len(lengths)
        distance = np.full(n, np.inf, np.float32)
        distance[0] = 0
        before = np.full(n, -1, np.int32)
        done = np.zeros(n, bool)
        for _ in range(n):
            u = np.argmin(np.where(done, np.inf, distance))
            done[u] = True
            through = distance[u] + lengths[u]
            shorter = through < distance
            distance[shorter] = through[shorter]
            before[shorter] = u
        return distance, before

    return paths
