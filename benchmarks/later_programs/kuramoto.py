"""Kuramoto's coupled oscillators by Euler's method, with the order parameter of each step."""

SIZES = ((12, 60), (150, 60))
TOLERANCE = 1e-3


def data(np, size):
    n, steps = size
    rng = np.random.default_rng(0)
    return (
        rng.uniform(0, 6.28, n).astype(np.float32),
        rng.normal(1, 0.3, n).astype(np.float32),
        np.int32(steps),
    )


def tensorflow(tf):
    def run(phase, speed, steps):
        n = tf.cast(tf.size(phase), tf.float32)
        order = tf.TensorArray(tf.float32, size=steps)
        for t in tf.range(steps):
            pull = tf.reduce_sum(tf.sin(phase[None, :] - phase[:, None]), axis=1)
            phase += 0.05 * (speed + 1.5 / n * pull)
            order = order.write(t, tf.sqrt(tf.reduce_mean(tf.cos(phase)) ** 2 + tf.reduce_mean(tf.sin(phase)) ** 2))
        return phase, order.stack()

    return run


def jax(jax, jnp, lax):
    def run(phase, speed, steps):
        def step(phase, _):
            pull = jnp.sin(phase[None, :] - phase[:, None]).sum(1)
            phase = phase + 0.05 * (speed + 1.5 / len(phase) * pull)
            return phase, jnp.sqrt(jnp.cos(phase).mean() ** 2 + jnp.sin(phase).mean() ** 2)

        return lax.scan(step, phase, None, length=steps)

    return jax.jit(run, static_argnums=2)


def numba(njit, np):
    f32 = np.float32

    @njit
    def run(phase, speed, steps):
        n = len(phase)
        new = phase.copy()
        phase = phase.copy()
        order = np.empty(steps, np.float32)
        for t in range(steps):
            c = s = f32(0)
            for i in range(n):
                pull = f32(0)
                for j in range(n):
                    pull += np.sin(phase[j] - phase[i])
                new[i] = phase[i] + f32(0.05) * (speed[i] + f32(1.5) / f32(n) * pull)
                c += np.cos(new[i])
                s += np.sin(new[i])
            phase, new = new, phase
            order[t] = np.sqrt((c / f32(n)) ** 2 + (s / f32(n)) ** 2)
        return phase, order

    return run


def numpy(np):
    def run(phase, speed, steps):
        order = np.empty(steps, np.float32)
        for t in range(steps):
            pull = np.sin(phase[None, :] - phase[:, None]).sum(1)
            phase = phase + np.float32(0.05) * (speed + np.float32(1.5 / len(phase)) * pull)
            order[t] = np.sqrt(np.cos(phase).mean() ** 2 + np.sin(phase).mean() ** 2)
        return phase, order

    return run
