"""tensorflow.python.ops.structured: public functions take StructuredTensors once `structured_ops` has been imported."""

import pytest

pytestmark = pytest.mark.rule("surface")

PEOPLE = [{"age": 12, "w": [1]}, {"age": 82, "w": [2, 3]}, {"age": 42, "w": []}]
DEEP = [[{"x": 1, "y": {"z": [1, 2]}}, {"x": 2, "y": {"z": []}}], [], [{"x": 3, "y": {"z": [5]}}]]


@pytest.fixture
def make(tf, internal):
    internal("ops.structured.structured_ops")
    return tf.experimental.StructuredTensor.from_pyval


def test_shapes(tf, make):
    people, deep, one = make(PEOPLE), make(DEEP), make({"a": 1})
    assert tf.shape(deep).static_lengths() == [3, (2, 0, 1)] and tf.shape(deep).dtype == tf.int32
    assert tf.shape(people, out_type=tf.int64).dtype == tf.int64 and tf.compat.v1.shape(one).static_lengths() == []
    assert [int(tf.size(s)) for s in (people, deep, one)] == [3, 3, 1] and tf.size(deep, out_type=tf.int64).dtype == tf.int64
    assert [int(tf.rank(s)) for s in (people, deep, one)] == [1, 2, 0]
    assert tf.zeros_like(deep).to_list() == [[0.0, 0.0], [], [0.0]]
    assert tf.ones_like(people, dtype=tf.int32).numpy().tolist() == [1, 1, 1] and tf.ones_like(one).shape == []
    assert tf.compat.v1.zeros_like(deep, dtype=tf.int64).dtype == tf.int64


def test_more_dimensions(tf, make):
    assert tf.expand_dims(make(DEEP), 0).to_pyval() == [DEEP]
    assert tf.expand_dims(make(DEEP), 1).to_pyval() == [[row] for row in DEEP]
    assert tf.expand_dims(make(DEEP), -1).to_pyval() == [[[x] for x in row] for row in DEEP]
    assert tf.compat.v1.expand_dims(make(PEOPLE), dim=1).to_pyval() == [[p] for p in PEOPLE]
    assert tf.expand_dims(make({"a": 1}), 0).to_pyval() == [{"a": 1}]
    assert tf.expand_dims(make([[{}, {}], []]), 0).to_pyval() == [[[{}, {}], []]]
    with pytest.raises(ValueError, match="axis=3 out of bounds"):
        tf.expand_dims(make(PEOPLE), 3)


def test_selections(tf, make):
    assert tf.gather(make(PEOPLE), [2, 0]).to_pyval() == [PEOPLE[2], PEOPLE[0]]
    assert tf.gather(make(DEEP), [2, 0]).to_pyval() == [DEEP[2], DEEP[0]]
    assert tf.gather(make(PEOPLE), tf.ragged.constant([[2, 0], [1]])).to_pyval() == [[PEOPLE[2], PEOPLE[0]], [PEOPLE[1]]]
    assert tf.gather(make(PEOPLE), 1).to_pyval() == PEOPLE[1]
    assert tf.gather(make([DEEP[0], DEEP[2]]), [[1], [0]], batch_dims=1).to_pyval() == [DEEP[0][1:], DEEP[2]]
    shuffled = tf.random.shuffle(make(PEOPLE)).to_pyval()
    assert sorted(shuffled, key=lambda p: p["age"]) == sorted(PEOPLE, key=lambda p: p["age"])
    for call in (lambda: tf.random.shuffle(make({"a": 1})), lambda: tf.gather(make(PEOPLE), [0], axis=1)):
        with pytest.raises(ValueError):
            call()


def test_concatenation(tf, make):
    assert tf.concat([make(PEOPLE), make(PEOPLE[:1])], 0).to_pyval() == PEOPLE + PEOPLE[:1]
    assert tf.concat([make(DEEP), make(DEEP)], -1).to_pyval() == [row + row for row in DEEP]

    @tf.function
    def twice(s):
        return tf.concat([s, s], 0), tf.gather(s, [1]), tf.expand_dims(s, 1)

    both, one, more = twice(make(PEOPLE))
    assert both.to_pyval() == PEOPLE * 2 and one.to_pyval() == PEOPLE[1:2] and more.to_pyval() == [[p] for p in PEOPLE]
    for other, text in ((make([{"age": 1}]), "Some paths are present"), (make([PEOPLE]), "Ranks of sub-message"),
                        (tf.constant([1]), "list of StructuredTensors")):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            tf.concat([make(PEOPLE), other], 0)


def test_older_specs(tf, internal):
    spec = internal("ops.structured.structured_tensor").StructuredTensorSpec
    made = spec([None], {"a": tf.TensorSpec([None, 2])})
    assert isinstance(made, tf.experimental.StructuredTensor.Spec) and made.shape.as_list() == [None]
    for args in (([None], [1]), ([None], {1: tf.TensorSpec([None])}), ([None], {"a": 1}), (None, {"a": tf.TensorSpec([None])})):
        with pytest.raises(TypeError):
            spec(*args)
    with pytest.raises(ValueError, match="must be at least 1"):
        spec([None], {"a": tf.TensorSpec([])})
