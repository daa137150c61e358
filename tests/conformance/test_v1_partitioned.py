"""Variables that are cut into pieces: `get_variable` with a partitioner, `create_partitioned_variables`."""

import functools

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27, 50)


def in_graph(tf, make):
    """make() in a graph, and what a session makes of its result."""
    with tf.Graph().as_default():
        made = make(tf.compat.v1)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            return session.run(made)


def halves(shape, dtype):
    del dtype
    return [2] + [1] * (len(shape.as_list()) - 1)


def test_pieces_of_a_variable(tf):
    def make(v1):
        v = v1.get_variable("v", [5, 2], initializer=v1.ones_initializer(), partitioner=halves)
        assert v.name == "v" and v.shape.as_list() == [5, 2] and v.dtype == tf.float32 and len(v) == 2
        assert [piece.name for piece in v] == ["v/part_0:0", "v/part_1:0"]
        assert [piece.shape.as_list() for piece in v] == [[3, 2], [2, 2]]
        assert [w.name for w in v1.trainable_variables()] == ["v/part_0:0", "v/part_1:0"]
        return [v.as_tensor() * 2, tf.matmul(v, tf.ones([2, 1])), tf.reduce_sum(tf.convert_to_tensor(v))]

    whole, product, total = in_graph(tf, make)
    np.testing.assert_array_equal(whole, np.full([5, 2], 2.0))
    np.testing.assert_array_equal(product, np.full([5, 1], 2.0))
    assert total == 10


def test_values_are_cut(tf):
    def make(v1):
        v = v1.get_variable("v", initializer=tf.range(7), partitioner=v1.fixed_size_partitioner(3))
        return [*v, v.as_tensor()]

    found = in_graph(tf, make)
    assert [x.tolist() for x in found] == [[0, 1, 2], [3, 4], [5, 6], [0, 1, 2, 3, 4, 5, 6]]


def test_scopes_hand_their_partitioner_on(tf):
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        with v1.variable_scope("s", partitioner=halves):
            a = v1.get_variable("a", [4])
            with v1.variable_scope("t"):
                b = v1.get_variable("b", [2, 3])
        with v1.variable_scope("s", reuse=True):
            again = v1.get_variable("a", [4])
        assert [w.name for w in [*a, *b]] == ["s/a/part_0:0", "s/a/part_1:0", "s/t/b/part_0:0", "s/t/b/part_1:0"]
        assert again is a


def test_assignments(tf):
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        v = v1.get_variable("v", [3], initializer=v1.zeros_initializer(), partitioner=halves)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(v.assign(tf.constant([1.0, 2.0, 3.0])))
            session.run(v.assign_add(tf.constant([1.0, 1.0, 1.0])))
            session.run(v.assign_sub([tf.constant([0.5, 0.5]), tf.constant([0.5])]))
            assert session.run(v.as_tensor()).tolist() == [1.5, 2.5, 3.5]


def test_list_of_pieces(tf):
    def make(v1):
        pieces = v1.create_partitioned_variables([4, 3], [1, 3], v1.zeros_initializer(), dtype=tf.float64)
        more = v1.create_partitioned_variables([2], [1], tf.constant([1, 2]), name="named", trainable=False)
        again = v1.create_partitioned_variables([4, 3], [1, 1], v1.zeros_initializer())
        assert isinstance(pieces, list) and isinstance(more, list)
        assert [v.name for v in pieces] == [f"PartitionedVariable/part_{i}:0" for i in range(3)]
        assert [v.name for v in again] == ["PartitionedVariable_1/part_0:0"]
        assert [v.shape.as_list() for v in pieces] == [[4, 1]] * 3 and pieces[0].dtype == tf.float64
        assert more[0].name == "named/part_0:0" and not more[0].trainable
        return more

    assert in_graph(tf, make)[0].tolist() == [1, 2]


def test_lookup_and_training(tf):
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        table = v1.get_variable("table", initializer=tf.reshape(tf.range(10.0), [5, 2]), partitioner=halves)
        rows = tf.nn.embedding_lookup(list(table), [0, 4, 2])
        loss = tf.reduce_sum(rows)
        step = v1.train.GradientDescentOptimizer(1.0).minimize(loss)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            before = session.run(rows)
            session.run(step)
            after = session.run(rows)
    np.testing.assert_allclose(before - after, np.ones([3, 2]))


MISTAKES = [
    (lambda v1: v1.get_variable("v", [None], partitioner=halves), ValueError, "fully defined"),
    (lambda v1: v1.get_variable("v", [2], partitioner=3), ValueError, "must be callable"),
    (lambda v1: v1.get_variable("v", [2], partitioner=lambda shape, dtype: 3), ValueError, "must return a sequence"),
    (lambda v1: v1.get_variable("v", [2], partitioner=lambda shape, dtype: [1, 1]), ValueError, "does not match the"),
    (lambda v1: v1.get_variable("v", [2], partitioner=lambda shape, dtype: [0]), ValueError, "zero partitions"),
    (lambda v1: v1.get_variable("v", [2, 2], partitioner=lambda shape, dtype: [2, 2]), ValueError, "one dimension"),
    (lambda v1: [v1.get_variable("v", [2], partitioner=halves) for _ in range(2)], ValueError, "already exists"),
    (lambda v1: [v1.get_variable("v", [2], partitioner=p) for p in (halves, None)], ValueError, "No partitioner was"),
    (lambda v1: [v1.get_variable("v", [2], partitioner=p) for p in (None, halves)], ValueError, "unpartitioned version"),
    (lambda v1: v1.create_partitioned_variables([2], [1, 1], v1.zeros_initializer()), ValueError, "must have the length"),
    (lambda v1: v1.create_partitioned_variables([], [], v1.zeros_initializer()), ValueError, "rank at least 1"),
]


@pytest.mark.parametrize("make, error, words", MISTAKES)
def test_mistakes(tf, make, error, words):
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        make(tf.compat.v1)


def test_other_pieces_than_before(tf):
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        v1.get_variable("v", [4], partitioner=halves)
        with v1.variable_scope("", reuse=True):
            with pytest.raises(ValueError, match=r"specified partitions"):
                v1.get_variable("v", [4], partitioner=v1.fixed_size_partitioner(4))
            with pytest.raises(ValueError, match=r"specified shape"):
                v1.get_variable("v", [6], partitioner=halves)
            with pytest.raises(ValueError, match=r"does not exist"):
                v1.get_variable("w", [6], partitioner=halves)


@pytest.mark.parametrize("partitioned", [False, True])
def test_initializers_are_told_their_part(tf, partitioned):
    seen = []

    def initial(shape, dtype, partition_info):
        seen.append((shape, partition_info))
        start = 0 if partition_info is None else partition_info.single_offset(shape)
        return tf.fill(shape, tf.cast(start, dtype))

    def make(v1):
        v = v1.get_variable("v", [5, 2], initializer=initial, partitioner=halves if partitioned else None)
        return tf.convert_to_tensor(v)[:, 0]

    values = in_graph(tf, make).tolist()
    if not partitioned:
        assert seen == [([5, 2], None)] and values == [0] * 5
        return
    assert [shape for shape, _ in seen] == [[3, 2], [2, 2]] and values == [0, 0, 0, 3, 3]
    assert [(part.full_shape, part.var_offset) for _, part in seen] == [([5, 2], [0, 0]), ([5, 2], [3, 0])]
    second = seen[1][1]
    assert second.single_slice_dim([2, 2]) == 0
    for shape, words in [([5, 2], "would exceed"), ([1, 1], "could be either"), ([2], "Expected equal length")]:
        with pytest.raises(ValueError, match=words):
            second.single_slice_dim(shape)


class OneOfParts:
    def __call__(self, shape, dtype, partition_info):
        assert partition_info is None
        return np.ones(shape, dtype.as_numpy_dtype)


@pytest.mark.parametrize("initial", [OneOfParts(), OneOfParts, OneOfParts().__call__, functools.partial(OneOfParts.__call__, None)])
def test_other_callables_that_take_the_part(tf, initial):
    assert in_graph(tf, lambda v1: v1.get_variable("v", [2], initializer=initial)).tolist() == [1, 1]
    eager = tf.compat.v1.get_variable("of_an_initializer", [2], initializer=initial)
    assert eager.numpy().tolist() == [1, 1]


@pytest.mark.parametrize("name", ["glorot_uniform", "uniform_unit_scaling", "variance_scaling"])
def test_pieces_are_scaled_as_the_whole(tf, name):
    def make(v1):
        tf.compat.v1.set_random_seed(1)
        initial = getattr(v1, f"{name}_initializer")()
        return v1.get_variable("v", [4096, 4], initializer=initial, partitioner=v1.fixed_size_partitioner(64)).as_tensor()

    assert np.abs(in_graph(tf, make)).max() < 0.06


def test_pieces_of_an_identity_matrix(tf):
    initial = tf.compat.v1.initializers.identity(2.0)
    found = in_graph(tf, lambda v1: v1.get_variable("v", [5, 5], initializer=initial, partitioner=halves).as_tensor())
    np.testing.assert_array_equal(found, 2 * np.eye(5))


def test_saving_pieces(tf, tmp_path):
    v1, path = tf.compat.v1, str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        whole = v1.get_variable("rows", initializer=tf.reshape(tf.range(6.0), [3, 2]), partitioner=v1.fixed_size_partitioner(2))
        plain = v1.get_variable("plain", initializer=1.0)
        saver = v1.train.Saver([whole, plain])
        session.run(v1.global_variables_initializer())
        saver.save(session, path)
        assert sorted(v1.train.list_variables(path)) == [("plain", []), ("rows", [3, 2])]
        session.run([part.assign(tf.zeros_like(part)) for part in whole])
        v1.train.Saver({"rows": whole}).restore(session, path)
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(whole)), np.arange(6.0).reshape(3, 2))
        with pytest.raises(ValueError, match="At least two variables have the same name: rows"):
            v1.train.Saver([whole, whole])
