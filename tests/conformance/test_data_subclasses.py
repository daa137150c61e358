"""Datasets of classes that a program derives from `tf.data.Dataset` and from the classes of one kind of datasets; copies of datasets."""

import copy

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def doubles(tf):
    """A class with a constructor of its own, whose datasets are made by ops."""

    class Doubles(tf.data.Dataset):
        def __init__(self, count, options=None):
            dataset = tf.data.Dataset.range(count).map(lambda x: x * 2)
            self._made = dataset if options is None else dataset.with_options(options)
            super().__init__(self._made._variant_tensor)

        def _inputs(self):
            return [self._made]

        @property
        def element_spec(self):
            return self._made.element_spec

    return Doubles


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lines"
    path.write_text("1,a\n2,b\n")
    return str(path)


def elements(dataset):
    return [np.asarray(x).tolist() for x in dataset.as_numpy_iterator()]


def test_a_class_of_ones_own(tf, doubles):
    dataset = doubles(3)
    assert isinstance(dataset, tf.data.Dataset) and len(dataset) == 3
    assert repr(dataset) == "<Doubles element_spec=TensorSpec(shape=(), dtype=tf.int64, name=None)>"
    assert elements(dataset) == [0, 2, 4] and elements(dataset.batch(2)) == [[0, 2], [4]]
    assert [int(x) for x in dataset] == [0, 2, 4]
    assert elements(tf.data.Dataset.zip((dataset, dataset)).map(lambda x, y: x + y)) == [0, 4, 8]
    assert elements(tf.data.Dataset.range(3).flat_map(doubles)) == [0, 0, 2]


def test_in_functions(tf, doubles):
    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in dataset:
            result += x
        return result + doubles(3).reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    assert int(total(doubles(4))) == 18


def test_options_of_what_it_is_made_of(tf, doubles):
    options = tf.data.Options()
    options.deterministic = False
    assert doubles(2, options).options().deterministic is False
    assert doubles(2, options).batch(2).options().deterministic is False
    assert doubles(2).options().deterministic is None


def test_strategies_take_it(tf, doubles):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    assert [x.numpy().tolist() for x in strategy.experimental_distribute_dataset(doubles(4).batch(2))] == [[0, 2], [4, 6]]


def test_what_a_class_has_to_have(tf):
    variant = tf.data.Dataset.range(3)._variant_tensor

    class Neither(tf.data.Dataset):
        pass

    class NoInputs(tf.data.Dataset):
        element_spec = tf.TensorSpec([], tf.int64)

    class Both(NoInputs):
        def _inputs(self):
            return []

    for cls, names in ((tf.data.Dataset, ["_inputs", "element_spec"]), (Neither, ["_inputs", "element_spec"]), (NoInputs, ["_inputs"])):
        for arguments in ((), (variant,)):
            with pytest.raises(TypeError, match="Can't instantiate abstract class") as error:
                cls(*arguments)
            assert all(name in str(error.value) for name in names)
    assert elements(Both(variant)) == [0, 1, 2]


def test_a_class_that_makes_other_datasets(tf):
    class Counted(tf.data.Dataset):
        def __new__(cls, count):
            return tf.data.Dataset.range(count)

    assert elements(Counted(2)) == [0, 1]


@pytest.mark.parametrize("kind", ["TextLineDataset", "TFRecordDataset", "FixedLengthRecordDataset", "CsvDataset", "RandomDataset"])
def test_classes_of_one_kind(tf, file, kind):
    cls = getattr(tf.data, kind, None) or getattr(tf.data.experimental, kind)
    arguments = {"FixedLengthRecordDataset": (file, 4), "CsvDataset": (file, [0, ""]), "RandomDataset": (1,)}.get(kind, (file,))
    assert cls.__name__ == f"{kind}V2"

    class Mine(cls):
        def __init__(self, *given):
            super().__init__(*given)
            self.mine = 1

        def more(self):
            return self.mine + 1

    made, mine = cls(*arguments), Mine(*arguments)
    assert type(made) is cls and type(mine) is Mine
    assert mine.more() == 2 and mine.element_spec == made.element_spec
    if kind != "TFRecordDataset":
        assert elements(mine.take(2)) == elements(made.take(2))


@pytest.mark.parametrize("kind", ["TextLineDataset", "CsvDataset"])
def test_classes_of_one_kind_of_version_1(tf, v1, file, kind):
    cls = getattr(v1.data, kind, None) or getattr(v1.data.experimental, kind)
    arguments = {"CsvDataset": (file, [0, ""])}.get(kind, (file,))

    class Mine(cls):
        mine = 1

    made = Mine(*arguments)
    assert type(made) is Mine and made.mine == 1 and type(cls(*arguments)) is cls
    assert len(elements(made)) == 2


def test_classes_of_version_1_tell_dtypes_shapes_and_classes(tf, v1):
    class Three(v1.data.Dataset):
        output_types, output_shapes, output_classes = tf.int64, tf.TensorShape([]), tf.Tensor

        def _inputs(self):
            return []

        def _as_variant_tensor(self):
            return tf.data.Dataset.range(3)._variant_tensor

    assert Three().element_spec == tf.TensorSpec([], tf.int64)
    assert elements(Three().map(lambda x: x + 1)) == [1, 2, 3]
    with pytest.raises(TypeError, match="Can't instantiate abstract class"):
        v1.data.Dataset()


def test_classes_that_libraries_derive_from(tf, internal):
    dataset_ops = internal("data.ops.dataset_ops")

    class Source(dataset_ops.DatasetSource):
        element_spec = tf.TensorSpec([], tf.int64)

        def __init__(self):
            super().__init__(tf.raw_ops.RangeDataset(start=0, stop=4, step=1, **self._flat_structure))

    class Skipped(dataset_ops.UnaryUnchangedStructureDataset):
        def __init__(self, dataset):
            op = tf.raw_ops.SkipDataset(input_dataset=dataset._variant_tensor, count=1, **dataset._flat_structure)
            super().__init__(dataset, op)

    assert elements(Skipped(Source())) == [1, 2, 3]


def test_copies(tf, file):
    for dataset in (tf.data.Dataset.range(2), tf.data.TextLineDataset(file), tf.data.experimental.CsvDataset(file, [0, ""])):
        made = copy.copy(dataset)
        assert type(made) is type(dataset) and made is not dataset
        assert elements(made) == elements(dataset)
