"""`tf.experimental.StructuredTensor`: how it is made, its parts, other forms of it, in functions and in datasets."""

import pickle

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")

PEOPLE = [{"age": 12, "names": ["Jo"]}, {"age": 82, "names": ["Bob", "Bobby"]}, {"age": 42, "names": []}]
DEEP = [[{"x": 1, "y": {"z": [1, 2]}}, {"x": 2, "y": {"z": []}}], [], [{"x": 3, "y": {"z": [5]}}]]
READ = [{"age": p["age"], "names": [name.encode() for name in p["names"]]} for p in PEOPLE]


@pytest.fixture
def structured(tf):
    return tf.experimental.StructuredTensor


@pytest.fixture
def rows(tf):
    return tf.experimental.RowPartition


@pytest.mark.parametrize("value", [{"a": 1}, {"a": [1, 2], "b": [[4], [5, 6]]}, [{"a": 1.5}, {"a": 2.5}], DEEP, {}, [{}, {}],
                                   [[{}, {}], [{}]], [[[{"a": 1}], []], [[{"a": 2}, {"a": 3}]]], [{"a": {"b": {"c": [1]}}}]])  # fmt: skip
def test_python_values_and_back(structured, value):
    assert structured.from_pyval(value).to_pyval() == value


def test_parts(tf, structured):
    people, deep = structured.from_pyval(PEOPLE), structured.from_pyval(DEEP)
    assert (people.rank, people.shape.as_list(), people.row_partitions, int(people.nrows())) == (1, [3], (), 3)
    assert people.nrows().dtype == tf.int64 and structured.from_pyval({"a": 1}).nrows() is None
    assert (deep.rank, deep.shape.as_list()) == (2, [3, None]) and set(deep.field_names()) == {"x", "y"}
    assert deep.row_partitions[0].row_splits().numpy().tolist() == [0, 2, 2, 3]
    assert deep.field_value(("y", "z")).to_list() == [[[1, 2], []], [], [[5]]]
    assert repr(structured.from_pyval({"a": 1})).split() == "<StructuredTensor( fields={ \"a\": tf.Tensor(1, shape=(), dtype=int32)}, shape=())>".split()  # fmt: skip
    for path in (("x", "z"), "q"):
        with pytest.raises(KeyError):
            deep.field_value(path)


def test_values_that_are_no_structures(tf, structured):
    assert structured.from_pyval(3).dtype == tf.int32
    assert structured.from_pyval([[1], [2, 3]]).to_list() == [[1], [2, 3]]


def test_subscripts(tf, structured):
    people, deep = structured.from_pyval(PEOPLE), structured.from_pyval(DEEP)
    assert people[1].to_pyval() == READ[1] and people[-1, "age"].numpy() == 42
    assert people[1:].to_pyval() == READ[1:] and people[::2].to_pyval() == READ[::2]
    assert people[tf.constant(1)]["names"].numpy().tolist() == [b"Bob", b"Bobby"]
    assert people[:, "age"].numpy().tolist() == [12, 82, 42] and people[:, "names", :1].to_list() == [[b"Jo"], [b"Bob"], []]
    assert deep[0, 1].to_pyval() == DEEP[0][1] and deep[:, :1].to_pyval() == [DEEP[0][:1], [], DEEP[2]]
    assert deep[0, 0, "y", "z", 1].numpy() == 2 and deep[1].to_pyval() == []
    one = structured.from_pyval({"a": [1, 2]})
    assert one["a", 1].numpy() == 2 and one[:, 0].to_pyval() == {"a": 1} and one[()] is one
    for key, text in ((None, "tf.newaxis"), (..., "Slicing not supported"), ((0, 0), "must be a string")):
        with pytest.raises(ValueError, match=text):
            people[key]
    with pytest.raises(ValueError, match="must be a string or a full slice"):
        one[0]


def test_fields(tf, structured, rows):
    made = structured.from_fields({"a": [1, 2], "b": tf.ragged.constant([[1], []])}, shape=[None])
    assert made.shape == [2] and made.to_pyval() == [{"a": 1, "b": [1]}, {"a": 2, "b": []}]
    nested = structured.from_fields({"p": made, "c": ["x", "y"]}, [2])
    assert nested.to_pyval()[1] == {"p": {"a": 2, "b": []}, "c": b"y"}
    dense = structured.from_fields({"a": [[1, 2, 3], [4, 5, 6]]}, [None, None])
    assert dense.shape == [2, 3] and int(dense.row_partitions[0].uniform_row_length()) == 3
    empty = structured.from_fields({}, [2, None], row_partitions=[rows.from_row_splits([0, 1, 4])])
    assert empty.to_pyval() == [[{}], [{}, {}, {}]]
    assert structured.from_fields({}, [None], nrows=3).to_pyval() == [{}, {}, {}]
    assert structured.from_shape(tf.experimental.DynamicRaggedShape.from_lengths([2, 2])).to_pyval() == [[{}, {}], [{}, {}]]
    both = structured.from_fields_and_rank({"a": [[1, 2]], "b": tf.ragged.constant([[3, 4]])}, 2)
    assert both.shape == [1, 2] and both.to_pyval() == [[{"a": 1, "b": 3}, {"a": 2, "b": 4}]]
    assert structured.from_fields_and_rank({"a": [1]}, 1, dtype=tf.int32).nrows().dtype == tf.int32


MISTAKES = [
    (lambda s: s.from_fields({"a": [1, 2], "b": [1]}, [None]), ValueError, "Error in shape of b"),
    (lambda s: s.from_fields({"a": [1, 2]}, [3]), ValueError, r"Shapes \(3,\) and \(2,\) are not compatible"),
    (lambda s: s.from_fields({"a": 1}, None), ValueError, "must have known rank"),
    (lambda s: s.from_fields([1]), TypeError, "fields must be a dictionary, got list"),
    (lambda s: s.from_fields({"a": 1}, nrows=3), ValueError, "nrows must be None if"),
    (lambda s: s.from_fields({}, [None]), ValueError, "Must specify `nrows`"),
    (lambda s: s.from_fields({}, [None, None]), ValueError, "Must specify row_partitions"),
    (lambda s: s.from_fields({}, [2, None], row_partitions=[]), ValueError, "must be shape.rank-1"),
    (lambda s: s.from_fields({1: 1}), TypeError, "Unexpected type for key"),
    (lambda s: s.from_fields({"1a": 1}), ValueError, "'1a' is not currently allowed"),
    (lambda s: s.from_fields({"a": object()}), TypeError, "Unexpected type for value in `fields`"),
    (lambda s: s.from_fields_and_rank({}, 1), ValueError, "at least one field"),
    (lambda s: s.from_fields_and_rank({"a": 1}, -1), ValueError, "nonnegative"),
    (lambda s: s.from_pyval([{"a": 1}, [{"a": 1}]]), ValueError, "Inconsistent depth"),
    (lambda s: s.from_pyval([{"a": 1}, 3]), ValueError, "Expected dict or nested"),
    (lambda s: s.from_pyval([{"a": 1, "b": 2}, {"a": 3}]), KeyError, "b"),
    (lambda s: s.from_pyval({"a": {"b": [1, "x"]}}), ValueError, r"Error parsing path \('a', 'b'\)"),
    (lambda s: s.from_pyval(DEEP).merge_dims(0, 2), ValueError, "inner_axis=2 out of bounds"),
    (lambda s: s.from_pyval(DEEP).merge_dims(1, 0), ValueError, "to be less than or equal"),
    (lambda s: s.from_pyval(PEOPLE).partition_outer_dimension([0, 3]), TypeError, "must be a RowPartition"),
    (lambda s: s.from_pyval(DEEP).promote(("x",), "a"), ValueError, "at least two"),
    (lambda s: s.from_pyval(DEEP).promote(("y", "z"), 3), ValueError, "new_name is not a string"),
]


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(structured, case):
    make, error, text = MISTAKES[case]
    with pytest.raises(error, match=text):
        make(structured)


def test_specs(tf, structured):
    people, deep = structured.from_pyval(PEOPLE), structured.from_pyval(DEEP)
    spec = tf.type_spec_from_value(deep)
    assert isinstance(spec, structured.Spec) and spec.shape.as_list() == [3, None] and spec.is_compatible_with(deep)
    assert structured.from_pyval(PEOPLE, tf.type_spec_from_value(people)).to_pyval() == READ
    assert structured.from_pyval(DEEP, spec).to_pyval() == DEEP
    assert tf.type_spec_from_value(deep.with_shape_dtype(tf.int32)) != spec
    made = structured.Spec._from_fields_and_rank({"a": tf.TensorSpec([2, 3]), "b": tf.TensorSpec([None, None])}, 2)
    assert made.shape == [2, 3] and made.rank == 2
    one = tf.type_spec_from_value(structured.from_pyval({"a": 1, "b": [1]}))
    for value, text in (({"a": 2}, r"at \(\)"), ({"a": 2, "b": [3, 4]}, r"at \('b',\)"), ({"a": [2], "b": [3]}, r"at \('a',\)")):
        with pytest.raises(ValueError, match=text):
            structured.from_pyval(value, one)


def test_updates(structured):
    people, deep = structured.from_pyval(PEOPLE), structured.from_pyval(DEEP)
    made = people.with_updates({"age": lambda x: x + 1, "names": None, "new": [1.0, 2.0, 3.0]})
    assert made.to_pyval() == [{"age": 13, "new": 1.0}, {"age": 83, "new": 2.0}, {"age": 43, "new": 3.0}]
    assert deep.with_updates({("y", "z"): lambda t: t * 2}).field_value(("y", "z")).to_list() == [[[2, 4], []], [], [[10]]]
    assert deep.with_updates({("y", "w"): deep.field_value("x")}).field_value(("y", "w")).to_list() == [[1, 2], [], [3]]
    for updates, text in (
        ({("y",): None, ("y", "z"): None}, "both parent and child"),
        ({("q", "z"): 1}, r"sub-field \('q', 'z'\) if parent field \('q',\) is not set"),
        ({("x", "z"): 1}, "is not a `StructuredTensor`"),
        ({"q": lambda t: t}, "does not already exist"),
        ({"q": None}, "cannot delete field"),
        ({"": 1}, "empty names"),
        ({"x": [1, 2]}, "failed"),
    ):
        with pytest.raises(ValueError, match=text):
            deep.with_updates(updates)


def test_other_forms(structured, rows):
    deep = structured.from_pyval(DEEP)
    assert deep.merge_dims(0, -1).to_pyval() == [DEEP[0][0], DEEP[0][1], DEEP[2][0]]
    three = structured.from_pyval([[[{"a": 1}, {"a": 2}], [{"a": 3}]], [[{"a": 4}]]])
    assert three.merge_dims(0, 1).to_pyval() == [[{"a": 1}, {"a": 2}], [{"a": 3}], [{"a": 4}]]
    assert three.merge_dims(1, 2).to_pyval() == [[{"a": 1}, {"a": 2}, {"a": 3}], [{"a": 4}]]
    dense = structured.from_fields({"a": np.arange(8).reshape(2, 2, 2)}, [2, 2, 2])
    assert dense.merge_dims(1, 2).shape.as_list() == [2, None] and dense.merge_dims(0, 2).shape == [8]
    people = structured.from_pyval(PEOPLE)
    divided = people.partition_outer_dimension(rows.from_row_lengths([2, 0, 1]))
    assert divided.shape.as_list() == [3, None] and divided.to_pyval() == [READ[:2], [], READ[2:]]
    two = people[:2].partition_outer_dimension(rows.from_uniform_row_length(2, 2))
    assert two.shape == [1, 2] and two.field_value("age").shape == [1, 2]
    docs = structured.from_pyval([{"docs": [{"w": [1, 2]}, {"w": [3]}]}, {"docs": [{"w": [7]}]}])
    promoted = docs.promote(("docs", "w"), "all")
    assert promoted.field_value("all").to_list() == [[1, 2, 3], [7]] and promoted.shape == [2]


def test_in_functions(tf, structured):
    @tf.function
    def older(people, years):
        traced.append((people.shape, people.rank))
        for _ in tf.range(years):
            people = people.with_updates({"age": people.field_value("age") + 1})
        if years > 5:
            people = people.with_updates({"age": lambda age: age * 0})
        return people, tf.reduce_sum(people[:, "age"])

    traced = []
    people = structured.from_pyval(PEOPLE)
    made, total = older(people, tf.constant(2))
    assert [p["age"] for p in made.to_pyval()] == [14, 84, 44] and int(total) == 142
    assert int(older(structured.from_pyval(PEOPLE), tf.constant(9))[1]) == 0 and len(traced) == 1
    assert tf.function(lambda s: s)(structured.from_pyval(DEEP)).to_pyval() == DEEP
    with pytest.raises(ValueError, match="only supported in eager mode"):
        tf.function(lambda s: s.to_pyval())(people)


def test_sizes_that_only_the_program_knows(tf, structured):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def made(x):
        s = structured.from_fields({"a": x, "b": x * 2}, shape=[None, None])
        return s, s.merge_dims(0, 1), s[0]

    whole, flat, first = made([[1, 2, 3], [4, 5, 6]])
    assert whole.to_pyval()[1][2] == {"a": 6, "b": 12}
    assert len(flat.to_pyval()) == 6 and first.to_pyval()[1] == {"a": 2, "b": 4}

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def of_two(x, y):
        return structured.from_fields({"a": x, "b": y}, shape=[None])

    assert of_two([1.0], [2.0]).to_pyval() == [{"a": 1.0, "b": 2.0}]


def test_gradients(tf, structured):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = structured.from_fields({"a": x * x, "b": x}, [2])
        y = tf.reduce_sum(s[:, "a"] * s[:, "b"])
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 12.0]


def test_datasets(tf, structured):
    people, deep = structured.from_pyval(PEOPLE), structured.from_pyval(DEEP)
    (whole,) = tf.data.Dataset.from_tensors(deep)
    assert whole.to_pyval() == DEEP
    each = tf.data.Dataset.from_tensor_slices(people)
    assert [x.to_pyval() for x in each] == READ and each.element_spec.shape == []
    assert [x.to_pyval() for x in tf.data.Dataset.from_tensor_slices(deep)] == DEEP
    plain = tf.data.Dataset.from_tensor_slices(structured.from_pyval([{"a": 1, "b": 2.0}, {"a": 3, "b": 4.0}]))
    assert [x.to_pyval() for x in plain.batch(2)] == [[{"a": 1, "b": 2.0}, {"a": 3, "b": 4.0}]]
    assert tf.map_fn(lambda s: s["age"] * 2, people, fn_output_signature=tf.int32).numpy().tolist() == [24, 164, 84]


def test_saved_models(tf, structured, tmp_path):
    class Model(tf.Module):
        @tf.function
        def older(self, people):
            return people.with_updates({"age": lambda age: age + 1})

    model, people = Model(), structured.from_pyval(PEOPLE)
    model.older(people)
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert [p["age"] for p in loaded.older(people).to_pyval()] == [13, 83, 43]
    assert pickle.loads(pickle.dumps(tf.type_spec_from_value(people))) == tf.type_spec_from_value(people)


def test_nests_and_equality(tf, structured):
    people = structured.from_pyval(PEOPLE)
    assert tf.nest.map_structure(lambda t: t, people, expand_composites=True).to_pyval() == READ
    assert bool(people == structured.from_pyval(PEOPLE)) and not bool(people == structured.from_pyval(PEOPLE[:2]))
    assert tf.concat([people], 0).to_pyval() == READ and tf.identity(people).to_pyval() == READ
    with pytest.raises(AttributeError, match="Cannot mutate attribute"):
        people.x = 3
    with pytest.raises((TypeError, ValueError)):
        people + 1
