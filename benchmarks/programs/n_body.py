"""Bodies that attract each other, moved by the leapfrog method."""

SIZES = ((16, 20), (128, 20))
TOLERANCE = 1e-3


def data(np, size):
    n, steps = size
    rng = np.random.default_rng(0)
    place = rng.normal(size=(n, 3)).astype(np.float32)
    speed = (0.1 * rng.normal(size=(n, 3))).astype(np.float32)
    mass = (rng.uniform(0.5, 1.5, n) / n).astype(np.float32)
    return place, speed, mass, np.int32(steps)


def tensorflow(tf):
    def pull(place, mass):
        apart = place[None, :, :] - place[:, None, :]
        square = tf.reduce_sum(apart**2, -1) + 0.01
        return tf.reduce_sum(apart * (mass / (square * tf.sqrt(square)))[:, :, None], 1)

    def move(place, speed, mass, steps):
        dt = 0.01
        force = pull(place, mass)
        for _ in tf.range(steps):
            speed += 0.5 * dt * force
            place += dt * speed
            force = pull(place, mass)
            speed += 0.5 * dt * force
        return place, speed

    return move


def _pull(xp):
    def pull(place, mass):
        apart = place[None, :, :] - place[:, None, :]
        square = (apart**2).sum(-1) + 0.01
        return (apart * (mass / (square * xp.sqrt(square)))[:, :, None]).sum(1)

    return pull


def jax(jax, jnp, lax):
    pull = _pull(jnp)

    def move(place, speed, mass, steps):
        dt = 0.01

        def step(_, state):
            place, speed, force = state
            speed = speed + 0.5 * dt * force
            place = place + dt * speed
            force = pull(place, mass)
            return place, speed + 0.5 * dt * force, force

        return lax.fori_loop(0, steps, step, (place, speed, pull(place, mass)))[:2]

    return jax.jit(move)


def numba(njit, np):
    @njit
    def pull(place, mass, force):
        n = len(place)
        for i in range(n):
            fx = fy = fz = np.float32(0)
            for j in range(n):
                x, y, z = place[j, 0] - place[i, 0], place[j, 1] - place[i, 1], place[j, 2] - place[i, 2]
                square = x * x + y * y + z * z + np.float32(0.01)
                weight = mass[j] / (square * np.sqrt(square))
                fx += weight * x
                fy += weight * y
                fz += weight * z
            force[i, 0], force[i, 1], force[i, 2] = fx, fy, fz

    @njit
    def move(place, speed, mass, steps):
        dt, half = np.float32(0.01), np.float32(0.005)
        place, speed, force = place.copy(), speed.copy(), np.empty_like(place)
        pull(place, mass, force)
        for _ in range(steps):
            for i in range(len(place)):
                for k in range(3):
                    speed[i, k] += half * force[i, k]
                    place[i, k] += dt * speed[i, k]
            pull(place, mass, force)
            for i in range(len(place)):
                for k in range(3):
                    speed[i, k] += half * force[i, k]
        return place, speed

    return move


def numpy(np):
    pull = _pull(np)

    def move(place, speed, mass, steps):
        dt = 0.01
        force = pull(place, mass)
        for _ in range(steps):
            speed = speed + 0.5 * dt * force
            place = place + dt * speed
            force = pull(place, mass)
            speed = speed + 0.5 * dt * force
        return place, speed

    return move
