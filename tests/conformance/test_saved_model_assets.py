"""Files that belong to saved models: of objects, and of sessions."""

import os

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return str(path)


def test_files_of_the_same_contents_are_saved_once(tf, tmp_path):
    module = tf.Module()
    module.a = tf.saved_model.Asset(write(tmp_path / "one" / "words", "1"))
    module.again = tf.saved_model.Asset(str(tmp_path / "one" / "words"))
    module.copy = tf.saved_model.Asset(write(tmp_path / "two" / "words", "1"))
    tf.saved_model.save(module, str(tmp_path / "m"))
    assert os.listdir(tmp_path / "m" / "assets") == ["words"]
    module.other = tf.saved_model.Asset(write(tmp_path / "three" / "words", "2"))
    tf.saved_model.save(module, str(tmp_path / "n"))
    loaded = tf.saved_model.load(str(tmp_path / "n"))
    read = [tf.io.read_file(getattr(loaded, name).asset_path) for name in ("a", "again", "copy", "other")]
    assert read == [b"1", b"1", b"1", b"2"]


def lookup(tf, path, x, name):
    file = tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, -1)
    return tf.identity(tf.lookup.StaticHashTable(file, -1).lookup(x), name=name)


@pytest.fixture
def saved(tf, v1, tmp_path):
    """The directory of a session's model with three tables, whose files are gone."""
    first = write(tmp_path / "one" / "words", "a\nb\n")
    second = write(tmp_path / "two" / "words", "q\nr\ns\n")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.string, [None], name="x")
        y = [lookup(tf, path, x, f"y{i}") for i, path in enumerate([first, second, first])]
        files = v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)
        assert len(files) == 3 and {file.op.type for file in files} == {"Const"}
        session.run(v1.tables_initializer())
        builder = v1.saved_model.Builder(str(tmp_path / "m"))
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": y[0]})
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, assets_collection=files, main_op=v1.tables_initializer()
        )
        builder.save()
    os.remove(first)
    os.remove(second)
    return str(tmp_path / "m")


def test_models_of_sessions_have_their_files(tf, v1, saved):
    assert sorted(os.listdir(os.path.join(saved, "assets"))) == ["words", "words_1"]
    with tf.Graph().as_default(), v1.Session() as session:
        meta = v1.saved_model.load(session, ["serve"], saved)
        assert "saved_model_assets" in meta.collection_def and not meta.asset_file_def
        found = session.run(["y0:0", "y1:0", "y2:0"], {"x:0": ["b", "s"]})
    assert np.array(found).tolist() == [[1, -1], [-1, 2], [1, -1]]
    loaded = tf.saved_model.load(saved)
    assert loaded.signatures["serving_default"](x=tf.constant(["b"]))["y"].numpy().tolist() == [1]


def test_simple_models_have_their_files(tf, v1, tmp_path):
    path = write(tmp_path / "words", "a\nb\n")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.string, [None], name="x")
        y = lookup(tf, path, x, "y")
        v1.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": y}, v1.tables_initializer())
    os.remove(path)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], str(tmp_path / "m"))
        assert session.run("y:0", {"x:0": ["b"]}).tolist() == [1]


@pytest.mark.parametrize(
    ("made", "error", "text"),
    [
        (lambda tf, v1: 3, TypeError, "Asset path tensor 3 must be a Tensor."),
        (lambda tf, v1: v1.placeholder(tf.string, []), TypeError, "must be of type constant.Has type Placeholder instead."),
        (lambda tf, v1: tf.constant(3), TypeError, "must be of dtype string.Has type <dtype: 'int32'> instead."),
        (lambda tf, v1: tf.constant(["a", "b"]), TypeError, "must be a scalar."),
        (lambda tf, v1: tf.constant(""), ValueError, "in is invalid."),
    ],
)
def test_files_are_named_by_constants(tf, v1, tmp_path, made, error, text):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("v", [], initializer=v1.zeros_initializer())
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(str(tmp_path / "m"))
        with pytest.raises(error) as caught:
            builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[made(tf, v1)])
    assert str(caught.value).endswith(text)
