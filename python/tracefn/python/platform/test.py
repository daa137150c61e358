"""`tensorflow.python.platform.test`: the module of mock objects."""

from unittest import mock

__all__ = ["mock"]
