"""The probabilities of a hidden Markov model's states, given what was seen, forwards and then backwards in time."""

SIZES = ((4, 8, 60), (24, 16, 400))


def data(np, size):
    states, symbols, steps = size
    rng = np.random.default_rng(0)
    moves = rng.uniform(0.1, 1, (states, states)).astype(np.float32)
    shows = rng.uniform(0.1, 1, (states, symbols)).astype(np.float32)
    seen = rng.integers(0, symbols, steps).astype(np.int32)
    return moves / moves.sum(1, keepdims=True), shows / shows.sum(1, keepdims=True), seen


def tensorflow(tf):
    def posterior(moves, shows, seen):
        states = moves.shape[0]
        steps = tf.shape(seen)[0]
        forward = tf.TensorArray(tf.float32, size=steps)
        p = tf.fill([states], 1.0 / states) * shows[:, seen[0]]
        p /= tf.reduce_sum(p)
        forward = forward.write(0, p)
        for t in tf.range(1, steps):
            p = tf.linalg.matvec(moves, p, transpose_a=True) * shows[:, seen[t]]
            p /= tf.reduce_sum(p)
            forward = forward.write(t, p)
        both = tf.TensorArray(tf.float32, size=steps)
        b = tf.ones([states])
        for t in tf.range(steps - 1, -1, -1):
            q = forward.read(t) * b
            both = both.write(t, q / tf.reduce_sum(q))
            b = tf.linalg.matvec(moves, shows[:, seen[t]] * b)
            b /= tf.reduce_sum(b)
        return both.stack()

    return posterior


def jax(jax, jnp, lax):
    def posterior(moves, shows, seen):
        states = moves.shape[0]
        p = jnp.full(states, 1 / states) * shows[:, seen[0]]
        p = p / p.sum()

        def forwards(p, x):
            p = (p @ moves) * shows[:, x]
            p = p / p.sum()
            return p, p

        forward = jnp.concatenate([p[None], lax.scan(forwards, p, seen[1:])[1]])

        def backwards(b, inputs):
            p, x = inputs
            q = p * b
            b = moves @ (shows[:, x] * b)
            return b / b.sum(), q / q.sum()

        return lax.scan(backwards, jnp.ones(states), (forward, seen), reverse=True)[1]

    return jax.jit(posterior)


def numba(njit, np):
    @njit
    def posterior(moves, shows, seen):
        states, steps = len(moves), len(seen)
        both = np.empty((steps, states), np.float32)
        p = shows[:, seen[0]] / p_sum(shows[:, seen[0]])
        both[0] = p
        for t in range(1, steps):
            total = np.float32(0)
            for j in range(states):
                s = np.float32(0)
                for i in range(states):
                    s += moves[i, j] * both[t - 1, i]
                both[t, j] = s * shows[j, seen[t]]
                total += both[t, j]
            both[t] /= total
        b, c = np.ones(states, np.float32), np.empty(states, np.float32)
        for t in range(steps - 1, -1, -1):
            both[t] *= b
            both[t] /= p_sum(both[t])
            total = np.float32(0)
            for i in range(states):
                s = np.float32(0)
                for j in range(states):
                    s += moves[i, j] * (shows[j, seen[t]] * b[j])
                c[i] = s
                total += s
            c /= total
            b, c = c, b
        return both

    @njit
    def p_sum(p):
        total = np.float32(0)
        for x in p:
            total += x
        return total

    return posterior


def numpy(np):
    def posterior(moves, shows, seen):
        states, steps = len(moves), len(seen)
        both = np.empty((steps, states), np.float32)
        p = shows[:, seen[0]]
        both[0] = p / p.sum()
        for t in range(1, steps):
            p = (both[t - 1] @ moves) * shows[:, seen[t]]
            both[t] = p / p.sum()
        b = np.ones(states, np.float32)
        for t in range(steps - 1, -1, -1):
            q = both[t] * b
            both[t] = q / q.sum()
            b = moves @ (shows[:, seen[t]] * b)
            b /= b.sum()
        return both

    return posterior
