"""tf.Module: traversal of odd attributes, beyond the recorded answers."""

import collections
import subprocess
import sys

import pytest
import tracefn as tf


def _module(**attributes):
    module = tf.Module("m")
    for name, value in attributes.items():
        setattr(module, name, value)
    return module


def test_variables_are_found_once():
    v = tf.Variable(1.0)
    module = _module(a=v, b=[v, (v,)], c={"k": v}, inner=_module(x=v))
    assert len(module.variables) == 1
    assert module.variables[0] is v


def test_cycles_end():
    first, second = _module(), _module()
    first.other, second.other = second, first
    first.me = [first, {"k": first}]
    assert first.submodules == (second,)
    assert second.submodules == (first,)


def test_own_variables_come_before_those_of_submodules():
    inner = _module(a=tf.Variable(1.0, name="inner"))
    outer = _module(a=inner, z=tf.Variable(2.0, name="outer"))
    assert [v.name for v in outer.variables] == ["outer:0", "inner:0"]


def test_unsortable_keys_name_the_attribute():
    module = _module(table={1: 2, "a": 3})
    with pytest.raises(ValueError, match="Error processing property 'table'") as caught:
        module.variables  # noqa: B018 - the property raises
    assert isinstance(caught.value.__cause__, TypeError)


def test_a_cyclic_container_cannot_be_an_attribute():
    loop = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        _module(loop=loop)


def test_a_cyclic_container_that_is_not_wrapped_names_the_attribute():
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="Error processing property 'loop'") as caught:
        _module(loop=collections.UserList(loop)).variables  # noqa: B018
    assert isinstance(caught.value.__cause__, RecursionError)


def test_later_changes_are_seen():
    module = _module(layers=[])
    assert module.trainable_variables == ()
    module.layers.append(tf.Variable(1.0))
    module.layers.append(tf.Variable(1.0, trainable=False))
    assert [len(module.variables), len(module.trainable_variables), len(module.non_trainable_variables)] == [2, 1, 1]


def test_scope_of_the_place_where_it_is_made():
    with tf.name_scope("outer"):
        module = tf.Module("m")
    assert module.name_scope.name == "outer/m/"


@pytest.mark.parametrize("name", ["a b", "1a", "a/b", "", "a-b", ".x", "é", "a\n"])
def test_names_that_are_no_identifiers(name):
    with pytest.raises(ValueError, match="is not a valid module name"):
        tf.Module(name)


def test_with_name_scope_keeps_the_method():
    class Layer(tf.Module):
        @tf.Module.with_name_scope
        def call(self, x, *, scale=2):
            """Doc."""
            return x * scale

    assert Layer().call(3) == 6
    assert (Layer.call.__name__, Layer.call.__doc__) == ("call", "Doc.")


FRESH = """
import collections
import subprocess
import sys
import tracefn as tf
class Line(tf.Module):
    def __init__(self):
        super().__init__()
        self.w, self.parts = tf.Variable(2.0), [tf.Variable([1.0])]
        self.named, self.pair = {"a": tf.Variable(1.0)}, (tf.Variable(3.0), [tf.Variable(4.0)])
        self.ordered = collections.OrderedDict(b=tf.Variable(5.0))
line = Line()
print(sorted(line._trackable_children()), len(line.trainable_variables))
print(*sorted(type(v).__name__ for v in (line.parts, line.named, line.ordered)))
"""


def test_containers_are_tracked_where_nothing_else_was_imported():
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == ["['named', 'ordered', 'pair', 'parts', 'w'] 6", "ListWrapper _DictWrapper _DictWrapper"]


WITHOUT_WRAPT = """
import collections
import copy
import pickle
import sys
sys.modules["wrapt"] = None
import tracefn as tf
Pair = collections.namedtuple("Pair", "x y")
holder = tf.Module()
holder.named, holder.pair, holder.mixed = {"b": [1], "a": 2}, Pair(tf.Variable(1.0), [2]), (1, {"k": tf.Variable(2.0)})
print(*(type(v).__name__ for v in (holder.named, holder.pair, holder.mixed)), len(holder.variables))
print(isinstance(holder.named, dict), isinstance(holder.pair, Pair), holder.pair.y, len(holder.mixed), sorted(holder.named))
print(holder.mixed + (3,) == (*holder.mixed, 3), bool(holder.named), "b" in holder.named, holder.named | {"c": 1})
print(*(type(f(v)).__name__ for f in (copy.copy, copy.deepcopy) for v in (holder.named, holder.pair)))
print(*(type(pickle.loads(pickle.dumps(v))).__name__ for v in (holder.named, holder.pair, holder.mixed)))
print(tf.nest.map_structure(str, {"n": holder.named})["n"], tf.nest.flatten(holder.named))
holder.named["c"] = [3]
print(sorted(holder.named._trackable_children()), tf.function(lambda d: d["a"] + 1)(holder.named).numpy())
"""


def test_containers_are_wrapped_where_wrapt_is_not_installed():
    done = subprocess.run([sys.executable, "-c", WITHOUT_WRAPT], capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines() == [
        "_DictWrapper _TupleWrapper _TupleWrapper 2",
        "True True ListWrapper([2]) 2 ['a', 'b']",
        "True True True {'b': ListWrapper([1]), 'a': 2, 'c': 1}",
        "_DictWrapper _TupleWrapper _DictWrapper _TupleWrapper",
        "dict Pair tuple",
        "{'b': ListWrapper(['1']), 'a': '2'} [2, 1]",
        "['b', 'c'] 3",
    ], done.stderr
