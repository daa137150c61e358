"""Names below tensorflow.python that libraries use, and tests with sessions."""

import os
import subprocess
import sys
import unittest

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


def test_conversions(tf, internal):
    ops = internal("framework.ops")
    assert ops.convert_to_tensor([1, 2], preferred_dtype=tf.float32).dtype == tf.float32
    assert ops.convert_to_tensor([1, 2], dtype=tf.int64).dtype == tf.int64
    assert [t.dtype for t in ops.convert_n_to_tensor([1, 2.0])] == [tf.int32, tf.float32]
    ragged = tf.ragged.constant([[1], []])
    assert ops.convert_to_tensor_or_composite(ragged) is ragged
    assert int(ops.convert_to_tensor_or_composite(3)) == 3
    with pytest.raises(ValueError, match="Requested dtype is float32"):
        ops.convert_to_tensor_or_composite(ragged, tf.float32)
    with pytest.raises(TypeError, match="values must be a sequence"):
        ops.convert_n_to_tensor(3)
    found = ops.convert_n_to_tensor_or_composite([ragged, 1])
    assert found[0] is ragged
    assert ops.uid() != ops.uid()


def test_name_scopes(tf, internal):
    ops = internal("framework.ops")
    with ops.name_scope("eager") as scope:
        assert scope is None
    with tf.Graph().as_default():
        with ops.name_scope(None, "default", [1]) as scope:
            assert scope == "default/"
            assert tf.constant(1).name == "default/Const:0"
        with ops.name_scope("given", "default") as scope:
            assert scope == "given/"
        with pytest.raises(ValueError, match="At least one of name"), ops.name_scope(None, None, [1]):
            pass
    assert ops.name_from_scope_name("a/b/") == "a/b"
    assert ops.strip_name_scope("^a/b/c", "a/b") == "^c"
    assert ops.prepend_name_scope("loc:@c", "a/") == "loc:@a/c"
    assert ops.prepend_name_scope("c", "") == "c"


def test_graphs_from_inputs(tf, internal):
    ops = internal("framework.ops")
    first, second = tf.Graph(), tf.Graph()
    with first.as_default():
        x = tf.constant(1.0)
    with second.as_default():
        y = tf.constant(1.0)
        assert ops._get_graph_from_inputs([]) is second
        assert ops._get_graph_from_inputs([x]) is first
        assert ops._get_graph_from_inputs([3, x.op], first) is first
        with pytest.raises(ValueError, match="must be from the same graph"):
            ops._get_graph_from_inputs([x, y])
        with pytest.raises(ValueError, match="not from the passed-in graph"):
            ops._get_graph_from_inputs([x], second)


def test_generated_functions(tf, internal):
    math_ops, array_ops, nn_ops = (internal(f"ops.{name}") for name in ("math_ops", "array_ops", "nn_ops"))
    assert int(math_ops.maximum(2, 3)) == 3
    assert float(nn_ops.relu(-1.0)) == 0.0
    assert array_ops.diag_part(tf.constant([[1, 2], [3, 4]])).numpy().tolist() == [1, 4]
    assert math_ops.lin_space(0.0, 1.0, 3).numpy().tolist() == [0.0, 0.5, 1.0]
    assert array_ops.constant([1]).numpy().tolist() == [1]


def test_conditionals(tf, internal):
    smart_cond = internal("framework.smart_cond")
    assert smart_cond.smart_constant_value(0) is False
    assert smart_cond.smart_case([(False, lambda: 1), (tf.constant(True), lambda: 2)]) == 2
    assert int(smart_cond.smart_case([(False, lambda: 1)], default=lambda: tf.constant(5))) == 5
    with pytest.raises(TypeError, match="must be a Tensor, or a Python bool"):
        smart_cond.smart_constant_value("yes")
    assert [smart_cond.smart_cond(known, lambda: "yes", lambda: "no") for known in (True, 0, tf.constant(1.0))] == ["yes", "no", "yes"]
    for unclear in (2, "yes", None):
        with pytest.raises(TypeError, match="must be a Tensor, or a Python bool, or 1 or 0"):
            smart_cond.smart_cond(unclear, lambda: 1, lambda: 2)
    with pytest.raises(TypeError, match="Argument `false_fn` must be callable"):
        smart_cond.smart_cond(True, lambda: 1, 2)
    with_dependencies = internal("ops.control_flow_ops").with_dependencies
    assert int(with_dependencies([tf.no_op()], tf.constant(1))) == 1
    with tf.Graph().as_default():
        first = tf.constant(1.0)
        second = with_dependencies([first], tf.constant(2.0), name="both")
        assert second.op.type == "Identity"
        assert [op.name for op in second.op.control_inputs] == [first.op.name]
        assert second.op in first.op._control_outputs


def test_conditionals_and_loops_of_one_node(tf, internal):
    cond_v2, while_loop = internal("ops.cond_v2").cond_v2, internal("ops.while_v2").while_loop
    with pytest.raises(TypeError, match="pred must not be a Python bool"):
        cond_v2(True, lambda: 1, lambda: 2)

    @tf.function
    def f(x):
        return cond_v2(x > 0, lambda: x + 1, lambda: x - 1), while_loop(lambda i: i < 5, lambda i: i + x, [x], return_same_structure=False)

    assert [int(one) for one in f(tf.constant(2))] == [3, 6]
    both = tf.function(lambda x: while_loop(lambda i, j: i < 5, lambda i, j: (i + 1, j), [0, x]))
    assert [int(one) for one in both(tf.constant(7))] == [5, 7]
    assert {node.type for node in f.get_concrete_function(tf.constant(2)).graph.get_operations()} >= {"StatelessIf", "StatelessWhile"}


def test_versions(tf, internal):
    versions = internal("framework.versions")
    assert versions.__version__ == versions.VERSION == tf.__version__
    assert versions.__git_version__ == tf.version.GIT_VERSION


def test_tables_of_files(tf, internal, tmp_path):
    lookup_ops = internal("ops.lookup_ops")
    (tmp_path / "words").write_text("a\nb")
    ids = tf.lookup.StaticHashTable(lookup_ops.TextFileIdTableInitializer(str(tmp_path / "words")), -1)
    texts = tf.lookup.StaticHashTable(lookup_ops.TextFileStringTableInitializer(str(tmp_path / "words")), "?")
    assert ids.lookup(tf.constant(["b", "c"])).numpy().tolist() == [1, -1]
    assert texts.lookup(tf.constant([1, 2], tf.int64)).numpy().tolist() == [b"b", b"?"]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        table = lookup_ops.HashTable(lookup_ops.TextFileIdTableInitializer(str(tmp_path / "words")), -1)
        session.run(table.init)
        assert session.run(table.lookup(tf.constant(["b", "c"]))).tolist() == [1, -1]


def test_variables_of_objects_in_checkpoints(tf, internal, tmp_path):
    checkpoint = internal("checkpoint.checkpoint")
    holder = tf.train.Checkpoint()
    holder.part = internal("trackable.autotrackable").AutoTrackable()
    first = checkpoint.add_variable(holder.part, "first", initializer=[3.0, 4.0])
    counts = checkpoint.add_variable(holder.part, "counts", shape=[2], dtype=tf.int32, trainable=False)
    drawn = checkpoint.add_variable(holder.part, "drawn", shape=[5, 5], dtype=tf.float64)
    ones = checkpoint.add_variable(holder.part, "ones", shape=[2], initializer=tf.compat.v1.ones_initializer)
    assert (first.numpy().tolist(), counts.numpy().tolist(), ones.numpy().tolist()) == ([3.0, 4.0], [0, 0], [1.0, 1.0])
    assert (first.trainable, counts.trainable, drawn.dtype) == (True, False, tf.float64)
    assert 0 < abs(drawn.numpy()).max() <= (6 / 10) ** 0.5
    with pytest.raises(ValueError, match="do not specify shape"):
        checkpoint.add_variable(holder, "other", shape=[], initializer=1.0)
    assert {id(one) for one in checkpoint.list_objects(holder)} >= {id(holder), id(holder.part), id(first)}
    path = holder.save(str(tmp_path / "ckpt"))

    other = tf.train.Checkpoint()
    status = other.restore(path)
    other.part = internal("trackable.autotrackable").AutoTrackable()
    assert checkpoint.add_variable(other.part, "first", shape=[2]).numpy().tolist() == [3.0, 4.0]
    with pytest.raises(AssertionError):
        status.assert_consumed()


def test_objects_of_checkpoints(tf, internal, tmp_path):
    pytest.importorskip("tensorflow" if tf.__name__ == "tensorflow" else "tensorboard")
    checkpoint = internal("checkpoint.checkpoint")
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "ckpt"))
    nodes = checkpoint.object_metadata(path).nodes
    assert [child.local_name for child in nodes[0].children] == ["v", "save_counter"]
    assert nodes[1].attributes[0].checkpoint_key == "v/.ATTRIBUTES/VARIABLE_VALUE"
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variable = tf.Variable(3.0, name="w")
        session.run(checkpoint.gather_initializers(tf.train.Checkpoint(w=variable)))
        path = tf.compat.v1.train.Saver([variable]).save(session, str(tmp_path / "named"))
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        checkpoint.object_metadata(path)


def test_sizes_of_convolutions(internal):
    utils = internal("layers.utils")
    assert utils.convert_data_format("channels_last", 5) == "NDHWC"
    assert utils.normalize_tuple((1, 2), 2, "strides") == (1, 2)
    for padding in ("same", "valid", "full"):
        length = utils.conv_output_length(11, 3, padding, 2)
        assert utils.conv_input_length(length, 3, padding, 2) == 11
    assert [utils.deconv_output_length(5, 3, padding, 2) for padding in ("same", "valid", "full")] == [10, 11, 7]
    for wrong in (lambda: utils.convert_data_format("x", 4), lambda: utils.normalize_tuple((1,), 2, "k"),
                  lambda: utils.normalize_padding("none"), lambda: utils.normalize_data_format("NHWC")):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()


def test_files(tf, internal, tmp_path):
    file_io = internal("lib.io.file_io")
    path, other = str(tmp_path / "a"), str(tmp_path / "b")
    file_io.write_string_to_file(path, "abc")
    file_io.atomic_write_string_to_file(other, b"abc")
    assert file_io.read_file_to_string(path) == "abc"
    assert file_io.read_file_to_string(other, binary_mode=True) == b"abc"
    assert file_io.filecmp(path, other)
    assert file_io.file_crc32(path) == "0x352441c2"
    with pytest.raises(tf.errors.AlreadyExistsError, match="exist"):
        file_io.atomic_write_string_to_file(path, "x", overwrite=False)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


def test_tables(tf, internal, tmp_path):
    lookup_ops = internal("ops.lookup_ops")
    table = lookup_ops.index_table_from_tensor(["a", "b"], num_oov_buckets=1)
    assert table.lookup(tf.constant(["b", "z"])).numpy().tolist() == [1, 2]
    numbers = lookup_ops.index_table_from_tensor(tf.constant([10, 20], tf.int64), dtype=tf.int64, default_value=7)
    assert numbers.lookup(tf.constant([20, 1], tf.int64)).numpy().tolist() == [1, 7]
    path = tmp_path / "words"
    path.write_text("x\ny\n")
    assert lookup_ops.index_table_from_file(str(path)).lookup(tf.constant(["y", "q"])).numpy().tolist() == [1, -1]
    names = lookup_ops.index_to_string_table_from_file(str(path))
    assert names.lookup(tf.constant([0, 9], tf.int64)).numpy().tolist() == [b"x", b"UNK"]
    with pytest.raises(ValueError, match="must be specified"):
        lookup_ops.index_table_from_tensor(None)
    with pytest.raises(ValueError, match="num_oov_buckets"):
        lookup_ops.index_table_from_tensor(["a"], num_oov_buckets=-1)


def test_gradients_in_a_graph(tf, internal):
    checker = internal("ops.gradient_checker")
    with tf.Graph().as_default(), tf.compat.v1.Session():
        x = tf.compat.v1.placeholder(tf.float64, [2])
        exact, near = checker.compute_gradient(x, [2], x * x, [2], np.array([1.0, 2.0]))
        assert exact.tolist() == [[2.0, 0.0], [0.0, 4.0]]
        assert np.allclose(exact, near)
        a, b = tf.constant(np.ones(2)), tf.constant(np.full(2, 3.0))
        error = checker.compute_gradient_error([a, b], [[2], [2]], a * b, [2], [np.ones(2), np.full(2, 3.0)])
        assert error < 1e-8


def test_labels_that_are_sparse_values(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        labels = tf.compat.v1.SparseTensorValue(np.array([[0, 0], [0, 1]]), np.array([1, 2]), np.array([1, 2]))
        value, update = tf.compat.v1.metrics.precision_at_k(labels, tf.constant([[0.1, 0.7, 0.2, 0.6]]), 2)
        session.run(tf.compat.v1.local_variables_initializer())
        assert float(session.run(update)) == 0.5
        assert float(session.run(value)) == 0.5


def test_weights_whose_rank_fits_only_when_it_is_known(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        labels, predictions = (tf.compat.v1.placeholder(tf.float32) for _ in range(2))
        _, update = tf.compat.v1.metrics.precision(labels, predictions, weights=tf.constant([[2], [5]]))
        _, other = tf.compat.v1.metrics.precision(labels, predictions, weights=tf.constant([[1, 2], [3, 4]]))
        session.run(tf.compat.v1.local_variables_initializer())
        fed = {labels: [[0.0, 1.0], [1.0, 0.0]], predictions: [[1.0, 1.0], [1.0, 0.0]]}
        assert float(session.run(update, fed)) == pytest.approx((2 + 5) / (2 + 2 + 5))
        assert float(session.run(other, fed)) == pytest.approx((2 + 3) / (1 + 2 + 3))


def test_sparse_values_in_sessions(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session():
        value = tf.SparseTensor([[0, 1]], [2.0], [1, 3]).eval()
        assert isinstance(value, tf.compat.v1.SparseTensorValue)
        assert value.values.tolist() == [2.0]
        assert value.dense_shape.tolist() == [1, 3]


PROGRAM = """
import {module} as tf

class Test(tf.test.TestCase):
    def test_a(self):
        with self.cached_session():
            v = tf.compat.v1.get_variable("v", [], initializer=tf.compat.v1.zeros_initializer())
            v.initializer.run()
            self.assertEqual((v + 1.0).eval(), 1.0)

    def test_b(self):
        self.assertEqual(tf.compat.v1.global_variables(), [])
        with self.cached_session() as session:
            v = tf.compat.v1.get_variable("v", [], initializer=tf.compat.v1.ones_initializer())
            session.run(v.initializer)
            self.assertEqual(v.eval(), 1.0)

if __name__ == "__main__":
    tf.compat.v1.disable_eager_execution()
    tf.test.main()
"""


def test_test_cases_with_a_default_graph(tf, tmp_path):
    """Each test has a new default graph, and its session is the default one."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(module=tf.__name__))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert issubclass(tf.test.TestCase, unittest.TestCase)


def test_specs_with_bounds(tf, internal):
    bounded = internal("framework.tensor_spec").BoundedTensorSpec
    spec = bounded([2, None], tf.float32, [[-1.0], [0.0]], 3, "x")
    assert isinstance(spec, tf.TensorSpec)
    assert spec.minimum.tolist() == [[-1.0], [0.0]]
    assert spec.maximum.dtype == np.float32
    assert not spec.minimum.flags.writeable
    assert spec == bounded([2, None], tf.float32, [[-1.0], [0.0]], 3.0, "x")
    assert spec != bounded([2, None], tf.float32, -1, 3.0, "x")
    assert repr(bounded([], tf.int32, 0, 2)) == (
        "BoundedTensorSpec(shape=(), dtype=tf.int32, name=None, minimum=array(0, dtype=int32), maximum=array(2, dtype=int32))"
    )
    wide = bounded.from_spec(tf.TensorSpec([3], tf.int8, "y"))
    assert (int(wide.minimum), int(wide.maximum), wide.name) == (-128, 127, "y")
    assert bounded.from_spec(spec) == spec
    with pytest.raises(ValueError, match="`minimum`"):
        bounded([2], tf.float32, [1, 2, 3], 4)
    with pytest.raises(ValueError, match="`maximum` can not be None"):
        bounded([2], tf.float32, 1, None)


def test_a_spec_with_bounds_in_a_signature(tf, internal):
    bounded = internal("framework.tensor_spec").BoundedTensorSpec
    double = tf.function(lambda x: x * 2.0, input_signature=[bounded([None], tf.float32, 0, 1)])
    assert double([1.0, 2.0]).numpy().tolist() == [2.0, 4.0]
    assert double(tf.constant([3.0])).numpy().tolist() == [6.0]
    with pytest.raises(TypeError):
        double(tf.constant([1]))


def test_values_of_composite_tensors_in_tests(tf):
    case = tf.test.TestCase()
    sparse, ragged = case.evaluate([tf.sparse.from_dense([0, 1]), tf.ragged.constant([[1], [2, 3]])])
    assert isinstance(sparse, tf.compat.v1.SparseTensorValue)
    assert sparse.values.tolist() == [1]
    assert isinstance(ragged, tf.compat.v1.ragged.RaggedTensorValue)
    assert ragged.to_list() == [[1], [2, 3]]
    slices = case.evaluate(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0])))
    assert slices.values.tolist() == [[1.0]]


def test_nests_as_messages(tf, internal):
    if tf.__name__ != "tensorflow":
        pytest.importorskip("tensorboard")
    coder, bounded = internal("saved_model.nested_structure_coder"), internal("framework.tensor_spec").BoundedTensorSpec
    nest = {
        "a": [tf.TensorSpec([None, 2], tf.int64, "x"), bounded([3], tf.float32, [0, 1, 2], 5)],
        "b": (1, -2.5, "text", None, True, tf.float16, tf.TensorShape([1, None])),
        "c": tf.RaggedTensorSpec([2, None], tf.string),
    }
    message = coder.encode_structure(nest)
    assert coder.decode_proto(message) == nest
    assert type(message)().FromString(message.SerializeToString()) == message
    assert coder.can_encode(nest)
    assert not coder.can_encode(object())
    with pytest.raises(coder.NotEncodableError, match="No encoder for object"):
        coder.encode_structure([object()])


def test_wrapped_namedtuples_and_tuples(tf):
    import collections

    pair = collections.namedtuple("pair", "a b")
    module = tf.Module()
    module.plain, module.named = ([1], [2]), pair([1], 2)
    assert type(tf.nest.map_structure(lambda x: x, module.named)) is pair
    assert type(tf.nest.pack_sequence_as(module.named, [1, 2])) is pair
    assert isinstance(tf.nest.map_structure(lambda x: x, module.plain), tuple)
    assert type(module.plain)((1, 2)) == (1, 2)


def test_behavior_of_today_in_a_graph(tf, internal):
    assert internal("tf2").enabled()
    with tf.Graph().as_default():
        assert internal("tf2").enabled()


def test_effects_of_functions_in_sessions(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.Variable(0.0)

        @tf.function
        def passes(x):
            v.assign_add(1.0)
            return tf.identity(x)

        @tf.function
        def branches(x):
            tf.cond(x > 0, lambda: v.assign_add(10.0), lambda: v)
            return x + 1.0

        @tf.function
        def calls(x):
            return passes(x), branches(x)[None]

        results = [passes(tf.constant(2.0)), branches(tf.constant(3.0)), calls(tf.constant(4.0))[0]]
        session.run(v.initializer)
        seen = []
        for result in (*results, results[0].op, [results[0], results[0]]):
            session.run(result)
            seen.append(float(session.run(v)))
        assert seen == [1.0, 11.0, 22.0, 23.0, 24.0]


def test_nests_of_elements(internal):
    nest = internal("data.util.nest")
    assert nest.flatten({"b": [1, 2], "a": (3, 4)}) == [3, 4, [1, 2]]
    assert nest.pack_sequence_as(("x", {"y": 0}), [1, 2]) == (1, {"y": 2})
    assert nest.map_structure(lambda a, b: a + b, (1, 2), (3, 4)) == (4, 6)
    assert not nest.is_nested([1])
    assert nest.is_nested((1,))
    assert nest.flatten_up_to((0, 0), ((1, 2), [3])) == [(1, 2), [3]]
    assert nest.map_structure_up_to((0, 0), lambda x: x, ((1, 2), 3)) == ((1, 2), 3)
    nest.assert_shallow_structure({"a": 0}, {"a": (1, 2)})
    with pytest.raises((TypeError, ValueError)):
        nest.assert_same_structure((1, 2), (1, (2,)))
    with pytest.raises(TypeError):
        nest.map_structure(3, (1,))
    with pytest.raises(ValueError):
        nest.map_structure(lambda: 0)


def test_lists_of_tensors(tf, internal):
    lists = internal("ops.list_ops")
    handle = lists.empty_tensor_list([2], tf.float32)
    for row in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        handle = lists.tensor_list_push_back(handle, row)
    assert lists.tensor_list_gather(handle, [2, 0], tf.float32).numpy().tolist() == [[5.0, 6.0], [1.0, 2.0]]
    rest, last = lists.tensor_list_pop_back(handle, tf.float32)
    assert last.numpy().tolist() == [5.0, 6.0]
    assert lists.tensor_list_stack(rest, tf.float32).shape == [2, 2]
    changed = lists.tensor_list_set_item(rest, 0, [0.0, 0.0])
    assert lists.tensor_list_concat(changed, tf.float32, [2]).numpy().tolist() == [0.0, 0.0, 3.0, 4.0]
    assert lists.tensor_list_get_item(rest, 0, tf.float32).numpy().tolist() == [1.0, 2.0]
    made = lists.tensor_list_scatter([[7.0], [8.0]], [1, 0], [1])
    assert lists.tensor_list_stack(made, tf.float32).numpy().tolist() == [[8.0], [7.0]]
    reserved = lists.tensor_list_reserve([None], 2, tf.int32)
    reserved = lists.tensor_list_set_item(reserved, 1, [4])
    assert lists.tensor_list_get_item(reserved, 1, tf.int32).numpy().tolist() == [4]
    parts = lists.tensor_list_split([1, 2, 3], [None], [1, 2])
    assert lists.tensor_list_get_item(parts, 1, tf.int32).numpy().tolist() == [2, 3]
    assert int(lists.tensor_list_length(lists.tensor_list_from_tensor([[1], [2]], [1]))) == 2


def test_each_test_has_a_new_default_graph(tf):
    class Case(tf.test.TestCase):
        def runTest(self):
            self.name = tf.compat.v1.get_default_graph().unique_name("layer")

    names = []
    for _ in range(2):
        case = Case()
        case.run()
        names.append(case.name)
    assert names == ["layer", "layer"]
