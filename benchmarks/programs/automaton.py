"""Rule 110 on a ring of cells, every generation kept."""

SIZES = ((32, 40), (60, 200))


def data(np, size):
    n, steps = size
    return np.random.default_rng(0).integers(0, 2, n).astype(np.int32), np.int32(steps)


def tensorflow(tf):
    def run(cells, steps):
        rule = tf.constant([0, 1, 1, 1, 0, 1, 1, 0])
        rows = tf.TensorArray(tf.int32, size=steps)
        for i in tf.range(steps):
            cells = tf.gather(rule, 4 * tf.roll(cells, 1, 0) + 2 * cells + tf.roll(cells, -1, 0))
            rows = rows.write(i, cells)
        return rows.stack()

    return run


def jax(jax, jnp, lax):
    def run(cells, steps):
        rule = jnp.array([0, 1, 1, 1, 0, 1, 1, 0], jnp.int32)

        def step(cells, _):
            cells = rule[4 * jnp.roll(cells, 1) + 2 * cells + jnp.roll(cells, -1)]
            return cells, cells

        return lax.scan(step, cells, None, length=steps)[1]

    return jax.jit(run, static_argnums=1)


def numba(njit, np):
    @njit
    def run(cells, steps):
        rule = np.array([0, 1, 1, 1, 0, 1, 1, 0], np.int32)
        n = len(cells)
        rows = np.empty((steps, n), np.int32)
        for i in range(steps):
            for j in range(n):
                rows[i, j] = rule[4 * cells[j - 1] + 2 * cells[j] + cells[(j + 1) % n]]
            cells = rows[i]
        return rows

    return run


def numpy(np):
    def run(cells, steps):
        rule = np.array([0, 1, 1, 1, 0, 1, 1, 0], np.int32)
        rows = np.empty((steps, len(cells)), np.int32)
        for i in range(steps):
            cells = rows[i] = rule[4 * np.roll(cells, 1) + 2 * cells + np.roll(cells, -1)]
        return rows

    return run
