"""`tensorflow.python.saved_model.save_context`: whether a model is being saved, for functions that are traced meanwhile."""

from __future__ import annotations

from tracefn._saved_model.context import get_save_options, in_save_context, save_context

__all__ = ["get_save_options", "in_save_context", "save_context"]
