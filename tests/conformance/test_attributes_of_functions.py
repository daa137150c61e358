"""The attributes of functions in GraphDefs: `experimental_attributes`, `experimental_implements` and `jit_compile` of tf.function."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def written(tf):
    """The attributes of a function as a FunctionDef, and in the library of a graph that calls it."""

    def attributes(**options):
        function = tf.function(lambda x: x * 2, **options)
        spec = tf.TensorSpec([])
        definition = function.get_concrete_function(spec).function_def
        caller = tf.function(lambda x: function(x)).get_concrete_function(spec)
        (called,) = caller.graph.as_graph_def().library.function
        found = [{name: value for name, value in one.attr.items() if name != "_construction_context"} for one in (definition, called)]
        assert found[0] == found[1]
        return found[0]

    return attributes


def test_attributes_that_are_given(tf, written):
    assert written() == {} and written(experimental_attributes={}) == {}
    assert written(experimental_attributes={"_noinline": True})["_noinline"].b
    assert written(experimental_attributes={"_noinline": 3})["_noinline"].i == 3
    assert written(experimental_attributes={"_noinline": 1.5})["_noinline"].f == 1.5
    assert written(experimental_attributes={"_noinline": b"x"})["_noinline"].s == b"x"
    assert list(written(experimental_attributes={"_noinline": [1, 2]})["_noinline"].list.i) == [1, 2]
    assert written(experimental_attributes={"_noinline": tf.compat.v1.AttrValue(i=4)})["_noinline"].i == 4
    both = written(experimental_attributes={"api_implements": "times", "api_preferred_device": "CPU"})
    assert (both["api_implements"].s, both["api_preferred_device"].s) == (b"times", b"CPU")


def test_what_a_function_implements(written):
    assert written(experimental_implements="mine")["_implements"].s == b"mine"
    named = written(experimental_implements='name: "lookup" attr { key: "k" value { i: 2 } }')["_implements"].func
    assert named.name == "lookup" and named.attr["k"].i == 2
    both = written(experimental_implements="mine", experimental_attributes={"_noinline": True})
    assert both["_implements"].s == b"mine" and both["_noinline"].b


def test_whether_a_function_is_to_be_compiled(written):
    assert "_XlaMustCompile" in written(jit_compile=False) and not written(jit_compile=False)["_XlaMustCompile"].b


@pytest.mark.parametrize("name", ["zz", "shared_rendezvous", "noinline"])
def test_other_attributes_are_refused(tf, name):
    with pytest.raises(ValueError, match=f"`{name} is not supported by tf.function as an attribute."):
        tf.function(lambda x: x, experimental_attributes={name: 1})


def test_graphs_of_such_functions_are_imported(tf):
    function = tf.function(lambda x: x * 2.0, experimental_implements="mine", experimental_attributes={"_noinline": True})
    caller = tf.function(lambda x: function(x) + 1.0).get_concrete_function(tf.TensorSpec([], name="x"))
    graph_def = caller.graph.as_graph_def()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        (result,) = tf.graph_util.import_graph_def(graph_def, {"x:0": tf.constant(3.0)}, ["Identity:0"])
        assert session.run(result) == 7
