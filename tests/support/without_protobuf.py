"""A plugin for pytest, `-p support.without_protobuf`: the package tensorboard, and with it protobuf's classes, cannot be imported."""

import sys

sys.modules["tensorboard"] = None  # type: ignore[assignment]
