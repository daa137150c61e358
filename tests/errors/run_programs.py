"""Runs programs as scripts, each in a process forked from this one, and prints what each wrote to stderr, as JSON.

`python run_programs.py PACKAGE` reads a JSON list of paths from stdin. PACKAGE is imported once, before the forks.
"""

import importlib
import json
import os
import sys
import tempfile
import types


def run(path: str) -> None:
    """Does in this process what `python PATH` does, the exit status apart."""
    sys.argv = [path]
    sys.path[0] = os.path.dirname(path)
    os.chdir(sys.path[0])  # a program may write files
    main = types.ModuleType("__main__")
    main.__file__ = path
    sys.modules["__main__"] = main
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    try:
        exec(code, main.__dict__)
    except BaseException as error:
        error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)


def stderr_of(path: str) -> str:
    """What a process of its own writes to stderr when it runs a program."""
    with tempfile.TemporaryFile() as output:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            run(path)
            sys.stderr.flush()
            os._exit(0)
        os.waitpid(child, 0)
        output.seek(0)
        return output.read().decode()


def main() -> None:
    importlib.import_module(sys.argv[1])
    print(json.dumps({path: stderr_of(path) for path in json.load(sys.stdin)}))


if __name__ == "__main__":
    main()
