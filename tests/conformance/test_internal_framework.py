"""Names below tensorflow.python that TensorFlow's own tests use: of graphs, vectorized loops, Variables and datasets."""

import sys
import unittest

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


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
    with pytest.raises(KeyError, match="Registering two fruit with name .apple.! .Previous registration was in "):
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
        stopped = tf.stop_gradient(c, name="e")
        assert [walks.is_differentiable(x.op) for x in (d, c, a, stopped)] == [True, True, False, False]
        found = names(walks.get_backward_walk_ops(tf.add(d, stopped, name="f"), only_differentiable=True))
        assert set(found) - {"a", "b", "e"} == {"f", "d", "c"}
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


def test_contexts_of_conditionals_and_loops(tf, internal):
    util = internal("ops.control_flow_util")
    kinds = (util.IsInCond, util.IsInWhileLoop, util.IsInXLAContext, util.IsSwitch, util.IsMerge, util.IsLoopEnter, util.IsLoopExit)
    outer = (util.GetContainingCondContext, util.GetContainingWhileContext, util.GetContainingXLAContext)
    seen = []

    def look(x):
        graph = tf.compat.v1.get_default_graph()
        seen.extend([kind(x.op) for kind in kinds])
        seen.append(util.InXlaContext(graph))
        assert [of(graph._get_control_flow_context()) for of in outer] == [None] * 3
        return x + 1

    @tf.function
    def f(x):
        x = tf.cond(x > 0, lambda: look(x), lambda: x)
        return tf.while_loop(lambda i: i < 3, look, [look(x)])[0]

    assert int(f(tf.constant(1))) == 3
    assert len(seen) == 24 and not any(seen)


def test_first_replica_writes_summaries(tf, internal):
    skip = internal("distribute.summary_op_util").skip_summary
    assert not skip()
    assert not tf.distribute.OneDeviceStrategy("/cpu:0").run(skip)


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


def test_definitions_of_ops_by_name(internal):
    ops = internal("framework.c_api_util").ApiDefMap()
    product = ops.get_op_def("MatMul")
    assert product.name == "MatMul" and [arg.name for arg in product.input_arg] == ["a", "b"]
    assert [(arg.name, arg.type_attr) for arg in product.output_arg] == [("product", "T")]
    assert next(a.type for a in product.attr if a.name == "transpose_a") == "bool"
    assert {"MatMul", "Conv2D", "While"} <= set(ops.op_names()) and "Nope" not in ops.op_names()
    with pytest.raises(ValueError, match="No op_def found for op name Nope"):
        ops.get_op_def("Nope")
