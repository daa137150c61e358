"""Ratings of things by users as a product of two thin matrices, by gradient descent on one rating at a time."""

SIZES = ((10, 12, 4, 100), (100, 200, 16, 3000))
TOLERANCE = 1e-3


def data(np, size):
    users, things, rank, ratings = size
    rng = np.random.default_rng(0)
    return (
        rng.uniform(0, 0.5, (users, rank)).astype(np.float32),
        rng.uniform(0, 0.5, (things, rank)).astype(np.float32),
        rng.integers(0, users, ratings).astype(np.int32),
        rng.integers(0, things, ratings).astype(np.int32),
        rng.uniform(1, 5, ratings).astype(np.float32),
    )


def tensorflow(tf):
    def fit(p, q, users, things, ratings):
        lost = 0.0
        for k in tf.range(tf.size(ratings)):
            u, i = users[k], things[k]
            error = ratings[k] - tf.reduce_sum(p[u] * q[i])
            lost += error**2
            dp = 0.02 * (error * q[i] - 0.05 * p[u])
            dq = 0.02 * (error * p[u] - 0.05 * q[i])
            p = tf.tensor_scatter_nd_add(p, [[u]], [dp])
            q = tf.tensor_scatter_nd_add(q, [[i]], [dq])
        return p, q, lost

    return fit


def jax(jax, jnp, lax):
    def fit(p, q, users, things, ratings):
        def step(state, inputs):
            p, q, lost = state
            u, i, rating = inputs
            error = rating - (p[u] * q[i]).sum()
            dp = 0.02 * (error * q[i] - 0.05 * p[u])
            dq = 0.02 * (error * p[u] - 0.05 * q[i])
            return (p.at[u].add(dp), q.at[i].add(dq), lost + error**2), None

        return lax.scan(step, (p, q, jnp.float32(0)), (users, things, ratings))[0]

    return jax.jit(fit)


def numba(njit, np):
    f32 = np.float32

    @njit
    def fit(p, q, users, things, ratings):
        p, q = p.copy(), q.copy()
        rank = p.shape[1]
        lost = f32(0)
        for k in range(len(ratings)):
            u, i = users[k], things[k]
            error = ratings[k]
            for r in range(rank):
                error -= p[u, r] * q[i, r]
            lost += error * error
            for r in range(rank):
                a, b = p[u, r], q[i, r]
                p[u, r] += f32(0.02) * (error * b - f32(0.05) * a)
                q[i, r] += f32(0.02) * (error * a - f32(0.05) * b)
        return p, q, lost

    return fit


def numpy(np):
    f32 = np.float32

    def fit(p, q, users, things, ratings):
        p, q = p.copy(), q.copy()
        lost = f32(0)
        for u, i, rating in zip(users, things, ratings, strict=True):
            error = rating - (p[u] * q[i]).sum()
            lost += error**2
            dp = f32(0.02) * (error * q[i] - f32(0.05) * p[u])
            q[i] += f32(0.02) * (error * p[u] - f32(0.05) * q[i])
            p[u] += dp
        return p, q, lost

    return fit
