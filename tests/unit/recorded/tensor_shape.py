"""tf.TensorShape: construction, printing, slicing, merging, comparing."""

import copy
import pickle

import numpy as np


def setup(tf):
    class Index:
        def __index__(self):
            return 3

    class Sub(tf.TensorShape):
        pass

    return {"S": tf.TensorShape, "tf": tf, "np": np, "copy": copy, "pickle": pickle, "Index": Index, "Sub": Sub}


EXPRESSIONS = r"""
S(None)
S([])
S([1,None])
S((1,2))
S(3)
S("ab")
S("3")
S([-1])
S([-2])
S([1.5])
S([2.0])
S(["a"])
S(["3"])
S([np.int64(3)])
S(np.array([1,2]))
S(np.array(3))
S(np.array([1.,2.]))
S(S([1]))
S({1:2})
S({1,2})
S(range(3))
S(iter([1,2]))
S([[1]])
S([2**63])
S([2**70])
S(-1)
S(None,3)
S()
S(1.5)
S(b"ab")
S([None]*3)
str(S(None))
str(S([]))
str(S([1]))
str(S([1,None]))
str(S([1,2]))
repr(S([1]))
repr(S([]))
repr(S([1,None]))
S([1,2]).as_list()
S(None).as_list()
S([1,None]).as_list()
S([1,2]).dims
S(None).dims
S([1,None]).dims
S([1,2]).rank
S(None).rank
S([1,2]).ndims
S(None).ndims
S([2,3]).num_elements()
S([]).num_elements()
S([0,3]).num_elements()
S([2,None]).num_elements()
S(None).num_elements()
S([0,None]).num_elements()
S([2**40,2**40]).num_elements()
len(S([1,2]))
len(S(None))
bool(S(None))
bool(S([]))
bool(S([1]))
S([1,2])[0]
S([1,2])[-1]
S([1,2])[2]
S([1,2])[-3]
S([1,None])[1]
S([1,2,3])[1:]
S([1,2,3])[::-1]
S([1,2,3])[::2]
S([1,2,3])[5:]
S([1,2,3])[:-1]
S([1,2,3])[:-4]
S(None)[0]
S(None)[-1]
S(None)["a"]
S(None)[1:]
S(None)[:]
S(None)[1:3]
S(None)[:3]
S(None)[:-1]
S(None)[-2:]
S(None)[3:1]
S(None)[1:5:2]
S(None)[::2]
S(None)[-3:-1]
S(None)[0:0]
S([1,2])["a"]
S([1,2])[1.0]
S([1,2])[None]
S([1,2])[np.int64(1)]
S([1,2])[0,1]
list(S([1,None]))
list(S(None))
1 in S([1,2])
None in S([1,None])
S([1,2])+S([3])
S([1,2])+[3]
S([1,2])+(3,None)
S([1,2])+None
S([1,2])+3
S([1,2])+"a"
S(None)+[3]
S([3])+S(None)
[3]+S([1])
(3,)+S([1])
3+S([1])
S([1]).concatenate([2])
S([1]).concatenate(None)
S([1]).concatenate(3)
S([1]).concatenate("x")
S([1,2])==S([1,2])
S([1,2])==[1,2]
S([1,2])==(1,2)
S([1,2])==[1,None]
S([1,None])==S([1,None])
S(None)==S(None)
S(None)==None
S([])==None
S([])==[]
S([1])==1
S([1])=="a"
S([1])==object()
S([1])==1.5
S([1])==[1.5]
S([1])==np.array([1])
S([1])==["a"]
S([1])!=object()
S([1])!=[1]
S([1])!=[2]
S(None)!=S(None)
S(None)!=[1]
S([1])!=None
S([1,None])!=[1,None]
S([1,None])!=[1,2]
S(None)!=None
hash(S([1,2]))==hash((1,2))
hash(S([1,None]))==hash((1,None))
S([1,None]).merge_with([None,2])
S([1,None]).merge_with([2,2])
S([1,None]).merge_with([1,2,3])
S(None).merge_with([1])
S([1]).merge_with(None)
S([1]).merge_with(S(None))
S([1]).merge_with("a")
S([1]).merge_with(3)
S([1,2]).with_rank(2)
S([1,2]).with_rank(3)
S(None).with_rank(3)
S(None).with_rank(None)
S([1]).with_rank(None)
S([1,2]).with_rank_at_least(3)
S([1,2]).with_rank_at_least(1)
S(None).with_rank_at_least(1)
S([1,2]).with_rank_at_most(1)
S([1,2]).with_rank_at_most(2)
S(None).with_rank_at_most(2)
S([1,2]).assert_has_rank(3)
S([1,2]).assert_has_rank(2)
S(None).assert_has_rank(2)
S([1,2]).assert_same_rank([1])
S([1,2]).assert_same_rank([3,4])
S([1,2]).assert_same_rank(None)
S(None).assert_same_rank([1])
S([1,2]).assert_is_compatible_with([1,3])
S([1,2]).assert_is_compatible_with([1,None])
S([1,2]).assert_is_compatible_with(None)
S([1,2]).assert_is_compatible_with("a")
S([1,None]).assert_is_fully_defined()
S(None).assert_is_fully_defined()
S([1]).assert_is_fully_defined()
S([1,2]).is_compatible_with([1,None])
S([1,2]).is_compatible_with([1])
S([1,2]).is_compatible_with(None)
S(None).is_compatible_with([1])
S([1,2]).is_compatible_with("ab")
S([1]).is_compatible_with(3)
S([1]).is_fully_defined()
S([1,None]).is_fully_defined()
S(None).is_fully_defined()
S([]).is_fully_defined()
S([1,2]).is_subtype_of(S([1,None]))
S([1,2]).is_subtype_of(S(None))
S([1,None]).is_subtype_of(S([1,2]))
S(None).is_subtype_of(S(None))
S(None).is_subtype_of(S([1]))
S([1]).is_subtype_of([1])
S([1,2]).is_subtype_of(S([1]))
S([1,2]).most_specific_common_supertype([S([1,3])])
S([1,2]).most_specific_common_supertype([S([1,2])])
S([1,2]).most_specific_common_supertype([S([1])])
S([1,2]).most_specific_common_supertype([])
S([1,2]).most_specific_common_supertype([S(None)])
S([1,2]).most_specific_common_supertype([[1,3]])
S([1,2]).most_specific_compatible_shape([1,3])
S([1,2]).most_specific_compatible_shape(S([1,2]))
S([1,2]).most_specific_compatible_shape([1])
S([1,2]).most_specific_compatible_shape(None)
S(None).most_specific_compatible_shape([1])
S([1,None]).most_specific_compatible_shape([1,None])
S([1]).__tf_tracing_type__(None)
S([1]).placeholder_value(None)
S([1]).cast(1,None)
S([1]).to_tensors(1)
S([1]).flatten()
S([1]).from_tensors(iter([]))
S([1]).foo
S([1])._dims
S(None)._dims
S([1]).rank.__class__
S([1])<S([2])
tuple(S([1,2]))
[*S([1,2])]
np.zeros(S([1,2])).shape
np.zeros(S([1,None])).shape
S([1,2]).index(1)
S([1,2]).count(1)
list(reversed(S([1,2])))
"%s"%S([1,2])
S([1,2])*2
S([1]).__concat__([2])
S([1]).unknown_rank
S([3])[0]+1
S(dims=[1])
str(S([1]).dims)
pickle.loads(pickle.dumps(S([1, None])))
pickle.loads(pickle.dumps(S(None)))
copy.deepcopy(S([1, None]))
copy.copy(S([1]))
S([Index()])
S(Index())
S([3]).dims[0] + 1
S([3]).dims[0] * S([None]).dims[0]
10 // S([3]).dims[0]
7 % S([3]).dims[0]
7 - S([3]).dims[0]
S([3]).dims[0] < 4
S([None]).dims[0] < 4
S([None]).dims[0] == 4
S([3]).dims[0] == 3
S([3]).dims[0] != 3
S([3]).dims[0] == "a"
S([3]).dims[0].merge_with(4)
S([3]).dims[0].merge_with(None)
S([3]).dims[0].is_compatible_with(4)
str(S([None]).dims[0])
int(S([3]).dims[0])
S(S([3, None]).dims)
range(S([3]).dims[0])
S([1]) == [-1]
S([1]) == -1
S([1]) == float
S([1]) == b"\x01"
S([1]) == {1}
S([1]) != [-1]
S([Sub([2])])
Sub([1])
Sub([1]) == S([1])
S(memoryview(b"ab"))
S(np.zeros([2], np.int8))
"""
