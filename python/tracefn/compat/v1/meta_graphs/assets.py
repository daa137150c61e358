"""The files that belong to a graph in a saved model of a session: those whose paths are constants in it."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._saved_model.assets import DIRECTORY, asset_name
from tracefn._saved_model.messages import Record, decoded, encoded

# Models of sessions list their files in this collection, those of objects in a field.
COLLECTION = "saved_model_assets"
_TYPE = "type.googleapis.com/tensorflow.AssetFileDef"


def asset_collection(tensors, names: dict[str, str]) -> Record:
    """The collection that lists files.

    Args:
      tensors: list of tensors, their paths; or None.
      names: the paths by the names in the model, to which those of these files are added.

    Raises:
      TypeError: one of the tensors is no constant string.
      ValueError: a path is empty.
    """
    found = []
    for tensor in tensors or ():
        path = os.fsdecode(_constant(tensor))
        if not path:
            raise ValueError(f"Asset filepath tensor {tensor} in is invalid.")
        info = Record("TensorInfo", name=tensor.name)
        asset = Record("AssetFileDef", filename=asset_name(path, names), tensor_info=info)
        found.append(Record("Any", type_url=_TYPE, value=encoded(asset)))
    return Record("CollectionDef", any_list=Record("AnyList", value=found))


def asset_paths(meta: Record, export_dir) -> dict[str, str]:
    """The paths of a model's files by the names of the tensors that are fed with them."""
    listed = meta.asset_file_def
    if not listed and COLLECTION in meta.collection_def and meta.collection_def[COLLECTION].any_list is not None:
        listed = [decoded("AssetFileDef", one.value or b"") for one in meta.collection_def[COLLECTION].any_list.value]
    directory = os.path.join(os.fspath(export_dir), DIRECTORY)
    return {asset.tensor_info.name: os.path.join(directory, asset.filename) for asset in listed}


def _constant(tensor) -> bytes:
    """The value of a constant string."""
    if not isinstance(tensor, _core.Tensor):
        raise TypeError(f"Asset path tensor {tensor} must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError(f"Asset path tensor {tensor} must be of type constant.Has type {tensor.op.type} instead.")
    if tensor.dtype != "string":
        raise TypeError(f"Asset path tensor {tensor}` must be of dtype string.Has type {tensor.dtype} instead.")
    values = tensor.op.get_attr("value").string_val
    if len(values) != 1:
        raise TypeError(f"Asset path tensor {tensor} must be a scalar.")
    return values[0]
