"""`tensorflow.python.tools`: frozen graphs, and what checkpoints and saved models hold."""

import argparse
import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def tool(tf, name):
    return importlib.import_module(f"{tf.__name__}.python.tools.{name}")


@pytest.fixture
def files(tf, v1, tmp_path):
    """The paths of a checkpoint and of a saved model."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], "x")
        w = v1.get_variable("w", initializer=[[1.0], [2.0]])
        y = tf.add(tf.matmul(x, w), v1.get_variable("b", initializer=[0.5]), name="y")
        session.run(v1.global_variables_initializer())
        checkpoint = v1.train.Saver().save(session, str(tmp_path / "model"))
        v1.saved_model.simple_save(session, str(tmp_path / "saved"), {"x": x}, {"y": y})
    return checkpoint, str(tmp_path / "saved")


@pytest.mark.parametrize("source", ["checkpoint", "saved model"])
def test_frozen_graphs(tf, v1, files, tmp_path, source):
    checkpoint, saved = files
    path = str(tmp_path / "frozen.pb")
    if source == "checkpoint":
        given, more = checkpoint, {"input_meta_graph": f"{checkpoint}.meta"}
    else:
        given, more = None, {"input_saved_model_dir": saved}
    with tf.Graph().as_default():  # TensorFlow imports into the default graph
        frozen = tool(tf, "freeze_graph").freeze_graph(None, "", True, given, "y", "", "", path, True, "", **more)
    assert {node.op for node in frozen.node} == {"AddV2", "Const", "Identity", "MatMul", "Placeholder"}
    graph_def = v1.GraphDef()
    with open(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    with tf.Graph().as_default(), v1.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="again")
        assert session.run(y, {"again/x:0": [[1.0, 1.0]]}).tolist() == [[3.5]]


def test_what_cannot_be_frozen(tf, files):
    freeze = tool(tf, "freeze_graph").freeze_graph
    with pytest.raises(ValueError, match="Input checkpoint '/no/such/file' doesn't exist!"):
        freeze(None, "", True, "/no/such/file", "y", "", "", "", True, "", input_meta_graph=f"{files[0]}.meta")
    with pytest.raises(ValueError, match="You need to supply the name of a node"):
        freeze(None, "", True, files[0], "", "", "", "", True, "", input_meta_graph=f"{files[0]}.meta")
    with pytest.raises(OSError, match="Input graph file '/no/such/file' does not exist!"):
        freeze("/no/such/file", "", True, files[0], "y", "", "", "", True, "")


def test_tags_of_saved_models(tf, files):
    utils = tool(tf, "saved_model_utils")
    assert utils.get_saved_model_tag_sets(files[1]) == [["serve"]]
    assert list(utils.get_meta_graph_def(files[1], "serve").signature_def) == ["serving_default"]
    assert utils.read_saved_model(files[1]).saved_model_schema_version == 1
    with pytest.raises(RuntimeError, match=r"tag-set train could not be found .* tag-sets: \['serve'\]"):
        utils.get_meta_graph_def(files[1], "train")
    with pytest.raises(OSError, match="SavedModel file does not exist at: /no/such/file"):
        utils.read_saved_model("/no/such/file")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("", True), "tensor: b (float32) [1]\n[0.5]\ntensor: w (float32) [2, 1]\n[[1.]\n [2.]]\n# Total number of params: 3\n"),
        (("", False, True), "tensor: b (float32) [1]\ntensor: w (float32) [2, 1]\n# Total number of params: 3\n"),
        (("", False), "b (DT_FLOAT) [1]\nw (DT_FLOAT) [2,1]\n\n# Total number of params: 3\n"),
        (("b", False), "tensor: b (float32) [1]\n[0.5]\n# Total number of params: 3\n"),
        (("q", False), "Tensor q not found in checkpoint\n"),
        (
            ("b", False, False, "w"),
            (
                "tensor: b (float32) [1]\n[0.5]\n# Excluding 1 tensors (2 params) that match w when counting.\n"
                "# Total number of params: 1\n"
            ),
        ),
    ],
)
def test_checkpoints_are_printed(tf, files, capsys, arguments, text):
    capsys.readouterr()
    tool(tf, "inspect_checkpoint").print_tensors_in_checkpoint_file(files[0], *arguments)
    assert capsys.readouterr().out == text


def test_missing_checkpoints_are_said_to_be(tf, capsys):
    tool(tf, "inspect_checkpoint").print_tensors_in_checkpoint_file("/no/such/file", "", True)
    assert "Failed to find any matching files for /no/such/file" in capsys.readouterr().out


def test_options_of_printing(tf):
    parse = tool(tf, "inspect_checkpoint").parse_numpy_printoption
    with np.printoptions():
        parse("threshold=7")
        assert np.get_printoptions()["threshold"] == 7
        for text, message in ("x", "'x' is not in the form k=v."), ("x=1", "'x' is not a valid printoption."):
            with pytest.raises(argparse.ArgumentTypeError, match=message):
                parse(text)
