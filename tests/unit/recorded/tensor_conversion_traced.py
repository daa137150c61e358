"""tf.convert_to_tensor while a function is traced: constants follow the rules of graphs."""

from recorded import tensor_conversion


def setup(tf):
    names = tensor_conversion.setup(tf)
    return names | {"traced": lambda function: tf.function(function, autograph=False)()}


_DTYPES = ("None", "'int32'", "'float32'", "'bool'", "'string'", "'uint8'")
# TensorFlow reads arrays of the other byte order wrongly.
_WRONG = ("np.arange(3,dtype='>i4')", "np.ones(2,'>f8')")
# Refused in words of NumPy, or by another rule than the same value eagerly.
_LEFT_OUT = ("2**64", "[2**40,2**64]", "[2.5,2**70]", "{'a':1}", "fractions.Fraction(1,2)", "[np.float16(1),2.0]")
# Works eagerly in TensorFlow, and therefore here.
_ARRAYS_IN_LISTS = ("[np.a", "[np.bool_")


def _expressions():
    for value in tensor_conversion.VALUES.strip().splitlines():
        for dtype in _DTYPES:
            if value not in (*_WRONG, *_LEFT_OUT) and not value.startswith(("range(", "[]", *_ARRAYS_IN_LISTS)):
                yield f"traced(lambda: c({value},{dtype}))"


EXPRESSIONS = "\n".join(_expressions())
