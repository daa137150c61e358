"""Readers of `tf.compat.v1`: they take names of files from a queue, and give the records in them one by one."""

from __future__ import annotations

import os
import threading
from typing import Any, NamedTuple

from tracefn import _core
from tracefn._default_session import running
from tracefn._export import export
from tracefn._queues.base import eager_list, host_operation
from tracefn._queues.failures import Invalid, OfAnotherOp
from tracefn.compat.v1.arguments import today
from tracefn.errors import OpError
from tracefn.framework import executing_eagerly


class ReaderReadV2(NamedTuple):
    """A record: string scalars."""

    key: Any
    value: Any


class ReaderReadUpToV2(NamedTuple):
    """Records: string vectors."""

    keys: Any
    values: Any


class _State:
    """What a reader has read in one session.

    Args:
      records: generator function from the name of a file to (key, value) of its records, as str and bytes.
    """

    def __init__(self, records) -> None:
        self._make = records
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Forgets the file that is being read, and the counts."""
        self._records: Any = None
        self.records_produced = self.units_completed = 0

    def cancel(self) -> None:
        """The session is closed; reading waits for queues only."""

    def next(self, queue) -> tuple:
        """The key and value of the next record; waits for a name in the queue."""
        with self._lock:
            while True:
                if self._records is None:
                    self._records = self._make(_name_in(queue))
                record = self._next_of_file()
                if record is not None:
                    return record

    def _next_of_file(self) -> tuple | None:
        """The next record of the file; None at its end."""
        try:
            record = next(self._records, None)
        except BaseException as error:
            self._records = None  # the next read is of another file
            if isinstance(error, OpError):
                raise OfAnotherOp(error) from None
            raise
        if record is None:
            self._records = None
            self.units_completed += 1
        else:
            self.records_produced += 1
        return record

    def rest(self, queue, count: int) -> list[tuple]:
        """The next records of one file, at most so many."""
        found = [self.next(queue)]
        with self._lock:
            while len(found) < count and self._records is not None:
                record = self._next_of_file()
                if record is not None:
                    found.append(record)
        return found


def _name_in(queue) -> str:
    (element,) = queue.take(1)
    if len(element) != 1 or element[0].dtype != "string":
        raise Invalid("A reader needs a queue of strings.")
    return os.fsdecode(element[0].numpy())


def _contents(path: str) -> bytes:
    with _core.TargetContext(None):
        return today("io.read_file")(path).numpy()


@export("compat.v1.ReaderBase")
class ReaderBase:
    """What the readers have in common. In a `tf.Graph`, each session reads for itself.

    Args:
      reader_ref: tensor that stands for the reader.
      supports_serialize: whether its state can be stored; it cannot here.

    Raises:
      RuntimeError: ops run eagerly.
    """

    def __init__(self, reader_ref, supports_serialize=False) -> None:
        _refuse_eager()
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    def _build(self, name) -> None:
        _refuse_eager()
        ReaderBase.__init__(self, today("constant")("", name=name or type(self).__name__ + "V2"))
        self._key = self._reader_ref.op.name
        self._own: _State | None = None

    def _records(self, path: str):
        raise NotImplementedError(f"{type(self).__name__} does not tell how its files are read.")

    def _state(self) -> _State:
        session = running()
        if session is not None:
            return session._host_state(f"reader {self._key}", lambda name: _State(self._records))
        if self._own is None:
            self._own = _State(self._records)
        return self._own

    @property
    def reader_ref(self):
        """The tensor that stands for the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """False: the state of a reader cannot be stored."""
        return self._supports_serialize

    def _run(self, name, suffix: str, function, inputs: list, dtypes: list, shape=()):
        def call(*tensors):
            return eager_list(function(self._state(), *tensors), dtypes)

        with _core.OpScope(name or suffix) as scope:
            inputs = [_core.convert_to_tensor(value, dtype=dtype, name=own) for own, value, dtype in inputs]
            operation = host_operation(call, inputs, dtypes, scope)
        for output in operation.outputs:
            output.set_shape(shape)
        return operation.outputs if dtypes else operation

    def read(self, queue, name=None) -> ReaderReadV2:
        """The next record.

        Args:
          queue: queue of strings, the names of files.
          name: name of the node.

        Returns:
          A named tuple of string scalars: the key, which tells the file and the place in it, and the value.

        Raises:
          OutOfRangeError: when it runs: the queue is closed and empty.
        """
        return ReaderReadV2(*self._run(name, "ReaderReadV2", lambda state: state.next(queue._state()), [], ["string"] * 2))

    def read_up_to(self, queue, num_records, name=None) -> ReaderReadUpToV2:
        """The next records, at most `num_records` and of one file: a named tuple of string vectors."""

        def read(state, count):
            return list(zip(*state.rest(queue._state(), int(count)), strict=True))

        inputs = [("num_records", num_records, "int64")]
        return ReaderReadUpToV2(*self._run(name, "ReaderReadUpToV2", read, inputs, ["string"] * 2, [None]))

    def num_records_produced(self, name=None):
        """An int64 scalar: how many records were read."""
        return self._run(name, "ReaderNumRecordsProducedV2", lambda state: [state.records_produced], [], ["int64"])[0]

    def num_work_units_completed(self, name=None):
        """An int64 scalar: how many files were read to their ends."""
        return self._run(name, "ReaderNumWorkUnitsCompletedV2", lambda state: [state.units_completed], [], ["int64"])[0]

    def reset(self, name=None):
        """Forgets the file that is being read, and the counts; an Operation."""
        return self._run(name, "ReaderResetV2", lambda state: state.reset() or [], [], [])

    def serialize_state(self, name=None):
        """Not supported.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError(f"{type(self).__name__}.serialize_state is not supported.")

    def restore_state(self, state, name=None):
        """Not supported.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError(f"{type(self).__name__}.restore_state is not supported.")


def _refuse_eager() -> None:
    if executing_eagerly():
        raise RuntimeError(
            "Readers are not supported when eager execution is enabled. Instead, please use tf.data to get data into your model."
        )


@export("compat.v1.IdentityReader")
class IdentityReader(ReaderBase):
    """A reader that gives the strings of the queue themselves, as keys and values.

    Args:
      name: name of the node.
    """

    def __init__(self, name=None) -> None:
        self._build(name)

    def _records(self, path: str):
        yield path, path


@export("compat.v1.WholeFileReader")
class WholeFileReader(ReaderBase):
    """A reader of files as a whole: the key is the name, the value the contents.

    Args:
      name: name of the node.
    """

    def __init__(self, name=None) -> None:
        self._build(name)

    def _records(self, path: str):
        yield path, _contents(path)


@export("compat.v1.TextLineReader")
class TextLineReader(ReaderBase):
    """A reader of the lines of files; keys are as "file:3", with the number of the line.

    Args:
      skip_header_lines: int, how many lines at the beginning of each file are left out.
      name: name of the node.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> v1 = tf.compat.v1
      >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
      ...     _ = file.write("header\\n1,2\\n")
      ...     file.flush()
      ...     with tf.Graph().as_default():
      ...         names = v1.train.string_input_producer([file.name])
      ...         key, value = v1.TextLineReader(skip_header_lines=1).read(names)
      ...         with v1.train.MonitoredSession() as session:
      ...             print(session.run(value))
      b'1,2'
    """

    def __init__(self, skip_header_lines=None, name=None) -> None:
        self._skipped = skip_header_lines or 0
        self._build(name)

    def _records(self, path: str):
        lines = _contents(path).split(b"\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, start=1):
            if number > self._skipped:
                yield f"{path}:{number}", line.replace(b"\r", b"")


@export("compat.v1.FixedLengthRecordReader")
class FixedLengthRecordReader(ReaderBase):
    """A reader of records of a fixed length; keys are as "file:0", with the number of the record.

    Args:
      record_bytes: int, the length of a record.
      header_bytes, footer_bytes: ints, the bytes at the ends of each file that are left out.
      hop_bytes: int, from the beginning of one record to that of the next; 0: the length.
      name: name of the node.
      encoding: "" or "ZLIB", how the files are compressed.

    Raises:
      ValueError: a number is out of its range.
    """

    def __init__(
        self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None
    ) -> None:
        self._sizes = (header_bytes or 0, record_bytes, footer_bytes or 0, hop_bytes or record_bytes)
        for what, value, least in zip(("header_bytes", "record_bytes", "footer_bytes", "hop_bytes"), self._sizes, (0, 1, 0, 0),
                                      strict=True):  # fmt: skip
            if value < least:
                raise ValueError(f"{what} must be {'positive' if least else '>= 0'} but got {value}")
        if encoding not in (None, "", "ZLIB"):
            raise ValueError(f"encoding must be '' or 'ZLIB' but got {encoding!r}")
        self._compressed = encoding == "ZLIB"
        self._build(name)

    def _records(self, path: str):
        header, length, footer, hop = self._sizes
        data = _contents(path)
        if self._compressed:
            import zlib  # start-up time: few files are compressed

            data = zlib.decompress(data)
        starts = range(header, len(data) - footer - length + 1, hop)
        for number, start in enumerate(starts):
            yield f"{path}:{number}", data[start : start + length]


@export("compat.v1.TFRecordReader")
class TFRecordReader(ReaderBase):
    """A reader of files of TFRecords; keys are as "file:0", with the place of the record in the file.

    Args:
      name: name of the node.
      options: `tf.io.TFRecordOptions`, or None.
    """

    def __init__(self, name=None, options=None) -> None:
        self._options = options
        self._build(name)

    def _records(self, path: str):
        place = 0
        for record in today("compat.v1.io.tf_record_iterator")(path, self._options):
            yield f"{path}:{place}", record
            place += len(record) + 16  # the length, and two checksums


@export("compat.v1.LMDBReader")
class LMDBReader(ReaderBase):
    """Not supported: there is no reader of LMDB files.

    Raises:
      NotImplementedError: always.
    """

    is_refused = True

    def __init__(self, name=None, options=None) -> None:
        del options
        raise NotImplementedError("tf.compat.v1.LMDBReader is not supported: there is no reader of LMDB files here.")
