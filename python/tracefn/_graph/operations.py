"""Methods of Operations, and methods of tensors that need a session in TensorFlow 1."""

from __future__ import annotations

from tracefn import _node_attributes
from tracefn._core import Operation
from tracefn._default_session import session_for
from tracefn._device import device_text

_FOLLOWERS = "_followers_of_nodes"
OVERLOADABLE_OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        "abs add and div eq floordiv ge getitem gt invert le lt matmul mod mul ne neg or pow radd rand rdiv rfloordiv "
        "rmatmul rmod rmul ror rpow rsub rtruediv rxor sub truediv xor"
    ).split()
)


def eager_eval(self, feed_dict=None, session=None):
    """Not supported: `numpy()` returns the value of an eager tensor.

    Raises:
      NotImplementedError: always.
    """
    raise NotImplementedError(
        "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
    )


def symbolic_eval(self, feed_dict=None, session=None):
    """The tensor's value in a session of tf.compat.v1, the default one by default.

    Raises:
      ValueError: there is no session, or it has another graph.
    """
    return session_for(session, "Cannot evaluate tensor using `eval()`", self.graph).run(self, feed_dict)


def mark_used(self: Operation) -> None:
    """Does nothing: it tells TensorFlow that a program drops an assertion on purpose."""


def control_flow_post_processing(self: Operation, input_tensors=None) -> None:
    """Does nothing: an operation is in its control flow contexts as soon as it is made."""


def set_device(self: Operation, device) -> None:
    """Says on which device it runs, by a str or a `tf.DeviceSpec`; the CPU is the only one there is."""
    self._set_device_from_string(device_text(device))


def run(self: Operation, feed_dict=None, session=None) -> None:
    """Runs the operation in a session of tf.compat.v1, the default one by default.

    Raises:
      ValueError: there is no session, or it has another graph.
    """
    session_for(session, "Cannot execute operation using `run()`", self.graph).run(self, feed_dict)


def node_def(self: Operation):
    """The node of the operation in the graph's GraphDef."""
    from tracefn._graph.added_attributes import add_to  # start-up time: few programs ask for messages
    from tracefn._graph_def import node_def_of  # start-up time: as above

    made = node_def_of(self)
    add_to(made, _node_attributes.added_to(self.graph, self._id))
    return made


def text(self: Operation) -> str:
    """`str(operation)`: the text of its node."""
    return str(node_def(self))


def op_def(self: Operation):
    """The declaration of the op."""
    from tracefn._graph_def import op_def_of  # start-up time: few programs ask for messages

    return op_def_of(self.type)


def colocation_groups(self: Operation) -> list[bytes]:
    """The colocation groups of the operation: its attribute "_class", or just its own."""
    return _node_attributes.groups_of(self.graph, self._id) or [b"loc:@" + self.name.encode()]


def traceback(self: Operation) -> list:
    """The frames in which the operation was made, the outermost first, as `traceback.FrameSummary` objects."""
    from traceback import FrameSummary  # start-up time: few programs ask for it

    return [
        FrameSummary(file, line, name, lookup_line=False, line=text) for file, line, name, text in self._frames
    ]


def control_outputs(self: Operation) -> list[Operation]:
    """The Operations of the graph that run only after this one, by control dependencies."""
    graph = self.graph
    return [graph.operation(id) for id in list(_followers(graph).get(self._id, ()))]


def _followers(graph) -> dict[int, dict[int, None]]:
    """The nodes that run only after a node, in their order, by node. Unless control inputs were changed, only nodes that
    are new since the last call are looked at: programs that walk a graph ask every node.
    """
    edits, first, known = graph.__dict__.get(_FOLLOWERS, (-1, 0, {}))
    if edits != graph.edits:
        edits, first, known = graph.edits, 0, {}
    last = len(graph)
    for id in range(first, last):
        for before in graph.operation(id).control_inputs:
            known.setdefault(before._id, {})[id] = None
    graph.__dict__[_FOLLOWERS] = edits, last, known
    return known
