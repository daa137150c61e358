"""`python -m tracefn.as_tensorflow script.py [args]` and `-m module [args]`: runs a program whose TensorFlow is this package."""

from __future__ import annotations

import os
import runpy
import sys

from tracefn.as_tensorflow import install_as_tensorflow

# Read by tracefn_as_tensorflow.pth when a Python process starts.
_VARIABLE = "TRACEFN_AS_TENSORFLOW"
_USAGE = "usage: python -m tracefn.as_tensorflow (script.py | -m module | -c code) [argument ...]"


def main(arguments: list[str]) -> None:
    """Runs the program that the arguments name, as `python` would."""
    if not arguments or arguments[0] in ("-h", "--help") or (arguments[0] in ("-m", "-c") and len(arguments) < 2):
        print(_USAGE, file=sys.stderr if not arguments else sys.stdout)
        sys.exit(0 if arguments[:1] in (["-h"], ["--help"]) else 2)
    install_as_tensorflow()
    os.environ[_VARIABLE] = "1"  # for the processes that the program starts
    kind, program = arguments[0], arguments[0]
    if kind in ("-m", "-c"):
        program = arguments[1]
        sys.argv = [kind, *arguments[2:]]
        sys.path[0] = "" if kind == "-c" else os.getcwd()
        if kind == "-c":
            exec(compile(program, "<string>", "exec"), sys.modules["__main__"].__dict__)
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        return
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
