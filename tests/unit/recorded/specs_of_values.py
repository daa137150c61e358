"""The specs of tensors, variables, IndexedSlices and Python values."""

import importlib

import numpy as np


def setup(tf):
    if tf.__name__ == "tensorflow":
        variables = importlib.import_module("tensorflow.python.ops.resource_variable_ops")
    else:
        variables = importlib.import_module("tracefn.tensor_spec")
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0]), tf.constant([3, 2]))
    return {"tf": tf, "np": np, "t": tf.constant, "S": tf.TensorShape, "T_": tf.TensorSpec, "IS": tf.IndexedSlicesSpec,
            "VariableSpec": variables.VariableSpec, "v": tf.Variable([1.0, 2.0], name="vv"), "n": tf.nest,
            "isl": slices, "isl1": tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0]))}


EXPRESSIONS = r"""
T_.from_tensor(3)
T_.from_tensor('a')
T_([1]).is_compatible_with(3)
T_([1]).is_compatible_with([1.0])
T_([1]).is_compatible_with(None)
T_([1]).is_compatible_with('a')
VariableSpec([1]).is_compatible_with(3)
tf.type_spec_from_value(3)
tf.type_spec_from_value('a')
tf.type_spec_from_value([1,2])
tf.type_spec_from_value(1.5)
tf.type_spec_from_value(None)
tf.type_spec_from_value(np.zeros([2,3],np.float32))
tf.type_spec_from_value(np.float64(1))
tf.type_spec_from_value(T_([1]))
tf.type_spec_from_value({})
tf.type_spec_from_value(True)
tf.type_spec_from_value(b'a')
tf.type_spec_from_value(2**40)
tf.type_spec_from_value([[1,2],[3]])
tf.type_spec_from_value(['a','bc'])
T_.from_tensor(t([1]))
T_.from_tensor(t([1]),'a')
T_([2]).is_compatible_with(t([1.,2.]))
T_([2]).is_compatible_with(t([1,2]))
T_([2]).is_compatible_with(v)
tf.type_spec_from_value(t([1]))
tf.type_spec_from_value(v)
tf.type_spec_from_value(isl)
isl
str(isl)
str(isl1)
isl.values
isl.indices
isl.dense_shape
isl.shape
isl1.shape
isl1.dense_shape
isl.dtype
isl._type_spec
isl1._type_spec
isl.consumers()
isl._shape_invariant_to_type_spec(S([3,2]))
isl1._shape_invariant_to_type_spec(S([3,2]))
-isl
str(-isl)
isl==isl
tf.IndexedSlices([1.],[0]).values
tf.IndexedSlices(t([1.]),t([0])).shape
isl._type_spec._to_components(isl)
isl._type_spec._from_components(isl._type_spec._to_components(isl))
str(isl1._type_spec._from_components(isl1._type_spec._to_components(isl1)))
IS([3,2],indices_dtype=tf.int32,dense_shape_dtype=tf.int32).is_compatible_with(isl)
IS([3,2]).is_compatible_with(isl)
isl._type_spec.to_tensors(isl)
T_([2]).to_tensors(t([1.,2.]))
VariableSpec.from_value(v)
VariableSpec([2]).is_compatible_with(v)
v._type_spec if hasattr(v,'_type_spec') else None
T_([1]).is_compatible_with(np.zeros(1,np.float32))
T_([2]).to_tensors([1.,2.])
T_([2]).to_tensors([1.,2.,3.])
n.flatten(isl)
n.flatten([isl, 1], True)
n.flatten(isl1, expand_composites=True)
n.flatten(v, True)
str(n.pack_sequence_as(isl1, [t([1.]), t([0])], expand_composites=True))
n.pack_sequence_as(isl1, [t([1.])], expand_composites=True)
str(n.map_structure(lambda x: x * 2, isl, expand_composites=True))
n.assert_same_structure(isl, isl1)
n.assert_same_structure(isl, isl1, expand_composites=True)
n.assert_same_structure(isl, isl, expand_composites=True)
n.assert_same_structure(isl1, tf.IndexedSlicesSpec(dtype=tf.float32, indices_dtype=tf.int32), expand_composites=True)
n.assert_same_structure(isl1, tf.IndexedSlicesSpec(dtype=tf.float32, indices_dtype=tf.int64), expand_composites=True)
n.assert_same_structure(isl, 1, expand_composites=True)
n.assert_same_structure([isl], [1], expand_composites=True)
n.is_nested(isl)
n.pack_sequence_as([1], t([1]))
S(t([1, 2]))
S(t(3))
S([t(3)])
S([1]) == t([1])
"""
