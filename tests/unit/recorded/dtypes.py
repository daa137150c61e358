"""tf.DType and tf.as_dtype."""

import copy
import pickle
import typing

import numpy as np


def setup(tf):
    return {"tf": tf, "np": np, "copy": copy, "pickle": pickle, "typing": typing}


EXPRESSIONS = r"""
tf.as_dtype(1)
tf.as_dtype(0)
tf.as_dtype(18)
tf.as_dtype(20)
tf.as_dtype(99)
tf.as_dtype(-1)
tf.as_dtype(200)
tf.as_dtype('float')
tf.as_dtype('double')
tf.as_dtype('int')
tf.as_dtype('float32')
tf.as_dtype('half')
tf.as_dtype('str')
tf.as_dtype('string')
tf.as_dtype('bool')
tf.as_dtype('complex')
tf.as_dtype('complex64')
tf.as_dtype('uint')
tf.as_dtype('bogus')
tf.as_dtype(np.float32)
tf.as_dtype(np.dtype('float32'))
tf.as_dtype(np.dtype('S3'))
tf.as_dtype(np.dtype('U'))
tf.as_dtype(np.dtype('O'))
tf.as_dtype(np.dtype('>f4'))
tf.as_dtype(np.dtype('>i4'))
tf.as_dtype(np.dtype('datetime64'))
tf.as_dtype(np.dtype([('a',int)]))
tf.as_dtype(float)
tf.as_dtype(int)
tf.as_dtype(bool)
tf.as_dtype(str)
tf.as_dtype(bytes)
tf.as_dtype(complex)
tf.as_dtype(object)
tf.as_dtype(list)
tf.as_dtype(tf.float32)
tf.as_dtype(np.array(1.))
tf.as_dtype([])
tf.as_dtype({})
tf.as_dtype(np.int64)
tf.as_dtype(np.float64)
tf.as_dtype(np.complex64)
tf.as_dtype(np.object_)
tf.as_dtype(np.str_)
tf.as_dtype(np.bytes_)
tf.as_dtype(np.bool_)
tf.as_dtype(np.void)
tf.as_dtype(np.longdouble)
tf.as_dtype('resource')
tf.as_dtype('variant')
tf.as_dtype('bfloat16')
tf.as_dtype('b')
tf.as_dtype('f4')
tf.as_dtype(np.generic)
tf.as_dtype(np.number)
tf.as_dtype(1.0)
tf.as_dtype(True)
tf.as_dtype(slice)
tf.as_dtype(b'float32')
tf.as_dtype(tf.TensorSpec([],tf.float32))
tf.as_dtype(np.longlong)
tf.as_dtype(np.intc)
tf.as_dtype(np.uintp)
tf.as_dtype(np.int16)
tf.as_dtype(np.float16)
tf.as_dtype(1.5)
tf.as_dtype(np.int32(3))
tf.as_dtype(np.float32(1.))
tf.as_dtype(set())
tf.as_dtype((np.float32,))
tf.as_dtype(np.dtype('<u2'))
tf.as_dtype(np.dtype('V8'))
tf.as_dtype(np.timedelta64)
tf.as_dtype(np.complex256)
tf.as_dtype('float16')
tf.as_dtype('uint8')
tf.as_dtype('Float32')
tf.as_dtype('')
tf.as_dtype(__import__("ml_dtypes").bfloat16)
tf.as_dtype(np.dtype(__import__("ml_dtypes").bfloat16))
tf.as_dtype(tf.DType)
tf.as_dtype(typing.Any)
tf.as_dtype(None)
tf.as_dtype("float32 ")
[repr(tf.bfloat16), str(tf.bfloat16), hash(tf.bfloat16), tf.bfloat16 is tf.dtypes.bfloat16, tf.bfloat16.name, tf.bfloat16.as_datatype_enum, tf.bfloat16.base_dtype, tf.bfloat16.real_dtype, tf.bfloat16.is_floating, tf.bfloat16.is_integer, tf.bfloat16.is_complex, tf.bfloat16.is_unsigned, tf.bfloat16.is_bool, tf.bfloat16.is_numeric, tf.bfloat16.is_quantized, tf.bfloat16.is_numpy_compatible, tf.bfloat16.size]
tf.bfloat16.min
tf.bfloat16.max
tf.bfloat16.limits
tf.bfloat16.as_numpy_dtype
[repr(tf.bool), str(tf.bool), hash(tf.bool), tf.bool is tf.dtypes.bool, tf.bool.name, tf.bool.as_datatype_enum, tf.bool.base_dtype, tf.bool.real_dtype, tf.bool.is_floating, tf.bool.is_integer, tf.bool.is_complex, tf.bool.is_unsigned, tf.bool.is_bool, tf.bool.is_numeric, tf.bool.is_quantized, tf.bool.is_numpy_compatible, tf.bool.size]
tf.bool.min
tf.bool.max
tf.bool.limits
tf.bool.as_numpy_dtype
[repr(tf.complex128), str(tf.complex128), hash(tf.complex128), tf.complex128 is tf.dtypes.complex128, tf.complex128.name, tf.complex128.as_datatype_enum, tf.complex128.base_dtype, tf.complex128.real_dtype, tf.complex128.is_floating, tf.complex128.is_integer, tf.complex128.is_complex, tf.complex128.is_unsigned, tf.complex128.is_bool, tf.complex128.is_numeric, tf.complex128.is_quantized, tf.complex128.is_numpy_compatible, tf.complex128.size]
tf.complex128.min
tf.complex128.max
tf.complex128.limits
tf.complex128.as_numpy_dtype
[repr(tf.complex64), str(tf.complex64), hash(tf.complex64), tf.complex64 is tf.dtypes.complex64, tf.complex64.name, tf.complex64.as_datatype_enum, tf.complex64.base_dtype, tf.complex64.real_dtype, tf.complex64.is_floating, tf.complex64.is_integer, tf.complex64.is_complex, tf.complex64.is_unsigned, tf.complex64.is_bool, tf.complex64.is_numeric, tf.complex64.is_quantized, tf.complex64.is_numpy_compatible, tf.complex64.size]
tf.complex64.min
tf.complex64.max
tf.complex64.limits
tf.complex64.as_numpy_dtype
[repr(tf.double), str(tf.double), hash(tf.double), tf.double is tf.dtypes.double, tf.double.name, tf.double.as_datatype_enum, tf.double.base_dtype, tf.double.real_dtype, tf.double.is_floating, tf.double.is_integer, tf.double.is_complex, tf.double.is_unsigned, tf.double.is_bool, tf.double.is_numeric, tf.double.is_quantized, tf.double.is_numpy_compatible, tf.double.size]
tf.double.min
tf.double.max
tf.double.limits
tf.double.as_numpy_dtype
[repr(tf.float16), str(tf.float16), hash(tf.float16), tf.float16 is tf.dtypes.float16, tf.float16.name, tf.float16.as_datatype_enum, tf.float16.base_dtype, tf.float16.real_dtype, tf.float16.is_floating, tf.float16.is_integer, tf.float16.is_complex, tf.float16.is_unsigned, tf.float16.is_bool, tf.float16.is_numeric, tf.float16.is_quantized, tf.float16.is_numpy_compatible, tf.float16.size]
tf.float16.min
tf.float16.max
tf.float16.limits
tf.float16.as_numpy_dtype
[repr(tf.float32), str(tf.float32), hash(tf.float32), tf.float32 is tf.dtypes.float32, tf.float32.name, tf.float32.as_datatype_enum, tf.float32.base_dtype, tf.float32.real_dtype, tf.float32.is_floating, tf.float32.is_integer, tf.float32.is_complex, tf.float32.is_unsigned, tf.float32.is_bool, tf.float32.is_numeric, tf.float32.is_quantized, tf.float32.is_numpy_compatible, tf.float32.size]
tf.float32.min
tf.float32.max
tf.float32.limits
tf.float32.as_numpy_dtype
[repr(tf.float64), str(tf.float64), hash(tf.float64), tf.float64 is tf.dtypes.float64, tf.float64.name, tf.float64.as_datatype_enum, tf.float64.base_dtype, tf.float64.real_dtype, tf.float64.is_floating, tf.float64.is_integer, tf.float64.is_complex, tf.float64.is_unsigned, tf.float64.is_bool, tf.float64.is_numeric, tf.float64.is_quantized, tf.float64.is_numpy_compatible, tf.float64.size]
tf.float64.min
tf.float64.max
tf.float64.limits
tf.float64.as_numpy_dtype
[repr(tf.half), str(tf.half), hash(tf.half), tf.half is tf.dtypes.half, tf.half.name, tf.half.as_datatype_enum, tf.half.base_dtype, tf.half.real_dtype, tf.half.is_floating, tf.half.is_integer, tf.half.is_complex, tf.half.is_unsigned, tf.half.is_bool, tf.half.is_numeric, tf.half.is_quantized, tf.half.is_numpy_compatible, tf.half.size]
tf.half.min
tf.half.max
tf.half.limits
tf.half.as_numpy_dtype
[repr(tf.int16), str(tf.int16), hash(tf.int16), tf.int16 is tf.dtypes.int16, tf.int16.name, tf.int16.as_datatype_enum, tf.int16.base_dtype, tf.int16.real_dtype, tf.int16.is_floating, tf.int16.is_integer, tf.int16.is_complex, tf.int16.is_unsigned, tf.int16.is_bool, tf.int16.is_numeric, tf.int16.is_quantized, tf.int16.is_numpy_compatible, tf.int16.size]
tf.int16.min
tf.int16.max
tf.int16.limits
tf.int16.as_numpy_dtype
[repr(tf.int32), str(tf.int32), hash(tf.int32), tf.int32 is tf.dtypes.int32, tf.int32.name, tf.int32.as_datatype_enum, tf.int32.base_dtype, tf.int32.real_dtype, tf.int32.is_floating, tf.int32.is_integer, tf.int32.is_complex, tf.int32.is_unsigned, tf.int32.is_bool, tf.int32.is_numeric, tf.int32.is_quantized, tf.int32.is_numpy_compatible, tf.int32.size]
tf.int32.min
tf.int32.max
tf.int32.limits
tf.int32.as_numpy_dtype
[repr(tf.int64), str(tf.int64), hash(tf.int64), tf.int64 is tf.dtypes.int64, tf.int64.name, tf.int64.as_datatype_enum, tf.int64.base_dtype, tf.int64.real_dtype, tf.int64.is_floating, tf.int64.is_integer, tf.int64.is_complex, tf.int64.is_unsigned, tf.int64.is_bool, tf.int64.is_numeric, tf.int64.is_quantized, tf.int64.is_numpy_compatible, tf.int64.size]
tf.int64.min
tf.int64.max
tf.int64.limits
tf.int64.as_numpy_dtype
[repr(tf.int8), str(tf.int8), hash(tf.int8), tf.int8 is tf.dtypes.int8, tf.int8.name, tf.int8.as_datatype_enum, tf.int8.base_dtype, tf.int8.real_dtype, tf.int8.is_floating, tf.int8.is_integer, tf.int8.is_complex, tf.int8.is_unsigned, tf.int8.is_bool, tf.int8.is_numeric, tf.int8.is_quantized, tf.int8.is_numpy_compatible, tf.int8.size]
tf.int8.min
tf.int8.max
tf.int8.limits
tf.int8.as_numpy_dtype
[repr(tf.resource), str(tf.resource), hash(tf.resource), tf.resource is tf.dtypes.resource, tf.resource.name, tf.resource.as_datatype_enum, tf.resource.base_dtype, tf.resource.real_dtype, tf.resource.is_floating, tf.resource.is_integer, tf.resource.is_complex, tf.resource.is_unsigned, tf.resource.is_bool, tf.resource.is_numeric, tf.resource.is_quantized, tf.resource.is_numpy_compatible, tf.resource.size]
tf.resource.min
tf.resource.max
[repr(tf.string), str(tf.string), hash(tf.string), tf.string is tf.dtypes.string, tf.string.name, tf.string.as_datatype_enum, tf.string.base_dtype, tf.string.real_dtype, tf.string.is_floating, tf.string.is_integer, tf.string.is_complex, tf.string.is_unsigned, tf.string.is_bool, tf.string.is_numeric, tf.string.is_quantized, tf.string.is_numpy_compatible, tf.string.size]
tf.string.min
tf.string.max
tf.string.limits
tf.string.as_numpy_dtype
[repr(tf.uint16), str(tf.uint16), hash(tf.uint16), tf.uint16 is tf.dtypes.uint16, tf.uint16.name, tf.uint16.as_datatype_enum, tf.uint16.base_dtype, tf.uint16.real_dtype, tf.uint16.is_floating, tf.uint16.is_integer, tf.uint16.is_complex, tf.uint16.is_unsigned, tf.uint16.is_bool, tf.uint16.is_numeric, tf.uint16.is_quantized, tf.uint16.is_numpy_compatible, tf.uint16.size]
tf.uint16.min
tf.uint16.max
tf.uint16.limits
tf.uint16.as_numpy_dtype
[repr(tf.uint32), str(tf.uint32), hash(tf.uint32), tf.uint32 is tf.dtypes.uint32, tf.uint32.name, tf.uint32.as_datatype_enum, tf.uint32.base_dtype, tf.uint32.real_dtype, tf.uint32.is_floating, tf.uint32.is_integer, tf.uint32.is_complex, tf.uint32.is_unsigned, tf.uint32.is_bool, tf.uint32.is_numeric, tf.uint32.is_quantized, tf.uint32.is_numpy_compatible, tf.uint32.size]
tf.uint32.min
tf.uint32.max
tf.uint32.limits
tf.uint32.as_numpy_dtype
[repr(tf.uint64), str(tf.uint64), hash(tf.uint64), tf.uint64 is tf.dtypes.uint64, tf.uint64.name, tf.uint64.as_datatype_enum, tf.uint64.base_dtype, tf.uint64.real_dtype, tf.uint64.is_floating, tf.uint64.is_integer, tf.uint64.is_complex, tf.uint64.is_unsigned, tf.uint64.is_bool, tf.uint64.is_numeric, tf.uint64.is_quantized, tf.uint64.is_numpy_compatible, tf.uint64.size]
tf.uint64.min
tf.uint64.max
tf.uint64.limits
tf.uint64.as_numpy_dtype
[repr(tf.uint8), str(tf.uint8), hash(tf.uint8), tf.uint8 is tf.dtypes.uint8, tf.uint8.name, tf.uint8.as_datatype_enum, tf.uint8.base_dtype, tf.uint8.real_dtype, tf.uint8.is_floating, tf.uint8.is_integer, tf.uint8.is_complex, tf.uint8.is_unsigned, tf.uint8.is_bool, tf.uint8.is_numeric, tf.uint8.is_quantized, tf.uint8.is_numpy_compatible, tf.uint8.size]
tf.uint8.min
tf.uint8.max
tf.uint8.limits
tf.uint8.as_numpy_dtype
[repr(tf.variant), str(tf.variant), hash(tf.variant), tf.variant is tf.dtypes.variant, tf.variant.name, tf.variant.as_datatype_enum, tf.variant.base_dtype, tf.variant.real_dtype, tf.variant.is_floating, tf.variant.is_integer, tf.variant.is_complex, tf.variant.is_unsigned, tf.variant.is_bool, tf.variant.is_numeric, tf.variant.is_quantized, tf.variant.is_numpy_compatible, tf.variant.size]
tf.variant.min
tf.variant.max
tf.float64==float
tf.float32==float
tf.float32!=float
tf.float32=='float32'
tf.float32=='float'
tf.float32==np.float32
tf.float32==np.dtype('f4')
tf.float32==1
tf.float32==None
tf.float32!=None
tf.float32=='bogus'
tf.float32!='bogus'
tf.float32=='float64'
'float32'==tf.float32
np.dtype('float32')==tf.float32
np.float32==tf.float32
tf.float32==[]
tf.float32==np.zeros(2,np.float32)
tf.float32 in [np.float32]
tf.float32<tf.float64
tf.DType(1)
tf.DType(3)==tf.int32
tf.DType("a")
tf.DType(77)
tf.DType(-1)
tf.DType(0)
tf.DType(1.0)
tf.DType('1')
int(tf.float32)
bool(tf.float32)
len(tf.float32)
pickle.loads(pickle.dumps(tf.float32)) is tf.float32
copy.deepcopy(tf.float32) is tf.float32
copy.copy(tf.float32) is tf.float32
tf.float32.is_compatible_with("float32")
tf.float32.is_compatible_with(tf.int32)
tf.float32.is_compatible_with(np.float32)
tf.float32.is_compatible_with("bogus")
tf.float32.is_compatible_with(None)
tf.float32.is_subtype_of(tf.float32)
tf.float32.is_subtype_of(tf.int32)
tf.float32.most_specific_common_supertype([tf.float32])
tf.float32.most_specific_common_supertype([tf.int32])
tf.float32.most_specific_common_supertype([])
tf.float32.placeholder_value(None)
tf.float32.cast(1,None)
tf.float32.cast(tf.float32,None)
tf.float32.to_tensors(1)
tf.float32.flatten()
tf.float32.from_tensors(iter([]))
tf.float32._is_ref_dtype
tf.float32._type_enum
tf.float32.foo
tf.float32.name
tf.dtypes.as_dtype is tf.as_dtype
hash(tf.float32)
{tf.float32:1}.get(np.float32)
{tf.float32:1}.get(1)
tf.as_dtype("float32") == "float"
tf.int32.is_subtype_of("int32")
tf.float32.is_subtype_of(3)
tf.float32.most_specific_common_supertype(["x"])
issubclass(tf.DType,tf.types.experimental.TraceType)
isinstance(tf.float32,tf.types.experimental.TraceType)
tf.resource.is_subtype_of(tf.resource)
"%s %r" % (tf.float32,tf.float32)
format(tf.float32)
f"{tf.float32}"
f"{tf.float32:>20}"
tf.half is tf.float16
tf.double is tf.float64
tf.dtypes.DType is tf.DType
tf.float32._handle_data
tf.float32.as_numpy_dtype(3)
np.dtype(tf.float32.as_numpy_dtype)
np.zeros(1,tf.float32)
np.zeros(2).astype(tf.int32)
sorted([tf.float32,tf.int32])
isinstance(tf.float32, tf.DType)
"""
