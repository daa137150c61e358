"""A Kalman filter of four states: position and speed in the plane, positions measured."""

SIZES = (50, 300)
TOLERANCE = 1e-2


def data(np, size):
    rng = np.random.default_rng(0)
    dt = 0.1
    f = np.eye(4, dtype=np.float32)
    f[0, 2] = f[1, 3] = dt
    h = np.eye(2, 4, dtype=np.float32)
    truth = np.stack([np.arange(size) * 0.1, np.arange(size) * 0.05], 1)
    measured = (truth + rng.normal(0, 0.1, (size, 2))).astype(np.float32)
    return f, h, (0.01 * np.eye(4)).astype(np.float32), (0.1 * np.eye(2)).astype(np.float32), measured


def tensorflow(tf):
    def track(f, h, q, r, measured):
        x, p = tf.zeros([4, 1]), tf.eye(4)
        path = tf.TensorArray(tf.float32, size=tf.shape(measured)[0])
        for i in tf.range(tf.shape(measured)[0]):
            x = f @ x
            p = f @ p @ tf.transpose(f) + q
            y = measured[i][:, None] - h @ x
            s = h @ p @ tf.transpose(h) + r
            det = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
            inverse = tf.stack([tf.stack([s[1, 1], -s[0, 1]]), tf.stack([-s[1, 0], s[0, 0]])]) / det
            k = p @ tf.transpose(h) @ inverse
            x = x + k @ y
            p = (tf.eye(4) - k @ h) @ p
            path = path.write(i, x[:, 0])
        return path.stack()

    return track


def _step(xp):
    def step(f, h, q, r, x, p, z):
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        k = p @ h.T @ xp.linalg.inv(s)
        x = x + k @ (z[:, None] - h @ x)
        return x, (xp.eye(4, dtype=xp.float32) - k @ h) @ p

    return step


def jax(jax, jnp, lax):
    step = _step(jnp)

    def track(f, h, q, r, measured):
        def one(state, z):
            state = step(f, h, q, r, *state, z)
            return state, state[0][:, 0]

        return lax.scan(one, (jnp.zeros((4, 1), jnp.float32), jnp.eye(4, dtype=jnp.float32)), measured)[1]

    return jax.jit(track)


def _plain(np, step):
    def track(f, h, q, r, measured):
        x, p = np.zeros((4, 1), np.float32), np.eye(4, dtype=np.float32)
        path = np.empty((len(measured), 4), np.float32)
        for i in range(len(measured)):
            x, p = step(f, h, q, r, x, p, measured[i])
            path[i] = x[:, 0]
        return path

    return track


def numba(njit, np):
    @njit
    def track(f, h, q, r, measured):
        x, p = np.zeros((4, 1), np.float32), np.eye(4).astype(np.float32)
        path = np.empty((len(measured), 4), np.float32)
        for i in range(len(measured)):
            x = f @ x
            p = f @ p @ f.T + q
            s = h @ p @ h.T + r
            k = p @ h.T @ np.linalg.inv(s)
            x = x + k @ (measured[i].copy().reshape(2, 1) - h @ x)
            p = (np.eye(4).astype(np.float32) - k @ h) @ p
            path[i] = x[:, 0]
        return path

    return track


def numpy(np):
    return _plain(np, _step(np))
