"""The stiffness and damping of a spring from its seen path, descending the gradient through the simulated steps."""

SIZES = ((40, 20), (300, 50))
TOLERANCE = 1e-3


def data(np, size):
    steps, descents = size
    x, v, seen = 1.0, 0.0, []
    for _ in range(steps):
        v += 0.05 * (-2.0 * x - 0.3 * v)
        x += 0.05 * v
        seen.append(x)
    noise = 0.02 * np.random.default_rng(0).normal(size=steps)
    return (np.array(seen) + noise).astype(np.float32), np.int32(descents)


def tensorflow(tf):
    def misfit(guess, seen):
        x, v, total = 1.0, 0.0, 0.0
        for target in seen:
            v += 0.05 * (-guess[0] * x - guess[1] * v)
            x += 0.05 * v
            total += (x - target) ** 2
        return total / seen.shape[0]

    def fit(seen, descents):
        guess = tf.constant([1.5, 0.1])
        loss = tf.constant(0.0)
        for _ in tf.range(descents):
            with tf.GradientTape() as tape:
                tape.watch(guess)
                loss = misfit(guess, seen)
            guess -= 0.2 * tape.gradient(loss, guess)
        return guess, loss

    return fit


def jax(jax, jnp, lax):
    def misfit(guess, seen):
        def step(state, target):
            x, v = state
            v = v + 0.05 * (-guess[0] * x - guess[1] * v)
            x = x + 0.05 * v
            return (x, v), (x - target) ** 2

        return lax.scan(step, (jnp.float32(1), jnp.float32(0)), seen)[1].mean()

    def fit(seen, descents):
        def descend(_, state):
            guess, _ = state
            loss, gradient = jax.value_and_grad(misfit)(guess, seen)
            return guess - 0.2 * gradient, loss

        return lax.fori_loop(0, descents, descend, (jnp.array([1.5, 0.1], jnp.float32), jnp.float32(0)))

    return jax.jit(fit)


def _plain(np):
    f32 = np.float32

    def fit(seen, descents):
        n = len(seen)
        dt, rate = f32(0.05), f32(0.2)
        k, c, loss = f32(1.5), f32(0.1), f32(0)
        xs, vs = np.empty(n + 1, np.float32), np.empty(n + 1, np.float32)
        for _ in range(descents):
            xs[0], vs[0], loss = f32(1), f32(0), f32(0)
            for t in range(n):
                vs[t + 1] = vs[t] + dt * (-k * xs[t] - c * vs[t])
                xs[t + 1] = xs[t] + dt * vs[t + 1]
                loss += (xs[t + 1] - seen[t]) ** 2 / f32(n)
            # The derivatives of the loss by position and speed, step by step backwards.
            dx, dv, dk, dc = f32(0), f32(0), f32(0), f32(0)
            for t in range(n - 1, -1, -1):
                dx += f32(2) * (xs[t + 1] - seen[t]) / f32(n)
                dv += dt * dx
                dk -= dt * xs[t] * dv
                dc -= dt * vs[t] * dv
                dx -= dt * k * dv
                dv -= dt * c * dv
            k -= rate * dk
            c -= rate * dc
        return np.array([k, c]), loss

    return fit


def numba(njit, np):
    return njit(_plain(np))


def numpy(np):
    return _plain(np)
