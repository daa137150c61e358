"""Subscripts of eager tensors."""

import numpy as np


def setup(tf):
    convert = getattr(tf, "convert_to_tensor", None) or tf._core.convert_to_tensor
    return {"tf": tf, "np": np, "c": convert, "t": convert(np.arange(24, dtype="int32").reshape(2, 3, 4)),
            "v": convert(np.arange(5, dtype="int32")), "s": convert(3), "st": convert(["a", "b"])}


EXPRESSIONS = r"""
t[0]
t[-1]
t[2]
t[-3]
t[0,1]
t[0,1,2]
t[0,1,2,0]
t[5:]
t[:,1]
t[...,1]
t[...,...]
t[...,0,...]
t[None].shape
t[:,None,1].shape
t[::2].shape
t[::-1][0,0,0]
t[:,::-1,::2].shape
t[1:0].shape
t[::0]
v[::0]
v[3:1:-1]
v[4::-2]
v[-2:]
v[:-2]
v[10]
v[c(2)]
v[c(2,tf.int64)]
v[c(1):c(3)]
v[c(1,tf.int64):3]
v[c(1):c(3,tf.int64)]
v[c(1.)]
v[c([1,2])]
v[np.array([1,2])]
v[np.array([True,False,True,False,True])]
v[v>2]
v[c([True,False])]
t[c([True,False])].shape
t[c([[True,False,True],[False,True,True]])].shape
v[True]
v[False]
v[np.bool_(True)]
v[np.int64(1)]
v[np.array(1)]
v[1.0]
v["a"]
v[c(True)]
v[2**40]
v[2**31:]
v[:2**40]
v[-2**40:]
v[()]
v[...]
v[:]
v[:] is v
v[1,]
v[(1,)]
v[[1]]
v[1,2]
s[0]
s[()]
s[...]
s[None]
s[:]
s[None,None].shape
st[0]
st[1:]
t[0][1][2]
t[c(1)][0].shape
t[1:2,...,c(1)].shape
t[range(2)]
t[slice(0,1)].shape
t[slice(None,None,c(-1))][0,0,0]
t[0,c([1,2])]
t[:,c([True,False,True])]
t[c([True,False]),0]
v[np.float64(1)]
v[None:2]
v["a":]
v[1.5:]
v[:2.5]
v[c(1.):]
v[c([1]):]
v[[1]:]
v[np.int32(1):np.int64(3)]
c(np.zeros((0,3)))[0]
c(np.zeros((0,3)))[:,0].shape
t[(0,1)]
t[[0,1]]
t[[[0]]]
t[True]
t[1:2:1, :, None, -1].shape
t[..., None].shape
t[None,...].shape
t[None, ..., None, 0].shape
t[:, :, :, None].shape
t[:,:,:,:]
t[0,:,...,1].shape
t[-1:-3:-1].shape
t[:-1:-1].shape
t[c(0),c(1)].shape
t[0,c(1,tf.int64)].shape
v[c(7)]
v[tf.TensorShape([2])[0]]
v[1:][1:][1:]
v[...,None,2]
v.__getitem__(slice(1,3))
t[1][None].shape
v[np.newaxis, 1:3].shape
v[c(1):c(3):c(2)]
v[c(3):c(0):-1]
v[c(4)::-1]
v[np.uint8(1)]
v[c(1,tf.uint8)]
v[c(1,tf.int16)]
v[c(1,tf.int8):]
v[object()]
v[{}]
v[b"a"]
v[1j]
v[slice(1,None,0)]
t[np.array([[True,False,True],[False,True,True]])].shape
v[np.array([1.0])]
v[np.array([], int)]
v[[]]
v[np.array(True)]
v[c([0,1])]
v[2**70]
"""
