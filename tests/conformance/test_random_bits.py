"""Random numbers of given seeds have TensorFlow's bits: checksums of many numbers, recorded from TensorFlow 2.21."""

import zlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

SEED = [1234, -77]
SIZE = [12345]

# The checksums of stateless numbers, of whole integers, of integers from -5 to a bound, and of a generator of its own.
REAL = {
    ("uniform", "float16"): 2176579883,
    ("uniform", "bfloat16"): 3361643937,
    ("uniform", "float32"): 724546477,
    ("uniform", "float64"): 1366517694,
    ("normal", "float16"): 3469861686,
    ("normal", "bfloat16"): 3820273915,
    ("normal", "float32"): 3832040477,
    ("normal", "float64"): 239447115,
    ("truncated_normal", "float16"): 1548680912,
    ("truncated_normal", "bfloat16"): 432825652,
    ("truncated_normal", "float32"): 2576890123,
    ("truncated_normal", "float64"): 3010976148,
}
WHOLE = {
    "int32": 2205234256,
    "int64": 1777985398,
    "uint32": 2205234256,
    "uint64": 1777985398,
}
BOUNDED = {
    ("int32", -4): 2861341129,
    ("int32", 2): 3250095607,
    ("int32", 2147483647): 3280361635,
    ("int64", -4): 626067088,
    ("int64", 2): 944909476,
    ("int64", 2147483647): 3457721108,
}
STATEFUL = {
    ("uniform", "float16"): 4016214304,
    ("uniform", "bfloat16"): 1244644018,
    ("uniform", "float32"): 1287653499,
    ("uniform", "float64"): 2916648722,
    ("normal", "float16"): 821146932,
    ("normal", "bfloat16"): 2585485368,
    ("normal", "float32"): 2039530016,
    ("normal", "float64"): 622133320,
    ("truncated_normal", "float16"): 1728166214,
    ("truncated_normal", "bfloat16"): 2029964619,
    ("truncated_normal", "float32"): 417484188,
    ("truncated_normal", "float64"): 3152341696,
}


def checksum(tf, x):
    if x.dtype in (tf.float16, tf.bfloat16):
        x = tf.bitcast(x, tf.uint16)
    return zlib.crc32(np.ascontiguousarray(x.numpy()).tobytes())


@pytest.mark.parametrize(("name", "dtype"), REAL)
def test_stateless_numbers(tf, name, dtype):
    x = getattr(tf.random, f"stateless_{name}")(SIZE, SEED, dtype=dtype)
    assert checksum(tf, x) == REAL[name, dtype]


@pytest.mark.parametrize("dtype", WHOLE)
def test_whole_integers(tf, dtype):
    x = tf.random.stateless_uniform(SIZE, SEED, None, None, dtype=dtype)
    assert checksum(tf, x) == WHOLE[dtype]


@pytest.mark.parametrize(("dtype", "maxval"), BOUNDED)
def test_bounded_integers(tf, dtype, maxval):
    x = tf.random.stateless_uniform(SIZE, SEED, -5, maxval, dtype=dtype)
    assert checksum(tf, x) == BOUNDED[dtype, maxval]


@pytest.mark.parametrize(("name", "dtype"), STATEFUL)
def test_a_generator_of_its_own(tf, name, dtype):
    tf.random.set_seed(7)
    assert checksum(tf, getattr(tf.random, name)(SIZE, dtype=dtype, seed=3)) == STATEFUL[name, dtype]
