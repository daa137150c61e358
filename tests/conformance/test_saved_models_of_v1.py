"""`tf.saved_model.load` of models of TensorFlow 1: graphs, signatures and Variables without objects."""

import numpy as np
import pytest
from support import saved_model_programs as programs

pytestmark = pytest.mark.rule("surface")
# The Variables in the model that TensorFlow wrote; all have the same values.
PREFIX = str(programs.FOLDER / "tensorflow" / "session" / "variables" / "variables")


@pytest.fixture(params=["tensorflow", "here"])
def path(tf, request, tmp_path):
    if request.param == "tensorflow":
        return str(programs.FOLDER / "tensorflow" / "session")
    programs.session_model(tf, tmp_path / "session")
    return str(tmp_path / "session")


@pytest.fixture
def loaded(tf, path):
    return tf.saved_model.load(path, tags=["serve"])


def test_tags(tf, path):
    with pytest.raises(ValueError, match="requires a `tags=` argument if there is more than one MetaGraph. Got `tags=None`"):
        tf.saved_model.load(path)
    with pytest.raises(RuntimeError, match="associated with tags 'train' could not be found in SavedModel, with available"):
        tf.saved_model.load(path, tags=["train"])
    assert list(tf.saved_model.load(path, tags=["other", "serve"]).signatures) == ["only"]
    assert "two" in tf.saved_model.load(path, tags="serve").signatures


def test_variables(tf, loaded):
    assert sorted(v.name for v in loaded.variables) == ["count:0", "local:0", "w:0"]
    w, count, local = (next(v for v in loaded.variables if v.name == name) for name in ("w:0", "count:0", "local:0"))
    assert (w.trainable, count.trainable) == (True, False)
    np.testing.assert_allclose(w, [[3.0], [4.0]])
    assert float(count) == 1.0 and float(local) == 5.0
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        y = loaded.signatures["serving_default"](x=x)["y"]
    np.testing.assert_allclose(tape.gradient(y, w), [[1.0], [2.0]])
    w.assign([[1.0], [1.0]])
    np.testing.assert_allclose(loaded.signatures["serving_default"](x=x)["y"], [[3.0]])
    loaded.restore(PREFIX)
    np.testing.assert_allclose(loaded.signatures["serving_default"](x=x)["y"], [[11.0]])




def test_signatures(tf, loaded):
    signatures, x = loaded.signatures, tf.constant([[1.0, 2.0]])
    one = signatures["serving_default"]
    np.testing.assert_allclose(one(x)["y"], [[11.0]])
    assert one.structured_input_signature == ((), {"x": tf.TensorSpec([None, 2], tf.float32, "x")})
    np.testing.assert_allclose(tf.function(lambda x: one(x=x)["y"])(x), [[11.0]])
    found = signatures["two"](a=x, b=tf.constant([[1.0]]))
    np.testing.assert_allclose(found["z"], [[2.0, 3.0]])
    assert float(found["local"]) == 5.0
    sparse = tf.sparse.from_dense([[0.0, 2.0]])
    parts = {"s_indices": sparse.indices, "s_values": sparse.values, "s_dense_shape": sparse.dense_shape}
    np.testing.assert_allclose(signatures["sparse"](**parts)["z"], [[8.0]])
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        one()
    with pytest.raises(TypeError, match=r"too many positional arguments(.|\n)*pruned\(x\) takes 1 positional arguments, got 2"):
        one(x, x)


def test_tables_and_state(tf, path, loaded):
    words = tf.constant(["b", "q", "a"])
    np.testing.assert_array_equal(loaded.signatures["words"](words)["ids"], [8, -1, 7])
    again = tf.saved_model.load(path, tags=["serve"])
    assert [float(loaded.signatures["count"]()["counted"]) for _ in range(2)] == [2.0, 3.0]
    assert float(again.signatures["count"]()["counted"]) == 2.0


def test_prune(tf, loaded):
    x = tf.constant([[1.0, 2.0]])
    np.testing.assert_allclose(loaded.prune("x:0", "y:0")(x), [[11.0]])
    np.testing.assert_allclose(loaded.prune([], "w/Read/ReadVariableOp:0")(), [[3.0], [4.0]])
    found = loaded.prune(["x:0"], {"y": "y:0"})(x)
    np.testing.assert_allclose(found["y"], [[11.0]])
    with pytest.raises(KeyError, match="The name 'nothing:0' refers to a Tensor which does not exist"):
        loaded.prune("nothing:0", "y:0")
    with pytest.raises(Exception, match="Unable to lift tensor .* depends transitively on placeholder .*'x' type=Placeholder"):
        loaded.prune([], "y:0")
    assert loaded.graph.get_tensor_by_name("y:0").shape.as_list() == [None, 1]


def test_saved_again(tf, tmp_path, loaded):
    module = tf.Module()
    module.variables_of_it = loaded.variables
    module.signature = loaded.signatures["serving_default"]
    tf.saved_model.save(module, str(tmp_path / "again"), signatures={"serving_default": module.signature})
    again = tf.saved_model.load(str(tmp_path / "again"))
    np.testing.assert_allclose(again.signatures["serving_default"](tf.constant([[1.0, 2.0]]))["y"], [[11.0]])


def test_positional_arguments(tf, tmp_path):
    module, x = tf.Module(), tf.constant(1.0)
    spec = tf.TensorSpec([], tf.float32)
    module.two = tf.function(lambda a, b: {"sum": a + b}, input_signature=[spec, spec])
    module.one = tf.function(lambda a: {"same": a + 0.0}, input_signature=[spec])
    tf.saved_model.save(module, str(tmp_path), signatures={"two": module.two, "one": module.one})
    two, one = (tf.saved_model.load(str(tmp_path)).signatures[name] for name in ("two", "one"))
    assert float(one(x)["same"]) == 1.0 and float(two(a=x, b=x)["sum"]) == 2.0
    assert two._arg_keywords == ["a", "b"] and (two._num_positional_args, one._num_positional_args) == (0, 1)
    with pytest.raises(TypeError, match=r"\(a, b\) takes 0 positional arguments, got 1"):
        two(x, b=x)
    with pytest.raises(TypeError, match=r"\(a, b\) takes 0 positional arguments, got 3"):
        two(x, x, x)
    with pytest.raises(TypeError, match=r"\(a\) takes 1 positional arguments, got 2"):
        one(x, x)
    with pytest.raises(TypeError, match=r"\(a, b\) missing required arguments: b"):
        two(a=x)
