"""tf.Module: names, variables, submodules."""

import copy


def setup(tf):
    names = {"tf": tf, "copy": copy, "M": tf.Module, "nm": lambda variables: [v.name for v in variables]}
    for cls in _classes(tf):
        names[cls.__name__] = cls

    def sett(module, name, value):
        setattr(module, name, value)
        return module

    return {**names, "a": names["A"](), "b": names["B"](), "ni": names["NoInit"](), "sett": sett,
            "mk": lambda name: type(name, (tf.Module,), {})().name}


def _classes(tf):
    class A(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.b = tf.Variable(1.0, name="b")
            self.a = tf.Variable([2.0], trainable=False, name="a")
            self.l = [tf.Variable(3.0, name="l0"), {"k": tf.Variable(4.0, name="lk")}]
            self._p = tf.Variable(5.0, name="p")

        @tf.Module.with_name_scope
        def scoped(self):
            return tf.Variable(1.0, name="u").name

    class B(tf.Module):
        def __init__(self):
            super().__init__()
            self.x = A()
            self.y = [A("q"), (A("r"),)]
            self.z = self.x
            self.d = {"b": A("db"), "a": A("da")}
            self.cyc = self

        @tf.Module.with_name_scope
        def __call__(self, x):
            return tf.Variable(1.0, name="w").name

        @tf.Module.with_name_scope
        def nested(self):
            return self.x.scoped()

    class NoInit(tf.Module):
        def __init__(self):
            pass

    class Prop(tf.Module):
        @property
        def boom(self):
            raise RuntimeError("properties are not looked at")

    class Cls(tf.Module):
        of_the_class = tf.Variable(7.0, name="cv")

        def __init__(self):
            super().__init__(name="cls")
            self.t = (tf.Variable(1.0, name="t1"), tf.Variable(2.0, name="t2"))

    class Ign(tf.Module):
        _TF_MODULE_IGNORED_PROPERTIES = frozenset(("skip",)) | tf.Module._TF_MODULE_IGNORED_PROPERTIES

        def __init__(self):
            super().__init__()
            self.skip = tf.Variable(1.0)
            self.keep = tf.Variable(2.0, name="keep")

    class CamelCaseHTTPModule(tf.Module):
        pass

    return A, B, NoInit, Prop, Cls, Ign, CamelCaseHTTPModule


EXPRESSIONS = r"""
M().name
M('x').name
M(name='a b').name
M(name='1a').name
M(name='a/b').name
M(name='').name
M(name='a-b').name
M(name='_x').name
M(name='.x').name
A().name
CamelCaseHTTPModule().name
a.name_scope.name
M('zz').name_scope.name
nm(a.variables)
nm(a.trainable_variables)
nm(a.non_trainable_variables)
a.submodules
len(b.submodules)
[type(s).__name__+s.name for s in b.submodules]
len(b.variables)
nm(b.variables)
nm(b.x.variables)
type(a.variables)
type(a.submodules)
b(1)
b.nested()
ni.name
ni.variables
Prop().variables
nm(Cls().variables)
nm(Ign().variables)
repr(M('q'))
str(M('q'))
setattr(M('q'),'name','z')
list(a._flatten(predicate=lambda v:isinstance(v,tf.Variable)))==list(a.variables)
[('/'.join(map(str,p)),getattr(v,'name',v)) for p,v in b._flatten(predicate=lambda v:isinstance(v,tf.Variable),with_path=True)]
[(p,getattr(v,'name',v)) for p,v in a._flatten(predicate=lambda v:isinstance(v,tf.Variable),with_path=True)]
[getattr(v,'name',v) for v in b._flatten(recursive=False,predicate=lambda v:isinstance(v,tf.Module))]
[v.name for v in a._flatten(predicate=lambda v:isinstance(v,tf.Variable),attribute_traversal_key=lambda k:-ord(k[0]))]
M.with_name_scope(lambda self:3)(M('q'))
M.with_name_scope(len).__name__
hash(a) is not None
a==a
copy.deepcopy(M('q')).name
tf.nest.flatten(sett(M('q'),'w',[1,2]).w)
mk('A')
mk('ABC')
mk('AbC')
mk('Ab1C')
mk('_Private')
mk('__X')
mk('a_B')
mk('HTTPServer2Go')
mk('x')
mk('_')
mk('Conv2D')
mk('MLP')
mk('MyMLPLayer')
mk('Été')
"""
