"""Graphs in files, as programs of TensorFlow 1 store them: MetaGraphDefs beside checkpoints, and saved models of sessions."""

from tracefn.compat.v1.meta_graphs import (  # noqa: F401 - they register their names
    exporting,
    importing,
    main_ops,
    method_names,
    saved_models,
    signatures,
)
