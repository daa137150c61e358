"""Products of 3x3 rotation and shear matrices: the orientation after many steps, kept orthogonal now and then."""

SIZES = (200, 3000)
TOLERANCE = 1e-2


def data(np, size):
    return (np.random.default_rng(0).normal(0, 0.1, (size, 3)).astype(np.float32),)


def tensorflow(tf):
    def turn(rates):
        r = tf.eye(3)
        for i in tf.range(tf.shape(rates)[0]):
            w = rates[i]
            skew = tf.stack([0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0])
            r = r + 0.01 * (r @ tf.reshape(skew, [3, 3]))
            if i % 10 == 0:
                r = 1.5 * r - 0.5 * (r @ tf.transpose(r) @ r)
        return r

    return turn


def jax(jax, jnp, lax):
    def turn(rates):
        def step(i, r):
            w = rates[i]
            skew = jnp.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
            r = r + 0.01 * (r @ skew)
            return lax.cond(i % 10 == 0, lambda r: 1.5 * r - 0.5 * (r @ r.T @ r), lambda r: r, r)

        return lax.fori_loop(0, rates.shape[0], step, jnp.eye(3, dtype=jnp.float32))

    return jax.jit(turn)


def _plain(np):
    def turn(rates):
        f = np.float32
        r = np.eye(3).astype(np.float32)
        for i in range(len(rates)):
            a, b, c = rates[i]
            zero = f(0)
            skew = np.array([[zero, -c, b], [c, zero, -a], [-b, a, zero]])
            r = r + f(0.01) * (r @ skew)
            if i % 10 == 0:
                r = f(1.5) * r - f(0.5) * (r @ r.T @ r)
        return r

    return turn


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
