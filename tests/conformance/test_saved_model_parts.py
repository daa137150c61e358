"""Parts of saved models, and their messages: what Keras's loader stands on."""

import importlib
from collections import namedtuple

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def models(tf):
    return tf.__internal__.saved_model


@pytest.fixture
def path(tf, tmp_path):
    """The directory of a model."""

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.part = tf.Module()
            self.part.v = tf.Variable(5.0)
            self.other = tf.Variable([1.0, 2.0])

        @tf.function(input_signature=[tf.TensorSpec([])])
        def scaled(self, x):
            return x * self.part.v

    tf.saved_model.save(Model(), str(tmp_path))
    return str(tmp_path)


def test_parts_by_their_paths(models, path):
    loaded = models.load_partial(path, ["root.part", "root.part.v"])
    assert sorted(loaded) == ["root.part", "root.part.v"]
    assert loaded["root.part"].v is loaded["root.part.v"] and float(loaded["root.part.v"]) == 5
    assert not hasattr(loaded["root.part"], "other")
    assert float(models.load_partial(path, ["root"])["root"].scaled(2.0)) == 10


def test_parts_into_objects_that_are_there(tf, models, path):
    v = tf.Variable(0.0)
    loaded = models.load_partial(path, {"root.part": None, "root.part.v": v})
    assert loaded["root.part"].v is v and float(v) == 5
    seen, holder = [], tf.Module()
    setter = lambda owner, name, child: seen.append(name) or setattr(owner, name, child)
    loaded = models.load_partial(path, {"root": None, "root.part": (holder, setter)})
    assert loaded["root.part"] is holder and seen == ["v"] and float(loaded["root"].scaled(3.0)) == 15
    holder.v.assign(2.0)
    assert float(loaded["root"].scaled(3.0)) == 6


@pytest.mark.parametrize(
    "filters, error", [(["part"], ValueError), (["root.none"], ValueError), ([3], TypeError), ({"root": object()}, TypeError)]
)
def test_wrong_filters(models, path, filters, error):
    with pytest.raises(error):
        models.load_partial(path, filters)


def test_a_function_needs_what_it_captures(models, path):
    with pytest.raises(ValueError, match="Unable to partially load SavedModel"):
        models.load_partial(path, ["root.scaled"])


def test_the_messages_of_a_model(models, path):
    graph = models.parse_saved_model(path).meta_graphs[0]
    nodes = graph.object_graph_def.nodes
    names = {child.local_name: nodes[child.node_id] for child in nodes[0].children}
    assert names["other"].WhichOneof("kind") == "variable" and names["scaled"].WhichOneof("kind") == "function"
    concrete = graph.object_graph_def.concrete_functions[names["scaled"].function.concrete_functions[0]]
    (spec,), kwargs = models.decode_proto(concrete.canonicalized_input_signature)
    assert spec.shape == [] and kwargs == {}
    with pytest.raises(OSError):
        models.parse_saved_model(path + "/none")


def test_structures_as_messages(tf, models):
    value = {"a": [1, None, "x"], "b": (tf.TensorSpec([None, 2], tf.int32), 1.5, True)}
    assert models.decode_proto(models.encode_structure(value)) == value


def test_objects_that_were_saved_and_their_paths(tf, tmp_path):
    save = importlib.import_module(f"{tf.__name__}.python.saved_model.save")
    module = tf.Module()
    module.parts = [tf.Variable(1.0)]
    nodes, paths = save.save_and_return_nodes(module, str(tmp_path / "a"))
    assert nodes[0] is module and paths[module] == ()
    assert [reference.name for reference in paths[module.parts[0]]] == ["parts", "0"]
    save.save_and_return_nodes(module, str(tmp_path / "b"), experimental_skip_checkpoint=True)
    assert (tmp_path / "a" / "variables").exists() and not list((tmp_path / "b").glob("variables/*"))


def test_children_that_only_saved_models_have(tf, tmp_path):
    class Layer(tf.Module):
        asked = 0

        def __init__(self):
            super().__init__()
            self.v = tf.Variable(1.0)

        def _trackable_children(self, save_type="checkpoint", **kwargs):
            children = super()._trackable_children(save_type, **kwargs)
            if save_type == "savedmodel":
                Layer.asked += kwargs["cache"].setdefault("made", 0) == 0
                kwargs["cache"]["made"] = 1
                children["only"] = kwargs["cache"].setdefault("variable", tf.Variable(7.0))
            return children

    root = tf.Module()
    root.layers = [Layer(), Layer()]
    tf.saved_model.save(root, str(tmp_path))
    assert Layer.asked == 1
    loaded = tf.saved_model.load(str(tmp_path))
    assert [float(layer.only) for layer in loaded.layers] == [7, 7]
    assert loaded.layers[0].only is loaded.layers[1].only


def test_functions_that_are_no_attributes_any_more(tf, tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])
    object.__setattr__(module, "f", None)
    tf.saved_model.save(module, str(tmp_path))
    assert not hasattr(tf.saved_model.load(str(tmp_path)), "f")


def test_functions_made_by_their_class(tf):
    Function = tf.__internal__.function.Function
    double = Function(lambda x: 2 * x, "double", input_signature=[tf.TensorSpec([None])])
    assert double([1.0]).numpy().tolist() == [2] and isinstance(double, Function)
    assert isinstance(tf.function(lambda: 1), Function) and not isinstance(len, Function)


def test_functions_without_parameters_are_saved(tf, tmp_path):
    """They need no call and no input_signature, as theirs is empty."""

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function
        def value(self):
            return self.v + 1.0

    model = Model()
    assert model.value.input_signature == ()
    assert tf.function(lambda x: x).input_signature is None
    assert tf.function(lambda *args: 1).input_signature is None
    tf.saved_model.save(model, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert float(loaded.value()) == 3.0
    assert float(loaded.signatures["serving_default"]()["output_0"]) == 3.0
    outside = tf.Variable(1.0)
    module = tf.Module()
    module.f = tf.function(lambda: outside * 2)
    with pytest.raises(AssertionError, match="untracked"):
        tf.saved_model.save(module, str(tmp_path / "outside"))


def test_constants_of_saved_models(internal):
    tags, signatures, names = (internal(f"saved_model.{kind}constants") for kind in ("tag_", "signature_", ""))
    assert (tags.SERVING, tags.EVAL, tags.TPU) == ("serve", "eval", "tpu")
    assert signatures.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert signatures.SUPERVISED_TRAIN_METHOD_NAME == "tensorflow/supervised/training"
    assert (names.MAIN_OP_KEY, names.SAVED_MODEL_FILENAME_CPB) == ("saved_model_main_op", "saved_model.cpb")


def test_texts_of_loaded_signatures_name_their_results(tf, tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: {"b": x * 2.0, "a": [x]}, input_signature=[tf.TensorSpec([None], name="x")])
    module.g = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([2])])
    both = {"g": module.g.get_concrete_function()}
    assert "name=None" in repr(both["g"])
    tf.saved_model.save(module, str(tmp_path), signatures=both)
    loaded = tf.saved_model.load(str(tmp_path))
    assert "-> Dict[['output_0', TensorSpec(shape=(2,), dtype=tf.float32, name='output_0')]]" in repr(loaded.signatures["g"])
    (trace,) = loaded.f.concrete_functions
    assert "'b', TensorSpec(shape=(None,), dtype=tf.float32, name='b')" in repr(trace) and "name='a_0')" in repr(trace)


Pair = namedtuple("Pair", ["a", "b"])


def test_loaded_functions_take_the_structures_they_were_traced_for(tf, tmp_path):
    module, one, two = tf.Module(), tf.constant(1.0), tf.constant(2.0)
    module.listed = tf.function(lambda x: x["a"] + x["b"][0])
    module.paired = tf.function(lambda x: x.a + x.b)
    module.more = tf.function(lambda x, **more: x + sum(more.values()))
    module.listed({"a": one, "b": [two]})
    module.paired(Pair(one, two))
    module.more(one, q=two)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.listed({"a": one, "b": [two]}) == 3.0
    assert loaded.paired(Pair(one, two)) == 3.0
    assert loaded.more(one, q=two) == 3.0
    for wrong in (
        lambda: loaded.listed({"a": one, "b": (two,)}),
        lambda: loaded.listed({"a": one, "c": [two]}),
        lambda: loaded.paired((one, two)),
        lambda: loaded.more(one, w=two),
    ):
        with pytest.raises(ValueError, match="Could not find matching concrete function to call"):
            wrong()
    with pytest.raises(ValueError) as caught:
        loaded.listed({"a": one, "b": (two,)})
    assert (
        "    * {'a': TensorSpec(shape=(), dtype=tf.float32, name='x_a'),\n"
        " 'b': [TensorSpec(shape=(), dtype=tf.float32, name='x_b_0')]}\n"
    ) in str(caught.value)


def test_signatures_of_several_inputs_take_them_by_name_only(tf, tmp_path):
    module = tf.Module()
    number = [tf.TensorSpec([], name="b"), tf.TensorSpec([], name="a")]
    module.less = tf.function(lambda b, a: b - a, input_signature=number)
    module.twice = tf.function(lambda b: b * 2.0, input_signature=number[:1])
    tf.saved_model.save(module, str(tmp_path), signatures={"less": module.less, "twice": module.twice})
    loaded = tf.saved_model.load(str(tmp_path))
    one, five = tf.constant(1.0), tf.constant(5.0)
    with pytest.raises(TypeError, match="takes 0 positional arguments, got 2"):
        loaded.signatures["less"](one, five)
    assert float(loaded.signatures["less"](a=one, b=five)["output_0"]) == 4
    assert float(loaded.signatures["twice"](five)["output_0"]) == 10
    assert float(loaded.less(one, five)) == -4
