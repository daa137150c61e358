"""Lets this package stand in for TensorFlow in a process, so that libraries on top of TensorFlow run unchanged.

`install_as_tensorflow()` does it from within a program. `python -m tracefn.as_tensorflow script.py` and
`python -m tracefn.as_tensorflow -m module` run a program that knows nothing of it, and so does the environment variable
`TRACEFN_AS_TENSORFLOW=1` for every Python process that it reaches.
"""

from __future__ import annotations

import sys

from tracefn._old_names import refuse_all as refuse_old_names
from tracefn.as_tensorflow import class_modules, internal_modules
from tracefn.as_tensorflow.finder import Finder

__all__ = ["install_as_tensorflow", "is_installed"]


def is_installed() -> bool:
    """Whether `import tensorflow` gives this package."""
    return any(isinstance(finder, Finder) for finder in sys.meta_path)


def install_as_tensorflow() -> None:
    """Makes `import tensorflow`, in this process and from now on, give this package.

    Submodules such as `tensorflow.keras.layers` and those below `tensorflow.python` that libraries import are found too.
    The root has no names of TensorFlow 1 any more. A second call changes nothing.

    Raises:
      RuntimeError: TensorFlow itself is imported already.

    Example:
      >>> import tracefn
      >>> tracefn.install_as_tensorflow()
      >>> import tensorflow as tf
      >>> tf is tracefn
      True
    """
    if is_installed():
        return
    imported = sys.modules.get("tensorflow")
    if imported is not None:
        raise RuntimeError(
            "TensorFlow is imported already, and this package cannot take its place any more. Call "
            "tracefn.install_as_tensorflow() before the first `import tensorflow`. "
            f"TensorFlow came from {getattr(imported, '__file__', None)}."
        )
    sys.meta_path.insert(0, Finder())
    internal_modules.complete_files()
    refuse_old_names()
    class_modules.rename()
