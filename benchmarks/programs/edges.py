"""Edges of a grey image: a Gaussian blur, Sobel's gradients, and what exceeds a part of the steepest."""

SIZES = (24, 512)
TOLERANCE = 1e-3


def data(np, size):
    y, x = np.mgrid[:size, :size] / size
    disc = ((x - 0.4) ** 2 + (y - 0.5) ** 2 < 0.1) * 120 + (x + y > 1.3) * 60
    return ((disc + np.random.default_rng(0).integers(0, 40, (size, size))).astype(np.uint8),)


def tensorflow(tf):
    def blur(image):
        h, w = image.shape
        weights = (1, 4, 6, 4, 1)
        wide = tf.pad(image, [[2, 2], [2, 2]], "REFLECT")
        rows = tf.add_n([weights[k] / 16 * wide[k : k + h] for k in range(5)])
        return tf.add_n([weights[k] / 16 * rows[:, k : k + w] for k in range(5)])

    def detect(image):
        p = tf.pad(blur(tf.cast(image, tf.float32) / 255.0), [[1, 1], [1, 1]], "REFLECT")
        across = p[:, 2:] - p[:, :-2]
        down = p[2:] - p[:-2]
        gx = across[:-2] + 2.0 * across[1:-1] + across[2:]
        gy = down[:, :-2] + 2.0 * down[:, 1:-1] + down[:, 2:]
        steep = tf.sqrt(gx**2 + gy**2)
        return steep, steep > 0.3 * tf.reduce_max(steep)

    return detect


def _detect(xp):
    def blur(image):
        h, w = image.shape
        weights = (1, 4, 6, 4, 1)
        wide = xp.pad(image, 2, mode="reflect")
        rows = sum(weights[k] / 16 * wide[k : k + h] for k in range(5))
        return sum(weights[k] / 16 * rows[:, k : k + w] for k in range(5))

    def detect(image):
        p = xp.pad(blur(image.astype(xp.float32) / 255), 1, mode="reflect")
        across = p[:, 2:] - p[:, :-2]
        down = p[2:] - p[:-2]
        gx = across[:-2] + 2 * across[1:-1] + across[2:]
        gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
        steep = xp.sqrt(gx**2 + gy**2)
        return steep, steep > 0.3 * steep.max()

    return detect


def jax(jax, jnp, lax):
    return jax.jit(_detect(jnp))


def numba(njit, np):
    f32 = np.float32

    @njit
    def inside(i, n):
        return -i if i < 0 else 2 * n - 2 - i if i >= n else i

    @njit
    def detect(image):
        h, w = image.shape
        weights = np.array([1, 4, 6, 4, 1], np.float32) / f32(16)
        rows, smooth, steep = np.empty((h, w), f32), np.empty((h, w), f32), np.empty((h, w), f32)
        for i in range(h):
            for j in range(w):
                total = f32(0)
                for k in range(5):
                    total += weights[k] * f32(image[inside(i + k - 2, h), j])
                rows[i, j] = total / f32(255)
        for i in range(h):
            for j in range(w):
                total = f32(0)
                for k in range(5):
                    total += weights[k] * rows[i, inside(j + k - 2, w)]
                smooth[i, j] = total
        for i in range(h):
            above, below = inside(i - 1, h), inside(i + 1, h)
            for j in range(w):
                left, right = inside(j - 1, w), inside(j + 1, w)
                gx = smooth[above, right] - smooth[above, left] + smooth[below, right] - smooth[below, left]
                gx += f32(2) * (smooth[i, right] - smooth[i, left])
                gy = smooth[below, left] - smooth[above, left] + smooth[below, right] - smooth[above, right]
                gy += f32(2) * (smooth[below, j] - smooth[above, j])
                steep[i, j] = np.sqrt(gx * gx + gy * gy)
        return steep, steep > f32(0.3) * steep.max()

    return detect


def numpy(np):
    return _detect(np)
