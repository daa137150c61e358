"""Operators, subscripts and refusals of symbolic tensors: the nodes that they make, by name and type."""

import copy
import pickle

import numpy as np


def setup(tf):
    def nodes(function, *specs):
        """What calling `function` adds to the graph, or the error that it raises."""
        seen = []

        def run(*args):
            result = function(*args)
            seen.append(result)
            return result if tf.is_tensor(result) else tf.constant(0)

        graph = tf.function(run, input_signature=specs, autograph=False).get_concrete_function().graph
        if not tf.is_tensor(seen[0]):
            return seen[0]
        return [(op.name, op.type) for op in graph.get_operations() if op.type not in ("Placeholder", "Identity")]

    def spec(shape, dtype):
        return tf.TensorSpec(shape, dtype, name="x")

    return {"nodes": nodes, "tf": tf, "np": np, "copy": copy, "pickle": pickle,
            "f": spec([None], tf.float32), "i": spec([], tf.int32), "b": spec([], tf.bool),
            "m": spec([2, 2], tf.float32), "m3": spec([2, 2, 2], tf.float32), "u": spec(None, tf.float32),
            "i1": spec([], tf.int8), "i8": spec([], tf.int64), "z": spec([], tf.complex64), "s": spec([], tf.string),
            "v": spec([5], tf.int32)}


_CASES = """
f x+1
f 1+x
f x-1.
f 1.-x
f x*2
f x/2
i x/2
i 2/x
i1 x/x
i x//2
i x%2
i 7%x
f x**2
f 2**x
m x@x
m3 x@x
m x@[[1.],[2.]]
m [[1.,2.]]@x
u x@x
f -x
f abs(x)
z abs(x)
f x<1
f x<=1
f x>1
f x>=1
f 1<x
f x==1
f x!=1
f x==None
f x!=None
f x==x
f x<x
b x&True
b x&x
b True|x
b x|True
b x|x
b x^x
b ~x
i x&1
i x&x
i x|1
i x^1
i x^x
i ~x
f x+x+x
f x+[1,2]
f np.ones(3)+x
f np.float64(1)*x
f x*np.float32(2)
s x+'a'
s 'a'+x
f x[0]
f x[1:]
f x[::2]
f x[-1]
f x[:,None]
f x[...]
m x[...,0]
m x[0,1]
m x[:,1]
m x[0][1]
v x[x[0]]
u x[0]
i tf.convert_to_tensor([x,1])
i tf.convert_to_tensor([[x,1],[2,x]])
i tf.convert_to_tensor([1,x],name='p')
i tf.convert_to_tensor(1,name='k')
i tf.convert_to_tensor(x) is x
i tf.convert_to_tensor([1.5,x])
i tf.convert_to_tensor(x,'float32')
i x+1.5
i x-1.5
i x*1.5
i x<1.5
i x==1.5
i x&1.5
i 1.5-x
i x+'a'
i x-'a'
i x+None
i x-None
i None-x
i x==object()
b x&1
i x+tf.constant(1.)
i x-tf.constant(1.)
m x+tf.zeros([3])
f x+m
i bool(x)
b x and 1
b not x
i x in [1]
f list(x)
m iter(x)
m [1 for _ in x]
f len(x)
m len(x)
i int(x)
i float(x)
i complex(x)
i [1,2][x]
i range(x)
i x.numpy()
i x.numpy
i x.item
i x.__float__
i x.__index__
i np.array(x)
f np.sum(x)
i x.__array__()
i hash(x)
i {x: 1}
i x.ref() == x.ref()
i x.ref().deref() is x
f x.T
f x.reshape
f x.foo
m x.set_shape([2,2])
m x.set_shape([3])
m x.set_shape([None,2,3])
m x.set_shape([2,3])
m x.set_shape(None)
f (x.set_shape([3]), x.shape)
u (x.set_shape([None,2]), x.shape)
i repr(x)
i str(x)
i format(x)
i f'{x:.2f}'
i [x]
f str(x)
u str(x)
u repr(x)
m x.shape
u x.shape
u x.shape.rank
m x.ndim
u x.ndim
i x.name
i x.op.type
i x.op.name
i x.value_index
i x.dtype
i x.device
i isinstance(x, tf.Tensor)
i type(x).__name__
i copy.copy(x) is x
i copy.deepcopy(x)
i pickle.dumps(x)
i memoryview(x)
f x['a']
f x[1.5]
f x[[1.5]]
m x[5]
f x[True]
"""


def _expressions():
    for case in _CASES.strip().splitlines():
        spec, _, body = case.partition(" ")
        yield f"nodes(lambda x: {body}, {spec})"


EXPRESSIONS = "\n".join(_expressions())
