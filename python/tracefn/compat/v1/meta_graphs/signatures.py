"""Signatures of saved models of sessions: `tf.compat.v1.saved_model.build_signature_def` and the like."""

from __future__ import annotations

from typing import Any

from tracefn._export import export
from tracefn._proto import message_class
from tracefn._saved_model.messages import Record, decoded
from tracefn.composite import CompositeTensor
from tracefn.framework import default_graph, executing_eagerly
from tracefn.ops.sparse.tensor import SparseTensor

_PREDICT = "tensorflow/serving/predict"
_CLASSIFY = "tensorflow/serving/classify"
_REGRESS = "tensorflow/serving/regress"


def record_of(signature) -> Record:
    """A SignatureDef, of this package or of protobuf, as a record."""
    return decoded("SignatureDef", signature.SerializeToString())


@export("compat.v1.saved_model.build_tensor_info", "compat.v1.saved_model.utils.build_tensor_info")
def build_tensor_info(tensor):
    """What a signature says of a tensor.

    Args:
      tensor: tensor of a graph, or SparseTensor.

    Raises:
      RuntimeError: ops run eagerly.
      NotImplementedError: it consists of several tensors, and is no SparseTensor.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.saved_model.build_tensor_info(tf.constant(1.0, name="x")), end="")
      name: "x:0"
      dtype: DT_FLOAT
      tensor_shape {
      }
    """
    if executing_eagerly():
        raise RuntimeError("`build_tensor_info` is not supported in eager execution.")
    if isinstance(tensor, CompositeTensor) and not isinstance(tensor, SparseTensor):
        raise NotImplementedError("build_tensor_info: tensors that consist of several are not supported.")
    element: Any = tensor._as_graph_element() if hasattr(tensor, "_as_graph_element") else tensor
    made = message_class("TensorInfo")(dtype=element.dtype.as_datatype_enum, tensor_shape=element.shape.as_proto())
    if isinstance(tensor, SparseTensor):
        made.coo_sparse.values_tensor_name = tensor.values.name
        made.coo_sparse.indices_tensor_name = tensor.indices.name
        made.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        made.name = element.name
    return made


@export(
    "compat.v1.saved_model.get_tensor_from_tensor_info", "compat.v1.saved_model.utils.get_tensor_from_tensor_info"
)
def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The tensor or SparseTensor of a graph that a TensorInfo names.

    Args:
      tensor_info: TensorInfo.
      graph: tf.Graph; None: the default one.
      import_scope: str, the name scope of the imported nodes, or None.

    Raises:
      KeyError: the graph has no such tensor.
    """
    graph = default_graph() if graph is None else graph
    scope = f"{import_scope}/" if import_scope else ""
    if tensor_info.WhichOneof("encoding") != "coo_sparse":
        return graph.get_tensor_by_name(scope + tensor_info.name)
    names = tensor_info.coo_sparse
    parts = (names.indices_tensor_name, names.values_tensor_name, names.dense_shape_tensor_name)
    return SparseTensor(*(graph.get_tensor_by_name(scope + name) for name in parts))


def tensors_of(record: Record, graph) -> dict:
    """The tensors of a graph that a record TensorInfo names, by what their names get behind that of the whole."""
    if record.coo_sparse is not None:
        sparse = record.coo_sparse
        names = {
            "_indices": sparse.indices_tensor_name,
            "_values": sparse.values_tensor_name,
            "_dense_shape": sparse.dense_shape_tensor_name,
        }
    elif record.composite_tensor is not None:
        names = {f"_component_{i}": part.name for i, part in enumerate(record.composite_tensor.components)}
    else:
        names = {"": record.name}
    return {suffix: graph.as_graph_element(name) for suffix, name in names.items()}


@export("compat.v1.saved_model.build_signature_def", "compat.v1.saved_model.signature_def_utils.build_signature_def")
def build_signature_def(inputs=None, outputs=None, method_name=None, defaults=None):
    """A signature.

    Args:
      inputs, outputs: dicts from names to TensorInfos, or None.
      method_name: str, or None.
      defaults: must be None.

    Raises:
      NotImplementedError: `defaults` is given.
    """
    if defaults:
        raise NotImplementedError("build_signature_def: `defaults` is not supported.")
    return message_class("SignatureDef")(inputs=inputs, outputs=outputs, method_name=method_name)


@export(
    "compat.v1.saved_model.predict_signature_def", "compat.v1.saved_model.signature_def_utils.predict_signature_def"
)
def predict_signature_def(inputs, outputs):
    """The signature of a prediction.

    Args:
      inputs, outputs: dicts from names to tensors.

    Raises:
      ValueError: one of them is empty.
    """
    for what, given in (("inputs", inputs), ("outputs", outputs)):
        if not given:
            raise ValueError(f"Prediction `{what}` cannot be None or empty.")
    return build_signature_def(_described(inputs), _described(outputs), _PREDICT)


def _described(tensors: dict) -> dict:
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


@export(
    "compat.v1.saved_model.regression_signature_def", "compat.v1.saved_model.signature_def_utils.regression_signature_def"
)
def regression_signature_def(examples, predictions):
    """The signature of a regression.

    Args:
      examples: string tensor of serialized Examples.
      predictions: float tensor.

    Raises:
      ValueError: an argument is missing, or has another dtype.
    """
    if examples is None:
        raise ValueError("Regression `examples` cannot be None.")
    if predictions is None:
        raise ValueError("Regression `predictions` cannot be None.")
    if examples.dtype != "string":
        raise ValueError(f"Regression input tensors must be of type string. Found tensor with type {examples.dtype}.")
    if predictions.dtype != "float32":
        raise ValueError(f"Regression output tensors must be of type float. Found tensor with type {predictions.dtype}.")
    return build_signature_def(_described({"inputs": examples}), _described({"outputs": predictions}), _REGRESS)


@export(
    "compat.v1.saved_model.classification_signature_def",
    "compat.v1.saved_model.signature_def_utils.classification_signature_def",
)
def classification_signature_def(examples, classes, scores):
    """The signature of a classification.

    Args:
      examples: string tensor of serialized Examples.
      classes: string tensor, or None.
      scores: float tensor, or None.

    Raises:
      ValueError: an argument is missing, or has another dtype.
    """
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    if examples.dtype != "string":
        raise ValueError(f"Classification input tensors must be of type string. Found tensor with type {examples.dtype}")
    outputs = {name: tensor for name, tensor in (("classes", classes), ("scores", scores)) if tensor is not None}
    return build_signature_def(_described({"inputs": examples}), _described(outputs), _CLASSIFY)


@export("compat.v1.saved_model.is_valid_signature", "compat.v1.saved_model.signature_def_utils.is_valid_signature")
def is_valid_signature(signature_def) -> bool:
    """Whether a signature is one of a prediction, a regression or a classification, with their inputs and outputs."""
    if signature_def is None:
        return False
    inputs, outputs, method = signature_def.inputs, signature_def.outputs, signature_def.method_name
    if method == _PREDICT:
        return bool(inputs) and bool(outputs)
    wanted = {_REGRESS: {"outputs"}, _CLASSIFY: {"classes", "scores"}}.get(method)
    return wanted is not None and set(inputs) == {"inputs"} and bool(outputs) and set(outputs) <= wanted
