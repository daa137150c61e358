"""`tf.io.gfile.GFile`: files of the local file system that are read and written, with TensorFlow's errors."""

from __future__ import annotations

from tracefn._export import export
from tracefn.errors import InvalidArgumentError, OutOfRangeError, PermissionDeniedError
from tracefn.ops.gfile import local, reporting, stat, text_bytes


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
        r"""The next line with its "\n", without any "\r"; empty at the end of the file."""
        reader = self._reading()
        return self._result(reporting(self._name, reader.readline).replace(b"\r", b""))

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
