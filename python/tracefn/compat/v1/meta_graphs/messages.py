"""The message MetaGraphDef: a graph with its Saver, collections and signatures."""

from __future__ import annotations

from tracefn._checkpoint.saver_def import SaverDef
from tracefn._graph_def import GraphDef
from tracefn._messages import Printed, block, entry_lines, text_lines
from tracefn._saved_model.messages import Record, decoded, encoded
from tracefn._wire import DecodeError, float_text, quoted, quoted_text
from tracefn.compat.v1.meta_graphs.signatures import signature_of

_KINDS = ("node_list", "bytes_list", "int64_list", "float_list")


def _value_text(value) -> str:
    if isinstance(value, float):
        return float_text(value)
    return str(value) if isinstance(value, int) else quoted_text(value) if isinstance(value, str) else quoted(value)


class _Values(Printed):
    """A list in a CollectionDef: `value`, a list."""

    def __init__(self, values: list) -> None:
        self.value = values

    def _lines(self) -> list[str]:
        return [f"value: {_value_text(value)}" for value in self.value]


class CollectionDef(Printed):
    """A collection: one of `node_list`, `bytes_list`, `int64_list` and `float_list`, whose `value` is a list."""

    def __init__(self, record: Record) -> None:
        self._kind = next((kind for kind in _KINDS if getattr(record, kind) is not None), None)
        for kind in _KINDS:
            found = getattr(record, kind)
            setattr(self, kind, _Values(list(found.value) if found is not None else []))

    def WhichOneof(self, name: str) -> str | None:
        """The list that is set, for "kind".

        Raises:
          ValueError: `name` is something else.
        """
        if name != "kind":
            raise ValueError(f'Protocol message CollectionDef has no oneof "{name}" field.')
        return self._kind

    def _lines(self) -> list[str]:
        return block(self._kind, getattr(self, self._kind)._lines()) if self._kind else []


class MetaInfoDef(Printed):
    """What a MetaGraphDef says of itself.

    Attributes:
      tags: list of str.
      tensorflow_version, tensorflow_git_version: str.
      stripped_default_attrs: bool.
    """

    def __init__(self, record: Record) -> None:
        self.tags = list(record.tags)
        self.tensorflow_version = record.tensorflow_version or ""
        self.tensorflow_git_version = record.tensorflow_git_version or ""
        self.stripped_default_attrs = bool(record.stripped_default_attrs)

    def _lines(self) -> list[str]:
        lines = [line for tag in self.tags for line in text_lines("tags", tag)]
        for name in ("tensorflow_version", "tensorflow_git_version"):
            lines += text_lines(name, getattr(self, name))
        return lines + ["stripped_default_attrs: true"] * self.stripped_default_attrs


class MetaGraphDef(Printed):
    """A graph with its Saver, collections and signatures. Its contents are read-only.

    Attributes:
      meta_info_def: MetaInfoDef.
      graph_def: `tf.compat.v1.GraphDef`.
      saver_def: SaverDef, whose names are empty if there is none.
      collection_def: dict from the names of collections to CollectionDefs.
      signature_def: dict from names to SignatureDefs.
      asset_file_def: list of the files that belong to it, with `filename` and `tensor_info.name`.
    """

    def __init__(self, record: Record | None = None, graph_def: GraphDef | None = None) -> None:
        self._record, self._graph_def = record or Record("MetaGraphDef"), graph_def

    @classmethod
    def FromString(cls, serialized: bytes) -> MetaGraphDef:
        """The message in bytes.

        Raises:
          ValueError: they are no MetaGraphDef.
        """
        try:
            return cls(decoded("MetaGraphDef", serialized))
        except DecodeError as error:
            raise ValueError(f"Error parsing message with type 'tensorflow.MetaGraphDef': {error}") from None

    def SerializeToString(self) -> bytes:
        """The serialized message."""
        return encoded(self._record)

    @property
    def meta_info_def(self) -> MetaInfoDef:
        return MetaInfoDef(self._record.meta_info_def or Record("MetaInfoDef"))

    @property
    def graph_def(self) -> GraphDef:
        if self._graph_def is None:
            self._graph_def = GraphDef.FromString(self._record.graph_def or b"")
        return self._graph_def

    @property
    def saver_def(self) -> SaverDef:
        found = self._record.saver_def or Record("SaverDef")
        names = (found.filename_tensor_name or "", found.save_tensor_name or "", found.restore_op_name or "")
        made = SaverDef(*names, found.max_to_keep or 0, found.keep_checkpoint_every_n_hours or 0.0)
        made.sharded, made.version = bool(found.sharded), found.version or 0
        return made

    @property
    def collection_def(self) -> dict[str, CollectionDef]:
        return {name: CollectionDef(record) for name, record in self._record.collection_def.items()}

    @property
    def signature_def(self) -> dict:
        return {name: signature_of(record) for name, record in self._record.signature_def.items()}

    @property
    def asset_file_def(self) -> list:
        return list(self._record.asset_file_def)

    def HasField(self, name: str) -> bool:
        """Whether a message in it is set.

        Raises:
          ValueError: there is no such message, or it is a list.
        """
        if name not in ("meta_info_def", "graph_def", "saver_def", "object_graph_def"):
            raise ValueError(f'Protocol message MetaGraphDef has no singular "{name}" field.')
        return getattr(self._record, name) is not None

    def __eq__(self, other) -> bool:
        return type(other) is type(self) and other.SerializeToString() == self.SerializeToString()

    __hash__ = None  # type: ignore[assignment]

    def _lines(self) -> list[str]:
        lines = block("meta_info_def", self.meta_info_def._lines()) if self.HasField("meta_info_def") else []
        if self.HasField("graph_def"):
            lines += block("graph_def", str(self.graph_def).splitlines())
        if self.HasField("saver_def"):
            lines += block("saver_def", self.saver_def._lines())
        for field, messages in (("collection_def", self.collection_def), ("signature_def", self.signature_def)):
            for name, message in messages.items():
                lines += entry_lines(field, name, message)
        return lines
