"""`tf.compat.v1.app`: runs a program's `main`."""

from __future__ import annotations

import importlib
import sys

import tracefn.compat.v1.flags as flags
from tracefn.compat.v1.flags import absl_flags

__all__ = ["flags", "run"]


def run(main=None, argv=None):
    """Parses the flags of the command line, runs `main` with what is left, and ends the program with its result.

    Args:
      main: function of a list of str; that of the module `__main__` by default.
      argv: list of str, the command line; that of the program by default.

    Raises:
      ModuleNotFoundError: the package absl-py is not installed.
    """
    absl_flags()
    main = main or sys.modules["__main__"].main

    def parse(arguments):
        try:
            return absl_flags().FLAGS(arguments, known_only=True)
        except absl_flags().Error as error:
            sys.stderr.write(f"FATAL Flags parsing error: {error}\nPass --helpshort or --helpfull to see help on flags.\n")
            sys.exit(1)

    app = importlib.import_module("absl.app")  # optional: a package of its own
    app.run(main=main, argv=argv, flags_parser=parse)
