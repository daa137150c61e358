"""Hypothesis in this folder has no deadline: on a loaded machine one example may take long."""

from hypothesis import settings

settings.register_profile("without a deadline", deadline=None)
settings.load_profile("without a deadline")
