"""Datasets of CSV files: `CsvDataset`, and `make_csv_dataset`, which finds out names and types of the columns."""

from __future__ import annotations

import csv
import gzip
from collections import OrderedDict
from typing import Any

from tracefn import _core
from tracefn import _numpy as np
from tracefn.data._base import AUTOTUNE, MadeDataset, boolean, emit, int64, kind_class, string
from tracefn.data._dataset import Dataset
from tracefn.data._examples import read_in_turn, shuffled_and_repeated
from tracefn.data._mapping import map_dataset
from tracefn.data._sources import Sources
from tracefn.dtypes import DType, as_dtype
from tracefn.errors import InvalidArgumentError
from tracefn.ops.gfile import glob
from tracefn.ops.gfile_files import GFile
from tracefn.tensor_spec import TensorSpec

_op = _core.raw_op
_BUFFER_BYTES = 4 * 1024 * 1024
# From the least general type to the most general one.
_TYPES = ("int32", "int64", "float32", "float64", "string")


def _default(value):
    """The default of a column: a tensor of one value, or of none if the column has to be there."""
    try:
        dtype = as_dtype(value) if isinstance(value, (DType, type)) else None
    except TypeError:
        dtype = None
    if dtype is None or dtype.name not in _TYPES:
        return _core.convert_to_tensor(value)
    return _core.convert_to_tensor([], dtype=dtype)


@kind_class
class CsvDatasetV2(MadeDataset, Dataset):
    """The records of CSV files, as tuples of scalars.

    Args:
      filenames: string tensor.
      record_defaults: list with, for each column, a tensor with one value, its default; or a dtype, if it has to be there.
      compression_type: "GZIP", "ZLIB", or "" or None for none.
      buffer_size: how many bytes are read at a time, or None.
      header: whether the first line of each file is left out.
      field_delim: what stands between columns.
      use_quote_delim: whether quotes may be around columns.
      na_value: further text that stands for a missing column.
      select_cols: list of indices of the columns that are read, or None for all.
      exclude_cols: list of indices of the columns that are not read; not with `select_cols`.

    Raises:
      InvalidArgumentError: both are given; in iterations, a record does not fit.

    Example:
      >>> import tracefn as tf
      >>> tf.io.write_file("/tmp/tracefn_columns.csv", "1,a\\n,b\\n")
      >>> columns = tf.data.experimental.CsvDataset("/tmp/tracefn_columns.csv", [[0], tf.string])
      >>> [(int(number), text.numpy()) for number, text in columns]
      [(1, b'a'), (0, b'b')]
    """

    def __init__(
        self,
        filenames,
        record_defaults,
        compression_type=None,
        buffer_size=None,
        header=False,
        field_delim=",",
        use_quote_delim=True,
        na_value="",
        select_cols=None,
        exclude_cols=None,
    ):
        defaults = [_default(value) for value in record_defaults]
        if select_cols is not None and exclude_cols is not None:
            raise InvalidArgumentError(None, None, "Either select_cols or exclude_cols should be empty")
        spec = tuple(TensorSpec([], default.dtype) for default in defaults)
        variant = emit(
            "CSVDatasetV2",
            spec,
            filenames=string(filenames, "filenames"),
            compression_type=string(compression_type or ""),
            buffer_size=int64(_BUFFER_BYTES if buffer_size is None else buffer_size),
            header=boolean(header),
            field_delim=string(field_delim),
            use_quote_delim=boolean(use_quote_delim),
            na_value=string(na_value),
            select_cols=_columns(select_cols),
            record_defaults=defaults,
            exclude_cols=_columns(exclude_cols),
        )
        self._set(variant, spec, [])


CsvDataset = CsvDatasetV2


def _columns(indices):
    return _core.convert_to_tensor([] if indices is None else indices, dtype="int64")


class _Files:
    """CSV files whose columns are looked at before they are read."""

    def __init__(self, names, compression_type, encoding, field_delim, use_quote_delim, header) -> None:
        if compression_type not in (None, "", "GZIP"):
            if compression_type == "ZLIB":
                raise ValueError(f"`compression_type` {compression_type} is not supported for probing columns.")
            raise ValueError(
                f"Received unknown `compression_type` {compression_type}. Expected: GZIP, ZLIB or  (empty string)."
            )
        self._names = names
        self._is_gzip = compression_type == "GZIP"
        self._encoding = encoding
        self._format: dict[str, Any] = {
            "delimiter": field_delim,
            "quoting": csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE,
        }
        self._header = header

    def _rows(self, name):
        if self._is_gzip:
            with gzip.open(name, "rt", encoding=self._encoding) as f:
                yield from csv.reader(f, **self._format)
        else:
            with GFile(name, "rb") as f:
                text = f.read().decode(self._encoding)
            yield from csv.reader(text.splitlines(keepends=True), **self._format)

    def column_names(self) -> list:
        """The first line, which is the same in all files.

        Raises:
          ValueError: it is not, or a file is empty.
        """
        found: list = []
        for name in self._names:
            first = next(self._rows(name), None)
            if first is None:
                raise ValueError(f"Failed when reading the header line of {name}. Is it an empty file?")
            if found and first != found:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. File "
                    f"{name} has different column names."
                )
            found = first
        return found

    def defaults(self, count: int, na_value: str, limit, columns) -> list:
        """The default of each column, of the least general type that its first rows have."""
        types: list = [None] * len(columns)
        for i, row in enumerate(self._all_rows(count)):
            if limit is not None and i >= limit:
                break
            for j, column in enumerate(columns):
                types[j] = _type_of(row[column], na_value, types[j])
        return [_core.convert_to_tensor(["" if t in (None, "string") else 0], dtype=t or "string") for t in types]

    def _all_rows(self, count: int):
        for name in self._names:
            for i, row in enumerate(self._rows(name), 1):
                if i == 1 and self._header:
                    continue
                if len(row) != count:
                    raise ValueError(
                        f"Problem inferring types: CSV row {i} has {len(row)} number of fields. Expected: {count}."
                    )
                yield row


def _type_of(text: str, na_value: str, before):
    """The least general type for a column with this text, which had the type `before`."""
    if text in ("", na_value):
        return before
    for i, dtype in enumerate(_TYPES):
        if _reads_as(text, dtype) and (before is None or before in _TYPES[: i + 1]):
            return dtype
    return "string"


def _reads_as(text: str, dtype: str) -> bool:
    if dtype == "string":
        return True
    try:
        if dtype.startswith("int"):
            return abs(int(text) + 0.5) < 2 ** (int(dtype[3:]) - 1)
        with np.errstate(over="ignore"):
            return bool(getattr(np, dtype)(text) < np.inf)
    except ValueError:
        return False


def _indices(selected, names) -> list:
    """The indices of columns given by index or name, in their order.

    Raises:
      ValueError: there is no such column, or one is given twice.
    """
    places = {name: i for i, name in enumerate(names)}
    found = []
    for column in selected:
        if isinstance(column, int):
            if not 0 <= column < len(names):
                raise ValueError(
                    f"Column index {column} specified in `select_columns` should be > 0  and <= {len(names)}, "
                    "which is the number of columns."
                )
            found.append(column)
        elif column not in places:
            raise ValueError(
                f"Column {column} specified in `select_columns` must be of one of the columns: {places.keys()}."
            )
        else:
            found.append(places[column])
    if len(set(found)) != len(found):
        raise ValueError(
            f"The `select_columns` argument contains duplicate columns: { {i for i in found if found.count(i) > 1} }."
        )
    return sorted(found)


def _matching(file_pattern) -> list:
    """The names of the files that match, sorted.

    Raises:
      ValueError: there are none.
    """
    if isinstance(file_pattern, list) and not file_pattern:
        raise ValueError("Argument `file_pattern` should not be empty.")
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    found = [name for pattern in patterns for name in glob(pattern)]
    if not found:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    return sorted(found)


def make_csv_dataset(
    file_pattern,
    batch_size,
    column_names=None,
    column_defaults=None,
    label_name=None,
    select_columns=None,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    header=True,
    num_epochs=None,
    shuffle=True,
    shuffle_buffer_size=10000,
    shuffle_seed=None,
    prefetch_buffer_size=None,
    num_parallel_reads=None,
    sloppy=False,
    num_rows_for_inference=100,
    compression_type=None,
    ignore_errors=False,
    encoding="utf-8",
):
    """A dataset of batches of the columns of CSV files.

    Args:
      file_pattern: string or list of strings, names of files with `*`, `?` and `[...]`.
      batch_size: int.
      column_names: list of strings; None: the first line.
      column_defaults: list of defaults or dtypes, as in `CsvDataset`; None: found in the first rows.
      label_name: the column that is returned as a label, or None.
      select_columns: list of indices or names of the columns that are read, or None for all.
      field_delim, use_quote_delim, na_value, header, compression_type: as in `CsvDataset`.
      num_epochs: how often the files are read; None: without end.
      shuffle, shuffle_buffer_size, shuffle_seed: whether and how records are shuffled.
      prefetch_buffer_size: how many batches are computed ahead; None: as many as help.
      num_parallel_reads: how many files are read at a time.
      sloppy: whether the order may depend on time.
      num_rows_for_inference: how many rows show the types of the columns; None: all.
      ignore_errors: whether records that do not fit are left out.
      encoding: the encoding of the files when columns are looked for.

    Returns:
      Dataset of dicts, or with `label_name` of pairs of a dict and a label.

    Raises:
      ValueError: no file matches, or columns are not as described.

    Example:
      >>> import tracefn as tf
      >>> tf.io.write_file("/tmp/tracefn_named.csv", "x,y\\n1,2.5\\n3,4\\n")
      >>> dataset = tf.data.experimental.make_csv_dataset("/tmp/tracefn_named.csv", 2, label_name="y", num_epochs=1,
      ...                                                 shuffle=False)
      >>> [(features["x"].tolist(), label.tolist()) for features, label in dataset.as_numpy_iterator()]
      [([1, 3], [2.5, 4.0])]
    """
    names = _matching(file_pattern)
    files: Any = Sources.from_tensor_slices(names)
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    probed = None
    if column_names is None or column_defaults is None:
        probed = _Files(names, compression_type, encoding, field_delim, use_quote_delim, header)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        assert probed is not None
        column_names = probed.column_names()
    if len(set(column_names)) != len(column_names):
        twice = {name for name in column_names if column_names.count(name) > 1}
        raise ValueError(f"Either `column_names` argument or CSV header row contains duplicate column names: {twice}.")
    selected = None if select_columns is None else _indices(select_columns, column_names)
    if column_defaults is None:
        assert probed is not None
        column_defaults = probed.defaults(
            len(column_names),
            na_value,
            num_rows_for_inference,
            range(len(column_names)) if selected is None else selected,
        )
    if selected is not None:
        if len(column_defaults) != len(selected):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: `column_defaults` "
                f"has length {len(column_defaults)}, `select_columns` has length {len(selected)}."
            )
        column_names = [column_names[i] for i in selected]
    if label_name is not None and label_name not in column_names:
        raise ValueError(f"`label_name` provided must be one of the columns: {column_names}. Received: {label_name}.")

    def read(name):
        records: Any = CsvDataset(
            name, column_defaults, compression_type, None, header, field_delim, use_quote_delim, na_value, selected
        )
        return records.ignore_errors() if ignore_errors else records

    def named(*columns):
        features = OrderedDict(zip(column_names, columns, strict=False))  # reading tells that the numbers differ
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    dataset = read_in_turn(files, read, 1 if num_parallel_reads is None else num_parallel_reads, sloppy)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)
    dataset = map_dataset(dataset, named, use_inter_op_parallelism=False)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
