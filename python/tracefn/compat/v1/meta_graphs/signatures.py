"""Signatures of saved models of sessions: `tf.compat.v1.saved_model.build_signature_def` and the like."""

from __future__ import annotations

from typing import Any

from tracefn._export import export
from tracefn._messages import TensorShapeProto
from tracefn._saved_model.messages import Record, decoded
from tracefn.composite import CompositeTensor
from tracefn.dtypes import as_dtype
from tracefn.framework import default_graph, executing_eagerly
from tracefn.tensor_shape import TensorShape

_PREDICT = "tensorflow/serving/predict"
_CLASSIFY = "tensorflow/serving/classify"
_REGRESS = "tensorflow/serving/regress"


class TensorInfo:
    """A tensor of a graph in a signature.

    Attributes:
      name: str.
      dtype: int, the number of its dtype.
      tensor_shape: TensorShapeProto.
    """

    def __init__(self, name: str, dtype: int, tensor_shape) -> None:
        self.name, self.dtype, self.tensor_shape = name, dtype, tensor_shape

    def __repr__(self) -> str:
        return f"<TensorInfo {self.name!r}, {as_dtype(self.dtype).name if self.dtype else 'no dtype'}>"


class SignatureDef:
    """Inputs and outputs of a graph by name: dicts from str to TensorInfo; and `method_name`, a str."""

    def __init__(self, inputs: dict, outputs: dict, method_name: str) -> None:
        self.inputs, self.outputs, self.method_name = inputs, outputs, method_name

    def __repr__(self) -> str:
        return f"<SignatureDef {self.inputs} -> {self.outputs}, {self.method_name!r}>"


def record_of_info(info) -> Record:
    """A TensorInfo, of this package or of protobuf, as a record."""
    return Record("TensorInfo", name=info.name, dtype=info.dtype, tensor_shape=info.tensor_shape.SerializeToString())


def record_of(signature) -> Record:
    """A SignatureDef, of this package or of protobuf, as a record."""
    return Record(
        "SignatureDef",
        inputs={name: record_of_info(info) for name, info in signature.inputs.items()},
        outputs={name: record_of_info(info) for name, info in signature.outputs.items()},
        method_name=signature.method_name,
    )


def signature_of(record: Record) -> SignatureDef:
    """The SignatureDef of a record."""
    return SignatureDef(_infos(record.inputs), _infos(record.outputs), record.method_name or "")


def _infos(records: dict) -> dict[str, TensorInfo]:
    return {
        name: TensorInfo(record.name or "", record.dtype or 0, TensorShapeProto(_shape(record.tensor_shape or b"")))
        for name, record in records.items()
    }


def _shape(data: bytes) -> TensorShape:
    record = decoded("TensorShapeProto", data)
    if record.unknown_rank:
        return TensorShape(None)
    return TensorShape([None if (dim.size or 0) < 0 else dim.size or 0 for dim in record.dim])


@export("compat.v1.saved_model.build_tensor_info", "compat.v1.saved_model.utils.build_tensor_info")
def build_tensor_info(tensor) -> TensorInfo:
    """What a signature says of a tensor.

    Args:
      tensor: tensor of a graph.

    Raises:
      RuntimeError: ops run eagerly.
      NotImplementedError: it consists of several tensors.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.saved_model.build_tensor_info(tf.constant(1.0, name="x")))
      <TensorInfo 'x:0', float32>
    """
    if executing_eagerly():
        raise RuntimeError("`build_tensor_info` is not supported in eager execution.")
    if isinstance(tensor, CompositeTensor):
        raise NotImplementedError("build_tensor_info: tensors that consist of several are not supported.")
    element: Any = tensor._as_graph_element() if hasattr(tensor, "_as_graph_element") else tensor
    return TensorInfo(element.name, element.dtype.as_datatype_enum, TensorShapeProto(element.shape))


@export(
    "compat.v1.saved_model.get_tensor_from_tensor_info", "compat.v1.saved_model.utils.get_tensor_from_tensor_info"
)
def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The tensor of a graph that a TensorInfo names.

    Args:
      tensor_info: TensorInfo.
      graph: tf.Graph; None: the default one.
      import_scope: str, the name scope of the imported nodes, or None.

    Raises:
      KeyError: the graph has no such tensor.
    """
    graph = default_graph() if graph is None else graph
    name = f"{import_scope}/{tensor_info.name}" if import_scope else tensor_info.name
    return graph.get_tensor_by_name(name)


@export("compat.v1.saved_model.build_signature_def", "compat.v1.saved_model.signature_def_utils.build_signature_def")
def build_signature_def(inputs=None, outputs=None, method_name=None, defaults=None) -> SignatureDef:
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
    return SignatureDef(dict(inputs or {}), dict(outputs or {}), method_name or "")


@export(
    "compat.v1.saved_model.predict_signature_def", "compat.v1.saved_model.signature_def_utils.predict_signature_def"
)
def predict_signature_def(inputs, outputs) -> SignatureDef:
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


def _described(tensors: dict) -> dict[str, TensorInfo]:
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


@export(
    "compat.v1.saved_model.regression_signature_def", "compat.v1.saved_model.signature_def_utils.regression_signature_def"
)
def regression_signature_def(examples, predictions) -> SignatureDef:
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
def classification_signature_def(examples, classes, scores) -> SignatureDef:
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
