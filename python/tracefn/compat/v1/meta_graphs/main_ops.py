"""What runs when a saved model of a session is loaded."""

from __future__ import annotations

from tracefn._export import export
from tracefn.compat.v1.graphs import global_variables_initializer, local_variables_initializer, tables_initializer
from tracefn.framework import control_dependencies
from tracefn.ops.control_flow import group

for _namespace in ("compat.v1.saved_model", "compat.v1.saved_model.constants"):
    export(f"{_namespace}.LEGACY_INIT_OP_KEY")("legacy_init_op")
    export(f"{_namespace}.MAIN_OP_KEY")("saved_model_main_op")


@export("compat.v1.saved_model.main_op.main_op")
def main_op():
    """An Operation that initializes the Variables, the local ones and the tables of the default graph.

    Example:
      >>> import tracefn as tf
      >>> with tf.Graph().as_default():
      ...     print(tf.compat.v1.saved_model.main_op.main_op().type)
      NoOp
    """
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


@export("compat.v1.saved_model.main_op_with_restore", "compat.v1.saved_model.main_op.main_op_with_restore")
def main_op_with_restore(restore_op_name):
    """An Operation that restores Variables, after all Variables and tables are initialized.

    Args:
      restore_op_name: the Operation or tensor that restores.
    """
    with control_dependencies([main_op()]):
        return group(restore_op_name)
