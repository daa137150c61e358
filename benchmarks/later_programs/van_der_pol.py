"""Van der Pol's oscillator by the method of Bogacki and Shampine, whose steps follow an estimate of the error."""

SIZES = ((1.0, 5.0), (20.0, 60.0))
TOLERANCE = 1e-2


def data(np, size):
    return np.float32(size[0]), np.float32(size[1])


def tensorflow(tf):
    def solve(mu, end):
        def slope(y):
            return tf.stack([y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]])

        t, h = 0.0, 1e-2
        y = tf.constant([2.0, 0.0])
        k1 = slope(y)
        taken = 0
        while t < end:
            h = tf.minimum(h, end - t)
            k2 = slope(y + h * 0.5 * k1)
            k3 = slope(y + h * 0.75 * k2)
            new = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
            k4 = slope(new)
            error = tf.reduce_max(tf.abs(h * (-5 / 72 * k1 + 1 / 12 * k2 + 1 / 9 * k3 - 1 / 8 * k4)))
            if error < 1e-4:
                t += h
                y = new
                k1 = k4
                taken += 1
            h *= tf.clip_by_value(0.9 * (1e-4 / (error + 1e-12)) ** (1 / 3), 0.2, 5.0)
        return y, taken

    return solve


def jax(jax, jnp, lax):
    def solve(mu, end):
        mu, end = jnp.float32(mu), jnp.float32(end)

        def slope(y):
            return jnp.stack([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

        def step(state):
            t, h, y, k1, taken = state
            h = jnp.minimum(h, end - t)
            k2 = slope(y + h * 0.5 * k1)
            k3 = slope(y + h * 0.75 * k2)
            new = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
            k4 = slope(new)
            error = jnp.max(jnp.abs(h * (-5 / 72 * k1 + 1 / 12 * k2 + 1 / 9 * k3 - 1 / 8 * k4)))
            good = error < 1e-4
            grown = h * jnp.clip(0.9 * (1e-4 / (error + 1e-12)) ** (1 / 3), 0.2, 5)
            return jnp.where(good, t + h, t), grown, jnp.where(good, new, y), jnp.where(good, k4, k1), taken + good

        y = jnp.array([2.0, 0.0], jnp.float32)
        start = jnp.float32(0), jnp.float32(1e-2), y, slope(y), jnp.int32(0)
        state = lax.while_loop(lambda state: state[0] < end, step, start)
        return state[2], state[4]

    return jax.jit(solve)


def numba(njit, np):
    f32 = np.float32

    @njit
    def solve(mu, end):
        t, h = f32(0), f32(1e-2)
        y0, y1 = f32(2), f32(0)
        a0, a1 = y1, mu * (f32(1) - y0 * y0) * y1 - y0
        taken = 0
        while t < end:
            h = min(h, end - t)
            p0, p1 = y0 + h * f32(0.5) * a0, y1 + h * f32(0.5) * a1
            b0, b1 = p1, mu * (f32(1) - p0 * p0) * p1 - p0
            p0, p1 = y0 + h * f32(0.75) * b0, y1 + h * f32(0.75) * b1
            c0, c1 = p1, mu * (f32(1) - p0 * p0) * p1 - p0
            n0 = y0 + h * (f32(2 / 9) * a0 + f32(1 / 3) * b0 + f32(4 / 9) * c0)
            n1 = y1 + h * (f32(2 / 9) * a1 + f32(1 / 3) * b1 + f32(4 / 9) * c1)
            d0, d1 = n1, mu * (f32(1) - n0 * n0) * n1 - n0
            e0 = abs(h * (f32(-5 / 72) * a0 + f32(1 / 12) * b0 + f32(1 / 9) * c0 - f32(1 / 8) * d0))
            e1 = abs(h * (f32(-5 / 72) * a1 + f32(1 / 12) * b1 + f32(1 / 9) * c1 - f32(1 / 8) * d1))
            error = max(e0, e1)
            if error < f32(1e-4):
                t += h
                y0, y1, a0, a1 = n0, n1, d0, d1
                taken += 1
            h *= min(max(f32(0.9) * (f32(1e-4) / (error + f32(1e-12))) ** f32(1 / 3), f32(0.2)), f32(5))
        return np.array([y0, y1]), taken

    return solve


def numpy(np):
    f32 = np.float32

    def solve(mu, end):
        def slope(y):
            return np.array([y[1], mu * (f32(1) - y[0] ** 2) * y[1] - y[0]], f32)

        t, h = f32(0), f32(1e-2)
        y = np.array([2, 0], f32)
        k1 = slope(y)
        taken = 0
        while t < end:
            h = min(h, end - t)
            k2 = slope(y + h * f32(0.5) * k1)
            k3 = slope(y + h * f32(0.75) * k2)
            new = y + h * (f32(2 / 9) * k1 + f32(1 / 3) * k2 + f32(4 / 9) * k3)
            k4 = slope(new)
            error = np.abs(h * (f32(-5 / 72) * k1 + f32(1 / 12) * k2 + f32(1 / 9) * k3 - f32(1 / 8) * k4)).max()
            if error < 1e-4:
                t += h
                y, k1 = new, k4
                taken += 1
            h *= min(max(f32(0.9) * (f32(1e-4) / (error + f32(1e-12))) ** f32(1 / 3), f32(0.2)), f32(5))
        return y, taken

    return solve
