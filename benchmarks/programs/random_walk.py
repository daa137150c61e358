"""A walk in the plane by given turns, with a wall: how far it went and how often it hit the wall."""

SIZES = (500, 5000)


def data(np, size):
    return (np.random.default_rng(0).integers(0, 4, size).astype(np.int32),)


def tensorflow(tf):
    def walk(turns):
        moves = tf.constant([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
        at, furthest, hits = tf.zeros([2]), tf.constant(0.0), tf.constant(0)
        for turn in turns:
            step = at + moves[turn]
            if tf.reduce_max(tf.abs(step)) > 20.0:
                hits += 1
            else:
                at = step
            furthest = tf.maximum(furthest, tf.reduce_sum(at * at))
        return at, furthest, hits

    return walk


def jax(jax, jnp, lax):
    def walk(turns):
        moves = jnp.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]], jnp.float32)

        def step(state, turn):
            at, furthest, hits = state
            new = at + moves[turn]
            wall = jnp.max(jnp.abs(new)) > 20.0
            at = jnp.where(wall, at, new)
            return (at, jnp.maximum(furthest, jnp.sum(at * at)), hits + wall.astype(jnp.int32)), None

        return lax.scan(step, (jnp.zeros(2, jnp.float32), jnp.float32(0), jnp.int32(0)), turns)[0]

    return jax.jit(walk)


def _plain(np):
    def walk(turns):
        moves = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]], dtype=np.float32)
        at, furthest, hits = np.zeros(2, np.float32), np.float32(0), 0
        for turn in turns:
            step = at + moves[turn]
            if np.max(np.abs(step)) > 20.0:
                hits += 1
            else:
                at = step
            furthest = max(furthest, np.sum(at * at))
        return at, furthest, hits

    return walk


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
