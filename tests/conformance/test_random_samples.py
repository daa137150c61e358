"""Samples of distributions with parameters, and random orders, have TensorFlow's bits: checksums of many, recorded from
TensorFlow 2.21."""

import zlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

SEED = [1234, -77]
OWN = {"seed": 5, "seed2": 6}

# What is drawn, and its dtype or size -> the checksum.
RECORDED = {
    ("gamma", "float16"): 2473225323,
    ("binomial", "float16"): 2310860017,
    ("bounded -1 1", "float16"): 1781043962,
    ("bounded -5 0.1", "float16"): 2138328447,
    ("bounded 0.5 0.75", "float16"): 2832771969,
    ("bounded 2 9", "float16"): 2447632394,
    ("bounded -9 -4", "float16"): 3596313908,
    ("bounded 3 inf", "float16"): 2596003902,
    ("bounded batches", "float16"): 2682246132,
    ("stateful bounded batches", "float16"): 652805960,
    ("stateful bounded", "float16"): 3134199893,
    ("stateful gamma", "float16"): 4278583687,
    ("gamma", "float32"): 2071098417,
    ("binomial", "float32"): 3219197088,
    ("bounded -1 1", "float32"): 4096632743,
    ("bounded -5 0.1", "float32"): 1244381116,
    ("bounded 0.5 0.75", "float32"): 2901614135,
    ("bounded 2 9", "float32"): 118232683,
    ("bounded -9 -4", "float32"): 2261963757,
    ("bounded 3 inf", "float32"): 2761434817,
    ("bounded batches", "float32"): 3354917018,
    ("stateful bounded batches", "float32"): 2827875392,
    ("stateful bounded", "float32"): 3766377214,
    ("stateful gamma", "float32"): 3426633715,
    ("gamma", "float64"): 2802381591,
    ("binomial", "float64"): 3219197088,
    ("bounded -1 1", "float64"): 3194410684,
    ("bounded -5 0.1", "float64"): 3329774705,
    ("bounded 0.5 0.75", "float64"): 11532063,
    ("bounded 2 9", "float64"): 2764659982,
    ("bounded -9 -4", "float64"): 217663647,
    ("bounded 3 inf", "float64"): 2403602648,
    ("bounded batches", "float64"): 847580660,
    ("stateful bounded batches", "float64"): 264299302,
    ("stateful bounded", "float64"): 4216443814,
    ("stateful gamma", "float64"): 2899999015,
    ("poisson float16", "float16"): 2729398077,
    ("poisson float16", "float32"): 1566914145,
    ("poisson float16", "float64"): 4037162349,
    ("poisson float16", "int32"): 2203331766,
    ("poisson float16", "int64"): 1538397781,
    ("stateful poisson", "float16"): 1945160858,
    ("poisson float32", "float16"): 2729398077,
    ("poisson float32", "float32"): 1566914145,
    ("poisson float32", "float64"): 4037162349,
    ("poisson float32", "int32"): 2203331766,
    ("poisson float32", "int64"): 1538397781,
    ("stateful poisson", "float32"): 3705930101,
    ("poisson float64", "float16"): 2729398077,
    ("poisson float64", "float32"): 1566914145,
    ("poisson float64", "float64"): 4037162349,
    ("poisson float64", "int32"): 2203331766,
    ("poisson float64", "int64"): 1538397781,
    ("stateful poisson", "float64"): 3756818354,
    ("poisson int32", "float16"): 3643308847,
    ("poisson int32", "float32"): 3078381047,
    ("poisson int32", "float64"): 256581941,
    ("poisson int32", "int32"): 803248974,
    ("poisson int32", "int64"): 2552988626,
    ("stateful poisson", "int32"): 2181599201,
    ("poisson int64", "float16"): 3643308847,
    ("poisson int64", "float32"): 3078381047,
    ("poisson int64", "float64"): 256581941,
    ("poisson int64", "int32"): 803248974,
    ("poisson int64", "int64"): 2552988626,
    ("stateful poisson", "int64"): 1617807141,
    ("shuffle", "uint8"): 2808559532,
    ("stateful shuffle", "uint8"): 2696989380,
    ("shuffle", "float16"): 1814511035,
    ("stateful shuffle", "float16"): 3530303535,
    ("shuffle", "int32"): 2736350425,
    ("stateful shuffle", "int32"): 2316394468,
    ("shuffle", "float64"): 1814511035,
    ("stateful shuffle", "float64"): 3530303535,
    ("shuffle", "complex128"): 549007848,
    ("stateful shuffle", "complex128"): 3555024001,
    ("shuffle", "string"): 76293715,
    ("stateful shuffle", "string"): 705617068,
    ("index 4", 0): 2154854377,
    ("index 4", 1): 952897676,
    ("index 4", 2): 292727821,
    ("index 4", 3): 2360579696,
    ("index 4", 4): 4134023847,
    ("index 4", 7): 2431726210,
    ("index 4", 8): 2705271991,
    ("index 4", 255): 2209515397,
    ("index 4", 256): 2710138966,
    ("index 4", 257): 4121025917,
    ("index 4", 65535): 2364039861,
    ("index 4", 65536): 2340231343,
    ("index 4", 65537): 994452348,
    ("index 4", 1000000): 1203321006,
    ("index 4", 2147483647): 3147693428,
    ("index 8", 0): 2154854377,
    ("index 8", 1): 2631928309,
    ("index 8", 2): 3482197022,
    ("index 8", 3): 3423741793,
    ("index 8", 4): 862751197,
    ("index 8", 7): 3387189220,
    ("index 8", 8): 2539524352,
    ("index 8", 255): 306924261,
    ("index 8", 256): 15817749,
    ("index 8", 257): 3908541611,
    ("index 8", 65535): 909406801,
    ("index 8", 65536): 2242093675,
    ("index 8", 65537): 1752333709,
    ("index 8", 1000000): 2360306773,
    ("index 8", 2147483647): 342195116,
    ("index", "wide"): 2929482601,
    ("categorical 7", "float16"): 4078775301,
    ("categorical 1000", "float16"): 274614316,
    ("categorical 7", "float32"): 4078775301,
    ("categorical 1000", "float32"): 3976571136,
    ("categorical 7", "float64"): 4078775301,
    ("categorical 1000", "float64"): 3976571136,
    ("StatefulUniform", "float16"): 972745544,
    ("StatefulUniform", "float32"): 722011053,
    ("StatefulUniform", "float64"): 1964288377,
    ("StatefulStandardNormalV2", "float16"): 917047573,
    ("StatefulStandardNormalV2", "float32"): 2005980720,
    ("StatefulStandardNormalV2", "float64"): 2251886458,
    ("StatefulTruncatedNormal", "float16"): 3007533987,
    ("StatefulTruncatedNormal", "float32"): 1831382706,
    ("StatefulTruncatedNormal", "float64"): 3157617541,
    ("StatefulUniformInt", "int32"): 3105821479,
    ("StatefulUniformInt", "int64"): 1699003240,
    ("StatefulUniformFullInt", "int32"): 2781231184,
    ("StatefulUniformFullInt", "int64"): 3775175535,
    ("StatefulUniformFullInt", "uint32"): 978106597,
    ("StatefulUniformFullInt", "uint64"): 2634171141,
    ("generator", "binomial"): 3911691291,
    ("generator", "all"): 3309534258,
    ("gamma grad", "float32"): 1477391456,
    ("gamma grad", "float64"): 3563664402,
}


def checksum(tf, x):
    if x.dtype == tf.float16:
        x = tf.bitcast(x, tf.uint16)
    return zlib.crc32(np.ascontiguousarray(x.numpy()).tobytes())


def compare(tf, found):
    """Compares what was drawn with what TensorFlow draws."""
    found = {key: x if isinstance(x, int) else checksum(tf, x) for key, x in found.items()}
    assert found == {key: RECORDED[key] for key in found}


def test_gamma(tf):
    tf.random.set_seed(3)
    found = {}
    for dtype in ("float16", "float32", "float64"):
        alpha = tf.constant([0.1, 0.5, 1, 1.5, 30], dtype)
        found["gamma", dtype] = tf.raw_ops.StatelessRandomGammaV2(shape=[3001, 5], seed=SEED, alpha=alpha)
        alpha = tf.constant([0.3, 1, 4.5], dtype)
        found["stateful gamma", dtype] = tf.raw_ops.RandomGamma(shape=[1001], alpha=alpha, **OWN)
    alpha = np.abs(np.sin(np.arange(600.0))) * 20 + 0.05
    for dtype in ("float32", "float64"):
        sample = tf.constant(alpha[::-1].copy(), dtype)
        found["gamma grad", dtype] = tf.raw_ops.RandomGammaGrad(alpha=tf.constant(alpha, dtype), sample=sample)
    compare(tf, found)


def test_poisson(tf):
    tf.random.set_seed(3)
    dtypes = ("float16", "float32", "float64", "int32", "int64")
    found = {}
    for dtype in dtypes:
        for given in dtypes:
            lam = tf.cast(tf.constant([0.5, 3.75, 10, 700], "float32"), given)
            drawn = tf.raw_ops.StatelessRandomPoisson(shape=[3001, 4], seed=SEED, lam=lam, dtype=dtype)
            found[f"poisson {given}", dtype] = drawn
        rate = tf.constant([0.5, 3.75, 10, 700], "float64")
        found["stateful poisson", dtype] = tf.raw_ops.RandomPoissonV2(shape=[1001], rate=rate, dtype=dtype, **OWN)
    compare(tf, found)


def test_binomial(tf):
    found = {}
    for dtype in ("float16", "float32", "float64"):
        counts = tf.constant([5, 20, 100, 1000, 30, 15], dtype)
        probs = tf.constant([0.3, 0.9, 0.2, 0.75, 1, 0.1], dtype)
        found["binomial", dtype] = tf.raw_ops.StatelessRandomBinomial(
            shape=[3001, 6], seed=SEED, counts=counts, probs=probs, dtype="int64"
        )
    compare(tf, found)


BOUNDS = [(-1, 1), (-5, 0.1), (0.5, 0.75), (2, 9), (-9, -4), (3, float("inf"))]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_normal_numbers_between_bounds(tf, dtype):
    stateless, stateful = tf.raw_ops.StatelessParameterizedTruncatedNormal, tf.raw_ops.ParameterizedTruncatedNormal

    def of(*values):
        return tf.constant(values if len(values) > 1 else values[0], dtype)

    tf.random.set_seed(3)
    found = {}
    for low, high in BOUNDS:
        given = {"means": of(0.1), "stddevs": of(0.9), "minvals": of(low), "maxvals": of(high)}
        found[f"bounded {low} {high}", dtype] = stateless(shape=[90], seed=SEED, **given)
    low = tf.constant([[-1.0], [0]], dtype)
    given = {"means": of(0, 1, 2), "stddevs": of(1, 2, 0.5), "minvals": low, "maxvals": of(3)}
    found["bounded batches", dtype] = stateless(shape=[20, 2, 3], seed=SEED, **given)
    given = {"means": tf.cast(tf.range(12), dtype), "stdevs": of(1), "minvals": of(-1), "maxvals": of(14)}
    found["stateful bounded batches", dtype] = stateful(shape=[12, 9], **given, **OWN)
    given = {"means": of(0), "stdevs": of(1), "minvals": of(-1), "maxvals": of(3)}
    found["stateful bounded", dtype] = stateful(shape=[12, 7], **given, **OWN)
    compare(tf, found)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "int32", "float64", "complex128", "string"])
def test_orders(tf, dtype):
    def listed(draw):
        numbers = tf.range(999)
        value = tf.strings.as_string(numbers) if dtype == "string" else tf.cast(numbers, dtype)
        lists = [draw(value).numpy().tolist(), draw(tf.reshape(value, [333, 3])).numpy().tolist()]
        return zlib.crc32(repr(lists).encode())

    tf.random.set_seed(3)
    found = {
        ("shuffle", dtype): listed(lambda value: tf.random.experimental.stateless_shuffle(value, SEED)),
        ("stateful shuffle", dtype): listed(lambda value: tf.raw_ops.RandomShuffle(value=value, **OWN)),
    }
    compare(tf, found)


@pytest.mark.parametrize("rounds", [4, 8])
def test_places_of_indices(tf, rounds):
    found = {}
    for key in (key for key in RECORDED if key[0] == f"index {rounds}"):
        index = tf.constant(np.linspace(0, key[1], 7).astype("int32"))
        found[key] = tf.raw_ops.RandomIndexShuffle(index=index, seed=[7, -8, 9], max_index=key[1], rounds=rounds)
    index, most = tf.constant([0, 5, 2**40], tf.uint64), tf.constant(2**63 + 5, tf.uint64)
    found["index", "wide"] = tf.raw_ops.RandomIndexShuffle(index=index, seed=[7, 8, 9], max_index=most)
    compare(tf, found)


def test_categorical(tf):
    found = {}
    for dtype in ("float16", "float32", "float64"):
        logits = tf.cast(tf.math.sin(tf.range(37, dtype="float32")), dtype)[None]
        for n in (7, 1000):
            found[f"categorical {n}", dtype] = tf.random.stateless_categorical(logits, n, SEED)
    compare(tf, found)


def test_the_state_of_a_generator(tf):
    state = tf.Variable([5, -6, 7], dtype=tf.int64)
    given = {"resource": state.handle, "algorithm": 1, "shape": [999]}
    found = {}
    for name in ("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"):
        for dtype in ("float16", "float32", "float64"):
            found[name, dtype] = getattr(tf.raw_ops, name)(**given, dtype=dtype)
    for dtype in ("int32", "int64"):
        bounds = {"minval": tf.constant(-7, dtype), "maxval": tf.constant(1000, dtype)}
        found["StatefulUniformInt", dtype] = tf.raw_ops.StatefulUniformInt(**given, **bounds)
    for dtype in ("int32", "int64", "uint32", "uint64"):
        found["StatefulUniformFullInt", dtype] = tf.raw_ops.StatefulUniformFullInt(**given, dtype=dtype)
    generator = tf.random.Generator.from_seed(9)
    found["generator", "binomial"] = generator.binomial([50, 3], [5.0, 50.0, 500.0], [0.5, 0.1, 0.9])
    drawn = [
        generator.uniform([3], minval=None, maxval=None, dtype=tf.int32),
        generator.make_seeds(2),
        generator.skip(5),
        generator.split(2)[1].normal([2]),
        generator.state,
    ]
    found["generator", "all"] = zlib.crc32(repr([x.numpy().tolist() for x in drawn]).encode())
    compare(tf, found)


def test_states_of_generators_that_do_not_fit(tf):
    make = tf.random.Generator.from_key_counter
    with pytest.raises(ValueError, match=r"Shapes \(1,\) and \[\] are incompatible"):
        make([1], [0, 1], "philox")
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \[2\] are incompatible"):
        make(1, [0, 1, 2], "philox")
    with pytest.raises(AssertionError):
        tf.random.Generator(copy_from=tf.random.Generator.from_seed(3), state=[1, 2, 3])


def test_states_for_threefry_which_has_no_kernels(tf):
    assert tf.random.create_rng_state([1, 2, 3], "ThreeFry").numpy().tolist() == [1, 2]
    assert tf.random.create_rng_state(2**70 + 5, 2).numpy().tolist() == [5, 64]
    assert tf.random.create_rng_state([2**64 - 1], "auto-select").numpy().tolist() == [0, 0, -1]
    generator = tf.random.Generator.from_seed(1, alg="threefry")
    assert (generator.state.numpy().tolist(), generator.algorithm, generator.key.numpy()) == ([1, 0], 2, 0)
    assert tf.random.Generator.from_key_counter(1, [2], "threefry").state.numpy().tolist() == [2, 1]
    for draw in (generator.normal, generator.uniform_full_int):
        with pytest.raises(tf.errors.UnimplementedError, match="Non-XLA devices don't support the ThreeFry algorithm"):
            draw([1])
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \[2\] are incompatible"):
        generator.reset([1, 2, 3])
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \[1\] are incompatible"):
        generator.reset_from_key_counter(5, [1, 2])
    with pytest.raises(TypeError, match=r"Can't convert argument `alg` \(of value \[1\] and type <class 'list'>\) to int"):
        tf.random.Generator.from_seed(1, alg=[1])
    assert tf.random.Generator.from_seed(1, alg="auto_select").algorithm == 3


def test_a_generator_shares_the_variable_of_its_state(tf):
    state = tf.Variable([1, 2, 3], dtype=tf.int64)
    generator = tf.random.Generator.from_state(state, "philox")
    assert generator.state is state
    generator.normal([1])
    assert state.numpy().tolist() == [257, 2, 3]
    copy = tf.random.Generator(copy_from=generator)
    copy.normal([1])
    assert (state.numpy().tolist(), copy.state.numpy().tolist()) == ([257, 2, 3], [513, 2, 3])
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \[3\] are incompatible"):
        tf.random.Generator.from_state(tf.Variable([1, 2], dtype=tf.int64), "philox")


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_seeds_folded_in_have_the_dtype_of_the_data(tf, dtype):
    for seed in ([1, 2], tf.constant([1, 2], tf.int64)):
        folded = tf.random.fold_in(seed, tf.constant(3, dtype))
        assert folded.dtype == dtype
        assert folded.numpy().tolist() == [7464880146280614444 if dtype == "int64" else 1105988140, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shapes of all inputs must match"):
        tf.random.fold_in([1, 2], [3])


def test_a_refused_shape_moves_the_state(tf):
    """A generator's state moves before the op that draws refuses the shape."""
    g = tf.random.Generator.from_seed(7)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape must be a vector of \{int32,int64\}, got shape \[\]"):
        g.normal(3)
    assert g.state.numpy().tolist() == [775, 0, 0]


def test_poisson_numbers_of_an_infinite_rate(tf):
    for dtype in (tf.float16, tf.float32, tf.float64):
        assert np.isinf(tf.random.poisson([3], [1.0, np.inf], dtype)[:, 1].numpy()).all()
        assert np.isinf(tf.random.stateless_poisson([2], [1, 2], np.inf, dtype).numpy()).all()


def test_seeds_of_a_wrong_length_are_refused_while_tracing(tf):
    def order():
        return tf.random.experimental.index_shuffle(tf.constant([1, 2, 3]), seed=[1, 2, 3], max_index=10)

    with pytest.raises(tf.errors.InvalidArgumentError, match="Seed must be a vector of size"):
        order()
    with pytest.raises(ValueError, match=r"Seed must have shape \[3\] or \[n, 3\] but got \[4\]"):
        tf.function(order)()
