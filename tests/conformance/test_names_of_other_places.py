"""Names of TensorFlow for other devices, converters and saving: modules that mention them can be imported."""

import importlib

import pytest

pytestmark = pytest.mark.rule("surface")

# Namespaces, with a class and a function (or None) in each.
NAMESPACES = {
    "distribute.cluster_resolver": ("TPUClusterResolver", None),
    "distribute.coordinator": ("ClusterCoordinator", "experimental_get_current_worker_index"),
    "distribute.experimental.partitioners": ("Partitioner", None),
    "experimental.dtensor": ("Layout", "create_mesh"),
    "feature_column": (None, "numeric_column"),
    "lite": ("Interpreter", None),
    "lite.experimental": ("QuantizationDebugger", "load_delegate"),
    "mlir.experimental": (None, "convert_graph_def"),
    "saved_model": ("SaveOptions", "save"),
    "saved_model.experimental": ("TrackableResource", "read_fingerprint"),
    "tpu": ("XLAOptions", None),
    "tpu.experimental": ("Topology", "initialize_tpu_system"),
}


def resolve(tf, path):
    value = tf
    for part in path.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("path", NAMESPACES)
def test_names_are_there(tf, path):
    namespace = resolve(tf, path)
    cls, function = NAMESPACES[path]
    if cls is not None:
        assert isinstance(getattr(namespace, cls), type)
        assert not isinstance(3, getattr(namespace, cls))
        assert getattr(namespace, cls).__name__ == cls
    if function is not None:
        assert callable(getattr(namespace, function))
    with pytest.raises(AttributeError):
        _ = namespace.there_is_no_such_name


def test_constants(tf):
    names = tf.saved_model
    assert names.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert names.SAVED_MODEL_FILENAME_PB == "saved_model.pb"
    assert (names.SERVING, names.TRAINING, names.GPU, names.TPU) == ("serve", "train", "gpu", "tpu")
    assert names.PREDICT_METHOD_NAME == "tensorflow/serving/predict"
    assert (tf.experimental.dtensor.MATCH, tf.experimental.dtensor.UNSHARDED) == ("match", "unsharded")


def test_views_of_modules(tf):
    root = tf.Module("root")
    root.v, root.inner = tf.Variable(1.0), tf.Module("inner")
    root.inner.back, root.inner.w = root, tf.Variable(2.0)
    view = tf.train.TrackableView(root)
    assert view.root is root
    assert sorted(view.children(root)) == ["inner", "v"]
    found = view.descendants()
    assert found[0] is root and len(found) == 4
    assert found[1] is root.v and found[2] is root.inner and found[3] is root.inner.w


def test_subclasses_of_views(tf):
    class Only(tf.train.TrackableView):
        @classmethod
        def children(cls, obj, save_type="checkpoint", **kwargs):
            return {name: child for name, child in super().children(obj, save_type, **kwargs).items() if name == "a"}

    root = tf.Module()
    root.a, root.b = tf.Module(), tf.Module()
    assert Only(root).descendants() == [root, root.a]


def test_checkpoints_hold_objects(tf):
    module = tf.Module("m")
    checkpoint = tf.train.Checkpoint(model=module)
    assert checkpoint.model is module
    assert isinstance(checkpoint, tf.__internal__.tracking.AutoTrackable)


@pytest.mark.superset("Y")
def test_use_is_refused(tf):
    with pytest.raises(NotImplementedError, match=r"all tensors of a checkpoint are in one file"):
        tf.train.experimental.MaxShardSizePolicy(1)
    with pytest.raises(NotImplementedError, match=r"tf.lite.Interpreter is not supported"):
        tf.lite.Interpreter("x")
    with pytest.raises(AttributeError, match=r"tf.lite.Optimize is not supported"):
        _ = tf.lite.Optimize.DEFAULT
    with pytest.raises(NotImplementedError, match=r"tf.distribute.TPUStrategy is not supported: there is only the CPU"):
        tf.distribute.TPUStrategy("a TPU")
    with pytest.raises(NotImplementedError, match=r"several machines"):
        tf.distribute.experimental.ParameterServerStrategy(None)
    with pytest.raises(NotImplementedError, match=r"Nvidia"):
        tf.raw_ops.CudnnRNNBackprop(input=1)
    with pytest.raises(AttributeError, match=r"module 'tracefn.lite' has no attribute"):
        _ = tf.lite.Nothing
    assert importlib.import_module("tracefn.tpu.experimental.embedding").TPUEmbedding


def test_trackables_of_libraries(tf):
    structures = importlib.import_module(f"{tf.__name__}.python.trackable.data_structures")
    module = tf.Module()
    module.a, module.b, module.c = [1], {"a": 1}, (1, [2])
    assert isinstance(module.a, structures.ListWrapper)
    assert type(module.b) is structures._DictWrapper
    assert type(module.c) is structures._TupleWrapper
    module.d = structures.NoDependency([1])
    assert type(module.d) is list
    kept = structures.List([tf.Module()])
    kept.append(tf.Module())
    assert len(kept) == 2 and sorted(kept._trackable_children()) == ["0", "1"]
    with pytest.raises(ValueError, match="Only trackable objects"):
        kept.append(3)
    named = structures.Mapping(a=tf.Module())
    with pytest.raises(ValueError, match="append-only"):
        named["a"] = tf.Module()
    with pytest.raises(TypeError, match="only string keys"):
        named[1] = tf.Module()


def test_maybe_merge_call(tf):
    distribute = tf.__internal__.distribute
    assert distribute.strategy_supports_no_merge_call()
    seen = distribute.interim.maybe_merge_call(lambda strategy, x: x + 1, tf.distribute.get_strategy(), 2)
    assert seen == 3
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])

    def step():
        assert not distribute.strategy_supports_no_merge_call()
        return distribute.interim.maybe_merge_call(
            lambda s, x: tf.constant(x + tf.distribute.in_cross_replica_context()), strategy, 2
        )

    assert int(strategy.run(step)) == 3
