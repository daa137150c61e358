"""A round trip through cities by simulated annealing: parts of the tour are turned round, with given random numbers."""

SIZES = ((12, 500), (100, 5000))


def data(np, size):
    n, steps = size
    rng = np.random.default_rng(0)
    cities = rng.uniform(size=(n, 2)).astype(np.float32)
    ends = np.sort(rng.integers(1, n, (steps, 2)), 1).astype(np.int32)
    return cities, ends, rng.uniform(size=steps).astype(np.float32)


def tensorflow(tf):
    def shorten(cities, ends, chances):
        n = cities.shape[0]
        apart = tf.norm(cities[:, None] - cities, axis=-1)
        places = tf.range(n)
        tour = tf.range(n)
        heat = tf.constant(0.5)
        for t in tf.range(ends.shape[0]):
            i, j = ends[t, 0], ends[t, 1]
            a, b, c, d = tour[i - 1], tour[i], tour[j], tour[(j + 1) % n]
            change = apart[a, c] + apart[b, d] - apart[a, b] - apart[c, d]
            if change < 0.0 or chances[t] < tf.exp(-change / heat):
                tour = tf.gather(tour, tf.where((places >= i) & (places <= j), i + j - places, places))
            heat *= 0.999
        return tour, tf.reduce_sum(tf.gather_nd(apart, tf.stack([tour, tf.roll(tour, -1, 0)], 1)))

    return shorten


def jax(jax, jnp, lax):
    def shorten(cities, ends, chances):
        n = len(cities)
        apart = jnp.linalg.norm(cities[:, None] - cities, axis=-1)
        places = jnp.arange(n)

        def step(state, inputs):
            tour, heat = state
            (i, j), chance = inputs
            a, b, c, d = tour[i - 1], tour[i], tour[j], tour[(j + 1) % n]
            change = apart[a, c] + apart[b, d] - apart[a, b] - apart[c, d]
            turned = tour[jnp.where((places >= i) & (places <= j), i + j - places, places)]
            accepted = (change < 0) | (chance < jnp.exp(-change / heat))
            return (jnp.where(accepted, turned, tour), heat * 0.999), None

        tour = lax.scan(step, (places, jnp.float32(0.5)), (ends, chances))[0][0]
        return tour, apart[tour, jnp.roll(tour, -1)].sum()

    return jax.jit(shorten)


def _plain(np):
    def shorten(cities, ends, chances):
        n = len(cities)
        x, y = cities[:, 0], cities[:, 1]
        apart = np.sqrt((x.reshape(-1, 1) - x) ** 2 + (y.reshape(-1, 1) - y) ** 2)
        tour = np.arange(n)
        heat = np.float32(0.5)
        for t in range(len(ends)):
            i, j = ends[t]
            a, b, c, d = tour[i - 1], tour[i], tour[j], tour[(j + 1) % n]
            change = apart[a, c] + apart[b, d] - apart[a, b] - apart[c, d]
            if change < 0 or chances[t] < np.exp(-change / heat):
                tour[i : j + 1] = tour[i : j + 1][::-1].copy()
            heat *= np.float32(0.999)
        length = np.float32(0)
        for i in range(n):
            length += apart[tour[i - 1], tour[i]]
        return tour, length

    return shorten


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
