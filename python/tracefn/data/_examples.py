"""Datasets of `tf.train.Example` messages."""

from __future__ import annotations

from tracefn.data import _structure as structure
from tracefn.data._base import AUTOTUNE
from tracefn.data._mapping import map_dataset
from tracefn.data._options import Options
from tracefn.data._readers import TFRecordDataset, parallel_interleave
from tracefn.data._sources import Sources
from tracefn.ops.parse_examples import parse_example
from tracefn.tensor_spec import TensorSpec


def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """A transformation for `Dataset.apply` of batches of serialized `tf.train.Example`s into dicts of tensors.

    Args:
      features: dict from names to `tf.io.FixedLenFeature` and the like.
      num_parallel_calls: how many batches are parsed at a time.
      deterministic: as in `Dataset.map`.

    Raises:
      ValueError: `features` is None.
      TypeError: the elements are no vectors of strings.

    Example:
      >>> import tracefn as tf
      >>> one = tf.train.Example(features=tf.train.Features(feature={
      ...     "x": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}))
      >>> dataset = tf.data.Dataset.from_tensors([one.SerializeToString()])
      >>> parsed = dataset.apply(tf.data.experimental.parse_example_dataset({"x": tf.io.FixedLenFeature([], tf.int64)}))
      >>> [int(element["x"][0]) for element in parsed]
      [7]
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")

    def apply(dataset):
        if not structure.are_compatible(dataset.element_spec, TensorSpec([None], "string")):
            raise TypeError(
                f"Input dataset should be a dataset of vectors of strings. Instead it is `{dataset.element_spec}`."
            )
        return dataset.map(
            lambda serialized: parse_example(serialized, features),
            num_parallel_calls=num_parallel_calls,
            deterministic=deterministic,
        )

    return apply


def shuffled_and_repeated(dataset, num_epochs, shuffle, buffer_size, seed):
    """A dataset shuffled, if so wanted, and repeated; without end if `num_epochs` is None."""
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def read_in_turn(files, read, num_parallel_reads, sloppy):
    """The elements of the datasets that `read` makes of file names, several in turn."""
    if num_parallel_reads != AUTOTUNE:
        return parallel_interleave(files, read, num_parallel_reads, 1, sloppy)
    options = Options()
    options.deterministic = not sloppy
    return files.interleave(read, num_parallel_calls=AUTOTUNE).with_options(options)


def make_batched_features_dataset(
    file_pattern,
    batch_size,
    features,
    reader=None,
    label_key=None,
    reader_args=None,
    num_epochs=None,
    shuffle=True,
    shuffle_buffer_size=10000,
    shuffle_seed=None,
    prefetch_buffer_size=None,
    reader_num_threads=None,
    parser_num_threads=None,
    sloppy_ordering=False,
    drop_final_batch=False,
):
    """A dataset of batches of parsed `tf.train.Example`s in files.

    Args:
      file_pattern: string or list of strings, names of files with `*`, `?` and `[...]`.
      batch_size: int.
      features: dict from names to `tf.io.FixedLenFeature` and the like.
      reader: callable that takes a file name and returns a Dataset; None: `tf.data.TFRecordDataset`.
      label_key: the feature that is returned as a label, or None.
      reader_args: further arguments of `reader`.
      num_epochs: how often the files are read; None: without end.
      shuffle, shuffle_buffer_size, shuffle_seed: whether and how examples are shuffled.
      prefetch_buffer_size: how many batches are computed ahead; None: as many as help.
      reader_num_threads, parser_num_threads: how many files are read, and batches parsed, at a time.
      sloppy_ordering: whether the order may depend on time.
      drop_final_batch: whether a last batch of fewer examples is left out.

    Returns:
      Dataset of dicts, or with `label_key` of pairs of a dict and a label.

    Raises:
      ValueError: `label_key` is no feature.

    Example:
      >>> import tracefn as tf
      >>> one = tf.train.Example(features=tf.train.Features(feature={
      ...     "x": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}))
      >>> with tf.io.TFRecordWriter("/tmp/tracefn_examples.tfrecords") as writer:
      ...     writer.write(one.SerializeToString())
      >>> dataset = tf.data.experimental.make_batched_features_dataset(
      ...     "/tmp/tracefn_examples.tfrecords", 2, {"x": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=2)
      >>> [element["x"].numpy().tolist() for element in dataset]
      [[7, 7]]
    """
    files = Sources.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    read = TFRecordDataset if reader is None else reader
    arguments = list(reader_args or ())
    dataset = read_in_turn(files, lambda name: read(name, *arguments), reader_num_threads or 1, sloppy_ordering)
    if isinstance(dataset.element_spec, tuple) and len(dataset.element_spec) == 2:
        dataset = map_dataset(dataset, lambda _, value: value, use_inter_op_parallelism=False)
    dataset = shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
            )
        dataset = dataset.map(lambda x: ({key: x[key] for key in x if key != label_key}, x[label_key]))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
