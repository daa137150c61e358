"""Loaded models: how long they live, functions that take Variables, and models that are loaded into graphs of TensorFlow 1."""

import gc
import weakref

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def again(tf, tmp_path):
    """What is loaded of an object that is saved."""

    def saved_and_loaded(module, **kwargs):
        tf.saved_model.save(module, str(tmp_path / "model"), **kwargs)
        return tf.saved_model.load(str(tmp_path / "model"))

    return saved_and_loaded


@pytest.fixture
def scaled(tf):
    module = tf.Module()
    module.factor = tf.Variable(3.0, name="factor")
    module.times = tf.function(lambda x: x * module.factor, input_signature=[tf.TensorSpec([])])
    return module


def test_a_model_goes_with_its_last_reference(again, scaled):
    gc.collect()
    gc.disable()
    try:
        loaded = again(scaled)
        assert float(loaded.times(2.0)) == 6.0
        variable, holder = weakref.ref(loaded.factor), weakref.ref(loaded)
        del loaded
        assert holder() is None
        assert variable() is None
    finally:
        gc.enable()


def test_a_function_outlives_its_model(tf, again, scaled):
    function = again(scaled).times
    gc.collect()
    if tf.__name__ != "tensorflow":  # there it fails: its functions do not keep Variables
        assert float(function(2.0)) == 6.0


def test_tables_outlive_their_model(tf, again):
    module = tf.Module()
    module.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [7]), -1)
    module.find = tf.function(module.table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    loaded = again(module)
    assert loaded.find(["a", "b"]).numpy().tolist() == [7, -1]
    assert again(loaded).find(["a", "b"]).numpy().tolist() == [7, -1]


def test_variables_as_arguments(tf, again):
    module = tf.Module()
    module.total = tf.Variable(0)

    @tf.function
    def add(counter, by=1):
        module.total.assign_add(by)
        return counter.assign_add(by)

    mine = tf.Variable(1)
    add(mine)
    module.add, module.trace = add, add.get_concrete_function(mine, 5)
    loaded = again(module)
    mine = tf.Variable(10)
    assert int(loaded.add(mine)) == 11
    loaded.trace(mine, 5)
    loaded.trace(counter=mine, by=5)
    assert (int(mine), int(loaded.total), int(module.total)) == (21, 12, 1)
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.add(tf.Variable(1.0))


def test_iterators_as_arguments(tf, again):
    module = tf.Module()
    module.first = tf.function(lambda iterator: next(iterator) * 2)
    numbers = tf.data.Dataset.range(3, 6)
    module.first(iter(numbers))
    assert int(again(module).first(iter(numbers))) == 6


def test_datasets_that_functions_iterate_over(tf, again):
    class Sums(tf.Module):
        def __init__(self):
            super().__init__()
            self.words = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
            many = tf.data.Dataset.from_tensor_slices(tf.range(200))
            self.numbers = many.filter(lambda x: x % 50 == 1).map(lambda x: {"x": x, "y": x + 1}, num_parallel_calls=2)
            self.looked_up = tf.data.Dataset.from_tensors(["a", "b", "?"]).unbatch().map(self.words.lookup)
            ragged = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]]))
            self.rows = ragged.map(tf.reduce_sum).shuffle(3, seed=1).cache().repeat(2)
            self.sparse = tf.data.Dataset.from_tensors(tf.sparse.from_dense([0, 5, 6])).map(tf.sparse.reduce_sum)
            self.zipped = tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(5, 9))).batch(2)

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def numbers_up_to(self, limit):
            total = 0
            for element in self.numbers:
                if element["y"] < limit:
                    total += element["x"]
            return total

        @tf.function(input_signature=[])
        def sums(self):
            a, b = tf.constant(0), tf.constant(0, tf.int64)
            for found in self.looked_up:
                a += found
            for found in self.rows:
                a += 10 * found
            for found in self.sparse:
                a += 1000 * found
            for x, y in self.zipped:
                b += tf.reduce_sum(x * y)
            return a, b

    loaded = again(Sums())
    for one in (loaded, again(loaded)):
        assert int(one.numbers_up_to(120)) == 1 + 51 + 101
        assert [int(total) for total in one.sums()] == [11122, 20]


def test_a_dataset_of_no_object(tf, again):
    module, numbers = tf.Module(), tf.data.Dataset.range(3)
    module.total = tf.function(lambda: numbers.reduce(tf.constant(0, tf.int64), lambda a, b: a + b), input_signature=[])
    with pytest.raises(AssertionError, match="which references an 'untracked' resource"):
        again(module)


def test_gradients_of_loops_that_read_variables(tf, again, scaled):
    def total(x):
        result = tf.constant(0.0)
        for element in x:
            result += scaled.factor * element
        return result

    scaled.total = tf.function(total, input_signature=[tf.TensorSpec([None])])
    loaded = again(scaled)
    with tf.GradientTape() as tape:
        y = loaded.total(tf.constant([1.0, 2.0, 4.0]))
    assert float(y) == 21.0
    assert float(tape.gradient(y, loaded.factor)) == 7.0


@pytest.mark.parametrize("jit_compile", [None, True, False])
def test_jit_compile(tf, again, jit_compile):
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([])], jit_compile=jit_compile)
    assert again(module).f._jit_compile is jit_compile


def test_signatures_are_a_name_of_their_own(tf, again, scaled):
    loaded = again(scaled, signatures={"key": scaled.times})
    assert list(again(loaded, signatures={"other": loaded.times}).signatures) == ["other"]
    loaded.signatures = {"key": loaded.signatures["key"]}
    with pytest.raises(ValueError, match="an attribute named 'signatures'. This is a reserved attribute"):
        again(loaded)


def test_in_a_graph(tf, tmp_path, scaled):
    v1 = tf.compat.v1
    (tmp_path / "words").write_text("a\nb")
    scaled.frozen = tf.Variable(5.0, trainable=False, name="frozen")
    scaled.words = tf.saved_model.Asset(str(tmp_path / "words"))
    scaled.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [7]), -1)
    scaled.find = tf.function(scaled.table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    scaled.read = tf.function(lambda: tf.io.read_file(scaled.words.asset_path), input_signature=[])
    tf.saved_model.save(scaled, str(tmp_path / "model"))
    with tf.Graph().as_default() as graph, v1.Session() as session:
        loaded = tf.saved_model.load(str(tmp_path / "model"))
        assert {id(v) for v in graph.get_collection("variables")} == {id(loaded.factor), id(loaded.frozen)}
        assert loaded.factor.trainable
        assert graph.get_collection("trainable_variables") == []
        assert len(graph.get_collection("asset_filepaths")) == 1
        assert len(graph.get_collection("table_initializer")) == 1
        results = loaded.times(2.0), loaded.find(tf.constant(["a", "b"])), loaded.read()
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        product, found, text = session.run(results)
    assert (product, found.tolist(), text) == (6.0, [7, -1], b"a\nb")


def test_constants_of_a_graph(tf, tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session():
        two, module = tf.constant(2.0), tf.Module()
        module.f = tf.function(lambda x: two * x, input_signature=[tf.TensorSpec([])])
        tf.saved_model.save(module, str(tmp_path / "model"))
    assert float(tf.saved_model.load(str(tmp_path / "model")).f(4.0)) == 8.0


def test_sessions_find_files_where_the_model_is(tf, tmp_path):
    """Paths of files that functions read, and tables that are filled from them, after the model has moved."""
    v1, words = tf.compat.v1, tmp_path / "words"
    words.write_text("a\nb")
    module, index = tf.Module(), tf.lookup.TextFileIndex
    module.file = tf.saved_model.Asset(str(words))
    lines = tf.lookup.TextFileInitializer(str(words), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    module.table = tf.lookup.StaticHashTable(lines, -1)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def read(keys):
        return {"text": tf.io.read_file(module.file.asset_path), "found": module.table.lookup(keys)}

    module.read = read
    tf.saved_model.save(module, str(tmp_path / "made"))
    (tmp_path / "made").rename(tmp_path / "moved")
    words.unlink()
    loaded = tf.saved_model.load(str(tmp_path / "moved"))
    assert loaded.read(["b", "?"])["text"].numpy() == b"a\nb"
    for _ in range(2):  # files of two models have variables of the same name
        with tf.Graph().as_default(), v1.Session() as session:
            signature = v1.saved_model.load(session, ["serve"], str(tmp_path / "moved")).signature_def["serving_default"]
            fetched = {name: output.name for name, output in signature.outputs.items()}
            result = session.run(fetched, {signature.inputs["keys"].name: ["b", "?"]})
            assert (result["text"], result["found"].tolist()) == (b"a\nb", [1, -1])


def test_a_table_that_no_object_holds(tf, again):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [7]), -1)
    module = tf.Module()
    module.find = tf.function(table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    with pytest.raises(AssertionError, match="Trackable referencing this tensor = <.*StaticHashTable object"):
        again(module)


@pytest.mark.parametrize("policy", [None, "save_variable_devices"])
def test_devices_of_variables(tf, again, scaled, tmp_path, policy):
    again(scaled, options=tf.saved_model.SaveOptions(experimental_variable_policy=policy))
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        tf.compat.v1.saved_model.load(session, ["serve"], str(tmp_path / "model"))
        device = graph.get_operation_by_name("factor").device
    assert device == ("/job:localhost/replica:0/task:0/device:CPU:0" if policy else "")
    options = tf.saved_model.LoadOptions(experimental_variable_policy=policy)
    assert float(tf.saved_model.load(str(tmp_path / "model"), options=options).times(2.0)) == 6.0


def test_signatures_with_results_of_several_tensors(tf, tmp_path):
    v1 = tf.compat.v1

    @tf.function(input_signature=[tf.TensorSpec([None], name="x")])
    def f(x):
        rows = tf.RaggedTensor.from_row_lengths(x, [1, 2])
        return {"a": rows, "b": tf.sparse.from_dense(x * 2.0), "c": x + 1.0}

    module = tf.Module()
    module.f = f
    tf.saved_model.save(module, str(tmp_path / "model"))
    results = tf.saved_model.load(str(tmp_path / "model")).signatures["serving_default"](tf.constant([1.0, 0.0, 3.0]))
    assert results["a"].to_list() == [[1.0], [0.0, 3.0]]
    with tf.Graph().as_default(), v1.Session() as session:
        signature = v1.saved_model.load(session, ["serve"], str(tmp_path / "model")).signature_def["serving_default"]
        values, splits = (part.name for part in signature.outputs["a"].composite_tensor.components)
        sparse = signature.outputs["b"].coo_sparse
        fetches = [values, splits, sparse.indices_tensor_name, sparse.values_tensor_name, sparse.dense_shape_tensor_name]
        found = session.run([*fetches, signature.outputs["c"].name], {signature.inputs["x"].name: [1.0, 0.0, 3.0]})
    assert [value.tolist() for value in found] == [[1, 0, 3], [0, 1, 3], [[0], [2]], [2, 6], [3], [2, 1, 4]]
    assert signature.outputs["a"].composite_tensor.type_spec.type_spec_class_name == "RaggedTensorSpec"


def test_attributes_with_default_values_are_left_out(tf, again, internal, tmp_path):
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([2, 2]), tf.TensorSpec([1, 4, 4, 1])])
    def f(x, images):
        tf.debugging.assert_equal(tf.reduce_sum(x), 4.0, "no four")
        found = tf.nn.conv2d(images, tf.ones([2, 2, 1, 1]), [1, 2, 2, 1], "VALID", name="strided")
        return tf.matmul(x, x, transpose_b=True, name="product"), tf.complex(x, x, name="both"), found, tf.strings.lower(["A"])

    module.f = f
    product, both, found, text = again(module).f(tf.ones([2, 2]), tf.ones([1, 4, 4, 1]))
    assert (float(tf.reduce_sum(product)), complex(both[0, 0]), found.shape, text.numpy().tolist()) == (8, 1 + 1j, [1, 2, 2, 1], [b"a"])
    graph = internal("saved_model.loader_impl").parse_saved_model(str(tmp_path / "model")).meta_graphs[0].graph_def
    nodes = {node.name: node for function in graph.library.function for node in function.node_def}
    assert set(nodes["both"].attr) & {"T", "Tout"} == set()
    assert nodes["product"].attr["transpose_b"].b
    assert "transpose_a" not in nodes["product"].attr
    assert {"strides", "padding", "T"} <= set(nodes["strided"].attr)
    assert set(nodes["strided"].attr) & {"dilations", "data_format", "use_cudnn_on_gpu"} == set()
