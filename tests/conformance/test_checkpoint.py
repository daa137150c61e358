"""tf.train.Checkpoint: objects that are saved and restored, keys, values that wait, functions."""

import collections
import copy
import gc
import importlib
import os
import pathlib
import weakref

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
VALUE = ".ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture
def prefix(tmp_path):
    return str(tmp_path / "c")


def keys(tf, path) -> list:
    return [name for name, _ in tf.train.list_variables(path) if name != GRAPH]


def net(tf, size=2):
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(tf.zeros([size]), name="w")
            self.layers = [tf.Variable(0.0), tf.Module("part")]
            self.layers[1].b = tf.Variable(0, dtype=tf.int32)
            self.by_name = {"first": tf.Variable("x"), "a/b": tf.Variable(0.0), "a.b": tf.Variable(False)}
            self.pair = (tf.Variable(0.0), {"in": tf.Variable([0.0])})
            self.number = 3
            self.function = tf.function(lambda x: x)

    return Net()


def fill(net, by=1):
    net.w.assign([1.0 * by] * net.w.shape[0])
    net.layers[0].assign(2.0 * by)
    net.layers[1].b.assign(3 * by)
    net.by_name["first"].assign(f"word {by}")
    net.by_name["a/b"].assign(4.0 * by)
    net.by_name["a.b"].assign(by > 0)
    net.pair[0].assign(5.0 * by)
    net.pair[1]["in"].assign([6.0 * by])
    return values(net)


def values(net) -> list:
    return [v.numpy().tolist() if hasattr(v.numpy(), "tolist") else v.numpy() for v in net.variables]


def test_objects(tf, prefix):
    first, second = net(tf), net(tf)
    expected = fill(first)
    path = tf.train.Checkpoint(net=first).save(prefix)
    assert path == prefix + "-1"
    assert sorted(os.listdir(os.path.dirname(prefix))) == ["c-1.data-00000-of-00001", "c-1.index", "checkpoint"]
    status = tf.train.Checkpoint(net=second).restore(path)
    assert status.assert_consumed() is status and status.assert_existing_objects_matched() is status
    assert status.assert_nontrivial_match() is status
    assert values(second) == expected


def test_keys(tf, prefix):
    path = tf.train.Checkpoint(net=net(tf)).save(prefix)
    assert tf.train.list_variables(path) == [
        (GRAPH, []),
        (f"net/by_name/a..b/{VALUE}", []),
        (f"net/by_name/a.Sb/{VALUE}", []),
        (f"net/by_name/first/{VALUE}", []),
        (f"net/layers/0/{VALUE}", []),
        (f"net/layers/1/b/{VALUE}", []),
        (f"net/pair/0/{VALUE}", []),
        (f"net/pair/1/in/{VALUE}", [1]),
        (f"net/w/{VALUE}", [2]),
        (f"save_counter/{VALUE}", []),
    ]


def test_root(tf, prefix):
    first, second = net(tf), net(tf)
    expected = fill(first)
    step = tf.Variable(7, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(first, step=step)
    path = checkpoint.save(prefix)
    assert f"w/{VALUE}" in keys(tf, path) and f"step/{VALUE}" in keys(tf, path) and f"save_counter/{VALUE}" in keys(tf, path)
    other = tf.Variable(0, dtype=tf.int64)
    tf.train.Checkpoint(second, step=other).restore(path).assert_consumed()
    assert values(second) == expected and int(other) == 7
    third = net(tf)
    tf.train.Checkpoint(root=third).restore(path).assert_existing_objects_matched().expect_partial()
    assert values(third) == expected


def test_root_conflicts(tf):
    module = net(tf)
    with pytest.raises(ValueError, match="Cannot create a Checkpoint with keyword argument part if root.part already exists"):
        module.part = tf.Module()
        tf.train.Checkpoint(module, part=tf.Module())
    tf.train.Checkpoint(module, part=module.part)
    with pytest.raises(ValueError, match="`Checkpoint` was expecting x to be a trackable object .*, got 1"):
        tf.train.Checkpoint(x=1)
    with pytest.raises(ValueError, match="`Checkpoint` was expecting root to be a trackable object"):
        tf.train.Checkpoint("root")


def test_weak_root(tf, prefix):
    module = net(tf)
    checkpoint = tf.train.Checkpoint(weakref.ref(module))
    path = checkpoint.write(prefix)
    fill(module)
    checkpoint.read(path).assert_consumed()
    assert values(module) == values(net(tf))


def test_write_and_read(tf, tmp_path):
    v = tf.Variable([1.0, 2.0])
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.write(tmp_path / "deep" / "er" / "c")
    assert path == str(tmp_path / "deep" / "er" / "c") and sorted(os.listdir(tmp_path / "deep" / "er"))[1] == "c.index"
    assert keys(tf, path) == [f"v/{VALUE}"]
    v.assign([0.0, 0.0])
    checkpoint.read(pathlib.Path(path)).assert_consumed()
    assert v.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(AssertionError, match="not bound to checkpointed values"):
        checkpoint.restore(path).assert_consumed()  # the counter is missing


def test_save_counter(tf, prefix):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert int(checkpoint.save_counter) == 0 and checkpoint.save_counter.dtype == tf.int64
    assert [checkpoint.save(prefix), checkpoint.save(pathlib.Path(prefix))] == [prefix + "-1", prefix + "-2"]
    again = tf.train.Checkpoint(v=tf.Variable(0.0))
    again.restore(tf.train.latest_checkpoint(os.path.dirname(prefix))).assert_consumed()
    assert int(again.save_counter) == 2 and again.save(prefix) == prefix + "-3"


def test_values_wait_for_objects(tf, prefix):
    first = net(tf)
    expected = fill(first)
    path = tf.train.Checkpoint(net=first).write(prefix)
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.read(path)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.net\.w"):
        status.assert_consumed()
    checkpoint.net = second = net(tf)
    assert values(second) == expected
    status.assert_consumed()


def test_values_wait_for_variables(tf, prefix):
    path = tf.train.Checkpoint(m=net(tf)).write(prefix)
    module = tf.Module()
    status = tf.train.Checkpoint(m=module).read(path)
    module.w = tf.Variable([5.0, 5.0])
    assert module.w.numpy().tolist() == [0.0, 0.0]
    module.w = tf.Variable([6.0, 6.0])  # the value has been taken
    assert module.w.numpy().tolist() == [6.0, 6.0]
    module.layers = [tf.Variable(9.0)]
    assert float(module.layers[0]) == 0.0
    module.layers.append(tf.Module())
    module.layers[1].b = tf.Variable(8)
    assert int(module.layers[1].b) == 0
    status.expect_partial()


def test_values_wait_for_variables_of_functions(tf, prefix):
    class Layer(tf.Module):
        @tf.function
        def __call__(self, x):
            if not hasattr(self, "w"):
                self.w = tf.Variable(tf.zeros([2]))
            return self.w * x

    first = Layer()
    first(1.0)
    first.w.assign([3.0, 4.0])
    path = tf.train.Checkpoint(first).write(prefix)
    second = Layer()
    status = tf.train.Checkpoint(second).read(path)
    assert second(tf.constant(2.0)).numpy().tolist() == [6.0, 8.0]
    status.assert_consumed()
    assert second(tf.constant(1.0)).numpy().tolist() == [3.0, 4.0]


def test_the_latest_restore_wins(tf, tmp_path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    one = checkpoint.write(tmp_path / "one")
    v.assign(2.0)
    two = checkpoint.write(tmp_path / "two")
    later = tf.train.Checkpoint()
    first, second = later.read(one), later.read(two)
    later.v = tf.Variable(0.0)
    assert float(later.v) == 2.0
    second.assert_consumed()
    first.expect_partial()
    later.read(one).assert_consumed()
    assert float(later.v) == 1.0


def test_shapes_that_do_not_fit(tf, prefix):
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(prefix)
    for other in (tf.Variable([1.0, 2.0, 3.0]), tf.Variable([[1.0]])):
        with pytest.raises(ValueError, match=r"Received incompatible tensor with shape \(2,\) when attempting to restore variable"):
            tf.train.Checkpoint(v=other).read(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32 does not equal original dtype float"):
        tf.train.Checkpoint(v=tf.Variable([1, 2])).read(path)
    free = tf.Variable([0.0], shape=[None])
    tf.train.Checkpoint(v=free).read(path)
    assert free.numpy().tolist() == [1.0, 2.0]


def test_what_is_not_matched(tf, prefix):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(prefix)
    fewer = tf.train.Checkpoint(a=tf.Variable(0.0)).read(path)
    fewer.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.b: attributes \{\n  name: \"VARIABLE_VALUE\""):
        fewer.assert_consumed()
    more = tf.train.Checkpoint(a=tf.Variable(0.0), c=tf.Variable(3.0)).read(path)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound to checkpointed values"):
        more.assert_existing_objects_matched()
    none = tf.train.Checkpoint(d=tf.Variable(0.0)).read(path)
    with pytest.raises(AssertionError, match="Nothing except the root object matched a checkpointed value"):
        none.assert_nontrivial_match()
    empty = tf.train.Checkpoint().read(path)
    with pytest.raises(AssertionError, match="Nothing to load. No dependencies have been added to"):
        empty.assert_nontrivial_match()
    for status in (fewer, more, none, empty):
        assert status.expect_partial() is status


def test_nothing_to_restore(tf):
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).restore(None)
    status.initialize_or_restore()
    for name in ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match"):
        with pytest.raises(AssertionError, match="No checkpoint specified"):
            getattr(status, name)()
    assert status.expect_partial() is status


def test_no_such_checkpoint(tf, prefix):
    with pytest.raises(tf.errors.NotFoundError, match="Error when restoring from checkpoint or SavedModel at .*\n?.*missing the checkpoint suffix"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).restore(prefix)
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        tf.train.Checkpoint(v=tf.Variable(1.0)).read(prefix)


def test_warnings_at_the_end(tf, prefix, caplog):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(prefix)
    status = tf.train.Checkpoint(a=tf.Variable(0.0)).read(path)
    del status
    gc.collect()
    texts = [record.getMessage() for record in caplog.records]
    assert any("is being deleted with unrestored values" in text for text in texts)
    assert "Value in checkpoint could not be found in the restored object: (root).b" in texts
    caplog.clear()
    tf.train.Checkpoint(a=tf.Variable(0.0)).read(path).expect_partial()
    gc.collect()
    assert not caplog.records


def test_shared_objects(tf, prefix, caplog):
    shared = tf.Variable(5.0)
    path = tf.train.Checkpoint(a=shared, b=shared).write(prefix)
    assert keys(tf, path) == [f"a/{VALUE}"]
    one = tf.Variable(0.0)
    tf.train.Checkpoint(a=one, b=one).read(path).assert_consumed()
    assert float(one) == 5.0


def test_lists_that_cannot_be_saved(tf, prefix):
    module = tf.Module()
    module.parts = [tf.Variable(1.0), tf.Variable(2.0)]
    checkpoint = tf.train.Checkpoint(module)
    module.parts[0] = tf.Variable(3.0)
    with pytest.raises(ValueError, match="Unable to save the object ListWrapper"):
        checkpoint.write(prefix)
    module.parts = {1: tf.Variable(1.0)}
    with pytest.raises(ValueError, match="contains a non-string key"):
        checkpoint.write(prefix)


def test_containers_of_containers(tf, prefix):
    def made(value):
        point = collections.namedtuple("point", "x y")
        return tf.train.Checkpoint(
            deep=[[tf.Variable(value)], {"k": (tf.Variable(value), [tf.Variable(value)])}], p=point(tf.Variable(value), tf.Variable(value))
        )

    path = made(1.0).write(prefix)
    names = ["deep/0/0", "deep/1/k/0", "deep/1/k/1/0", "p/x", "p/y"]
    assert [key.removesuffix("/" + VALUE) for key in keys(tf, path)] == names or len(keys(tf, path)) == 5
    other = made(0.0)
    other.read(path).assert_consumed()
    assert float(other.deep[1]["k"][1][0]) == 1.0 and float(other.p.y) == 1.0


def test_objects_with_their_own_tensors(tf, prefix):
    class Pair(tf.__internal__.tracking.Trackable):
        def __init__(self, a, b):
            self.a, self.b = tf.constant(a), tf.constant(b)

        def _serialize_to_tensors(self):
            return {"first": self.a, "second": self.b}

        def _restore_from_tensors(self, restored_tensors):
            self.a, self.b = restored_tensors["first"], restored_tensors["second"]

    path = tf.train.Checkpoint(pair=Pair(1, [2.0, 3.0])).write(prefix)
    assert keys(tf, path) == ["pair/.ATTRIBUTES/first", "pair/.ATTRIBUTES/second"]
    other = Pair(0, [0.0, 0.0])
    tf.train.Checkpoint(pair=other).read(path).assert_consumed()
    assert int(other.a) == 1 and other.b.numpy().tolist() == [2.0, 3.0]


def test_saveable_objects(tf, prefix):
    """The interface before `_serialize_to_tensors`."""
    base = importlib.import_module(f"{tf.__name__}.python.training.saving.saveable_object")

    class Saved(base.SaveableObject):
        def __init__(self, pair, name):
            self.pair = pair
            specs = [
                base.SaveSpec(pair.a.read_value(), "", name + "_a"),
                base.SaveSpec(pair.b.read_value, "", name + "_b", tf.int32, "cpu:0"),
            ]
            super().__init__(pair.a, specs, name)

        def restore(self, restored_tensors, restored_shapes):
            del restored_shapes
            self.pair.a.assign(restored_tensors[0])
            self.pair.b.assign(restored_tensors[1])

    class Pair(tf.__internal__.tracking.Trackable):
        def __init__(self, a, b):
            self.a, self.b, self.v = tf.Variable(a), tf.Variable(b), tf.Variable(float(b))

        def _gather_saveables_for_checkpoint(self):
            return {"pair": lambda name="default": Saved(self, name), "variable": self.v}

    path = tf.train.Checkpoint(held=Pair(1.5, 2)).write(prefix)
    assert keys(tf, path) == ["held/.ATTRIBUTES/pair_a", "held/.ATTRIBUTES/pair_b", "held/.ATTRIBUTES/variable"]
    other = Pair(0.0, 0)
    tf.train.Checkpoint(held=other).read(path).assert_consumed()
    assert (float(other.a), int(other.b), float(other.v)) == (1.5, 2, 2.0)


def test_python_state(tf, prefix):
    class State(tf.train.experimental.PythonState):
        def __init__(self, value):
            self.value = value

        def serialize(self):
            return self.value

        def deserialize(self, string_value):
            self.value = string_value

    state = State("first")
    checkpoint = tf.train.Checkpoint(state=state, v=tf.Variable(1.0))
    path = checkpoint.write(prefix)
    assert keys(tf, path) == ["state/.ATTRIBUTES/py_state", f"v/{VALUE}"]
    state.value = "second"
    checkpoint.read(path).assert_consumed()
    assert state.value == b"first"
    later = tf.train.Checkpoint()
    later.read(path).expect_partial()
    later.state = State("")
    assert later.state.value == b"first"


def test_tables(tf, prefix):
    def made():
        dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, 0.0, empty_key=-1, deleted_key=-2)
        return tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1), dense

    table, dense = made()
    table.insert(["a", "b"], [5, 6])
    dense.insert([1, 2], [0.5, 1.5])
    path = tf.train.Checkpoint(table=table, dense=dense).write(prefix)
    assert keys(tf, path) == [f"{name}/.ATTRIBUTES/table-{part}" for name in ("dense", "table") for part in ("keys", "values")]
    other, other_dense = made()
    other.insert(["c"], [1])
    tf.train.Checkpoint(table=other, dense=other_dense).read(path).assert_consumed()
    assert other.lookup(["a", "b", "c"]).numpy().tolist() == [5, 6, -1]
    assert other_dense.lookup(tf.constant([1, 2, 3], tf.int64)).numpy().tolist() == [0.5, 1.5, 0.0]


def test_random_generators(tf, prefix):
    generator = tf.random.Generator.from_seed(1)
    generator.normal([3])
    path = tf.train.Checkpoint(generator=generator).write(prefix)
    assert keys(tf, path) == [f"generator/_state_var/{VALUE}"]
    expected = generator.normal([2]).numpy().tolist()
    other = tf.random.Generator.from_seed(2)
    tf.train.Checkpoint(generator=other).read(path).assert_consumed()
    assert other.normal([2]).numpy().tolist() == expected


def test_iterators(tf, prefix):
    dataset = tf.data.Dataset.range(10).shuffle(5, seed=3).map(lambda x: x * 2).batch(2)
    iterator = iter(dataset)
    next(iterator)
    path = tf.train.Checkpoint(iterator=iterator, step=tf.Variable(1)).write(prefix)
    assert keys(tf, path) == ["iterator/.ATTRIBUTES/ITERATOR_STATE", f"step/{VALUE}"]
    expected = [batch.numpy().tolist() for batch in iterator]
    other = iter(dataset)
    next(other)
    tf.train.Checkpoint(iterator=other, step=tf.Variable(0)).read(path).assert_consumed()
    assert [batch.numpy().tolist() for batch in other] == expected and len(expected) == 4


def test_in_functions(tf, prefix):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)

    @tf.function
    def step(x):
        v.assign_add(x)
        return checkpoint.write(prefix)

    assert step(2.0).numpy() == prefix.encode()
    assert float(tf.train.load_variable(prefix, f"v/{VALUE}")) == 3.0
    step(tf.constant(1.0))
    v.assign(0.0)
    checkpoint.read(prefix).assert_consumed()
    assert float(v) == 4.0
    with pytest.raises(NotImplementedError, match=r"Calling tf.train.Checkpoint.save\(\) from a function is not supported"):
        tf.function(lambda: checkpoint.save(prefix))()


def test_copies(tf, prefix):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    copied = copy.deepcopy(checkpoint)
    copied.v.assign(5.0)
    assert float(tf.train.load_variable(copied.write(prefix), f"v/{VALUE}")) == 5.0 and float(v) == 1.0
    assert float(tf.train.load_variable(checkpoint.write(prefix), f"v/{VALUE}")) == 1.0


def test_paths_of_bytes(tf, prefix):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.save(prefix)
    checkpoint.v.assign(0.0)
    checkpoint.restore(prefix.encode() + b"-1").assert_consumed()
    assert float(checkpoint.v) == 1.0


def test_reading_in_any_order(tf, prefix):
    module = tf.Module()
    module.parts = [tf.Variable(np.full([i], i, np.float32)) for i in range(40)] + [tf.Variable("word")]
    reader = tf.train.load_checkpoint(tf.train.Checkpoint(module).write(prefix))
    for i in [7, 3, 39, 0, *range(40), 8, 8]:
        assert reader.get_tensor(f"parts/{i}/{VALUE}").tolist() == [i] * i
    assert reader.get_tensor(f"parts/40/{VALUE}") == b"word"


def test_options(tf, tmp_path):
    seen = []
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    options = tf.train.CheckpointOptions(
        experimental_io_device="/job:localhost", experimental_write_callbacks=[seen.append, lambda: seen.append("none")]
    )
    path = checkpoint.save(tmp_path / "c", options=options)
    assert seen == [path, "none"] and len(options.experimental_write_callbacks) == 2
    checkpoint.restore(path, options=options).assert_consumed()
    checkpoint.sync()


def test_views(tf, prefix):
    module = net(tf)
    path = tf.train.Checkpoint(module).write(prefix)
    view = tf.train.CheckpointView(path)
    held = view.children(0)
    assert set(held) >= {"w", "layers", "by_name", "pair"} and view.descendants()[0] == 0
    matched = view.match(module)
    assert matched[0] is module and matched[held["w"]] is module.w
    del module.w
    module.extra = tf.Variable(1.0)
    _, only_saved, only_here = view.diff(module)
    assert only_saved == [held["w"]] and any(one is module.extra for one in only_here)
    with pytest.raises(ValueError, match="Expected a Trackable, got 1"):
        view.match(1)


def test_objects_as_they_were(tf, prefix):
    """A program's own classes may say what they hold."""

    class Holder(tf.__internal__.tracking.Trackable):
        def __init__(self, **held):
            self.held = held

        def _trackable_children(self, save_type="checkpoint", **kwargs):
            return self.held

        def _lookup_dependency(self, name, cached_dependencies=None):
            return self.held.get(name)

    path = tf.train.Checkpoint(holder=Holder(a=tf.Variable(1.0))).write(prefix)
    other = Holder(a=tf.Variable(0.0))
    tf.train.Checkpoint(holder=other).read(path).assert_consumed()
    assert float(other.held["a"]) == 1.0


def test_many_variables(tf, prefix):
    module = tf.Module()
    module.parts = [tf.Variable(np.full([i % 5], i, np.float32)) for i in range(300)]
    path = tf.train.Checkpoint(module).write(prefix)
    other = tf.Module()
    other.parts = [tf.Variable(np.zeros([i % 5], np.float32)) for i in range(300)]
    tf.train.Checkpoint(other).read(path).assert_consumed()
    assert all(a.numpy().tolist() == b.numpy().tolist() for a, b in zip(module.parts, other.parts, strict=True))
