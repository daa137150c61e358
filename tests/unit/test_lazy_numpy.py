"""NumPy is imported when it is first needed, and its values are known as soon as it is there."""

import subprocess
import sys
import textwrap

import pytest


def run(program: str) -> None:
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def test_programs_without_arrays_never_import_it():
    run("""
        import sys
        import tracefn as tf

        f = tf.function(lambda x, n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + tf.sin(x)), [0, x])[1])
        assert f(tf.constant(0.0), tf.constant(3)) == 0.0
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        v.assign_sub(0.5 * tape.gradient(loss, v))
        assert v[0] == 0.0 and tf.as_dtype("float32") == tf.float32 and tf.float32 != 5
        assert "x: float32 Tensor, shape=()" in f.pretty_printed_concrete_signatures()
        assert tf.type_spec_from_value([1.0]) == tf.TensorSpec([1], tf.float32)
        tf.print(v, output_stream=sys.stderr)
        assert "numpy" not in sys.modules, "numpy was imported"
        assert v.numpy().tolist() == [0.0, 0.0]
        assert "numpy" in sys.modules
    """)


@pytest.mark.parametrize("use", [
    "assert f(np.ones(2, np.float32)) == 2.0",
    "assert f(np.float32(2.0)) == 2.0",
    "assert tf.constant(np.int8(1)).dtype == tf.int8",
    "assert tf.as_dtype(np.uint16) is tf.uint16 and tf.int32 == np.int32 and np.dtype('int64') == tf.int64",
    "assert tf.constant([1, 2, 3])[np.int64(1)] == 2",
    "assert tf.type_spec_from_value(np.zeros([2])) == tf.TensorSpec([2], tf.float64)",
    "assert tf.int16.max == 32767 and tf.string.as_numpy_dtype is object",
])
def test_its_values_are_known_when_it_comes_after(use):
    run(f"""
        import tracefn as tf

        f = tf.function(tf.reduce_sum)
        assert f(tf.constant([1.0, 1.0])) == 2.0 and f(2.0) == 2.0
        import numpy as np
        {use}
    """)


def test_a_thread_may_import_it_meanwhile():
    run("""
        import threading
        import tracefn as tf

        f = tf.function(lambda x: x + 1.0)
        importing = threading.Thread(target=__import__, args=("numpy",))
        importing.start()
        while importing.is_alive():
            assert f(1.0) == 2.0
            assert tf.constant([[1.0, 2.0]])[0, 1] == 2.0
        import numpy as np
        assert f(np.float32(1.0)) == 2.0
    """)


def test_programs_may_forbid_its_import():
    run("""
        import sys
        sys.modules["numpy"] = None
        import tracefn as tf

        f = tf.function(lambda x: x * 2.0)
        assert f(tf.constant([1.0, 2.0]))[1] == 4.0 and f(1.5) == 3.0
        assert tf.as_dtype("int32") is tf.int32 and tf.float32 != object()
    """)
