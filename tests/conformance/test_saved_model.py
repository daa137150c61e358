"""`tf.saved_model`: what is saved, under which names, and what is refused."""

import functools
import os

import numpy as np
import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def module(tf):
    return tf.Module()


@pytest.fixture
def again(tf, tmp_path):
    """Saves an object and loads it."""

    def save_and_load(root, **kwargs):
        tf.saved_model.save(root, str(tmp_path / "model"), **kwargs)
        return tf.saved_model.load(str(tmp_path / "model"))

    return save_and_load


def scale(tf):
    """A function of one vector."""
    return tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([None], tf.float32)])


def test_files(tf, module, tmp_path):
    assert not tf.saved_model.contains_saved_model(str(tmp_path))
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.contains_saved_model(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["assets", "fingerprint.pb", "saved_model.pb", "variables"]
    assert sorted(os.listdir(tmp_path / "variables")) == ["variables.data-00000-of-00001", "variables.index"]


def test_the_only_function_with_known_inputs_is_the_signature(tf, module, again):
    module.first = scale(tf)
    assert list(again(module).signatures) == ["serving_default"]
    module.second = scale(tf)
    assert list(again(module).signatures) == []


@pytest.mark.parametrize(
    "other",
    [
        lambda x: {"y": x, "z": [x, x]},
        lambda x: [x, {"y": x}],
        lambda x: None,
    ],
)
def test_functions_with_other_results_are_no_signatures(tf, module, again, other):
    module.first = scale(tf)
    module.other = tf.function(other, input_signature=[tf.TensorSpec([None], tf.float32)])
    loaded = again(module)
    (signature,) = loaded.signatures.values()
    assert signature(tf.constant([3.0]))["output_0"].numpy().tolist() == [6.0]


def test_a_composite_result_of_the_signature(tf, module, again):
    module.rows = tf.function(
        lambda x: tf.RaggedTensor.from_row_lengths(x, [1, 2]), input_signature=[tf.TensorSpec([3], tf.float32)]
    )
    assert list(again(module).signatures) == ["serving_default"]


@pytest.mark.parametrize("form", ["attribute", "property", "concrete", "neither", "raises"])
def test_the_default_signature_of_an_object(tf, again, form):
    spec = tf.TensorSpec([], tf.float32)

    class Model(tf.Module):
        @property
        def _default_save_signature(self):
            if form == "raises":
                raise TypeError("not built")
            return tf.function(lambda x: 3.0 * x, input_signature=[spec])

    class Plain(tf.Module):
        pass

    model = Model() if form in ("property", "raises") else Plain()
    model.one = tf.function(lambda x: 2.0 * x, input_signature=[spec])
    if form in ("attribute", "concrete"):
        default = tf.function(lambda x: 3.0 * x, input_signature=[spec])
        model._default_save_signature = default if form == "attribute" else default.get_concrete_function()
    elif form == "neither":
        model._default_save_signature = "no function"
    loaded = again(model)
    (result,) = loaded.signatures["serving_default"](tf.constant(1.0)).values()
    assert float(result) == (2.0 if form in ("neither", "raises") else 3.0)


@pytest.mark.parametrize("form", ["function", "concrete", "dict"])
def test_signatures(tf, module, again, form):
    function = scale(tf)
    given = {"function": function, "concrete": function.get_concrete_function(), "dict": {"a": function}}[form]
    loaded = again(module, signatures=given)
    (key,) = loaded.signatures
    assert key == ("a" if form == "dict" else "serving_default")
    np.testing.assert_allclose(loaded.signatures[key](tf.constant([1.0]))["output_0"], [2.0])


def test_results_of_signatures(tf, module, again):
    spec = tf.TensorSpec([], tf.float32)
    functions = {
        "one": tf.function(lambda x: x, input_signature=[spec]),
        "several": tf.function(lambda x, y: (x, [y][0]), input_signature=[spec, spec]),
        "named": tf.function(lambda x: {"b": x, "a": 2.0 * x}, input_signature=[spec]),
    }
    loaded = again(module, signatures=functions)
    one = tf.constant(1.0)
    assert sorted(loaded.signatures["several"](x=one, y=one)) == ["output_0", "output_1"]
    assert {name: float(x) for name, x in loaded.signatures["named"](x=one).items()} == {"a": 2.0, "b": 1.0}
    with pytest.raises(TypeError, match="too many positional arguments"):
        loaded.signatures["several"](one)


def test_names_of_signatures(tf, module, again):
    module.f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.float32, name="x")])
    module.named = tf.function(functools.partial(lambda a, x: x, 1), input_signature=[tf.TensorSpec([], tf.float32, name="x")])

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32, name="x")])
    def double(x):
        return 2 * x

    module.g = double
    given = {"a": double, "b": double.get_concrete_function(), "c": module.f, "d": module.named}
    loaded = again(module, signatures=given)
    names = {key: function.graph.name for key, function in loaded.signatures.items()}
    plain = "signature_wrapper"
    assert names == {"a": plain + "_double", "b": plain, "c": plain + "_<lambda>", "d": plain}
    with pytest.raises(TypeError, match=r"signature_wrapper_double\(x\) missing required arguments: x"):
        loaded.signatures["a"]()


def test_functions_that_are_no_signatures(tf, module, again):
    for function in (tf.function(lambda x: x), 3):
        with pytest.raises(
            ValueError, match="Expected a TensorFlow function for which to generate a signature, but got"
        ):
            again(module, signatures=function)
    nested = tf.function(lambda x: (x, {"q": x}), input_signature=[tf.TensorSpec([])])
    with pytest.raises(ValueError, match="Outputs for functions used as signatures must be a single Tensor"):
        again(module, signatures={"a": nested})


def test_what_is_refused(tf, module, again, tmp_path):
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        again(3)
    with pytest.raises(AssertionError, match="is not supported inside a traced @tf.function"):
        tf.function(lambda: again(module))()
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(str(tmp_path / "nothing"))
    with pytest.raises(ValueError, match="Got an incompatible argument to `tags`"):
        tf.saved_model.save(module, str(tmp_path))
        tf.saved_model.load(str(tmp_path), tags="gpu")
    tf.saved_model.load(str(tmp_path), tags=["serve"])


def test_a_variable_that_nobody_holds(tf, module, again):
    variable = tf.Variable(2.0)
    module.add = tf.function(lambda x: x + variable, input_signature=[tf.TensorSpec([])])
    with pytest.raises(
        AssertionError, match="Tried to export a function which references an 'untracked' resource"
    ) as error:
        again(module)
    assert "Trackable referencing this tensor = <tf.Variable 'Variable:0'" in str(error.value)
    module.variable = variable
    assert float(again(module).add(1.0)) == 3.0


@pytest.mark.parametrize("kind", ["StaticHashTable", "MutableHashTable"])
def test_a_table_that_nobody_holds_is_named(tf, module, again, kind):
    if kind == "StaticHashTable":
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    else:
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    module.find = tf.function(table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
    with pytest.raises(AssertionError, match=f"Trackable referencing this tensor = <.*{kind} object at"):
        again(module)


def test_functions_without_traces(tf, module, again):
    module.f = tf.function(lambda x: x)
    with pytest.raises(ValueError, match="Found zero restored functions for caller function"):
        again(module).f(tf.constant(1.0))


def test_methods_of_several_objects(tf, again):
    class Adder(tf.Module):
        def __init__(self, amount):
            super().__init__()
            self.amount = tf.Variable(amount)

        @tf.function
        def add(self, x, times=1):
            return x + self.amount * tf.cast(times, tf.float32)

    root = tf.Module()
    root.adders = [Adder(1.0), Adder(10.0)]
    for adder in root.adders:
        adder.add(tf.constant(0.0))
        adder.add(tf.constant(0.0), times=3)
    loaded = again(root)
    found = [float(adder.add(tf.constant(0.5), times=n)) for adder in loaded.adders for n in (1, 3)]
    assert found == [1.5, 3.5, 10.5, 30.5]


def test_arguments_without_names_have_names_once_loaded(tf, module, again):
    spec = tf.TensorSpec([], tf.float32)
    module.any = tf.function(lambda *args: args[0] - args[1], input_signature=[spec, spec])
    module.after = tf.function(lambda x, *args: x - args[0], input_signature=[spec, spec])
    module.none = tf.function(lambda x, y=None, *args: x - y, input_signature=[spec, spec])
    with pytest.raises(TypeError, match="'args_0' parameter is positional only, but was passed as a keyword"):
        module.any(args_0=1.0, args_1=3.0)
    loaded = again(module)
    assert float(loaded.any(1.0, 3.0)) == float(loaded.any(args_0=1.0, args_1=3.0)) == float(loaded.any(1.0, args_1=3.0)) == -2.0
    assert float(loaded.after(1.0, 3.0)) == float(loaded.after(1.0, args_0=3.0)) == float(loaded.after(x=1.0, args_0=3.0)) == -2.0
    assert float(loaded.none(1.0, 3.0)) == float(loaded.none(1.0, y=3.0)) == -2.0
    assert float(again(loaded).any(args_0=1.0, args_1=3.0)) == -2.0
    with pytest.raises(TypeError, match="missing a required argument: 'args_1'"):
        loaded.any(1.0)


def test_nests_and_odd_dtypes(tf, module, again):
    @tf.function
    def f(pair, named, *rest, flag=True):
        return {"sum": pair[0] + named["x"], "rest": list(rest), "flag": tf.constant(flag), "none": None}

    module.f = f
    args = (tf.constant([1, 2], tf.int64), tf.constant("s")), {"x": tf.constant([3, 4], tf.int64)}
    f(*args, tf.constant(True), tf.constant(1 + 2j))
    found = again(module).f(*args, tf.constant(True), tf.constant(3 + 4j))
    assert found["sum"].numpy().tolist() == [4, 6] and bool(found["flag"]) and found["none"] is None
    assert found["rest"][1].numpy() == 3 + 4j


def test_composite_tensors(tf, module, again):
    module.f = tf.function(lambda x: x * 2, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    found = again(module).f(tf.ragged.constant([[1], [2, 3]]))
    assert found.to_list() == [[2], [4, 6]]


def test_control_flow_and_state(tf, module, again):
    module.log = tf.Variable(tf.zeros([0]), shape=[None])

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def collatz(n):
        steps = tf.constant(0)
        while n > 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        module.log.assign(tf.concat([module.log, [tf.cast(steps, tf.float32)]], 0))
        return steps

    module.collatz = collatz
    loaded = again(module)
    assert [int(loaded.collatz(n)) for n in (1, 6, 27)] == [0, 8, 111]
    assert loaded.log.numpy().tolist() == [0.0, 8.0, 111.0] and loaded.log.shape.as_list() == [None]


def test_large_constants(tf, module, again):
    table = tf.constant(np.arange(1000, dtype=np.float32))
    module.f = tf.function(lambda i: tf.gather(table, i), input_signature=[tf.TensorSpec([None], tf.int32)])
    module.g = tf.function(lambda: table[-1], input_signature=[])
    loaded = again(module)
    assert loaded.f(tf.constant([7, 999])).numpy().tolist() == [7.0, 999.0] and float(loaded.g()) == 999.0


def test_containers(tf, module, again):
    module.list = [tf.Variable(1.0), [tf.Variable(2.0)]]
    module.dict = {"a": tf.Variable(3.0), "b": {"c": tf.Variable(4.0)}}
    module.tuple = (tf.Variable(5.0), tf.Variable(6.0))
    loaded = again(module)
    assert float(loaded.list[1][0]) == 2.0 and float(loaded.dict["b"]["c"]) == 4.0 and float(loaded.tuple[1]) == 6.0
    shared = tf.Module()
    shared.one = shared.two = tf.Variable(1.0)
    loaded = again(shared)
    assert loaded.one is loaded.two


def test_tables_that_change(tf, module, again):
    module.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    module.table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    module.find = tf.function(lambda x: module.table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)])
    assert again(module).find(tf.constant(["b", "c"])).numpy().tolist() == [2, -1]


def test_files_of_models(tf, module, again, tmp_path):
    path = tmp_path / "greeting.txt"
    path.write_text("hello")
    module.file = tf.saved_model.Asset(str(path))
    loaded = again(module)
    path.unlink()
    assert tf.io.read_file(loaded.file.asset_path).numpy() == b"hello"


def test_aliases(tf, module, again, tmp_path):
    module.f = scale(tf)
    options = tf.saved_model.SaveOptions(function_aliases={"double": module.f})
    tf.saved_model.save(module, str(tmp_path), options=options)
    loading = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(str(tmp_path), options=loading)
    np.testing.assert_allclose(loaded.function_aliases["double"](tf.constant([1.0])), [2.0])


def test_fingerprints(tf, module, tmp_path):
    for name, value in [("a", 1.0), ("b", 1.0), ("c", 2.0)]:
        module.v = tf.Variable(value)
        tf.saved_model.save(module, str(tmp_path / name))
    read = tf.saved_model.experimental.read_fingerprint
    first, third = read(str(tmp_path / "a")), read(str(tmp_path / "c"))
    assert first.checkpoint_hash != third.checkpoint_hash and first == read(str(tmp_path / "a"))
    assert first.singleprint().count("/") == 3
    with pytest.raises(FileNotFoundError):
        read(str(tmp_path))


def test_loaded_objects_in_checkpoints(tf, module, again, tmp_path):
    module.v = tf.Variable(1.0)
    loaded = again(module)
    loaded.v.assign(5.0)
    path = tf.train.Checkpoint(model=loaded).save(str(tmp_path / "ckpt"))
    other = again(module)
    tf.train.Checkpoint(model=other).restore(path)
    assert float(other.v) == 5.0


def test_parts_of_composite_inputs_of_a_signature(tf, tmp_path):
    @tf.function
    def f(x, y):
        found = x["b"] + tf.cast(tf.reduce_sum(x["h"]), tf.float32) + 10.0 * tf.sparse.reduce_sum(y)
        return {"found": found, "a": x["a"]}

    scalar = tf.TensorSpec([], tf.float32)
    rows, sparse = tf.RaggedTensorSpec([None, None], tf.int64), tf.SparseTensorSpec([None], tf.float32)
    concrete = f.get_concrete_function({"h": rows, "b": scalar, "a": scalar}, sparse)
    module = tf.Module()
    module.f = f
    tf.saved_model.save(module, str(tmp_path), signatures=concrete)
    loaded = tf.saved_model.load(str(tmp_path)).signatures["serving_default"]
    specs = loaded.structured_input_signature[1]
    assert sorted(specs) == ["x", "x_1", "x_2", "x_3", "y", "y_1", "y_2"]
    # In the order of the keys: "a", "b", and the values and row splits of "h".
    assert [(specs[name].dtype.name, specs[name].shape.rank) for name in ("x", "x_1", "x_2", "x_3")] == [
        ("float32", 0), ("float32", 0), ("int64", 1), ("int64", 1)
    ]  # fmt: skip
    given = tf.ragged.constant([[1, 2], [3]], dtype=tf.int64)
    other = tf.sparse.from_dense([0.0, 5.0])
    found = loaded(
        x=tf.constant(1.0), x_1=tf.constant(2.0), x_2=given.flat_values, x_3=given.row_splits,
        y=other.indices, y_1=other.values, y_2=other.dense_shape,
    )  # fmt: skip
    assert found["a"].numpy() == 1.0 and found["found"].numpy() == 58.0


def test_models_of_a_graph_with_a_session(tf, tmp_path):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        model = tf.Module()
        model.v = v1.get_variable("v", initializer=2.0, use_resource=True)
        model.f = tf.function(lambda x: x * model.v, input_signature=[tf.TensorSpec([], tf.float32)])
        session.run(v1.global_variables_initializer())
        session.run(model.v.assign(3.0))
        tf.saved_model.save(model, str(tmp_path))
    with tf.Graph().as_default(), v1.Session() as session:
        loaded = tf.saved_model.load(str(tmp_path))
        direct, signed = loaded.f(2.0), loaded.signatures["serving_default"](tf.constant(3.0))
        session.run(v1.global_variables_initializer())
        assert session.run(direct) == 6 and list(session.run(signed).values()) == [9]
    assert float(tf.saved_model.load(str(tmp_path)).f(2.0)) == 6


@pytest.mark.parametrize("key", ["_own", "two words", "1x", "a/b", "ü", "__saved_model_init_op"])
def test_any_text_is_the_key_of_a_signature(tf, module, again, key):
    module.scale = scale(tf)
    loaded = again(module, signatures={key: module.scale})
    assert list(loaded.signatures) == [key]
    assert loaded.signatures[key](x=tf.constant([1.0]))["output_0"].numpy().tolist() == [2.0]


def test_items_of_lists_keep_their_places(tf, module, again, tmp_path):
    module.items = [1, "a", tf.Variable(1.0), None, tf.Variable(2.0)]
    module.pair = (1, [2, tf.Variable(3.0)])
    loaded = again(module)
    assert [None if item is None else float(item) for item in loaded.items] == [None, None, 1.0, None, 2.0]
    assert loaded.pair[0] is None and loaded.pair[1][0] is None and float(loaded.pair[1][1]) == 3.0
    loaded.items[4].assign(5.0)
    tf.saved_model.save(loaded, str(tmp_path / "second"))
    assert float(tf.saved_model.load(str(tmp_path / "second")).items[4]) == 5.0
