"""Makes tests/support importable from the AutoGraph tests."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
