"""`fingerprint.pb`: hashes by which a saved model is known again, and `tf.saved_model.experimental.Fingerprint`."""

from __future__ import annotations

import os

from tracefn import _core
from tracefn._paths import text_of_path
from tracefn._proto import message_class
from tracefn._saved_model.messages import Record, decoded, encoded
from tracefn._wire import DecodeError

_VERSION = 1
_FIELDS = (
    "saved_model_checksum",
    "graph_def_program_hash",
    "signature_def_hash",
    "saved_object_graph_hash",
    "checkpoint_hash",
)


def _hash(data: bytes) -> int:
    """FarmHash Fingerprint64."""
    with _core.TargetContext(None):  # a tf.Graph may be the default one
        found = _core.raw_op("Fingerprint")(data=[data], method="farmhash64")
    return int.from_bytes(found.numpy().tobytes(), "little")


def fingerprint_of(message: Record, data: bytes, directory: str) -> Record:
    """The fingerprint of a model about to be saved.

    Args:
      message: SavedModel.
      data: its bytes.
      directory: where its checkpoint is.
    """
    graph = message.meta_graphs[0]
    signatures = b"".join(key.encode() + encoded(value) for key, value in sorted(graph.signature_def.items()))
    index = os.path.join(directory, "variables", "variables.index")
    checkpoint = b""
    if os.path.exists(index):
        with open(index, "rb") as file:
            checkpoint = file.read()
    return Record(
        "FingerprintDef",
        saved_model_checksum=_hash(data),
        graph_def_program_hash=_hash(graph.graph_def),
        signature_def_hash=_hash(signatures),
        saved_object_graph_hash=_hash(encoded(graph.object_graph_def)),
        checkpoint_hash=_hash(checkpoint),
        version=Record("VersionDef", producer=_VERSION),
    )


class Fingerprint:
    """The hashes of a saved model.

    Attributes:
      saved_model_checksum, graph_def_program_hash, signature_def_hash, saved_object_graph_hash, checkpoint_hash: int.
      version: VersionDef, of the form of the hashes.
    """

    def __init__(
        self,
        saved_model_checksum=None,
        graph_def_program_hash=None,
        signature_def_hash=None,
        saved_object_graph_hash=None,
        checkpoint_hash=None,
        version=None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto):
        """The fingerprint that a message FingerprintDef describes.

        Raises:
          ValueError: it is no such message.
        """
        try:
            return cls(**{name: getattr(proto, name) for name in _FIELDS}, version=proto.version)
        except AttributeError as error:
            raise ValueError(f"Given proto could not be deserialized as fingerprint.{error}") from None

    def __eq__(self, other):
        if isinstance(other, Fingerprint):
            return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)
        return NotImplemented

    def __hash__(self):
        return hash(tuple(getattr(self, name) for name in _FIELDS))

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in _FIELDS]
        return "\n".join(["SavedModel Fingerprint", *lines, ""])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(str(getattr(self, name)) for name in _FIELDS)})"

    def singleprint(self) -> str:
        """One text made of the hashes that depend on the program and its values.

        Raises:
          ValueError: one of them is missing.
        """
        parts = [getattr(self, name) for name in _FIELDS[1:]]
        if any(part is None for part in parts):
            raise ValueError("Encountered invalid fingerprint values when constructing singleprint.")
        return "/".join(map(str, parts))


def read_fingerprint(export_dir) -> Fingerprint:
    """The fingerprint of a saved model.

    Args:
      export_dir: str or path, its directory.

    Raises:
      FileNotFoundError: there is none.
      RuntimeError: it cannot be read.
    """
    path = os.path.join(text_of_path(export_dir), "fingerprint.pb")
    try:
        with open(path, "rb") as file:
            message = decoded("FingerprintDef", file.read())
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {export_dir}\nNOT_FOUND: {path} not found"
        ) from None
    except DecodeError as error:
        raise RuntimeError(
            f"SavedModel Fingerprint Error: Could not read fingerprint from fingerprint.pb file in directory: {export_dir}\n"
            f"OUT_OF_RANGE: {error}"
        ) from None
    values = {name: (getattr(message, name) or 0) & ((1 << 64) - 1) for name in _FIELDS}
    producer = 0 if message.version is None else message.version.producer or 0
    return Fingerprint(**values, version=message_class("VersionDef")(producer=producer))
