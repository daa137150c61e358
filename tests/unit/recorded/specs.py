"""tf.TypeSpec, tf.TensorSpec, tf.IndexedSlicesSpec and VariableSpec without tensors."""

import copy
import importlib
import pickle

import numpy as np


def setup(tf):
    if tf.__name__ == "tensorflow":
        variables = importlib.import_module("tensorflow.python.ops.resource_variable_ops")
    else:
        variables = importlib.import_module("tracefn.tensor_spec")

    class V(tf.TypeSpec):
        def __init__(self, a, b=None):
            self.a = a
            self.b = b

        value_type = property(lambda self: int)
        _component_specs = property(lambda self: [tf.TensorSpec(self.a)])

        def _to_components(self, value):
            return [value]

        def _from_components(self, components):
            return components[0]

        def _serialize(self):
            return self.a, self.b

    class W(V):
        pass

    return {"tf": tf, "np": np, "copy": copy, "pickle": pickle, "S": tf.TensorShape, "T_": tf.TensorSpec,
            "IS": tf.IndexedSlicesSpec, "VariableSpec": variables.VariableSpec, "V": V, "W": W}


EXPRESSIONS = r"""
T_([])
T_([1,None],tf.float64,'n')
T_(None)
T_([],'float32')
T_([],np.int64)
T_([],int)
T_([],"bogus")
T_([-1])
T_("a")
T_([],name=3)
T_([],name=3).name
T_([],name='a').name
T_([]).shape
T_([]).dtype
T_(3)
T_(S([1]))
T_.from_spec(T_([1]),'x')
T_.from_spec(T_([1],name='y'))
T_.from_spec(T_([1],name='y'),'z')
T_.from_spec(3)
T_.from_spec(VariableSpec([2]),'z')
T_.from_spec(IS())
T_([1])==T_([1])
T_([1])==T_([1],name='a')
T_([1])==T_([2])
T_([1])==3
T_([1])==None
T_([1])!=T_([1])
T_([1])!=3
hash(T_([1]))==hash(T_([1]))
hash(T_([1]))==hash(T_([1],name='a'))
T_([1]).is_compatible_with(T_([None]))
T_([1]).is_compatible_with(T_([2]))
T_([1]).is_compatible_with(T_([1],tf.int32))
T_([None]).is_compatible_with(T_([1]))
T_([1]).is_compatible_with(IS())
T_([1]).is_compatible_with(VariableSpec([1]))
T_([1]).is_subtype_of(T_([None]))
T_([1]).is_subtype_of(T_([1],name='a'))
T_([1],name='a').is_subtype_of(T_([1]))
T_([1],name='a').is_subtype_of(T_([1],name='b'))
T_([1],name='a').is_subtype_of(T_([None],name='a'))
T_([1]).is_subtype_of(T_(None))
T_([1]).is_subtype_of(T_([1],tf.int32))
T_([1]).is_subtype_of(3)
T_([1]).is_subtype_of(V(1))
T_([1]).most_specific_common_supertype([T_([2])])
T_([1]).most_specific_common_supertype([T_([2,2])])
T_([1]).most_specific_common_supertype([T_([2],tf.int32)])
T_([1],name='a').most_specific_common_supertype([T_([2],name='a')])
T_([1],name='a').most_specific_common_supertype([T_([2],name='b')])
T_([1],name='a').most_specific_common_supertype([T_([2])])
T_([1]).most_specific_common_supertype([T_([2],name='b')])
T_([1]).most_specific_common_supertype([])
T_([1]).most_specific_common_supertype([3])
T_([1]).most_specific_common_supertype([V(1)])
T_([1]).most_specific_compatible_type(T_([2]))
T_([1]).most_specific_compatible_type(T_([2],tf.int32))
T_([1]).most_specific_compatible_type(V(1))
T_([1]).most_specific_compatible_type(3)
T_([1],name='a').most_specific_compatible_type(T_([2],name='a'))
T_([1],name='a').most_specific_compatible_type(T_([2],name='b'))
T_([1])._serialize()
T_([1])._component_specs
T_([1])._from_components(5)
T_([1]).flatten()
T_([1])._without_tensor_names()
T_([1],name='q')._without_tensor_names()
T_([1])._flat_tensor_specs
T_([1]).foo
pickle.loads(pickle.dumps(T_([1,None],tf.int8,'a')))
copy.deepcopy(T_([1,None],tf.int8,'a'))
copy.copy(T_([1]))
T_([2],tf.float32)._deserialize((S([3]),tf.int32,None))
isinstance(T_([1]),tf.TypeSpec)
isinstance(T_([1]),tf.types.experimental.TraceType)
bool(T_([]))
str(T_([]))
T_([1])<T_([2])
T_(shape=[1],dtype=tf.int32,name='k')
T_([],None)
IS()
IS([2,3],tf.int32,tf.int32,tf.int64,[None])
IS()==IS()
hash(IS())==hash(IS())
IS([1]).is_compatible_with(IS([None]))
IS([1])._serialize()
IS([1])._component_specs
IS([1],dense_shape_dtype=tf.int32)._component_specs
IS([3,2],indices_shape=[4])._component_specs
IS([None,2])._component_specs
IS([])._component_specs
IS([1]).is_subtype_of(IS([None]))
IS([1]).is_subtype_of(IS())
IS([None]).is_subtype_of(IS([1]))
IS([1]).most_specific_common_supertype([IS([2])])
IS([1]).most_specific_compatible_type(IS([2]))
IS([1]).most_specific_compatible_type(IS([2],tf.int32))
IS(dtype='bogus')
IS().flatten()
IS()._flat_tensor_specs
IS().dtype
IS().shape
pickle.loads(pickle.dumps(IS([1])))
VariableSpec([])
VariableSpec([],alias_id=0)
VariableSpec(None,tf.int32,False,3)
VariableSpec([1])==VariableSpec([1])
VariableSpec([1])==VariableSpec([1],alias_id=1)
VariableSpec([1])==VariableSpec([1],trainable=False)
hash(VariableSpec([1],alias_id=1))==hash(VariableSpec([1],alias_id=1))
VariableSpec([1])==T_([1])
VariableSpec([1]).is_subtype_of(VariableSpec([None]))
VariableSpec([1],alias_id=1).is_subtype_of(VariableSpec([1],alias_id=1))
VariableSpec([1],alias_id=1).is_subtype_of(VariableSpec([1]))
VariableSpec([1]).is_subtype_of(VariableSpec([1],alias_id=1))
VariableSpec([1],alias_id=1).is_subtype_of(VariableSpec([1],alias_id=2))
VariableSpec([1]).is_subtype_of(VariableSpec([1],trainable=False))
VariableSpec([1]).is_subtype_of(VariableSpec([1],tf.int32))
VariableSpec([1]).is_subtype_of(T_([1]))
VariableSpec([1]).most_specific_common_supertype([VariableSpec([2])])
VariableSpec([1],alias_id=1).most_specific_common_supertype([VariableSpec([2],alias_id=1)])
VariableSpec([1],alias_id=1).most_specific_common_supertype([VariableSpec([2],alias_id=2)])
VariableSpec([1]).most_specific_common_supertype([VariableSpec([2],trainable=False)])
VariableSpec([1]).most_specific_common_supertype([T_([2])])
VariableSpec([1]).most_specific_common_supertype([VariableSpec([2,2])])
VariableSpec([1]).is_compatible_with(VariableSpec([None]))
VariableSpec([1]).is_compatible_with(VariableSpec([2]))
VariableSpec([1]).is_compatible_with(VariableSpec([1],trainable=False))
VariableSpec([1]).is_compatible_with(T_([1]))
VariableSpec([1])._serialize()
VariableSpec([1],alias_id=2)._component_specs
VariableSpec([1]).trainable
VariableSpec([1]).alias_id
VariableSpec([1]).name
pickle.loads(pickle.dumps(VariableSpec([1],alias_id=2)))
V(1)
V([1,{'a':2}],'x')
V({'b':1,'a':2})
V(1)==V(1)
V(1)==V(2)
V(1)==W(1)
V([1,2])==V((1,2))
V({'a':1,'b':2})==V({'b':2,'a':1})
hash(V([1,2]))==hash(V([1,2]))
hash(V({'a':1,'b':2}))==hash(V({'b':2,'a':1}))
V(np.array([1]))==V(np.array([1]))
V(np.array([1]))==V(np.array([2]))
hash(V(np.array([1])))==hash(V(np.array([1])))
hash(V({1}))
V({1})==V({1})
hash(V(object))
V(1.0)==V(1)
V(True)==V(1)
V(None)==V(None)
V(tf.float32)==V(1)
V(tf.float32)==V('float32')
V(S([1])).is_compatible_with(V(S([None])))
V(S([1])).is_compatible_with(V(S([2])))
V(S([1])).is_compatible_with(W(S([1])))
V(1).is_compatible_with(V(2))
V([1,S([1])]).is_compatible_with(V([1,S([None])]))
V([1,S([1])]).is_compatible_with(V((1,S([None]))))
V({'a':S([1])}).is_compatible_with(V({'a':S(None)}))
V({'a':S([1])}).is_compatible_with(V({'b':S(None)}))
V(tf.float32).is_compatible_with(V(tf.float32))
V(T_([1])).is_compatible_with(V(T_([None])))
V(S([1])).is_subtype_of(V(S([None])))
V(S([None])).is_subtype_of(V(S([1])))
V(1).is_subtype_of(V(1))
V(1).is_subtype_of(V(2))
V(S([1])).is_subtype_of(W(S([1])))
W(S([1])).is_subtype_of(V(S([1])))
V([T_([1]),3]).is_subtype_of(V([T_(None),3]))
V({'a':T_([1])}).is_subtype_of(V({'a':T_(None)}))
V([1]).is_subtype_of(V([1,2]))
V(T_([1])).most_specific_common_supertype([V(T_([2]))])
V(S([1])).most_specific_common_supertype([V(S([2]))])
V([S([1]),3]).most_specific_common_supertype([V([S([2]),3])])
V([S([1]),3]).most_specific_common_supertype([V([S([2]),4])])
V(S([1])).most_specific_common_supertype([W(S([2]))])
V({'a':S([1])}).most_specific_common_supertype([V({'a':S([3])}),V({'a':S([1,2])})])
V(S([1])).most_specific_compatible_type(V(S([2])))
V(S([1])).most_specific_compatible_type(W(S([2])))
V(1).most_specific_compatible_type(V(2))
V(1).most_specific_compatible_type(V(1))
V(tf.int32).most_specific_compatible_type(V(tf.float32))
V({'a':S([1])}).most_specific_compatible_type(V({'a':S([3])}))
V([S([1])]).most_specific_compatible_type(V([S([1]),S([2])]))
V(1)!=V(2)
V(1)!=V(1)
"""
