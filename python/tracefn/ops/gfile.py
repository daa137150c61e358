"""`tf.io.gfile`: files and directories of the local file system, with TensorFlow's errors."""

from __future__ import annotations

import errno
import os
import posixpath
import shutil
import stat as _status
from typing import NamedTuple

from tracefn import _core
from tracefn._export import export
from tracefn.errors import (
    AlreadyExistsError,
    NotFoundError,
    OpError,
)


def text_bytes(value) -> bytes:
    """A str, bytes or path as bytes.

    Raises:
      TypeError: it is something else.
    """
    value = value.__fspath__() if hasattr(value, "__fspath__") else value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError(f"Expected binary or unicode string, got {value!r}")


def local(path) -> bytes:
    """A path as the system takes it.

    Raises:
      UnimplementedError: it has another scheme than "file".
    """
    return _core.local_path(text_bytes(path))


def reporting(path, function, *args, **options):
    """Calls a function of the system; its OSErrors are raised as classes of tf.errors that name the path."""
    try:
        return function(*args, **options)
    except OSError as error:
        number = error.errno or 0
    return _core.fail_with_errno(text_bytes(path), number)


class FileStatistics(NamedTuple):
    """What `tf.io.gfile.stat` knows of a path: `length` in bytes, `mtime_nsec`, when it was changed, and `is_directory`."""

    length: int
    mtime_nsec: int
    is_directory: bool


@export("io.gfile.stat")
def stat(path):
    """The size of a file, when it was changed, and whether it is a directory.

    Raises:
      NotFoundError: there is no such path.

    Example:
      >>> import tracefn as tf
      >>> tf.io.gfile.stat("/").is_directory
      True
    """
    found = reporting(path, os.stat, local(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, _status.S_ISDIR(found.st_mode))


@export("io.gfile.exists")
def exists(path):
    """Whether there is a file or directory.

    Example:
      >>> import tracefn as tf
      >>> tf.io.gfile.exists("/")
      True
    """
    return os.path.exists(local(path))


@export("io.gfile.isdir")
def isdir(path):
    """Whether a path is a directory.

    Example:
      >>> import tracefn as tf
      >>> tf.io.gfile.isdir("/")
      True
    """
    try:
        return os.path.isdir(local(path))
    except OpError:  # of a path that cannot exist here
        return False


@export("io.gfile.remove")
def remove(path):
    """Deletes a file.

    Raises:
      NotFoundError: there is no such file.
      FailedPreconditionError: it is a directory.
    """
    reporting(path, os.unlink, local(path))


@export("io.gfile.rmtree")
def rmtree(path):
    """Deletes a directory and all that is in it, or a file.

    Raises:
      NotFoundError: there is no such path.
    """
    target = local(path)
    if not os.path.lexists(target):
        raise NotFoundError(None, None, f"{os.fsdecode(text_bytes(path))} not found")
    is_tree = os.path.isdir(target) and not os.path.islink(target)
    reporting(path, shutil.rmtree if is_tree else os.unlink, target)


@export("io.gfile.mkdir")
def mkdir(path):
    """Makes a directory, unless there is one. Those above it must exist.

    Raises:
      NotFoundError: a directory above it does not exist.
    """
    target = local(path)
    if target and not os.path.exists(target):
        reporting(path, os.mkdir, target)


@export("io.gfile.makedirs")
def makedirs(path):
    """Makes a directory and those above it that are missing.

    Raises:
      FailedPreconditionError: a part of the path is a file.
    """
    _core.make_local_directories(text_bytes(path))


def _check_free(path, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise AlreadyExistsError(None, None, "file already exists")


@export("io.gfile.copy")
def copy(src, dst, overwrite=False):
    """Copies a file.

    Args:
      src, dst: paths of files.
      overwrite: whether `dst` may exist.

    Raises:
      NotFoundError: there is no file `src`, or no directory for `dst`.
      AlreadyExistsError: `dst` exists.
    """
    source, target = local(src), local(dst)
    _check_free(dst, overwrite)
    found = reporting(src, os.stat, source)
    if _status.S_ISDIR(found.st_mode):
        _core.fail_with_errno(text_bytes(dst), errno.EINVAL)
    if os.path.exists(target) and os.path.samefile(source, target):
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    with (
        reporting(src, open, source, "rb") as reader,
        open(reporting(dst, os.open, target, flags, found.st_mode & 0o777), "wb") as writer,
    ):
        reporting(dst, shutil.copyfileobj, reader, writer)


@export("io.gfile.rename")
def rename(src, dst, overwrite=False):
    """Renames a file or directory.

    Args:
      src, dst: paths.
      overwrite: whether `dst` may exist; it is replaced.

    Raises:
      NotFoundError: there is no `src`.
      AlreadyExistsError: `dst` exists.
    """
    _check_free(dst, overwrite)
    reporting(src, os.rename, local(src), local(dst))


@export("io.gfile.listdir")
def listdir(path):
    """The names in a directory, in no order, as str.

    Raises:
      NotFoundError: there is no such directory.
    """
    if not isdir(path):
        raise NotFoundError(None, None, f"Could not find directory {path}")
    return [os.fsdecode(name) for name in reporting(path, os.listdir, local(path))]


@export("io.gfile.glob")
def glob(pattern):
    """The paths that match a pattern.

    Args:
      pattern: str, or an iterable of them. In each part of a path `*`, `?` and `[abc]` match, and `[^a]` what is not `a`.

    Returns:
      List of str.

    Example:
      >>> import tracefn as tf
      >>> tf.io.gfile.glob("/nowhere/*")
      []
    """
    patterns = [pattern] if isinstance(pattern, str) else pattern
    return [os.fsdecode(path) for one in patterns for path in _core.matching_local_files(text_bytes(one))]


@export("io.gfile.join")
def join(path, *paths):
    """Paths joined by slashes; a path that starts with one drops those before it.

    Example:
      >>> import tracefn as tf
      >>> tf.io.gfile.join("folder", "file.txt"), tf.io.gfile.join("gs://bucket", "file.txt")
      ('folder/file.txt', 'gs://bucket/file.txt')
    """
    if b"://" in text_bytes(path)[1:]:
        return posixpath.join(path, *paths)
    return os.path.join(path, *paths)


@export("io.gfile.get_registered_schemes")
def get_registered_schemes():
    """The schemes of paths that are known: "" for a plain path, and "file".

    Example:
      >>> import tracefn as tf
      >>> tf.io.gfile.get_registered_schemes()
      ['', 'file']
    """
    return ["", "file"]


@export("io.gfile.walk")
def walk(top, topdown=True, onerror=None):
    """Walks through a directory and those below it.

    Args:
      top: path of a directory.
      topdown: whether a directory comes before those in it, or after them.
      onerror: called with the error where a directory does not exist.

    Yields:
      (path, names of directories in it, names of other files in it).
    """
    top = os.fsdecode(text_bytes(top))
    try:
        names = listdir(top)
    except NotFoundError as error:
        if onerror:
            onerror(error)
        return
    directories = [name for name in names if isdir(join(top, name))]
    here = top, directories, [name for name in names if name not in set(directories)]
    if topdown:
        yield here
    for name in directories:
        yield from walk(join(top, name), topdown, onerror)
    if not topdown:
        yield here


__all__ = ["local", "reporting", "text_bytes"]
