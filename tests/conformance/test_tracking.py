"""Objects that know their children: tf.Module, `tf.__internal__.tracking`, and the containers that they wrap."""

import collections
import copy
import json
import pickle

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

Pair = collections.namedtuple("Pair", "x y")


@pytest.fixture
def tracking(tf):
    return tf.__internal__.tracking


@pytest.fixture
def module(tf):
    return tf.Module("m")


def kind(value) -> str:
    return type(value).__name__


def children(tracked) -> list:
    return sorted(tracked._trackable_children())


def test_classes(tf, tracking, module):
    assert isinstance(module, tracking.AutoTrackable) and isinstance(module, tracking.Trackable)
    assert isinstance(tf.Variable(1.0), tracking.Trackable)
    assert not isinstance(tf.constant(1.0), tracking.Trackable)
    assert issubclass(tracking.TrackableDataStructure, tracking.Trackable)
    module.a = [1]
    assert isinstance(module.a, tracking.TrackableDataStructure)
    reference = tracking.TrackableReference("name", module)
    assert tuple(reference) == ("name", module) == reference and not isinstance(reference, tuple)
    assert reference == tracking.TrackableReference("name", module) != tracking.TrackableReference("other", module)
    assert (reference.name, reference.ref) == ("name", module) and repr(reference).startswith("TrackableReference(name=name, ref=")


def test_attributes_are_children(tf, module):
    module.v, module.inner, module.number, module.list = tf.Variable(1.0), tf.Module(), 3, []
    module.function = tf.function(lambda: 1)
    assert children(module) == ["function", "inner", "list", "v"]
    assert module._trackable_children()["inner"] is module.inner
    first = module.v
    module.v = tf.Variable(2.0)
    assert module._lookup_dependency("v") is module.v is not first
    del module.v
    assert children(module) == ["function", "inner", "list"]
    with pytest.raises(AttributeError):
        _ = module.v


def test_what_is_wrapped(tf, module):
    module.list, module.dict, module.ordered = [1], {"a": 1}, collections.OrderedDict(b=1, a=2)
    module.plain_tuple, module.tuple = (1, 2), (1, [2])
    module.counter, module.set, module.queue = collections.Counter("ab"), {1}, collections.deque([1])
    kinds = [kind(getattr(module, name)) for name in ("list", "dict", "ordered", "tuple")]
    assert kinds == ["ListWrapper", "_DictWrapper", "_DictWrapper", "_TupleWrapper"]
    for name, expected in (("plain_tuple", tuple), ("counter", collections.Counter), ("set", set),
                           ("queue", collections.deque)):  # fmt: skip
        assert type(getattr(module, name)) is expected
    assert repr(module.list) == "ListWrapper([1])"
    assert repr(module.dict) == "DictWrapper({'a': 1})"
    assert repr(module.tuple) == "_TupleWrapper((1, ListWrapper([2])))"
    assert isinstance(module.list, list) and isinstance(module.dict, dict) and isinstance(module.tuple, tuple)
    assert isinstance(module.ordered, collections.OrderedDict)
    assert children(module) == ["dict", "list", "ordered", "tuple"]


def test_the_given_list_is_changed(module):
    given = [1, 2]
    module.list = given
    given.append(3)
    assert list(module.list) == [1, 2, 3] and len(module.list) == 3
    module.list.append(4)
    assert given == [1, 2, 3, 4]
    named = {"a": 1}
    module.dict = named
    named["b"] = 2
    module.dict["c"] = 3
    assert sorted(module.dict) == sorted(named) == ["a", "b", "c"]


def test_lists(tf, module):
    module.list = [1, 2, 3]
    a = module.list
    assert a == [1, 2, 3] and a == [1, 2, 3] and a != [1] and a < [2]
    assert a + [4] == [1, 2, 3, 4] and [0] + a == [0, 1, 2, 3] and a * 2 == [1, 2, 3] * 2
    assert type(a + [4]) is list and type(a[:2]) is list
    a += [5]
    assert kind(a) == "ListWrapper"
    a.insert(0, 9)
    a.extend((7, 8))
    assert a.pop() == 8 and a.index(9) == 0 and a.count(7) == 1
    a.remove(9)
    a.sort()
    a.reverse()
    a[0] = 6
    a[1:3] = [0, 0]
    del a[-1]
    assert list(a) == [6, 0, 0, 2] and list(reversed(a)) == [2, 0, 0, 6]
    a.clear()
    assert not a
    with pytest.raises(TypeError, match="unhashable type: 'ListWrapper'"):
        hash(a)
    module.list = [1, 2]
    assert np.array(module.list).tolist() == [1, 2]
    assert json.dumps(module.list) == "[1, 2]"


def test_dicts(module):
    module.dict = {"a": 1, "b": [2]}
    d = module.dict
    assert d == {"a": 1, "b": [2]} and d["a"] == 1 and "b" in d and len(d) == 2
    assert kind(d["b"]) == "ListWrapper"
    assert sorted(d.keys()) == ["a", "b"] and dict(d.items())["a"] == 1
    assert {**d}.keys() == {"a", "b"} and (d | {"c": 3})["c"] == 3
    assert d.get("z", 5) == 5 and d.pop("a") == 1
    d.update(c=[1])
    assert kind(d["c"]) == "ListWrapper"
    del d["c"]
    assert list(d) == ["b"]
    with pytest.raises(TypeError, match="unhashable type: 'DictWrapper'"):
        hash(d)
    with pytest.raises(KeyError):
        _ = d["z"]
    d.clear()
    assert not d


def test_tuples(tf, module):
    module.pair = Pair(1, [2])
    assert module.pair.x == 1 and module.pair[1] == [2] and len(module.pair) == 2
    assert repr(module.pair) == "_TupleWrapper(Pair(x=1, y=ListWrapper([2])))"
    assert children(module.pair) == ["1", "y"]
    first, second = module.pair
    assert (first, second) == (1, [2])
    module.tuple = (tf.Variable(1.0), 2)
    assert module.tuple == module.tuple and module.tuple + (3,) == (*module.tuple, 3)
    assert hash(module.tuple[1:]) == hash((2,))
    assert len(module.variables) == 1


def test_variables_in_containers(tf, module):
    v, w, x = tf.Variable(1.0), tf.Variable(2.0, trainable=False), tf.Variable(3.0)
    module.parts = {"a": [v, (w,)], "b": x}
    assert [any(u is found for found in module.variables) for u in (v, w, x)] == [True] * 3
    assert len(module.variables) == 3 and len(module.trainable_variables) == 2
    assert len(module.parts["a"].trainable_variables) == 1
    assert children(module.parts) == ["a", "b"]
    assert children(module.parts["a"]) == ["0", "1"]
    module.parts["a"].trainable = False
    assert not module.parts["a"].trainable_variables


def test_modules_in_containers(tf, module):
    module.layers = [tf.Module("a")]
    module.layers.append(tf.Module("b"))
    assert [m.name for m in module.submodules] == ["a", "b"]


def test_nests(tf, module):
    module.list, module.dict = [1, {"a": 2}], {"a": [1], "b": 2}
    module.tuple = (1, [2])
    assert tf.nest.flatten(module.list) == [1, 2]
    assert tf.nest.flatten([module.dict, module.tuple]) == [1, 2, 1, 2]
    for value in (module.list, module.dict, module.tuple):
        mapped = tf.nest.map_structure(lambda x: x + 1, value)
        assert kind(mapped) == kind(value)
    assert tf.nest.is_nested(module.list) and tf.nest.is_nested(module.dict) and tf.nest.is_nested(module.tuple)
    tf.nest.assert_same_structure(module.dict, {"a": [0], "b": 0})
    tf.nest.assert_same_structure(module.list, [0, {"a": 0}])


def test_functions(tf, module, traces):
    module.list, module.dict = [tf.constant(1.0)], {"a": tf.constant(2.0)}
    module.tuple = (tf.constant(3.0), [4])

    @tf.function
    def add(a, b, c):
        traces.append(None)
        return a[0] + b["a"] + c[0]

    assert float(add(module.list, module.dict, module.tuple)) == 6.0
    assert float(add([tf.constant(2.0)], {"a": tf.constant(2.0)}, (tf.constant(3.0), [4]))) == 7.0
    assert len(traces) == 1

    @tf.function
    def back():
        return module.list, module.dict, module.tuple

    a, b, c = back()
    assert float(a[0]) == 1.0 and float(b["a"]) == 2.0 and float(c[0]) == 3.0


def test_tensors_of_lists(tf, module):
    given = [1, 2]
    module.list = given
    given.append(3)
    assert tf.constant(module.list).numpy().tolist() == [1, 2, 3]
    assert tf.stack(module.list).numpy().tolist() == [1, 2, 3]
    assert tf.zeros(module.list).shape == [1, 2, 3]
    assert tf.convert_to_tensor(module.list, tf.float32).numpy().tolist() == [1.0, 2.0, 3.0]
    assert (tf.ones([3]) * module.list).numpy().tolist() == [1.0, 2.0, 3.0]
    assert tf.constant([module.list, module.list]).shape == [2, 3]
    tensors = [tf.constant([1.0])]
    module.tensors = tensors
    tensors.append(tf.constant([2.0]))
    for convert in (tf.convert_to_tensor, tf.function(lambda: tf.convert_to_tensor(module.tensors))):
        found = convert(module.tensors) if convert is tf.convert_to_tensor else convert()
        assert found.numpy().tolist() == [[1.0], [2.0]]
    assert tf.shape(module.tensors).numpy().tolist() == [2, 1]
    assert tf.concat(module.tensors, axis=0).numpy().tolist() == [1.0, 2.0]
    assert tf.add_n(module.tensors).numpy().tolist() == [3.0]


def test_copies(tf, module):
    module.list, module.dict, module.tuple = [tf.Variable(1.0)], {"a": [1]}, (1, [2])
    copied = copy.deepcopy(module)
    copied.list[0].assign(5.0)
    copied.dict["a"].append(2)
    assert module.list[0].numpy() == 1.0 and module.dict["a"] == [1]
    assert [kind(copied.list), kind(copied.dict), kind(copied.tuple)] == ["ListWrapper", "_DictWrapper", "_TupleWrapper"]
    assert children(copied) == children(module)
    for value in (module.dict, module.tuple):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.copy(value) == value


def test_pickles_are_of_plain_containers(tf, module):
    module.list, module.dict = [1, [2]], {"a": {"b": [1]}}
    module.ordered, module.pair = collections.OrderedDict(z=1, a=[2]), Pair([1], (2, [3]))
    loaded = [pickle.loads(pickle.dumps(value)) for value in (module.list, module.dict, module.ordered, module.pair)]
    assert [kind(value) for value in loaded] == ["ListWrapper", "dict", "OrderedDict", "Pair"]
    assert loaded == [[1, [2]], {"a": {"b": [1]}}, collections.OrderedDict(z=1, a=[2]), Pair([1], (2, [3]))]
    assert kind(loaded[1]["a"]) == "dict" and kind(loaded[3].y) == "tuple"
    module.variables_by_name = {"v": tf.Variable([1.0, 2.0])}
    assert pickle.loads(pickle.dumps(module.variables_by_name))["v"].numpy().tolist() == [1.0, 2.0]


def test_libraries_know_the_proxies(tf, module):
    wrapt = pytest.importorskip("wrapt")
    module.list, module.dict, module.ordered = [1], {"a": [1]}, collections.OrderedDict(b=1)
    module.tuple, module.pair = (1, [2]), Pair(tf.Variable(1.0), 2)
    for proxy in (module.dict, module.ordered, module.tuple, module.pair):
        assert isinstance(proxy, wrapt.ObjectProxy) and isinstance(proxy, proxy.__wrapped__.__class__)
    assert not isinstance(module.list, wrapt.ObjectProxy)
    # dm-tree makes a namedtuple of the class that is wrapped, and of other proxies one of the same kind.
    assert type(module.pair.__wrapped__)(*[3, 4]) == (3, 4)
    assert kind(type(module.tuple)((5, [6]))) == "_TupleWrapper"
    assert kind(type(module.dict)((key, 1) for key in module.dict)) == "_DictWrapper"


def test_untracked_methods(tf, tracking):
    class Holder(tf.Module):
        @tracking.no_automatic_dependency_tracking
        def hold(self, value):
            """Keeps it."""
            self.value = value
            return value

    holder = Holder()
    given = [tf.Variable(1.0)]
    assert holder.hold(given) is given
    assert type(holder.value) is list and children(holder) == []
    holder.other = given
    assert kind(holder.other) == "ListWrapper"
    assert Holder.hold.__name__ == "hold" and Holder.hold.__doc__ == "Keeps it."


def test_values_without_dependency(tf, module):
    module.kept = module._no_dependency([1])
    assert type(module.kept) is list and children(module) == []


def test_adding_children(tf, tracking, module):
    child = tf.Module()
    assert module._track_trackable(child, name="a") is child
    assert module._track_trackable(child, name="a") is child
    with pytest.raises(ValueError, match="already declared as a dependency"):
        module._track_trackable(tf.Module(), name="a")
    with pytest.raises(TypeError, match="can only be used to track objects of type Trackable"):
        module._track_trackable(3, name="b")
    other = tf.Module()
    module._track_trackable(other, name="a", overwrite=True)
    assert module._trackable_children() == {"a": other}
    assert [reference.name for reference in module._checkpoint_dependencies] == ["a"]
    assert tracking.sticky_attribute_assignment(module, "c", [1]) == [1]
    assert children(module) == ["a", "c"]


def test_lists_that_cannot_be_saved(tf, module):
    module.list = [tf.Variable(1.0), tf.Variable(2.0)]
    module.list[0] = tf.Variable(3.0)
    with pytest.raises(ValueError, match="A list element was replaced"):
        module.list._trackable_children()
    given = [tf.Module()]
    module.list = given
    given.append(tf.Module())
    with pytest.raises(ValueError, match=r"modified outside the wrapper \(its final value was \[.*, its value when a checkpoint"):
        module.list._trackable_children()
    module.list = [1, 2]
    module.list[0] = 3  # no children
    module.list.sort()
    assert children(module.list) == []


def test_dicts_that_cannot_be_saved(tf, module):
    module.dict = {1: tf.Module()}
    with pytest.raises(ValueError, match="contains a non-string key"):
        module.dict._trackable_children()
    given = {"a": tf.Module()}
    module.dict = given
    given["b"] = tf.Module()
    with pytest.raises(ValueError, match=r"^Unable to save the object {'a': .*its final value was {'a': .*, its value when"):
        module.dict._trackable_children()


def test_wrapping(tf, tracking):
    assert repr(tracking.wrap([1])) == "ListWrapper([1])"
    assert tracking.wrap(3) == 3
    wrapped = tracking.wrap({"a": 1})
    assert tracking.wrap(wrapped) is wrapped


def test_the_same_value_again(tf, module):
    module.list = [1]
    before = module.list
    module.list = module.list
    assert module.list is before
    module.tensor = tf.constant(1.0)
    module.tensor = tf.constant(2.0)
    assert float(module.tensor) == 2.0


def test_subclasses_with_slots_and_properties(tf):
    class Squared(tf.Module):
        def __init__(self):
            super().__init__()
            self.items = []

        @property
        def side(self):
            return self._side

        @side.setter
        def side(self, value):
            self._side = value

    squared = Squared()
    squared.side = [tf.Variable(2.0)]
    assert kind(squared._side) == "ListWrapper"
    assert len(squared.variables) == 1


def test_other_trackables(tf, tracking, module):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), 0)
    dataset = tf.data.Dataset.range(3)
    generator = tf.random.Generator.from_seed(1)
    for value in (table, dataset, iter(dataset), generator):
        assert isinstance(value, tracking.Trackable)
    assert not isinstance(tf.TensorArray(tf.float32, 1), tracking.Trackable)
    assert children(generator) == ["_state_var"]
    module.table, module.dataset, module.generator = table, dataset, generator
    assert children(module) == ["dataset", "generator", "table"]
    assert module.variables == ()


def test_paths_to_the_leaves_of_modules_in_cycles(tf):
    def paths(module, **options):
        found = module._flatten(predicate=lambda leaf: isinstance(leaf, tf.Variable), with_path=True, **options)
        return [path for path, _ in found]

    a, b = tf.Module(), tf.Module()
    a.b, b.a, a.v, b.w = b, a, tf.Variable(1.0), tf.Variable(2.0)
    assert paths(a) == [("v",), ("b", "w"), ("b", "a", "v")] and paths(a, recursive=False) == [("v",)]
    assert [float(v) for v in a.variables] == [1.0, 2.0] and a.submodules == (b,)
    alone = tf.Module()
    alone.me, alone.v = alone, tf.Variable(3.0)
    assert paths(alone) == [("v",), ("me", "v")] and alone.submodules == ()


def test_paths_through_containers_of_modules(tf):
    module = tf.Module()
    module.pair = collections.namedtuple("Pair", "x y")(tf.Variable(1.0), 2)
    module.nest = {"a": [tf.Variable(2.0), (tf.Variable(3.0),)]}
    found = module._flatten(predicate=lambda leaf: isinstance(leaf, tf.Variable), with_path=True)
    assert [path for path, _ in found] == [("nest", "a", 0), ("nest", "a", 1, 0), ("pair", "x")]
