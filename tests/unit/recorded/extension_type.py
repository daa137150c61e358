"""tf.experimental.ExtensionType."""

import collections
import copy
import pickle
import sys
import typing

import numpy as np


def setup(tf):
    names = {"tf": tf, "np": np, "copy": copy, "pickle": pickle, "collections": collections, "typing": typing,
             "E_": tf.experimental.ExtensionType, "t": tf.constant}
    names.update({name: getattr(typing, name) for name in typing.__all__})
    # The classes live in a module of their own, as pickle and forward references want it.
    home = type(sys)("extension_type_cases")
    sys.modules["extension_type_cases"] = home
    vars(home).update(names)
    exec(CLASSES, vars(home))

    def mk(source):
        scope = {**vars(home), "__name__": "extension_type_cases"}
        exec(source, scope)
        return scope["A"]

    return {**vars(home), "mk": mk, "m": home.M(tf.constant([1.0, 2.0]))}


CLASSES = """
class M(E_):
    x: tf.Tensor
    y: int = 3

class Val(E_):
    a: tf.Tensor
    def __validate__(self):
        if self.a.shape.rank != 1:
            raise ValueError('rank')
    def twice(self):
        return self.a * 2

class Sub(Val):
    b: str = 'q'

class Init(E_):
    a: tf.Tensor
    n: int
    def __init__(self, a):
        self.a = a
        self.n = 7

class Bad1(E_):
    a: int
    def __init__(self):
        pass

class Nest(E_):
    p: Tuple[tf.Tensor, int]
    q: Mapping[str, tf.Tensor]
    r: Optional[int] = None
    s: Union[int, str, tf.Tensor] = 0
    u: Tuple[int, ...] = ()

class Un(E_):
    a: tf.Tensor

class Rec(E_):
    inner: Un
    sh: tf.TensorShape
    dt: tf.DType
    fl: float = 1.5

class Empty(E_):
    pass

class Ints(E_):
    a: int
    b: str = 'x'

class C1(E_):
    a: tf.Tensor
    b: int = 4
    def __init__(self, x, extra=False):
        self.a = x
        if extra:
            self.zz = 3

class C3(C1):
    d: int = 9

class Sh(E_):
    s: tf.TensorShape
    d: tf.DType = tf.float32

class WithSpec(E_):
    a: tf.Tensor
    n: int
    class Spec:
        def __init__(self, shape, n):
            self.a = tf.TensorSpec(shape)
            self.n = n
        @property
        def shape(self):
            return self.a.shape

class WithSpec2(E_):
    a: tf.Tensor
    class Spec:
        def hello(self):
            return self.a.shape

class Fwd(E_):
    child: Optional['Fwd'] = None
    v: int = 0

class Props(E_):
    a: tf.Tensor
    @property
    def shape(self):
        return self.a.shape
    @staticmethod
    def st():
        return 1
    CONST: int = 3
    def __validate__(self):
        assert self.a.shape.rank is not None

class Un2(E_):
    u: Union[tf.Tensor, int]
    w: Optional[Tuple[tf.Tensor, ...]] = None

class EqT(E_):
    a: tf.Tensor
    b: Tuple[tf.Tensor, ...] = ()
"""


EXPRESSIONS = r"""
m
str(m)
m.x
m.y
M([1,2])
M(t(1),5)
M(x=t(1),y=4)
M()
M(t(1),2,3)
M(t(1),z=3)
M(t(1),x=3)
M(t(1),'a')
M(t(1),2.5)
M(object())
M('abc')
M(None)
M(np.zeros(2))
setattr(m,'y',4)
setattr(m,'zz',4)
delattr(m,'y')
m==m
m==M(t([1.,2.]))
m==M(t([1.,3.]))
m==M(t([1.,2.]),4)
m==M(t([1.,2.,3.]))
m==M(t([1,2]))
m==3
m!=m
hash(m)
hash(M.Spec(tf.TensorSpec([])))==hash(M.Spec(tf.TensorSpec([])))
m._type_spec
M.Spec(tf.TensorSpec([2]))
M.Spec(tf.TensorSpec([2]),5)
M.Spec(x=tf.TensorSpec([2]),y=4)
M.Spec(tf.TensorSpec([2]),'a')
M.Spec(3)
M.Spec()
M.Spec(tf.TensorSpec([2])).x
M.Spec(tf.TensorSpec([2])).y
M.Spec.__name__
M.Spec.__qualname__
M.Spec.__mro__[1].__name__
M.Spec(tf.TensorSpec([2]))._component_specs
M.Spec(tf.TensorSpec([2]))._serialize()
m._type_spec._to_components(m)
m._type_spec._from_components(m._type_spec._to_components(m))
m._type_spec==M.Spec(tf.TensorSpec([2]))
m._type_spec.is_compatible_with(m)
M.Spec(tf.TensorSpec([None])).is_compatible_with(m)
M.Spec(tf.TensorSpec([None]),4).is_compatible_with(m)
m._type_spec.is_subtype_of(M.Spec(tf.TensorSpec([None])))
m._type_spec.most_specific_common_supertype([M.Spec(tf.TensorSpec([5]))])
setattr(m._type_spec,'y',3)
setattr(m._type_spec,'zz',3)
tf.nest.flatten(m)
tf.nest.flatten(m,expand_composites=True)
tf.nest.map_structure(lambda x:x+1,m,expand_composites=True)
tf.nest.flatten(M.Spec(tf.TensorSpec([2])),expand_composites=True)
isinstance(m,E_)
Val(t([1]))
Val(t(1))
Val(t([1])).twice()
Sub(t([1]))
Sub(t([1]),'z')
isinstance(Sub(t([1])),Val)
Init(t(1))
Init(t(1)).n
Bad1()
Nest((t(1),2),{'a':t(3)})
Nest((t(1),2),{'a':3}).q
Nest((t(1),2),{'a':3}).q['a']
Nest((1,2),{'a':3}).p
Nest((1,2.5),{'a':3})
Nest((1,),{'a':3})
Nest([1,2],{'a':3}).p
Nest((1,2),{1:3})
Nest((1,2),{'a':3},r='x')
Nest((1,2),{'a':3},r=4).r
Nest((1,2),{'a':3},s='x').s
Nest((1,2),{'a':3},s=2.5).s
Nest((1,2),{'a':3},u=[1,2]).u
Nest((1,2),{'a':3},u=(1,'a')).u
Nest((1,2),{'a':3})._type_spec
Nest((1,2),{'b':3,'a':4})
setattr(Nest((1,2),{'a':3}),'q',1)
Nest((1,2),{'a':3}).q.__setitem__('a',1)
dict(Nest((1,2),{'a':3}).q)
Rec(Un(1),[1,2],'float32')
Rec(Un(1),tf.TensorShape([1,2]),tf.float32)
Rec(Un(1),tf.TensorShape([1,2]),tf.float32,2)
Rec(Un(1),tf.TensorShape([1,2]),tf.float32)._type_spec
tf.nest.flatten(Rec(Un(1),tf.TensorShape([1,2]),tf.float32),expand_composites=True)
Rec(1,tf.TensorShape([1,2]),tf.float32)
mk('class A(E_):\\n  a: tf.TensorSpec([None,2],tf.float32)')
mk("class A(E_):\\n  x: 'int'")(3)
mk("class A(E_):\\n  x = 3")()
mk("class A(E_):\\n  x = 3").x
mk("class A(E_):\\n  x: int = 3\\n  y: int")(y=3)
mk("class A(E_):\\n  shape: int")(3)
mk("class A(E_):\\n  _x: int")(3)
mk("class A(E_):\\n  x: bytes")(b'a')
mk("class A(E_):\\n  x: None")(None)
mk("class A(E_):\\n  x: Optional[tf.Tensor]=None")()
mk("class A(E_):\\n  x: Optional[tf.Tensor]=None")()._type_spec
mk("class A(E_):\\n  x: int|None=None")()
mk("class A(E_):\\n  x: tuple[int,...]")((1,2))
mk("class A(E_):\\n  x: tuple")((1,2))
mk("class A(E_):\\n  x: Tuple")((1,2))
mk("class A(E_):\\n  x: dict[str,int]")({'a':1})
mk("class A(E_):\\n  x: Literal['a','b']")('a')
mk("class A(E_):\\n  x: ClassVar[int]=3")()
mk("class A(E_):\\n  pass")()
mk("class A(E_):\\n  x: bool")(True)
mk("class A(E_):\\n  x: bool")(1)
mk("class A(E_):\\n  x: int")(True)
mk("class A(E_):\\n  x: float")(1)
mk("class A(E_):\\n  x: str")('a')
mk("class A(E_):\\n  x: str")(b'a')
mk("class A(E_):\\n  x: tf.Tensor = 3")().x
mk("class A(E_):\\n  x: tf.TypeSpec")(tf.TensorSpec([]))
mk("class A(M):\\n  z: tf.Tensor=1")(2)
pickle.loads(pickle.dumps(m))
copy.deepcopy(m)
tf.type_spec_from_value(m)
m<m
m.foo
E_()
E_.Spec
Empty()
Ints(1)==Ints(2)
Ints(1)!=Ints(2)
Ints(1)==Ints(1,'y')
Ints(1)._type_spec
hash(Ints(1)._type_spec)==hash(Ints(1)._type_spec)
Ints.Spec(1,'x')==Ints.Spec(1,'x')
Ints.Spec(1,'x')
C1(1)
C1(1).b
C1(1,True)
C3(1)
C3(1).d
Sh([1,2])
Sh('ab')
Sh(1.5)
Sh(3)
Sh(None)
Sh([1],'float64')
Sh([1],'bogus')
Sh([1])._type_spec
WithSpec(1,2)
WithSpec(1,2)._type_spec
WithSpec.Spec([3],2)
WithSpec.Spec([3],2).shape
WithSpec.Spec([3],2)==WithSpec.Spec([3],2)
WithSpec2.Spec(tf.TensorSpec([1])).hello()
Fwd(Fwd(None,3),4)
Fwd(3)
Fwd()._type_spec
Fwd(Fwd(None,3),4)._type_spec
Props(1).shape
Props(1)
Props.st()
Un2(3)
Un2(3,(1,2))
Un2('a',(1,))
Un2(3,w=5)
Un2(object())
EqT(1,(2,3))==EqT(1,(2,3))
EqT(1,(2,3))==EqT(1,(2,4))
EqT([1.,2.])==EqT([1.,3.])
EqT(1,(2,3))._type_spec._component_specs
EqT(1,(2,3))._type_spec._to_components(EqT(1,(2,3)))
M.Spec(3,4)
M.Spec('a',4)
M.Spec(None,4)
M.Spec(t(1),4)
Nest.Spec((tf.TensorSpec([]),1),{'a':tf.TensorSpec([])},None,0,())
Nest.Spec((3,1),{'a':tf.TensorSpec([])},None,0,())
Nest.Spec((tf.TensorSpec([]),1),{'a':tf.TensorSpec([])},None,tf.TensorSpec([]),())
M.Spec(tf.TensorSpec([None]),3).is_compatible_with(M(t([1.,2.])))
M.Spec(tf.TensorSpec([None]),4).is_compatible_with(M(t([1.,2.])))
M(t([1.,2.]))._type_spec.is_subtype_of(M.Spec(tf.TensorSpec([None]),3))
M(t([1.,2.]))._type_spec.most_specific_common_supertype([M.Spec(tf.TensorSpec([5]),3)])
M(t([1.,2.]))._type_spec.most_specific_common_supertype([M.Spec(tf.TensorSpec([5]),4)])
M(t([1.,2.]))._type_spec._serialize()
Nest((1,2),{'a':3})._type_spec._serialize()
M.Spec(tf.TensorSpec([2]),3)._component_specs
Rec(Un(1),[1,2],'float32')._type_spec._component_specs
Rec(Un(1),[1,2],'float32')._type_spec._to_components(Rec(Un(1),[1,2],'float32'))
Rec.Spec(3,tf.TensorShape([1]),tf.float32,1.5)
Rec.Spec(Un.Spec(tf.TensorSpec([])),tf.TensorShape([1]),tf.float32,1.5)
pickle.loads(pickle.dumps(M(t(1))._type_spec))
pickle.loads(pickle.dumps(Nest((1,2),{'a':3})))
copy.deepcopy(Nest((1,2),{'a':3}))
Nest((1,2),{'a':3})==Nest((1,2),{'a':3})
Nest((1,2),{'a':3}).q=={'a':3}
Nest((1,2),{'a':3}).q==Nest((1,2),{'a':3}).q
hash(Nest((1,2),{'a':3}).q)
len(Nest((1,2),{'a':3}).q)
tf.nest.flatten(Nest((1,2),{'a':3}).q)
Nest((1,2),[1])
Nest(3,{'a':3})
Nest(None,{'a':3})
Nest((1,2),None)
mk("class A(E_):\\n  x: 'Foo'")(3)
mk("class A(E_):\\n  a: int\\n  def a2(self): return 1\\n  b=property(lambda s:1)\\n  c=classmethod(lambda c:1)\\n  D=lambda s:3")(1)
mk("class A(E_):\\n  a: int\\n  _b=3")(1)
mk("class A(E_):\\n  a: int\\n  __slots__=()")(1)
mk("class A(E_):\\n  a: int\\n  name=None")(1)
mk("class A(E_):\\n  a: int\\n  class Inner: pass")(1)
mk("class A(M,Val): pass")(1)
mk("class A(M):\\n  x: int")(1)
mk("class A(E_):\\n  x: tf.TensorShape=[1]")()
mk("class A(E_):\\n  x: Tuple[()]")(())
mk("class A(E_):\\n  x: Optional[M]=None")(M(1))
mk("class A(E_):\\n  x: tf.IndexedSlices")(tf.IndexedSlices(t([1.]),t([0])))
mk("class A(E_):\\n  x: tf.IndexedSlices")(3)
mk("class A(E_):\\n  x: type(None)")(None)
mk("class A(E_):\\n  x: collections.abc.Mapping[str,int]")({'a':1})
M.mro()[1].__name__
"""
