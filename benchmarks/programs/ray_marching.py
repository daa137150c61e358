"""Spheres above a floor, seen by marching along rays in steps of the distance to the nearest surface."""

SIZES = (16, 128)
TOLERANCE = 1e-3


def data(np, size):
    rng = np.random.default_rng(0)
    centers = rng.uniform([-2, -0.5, 3], [2, 1.5, 6], (5, 3)).astype(np.float32)
    radii = rng.uniform(0.3, 0.8, 5).astype(np.float32)
    x, y = np.meshgrid(np.linspace(-1, 1, size), np.linspace(1, -1, size))
    rays = np.stack([x, y, np.full_like(x, 1.5)], -1)
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    return centers, radii, rays.astype(np.float32)


def tensorflow(tf):
    def distances(at, centers, radii):
        spheres = tf.norm(at[:, :, None, :] - centers, axis=-1) - radii
        floor = at[:, :, 1:2] + 1.0
        return tf.concat([spheres, floor], -1)

    def render(centers, radii, rays):
        far = tf.zeros(rays.shape[:2])
        for _ in tf.range(40):
            far += tf.reduce_min(distances(far[:, :, None] * rays, centers, radii), -1)
        at = far[:, :, None] * rays
        gaps = distances(at, centers, radii)
        nearest = tf.argmin(gaps, -1, output_type=tf.int32)
        middle = tf.gather(tf.concat([centers, [[0.0, 0.0, 0.0]]], 0), nearest)
        up = tf.constant([0.0, 1.0, 0.0])
        normal = tf.where((nearest == centers.shape[0])[:, :, None], up, tf.math.l2_normalize(at - middle, -1))
        light = tf.maximum(tf.reduce_sum(normal * [0.5, 0.7, -0.5], -1), 0.0)
        hit = (tf.reduce_min(gaps, -1) < 0.01) & (far < 20.0)
        return tf.where(hit, 0.1 + 0.9 * light, 0.0)

    return render


def _parts(xp):
    def distances(at, centers, radii):
        spheres = xp.linalg.norm(at[:, :, None, :] - centers, axis=-1) - radii
        return xp.concatenate([spheres, at[:, :, 1:2] + xp.float32(1)], -1)

    def march(far, centers, radii, rays):
        return far + distances(far[:, :, None] * rays, centers, radii).min(-1)

    def shade(far, centers, radii, rays):
        at = far[:, :, None] * rays
        gaps = distances(at, centers, radii)
        nearest = gaps.argmin(-1)
        middle = xp.concatenate([centers, xp.zeros((1, 3), xp.float32)])[nearest]
        away = at - middle
        sphere_normal = away / xp.linalg.norm(away, axis=-1, keepdims=True)
        normal = xp.where((nearest == len(centers))[:, :, None], xp.array([0, 1, 0], xp.float32), sphere_normal)
        light = xp.maximum(normal @ xp.array([0.5, 0.7, -0.5], xp.float32), 0)
        hit = (gaps.min(-1) < 0.01) & (far < 20)
        return xp.where(hit, 0.1 + 0.9 * light, 0)

    return march, shade


def jax(jax, jnp, lax):
    march, shade = _parts(jnp)

    def render(centers, radii, rays):
        start = jnp.zeros(rays.shape[:2], jnp.float32)
        far = lax.fori_loop(0, 40, lambda _, far: march(far, centers, radii, rays), start)
        return shade(far, centers, radii, rays)

    return jax.jit(render)


def numba(njit, np):
    f32 = np.float32

    @njit
    def nearest_surface(x, y, z, centers, radii):
        best, which = y + f32(1), len(radii)
        for s in range(len(radii)):
            u, v, w = x - centers[s, 0], y - centers[s, 1], z - centers[s, 2]
            gap = np.sqrt(u * u + v * v + w * w) - radii[s]
            if gap < best:
                best, which = gap, s
        return best, which

    @njit
    def render(centers, radii, rays):
        height, width, _ = rays.shape
        image = np.zeros((height, width), np.float32)
        for i in range(height):
            for j in range(width):
                dx, dy, dz = rays[i, j, 0], rays[i, j, 1], rays[i, j, 2]
                far = f32(0)
                for _ in range(40):
                    gap, _ = nearest_surface(far * dx, far * dy, far * dz, centers, radii)
                    far += gap
                x, y, z = far * dx, far * dy, far * dz
                gap, which = nearest_surface(x, y, z, centers, radii)
                if gap < f32(0.01) and far < f32(20):
                    u, v, w = f32(0), f32(1), f32(0)
                    if which < len(radii):
                        u, v, w = x - centers[which, 0], y - centers[which, 1], z - centers[which, 2]
                        length = np.sqrt(u * u + v * v + w * w)
                        u, v, w = u / length, v / length, w / length
                    light = max(f32(0.5) * u + f32(0.7) * v - f32(0.5) * w, f32(0))
                    image[i, j] = f32(0.1) + f32(0.9) * light
        return image

    return render


def numpy(np):
    march, shade = _parts(np)

    def render(centers, radii, rays):
        far = np.zeros(rays.shape[:2], np.float32)
        for _ in range(40):
            far = march(far, centers, radii, rays)
        return shade(far, centers, radii, rays)

    return render
