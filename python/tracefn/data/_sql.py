"""`tf.data.experimental.SqlDataset`: the rows that a query of a database returns."""

from __future__ import annotations

import re
from typing import Any

from tracefn import _core
from tracefn.data import _nest as nest
from tracefn.data._base import MadeDataset, kind_class, string
from tracefn.data._dataset import Dataset
from tracefn.data._generator import Generating
from tracefn.dtypes import as_dtype
from tracefn.errors import InvalidArgumentError
from tracefn.framework import get_static_value
from tracefn.tensor_spec import TensorSpec

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "bool")
_NUMBER = re.compile(rb"\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


def _number(value) -> float | int:
    """A value of a column as a number, as SQLite casts it: text by the number that it begins with, NULL as 0."""
    if isinstance(value, (int, float)):
        return value
    text = value.encode() if isinstance(value, str) else value or b""
    found = _NUMBER.match(text)
    if found is None:
        return 0
    return float(found[0]) if found[2] or found[3] else int(found[0])


def _column(value, dtype):
    name = dtype.name
    if name == "string":
        if value is None or isinstance(value, bytes):
            return value or b""
        return (format(value, ".15g") if isinstance(value, float) else str(value)).encode()
    number = _number(value)
    if name == "bool":
        return int(number) != 0
    if name not in _INTEGERS:
        return float(number)
    size = 8 * dtype.size
    wrapped = int(number) % (1 << size)
    return wrapped - (1 << size) if name.startswith("int") and wrapped >> (size - 1) else wrapped


def _rows(source: bytes, query: bytes, dtypes: list):
    """The rows of a query. Its errors become those of a generator: InvalidArgumentError and UnknownError."""
    import sqlite3  # start-up time: few programs read databases

    try:
        # Each row may be read on another thread, one after the other.
        connection = sqlite3.connect(f"file:{source.decode()}?mode=ro", uri=True, check_same_thread=False)
        try:
            rows = connection.execute(query.decode())
            if len(rows.description) != len(dtypes):
                raise ValueError(
                    f"The number of columns in query ({len(rows.description)}) must match the number of elements in "
                    f"output_types ({len(dtypes)})."
                )
            for row in rows:
                yield [_column(value, dtype) for value, dtype in zip(row, dtypes, strict=True)]
        finally:
            connection.close()
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 1)
        raise RuntimeError(f"Prepare() failed: [{code}] {error}: {query.decode()}") from error


@kind_class
class SqlDatasetV2(MadeDataset, Dataset):
    """The rows that a query of a database returns, as tuples of scalars.

    Args:
      driver_name: scalar string, the kind of database: "sqlite".
      data_source_name: scalar string, the path of its file.
      query: scalar string, the query.
      output_types: tuple of the dtypes of the columns.

    Raises:
      InvalidArgumentError: there is no such driver, or a column cannot have a dtype; in iterations, there is another number of
      columns. UnknownError: in iterations, the database refuses the query.

    Example:
      >>> import sqlite3, tempfile
      >>> import tracefn as tf
      >>> path = tempfile.mkdtemp() + "/people.sqlite3"
      >>> with sqlite3.connect(path) as database:
      ...     _ = database.execute("create table people (name text, age integer)")
      ...     _ = database.execute("insert into people values ('Ada', 36), ('Alan', 41)")
      >>> query = "select name, age from people"
      >>> dataset = tf.data.experimental.SqlDataset("sqlite", path, query, (tf.string, tf.int32))
      >>> [(name.numpy(), int(age)) for name, age in dataset]
      [(b'Ada', 36), (b'Alan', 41)]
    """

    def __init__(self, driver_name, data_source_name, query, output_types):
        driver = get_static_value(string(driver_name, "driver_name"))
        if driver is not None and driver != b"sqlite":
            raise InvalidArgumentError(
                None,
                None,
                f"The database type, {driver.decode()}, is not supported by SqlDataset. The set of supported databases "
                "is: {'sqlite'}.",
            )
        spec: Any = nest.map_structure(lambda dtype: TensorSpec([], as_dtype(dtype)), output_types)
        dtypes = [part.dtype for part in nest.flatten(spec)]
        if not all(dtype.name in (*_INTEGERS, "string", "float64") for dtype in dtypes):
            raise InvalidArgumentError(
                None,
                None,
                "Each element of `output_types_` must be one of: DT_STRING, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, "
                "DT_UINT16, DT_BOOL, DT_DOUBLE ",
            )

        def rows(source, statement):
            for row in _rows(source, statement, dtypes):
                yield nest.pack_sequence_as(spec, [_core.convert_to_tensor(x, dtype=t) for x, t in zip(row, dtypes, strict=True)])

        arguments = (string(data_source_name, "data_source_name"), string(query, "query"))
        found: Any = Generating.from_generator(rows, args=arguments, output_signature=spec)
        self._set(found._variant_tensor, spec, [])


SqlDataset = SqlDatasetV2
