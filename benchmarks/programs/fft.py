"""The fast Fourier transform of radix two by hand."""

SIZES = (64, 4096)
TOLERANCE = 1e-3


def data(np, size):
    rng = np.random.default_rng(0)
    return ((rng.normal(size=size) + 1j * rng.normal(size=size)).astype(np.complex64),)


def tensorflow(tf):
    def transform(x):
        n = x.shape[0]
        x = tf.reshape(x, [1, n])
        while x.shape[0] < n:
            m, half = x.shape[0], x.shape[1] // 2
            angle = -3.141592653589793 / m * tf.range(m, dtype=tf.float32)
            odd = tf.complex(tf.cos(angle), tf.sin(angle))[:, None] * x[:, half:]
            x = tf.concat([x[:, :half] + odd, x[:, :half] - odd], 0)
        x = x[:, 0]
        return tf.math.real(x), tf.math.imag(x)

    return transform


def _transform(xp):
    def transform(x):
        n = len(x)
        x = x.reshape(1, n)
        while len(x) < n:
            m, half = len(x), x.shape[1] // 2
            turn = xp.exp(-1j * xp.pi / m * xp.arange(m)).astype(xp.complex64)
            odd = turn[:, None] * x[:, half:]
            x = xp.concatenate([x[:, :half] + odd, x[:, :half] - odd])
        return x[:, 0].real, x[:, 0].imag

    return transform


def jax(jax, jnp, lax):
    return jax.jit(_transform(jnp))


def numba(njit, np):
    @njit
    def transform(x):
        n = len(x)
        x = x.copy()
        j = 0
        for i in range(1, n):  # the order of reversed bits
            bit = n >> 1
            while j & bit:
                j ^= bit
                bit >>= 1
            j |= bit
            if i < j:
                x[i], x[j] = x[j], x[i]
        m = 1
        while m < n:
            turns = np.exp(-1j * np.pi / m * np.arange(m)).astype(np.complex64)
            for start in range(0, n, 2 * m):
                for k in range(m):
                    even, odd = x[start + k], turns[k] * x[start + m + k]
                    x[start + k] = even + odd
                    x[start + m + k] = even - odd
            m *= 2
        return x.real, x.imag

    return transform


def numpy(np):
    return _transform(np)
