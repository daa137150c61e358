"""Lloyd's algorithm: points go to the nearest of k centres, which move to the means of their points."""

SIZES = ((200, 4, 10), (2000, 8, 20))
TOLERANCE = 1e-3


def data(np, size):
    n, k, steps = size
    rng = np.random.default_rng(0)
    points = rng.uniform(-10, 10, (k, 4))[rng.integers(0, k, n)] + rng.normal(size=(n, 4))
    points = points.astype(np.float32)
    return points, points[:k].copy(), np.int32(steps)


def tensorflow(tf):
    def cluster(points, centers, steps):
        k = centers.shape[0]
        nearest = tf.zeros([points.shape[0]], tf.int32)
        for _ in tf.range(steps):
            distances = tf.reduce_sum((points[:, None, :] - centers[None, :, :]) ** 2, -1)
            nearest = tf.argmin(distances, 1, output_type=tf.int32)
            sums = tf.math.unsorted_segment_sum(points, nearest, k)
            counts = tf.math.unsorted_segment_sum(tf.ones_like(points[:, 0]), nearest, k)
            centers = sums / tf.maximum(counts, 1.0)[:, None]
        return centers, nearest

    return cluster


def jax(jax, jnp, lax):
    def cluster(points, centers, steps):
        k = centers.shape[0]

        def step(_, state):
            centers, _ = state
            distances = jnp.sum((points[:, None, :] - centers[None, :, :]) ** 2, -1)
            nearest = jnp.argmin(distances, 1).astype(jnp.int32)
            sums = jax.ops.segment_sum(points, nearest, k)
            counts = jax.ops.segment_sum(jnp.ones_like(points[:, 0]), nearest, k)
            return sums / jnp.maximum(counts, 1)[:, None], nearest

        return lax.fori_loop(0, steps, step, (centers, jnp.zeros(len(points), jnp.int32)))

    return jax.jit(cluster)


def numba(njit, np):
    @njit
    def cluster(points, centers, steps):
        n, d = points.shape
        k = len(centers)
        centers = centers.copy()
        nearest = np.zeros(n, np.int32)
        for _ in range(steps):
            sums = np.zeros((k, d), np.float32)
            counts = np.zeros(k, np.int32)
            for i in range(n):
                best = np.float32(np.inf)
                for c in range(k):
                    distance = np.float32(0)
                    for j in range(d):
                        apart = points[i, j] - centers[c, j]
                        distance += apart * apart
                    if distance < best:
                        best = distance
                        nearest[i] = c
                counts[nearest[i]] += 1
                for j in range(d):
                    sums[nearest[i], j] += points[i, j]
            for c in range(k):
                for j in range(d):
                    centers[c, j] = sums[c, j] / max(counts[c], 1)
        return centers, nearest

    return cluster


def numpy(np):
    def cluster(points, centers, steps):
        k = len(centers)
        nearest = np.zeros(len(points), np.int32)
        for _ in range(steps):
            distances = ((points[:, None, :] - centers[None, :, :]) ** 2).sum(-1)
            nearest = distances.argmin(1).astype(np.int32)
            member = (nearest == np.arange(k)[:, None]).astype(np.float32)
            centers = member @ points / np.maximum(member.sum(1), 1)[:, None]
        return centers, nearest

    return cluster
