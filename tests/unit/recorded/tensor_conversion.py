"""tf.convert_to_tensor: Python and NumPy values, with and without a dtype."""

import datetime
import decimal
import fractions

import numpy as np


class Array:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0], "float32")


class BrokenArray:
    def __array__(self, dtype=None, copy=None):
        raise KeyError("boom")


def setup(tf):
    convert = getattr(tf, "convert_to_tensor", None) or tf._core.convert_to_tensor

    class Convertible:
        def __tf_tensor__(self, dtype=None, name=None):
            return convert([1, 2], dtype=dtype)

    return {"tf": tf, "np": np, "c": convert, "decimal": decimal, "fractions": fractions, "datetime": datetime,
            "A": Array, "B": BrokenArray, "T": Convertible}


VALUES = """
1
2**31
2**31-1
-2**31
2**63
2**64
-2**31-1
-2**63
1.5
1e300
-0.0
float('inf')
float('nan')
1+2j
True
'a\u00e9'
b'a'
b''
None
[1,2]
[[1,2],[3,4]]
[[1,2],[3]]
[1,[2]]
[[1],2]
[]
[[],[]]
[[],[1]]
[[[]]]
[1,2.5]
[2.5,1]
[1,True]
[True,1]
[True,False]
[1,'a']
['a',1]
[1.5,1j]
[1j,1.5]
[1,None]
[None]
[1,2**40]
[2**40,2**64]
[2.5,2**70]
np.int64(3)
np.float64(2.5)
np.float32(2.5)
np.bool_(True)
np.int8(2)
np.uint64(2**63)
np.complex64(1j)
np.arange(3)
np.arange(6).reshape(2,3)
np.arange(6).reshape(2,3).T
np.arange(6)[::-2]
np.arange(3,dtype='>i4')
np.ones(2,'>f8')
np.asfortranarray(np.arange(4.).reshape(2,2))
np.broadcast_to(np.float32(2),(2,2))
np.zeros((0,3))
np.array(3)
np.float16([1])
np.array(['a',b'b'],object)
np.array([1,2],object)
np.array([1,'a'],object)
np.array([None],object)
np.array(['a','bc\u00e9'])
np.array([b'a',b'bc'])
np.array('a')
np.array([['a'],['b']])
np.array(['2020-01-01'],'datetime64[D]')
np.longdouble([1])
np.zeros(2,'i4,f4')
(1,2)
range(3)
range(5,0,-2)
range(0)
range(2**40,2**40+2)
{1,2}
{'a':1}
decimal.Decimal('1.5')
fractions.Fraction(1,2)
datetime.datetime(2020,1,1)
object()
int
len
...
slice(1)
[np.float64(1),np.float64(2)]
[np.float32(1),2.0]
[np.float16(1),2.0]
[1,np.float64(2)]
[1,np.float32(2)]
[np.int64(1),np.int64(2)]
[np.arange(2),np.arange(2)]
[np.arange(2),np.arange(3)]
[np.arange(2),[1.5,2.5]]
[np.arange(2.),np.arange(2.)]
[np.array(3),4]
[np.bool_(True),False]
bytearray(b'ab')
memoryview(b'ab')
tf.TensorShape([1,2])
tf.TensorShape([])
tf.TensorShape([1,None])
tf.TensorShape(None)
tf.int32
c(1)
c([1.5])
()
['a',b'b']
np.str_('ab')
np.bytes_(b'ab')
[[[[1]]]]
A()
B()
T()
"""
_DTYPES = ("None", "'int32'", "'int64'", "'float32'", "'bool'", "'string'", "'complex64'", "'uint8'", "'bfloat16'")
# What TensorFlow answers with the words of NumPy, of another op or by a broken call.
_LEFT_OUT = (
    "c(range(3),'complex64')", "c(range(3),'uint8')", "c(range(5,0,-2),'complex64')", "c(range(5,0,-2),'uint8')",
    "c(range(0),'complex64')", "c(range(0),'uint8')", "c(range(2**40,2**40+2),'complex64')",
)
_OWN_WORDS = ("range(2**40", "range(0)")
# ml_dtypes refuses these in words of its own.
_OBJECTS = ("np.array(['a',b'b'],object)", "np.array([1,'a'],object)", "np.array([None],object)")


def _expressions():
    for value in VALUES.strip().splitlines():
        for dtype in _DTYPES:
            expression = f"c({value},{dtype})"
            if dtype == "'bfloat16'" and value in _OBJECTS:
                continue
            if expression not in _LEFT_OUT and not value.startswith(_OWN_WORDS):
                yield expression
    for value in ("1", "1.5", "True", "'a'", "[1,2]", "[1,2.5]", "np.int64(3)", "np.arange(3)", "1+2j", "2**31", "[]"):
        for dtype in _DTYPES[1:]:
            yield f"c({value},dtype_hint={dtype})"
    yield from ("c()", "c(1,name='x')", "c(1,dtype='nonsense')", "c(value=1,dtype=np.float64)")


EXPRESSIONS = "\n".join(_expressions())
