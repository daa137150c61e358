"""tf.nest on every kind of container."""

import array
import collections
import collections.abc
import dataclasses
import types

import attr
import numpy as np


def setup(tf):
    names = {"tf": tf, "n": tf.nest, "np": np, "collections": collections, "types": types, "array": array,
             "S": tf.TensorShape, "OD": collections.OrderedDict, "DD": collections.defaultdict, "bad": {1: 1, "a": 2}}
    names.update(P=collections.namedtuple("P", "a b"), P2=collections.namedtuple("P2", "a b"),
                 Pc=collections.namedtuple("P", "a b"), Pd=collections.namedtuple("P", "a c"))
    for cls in (*_attrs_classes(), *_subclasses(names["P"]), *_mappings(), *_dataclasses()):
        names[cls.__name__] = cls
    return names


def _attrs_classes():
    @attr.s
    class A:
        x = attr.ib()
        y = attr.ib()

    @attr.s
    class A2:
        x = attr.ib()
        y = attr.ib()

    @attr.s
    class AP:
        _x = attr.ib()
        y = attr.ib(default=3)

    @attr.s(frozen=True)
    class AF:
        x = attr.ib()

    @attr.define
    class AD:
        x: int
        y: int

    for cls in (A, A2, AP, AF, AD):
        cls.__qualname__ = cls.__name__
    return A, A2, AP, AF, AD


def _subclasses(named_tuple):
    class SubP(named_tuple):
        pass

    class SubL(list):
        pass

    class SubT(tuple):
        pass

    class SubD(dict):
        pass

    class D2(dict):
        def __init__(self, a):
            super().__init__(a)

    class L2(list):
        def __init__(self, a, b):
            super().__init__(a)

    class D3(dict):
        def __init__(self, *args, tag=None):
            super().__init__(*args)
            self.tag = tag

    class OD2(collections.OrderedDict):
        pass

    class FakeNT2(tuple):
        _fields = (1,)

    class StrSub(str):
        pass

    for cls in (D2, L2):
        cls.__init__.__qualname__ = f"{cls.__name__}.__init__"
    return SubP, SubL, SubT, SubD, D2, L2, D3, OD2, FakeNT2, StrSub


def _mappings():
    class M(collections.abc.Mapping):
        def __init__(self, d):
            self.d = dict(d)

        def __getitem__(self, key):
            return self.d[key]

        def __iter__(self):
            return iter(self.d)

        def __len__(self):
            return len(self.d)

        def __repr__(self):
            return f"M({self.d!r})"

    class MM(M, collections.abc.MutableMapping):
        def __init__(self, d=()):
            super().__init__(d)

        def __setitem__(self, key, value):
            self.d[key] = value

        def __delitem__(self, key):
            del self.d[key]

    class MapBad(M):
        def __init__(self):
            super().__init__({"a": 1})

    class MMBad(MM):
        def __init__(self, needed):
            super().__init__({"a": 1})

    class Seq(collections.abc.Sequence):
        def __init__(self, items=()):
            self.items = list(items)

        def __getitem__(self, index):
            return self.items[index]

        def __len__(self):
            return len(self.items)

        def __repr__(self):
            return f"Seq({self.items!r})"

    class SeqOnly(collections.abc.Sequence):
        def __getitem__(self, index):
            return range(2)[index]

        def __len__(self):
            return 2

    for cls in (MapBad, MMBad):
        cls.__qualname__ = cls.__name__
        cls.__init__.__qualname__ = f"{cls.__name__}.__init__"
    return M, MM, MapBad, MMBad, Seq, SeqOnly


def _dataclasses():
    def flat(self):
        return (self.x,), (self.y,)

    def unflat(cls, metadata, leaves):
        return cls(leaves[0], metadata[0])

    protocol = {"__tf_flatten__": flat, "__tf_unflatten__": classmethod(unflat)}
    DC = dataclasses.make_dataclass("DC", ["x", "y"])
    DCn = dataclasses.make_dataclass("DCn", ["a"])
    DF = dataclasses.make_dataclass("DF", ["x", "y"], namespace=protocol)
    DF2 = dataclasses.make_dataclass("DF2", ["x", "y"], namespace=protocol)

    class NoDC:
        def __init__(self, x, y):
            self.x = x
            self.y = y

        def __repr__(self):
            return f"NoDC({self.x!r}, {self.y!r})"

    class OnlyFl:
        __tf_flatten__ = flat

        def __repr__(self):
            return "OnlyFl()"

    NoDC.__tf_flatten__ = flat
    NoDC.__tf_unflatten__ = classmethod(unflat)
    return DC, DCn, DF, DF2, NoDC, OnlyFl


EXPRESSIONS = r"""
n.flatten(1)
n.flatten(None)
n.flatten([])
n.flatten({})
n.flatten(())
n.flatten([[],{},()])
n.flatten({'b':1,'a':[2,3]})
n.flatten(OD([('b',1),('a',2)]))
n.flatten(DD(int,{'b':1,'a':2}))
n.flatten(P(1,[2,3]))
n.flatten(A(1,[2]))
n.flatten(DC(1,2))
n.flatten(DF(1,2))
n.flatten(M({'b':1,'a':2}))
n.flatten(MM({'b':1,'a':2}))
n.flatten(Seq([1,2]))
n.flatten(SubL([1,2]))
n.flatten(SubT([1,2]))
n.flatten(SubD({'b':1,'a':2}))
n.flatten('abc')
n.flatten(b'abc')
n.flatten(bytearray(b'abc'))
n.flatten(range(3))
n.flatten({1,2})
n.flatten(frozenset({1}))
n.flatten(np.array([1,2]))
n.flatten(np.array([[1,2]]))
n.flatten(memoryview(b'ab'))
n.flatten(__import__('array').array('i',[1]))
n.flatten(collections.deque([1,2]))
n.flatten(collections.UserDict({'b':1,'a':2}))
n.flatten(collections.UserList([1,2]))
n.flatten(collections.ChainMap({'b':1},{'a':2}))
n.flatten(collections.Counter('aab'))
n.flatten(types.MappingProxyType({'b':1,'a':2}))
n.flatten({'a':1}.keys())
n.flatten({'b':1,'a':2}.items())
n.flatten(S([1,2]))
n.flatten(bad)
n.flatten({(1,2):3,(0,1):4})
n.flatten({None:1})
n.flatten({None:1,'a':2})
n.flatten(tf.TensorSpec([]),True)
n.flatten(tf.IndexedSlicesSpec(),True)
n.flatten(A)
n.flatten(P)
n.flatten(type)
n.is_nested(1)
n.is_nested([])
n.is_nested(())
n.is_nested({})
n.is_nested('a')
n.is_nested(None)
n.is_nested(P(1,2))
n.is_nested(A(1,2))
n.is_nested(DC(1,2))
n.is_nested(DF(1,2))
n.is_nested({1})
n.is_nested(range(2))
n.is_nested(M({}))
n.is_nested(Seq())
n.is_nested({}.keys())
n.is_nested({}.items())
n.is_nested(collections.deque())
n.is_nested(S([1]))
n.is_nested(np.array([1]))
n.is_nested(memoryview(b'a'))
n.is_nested(bytearray(b'a'))
n.is_nested(types.MappingProxyType({}))
n.is_nested(P)
n.pack_sequence_as([1,2],[3,4])
n.pack_sequence_as(1,[3])
n.pack_sequence_as(1,[3,4])
n.pack_sequence_as(1,[])
n.pack_sequence_as([1,2],[3])
n.pack_sequence_as([1,2],[3,4,5])
n.pack_sequence_as([1,[2]],(3,4))
n.pack_sequence_as([1,2],5)
n.pack_sequence_as(1,5)
n.pack_sequence_as([1,2],'ab')
n.pack_sequence_as([1,2],np.array([3,4]))
n.pack_sequence_as([1,2],range(2))
n.pack_sequence_as([1,2],None)
n.pack_sequence_as({'b':1,'a':2},[3,4])
list(n.pack_sequence_as(OD([('b',1),('a',2)]),[3,4]).items())
n.pack_sequence_as(DD(int,{'b':1,'a':2}),[3,4])
n.pack_sequence_as(SubD({'b':1,'a':2}),[3,4])
n.pack_sequence_as(SubL([1,2]),[3,4])
n.pack_sequence_as(SubT([1,2]),[3,4])
n.pack_sequence_as(P(1,2),[3,4])
n.pack_sequence_as(SubP(1,2),[3,4])
n.pack_sequence_as(A(1,2),[3,4])
n.pack_sequence_as(DC(1,2),[3])
n.pack_sequence_as(DF(1,2),[3])
n.pack_sequence_as(M({'b':1,'a':2}),[3,4])
n.pack_sequence_as(MM({'b':1,'a':2}),[3,4])
n.pack_sequence_as(Seq([1,2]),[3,4])
n.pack_sequence_as(range(2),[3,4])
n.pack_sequence_as({1,2},[3,4])
n.pack_sequence_as(collections.deque([1,2]),[3,4])
n.pack_sequence_as(collections.Counter('ab'),[3,4])
n.pack_sequence_as(collections.UserDict({'b':1,'a':2}),[3,4])
n.pack_sequence_as(collections.ChainMap({'b':1},{'a':2}),[3,4])
n.pack_sequence_as(types.MappingProxyType({'b':1,'a':2}),[3,4])
n.pack_sequence_as({'b':1,'a':2}.items(),[3,4])
n.pack_sequence_as({'b':1,'a':2}.values(),[3,4])
n.pack_sequence_as(np.array([1,2]),[3])
n.pack_sequence_as([],[])
n.pack_sequence_as([],[1])
n.pack_sequence_as(None,[1])
n.pack_sequence_as(None,[])
n.pack_sequence_as('abc',['d'])
n.pack_sequence_as(tf.TensorSpec([]),[1])
n.map_structure(lambda x:x+1,[1,{'b':2,'a':3}])
n.map_structure(lambda x,y:x+y,[1,2],[3,4])
n.map_structure(lambda x,y:x+y,[1,2],(3,4))
n.map_structure(lambda x,y:x+y,[1,2],(3,4),check_types=False)
n.map_structure(lambda x,y:x+y,[1,2],[3])
n.map_structure(lambda x,y:x+y,[1,2],[3,[4]])
n.map_structure(lambda x,y:x+y,{'a':1},{'b':1})
n.map_structure(lambda x,y:x+y,{'a':1},{'b':1},check_types=False)
n.map_structure(lambda x,y:x+y,{'a':1},OD(a=2))
list(n.map_structure(lambda x,y:x+y,OD(b=1,a=3),dict(a=2,b=7)).items())
n.map_structure(lambda x,y:x+y,1,2)
n.map_structure(lambda x,y:x,1,[2])
n.map_structure(lambda x:x)
n.map_structure()
n.map_structure(1,[2])
n.map_structure(lambda x:x,[1],foo=3)
n.map_structure(lambda x:x,[1],check_types=True,expand_composites=False,foo=3)
n.map_structure(lambda x:None,P(1,2))
n.map_structure(lambda x:x,A(1,[2]))
n.map_structure(lambda x:x+1,DF(1,5))
n.map_structure(lambda x:x,[])
n.map_structure(lambda x:x,{})
n.map_structure(lambda x:x,None)
n.map_structure(lambda x,y:(x,y),P(1,2),P2(3,4))
n.map_structure(lambda x,y:(x,y),P(1,2),Pc(3,4))
n.map_structure(lambda x,y:(x,y),P(1,2),Pd(3,4))
n.map_structure(lambda x,y:(x,y),P(1,2),(3,4))
n.map_structure(lambda x,y:(x,y),(1,2),P(3,4))
n.map_structure(lambda x,y:(x,y),A(1,2),A2(3,4))
n.map_structure(lambda x,y:(x,y),DF(1,2),DF(3,4))
n.map_structure(lambda x,y:(x,y),DF(1,2),DF(3,2))
n.map_structure(lambda x,y:(x,y),DF(1,2),DF2(3,2))
n.map_structure(lambda *a:a,[1],[2],[3])
n.map_structure(lambda x,y:(x,y),[1],SubL([2]))
n.map_structure(lambda x,y:(x,y),M({'a':1}),{'a':2})
n.map_structure(lambda x,y:(x,y),{'a':1},M({'a':1}))
n.map_structure(lambda x,y:(x,y),S([1]),S([2]))
n.map_structure(lambda x,y:(x,y),[1,2],5)
n.map_structure(lambda x,y:(x,y),5,[1,2])
n.map_structure(lambda x,y:(x,y),[1,2],'ab')
n.map_structure(lambda x,y:(x,y),[1,[2,3]],[1,[2,3,4]])
n.assert_same_structure([1,2],[3,4])
n.assert_same_structure([1,2],(3,4))
n.assert_same_structure([1,2],(3,4),False)
n.assert_same_structure([1,2],[3])
n.assert_same_structure([1,2],3)
n.assert_same_structure(1,[3])
n.assert_same_structure(1,2)
n.assert_same_structure([1,[2]],[[1],2])
n.assert_same_structure([1,[2],[3,[4]]],[1,[2],[3,4]])
n.assert_same_structure({'a':1},{'b':1})
n.assert_same_structure({'a':1,'b':2},{'b':1,'a':3})
n.assert_same_structure({'a':1},{'b':1},check_types=False)
n.assert_same_structure({'a':1,'b':1},{'a':1,'c':1},check_types=True)
n.assert_same_structure({'a':1},[1])
n.assert_same_structure({'a':1},[1],check_types=False)
n.assert_same_structure({'a':1},OD(a=1))
n.assert_same_structure({'a':1},DD(int,a=1))
n.assert_same_structure({'a':1},SubD(a=1))
n.assert_same_structure({'a':1},M({'a':1}))
n.assert_same_structure(M({'a':1}),MM({'a':1}))
n.assert_same_structure([1],SubL([1]))
n.assert_same_structure(SubL([1]),[1])
n.assert_same_structure((1,),SubT([1]))
n.assert_same_structure(SubT([1]),(1,))
n.assert_same_structure(P(1,2),Pc(1,2))
n.assert_same_structure(P(1,2),P2(1,2))
n.assert_same_structure(P(1,2),Pd(1,2))
n.assert_same_structure(P(1,2),SubP(1,2))
n.assert_same_structure(P(1,2),(1,2))
n.assert_same_structure((1,2),P(1,2))
n.assert_same_structure(P(1,2),(1,2),check_types=False)
n.assert_same_structure(P(1,2),P2(1,2),check_types=False)
n.assert_same_structure(A(1,2),A2(1,2))
n.assert_same_structure(A(1,2),A(1,[2]))
n.assert_same_structure(A(1,2),DC(1,2))
n.assert_same_structure([A(1,2)],[DC(1,2)])
n.assert_same_structure(DF(1,2),DF(3,2))
n.assert_same_structure(DF(1,2),DF(3,4))
n.assert_same_structure([1],'a')
n.assert_same_structure('abc','d')
n.assert_same_structure([1],None)
n.assert_same_structure([1],{1})
n.assert_same_structure([1],Seq([1]))
n.assert_same_structure([1,2,3],[1,2,[3,4]])
n.assert_same_structure({'a':{'b':[1,2]}},{'a':{'b':[1]}})
n.assert_same_structure({'a':{'b':[1,2]}},{'a':{'b':(1,2)}})
n.assert_same_structure([], [])
n.assert_same_structure([], ())
n.assert_same_structure([], {})
n.assert_same_structure([], 1)
n.assert_same_structure(range(3),1)
n.assert_same_structure(bad,bad)
n.assert_same_structure({1:1},bad)
n.assert_same_structure(np.zeros(3),[1,2,3])
n.assert_same_structure([np.zeros(3)],[[1,2,3]])
n.assert_same_structure([{'a':1}],[{'a':1,'b':2}])
n.pack_sequence_as(D2({'a':1}),[3])
n.pack_sequence_as(L2([1],2),[3])
n.pack_sequence_as(D3({'b':1,'a':2},tag='t'),[3,4])
list(n.pack_sequence_as(OD2([('b',1),('a',2)]),[3,4]).items())
n.flatten(NoDC(1,2))
n.is_nested(NoDC(1,2))
n.pack_sequence_as(NoDC(1,2),[5])
n.flatten(OnlyFl())
n.pack_sequence_as(AP(1),[3,4])
n.pack_sequence_as(AF(1),[3])
n.pack_sequence_as(AD(1,2),[3,4])
n.flatten(FakeNT2([1]))
n.pack_sequence_as(FakeNT2([1]),[3])
n.flatten(StrSub('ab'))
n.pack_sequence_as(MapBad(),[3])
n.pack_sequence_as(MMBad(1),[3])
n.pack_sequence_as(memoryview(b'ab'),[3,4])
n.pack_sequence_as(memoryview(b'ab'),[97,98])
n.pack_sequence_as(array.array('i',[1]),[3])
n.flatten(array.array('i',[1]))
n.pack_sequence_as(bytearray(b'ab'),[97,98])
n.pack_sequence_as(collections.UserList([1,2]),[3,4])
n.pack_sequence_as({'a':1}.keys(),[3])
n.pack_sequence_as(SeqOnly(),[3,4])
n.flatten(SeqOnly())
n.assert_same_structure({'b':1,'a':2},{'c':1})
n.assert_same_structure({'b':1,'a':2},{'c':1,'b':3})
n.assert_same_structure({'b':1,'a':2},{'b':1,'a':2,'c':3},check_types=False)
n.assert_same_structure({'a':1,'b':[2]},{'a':[1],'b':2})
n.assert_same_structure([1],range(1))
n.assert_same_structure({'a':1}.keys(),['a'])
n.assert_same_structure([1,2],'ab',check_types=False)
n.assert_same_structure((1,2),[1,2],check_types=False,expand_composites=True)
n.assert_same_structure(None,None)
n.assert_same_structure(None,[])
n.assert_same_structure([None],[[]])
n.assert_same_structure({'a':None},{'a':{}})
n.assert_same_structure(DF(1,[2]),DF(1,2))
n.assert_same_structure(DF(1,2),3)
n.assert_same_structure(DF(1,2),[1])
n.assert_same_structure(DF(1,2),[1],check_types=False)
n.assert_same_structure(NoDC(1,2),NoDC(1,2))
n.assert_same_structure(1)
n.assert_same_structure([1],[1],foo=2)
n.map_structure(lambda x,y:x,[1],[2],check_types=False)
n.map_structure(lambda x:x/0,[1])
n.map_structure(lambda x,y,z:x+y+z,{'a':1},{'a':2},{'b':3})
n.map_structure(lambda x,y,z:x+y+z,[1],[2],[3,4])
n.map_structure(None,[1])
n.map_structure(str,{'x':1,'y':(2,3)})
n.map_structure(lambda x:x,1,foo=2)
n.flatten([1],expand_composites=1)
n.flatten()
n.flatten([[[[]]],[[1]]])
n.pack_sequence_as([[],[1,{}],()],[9])
n.pack_sequence_as({'a':{'c':1,'b':2},'A':[3]},[1,2,3])
n.pack_sequence_as([1],[3],True)
n.pack_sequence_as(structure=[1],flat_sequence=[2])
n.pack_sequence_as(SubL([1]),SubL([2]))
n.pack_sequence_as([1],P(1,2))
n.pack_sequence_as([1,2],P(5,6))
n.pack_sequence_as([1,2],bytearray(b'ab'))
n.pack_sequence_as([1,2],collections.deque([5,6]))
n.flatten([True,None,1.5,'s',b'b',...])
n.flatten({2:'b',1:'a',1.5:'c'})
n.flatten({'B':1,'a':2,'A':3})
n.flatten({True:1,0:2})
n.flatten({b'b':1,b'a':2})
n.flatten({b'b':1,'a':2})
n.flatten({float('nan'):1,2.0:3})
n.flatten(DCn(1))
n.is_nested(OnlyFl())
n.is_nested(set())
n.is_nested()
"""
