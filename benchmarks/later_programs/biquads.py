"""A signal through a chain of second-order filters, sample by sample."""

SIZES = ((4, 200), (8, 5000))
TOLERANCE = 1e-3


def data(np, size):
    sections, samples = size
    rng = np.random.default_rng(0)
    radius, angle = rng.uniform(0.3, 0.8, sections), rng.uniform(0.2, 2, sections)
    b = rng.uniform(-0.5, 0.5, (sections, 3))
    b[:, 0] = 1
    a = np.stack([-2 * radius * np.cos(angle), radius**2], 1)
    return rng.normal(size=samples).astype(np.float32), b.astype(np.float32), a.astype(np.float32)


def tensorflow(tf):
    def run(signal, b, a):
        sections = b.shape[0]
        z1, z2 = tf.zeros([sections]), tf.zeros([sections])
        out = tf.TensorArray(tf.float32, size=tf.size(signal))
        for t in tf.range(tf.size(signal)):
            x = signal[t]
            n1, n2 = [], []
            for k in range(sections):
                y = b[k, 0] * x + z1[k]
                n1.append(b[k, 1] * x - a[k, 0] * y + z2[k])
                n2.append(b[k, 2] * x - a[k, 1] * y)
                x = y
            z1, z2 = tf.stack(n1), tf.stack(n2)
            out = out.write(t, x)
        return out.stack()

    return run


def jax(jax, jnp, lax):
    def run(signal, b, a):
        def sample(state, x):
            z1, z2 = state
            n1, n2 = [], []
            for k in range(len(b)):
                y = b[k, 0] * x + z1[k]
                n1.append(b[k, 1] * x - a[k, 0] * y + z2[k])
                n2.append(b[k, 2] * x - a[k, 1] * y)
                x = y
            return (jnp.stack(n1), jnp.stack(n2)), x

        zeros = jnp.zeros(len(b), jnp.float32)
        return lax.scan(sample, (zeros, zeros), signal)[1]

    return jax.jit(run)


def numba(njit, np):
    @njit
    def run(signal, b, a):
        sections = len(b)
        z1, z2 = np.zeros(sections, np.float32), np.zeros(sections, np.float32)
        out = np.empty_like(signal)
        for t in range(len(signal)):
            x = signal[t]
            for k in range(sections):
                y = b[k, 0] * x + z1[k]
                z1[k] = b[k, 1] * x - a[k, 0] * y + z2[k]
                z2[k] = b[k, 2] * x - a[k, 1] * y
                x = y
            out[t] = x
        return out

    return run


def numpy(np):
    def run(signal, b, a):
        for k in range(len(b)):
            z1 = z2 = np.float32(0)
            out = np.empty_like(signal)
            for t, x in enumerate(signal):
                y = b[k, 0] * x + z1
                z1 = b[k, 1] * x - a[k, 0] * y + z2
                z2 = b[k, 2] * x - a[k, 1] * y
                out[t] = y
            signal = out
        return signal

    return run
