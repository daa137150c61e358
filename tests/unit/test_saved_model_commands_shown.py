"""What `saved_model_cli show` prints, in TensorFlow's words."""

import pytest
import tracefn as tf
from tracefn.python.tools import saved_model_cli


@pytest.fixture
def model(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: {"o": x * 2.0}, input_signature=[tf.TensorSpec([None, 2], name="x")])
    tf.saved_model.save(module, str(tmp_path), signatures={"g": module.f})
    return str(tmp_path)


SIGNATURE = """\
The given SavedModel SignatureDef contains the following input(s):
  inputs['x'] tensor_info:
      dtype: DT_FLOAT
      shape: (-1, 2)
      name: g_x:0
The given SavedModel SignatureDef contains the following output(s):
  outputs['o'] tensor_info:
      dtype: DT_FLOAT
      shape: (-1, 2)
      name: StatefulPartitionedCall:0
Method name is: tensorflow/serving/predict
"""
KEYS = """\
The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:
SignatureDef key: "__saved_model_init_op"
SignatureDef key: "g"
"""
FUNCTIONS = """
Concrete Functions:
  Function Name: 'f'
    Option #1
      Callable with:
        Argument #1
          x: TensorSpec(shape=(None, 2), dtype=tf.float32, name='x')
"""


def _shown(capsys, model, *arguments) -> str:
    assert saved_model_cli.main(["show", "--dir", model, *arguments]) == 0
    return capsys.readouterr().out


def test_parts_of_a_model(capsys, model):
    assert _shown(capsys, model) == "The given SavedModel contains the following tag-sets:\n'serve'\n"
    assert _shown(capsys, model, "--tag_set", "serve") == KEYS
    assert _shown(capsys, model, "--tag_set", "serve", "--signature_def", "g") == SIGNATURE
    assert "contains the following ops: {'" in _shown(capsys, model, "--tag_set", "serve", "--list_ops")


def test_all_of_a_model(capsys, model):
    text = _shown(capsys, model, "--all")
    assert text.startswith("\nMetaGraphDef with tag-set: 'serve' contains the following SignatureDefs:\n\nsignature_def['")
    assert "".join(f"  {line}\n" for line in SIGNATURE.splitlines()) in text
    assert "        dtype: DT_INVALID\n        shape: unknown_rank\n        name: init\n" in text and text.endswith(FUNCTIONS)


def test_commands(capsys, model):
    with pytest.raises(AttributeError, match="At least one of --inputs, --input_exprs or --input_examples must be required"):
        saved_model_cli.main(["run", "--dir", model, "--tag_set", "serve", "--signature_def", "g"])
    saved_model_cli.main(["run", "--dir", model, "--tag_set", "serve", "--signature_def", "g", "--input_exprs", "x=[[1, 2]]"])
    assert "Result for output key o:\n[[2. 4.]]\n" in capsys.readouterr().out
    saved_model_cli.main(["scan", "--dir", model])
    assert "does not contain the default denylisted ops: {" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        saved_model_cli.main([])
    assert "error: Too few arguments." in capsys.readouterr().err
