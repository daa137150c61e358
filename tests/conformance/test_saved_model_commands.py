"""`tensorflow.python.tools.saved_model_cli`: what a saved model holds, and its signatures run from a command line."""

import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def cli(tf):
    return importlib.import_module(f"{tf.__name__}.python.tools.saved_model_cli")


@pytest.fixture
def model(tf, tmp_path):
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0])
    module.f = tf.function(
        lambda x, k: {"o": x * 2.0 * module.v, "p": tf.reduce_sum(x)},
        input_signature=[tf.TensorSpec([None, 2], name="x"), tf.TensorSpec([], tf.int32, name="k")],
    )
    module.s = tf.function(tf.strings.length, input_signature=[tf.TensorSpec([None], tf.string, name="e")])
    tf.saved_model.save(module, str(tmp_path / "model"), signatures={"serving_default": module.f, "s": module.s})
    return str(tmp_path / "model")


def test_signatures(cli, model):
    found = cli.get_signature_def_map(model, "serve")
    assert sorted(found) == ["__saved_model_init_op", "s", "serving_default"]
    with pytest.raises(RuntimeError, match=r"tag-set gpu could not be found in the SavedModel. Please use one of .*\['serve'\]"):
        cli.get_signature_def_map(model, "gpu")


def test_runs(cli, model, tmp_path, capsys):
    given = {"x": [[1.0, 2.0]], "k": 3}
    cli.run_saved_model_with_feed_dict(model, "serve", "serving_default", given, str(tmp_path / "out"), False)
    said = capsys.readouterr().out
    assert "Result for output key o:\n[[2. 8.]]\nOutput o is saved to " in said and "Result for output key p:\n3.0\n" in said
    assert np.load(tmp_path / "out" / "o.npy").tolist() == [[2.0, 8.0]]
    with pytest.raises(RuntimeError, match='o.npy already exists. Add "--overwrite" to overwrite'):
        cli.run_saved_model_with_feed_dict(model, "serve", "serving_default", given, str(tmp_path / "out"), False)
    cli.run_saved_model_with_feed_dict(model, "serve", "serving_default", given, str(tmp_path / "out"), True)
    cli.run_saved_model_with_feed_dict(model, "serve", "s", {"e": ["a", "bcd"]}, None, False)
    assert "Result for output key output_0:\n[1 3]\n" in capsys.readouterr().out


def test_what_does_not_run(tf, cli, model):
    def run(signature, given):
        cli.run_saved_model_with_feed_dict(model, "serve", signature, given, None, False)

    with pytest.raises(ValueError, match='Could not find signature "nope". Please choose from: '):
        run("nope", {})
    with pytest.raises(ValueError, match='"q" is not a valid input key. Please choose from "e", or use --show option.'):
        run("s", {"q": [1]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor"):
        run("serving_default", {"k": 1})


def test_inputs(cli, tmp_path):
    np.save(tmp_path / "one.npy", np.ones(2))
    np.savez(tmp_path / "one.npz", a=np.zeros(1))
    np.savez(tmp_path / "two.npz", a=np.zeros(1), b=np.ones(3))
    found = cli.load_inputs_from_input_arg_string(
        f"x={tmp_path}/one.npy;y={tmp_path}/two.npz[b];z={tmp_path}/one.npz", "k=[1, 2.5];t='a'", 'e=[{"f": [1], "g": ["b"]}]'
    )
    assert {key: np.asarray(found[key]).tolist() for key in "xyzkt"} == {
        "x": [1.0, 1.0], "y": [1.0, 1.0, 1.0], "z": [0.0], "k": [1, 2.5], "t": "a",
    }  # fmt: skip
    assert isinstance(found["e"][0], bytes) and b"b" in found["e"][0]
    for inputs, text in ((f"x={tmp_path}/two.npz", "more than one"), (f"x={tmp_path}/two.npz[q]", 'name "q"'), ("x", "format is")):
        with pytest.raises(RuntimeError, match=text):
            cli.load_inputs_from_input_arg_string(inputs, "", "")
    with pytest.raises(RuntimeError, match=r'Expression "np.ones\(2\)" is not a valid python literal.'):
        cli.preprocess_input_exprs_arg_string("x=np.ones(2)")
    with pytest.raises(RuntimeError, match='--input_exprs "x" format is incorrect'):
        cli.preprocess_input_exprs_arg_string("x")
    with pytest.raises(ValueError, match="tf.Example input must be a list of dictionaries"):
        cli.preprocess_input_examples_arg_string("x={}")
    with pytest.raises(ValueError, match="feature value must be a list, but a: "):
        cli.preprocess_input_examples_arg_string("x=[{'a': 1}]")


def test_ops_that_are_looked_for(cli, model, capsys):
    graph = cli.saved_model_utils.get_meta_graph_def(model, "serve")
    cli.scan_meta_graph_def(graph, {"StringLength", "PrintV2"})
    cli.scan_meta_graph_def(graph, {"PrintV2"})
    assert capsys.readouterr().out.splitlines() == [
        "MetaGraph with tag set ['serve'] contains the following denylisted ops: {'StringLength'}",
        "MetaGraph with tag set ['serve'] does not contain the default denylisted ops: {'PrintV2'}",
    ]
