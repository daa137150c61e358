"""Types that NumPy has from ml_dtypes print without that package; only arrays of them need it."""

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["ml_dtypes"] = None
import tracefn as tf
x = tf.cast([1.5, -2.0], tf.dtypes.experimental.float8_e4m3fn)
print(x, repr(x), tf.cast(x, tf.float32).numpy(), tf.constant([7, -8], tf.dtypes.experimental.int4))
try:
    x.numpy()
except ImportError as error:
    print(error)
"""


def test_texts():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "tf.Tensor([1.5 -2], shape=(2,), dtype=float8_e4m3fn) <tf.Tensor: shape=(2,), dtype=float8_e4m3fn, "
        "numpy=array([1.5, -2], dtype='float8_e4m3fn')> [ 1.5 -2. ] tf.Tensor([7 -8], shape=(2,), dtype=int4)\n"
        "NumPy values of bfloat16 and of types of few bits need the package ml_dtypes: pip install ml_dtypes\n"
    )
