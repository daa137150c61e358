"""Conway's game of life on a torus, by rolls of the board."""

SIZES = ((32, 50), (256, 50))


def data(np, size):
    n, steps = size
    return np.random.default_rng(0).integers(0, 2, (n, n)).astype(np.int32), np.int32(steps)


def _step(roll, where):
    def step(board):
        around = sum(roll(board, s, (0, 1)) for s in [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)])
        return where((around == 3) | ((board == 1) & (around == 2)), 1, 0)

    return step


def tensorflow(tf):
    def play(board, steps):
        for _ in tf.range(steps):
            around = tf.zeros_like(board)
            for i in (-1, 0, 1):
                for j in (-1, 0, 1):
                    if (i, j) != (0, 0):
                        around += tf.roll(board, (i, j), (0, 1))
            board = tf.where((around == 3) | ((board == 1) & (around == 2)), 1, 0)
        return board

    return play


def jax(jax, jnp, lax):
    step = _step(jnp.roll, jnp.where)

    def play(board, steps):
        return lax.fori_loop(0, steps, lambda _, b: step(b).astype(jnp.int32), board)

    return jax.jit(play)


def numba(njit, np):
    @njit
    def play(board, steps):
        n, m = board.shape
        for _ in range(steps):
            new = np.empty_like(board)
            for i in range(n):
                for j in range(m):
                    around = 0
                    for p in (-1, 0, 1):
                        for q in (-1, 0, 1):
                            if p != 0 or q != 0:
                                around += board[(i + p) % n, (j + q) % m]
                    new[i, j] = around == 3 or (board[i, j] == 1 and around == 2)
            board = new
        return board

    return play


def numpy(np):
    step = _step(np.roll, np.where)

    def play(board, steps):
        for _ in range(steps):
            board = step(board).astype(np.int32)
        return board

    return play
