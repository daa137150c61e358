"""Texts, attributes and scalar values of eager tensors."""

import operator
import pickle

import numpy as np


def setup(tf):
    convert = getattr(tf, "convert_to_tensor", None) or tf._core.convert_to_tensor
    names = {"tf": tf, "np": np, "c": convert, "operator": operator, "pickle": pickle}
    return names | {"t": convert([1.0, 2.0, 3.0]), "i": convert(3), "m": convert([[1, 2], [3, 4]])}


_SHOWN = ("2.2", "0.1", "1e20", "float('nan')", "[1.,float('nan')]", "[1.5,-1e10]", "True", "'a'", "['a','b']", "[['a']]",
          "1+2j", "[1j]", "2.5,'float16'", "2.5,'bfloat16'", "0.1,'bfloat16'", "[2.5,1e10],'bfloat16'",
          "np.ones((2,3)),'bfloat16'", "np.arange(50.),'bfloat16'", "np.zeros((0,2)),'bfloat16'",
          "np.arange(2000.),'bfloat16'", "7,'uint8'", "0.1,'float64'", "np.arange(2000,dtype='int32')",
          "np.zeros((0,3),'float32')", "np.zeros((2,2),'float32')", "np.zeros((1,1,2),'float32')", "1e-7", "123456789.0",
          "np.zeros((100,100),'float32')", "b'\\xff'", "-0.0", "3,'int64'", "np.arange(30)/7", "[]", "[True,False]",
          "[[['a'*40,'b'*40]]]", "2**40", "np.array(['a'*1000]*3)")
_REST = """
f'{c(1.5):>10}'
f'{c(5):05d}'
f'{c([5]):05d}'
f'{c(2.5):.3e}'
'%s' % c(1)
'%.2f' % c(1.5)
'%d' % c(7)
t.name
t.op
t.graph
t.device
t.shape
t.dtype
t.ndim
i.shape
m.shape
t.T
t.astype
t.ravel
t.reshape
t.transpose
t.clip
t.size
t.tolist
t.data
t.consumers()
t.value_index
t.get_shape()
t.set_shape([3])
t.set_shape([2])
t.set_shape([None])
t.set_shape(None)
t.set_shape([1,3])
t.ref()
t.ref().deref() is t
t.ref() == t.ref()
t.ref() == c([1.,2.,3.]).ref()
hash(t.ref()) == id(t)
len({t.ref(), t.ref(), i.ref()})
t.experimental_ref()
hash(t)
{t}
{t: 1}
t._rank()
t._shape_tuple()
t._shape_as_list()
t._num_elements()
t.backing_device
t.is_packed
t.cpu() is t
t.gpu()
t.numpy()
t.numpy().flags.writeable
c(1.).numpy()
type(c(1.).numpy())
type(c('a').numpy())
type(c(1).numpy())
type(c(True).numpy())
type(c(1j).numpy())
c(['a']).numpy()
c([['a','b']]).numpy()
c('a').numpy()
t.__array__()
t.__array__(np.float64)
t.__array__(np.int32)
np.asarray(t)
np.asarray(t).flags.writeable
np.array(t).flags.writeable
np.asarray(t,dtype=np.int32)
np.asarray(t,np.float64)
np.asarray(c(['a','b']))
np.asarray(i)
np.asarray(m).tolist()
np.sum(t)
np.add(t,t)
np.dot(t,t)
memoryview(t).readonly
memoryview(t).format
memoryview(t).shape
memoryview(m).strides
memoryview(i).ndim
memoryview(m).tolist()
bytes(c([1,2],'uint8'))
len(t)
len(i)
len(m)
bool(t)
bool(c(1.))
bool(c([1]))
bool(c([]))
bool(c('a'))
bool(c(''))
bool(c([True]))
bool(c([[True]]))
bool(c(float('nan')))
bool(c(1j))
int(c(1.7))
int(c(-1.7))
int(t)
int(c([1]))
int(c('12'))
int(c(b'x'))
int(c(float('nan')))
int(c(float('inf')))
int(c(1e30))
int(c(True))
float(c(1))
float(c([1.]))
float(c('1.5'))
float(c([]))
float(c(0.1))
complex(c(1+2j))
complex(c(1.))
complex(i)
complex(c([1j]))
operator.index(i)
operator.index(c([3]))
operator.index(c(3,'uint8'))
operator.index(c(3,'int64'))
[1,2,3,4][c(2)]
[1,2,3][c(1):]
range(i)
i.__index__()
i.__float__()
c(2.7).__int__()
list(t)
list(m)
list(i)
next(iter(t))
next(iter(c(np.zeros((0,2)))))
[*t]
list(reversed(t))
(lambda a,b:(a,b))(*m)
dict(zip('abc',t))
t.index
2 in t
5. in t
not c(0)
c(1) and c(2)
c(0) or c(2)
sum([c(1),c(2)])
max(c(1),c(2))
min([c(1.),c(2.)])
sorted([c(2),c(1)])
c(2) in [c(1),c(2)]
c([1,2]) in [c([1,2])]
t.__array_priority__
t.__class__.__name__
isinstance(t, tf.Tensor)
pickle.loads(pickle.dumps(t))
pickle.loads(pickle.dumps(c(['a',b'\xff'])))
pickle.loads(pickle.dumps(c(np.zeros((0,2)))))
pickle.loads(pickle.dumps(c(True)))
__import__('copy').copy(t)
__import__('copy').deepcopy([t])
t.__iadd__
t.__setitem__
exec('t[0]=1')
exec('del t[0]')
+t
t << 1
divmod(i,2)
"""
EXPRESSIONS = "\n".join(f"{how}(c({value}))" for value in _SHOWN for how in ("repr", "str", "format")) + _REST
