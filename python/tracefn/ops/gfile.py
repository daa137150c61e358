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
    InvalidArgumentError,
    NotFoundError,
    OpError,
    OutOfRangeError,
    PermissionDeniedError,
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


class _File:
    """What `GFile` and `FastGFile` do."""

    def __init__(self, name, mode="r"):
        self._name, self._mode = name, mode
        self._reader = self._writer = None
        self._binary = "b" in mode
        plain = mode.replace("b", "")
        if plain not in ("r", "w", "a", "r+", "w+", "a+"):
            raise InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._may_read = plain in ("r", "r+", "w+", "a+")
        self._may_write = plain != "r"

    @property
    def name(self):
        """The path, as it was given."""
        return self._name

    @property
    def mode(self):
        """The mode, as it was given."""
        return self._mode

    def _reading(self):
        if self._reader is None:
            if not self._may_read:
                raise PermissionDeniedError(None, None, "File isn't open for reading")
            self._reader = reporting(self._name, open, local(self._name), "rb")
        return self._reader

    def _writing(self):
        if self._writer is None:
            if not self._may_write:
                raise PermissionDeniedError(None, None, "File isn't open for writing")
            self._writer = reporting(self._name, open, local(self._name), "ab" if "a" in self._mode else "wb")
        return self._writer

    def _result(self, data: bytes):
        return data if self._binary else data.decode()

    def size(self):
        """The size of the file in bytes; what is not flushed yet does not count."""
        return stat(self._name).length

    def write(self, file_content):
        """Appends str or bytes to what was written before."""
        writer = self._writing()
        reporting(self._name, writer.write, text_bytes(file_content))

    def read(self, n=-1):
        """The next `n` bytes, or all that follow: bytes in a binary mode, else str.

        Raises:
          InvalidArgumentError: `n` is below -1.
        """
        reader = self._reading()
        if n < -1:
            raise InvalidArgumentError(None, None, f"Can't read a negative number of bytes: {n}")
        # No more than there is: a reader allocates what it is asked for.
        left = max(self.size() - reader.tell(), 0)
        return self._result(reporting(self._name, reader.read, left if n == -1 else min(n, left)))

    def seek(self, offset=None, whence=0, position=None):
        """Moves to a place in the file.

        Args:
          offset: bytes from the start (`whence` 0), from here (1), or from the end (2).
          position: the old name of `offset`.

        Raises:
          InvalidArgumentError: there is no such `whence`, or the place is before the start.
          OutOfRangeError: the place is after the end.
        """
        reader = self._reading()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        place = position if offset is None else offset
        if whence == 1:
            place += self.tell()
        elif whence == 2:
            place += self.size()
        elif whence != 0:
            raise InvalidArgumentError(None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        if place < 0:
            raise InvalidArgumentError(None, None, f"Seeking to a negative position: {place}")
        if place > self.size():
            raise OutOfRangeError(None, None, "reached end of file")
        reader.seek(place)

    def tell(self):
        """The place in the file, in bytes: of reading, or of writing if the file is only written."""
        return (self._reading() if self._may_read else self._writing()).tell()

    def readline(self):
        """The next line with its end; empty at the end of the file."""
        reader = self._reading()
        return self._result(reporting(self._name, reader.readline))

    def readlines(self):
        """All lines that follow."""
        return list(self)

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __del__(self):
        if hasattr(self, "_may_write"):  # the constructor did not fail
            self.close()

    def flush(self):
        """Hands what was written to the system."""
        if self._writer is not None:
            reporting(self._name, self._writer.flush)

    def close(self):
        """Closes the file. Whatever is done with it later opens it again."""
        reader, self._reader = self._reader, None
        writer, self._writer = self._writer, None
        if reader is not None:
            reader.close()
        if writer is not None:
            reporting(self._name, writer.close)

    def seekable(self):
        """True."""
        return True


@export("io.gfile.GFile", "compat.v1.gfile.GFile", "compat.v1.gfile.Open")
class GFile(_File):
    """A file, which is opened when it is first read or written.

    Args:
      name: path.
      mode: "r", "w", "a", "r+", "w+" or "a+", with "b" for bytes instead of str. All but "r" and the forms of "a" start
        with an empty file once something is written.

    Raises:
      InvalidArgumentError: there is no such mode.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "x")
      >>> with tf.io.gfile.GFile(path, "w") as f:
      ...     f.write("one\\ntwo\\n")
      >>> with tf.io.gfile.GFile(path) as f:
      ...     f.readlines()
      ['one\\n', 'two\\n']
    """


@export("compat.v1.gfile.FastGFile")
class FastGFile(_File):
    """The old name of `tf.io.gfile.GFile`."""


@export("compat.v1.gfile.Copy")
def _copy(oldpath, newpath, overwrite=False):
    """`tf.io.gfile.copy`."""
    copy(oldpath, newpath, overwrite)


@export("compat.v1.gfile.Rename")
def _rename(oldname, newname, overwrite=False):
    """`tf.io.gfile.rename`."""
    rename(oldname, newname, overwrite)


@export("compat.v1.gfile.Walk")
def _walk(top, in_order=True):
    """`tf.io.gfile.walk`."""
    return walk(top, in_order)


@export("compat.v1.gfile.DeleteRecursively")
def _rmtree(dirname):
    """`tf.io.gfile.rmtree`."""
    rmtree(dirname)


@export("compat.v1.gfile.Exists")
def _exists(filename):
    """`tf.io.gfile.exists`."""
    return exists(filename)


@export("compat.v1.gfile.Glob")
def _glob(filename):
    """`tf.io.gfile.glob`."""
    return glob(filename)


@export("compat.v1.gfile.IsDirectory")
def _isdir(dirname):
    """`tf.io.gfile.isdir`."""
    return isdir(dirname)


@export("compat.v1.gfile.ListDirectory")
def _listdir(dirname):
    """`tf.io.gfile.listdir`."""
    return listdir(dirname)


@export("compat.v1.gfile.MakeDirs")
def _makedirs(dirname):
    """`tf.io.gfile.makedirs`."""
    makedirs(dirname)


@export("compat.v1.gfile.MkDir")
def _mkdir(dirname):
    """`tf.io.gfile.mkdir`."""
    mkdir(dirname)


@export("compat.v1.gfile.Remove")
def _remove(filename):
    """`tf.io.gfile.remove`."""
    remove(filename)


@export("compat.v1.gfile.Stat")
def _stat(filename):
    """`tf.io.gfile.stat`."""
    return stat(filename)


__all__ = ["local", "reporting", "text_bytes"]
