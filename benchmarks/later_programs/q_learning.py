"""Q-learning of the way to a corner of a square: a table of values, random moves by a linear congruential generator."""

SIZES = ((5, 200), (12, 5000))


def data(np, size):
    return np.int32(size[0]), np.int32(size[1])


def tensorflow(tf):
    def learn(n, steps):
        q = tf.zeros([n * n, 4])
        x, y, seed = 0, 0, 1
        for _ in tf.range(steps):
            state = x * n + y
            seed = (seed * 1103 + 12345) % 65536
            action = (seed // 16) % 4 if seed % 10 < 3 else tf.argmax(q[state], output_type=tf.int32)
            if action == 0:
                x = tf.minimum(x + 1, n - 1)
            elif action == 1:
                x = tf.maximum(x - 1, 0)
            elif action == 2:
                y = tf.minimum(y + 1, n - 1)
            else:
                y = tf.maximum(y - 1, 0)
            arrived = x == n - 1 and y == n - 1
            reward = 1.0 if arrived else -0.01
            best = tf.reduce_max(q[x * n + y])
            target = reward + (0.0 if arrived else 0.95 * best)
            change = 0.1 * (target - q[state, action])
            q = tf.tensor_scatter_nd_add(q, [[state, action]], [change])
            if arrived:
                x, y = 0, 0
        return q

    return learn


def jax(jax, jnp, lax):
    def learn(n, steps):
        def step(_, state):
            q, x, y, seed = state
            at = x * n + y
            seed = (seed * 1103 + 12345) % 65536
            action = jnp.where(seed % 10 < 3, (seed // 16) % 4, jnp.argmax(q[at]).astype(jnp.int32))
            x = jnp.clip(x + (action == 0) - (action == 1), 0, n - 1)
            y = jnp.clip(y + (action == 2) - (action == 3), 0, n - 1)
            arrived = (x == n - 1) & (y == n - 1)
            target = jnp.where(arrived, 1.0, -0.01 + 0.95 * q[x * n + y].max())
            q = q.at[at, action].add(0.1 * (target - q[at, action]))
            return q, jnp.where(arrived, 0, x), jnp.where(arrived, 0, y), seed

        start = jnp.zeros((n * n, 4), jnp.float32), jnp.int32(0), jnp.int32(0), jnp.int32(1)
        return lax.fori_loop(0, steps, step, start)[0]

    return jax.jit(learn, static_argnums=(0, 1))


def numba(njit, np):
    f32 = np.float32

    @njit
    def learn(n, steps):
        q = np.zeros((n * n, 4), np.float32)
        x, y, seed = 0, 0, 1
        for _ in range(steps):
            state = x * n + y
            seed = (seed * 1103 + 12345) % 65536
            action = (seed // 16) % 4 if seed % 10 < 3 else np.argmax(q[state])
            if action == 0:
                x = min(x + 1, n - 1)
            elif action == 1:
                x = max(x - 1, 0)
            elif action == 2:
                y = min(y + 1, n - 1)
            else:
                y = max(y - 1, 0)
            arrived = x == n - 1 and y == n - 1
            target = f32(1) if arrived else f32(-0.01) + f32(0.95) * q[x * n + y].max()
            q[state, action] += f32(0.1) * (target - q[state, action])
            if arrived:
                x, y = 0, 0
        return q

    return learn


def numpy(np):
    f32 = np.float32

    def learn(n, steps):
        n, steps = int(n), int(steps)
        q = np.zeros((n * n, 4), np.float32)
        x, y, seed = 0, 0, 1
        for _ in range(steps):
            state = x * n + y
            seed = (seed * 1103 + 12345) % 65536
            action = (seed // 16) % 4 if seed % 10 < 3 else q[state].argmax()
            if action == 0:
                x = min(x + 1, n - 1)
            elif action == 1:
                x = max(x - 1, 0)
            elif action == 2:
                y = min(y + 1, n - 1)
            else:
                y = max(y - 1, 0)
            arrived = x == n - 1 and y == n - 1
            target = f32(1) if arrived else f32(-0.01) + f32(0.95) * q[x * n + y].max()
            q[state, action] += f32(0.1) * (target - q[state, action])
            if arrived:
                x, y = 0, 0
        return q

    return learn
