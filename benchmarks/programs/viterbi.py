"""The likeliest path through a hidden Markov model of five states (its score)."""

SIZES = (100, 1000)
TOLERANCE = 1e-3


def data(np, size):
    rng = np.random.default_rng(0)
    move = np.log(rng.dirichlet(np.ones(5), 5)).astype(np.float32)
    show = np.log(rng.dirichlet(np.ones(8), 5)).astype(np.float32)
    return move, show, rng.integers(0, 8, size).astype(np.int32)


def tensorflow(tf):
    def path(move, show, seen):
        score = show[:, seen[0]]
        back = tf.TensorArray(tf.int32, size=tf.shape(seen)[0])
        for t in tf.range(1, tf.shape(seen)[0]):
            all_scores = score[:, None] + move
            back = back.write(t, tf.argmax(all_scores, 0, output_type=tf.int32))
            score = tf.reduce_max(all_scores, 0) + tf.gather(show, seen[t], axis=1)
        return score, back.stack()[1:]

    return path


def jax(jax, jnp, lax):
    def path(move, show, seen):
        def step(score, s):
            all_scores = score[:, None] + move
            return all_scores.max(0) + show[:, s], all_scores.argmax(0).astype(jnp.int32)

        return lax.scan(step, show[:, seen[0]], seen[1:])

    return jax.jit(path)


def numba(njit, np):
    @njit
    def path(move, show, seen):
        score = show[:, seen[0]].copy()
        back = np.empty((len(seen) - 1, 5), np.int32)
        for t in range(1, len(seen)):
            new = np.empty(5, np.float32)
            for j in range(5):
                best, place = score[0] + move[0, j], 0
                for i in range(1, 5):
                    s = score[i] + move[i, j]
                    if s > best:
                        best, place = s, i
                new[j] = best + show[j, seen[t]]
                back[t - 1, j] = place
            score = new
        return score, back

    return path


def numpy(np):
    def path(move, show, seen):
        score = show[:, seen[0]]
        back = np.empty((len(seen) - 1, 5), np.int32)
        for t in range(1, len(seen)):
            all_scores = score[:, None] + move
            back[t - 1] = all_scores.argmax(0)
            score = all_scores.max(0) + show[:, seen[t]]
        return score, back

    return path
