"""`tf.compat.v1.train`: the names for checkpoints."""

from tracefn._checkpoint import files, reader, saver, state_file  # noqa: F401 - they register their names
from tracefn._checkpoint.checkpoint import CheckpointV1
from tracefn._export import export

Checkpoint = export("compat.v1.train.Checkpoint")(CheckpointV1)
