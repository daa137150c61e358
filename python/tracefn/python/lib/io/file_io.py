"""`tensorflow.python.lib.io.file_io`: whole files."""

from __future__ import annotations

import os

from tracefn.ops.gfile import rename
from tracefn.ops.gfile_files import GFile

__all__ = ["FileIO", "atomic_write_string_to_file", "file_crc32", "filecmp", "read_file_to_string", "write_string_to_file"]

FileIO = GFile
_BLOCK = 1 << 24


def read_file_to_string(filename, binary_mode=False):
    """The text of a file; its bytes with `binary_mode`.

    Raises:
      NotFoundError: there is no such file.
    """
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename, file_content) -> None:
    """Writes a text or bytes to a file.

    Example:
      >>> import os, tempfile
      >>> from tracefn.python.lib.io import file_io
      >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
      >>> file_io.write_string_to_file(path, "abc")
      >>> file_io.read_file_to_string(path)
      'abc'
    """
    with GFile(filename, "wb" if isinstance(file_content, bytes) else "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True) -> None:
    """The same, whole or not at all: writes another file and renames it.

    Raises:
      AlreadyExistsError: there is the file, and `overwrite` is False.
    """
    temporary = f"{os.fspath(filename)}.tmp{os.urandom(8).hex()}"
    write_string_to_file(temporary, contents)
    try:
        rename(temporary, filename, overwrite)
    except Exception:
        os.remove(temporary)
        raise


def filecmp(filename_a, filename_b) -> bool:
    """Whether two files have the same bytes."""
    return read_file_to_string(filename_a, True) == read_file_to_string(filename_b, True)


def file_crc32(filename, block_size=_BLOCK) -> str:
    """The CRC-32 of a file, as in zip files, in hexadecimal digits after "0x"."""
    import zlib  # start-up time: few programs ask for it

    crc = 0
    with GFile(filename, "rb") as file:
        while block := file.read(block_size):
            crc = zlib.crc32(block, crc)
    return hex(crc & 0xFFFFFFFF)
