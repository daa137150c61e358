"""Piles of sand on a square table: a pile of four or more grains topples onto its neighbours until all are stable."""

SIZES = ((16, 200), (64, 2000))


def data(np, size):
    n, grains = size
    piles = np.zeros((n, n), np.int32)
    piles[n // 2, n // 2] = grains
    return (piles,)


def tensorflow(tf):
    def settle(piles):
        rounds = 0
        while tf.reduce_any(piles > 3):
            over = tf.cast(piles > 3, tf.int32)
            around = tf.pad(over, [[1, 1], [1, 1]])
            piles += around[2:, 1:-1] + around[:-2, 1:-1] + around[1:-1, 2:] + around[1:-1, :-2] - 4 * over
            rounds += 1
        return piles, rounds

    return settle


def jax(jax, jnp, lax):
    def settle(piles):
        def topple(state):
            piles, rounds = state
            over = (piles > 3).astype(jnp.int32)
            around = jnp.pad(over, 1)
            got = around[2:, 1:-1] + around[:-2, 1:-1] + around[1:-1, 2:] + around[1:-1, :-2]
            return piles + got - 4 * over, rounds + 1

        return lax.while_loop(lambda state: (state[0] > 3).any(), topple, (piles, jnp.int32(0)))

    return jax.jit(settle)


def numba(njit, np):
    @njit
    def settle(piles):
        piles = piles.copy()
        n, m = piles.shape
        rounds = 0
        while True:
            over = piles > 3
            if not over.any():
                return piles, rounds
            for i in range(n):
                for j in range(m):
                    if over[i, j]:
                        piles[i, j] -= 4
                        if i > 0:
                            piles[i - 1, j] += 1
                        if i < n - 1:
                            piles[i + 1, j] += 1
                        if j > 0:
                            piles[i, j - 1] += 1
                        if j < m - 1:
                            piles[i, j + 1] += 1
            rounds += 1

    return settle


def numpy(np):
    def settle(piles):
        piles = piles.copy()
        rounds = 0
        while True:
            over = piles > 3
            if not over.any():
                return piles, rounds
            piles[over] -= 4
            piles[1:] += over[:-1]
            piles[:-1] += over[1:]
            piles[:, 1:] += over[:, :-1]
            piles[:, :-1] += over[:, 1:]
            rounds += 1

    return settle
