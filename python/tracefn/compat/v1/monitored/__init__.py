"""Monitored sessions of `tf.compat.v1.train`: they initialize themselves, call hooks around each run, and recover."""

from tracefn.compat.v1.monitored import (  # noqa: F401 - they register their names
    creators,
    hooks_for_files,
    hooks_for_runs,
    managers,
    profiles,
    scaffolds,
    sessions,
    supervisors,
    training,
)
