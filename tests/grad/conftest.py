"""Makes `support`, which the test folders share, and `grad` importable."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
