"""A gated recurrent unit by hand over a batch of sequences, every state kept."""

SIZES = ((20, 4, 8, 16), (100, 32, 32, 64))
TOLERANCE = 1e-3


def data(np, size):
    steps, batch, inputs, units = size
    rng = np.random.default_rng(0)

    def weights(*shape):
        return (rng.normal(size=shape) / shape[0] ** 0.5).astype(np.float32)

    x = rng.normal(size=(steps, batch, inputs)).astype(np.float32)
    return x, weights(inputs + units, 2 * units), weights(inputs + units, units), weights(2 * units), weights(units)


def tensorflow(tf):
    def run(x, gates, candidate, gates_bias, candidate_bias):
        steps, batch, _ = x.shape
        h = tf.zeros([batch, candidate.shape[1]])
        states = tf.TensorArray(tf.float32, size=steps)
        for t in tf.range(steps):
            both = tf.sigmoid(tf.concat([x[t], h], 1) @ gates + gates_bias)
            update, reset = tf.split(both, 2, axis=1)
            new = tf.tanh(tf.concat([x[t], reset * h], 1) @ candidate + candidate_bias)
            h = update * h + (1.0 - update) * new
            states = states.write(t, h)
        return states.stack()

    return run


def jax(jax, jnp, lax):
    def run(x, gates, candidate, gates_bias, candidate_bias):
        def step(h, x):
            both = jax.nn.sigmoid(jnp.concatenate([x, h], 1) @ gates + gates_bias)
            update, reset = jnp.split(both, 2, axis=1)
            new = jnp.tanh(jnp.concatenate([x, reset * h], 1) @ candidate + candidate_bias)
            h = update * h + (1 - update) * new
            return h, h

        return lax.scan(step, jnp.zeros((x.shape[1], candidate.shape[1]), jnp.float32), x)[1]

    return jax.jit(run)


def _plain(np):
    def run(x, gates, candidate, gates_bias, candidate_bias):
        steps, batch, _ = x.shape
        units = candidate.shape[1]
        one = np.float32(1)
        h = np.zeros((batch, units), np.float32)
        states = np.empty((steps, batch, units), np.float32)
        for t in range(steps):
            both = one / (one + np.exp(-(np.concatenate((x[t], h), 1) @ gates + gates_bias)))
            update, reset = both[:, :units], both[:, units:]
            new = np.tanh(np.concatenate((x[t], reset * h), 1) @ candidate + candidate_bias)
            h = update * h + (one - update) * new
            states[t] = h
        return states

    return run


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
