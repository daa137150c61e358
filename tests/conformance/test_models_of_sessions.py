"""Saved models and graphs in files, written from sessions and read into sessions."""

import os

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

X = np.array([[0.1, 0.2]], np.float32)


@pytest.fixture
def session(v1, graph):
    with v1.Session(graph=graph) as session:
        yield session


@pytest.fixture
def model(tf, v1, session):
    """(x, y) of a trained model in a session."""
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    w = v1.get_variable("w", [2, 3], initializer=v1.constant_initializer([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]))
    b = v1.get_variable("b", [3], initializer=v1.zeros_initializer())
    y = tf.nn.softmax(x @ w + b)
    y = tf.cond(tf.reduce_all(y > 0), lambda: y * 2.0, lambda: y)
    y = tf.identity(y, name="out")
    train = v1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(y * y), name="train")
    v1.add_to_collection("numbers", 3)
    v1.add_to_collection("ends", y)
    v1.add_to_collection("texts", "a")
    session.run(v1.global_variables_initializer())
    session.run(train, {x: X})
    return x, y


@pytest.fixture
def elsewhere(tf, v1):
    """A session of another graph, which is not the default one."""
    session = v1.Session(graph=tf.Graph())
    yield session
    session.close()


def test_a_simple_model(tf, v1, session, model, elsewhere, tmp_path):
    x, y = model
    path = str(tmp_path / "model")
    wanted = session.run(y, {x: X})
    v1.saved_model.simple_save(session, path, {"x": x}, {"y": y})
    assert sorted(os.listdir(path))[-2:] == ["saved_model.pb", "variables"]
    assert v1.saved_model.contains_saved_model(path) and v1.saved_model.loader.maybe_saved_model_directory(path)
    meta = v1.saved_model.loader.load(elsewhere, [v1.saved_model.tag_constants.SERVING], path)
    signature = meta.signature_def[v1.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
    info = signature.inputs["x"]
    assert (info.name, info.dtype, [d.size for d in info.tensor_shape.dim]) == ("x:0", 1, [-1, 2])
    assert signature.method_name == "tensorflow/serving/predict" and signature.outputs["y"].name == "out:0"
    assert np.allclose(elsewhere.run(signature.outputs["y"].name, {info.name: X}), wanted)
    assert list(meta.meta_info_def.tags) == ["serve"]


def test_collections_come_back(tf, v1, session, model, elsewhere, tmp_path):
    x, y = model
    path = str(tmp_path / "model")
    v1.saved_model.simple_save(session, path, {"x": x}, {"y": y})
    values = session.run(v1.global_variables())
    with elsewhere.graph.as_default():
        v1.saved_model.load(elsewhere, ["serve"], path)
        assert [v.name for v in v1.trainable_variables()] == ["w:0", "b:0"]
        assert [v.name for v in v1.global_variables()] == ["w:0", "b:0", "w/Momentum:0", "b/Momentum:0"]
        assert v1.get_collection("numbers") == [3] and v1.get_collection("ends")[0].name == "out:0"
        assert v1.get_collection("train_op")[0].name == "train" and v1.get_collection("texts") == [b"a"]
        found = elsewhere.run(v1.global_variables())
        assert all(np.allclose(a, b) for a, b in zip(found, values, strict=True))
        w = v1.trainable_variables()[0]
        elsewhere.run(w.assign(tf.ones([2, 3])))
        assert elsewhere.run(w).sum() == 6.0 and w.shape == [2, 3] and isinstance(w, tf.Variable)
        elsewhere.run("train", {"x:0": X})


def test_builders(tf, v1, session, model, elsewhere, tmp_path):
    x, y = model
    path = str(tmp_path / "model")
    count = v1.get_local_variable("count", [], initializer=v1.zeros_initializer())
    signature = v1.saved_model.build_signature_def(
        {"x": v1.saved_model.build_tensor_info(x)}, {"y": v1.saved_model.build_tensor_info(y)}, "own"
    )
    session.run(v1.local_variables_initializer())
    builder = v1.saved_model.Builder(path)
    with pytest.raises(AssertionError, match="add_meta_graph_and_variables"):
        builder.add_meta_graph(["serve"])
    first = v1.assign(count, 5.0).op
    builder.add_meta_graph_and_variables(session, ["serve", "mine"], {"sig": signature}, main_op=first)
    with pytest.raises(AssertionError, match="has already been saved"):
        builder.add_meta_graph_and_variables(session, ["serve"])
    with tf.Graph().as_default():
        double = v1.get_variable("w", [2, 3]) * 2.0
        tf.identity(double, name="double")
        builder.add_meta_graph(["double"])
    assert builder.save() == os.fsencode(os.path.join(path, "saved_model.pb"))
    with elsewhere.graph.as_default():
        meta = v1.saved_model.load(elsewhere, ["mine", "serve"], path)
        assert meta.signature_def["sig"].method_name == "own" and elsewhere.run(v1.local_variables()) == [5.0]
    with tf.Graph().as_default(), v1.Session() as third:
        v1.saved_model.load(third, ["double"], path)
        assert np.allclose(third.run("double:0"), 2.0 * session.run(session.graph.get_collection("variables")[0]))


def test_models_below_a_scope(tf, v1, session, model, elsewhere, tmp_path):
    x, y = model
    path = str(tmp_path / "model")
    wanted = session.run(y, {x: X})
    v1.saved_model.simple_save(session, path, {"x": x}, {"y": y})
    with elsewhere.graph.as_default():
        meta = v1.saved_model.load(elsewhere, ["serve"], path, import_scope="imported")
        info = meta.signature_def["serving_default"].outputs["y"]
        tensor = v1.saved_model.get_tensor_from_tensor_info(info, import_scope="imported")
        assert tensor.name == "imported/out:0"
        assert np.allclose(elsewhere.run(tensor, {"imported/x:0": X}), wanted)


def test_graphs_beside_checkpoints(tf, v1, session, model, elsewhere, tmp_path):
    x, y = model
    prefix = v1.train.Saver(max_to_keep=2).save(session, str(tmp_path / "ck"), global_step=7)
    assert os.path.exists(prefix + ".meta")
    wanted = session.run(y, {x: X})
    with elsewhere.graph.as_default():
        saver = v1.train.import_meta_graph(prefix + ".meta")
        saver.restore(elsewhere, v1.train.latest_checkpoint(str(tmp_path)))
        assert np.allclose(elsewhere.run("out:0", {"x:0": X}), wanted)
        elsewhere.run(v1.get_collection("train_op")[0], {"x:0": X})
        again = saver.save(elsewhere, str(tmp_path / "again"), write_meta_graph=False)
        assert not os.path.exists(again + ".meta")
        elsewhere.run(v1.trainable_variables()[0].initializer)
        saver.restore(elsewhere, again)
        assert not np.allclose(elsewhere.run("out:0", {"x:0": X}), wanted, rtol=1e-6)
    with pytest.raises(OSError, match="does not exist"), tf.Graph().as_default():
        v1.train.import_meta_graph(str(tmp_path / "nope.meta"))


def test_graphs_without_a_saver(tf, v1, session, model, elsewhere, tmp_path):
    path = str(tmp_path / "graph.meta")
    v1.train.export_meta_graph(path, graph=session.graph)
    with elsewhere.graph.as_default():
        saver = v1.train.import_meta_graph(path)
        assert isinstance(saver, v1.train.Saver)
        elsewhere.run(v1.global_variables_initializer())
        assert elsewhere.run("out:0", {"x:0": X}).shape == (1, 3)


def test_signatures(tf, v1, graph):
    build = v1.saved_model
    text, numbers = v1.placeholder(tf.string, [None]), v1.placeholder(tf.float32, [None])
    regression = build.regression_signature_def(text, numbers)
    assert regression.method_name == "tensorflow/serving/regress" and set(regression.outputs) == {"outputs"}
    classes = build.classification_signature_def(text, text, numbers)
    assert set(classes.outputs) == {"classes", "scores"} and set(classes.inputs) == {"inputs"}
    prediction = build.predict_signature_def({"a": numbers}, {"b": numbers})
    for signature in (regression, classes, prediction):
        assert build.is_valid_signature(signature)
    assert not build.is_valid_signature(build.build_signature_def({}, {}, "other"))
    for make, message in (
        (lambda: build.predict_signature_def({}, {}), "Prediction `inputs` cannot be None or empty."),
        (lambda: build.regression_signature_def(numbers, numbers), "Regression input tensors must be of type string."),
        (lambda: build.classification_signature_def(text, None, None), "cannot both be None."),
    ):
        with pytest.raises(ValueError, match=message):
            make()


def test_what_loading_refuses(tf, v1, session, model, elsewhere, tmp_path):
    x, y = model
    path = str(tmp_path / "model")
    v1.saved_model.simple_save(session, path, {"x": x}, {"y": y})
    with pytest.raises(RuntimeError, match="MetaGraphDef associated with tags 'nope' could not be found in SavedModel"):
        v1.saved_model.load(elsewhere, ["nope"], path)
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        v1.saved_model.load(elsewhere, ["serve"], str(tmp_path / "nothing"))
    with pytest.raises(AssertionError, match="already exists, and isn't empty"):
        v1.saved_model.Builder(path)


def test_models_as_text(tf, v1, session, model, tmp_path):
    x, y = model
    session.run(v1.global_variables_initializer())
    path = str(tmp_path / "model")
    builder = v1.saved_model.Builder(path)
    signature = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
    builder.add_meta_graph_and_variables(session, ["serve", 'a "tag"'], {"serving_default": signature})
    assert builder.save(as_text=True) == os.fsencode(os.path.join(path, "saved_model.pbtxt"))
    assert sorted(os.listdir(path)) == ["saved_model.pbtxt", "variables"]
    assert tf.saved_model.contains_saved_model(path)
    expected = session.run(y, {x: X})
    with tf.Graph().as_default(), v1.Session() as other:
        v1.saved_model.load(other, ["serve", 'a "tag"'], path)
        np.testing.assert_array_equal(other.run("out:0", {"x:0": X}), expected)
    builder.save()  # the other format is preferred
    with open(os.path.join(path, "saved_model.pbtxt"), "w", encoding="utf-8") as file:
        file.write("garbage")
    with tf.Graph().as_default(), v1.Session() as other:
        v1.saved_model.load(other, ["serve", 'a "tag"'], path)


def test_models_as_text_are_loaded_eagerly(tf, v1, tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        y = x * v1.get_variable("w", [2], initializer=v1.constant_initializer([2.0, 3.0]))
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(path)
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save(as_text=True)
    loaded = tf.saved_model.load(path)
    assert loaded.signatures["serving_default"](tf.constant([1.0, 2.0]))["y"].numpy().tolist() == [2.0, 6.0]


def methods(tf, v1, path):
    """The methods that the signatures of a model's two graphs name."""
    found = []
    for tags in (["serve"], ["serve", "other"]):
        with tf.Graph().as_default(), v1.Session() as session:
            signatures = v1.saved_model.load(session, tags, path).signature_def
            found.append({key: signatures[key].method_name for key in sorted(signatures)})
    return found


@pytest.mark.parametrize("as_text", [False, True])
def test_methods_of_signatures(tf, v1, session, tmp_path, as_text):
    path, copy = str(tmp_path / "model"), str(tmp_path / "copy")
    x = v1.placeholder(tf.float32, [None], name="x")
    signature = v1.saved_model.predict_signature_def({"x": x}, {"y": x * 2})
    builder = v1.saved_model.Builder(path)
    builder.add_meta_graph_and_variables(session, ["serve"], {"a": signature, "b": signature})
    builder.add_meta_graph(["other", "serve"], {"a": signature})
    builder.save(as_text)
    updater = v1.saved_model.signature_def_utils.MethodNameUpdater(path)
    updater.replace_method_name("a", "first")
    updater.replace_method_name("b", "second", tags="serve")
    updater.replace_method_name("a", "third", tags=["serve", "other"])
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        updater.save(copy)
    (tmp_path / "copy").mkdir()
    updater.save(copy)
    assert os.listdir(copy) == ["saved_model.pbtxt" if as_text else "saved_model.pb"]
    assert methods(tf, v1, copy) == [{"a": "first", "b": "second"}, {"a": "third"}]
    updater.save()
    assert methods(tf, v1, path) == methods(tf, v1, copy)


def test_methods_that_cannot_be_changed(tf, v1, session, tmp_path):
    x = v1.placeholder(tf.float32, [None], name="x")
    v1.saved_model.simple_save(session, str(tmp_path / "model"), {"x": x}, {"y": x * 2})
    updater = v1.saved_model.signature_def_utils.MethodNameUpdater(str(tmp_path / "model"))
    for arguments, text in (
        (("", "m"), "`signature_key` must be defined."),
        (("serving_default", None), "`method_name` must be defined."),
        (("a", "m"), "associated with tags None does not have a signature_def with key: 'a'"),
        (("a", "m", "no"), r"associated with tags \['no'\] could not be found in SavedModel. This means"),
        (("a", "m", ("serve",)), r"associated with tags \[\('serve',\)\] could not be found"),
    ):
        with pytest.raises(ValueError, match=text):
            updater.replace_method_name(*arguments)
    with pytest.raises(OSError, match="SavedModel file does not exist at: "):
        v1.saved_model.signature_def_utils.MethodNameUpdater(str(tmp_path / "none"))
