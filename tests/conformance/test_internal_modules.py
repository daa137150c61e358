"""Names below tensorflow.python that libraries use, and tests with sessions."""

import os
import subprocess
import sys
import threading
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
    with_dependencies = internal("ops.control_flow_ops").with_dependencies
    assert int(with_dependencies([tf.no_op()], tf.constant(1))) == 1
    with tf.Graph().as_default():
        first = tf.constant(1.0)
        second = with_dependencies([first], tf.constant(2.0), name="both")
        assert second.op.type == "Identity"
        assert [op.name for op in second.op.control_inputs] == [first.op.name]
        assert second.op in first.op._control_outputs


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

    def run_twice():
        for _ in range(2):
            case = Case()
            case.run()
            names.append(case.name)

    # A thread of its own is in no graph, whatever ran before.
    thread = threading.Thread(target=run_twice)
    thread.start()
    thread.join()
    assert names == ["layer", "layer"]


def test_statistics_of_nodes(tf, internal):
    ops = internal("framework.ops")

    @ops.RegisterStatistics("MatrixDeterminant", "sizes")
    def sizes(graph, node):
        return ops.OpStats("sizes", graph.get_tensor_by_name(f"{node.input[0]}:0").shape.num_elements())

    with tf.Graph().as_default() as graph:
        node = tf.linalg.det(tf.compat.v1.placeholder(tf.float32, [3, 3])).op
    total = ops.get_stats_for_node_def(graph, node.node_def, "sizes")
    total += ops.get_stats_for_node_def(graph, node.inputs[0].op.node_def, "sizes")
    assert (total.statistic_type, total.value) == ("sizes", 9)
    with pytest.raises(KeyError, match="Registering two statistical functions"):
        ops.RegisterStatistics("MatrixDeterminant", "sizes")(sizes)
    with pytest.raises(TypeError, match="statistic_type must not contain a comma"):
        ops.RegisterStatistics("MatrixDeterminant", "a,b")
    with pytest.raises(ValueError, match="Can't add an OpStat of type sizes to one of other"):
        total += ops.OpStats("other", 1)


def test_errors_by_their_codes(tf, internal):
    errors = internal("framework.errors_impl")
    assert (errors.OK, errors.INVALID_ARGUMENT, internal("framework.errors").UNAUTHENTICATED) == (0, 3, 16)
    for code in range(1, 17):
        cls = errors.exception_type_from_error_code(code)
        assert errors.error_code_from_exception_type(cls) == code
        assert cls(None, None, "text").error_code == code
    with pytest.raises(KeyError):
        errors.exception_type_from_error_code(99)
    with pytest.warns(UserWarning, match="Unknown class exception"):
        assert isinstance(errors.error_code_from_exception_type(ValueError), tf.errors.UnknownError)
    with errors.raise_exception_on_not_ok_status():
        pass


def test_shapes_of_unknown_sizes(tf, internal):
    shapes = internal("framework.tensor_shape")
    assert shapes.unknown_shape().rank is None
    assert shapes.unknown_shape(2).as_list() == [None, None]
    assert shapes.unknown_shape(ndims=1).as_list() == [None]
    with pytest.raises(TypeError):
        shapes.unknown_shape(size=3)
    assert shapes.as_dimension(3).value == 3
    assert shapes.as_dimension(shapes.Dimension(None)).value is None
    assert [bool(shapes.Dimension(size)) for size in (3, 0, None)] == [True, False, False]
    with pytest.raises(TypeError, match="unsupported operand type.* for /: 'Dimension' and 'int', please use // instead"):
        shapes.Dimension(6) / 2
    with pytest.raises(TypeError, match="unsupported operand type.* for /: 'int' and 'Dimension', please use // instead"):
        6 / shapes.Dimension(2)


def test_stacks_that_know_lines(tf, internal):
    stacks = internal("framework.traceable_stack")
    stack = stacks.TraceableStack()
    assert stack.push_obj("a") == stacks.TraceableObject.SUCCESS
    line = sys._getframe().f_lineno - 1
    assert stack.push_obj("b", offset=10_000) == stacks.TraceableObject.HEURISTIC_USED
    assert list(stack.peek_objs()) == ["b", "a"]
    _, noted = stack.peek_traceable_objs()
    assert (noted.obj, noted.lineno) == ("a", line)
    assert noted.filename == __file__
    moved = noted.copy_metadata()
    assert (moved.obj, moved.lineno) == (None, line)
    other = stack.copy()
    assert (other.pop_obj(), other.peek_top_obj(), len(other), len(stack)) == ("b", "a", 1, 2)


def test_registries(tf, internal):
    registry = internal("framework.registry").Registry("fruit")
    registry.register(len, "apple")
    assert (registry.lookup("apple"), list(registry.list())) == (len, ["apple"])
    with pytest.raises(KeyError, match="apple"):
        registry.register(len, "apple")
    with pytest.raises(LookupError, match="fruit registry has no entry for: pear"):
        registry.lookup("pear")


def test_gradients_of_parts(tf, internal):
    gradients = internal("framework.composite_tensor_gradient")
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    flat = gradients.get_flat_tensors_for_gradients([ragged, tf.constant(4.0)])
    assert [t.numpy().tolist() for t in flat] == [[1.0, 2.0, 3.0], 4.0]
    packed = gradients.replace_flat_tensors_for_gradients([ragged, tf.constant(4.0)], [flat[0] * 2.0, None])
    assert packed[0].to_list() == [[2.0, 4.0], [6.0]]
    assert packed[1] is None
    assert issubclass(gradients.WithValuesCompositeTensorGradient, gradients.CompositeTensorGradient)


def _small_graph(tf):
    a = tf.compat.v1.placeholder(tf.float32, [], name="a")
    b = tf.constant(2.0, name="b")
    c = tf.add(a, b, name="c")
    return a, b, c, tf.multiply(c, b, name="d")


def test_walks_over_operations(tf, internal):
    walks = internal("ops.op_selector")
    with tf.Graph().as_default() as graph:
        a, b, c, d = _small_graph(tf)

        def names(found):
            return [element.name for element in found]

        assert sorted(names(walks.get_backward_walk_ops([d.op]))) == ["a", "b", "c", "d"]
        assert "d" not in names(walks.get_backward_walk_ops([d.op], inclusive=False))
        assert set(names(walks.get_backward_walk_ops(d, stop_at_ts=[c]))) == {"d", "b"}
        assert names(walks.get_backward_walk_ops(d, within_ops=[c.op, d.op])) == ["d", "c"]
        assert names(walks.get_generating_ops([d, a])) == ["d", "a"]
        assert names(walks.get_consuming_ops([a])) == ["c"]
        assert names(walks.get_tensors(graph)) == ["a:0", "b:0", "c:0", "d:0"]
        assert names(walks.make_list_of_op(graph)) == ["a", "b", "c", "d"]
        assert names(walks.make_list_of_t([a, b])) == ["a:0", "b:0"]
        assert walks.get_unique_graph([a, b]) is graph
        assert names(walks.graph_inputs(d.op)) == ["c", "b"]
        with pytest.raises(TypeError, match="Expected a type in"):
            walks.make_list_of_t([a.op])
        with pytest.raises(TypeError, match="Expected a type in"):
            walks.make_list_of_op([a])
    with pytest.raises(ValueError, match="Can't find the unique graph of an empty list"):
        walks.get_unique_graph([])
    with pytest.raises(TypeError, match="Expected a graph, got: <class 'int'>"):
        walks.get_tensors(3)
    assert walks.concatenate_unique([1, 2], [2, 3]) == [1, 2, 3]
    assert [walks.is_iterable(x) for x in ([1], 1)] == [True, False]


def test_maps_of_tensors(tf, internal):
    maps = internal("ops.map_ops")
    filled = maps.tensor_map_insert(maps.empty_tensor_map(), 1, 2.0)
    assert int(maps.tensor_map_size(filled)) == 1
    assert float(maps.tensor_map_lookup(filled, 1, tf.float32)) == 2.0
    assert [bool(maps.tensor_map_has_key(filled, key)) for key in (1, 2)] == [True, False]
    assert maps.tensor_map_stack_keys(filled, tf.int32).numpy().tolist() == [1]
    assert int(maps.tensor_map_size(maps.tensor_map_erase(filled, 1, tf.float32))) == 0
    with pytest.raises(tf.errors.InvalidArgumentError):
        maps.tensor_map_lookup(filled, 7, tf.float32)


def test_differences_of_jacobians(tf, internal):
    checker = internal("ops.gradient_checker_v2")
    assert checker.max_error([np.array([1.0, 2.0]), np.array([])], [np.array([1.0, 2.5]), np.array([])]) == 0.5
    assert checker.max_error(*checker.compute_gradient(lambda x: x * x, [tf.constant([1.0, 2.0], tf.float64)])) < 1e-6
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rows = session.run(tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 0]), tf.constant([3, 1])))
    assert checker._to_numpy(rows).tolist() == [[2.0], [0.0], [1.0]]


def test_tests_of_pfor(tf, internal):
    class Squares(internal("ops.parallel_for.test_util").PForTestCase):
        def test_squares(self):
            x = tf.constant([1.0, 2.0, 3.0])
            self._test_loop_fn(lambda i: tf.gather(x, i) ** 2.0, 3)

        def test_difference(self):
            with self.assertRaises(AssertionError):
                self.run_and_assert_equal([tf.constant(1.0)], [tf.constant(2.0)])

    result = unittest.TestResult()
    unittest.TestLoader().loadTestsFromTestCase(Squares).run(result)
    assert (result.errors, result.failures) == ([], [])


def test_names_of_branches_and_functions(tf, internal):
    util = internal("ops.control_flow_util_v2")
    inside = []

    @tf.function
    def f(x):
        inside.append(util.in_defun())
        return tf.cond(x > 0, lambda: (inside.append(util.in_defun()), x)[1], lambda: x)

    f(tf.constant(1))
    assert inside == [True, True]
    assert not util.in_defun()
    with tf.Graph().as_default():
        assert not util.in_defun()


def test_identity_of_composites(tf, internal):
    flow = internal("ops.control_flow_ops")
    sparse = tf.sparse.from_dense([1, 0, 2])
    assert tf.sparse.to_dense(flow._Identity(sparse)).numpy().tolist() == [1, 0, 2]
    assert int(flow._Identity(tf.constant(3))) == 3


def test_shapes_in_tensors(tf, internal):
    shape_in = internal("framework.tensor_util").constant_value_as_shape
    assert shape_in(tf.constant([2, -1])).as_list() == [2, None]
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"Shape \(1, 1\) must have rank 1"):
            shape_in(tf.constant([[1]]))
        with pytest.raises(TypeError, match="Dimension value must be integer or None"):
            shape_in(tf.constant([1.5]))


def test_sparse_results_of_pfor(tf, internal):
    flow = internal("ops.parallel_for.control_flow_ops")
    x = tf.constant([[1.0, 0.0], [0.0, 4.0]])
    sparse = flow.pfor(lambda i: tf.sparse.from_dense(tf.gather(x, i)), 2)
    assert tf.sparse.to_dense(sparse).numpy().tolist() == x.numpy().tolist()
    both = tf.function(lambda: flow.pfor(lambda i: (i, tf.sparse.from_dense(tf.gather(x, i))), 2))()
    assert both[0].numpy().tolist() == [0, 1]
    assert both[1].dense_shape.numpy().tolist() == [2, 2]


def test_mistakes_with_pfor(tf, internal):
    pfor = internal("ops.parallel_for.control_flow_ops").pfor
    with pytest.raises(ValueError, match="`loop_fn` object did not have a __call__ method"):
        pfor(3, 2)
    with pytest.raises(ValueError, match="Found `parallel_iterations == 1`. Use `for_loop` instead."):
        pfor(lambda i: i, 2, parallel_iterations=1)
    with pytest.raises(ValueError, match="must be None or a positive integer"):
        pfor(lambda i: i, 2, parallel_iterations=0)
    assert pfor(lambda i: i * i, 3, parallel_iterations=2).numpy().tolist() == [0, 1, 4]


def _frozen(tf, internal, function, *specs):
    convert = internal("framework.convert_to_constants").convert_variables_to_constants_v2
    return convert(tf.function(function).get_concrete_function(*specs))


def test_variables_of_functions_become_constants(tf, internal):
    matrix, factor, offset = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable(2.0), tf.constant(7.0)

    def f(x, i):
        return {"product": x @ matrix * factor, "sum": x + offset, "row": tf.gather(matrix, i)}

    frozen = _frozen(tf, internal, f, tf.TensorSpec([None, 2], name="x"), tf.TensorSpec([1], tf.int32, name="i"))
    arguments = tf.constant([[1.0, 1.0]]), tf.constant([1])
    expected = [[[8.0, 12.0]], [[3.0, 4.0]], [[8.0, 8.0]]]
    assert sorted(y.numpy().tolist() for y in frozen(*arguments)) == sorted(expected)
    factor.assign(100.0)
    assert sorted(y.numpy().tolist() for y in frozen(*arguments)) == sorted(expected)
    assert (len(frozen.graph.captures), len(frozen.graph.variables)) == (0, 0)
    assert [t.name for t in frozen.inputs] == ["x:0", "i:0"]
    kinds = {node.op for node in frozen.graph.as_graph_def().node}
    assert kinds.isdisjoint({"ReadVariableOp", "ResourceGather", "VarHandleOp"})


def test_variables_in_branches_loops_and_calls_become_constants(tf, internal):
    factor = tf.Variable(2.0)
    scaled = tf.function(lambda x: x * factor)

    def f(x):
        y = scaled(scaled(x))
        if x > 0.0:
            y = y * factor
        for _ in tf.range(3):
            y = scaled(y) if x > 1.0 else y * factor
        return tf.switch_case(tf.constant(1), [lambda: y, lambda: y * factor])

    frozen = _frozen(tf, internal, f, tf.TensorSpec([], name="x"))
    for x in (3.0, 0.5, -1.0):
        assert [float(y) for y in frozen(tf.constant(x))] == [float(tf.function(f)(tf.constant(x)))]
    graph_def = frozen.graph.as_graph_def()
    assert "ReadVariableOp" not in {node.op for node in graph_def.node}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(graph_def, name="")
        assert session.run(frozen.outputs[0].name, {"x:0": 3.0}) == 3.0 * 2.0**7


def test_variables_that_change_stay_variables(tf, internal):
    counter = tf.Variable(0.0)
    with pytest.raises(ValueError, match="Input 0 of node AssignAddVariableOp was passed .* incompatible with expected resource"):
        _frozen(tf, internal, lambda: counter.assign_add(1.0))
    assert [float(y) for y in _frozen(tf, internal, lambda x: x + 1.0, tf.TensorSpec([]))(tf.constant(1.0))] == [2.0]


KEYS = ["b", "zz", "q", "a"]


@pytest.mark.parametrize(
    ("key", "ids", "hashed"),
    [(None, [1, 3, 3, 0], [2, 2, 3, 4]), ([1, 2], [1, 3, 2, 0], [4, 3, 3, 1])],
)
def test_hashes_of_unknown_keys(tf, internal, key, ids, hashed):
    lookup = internal("ops.lookup_ops")
    spec = lookup.FastHashSpec if key is None else lookup.StrongHashSpec(key)
    table = lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=7, hasher_spec=spec)
    assert table.lookup(tf.constant(KEYS)).numpy().tolist() == ids
    assert int(table.size()) == 9
    assert lookup.IdTableWithHashBuckets(None, 5, spec).lookup(tf.constant(KEYS)).numpy().tolist() == hashed
    without = lookup.index_table_from_tensor(["a", "b"], hasher_spec=spec)
    assert without.lookup(tf.constant(KEYS)).numpy().tolist() == [1, -1, -1, 0]


def test_refused_hashes(tf, internal):
    lookup = internal("ops.lookup_ops")
    with pytest.raises(ValueError, match="`key` must have size 2, received 1"):
        lookup.StrongHashSpec([1])
    with pytest.raises(TypeError, match="Invalid key .* Must be unsigned integer values."):
        lookup.StrongHashSpec([1, "a"])
    with pytest.raises(TypeError, match="`hasher_spec` must be of type HasherSpec, got <class 'int'>"):
        lookup.index_table_from_tensor(["a"], num_oov_buckets=1, hasher_spec=3).lookup(tf.constant(["q"]))
    with pytest.raises(ValueError, match="Found unknown hasher nope in `hasher_spec`"):
        lookup.IdTableWithHashBuckets(None, 3, lookup.HasherSpec("nope", None)).lookup(tf.constant(["q"]))
    with pytest.raises(ValueError, match="`oov_buckets` must be > 0 if no `table` is supplied."):
        lookup.IdTableWithHashBuckets(None, num_oov_buckets=0)
    with pytest.raises(TypeError, match="Invalid `key_dtype`, expected integer or string"):
        lookup.IdTableWithHashBuckets(None, num_oov_buckets=3, key_dtype=tf.float32)


def test_places_of_dependencies(tf, internal):
    after, v1 = internal("ops.control_flow_ops").with_dependencies, tf.compat.v1
    with tf.Graph().as_default():
        with tf.device("/job:ps"):
            there = v1.Variable([0.0])
        assert "/job:ps" in after([there.initializer], there).device
        anywhere = v1.Variable([0.0], name="anywhere")
        assert after([anywhere.initializer], anywhere).device == ""
        with tf.device("/job:worker/device:GPU:1"):
            beside = after([anywhere.initializer], anywhere)
        assert (beside.device, beside.op.colocation_groups()) == ("", [b"loc:@anywhere"])


def test_shapes_of_variables_by_their_handles(tf, internal):
    shape_of = internal("ops.resource_variable_ops").variable_shape
    fixed = tf.Variable([[1.0, 2.0]])
    growing = tf.Variable([1.0], shape=[None])
    growing.assign([1.0, 2.0, 3.0])
    assert [shape_of(v.handle).numpy().tolist() for v in (fixed, growing)] == [[1, 2], [3]]
    assert shape_of(fixed.handle, out_type=tf.int64).dtype == tf.int64
    assert tf.function(lambda: shape_of(growing.handle))().numpy().tolist() == [3]


def test_slots_of_variables(tf, internal):
    slots = internal("training.slot_creator")
    with tf.Graph().as_default():
        v1 = tf.compat.v1
        v = v1.get_variable("v", initializer=[1.0, 2.0])
        for primary, name in ((v, "v"), (tf.constant([1.0, 2.0], name="c"), "c")):
            value = tf.constant([3, 4])
            slot = slots.create_slot(primary, value, "slot")
            assert (slot.name, slot.dtype, slot.trainable) == (f"{name}/slot:0", tf.int32, False)
            assert slots.create_zeros_slot(primary, "slot").name == f"{name}/slot_1:0"
            zeros = slots.create_zeros_slot(primary, "zeros", dtype=tf.float64)
            assert (zeros.dtype, zeros.shape.as_list()) == (tf.float64, [2])
            ones = v1.ones_initializer()
            made = slots.create_slot_with_initializer(primary, ones, tf.TensorShape([3]), tf.float32, "ones", False)
            assert (made.name, made.shape.as_list()) == (f"{name}/ones:0", [3])
        with v1.variable_scope("opt"):
            assert slots.create_zeros_slot(v, "zeros").name == "opt/v/zeros:0"
        assert [x.name for x in v1.trainable_variables()] == ["v:0"]
        values = slots.create_zeros_slot(v1.placeholder_with_default([1.0, 2.0], [None]), "of_any_size")
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            np.testing.assert_array_equal(session.run(slot), [3, 4])
            np.testing.assert_array_equal(session.run(made), [1, 1, 1])
            np.testing.assert_array_equal(session.run(values), [0, 0])


def test_slots_made_eagerly(tf, internal):
    slots = internal("training.slot_creator")
    slot = slots.create_slot(tf.Variable([1.0], name="k"), tf.constant([2.0]), "slot")
    assert slot.name == "k/slot:0"
    with pytest.raises(AttributeError, match="Tensor.op"):
        slots.create_slot(tf.constant([1.0]), tf.constant([2.0]), "slot")


def test_names_of_variables_that_are_scopes(tf):
    with tf.name_scope("s"):
        names = [tf.Variable(1.0, name=name).name for name in ("a/", "a/b/", "", "a")]
    assert names == ["a:0", "a/b:0", ":0", "s/a:0"]


def test_seeds_of_datasets(tf, internal):
    get_seed = internal("data.util.random_seed").get_seed

    def found(seed):
        pair = get_seed(seed)
        assert all(x.dtype == tf.int64 for x in pair)
        return tuple(int(x) for x in pair)

    tf.random.set_seed(None)
    assert [found(seed) for seed in (None, 5, 0, tf.constant(7, tf.int64))] == [
        (0, 0), (87654321, 5), (87654321, 0), (87654321, 7)
    ]
    tf.random.set_seed(3)
    assert found(5) == (3, 5)
    assert found(None)[0] == 3
    tf.random.set_seed(0)
    assert found(0) == found(tf.constant(0, tf.int64)) == (0, 2**31 - 1)


def test_arguments_of_one_dtype(tf, internal):
    match = internal("eager.execute").args_to_matching_eager
    one, two = tf.constant(1.0), tf.constant(2)

    def found(values, allowed, default=None):
        number, tensors = match(values, None, allowed, default)
        assert number == tensors[0].dtype.as_datatype_enum
        return [x.dtype for x in tensors]

    assert found([1, 2], []) == [tf.int32] * 2
    assert found([1, 2.5], [tf.float32], tf.float32) == [tf.float32] * 2
    assert found([2, one], []) == [tf.float32] * 2
    assert found([one, two], []) == [tf.float32, tf.int32]
    assert found(["a"], [tf.float32], tf.float32) == [tf.string]
    assert match([], None, [], tf.int64) == (tf.int64, [])
    with pytest.raises(IndexError):
        match([], None, [])
    with pytest.raises(TypeError, match=r"Cannot convert 2.5 to EagerTensor of dtype int32"):
        match([1, 2.5], None, [])


def test_arrays_of_values_in_test_cases(tf):
    array = tf.test.TestCase()._GetNdArray
    for value in ([1, 2], (1, 2), np.ones(2), tf.constant([1.0]), tf.Variable(3.0), "a", 5, [tf.constant(1), tf.constant(2)]):
        assert isinstance(array(value), np.ndarray)
    assert array([[1], [1, 2]]).dtype == object


def test_keys_of_checkpoints(tf, internal):
    utils = internal("trackable.trackable_utils")
    references = [type("Reference", (), {"name": name}) for name in ("a/b", "c.d")]
    assert utils.object_path_to_string(references) == "a.Sb/c..d"
    assert utils.pretty_print_node_path(references) == "root.a/b.c.d"
    assert utils.pretty_print_node_path([]) == "root object"
    assert utils.checkpoint_key("x/y", "a/b") == "x/y/.ATTRIBUTES/a.Sb"
    assert utils.checkpoint_key("x", utils.SERIALIZE_TO_TENSORS_NAME) == "x/.ATTRIBUTES/"
    assert utils.slot_variable_key("v", "opt", "m/n") == "v/.OPTIMIZER_SLOT/opt/m.Sn"
    assert utils.extract_object_name("x/y/.ATTRIBUTES/z") == "x/y"
    assert [utils.extract_local_name(key) for key in ("x/.ATTRIBUTES/z", "x")] == ["z", "x"]
    assert utils.extract_local_name("x/.ATTRIBUTES/pz", "p") == "z"
    with pytest.raises(ValueError, match="substring not found"):
        utils.extract_object_name("x")


def test_order_of_dependencies(tf, internal):
    utils = internal("trackable.trackable_utils")
    needs = {1: [2, 3], 2: [3, 4], 3: [5], 4: [5], 5: []}
    ordered = list(utils.order_by_dependency(needs))
    assert sorted(ordered) == [1, 2, 3, 4, 5]
    assert all(ordered.index(x) < ordered.index(key) for key, found in needs.items() for x in found)
    assert list(utils.order_by_dependency({})) == []
    with pytest.raises(ValueError, match=r"Found values in the dependency map which are not keys: \{2\}"):
        utils.order_by_dependency({1: [2]})
    with pytest.raises(utils.CyclicDependencyError) as caught:
        utils.order_by_dependency({1: [2], 2: [3], 3: [2], 4: []})
    assert caught.value.leftover_dependency_map == {2: [3], 3: [2]}


def test_structures_with_sparse_tensors(tf, internal):
    sparse = internal("data.util.sparse")
    values = {"a": tf.sparse.from_dense([[0, 3], [4, 0]]), "b": tf.constant(1)}
    classes = sparse.get_classes(values)
    assert classes == {"a": tf.SparseTensor, "b": tf.Tensor}
    assert sparse.any_sparse(classes)
    assert not sparse.any_sparse(tf.Tensor)
    types, shapes = {"a": tf.int32, "b": tf.int32}, {"a": tf.TensorShape([2, 2]), "b": tf.TensorShape([])}
    assert sparse.as_dense_types(types, classes) == {"a": tf.variant, "b": tf.int32}
    assert sparse.as_dense_shapes(shapes, classes)["a"].rank is None

    def round_trip():
        stored = sparse.serialize_sparse_tensors(values)
        assert (stored["a"].dtype, stored["a"].shape) == (tf.variant, [3])
        found = sparse.deserialize_sparse_tensors(stored, types, shapes, classes)
        assert found["b"] is values["b"]
        return tf.sparse.to_dense(found["a"])

    for made in (round_trip(), tf.function(round_trip)()):
        np.testing.assert_array_equal(made, [[0, 3], [4, 0]])
    assert sparse.serialize_many_sparse_tensors(values)["a"].shape == [2, 3]
