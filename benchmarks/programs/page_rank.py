"""PageRank of a dense matrix of links, repeated until the ranks stand still."""

SIZES = (50, 500)
TOLERANCE = 1e-5


def data(np, size):
    links = np.random.default_rng(0).uniform(size=(size, size)) < 5 / size
    links[np.arange(size), np.arange(size) - 1] = True  # every page has a link
    return (links.astype(np.float32),)


def tensorflow(tf):
    def rank(links):
        n = tf.shape(links)[0]
        move = tf.transpose(links / tf.reduce_sum(links, 1, keepdims=True))
        ranks = tf.fill([n], 1.0 / tf.cast(n, tf.float32))
        jump = 0.15 / tf.cast(n, tf.float32)
        change = tf.constant(1.0)
        while change > 1e-5:
            new = 0.85 * tf.linalg.matvec(move, ranks) + jump
            change = tf.reduce_sum(tf.abs(new - ranks))
            ranks = new
        return ranks

    return rank


def jax(jax, jnp, lax):
    def rank(links):
        n = len(links)
        move = (links / links.sum(1, keepdims=True)).T

        def step(state):
            ranks, _ = state
            new = 0.85 * (move @ ranks) + 0.15 / n
            return new, jnp.sum(jnp.abs(new - ranks))

        start = jnp.full(n, 1 / n, jnp.float32), jnp.float32(1)
        return lax.while_loop(lambda state: state[1] > 1e-5, step, start)[0]

    return jax.jit(rank)


def numba(njit, np):
    @njit
    def rank(links):
        n = len(links)
        move = np.empty((n, n), np.float32)
        for i in range(n):
            total = links[i].sum()
            for j in range(n):
                move[j, i] = links[i, j] / total
        ranks = np.full(n, 1 / n, np.float32)
        change = np.float32(1)
        while change > 1e-5:
            new = move @ ranks
            change = np.float32(0)
            for i in range(n):
                new[i] = np.float32(0.85) * new[i] + np.float32(0.15 / n)
                change += abs(new[i] - ranks[i])
            ranks = new
        return ranks

    return rank


def numpy(np):
    def rank(links):
        n = len(links)
        move = (links / links.sum(1, keepdims=True)).T
        ranks = np.full(n, 1 / n, np.float32)
        change = 1.0
        while change > 1e-5:
            new = 0.85 * (move @ ranks) + 0.15 / n
            change = np.abs(new - ranks).sum()
            ranks = new
        return ranks

    return rank
