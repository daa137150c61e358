"""Classes that derive from that of Variables, and the metaclass that programs may derive from."""

import abc
import collections.abc

import tracefn as tf
from tracefn.python.ops.resource_variable_ops import ResourceVariable


class Rows(ResourceVariable, collections.abc.Iterable):
    def __iter__(self):
        return iter(self.numpy().tolist())


class Counted(type(tf.Variable)):
    pass


class OfAnotherMetaclass(ResourceVariable, metaclass=Counted):
    pass


class Derived(OfAnotherMetaclass):
    pass


def test_with_an_abstract_base_class():
    rows = Rows([1.0, 2.0])
    assert list(rows) == [1.0, 2.0] and isinstance(rows, tf.Variable) and isinstance(type(rows), abc.ABCMeta)
    assert tf.function(lambda: rows + 1.0)().numpy().tolist() == [2.0, 3.0]
    assert not isinstance(tf.constant(1.0), tf.Variable)


def test_creator_scopes_see_tf_variable_alone():
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(kwargs["initial_value"])
        return next_creator(**kwargs)

    with tf.variable_creator_scope(creator):
        made = [Rows([1.0]), OfAnotherMetaclass(2.0), Derived(3.0), tf.Variable(4.0)]
    assert seen == [4.0] and [type(v) for v in made[:3]] == [Rows, OfAnotherMetaclass, Derived]
