"""`tensorflow.python.ops.control_flow_ops`: what has no public name."""

__all__ = ["get_enclosing_xla_context"]


def get_enclosing_xla_context() -> None:
    """The compilation by XLA around the current line: none."""
