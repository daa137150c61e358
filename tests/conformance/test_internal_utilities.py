"""Utilities below tensorflow.python that libraries import: modules on first use, docstrings, stacks, devices, shapes, JSON."""

import json
import pickle
import types

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def test_modules_on_first_use(internal):
    place = {}
    loader = internal("util.lazy_loader").LazyLoader("later", place, "fractions", warning="now")
    place["later"] = loader
    assert isinstance(loader, types.ModuleType) and repr(loader) == "<LazyLoader fractions as later>"
    assert loader.Fraction(1, 2) + loader.Fraction(1, 2) == 1
    assert place["later"].__name__ == "fractions" and place["later"] is not loader
    assert "Fraction" in dir(loader) and pickle.loads(pickle.dumps(loader)) is place["later"]
    with pytest.raises(AttributeError, match="nothing"):
        loader.nothing
    loader.extra = 3
    assert place["later"].extra == 3
    del loader.extra
    assert not hasattr(place["later"], "extra")
    with pytest.raises(ImportError):
        internal("util.lazy_loader").LazyLoader("none", {}, "no_such_module").name


def test_what_json_can_hold(tf, internal):
    json_type = internal("util.serialization").get_json_type

    class Scale:
        def get_config(self):
            return {"by": 2}

    values = [tf.TensorShape([1, None]), tf.float32, np.float32(1.5), np.arange(2), Scale(), len, int, Ellipsis]
    values.append(tf.compat.v1.Dimension(3))
    assert json.loads(json.dumps(values, default=json_type)) == [
        [1, None], "float32", 1.5, [0, 1], {"class_name": "Scale", "config": {"by": 2}}, "len", "int",
        {"class_name": "__ellipsis__"}, 3,
    ]  # fmt: skip
    with pytest.raises(TypeError, match="is not JSON-serializable"):
        json_type(object())


def test_notices_in_docstrings(internal):
    utils = internal("util.decorator_utils")
    add = utils.add_notice_to_docstring
    assert add("Adds.", "Use x.", "-", "(old)", ["Goes.", "Soon."]) == "Adds. (old)\n\nWarning: Goes.\nSoon.\nUse x."
    assert add("Adds.\n\nArgs:\n  a: b", "", "-", "!", ["n"], "Note") == "Adds. !\n\nNote: n\n\nArgs:\n  a: b"
    assert add(None, "Use x.", "None.", "(old)", ["n"]) == "None.\n\nWarning: n\nUse x."
    with pytest.raises(ValueError, match="must not be empty"):
        add("a", "b", "c", "d", [])
    with pytest.raises(ValueError, match="Unrecognized notice type"):
        add("a", "b", "c", "d", ["e"], "Hint")
    utils.validate_callable(len, "deco")
    with pytest.raises(ValueError, match="make sure @property appears before @deco"):
        utils.validate_callable(3, "deco")


def test_properties_of_classes(internal):
    utils, calls = internal("util.decorator_utils"), []

    class Base:
        @utils.classproperty
        def own(cls):
            return cls.__name__

        @utils.cached_classproperty
        def once(cls):
            calls.append(cls.__name__)
            return cls.__name__

    class Derived(Base):
        pass

    assert (Base.own, Derived.own, Derived().own) == ("Base", "Derived", "Derived")
    assert [Base.once, Derived.once, Base().once, Derived.once] == ["Base", "Derived"] * 2 and calls == ["Base", "Derived"]
    with pytest.raises(AttributeError, match="read-only"):
        Base().once = 3


def test_lines_that_run(internal):
    def inner():
        return internal("util.tf_stack").extract_stack()

    frames = inner()
    assert [frame.name for frame in list(frames)[-2:]] == ["test_lines_that_run", "inner"]
    assert frames[-1].filename == __file__ and frames[-1].lineno < frames[-2].lineno


def test_names_of_devices(tf, internal):
    device = internal("framework.device")
    assert device.canonical_name("/gpu:1") == "/device:GPU:1" and device.canonical_name(None) == ""
    assert device.canonical_name(tf.DeviceSpec(job="a")) == "/job:a"
    assert device.is_device_spec(tf.DeviceSpec()) and not device.is_device_spec("/cpu:0")
    assert device.is_device_spec(tf.compat.v1.DeviceSpec(job="a"))
    device.check_valid("/job:a/task:1")
    with pytest.raises(ValueError):
        device.check_valid("/job:a/place:1")
    merge = device.merge_device("/job:a/cpu:0")
    assert device.merge_device(merge) is merge and not merge.is_null_merge and device.merge_device("").is_null_merge
    with tf.Graph().as_default(), tf.compat.v1.device(merge):
        assert tf.constant(1).device == "/job:a/device:CPU:0"
        with tf.compat.v1.device(device.merge_device("/cpu:3")):
            assert merge.shortcut_string_merge(tf.no_op()) == tf.constant(1).device == "/job:a/device:CPU:3"


def test_shapes_that_are_broadcast(tf, internal):
    shapes, shape = internal("framework.common_shapes"), tf.TensorShape
    for one, other, both in (
        ([2, 1], [3], [2, 3]), ([None], [1], [None]), ([None], [4], [4]), ([], [5, None], [5, None]), ([1], [1], [1]),
    ):  # fmt: skip
        assert shapes.broadcast_shape(shape(one), shape(other)).as_list() == both
        assert shapes.broadcast_shape(shape(other), shape(one)).as_list() == both
        assert shapes.is_broadcast_compatible(shape(one), shape(other))
    assert shapes.broadcast_shape(shape(None), shape([1])).rank is None
    assert not shapes.is_broadcast_compatible(shape([2]), shape([3]))
    assert not shapes.is_broadcast_compatible(shape(None), shape([3]))
    with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
        shapes.broadcast_shape(shape([2]), shape([3]))


def test_shapes_of_messages(tf, internal):
    equals, proto = internal("framework.tensor_util").ShapeEquals, tf.make_tensor_proto([[1, 2]])
    assert equals(proto, [1, 2]) and equals(proto, (1, 2)) and equals(proto, proto.tensor_shape)
    assert not equals(proto, [2, 1]) and not equals(proto, [1])
    with pytest.raises(TypeError, match="must be a tensor_pb2.TensorProto"):
        equals([[1, 2]], [1, 2])
    with pytest.raises(TypeError, match="`shape` must be a list or tuple"):
        equals(proto, 3)
