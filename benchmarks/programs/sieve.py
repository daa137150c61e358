"""The sieve of Eratosthenes: multiples are struck out by scatter."""

SIZES = (1000, 20000)


def data(np, size):
    return (np.int32(size),)


def tensorflow(tf):
    def primes(n):
        prime = tf.ones([n], tf.int32)
        p = tf.constant(2)
        while p * p < n:
            if prime[p] == 1:
                multiples = tf.range(p * p, n, p)
                prime = tf.tensor_scatter_nd_update(prime, multiples[:, None], tf.zeros_like(multiples))
            p += 1
        return tf.reduce_sum(prime) - 2

    return primes


def jax(jax, jnp, lax):
    def primes(n):
        numbers = jnp.arange(n)

        def step(p, prime):
            strike = (numbers >= p * p) & (numbers % p == 0)
            return jnp.where(strike & (prime[p] == 1), 0, prime)

        prime = lax.fori_loop(2, int(n**0.5) + 1, step, jnp.ones(n, jnp.int32))
        return prime.sum() - 2

    return jax.jit(primes, static_argnums=0)


def numba(njit, np):
    @njit
    def primes(n):
        prime = np.ones(n, np.int32)
        p = 2
        while p * p < n:
            if prime[p] == 1:
                for k in range(p * p, n, p):
                    prime[k] = 0
            p += 1
        return prime.sum() - 2

    return primes


def numpy(np):
    def primes(n):
        prime = np.ones(n, np.int32)
        p = 2
        while p * p < n:
            if prime[p] == 1:
                prime[p * p :: p] = 0
            p += 1
        return prime.sum() - 2

    return primes
