"""Lotka–Volterra by Runge–Kutta of the fourth order: a state of two numbers, every step kept."""

SIZES = (200, 2000)


def data(np, size):
    return np.array([10.0, 5.0], np.float32), np.int32(size)


def tensorflow(tf):
    def rate(y):
        prey, hunters = y[0], y[1]
        return tf.stack([1.1 * prey - 0.4 * prey * hunters, 0.1 * prey * hunters - 0.4 * hunters])

    def solve(y, steps):
        dt = 0.01
        path = tf.TensorArray(tf.float32, size=steps)
        for i in tf.range(steps):
            k1 = rate(y)
            k2 = rate(y + dt / 2 * k1)
            k3 = rate(y + dt / 2 * k2)
            k4 = rate(y + dt * k3)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            path = path.write(i, y)
        return path.stack()

    return solve


def jax(jax, jnp, lax):
    def rate(y):
        prey, hunters = y
        return jnp.stack([1.1 * prey - 0.4 * prey * hunters, 0.1 * prey * hunters - 0.4 * hunters])

    def solve(y, steps):
        dt = 0.01

        def step(y, _):
            k1 = rate(y)
            k2 = rate(y + dt / 2 * k1)
            k3 = rate(y + dt / 2 * k2)
            k4 = rate(y + dt * k3)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            return y, y

        return lax.scan(step, y, None, length=steps)[1]

    return jax.jit(solve, static_argnums=1)


def numba(njit, np):
    @njit
    def rate(prey, hunters):
        f = np.float32
        return f(1.1) * prey - f(0.4) * prey * hunters, f(0.1) * prey * hunters - f(0.4) * hunters

    @njit
    def solve(y, steps):
        dt, half, sixth, two = np.float32(0.01), np.float32(0.005), np.float32(0.01 / 6), np.float32(2)
        path = np.empty((steps, 2), np.float32)
        a, b = y[0], y[1]
        for i in range(steps):
            k1, l1 = rate(a, b)
            k2, l2 = rate(a + half * k1, b + half * l1)
            k3, l3 = rate(a + half * k2, b + half * l2)
            k4, l4 = rate(a + dt * k3, b + dt * l3)
            a += sixth * (k1 + two * k2 + two * k3 + k4)
            b += sixth * (l1 + two * l2 + two * l3 + l4)
            path[i, 0], path[i, 1] = a, b
        return path

    return solve


def numpy(np):
    def rate(y):
        f = np.float32
        return np.array([f(1.1) * y[0] - f(0.4) * y[0] * y[1], f(0.1) * y[0] * y[1] - f(0.4) * y[1]])

    def solve(y, steps):
        dt = np.float32(0.01)
        path = np.empty((steps, 2), np.float32)
        for i in range(steps):
            k1 = rate(y)
            k2 = rate(y + dt / 2 * k1)
            k3 = rate(y + dt / 2 * k2)
            k4 = rate(y + dt * k3)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            path[i] = y
        return path

    return solve
