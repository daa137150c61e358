"""Files of records, each with its length and checksums: `TFRecordWriter`, and an iterator over a file."""

from __future__ import annotations

import struct
import zlib

from tracefn import _core
from tracefn._export import export
from tracefn.errors import DataLossError, FailedPreconditionError
from tracefn.ops.gfile import local, reporting, text_bytes

_CHUNK = 1 << 18
_GZIP_HEADER = 16  # added to the bits of zlib's window
_LENGTH = struct.Struct("<Q")
_CHECKSUM = struct.Struct("<I")


@export("compat.v1.io.TFRecordCompressionType", "compat.v1.python_io.TFRecordCompressionType")
class TFRecordCompressionType:
    """The old names of compressions."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


@export("io.TFRecordOptions", "compat.v1.python_io.TFRecordOptions")
class TFRecordOptions:
    """How a file of records is compressed.

    Args:
      compression_type: "GZIP", "ZLIB", or "" or None for none.
      flush_mode: accepted, without effect: what `TFRecordWriter.flush` has written can be read.
      input_buffer_size, output_buffer_size: accepted, without effect.
      window_bits, compression_level, compression_method, mem_level, compression_strategy: those of zlib; None for its
        defaults.

    Raises:
      ValueError: there is no such compression.

    Example:
      >>> import tracefn as tf
      >>> tf.io.TFRecordOptions("GZIP").compression_type
      'GZIP'
    """

    compression_type_map = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type=None,
        flush_mode=None,
        input_buffer_size=None,
        output_buffer_size=None,
        window_bits=None,
        compression_level=None,
        compression_method=None,
        mem_level=None,
        compression_strategy=None,
    ):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """ "GZIP", "ZLIB" or "" for options, a TFRecordCompressionType, or a string.

        Raises:
          ValueError: there is no such compression.
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        name = cls.compression_type_map.get(options, options)
        if name not in cls.compression_type_map.values():
            raise ValueError(f'Not a valid compression_type: "{options}"')
        return name


def _window_bits(compression: str, bits=None) -> int:
    bits = zlib.MAX_WBITS if bits is None else bits
    return bits + _GZIP_HEADER if compression == "GZIP" and bits <= zlib.MAX_WBITS else bits


def _compressor(options: TFRecordOptions):
    compression = options.get_compression_type_string(options)
    if not compression:
        return None

    def given(value, default):
        return default if value is None else value

    return zlib.compressobj(
        given(options.compression_level, zlib.Z_DEFAULT_COMPRESSION),
        given(options.compression_method, zlib.DEFLATED),
        _window_bits(compression, options.window_bits),
        given(options.mem_level, zlib.DEF_MEM_LEVEL),
        given(options.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
    )


@export("io.TFRecordWriter", "compat.v1.python_io.TFRecordWriter")
class TFRecordWriter:
    """Writes records to a file, which is emptied first.

    Args:
      path: path of the file.
      options: a `tf.io.TFRecordOptions`, or the compression alone; None: none.

    Raises:
      NotFoundError: there is no directory for the file.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "x.tfrecord")
      >>> with tf.io.TFRecordWriter(path) as writer:
      ...     writer.write(b"one")
      >>> tf.io.gfile.stat(path).length
      19
    """

    def __init__(self, path, options=None):
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        self._path = text_bytes(path)
        self._compressor = _compressor(options)
        self._file = reporting(path, open, local(path), "wb")

    def _open_file(self):
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        return self._file

    def _put(self, data: bytes) -> None:
        reporting(self._path, self._open_file().write, data)

    def write(self, record):
        """Appends a record.

        Args:
          record: bytes or str.

        Raises:
          FailedPreconditionError: the writer is closed.
          TypeError: the record is something else.
        """
        self._open_file()
        if not isinstance(record, (bytes, str, bytearray, memoryview)):
            raise TypeError(f"write(): incompatible function arguments: a record is bytes or str, not {type(record).__name__}")
        record = text_bytes(record)
        length = _LENGTH.pack(len(record))
        data = b"".join(
            (length, _CHECKSUM.pack(_core.masked_crc32c(length)), record, _CHECKSUM.pack(_core.masked_crc32c(record)))
        )
        self._put(data if self._compressor is None else self._compressor.compress(data))

    def flush(self):
        """Hands all records to the system, so that they can be read."""
        if self._compressor is not None:
            self._put(self._compressor.flush(zlib.Z_SYNC_FLUSH))
        reporting(self._path, self._open_file().flush)

    def close(self):
        """Ends the file. A second call does nothing."""
        if self._file is None:
            return
        if self._compressor is not None:
            self._put(self._compressor.flush())
        file, self._file = self._file, None
        reporting(self._path, file.close)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __del__(self):
        if getattr(self, "_file", None) is not None:
            self.close()


class _Plain:
    """A file."""

    def __init__(self, file) -> None:
        self._file = file

    def read(self, n: int) -> bytes:
        """Up to `n` bytes; memory is taken only for what the file holds."""
        parts = []
        while n > 0 and (data := self._file.read(min(n, _CHUNK))):
            parts.append(data)
            n -= len(data)
        return b"".join(parts)


class _Compressed:
    """What a compressed file holds."""

    def __init__(self, file, compression: str) -> None:
        self._file = file
        self._bits = _window_bits(compression)
        self._members = compression == "GZIP"
        self._stream = zlib.decompressobj(self._bits)
        self._waiting = b""

    def read(self, n: int) -> bytes:
        """Up to `n` bytes; fewer where the file ends.

        Raises:
          DataLossError: the data are damaged.
        """
        parts = []
        while n > 0:
            if self._stream.eof:
                self._waiting = self._stream.unused_data
                if not self._members:
                    break
                self._stream = zlib.decompressobj(self._bits)
            self._waiting = self._waiting or self._file.read(_CHUNK)
            if not self._waiting:
                break
            try:
                data = self._stream.decompress(self._waiting, min(n, _CHUNK))
            except zlib.error as error:
                text = str(error).removeprefix("Error ").replace(" while decompressing data", "")
                raise DataLossError(None, None, f"inflate() failed with error {text}") from None
            self._waiting = self._stream.unconsumed_tail
            parts.append(data)
            n -= len(data)
        return b"".join(parts)


class RecordIterator:
    """An iterator over the records of a file, as bytes."""

    def __init__(self, path, compression: str) -> None:
        self._path = path
        self._compression = compression
        self._file = None
        self.reopen()

    def reopen(self) -> None:
        """Starts again at the first record."""
        self.close()
        self._file = reporting(self._path, open, local(self._path), "rb")
        self._source = _Compressed(self._file, self._compression) if self._compression else _Plain(self._file)
        self._offset = 0

    def close(self) -> None:
        """Closes the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _fail(self, message: str):
        self.close()
        raise DataLossError(None, None, message)

    def __iter__(self):
        return self

    def __next__(self) -> bytes:
        header = self._source.read(_LENGTH.size + _CHECKSUM.size) if self._file is not None else b""
        if len(header) < _LENGTH.size + _CHECKSUM.size:
            self.close()
            raise StopIteration
        length, checksum = header[: _LENGTH.size], header[_LENGTH.size :]
        if _CHECKSUM.unpack(checksum)[0] != _core.masked_crc32c(length):
            hint = " (Is this even a TFRecord file?)" if self._offset == 0 else ""
            self._fail(f"corrupted record at {self._offset}{hint}")
        start = self._offset + len(header)
        size = _LENGTH.unpack(length)[0]
        record = self._source.read(size)
        end = self._source.read(_CHECKSUM.size)
        if len(record) < size or len(end) < _CHECKSUM.size:
            self._fail(f"truncated record at {self._offset}' failed with Read less bytes than requested")
        if _CHECKSUM.unpack(end)[0] != _core.masked_crc32c(record):
            self._fail(f"corrupted record at {start}")
        self._offset = start + size + len(end)
        return record

    def __del__(self):
        if getattr(self, "_file", None) is not None:
            self.close()


@export("compat.v1.io.tf_record_iterator", "compat.v1.python_io.tf_record_iterator")
def tf_record_iterator(path, options=None):
    """An iterator over the records of a file.

    Args:
      path: path of the file.
      options: a `tf.io.TFRecordOptions`, or the compression alone; None: none.

    Returns:
      Iterator of bytes. A file that ends within a record's length ends there.

    Raises:
      NotFoundError: there is no such file.
      DataLossError: while iterating: a record is cut off, or a checksum is wrong.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "x.tfrecord")
      >>> with tf.io.TFRecordWriter(path, "GZIP") as writer:
      ...     writer.write(b"one")
      >>> list(tf.compat.v1.io.tf_record_iterator(path, "GZIP"))
      [b'one']
    """
    return RecordIterator(path, TFRecordOptions.get_compression_type_string(options))


__all__ = ["RecordIterator", "TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]
