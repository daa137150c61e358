"""Records saved models that TensorFlow writes, or that this package writes, as tests/support/saved_models.

Run with the oracle's interpreter (TensorFlow 2.21), then with this package's, from anywhere:

    PYTHONPATH=tests python tests/oracle/record_saved_models.py tensorflow
    PYTHONPATH=python:tests python tests/oracle/record_saved_models.py tracefn

tests/conformance/test_saved_models_in_files.py reads both with both.
"""

from __future__ import annotations

import importlib
import shutil
import sys

from support import saved_model_programs as programs


def main() -> None:
    name = sys.argv[1]
    folder = programs.FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    programs.write(importlib.import_module(name), folder)


if __name__ == "__main__":
    main()
