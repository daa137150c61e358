"""Operators of eager tensors, with tensors, numbers, strings, arrays and objects."""

import numpy as np


class Reflecting:
    def __radd__(self, other):
        return "radd"

    def __rsub__(self, other):
        return "rsub"

    def __add__(self, other):
        return "add"

    def __eq__(self, other):
        return "eq"

    __hash__ = None


class Array:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0, 3.0], "float32")


class BrokenArray:
    def __array__(self, dtype=None, copy=None):
        raise KeyError("boom")


def setup(tf):
    convert = getattr(tf, "convert_to_tensor", None) or tf._core.convert_to_tensor

    class Convertible:
        def __tf_tensor__(self, dtype=None, name=None):
            return convert([1.0, 1.0, 1.0])

    return {"tf": tf, "np": np, "c": convert, "R": Reflecting, "A": Array, "B": BrokenArray, "T": Convertible,
            "t": convert([1.0, 2.0, 3.0]), "i": convert(3), "m": convert([[1, 2], [3, 4]])}


EXPRESSIONS = r"""
t+1
1+t
t+[1,2,3]
[1,2,3]+t
(1,)+t
t+np.ones(3,'float32')
np.ones(3,'float32')+t
t+np.ones(3)
np.ones(3)+t
np.float32(1)+t
np.float64(1)+t
t+np.float64(1)
np.int64(2)*i
np.int32(2)*i
i+1.5
1.5+i
i-1.5
i*1.5
1.5*i
i/1.5
i/2.0
2.5/i
i//1.5
i%1.5
i**1.5
1.5**i
i<1.5
1.5<i
i+True
t+i
t+'a'
'a'+t
t-'a'
t*'a'
'a'%t
'a%s'%i
'a'*i
[1,2]*i
t+None
None+t
t-None
t/None
t+{}
t+object()
t-1
1-t
t*2
2*t
t/2
2/t
i/2
i/0
i/c(2,'int64')
7//i
i//2
t//2
t%2
7%i
i%2
t**2
2**t
i**2
pow(i,2)
2**i
t**[1,2,3]
m@m
m@[[1],[2]]
[[1,2]]@m
np.eye(2,dtype='int32')@m
m@np.eye(2,dtype='int32')
c(np.arange(8.).reshape(2,2,2))@c(np.arange(8.).reshape(2,2,2))
m@t
i&1
1&i
i|1
i^1
i^True
i&1.5
c(True)&False
c(True)&True
c(True)|c(False)
c(True)^True
c([True,False])^c([True,True])
c(True)&1
c(True)&'a'
~i
~c(True)
-i
-t
abs(c(-1))
abs(c(-1.5))
abs(c(3+4j))
c('a')+'b'
'b'+c('a')
c(['a'])+['b']
np.array(['a'])+c(['b'])
c('a')*2
t+c([1.,2.])
t*c([1.,2.])
t+m
t<m
t*m
i//0
i%0
c(1.)/0
c(-1.)/0
c(0.)/0
c(0.)//0
i**-1
c(3,'uint8')-1
c(3,'uint8')+300
c(3,'int8')*2
c(200,'uint8')+c(100,'uint8')
c(1.5,'float64')+1
c(1.5,'bfloat16')*2.5
c(1.5,'float16')*2.5
c(1+1j)*2
c(2+3j)/c(1j)
c(1+1j)/2
i+2**40
i+(1+2j)
c(5,'int8')/c(2,'int8')
c(5,'uint32')/c(2,'uint32')
c(5,'bfloat16')/2
c('a')/c('b')
c(True)/c(True)
c(-7)//2
c(-7)%3
c(-7.)//2
c(-7.)%3
c(7)//-2
c(7)%-3
c(-7,'int64')//2
c(3,'uint8')//2
t+[1,2]
i+np.int64(1)
i+np.array(1)
i+np.array(1.5)
i-np.array(1.5)
np.array(1.5)-i
np.array([1.5])*c([2])
i*np.float64(1.5)
t-np.float64(1.5)
c(1)*c(2.0)
c([1,2,3],'int64')+np.int32(1)
c(1,'int64')+tf.TensorShape([1])
c([1])+tf.TensorShape([1])
t+R()
t-R()
R()+t
t==R()
t*R()
t<R()
t+A()
A()+t
t+B()
B()+t
t+T()
T()+t
t==None
t!=None
None==t
None!=t
t==t
t!=t
t==c([1.,2.])
t!=c([1.,2.])
t==[1,2]
t==[1,2,3]
t==(1,2,3)
t=='a'
t!='a'
t==1
1==t
t==c(1)
t!=c([1,2,3])
c(1)==c(1.0)
c(1)==1.5
c(1)==True
c(True)==1
c('a')=='a'
c('a')==b'a'
c('a')!='b'
c('a')==1
c(['a','b'])==['a','c']
t==np.array([1,2,3])
np.array([1,2,3])==t
np.array([1,2,3])!=t
t==object()
t<None
t<2
2<t
t<=2
t>2
t>=2
t<c(1)
np.array([1.,2,3])<t
t<np.array([1.,2,3])
np.float32(2)<t
np.float32(2)==t
m==m
c([1,2])==c([[1],[2]])
c([1,2,3])==c([[1,2],[1,2]])
c(float('nan'))==c(float('nan'))
c(1j)==1j
t.__add__(1)
i.__add__(1.5)
i.__radd__(1)
i.__rsub__(10)
i.__lt__('a')
i.__eq__('a')
t.__eq__(None)
i.__and__(1.5)
t.__pow__(2)
t.__div__(2)
i.__div__(2)
t.__rdiv__(2)
i.__nonzero__()
t.__abs__()
i.__mod__(2)
i.__invert__()
i.__rpow__(2)
t.__neg__()
t.__ne__(1)
c([])+1
c(np.zeros((0,3)))*c(np.zeros((2,1,3)))
c(np.ones((2,1)))+c(np.ones((1,3)))
"""
