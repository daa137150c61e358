"""`tensorflow.python.saved_model.constants`: the names of files and folders of saved models, and keys of their graphs."""

from __future__ import annotations

from tracefn.saved_model import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    DEBUG_DIRECTORY,
    DEBUG_INFO_FILENAME_PB,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    SAVED_MODEL_SCHEMA_VERSION,
    VARIABLES_DIRECTORY,
    VARIABLES_FILENAME,
)

__all__ = [
    "ASSETS_DIRECTORY",
    "ASSETS_KEY",
    "DEBUG_DIRECTORY",
    "DEBUG_INFO_FILENAME_PB",
    "EXTRA_ASSETS_DIRECTORY",
    "INIT_OP_SIGNATURE_KEY",
    "LEGACY_INIT_OP_KEY",
    "MAIN_OP_KEY",
    "SAVED_MODEL_FILENAME_CPB",
    "SAVED_MODEL_FILENAME_PB",
    "SAVED_MODEL_FILENAME_PBTXT",
    "SAVED_MODEL_FILENAME_PREFIX",
    "SAVED_MODEL_SCHEMA_VERSION",
    "TRAIN_OP_KEY",
    "TRAIN_OP_SIGNATURE_KEY",
    "VARIABLES_DIRECTORY",
    "VARIABLES_FILENAME",
]

EXTRA_ASSETS_DIRECTORY = "assets.extra"
INIT_OP_SIGNATURE_KEY = "__saved_model_init_op"
LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"
SAVED_MODEL_FILENAME_CPB = "saved_model.cpb"
SAVED_MODEL_FILENAME_PREFIX = "saved_model"
TRAIN_OP_KEY = "saved_model_train_op"
TRAIN_OP_SIGNATURE_KEY = "__saved_model_train_op"
