"""Breadth-first search from one node of a graph given by its adjacency matrix: the number of links to every node."""

SIZES = (40, 600)


def data(np, size):
    rng = np.random.default_rng(0)
    links = rng.uniform(size=(size, size)) < 0.2 / size
    nodes = np.arange(size - 5)  # the last nodes may not be reached
    links[nodes, (nodes + 1) % len(nodes)] = links[nodes, nodes - 1] = True
    return links, np.int32(3)


def tensorflow(tf):
    def search(links, start):
        n = links.shape[0]
        steps = tf.fill([n], -1)
        frontier = tf.range(n) == start
        depth = 0
        while tf.reduce_any(frontier):
            steps = tf.where(frontier, depth, steps)
            frontier = tf.reduce_any(links & frontier[:, None], 0) & (steps < 0)
            depth += 1
        return steps

    return search


def jax(jax, jnp, lax):
    def search(links, start):
        n = len(links)

        def step(state):
            steps, frontier, depth = state
            steps = jnp.where(frontier, depth, steps)
            return steps, (links & frontier[:, None]).any(0) & (steps < 0), depth + 1

        first = jnp.full(n, -1, jnp.int32), jnp.arange(n) == start, jnp.int32(0)
        return lax.while_loop(lambda state: state[1].any(), step, first)[0]

    return jax.jit(search)


def numba(njit, np):
    @njit
    def search(links, start):
        n = len(links)
        steps = np.full(n, -1, np.int32)
        queue = np.empty(n, np.int32)
        queue[0] = start
        steps[start] = 0
        first, last = 0, 1
        while first < last:
            node = queue[first]
            first += 1
            for other in range(n):
                if links[node, other] and steps[other] < 0:
                    steps[other] = steps[node] + 1
                    queue[last] = other
                    last += 1
        return steps

    return search


def numpy(np):
    def search(links, start):
        n = len(links)
        steps = np.full(n, -1, np.int32)
        frontier = np.array([start])
        depth = 0
        while len(frontier):
            steps[frontier] = depth
            frontier = np.flatnonzero(links[frontier].any(0) & (steps < 0))
            depth += 1
        return steps

    return search
