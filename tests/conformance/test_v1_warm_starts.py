"""tf.compat.v1.train.warm_start: models of TensorFlow 1 that begin with the values of others."""

import re

import numpy as np
import pytest

pytestmark = pytest.mark.rule(27)

OLD = np.arange(8, dtype=np.float32).reshape(4, 2)


@pytest.fixture
def checkpoint(tf, v1, tmp_path):
    """A checkpoint by names: `w` and `other/b`, and `matrix`, whose rows are of the words a, b, c, d."""
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("w", initializer=[1.0, 2.0])
        v1.get_variable("other/b", initializer=3.0, trainable=False)
        v1.get_variable("matrix", initializer=OLD)
        v1.get_variable("sideways", initializer=OLD.T)
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, str(tmp_path / "c"))
    (tmp_path / "old.txt").write_text("a\nb\nc\nd\n")
    (tmp_path / "new.txt").write_text("d\nx\nb\ny\nz\n")
    return path


def values(v1, *variables):
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return session.run(list(variables))


def test_trainable_variables_by_a_pattern(tf, v1, checkpoint):
    with tf.Graph().as_default():
        w = v1.get_variable("w", [2])
        matrix = v1.get_variable("matrix", initializer=tf.zeros([4, 2]))
        v1.get_variable("other/b", initializer=0.5, trainable=False)
        v1.train.warm_start(checkpoint, "w")
        assert [x.tolist() for x in values(v1, w, matrix)] == [[1.0, 2.0], [[0.0, 0.0]] * 4]
        v1.train.warm_start(checkpoint)
        assert values(v1, matrix)[0].tolist() == OLD.tolist()


def test_all_variables_by_patterns_and_by_themselves(tf, v1, checkpoint):
    with tf.Graph().as_default():
        w, b = v1.get_variable("w", [2]), v1.get_variable("other/b", initializer=0.5, trainable=False)
        v1.train.warm_start(checkpoint, ["oth", "w"])
        assert [x.tolist() for x in values(v1, w, b)] == [[1.0, 2.0], 3.0]
    with tf.Graph().as_default():
        w, b = v1.get_variable("w", [2]), v1.get_variable("other/b", initializer=0.5, trainable=False)
        v1.train.warm_start(checkpoint, [b])
        assert float(values(v1, b)[0]) == 3.0


def test_other_names(tf, v1, checkpoint):
    with tf.Graph().as_default():
        a, b = v1.get_variable("a", [2]), v1.get_variable("b", [2])
        v1.train.warm_start(checkpoint, "[ab]", var_name_to_prev_var_name={"a": "w", "b": "w"})
        assert [x.tolist() for x in values(v1, a, b)] == [[1.0, 2.0]] * 2


def test_checkpoints_of_objects(tf, v1, tmp_path):
    path = tf.train.Checkpoint(x=tf.Variable([1.0, 2.0], name="w")).save(str(tmp_path / "c"))
    with tf.Graph().as_default():
        w = v1.get_variable("w", [2])
        v1.train.warm_start(path)
        assert values(v1, w)[0].tolist() == [1.0, 2.0]
        v1.get_variable("lost", [2])
        with pytest.raises(ValueError, match="The following variables were missing: {'lost'}"):
            v1.train.warm_start(path)


@pytest.mark.parametrize("size", [5, 3])
def test_words_of_rows(tf, v1, checkpoint, tmp_path, size):
    info = v1.train.VocabInfo(
        str(tmp_path / "new.txt"), size, 1, str(tmp_path / "old.txt"), backup_initializer=tf.ones_initializer()
    )
    assert (info.old_vocab_size, info.axis) == (-1, 0)
    with tf.Graph().as_default():
        matrix = v1.get_variable("matrix", [size + 1, 2])
        v1.train.warm_start(checkpoint, None, var_name_to_vocab_info={"matrix": info})
        expected = [OLD[3], [1, 1], OLD[1], [1, 1], [1, 1]][:size] + [[1, 1]]
        np.testing.assert_array_equal(values(v1, matrix)[0], expected)


def test_some_of_the_old_words(tf, v1, checkpoint, tmp_path):
    info = v1.train.VocabInfo(str(tmp_path / "new.txt"), 5, 0, str(tmp_path / "old.txt"), old_vocab_size=2)
    with tf.Graph().as_default():
        matrix = v1.get_variable("here", [5, 2])
        v1.train.warm_start(checkpoint, "here", {"here": info}, {"here": "matrix"})
        np.testing.assert_array_equal(values(v1, matrix)[0], [[0, 0], [0, 0], OLD[1], [0, 0], [0, 0]])


def test_words_of_columns(tf, v1, checkpoint, tmp_path):
    info = v1.train.VocabInfo(str(tmp_path / "new.txt"), 4, 1, str(tmp_path / "old.txt"), axis=1)
    with tf.Graph().as_default():
        matrix = v1.get_variable("sideways", [2, 5])
        v1.train.warm_start(checkpoint, var_name_to_vocab_info={"sideways": info})
        zero = [0, 0]
        np.testing.assert_array_equal(values(v1, matrix)[0], np.transpose([OLD[3], zero, OLD[1], zero, zero]))


def test_words_of_rows_in_pieces(tf, v1, checkpoint, tmp_path):
    info = v1.train.VocabInfo(str(tmp_path / "new.txt"), 5, 1, str(tmp_path / "old.txt"))
    with tf.Graph().as_default():
        matrix = v1.get_variable("matrix", [6, 2], partitioner=v1.fixed_size_partitioner(2))
        v1.train.warm_start(checkpoint, var_name_to_vocab_info={"matrix": info})
        zero = [0, 0]
        found = np.concatenate(values(v1, *matrix))
        np.testing.assert_array_equal(found, [OLD[3], zero, OLD[1], zero, zero, zero])


def test_mistakes(tf, v1, checkpoint):
    with pytest.raises(ValueError, match="The only supported values for the axis argument are 0 and 1.  Provided axis: 2"):
        v1.train.VocabInfo("a", 1, 0, "b", axis=2)
    with tf.Graph().as_default():
        v1.get_variable("w", [2])
        text = "You provided the following variables in var_name_to_prev_var_name that were not used: {'x'}."
        with pytest.raises(ValueError, match=re.escape(text)):
            v1.train.warm_start(checkpoint, var_name_to_prev_var_name={"x": "w"})
        info = v1.train.VocabInfo("a", 1, 0, "b")
        text = "You provided the following variables in var_name_to_vocab_info that were not used: {'x'}."
        with pytest.raises(ValueError, match=re.escape(text)):
            v1.train.warm_start(checkpoint, var_name_to_vocab_info={"x": info})
        for wrong in ([3], ["w", 3]):
            with pytest.raises(ValueError, match="If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`"):
                v1.train.warm_start(checkpoint, wrong)
        with pytest.raises(ValueError, match="`vars_to_warm_start must be a `list` or `str`"):
            v1.train.warm_start(checkpoint, 3)
        v1.get_variable("new", [2])
        with pytest.raises(ValueError, match="Tensor new is not found in .* checkpoint"):
            v1.train.warm_start(checkpoint)
