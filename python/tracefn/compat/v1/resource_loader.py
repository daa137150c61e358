"""`tf.compat.v1.resource_loader`: files beside the file that asks for them."""

from __future__ import annotations

import os
import sys

__all__ = [
    "get_data_files_path",
    "get_path_to_datafile",
    "get_root_dir_with_all_resources",
    "load_resource",
    "readahead_file_path",
]


def _folder_of_caller(depth: int) -> str:
    return os.path.dirname(os.path.abspath(sys._getframe(depth + 1).f_code.co_filename))


def get_data_files_path() -> str:
    """The folder of the file that calls this.

    Example:
      >>> import tracefn as tf
      >>> isinstance(tf.compat.v1.resource_loader.get_data_files_path(), str)
      True
    """
    return _folder_of_caller(1)


def get_root_dir_with_all_resources() -> str:
    """The folder of the file that calls this."""
    return _folder_of_caller(1)


def get_path_to_datafile(path) -> str:
    """The path of a file given by its path from the folder of the file that calls this.

    Args:
      path: str.
    """
    return os.path.join(_folder_of_caller(1), path)


def load_resource(path) -> bytes:
    """The contents of a file.

    Args:
      path: str, a path from the package's folder.

    Raises:
      OSError: it cannot be read.
    """
    with open(os.path.join(os.path.dirname(os.path.abspath(sys.modules["tracefn"].__file__ or "")), path), "rb") as file:
        return file.read()


def readahead_file_path(path, readahead="128M") -> str:
    """The path: files are read as they are.

    Args:
      path: str.
      readahead: accepted, without effect.
    """
    del readahead
    return path
