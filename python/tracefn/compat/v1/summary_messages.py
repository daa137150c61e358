"""`tf.compat.v1.SummaryMetadata`: which plugin of TensorBoard shows a summary."""

from __future__ import annotations

from tracefn._export import export
from tracefn.ops.summary.messages import fields, int_field, message_field, text_field


class _PluginData:
    """The plugin by its name, and what it is told.

    Attributes:
      plugin_name: str.
      content: bytes.
    """

    __slots__ = ("content", "plugin_name")

    def __init__(self, plugin_name="", content=b"") -> None:
        self.plugin_name = plugin_name
        self.content = content


class SummaryMetadata:
    """What TensorBoard is told about a summary; programs set its attributes. With tensorboard it is the class of the message.

    Args:
      plugin_data: SummaryMetadata.PluginData.
      display_name, summary_description: str.
      data_class: int: 0 unknown, 1 scalar, 2 tensor, 3 blob sequence.

    Example:
      >>> import tracefn as tf
      >>> metadata = tf.compat.v1.SummaryMetadata()
      >>> metadata.plugin_data.plugin_name = "scalars"
      >>> metadata.SerializeToString()
      b'\\n\\t\\n\\x07scalars'
    """

    PluginData = _PluginData
    __slots__ = ("data_class", "display_name", "plugin_data", "summary_description")

    def __init__(self, plugin_data=None, display_name="", summary_description="", data_class=0) -> None:
        self.plugin_data = _PluginData() if plugin_data is None else plugin_data
        self.display_name, self.summary_description = display_name, summary_description
        self.data_class = data_class

    def SerializeToString(self) -> bytes:
        """The serialized message."""
        plugin = [text_field(1, self.plugin_data.plugin_name), text_field(2, self.plugin_data.content)]
        parts = [message_field(1, *plugin)] if any(plugin) else []
        parts += [text_field(2, self.display_name), text_field(3, self.summary_description), int_field(4, self.data_class)]
        return b"".join(parts)

    @classmethod
    def FromString(cls, serialized: bytes) -> SummaryMetadata:
        """The message that was serialized.

        Raises:
          ValueError: the bytes are no message.
        """
        found = {number: value for number, value, _ in fields(serialized)}
        plugin = {number: value for number, value, _ in fields(found.get(1, b""))}
        return cls(
            _PluginData(plugin.get(1, b"").decode(), plugin.get(2, b"")),
            found.get(2, b"").decode(),
            found.get(3, b"").decode(),
            found.get(4, 0),
        )


@export("compat.v1.train.summary_iterator")
def summary_iterator(path):
    """The Events in a file that a writer of summaries has made, one by one.

    Args:
      path: str.

    Raises:
      ModuleNotFoundError: the package tensorboard, which has the class Event, is not installed.
      DataLossError: the file is damaged.
      NotFoundError: there is no such file.
    """
    # start-up time: few programs read them
    from tracefn.compat.v1.event_messages import message_class
    from tracefn.ops.records import tf_record_iterator

    event = message_class("Event")
    if event is None:
        raise ModuleNotFoundError("tf.compat.v1.train.summary_iterator needs tensorboard: pip install tensorboard")
    return map(event.FromString, tf_record_iterator(path))


@export("compat.v1.summary.get_summary_description")
def get_summary_description(node_def):
    """The message SummaryDescription in a node of old graphs.

    Args:
      node_def: NodeDef of type TensorSummary.

    Raises:
      ValueError: the node is of another type.
      ModuleNotFoundError: the package tensorboard, which has the class of the message, is not installed.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    # start-up time: few programs read them
    from tracefn.compat.v1.event_messages import message_class

    description = message_class("SummaryDescription")
    if description is None:
        raise ModuleNotFoundError("tf.compat.v1.summary.get_summary_description needs tensorboard: pip install tensorboard")
    # optional: protobuf
    from google.protobuf import json_format  # type: ignore[import-untyped, unused-ignore]

    return json_format.Parse(node_def.attr["description"].s.decode(), description())
