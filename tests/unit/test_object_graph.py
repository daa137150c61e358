"""The message of a checkpoint's objects: read as written, and errors for bytes that are none."""

import random

import pytest
from tracefn._checkpoint.object_graph import (
    Attribute,
    Child,
    Node,
    ObjectGraph,
    RegisteredSaver,
    Slot,
    attribute_key,
    path_of_key,
)
from tracefn._checkpoint.state_file import CheckpointState


def sample() -> ObjectGraph:
    graph = ObjectGraph(
        [
            Node(children=[Child(1, "a"), Child(2, "b.c/d")]),
            Node(attributes=[Attribute("VARIABLE_VALUE", "w", "a/.ATTRIBUTES/VARIABLE_VALUE")], children=[Child(0, "up")]),
            Node(slot_variables=[Slot(1, "m", 3)], registered_saver=RegisteredSaver("saver", "b")),
            Node(attributes=[Attribute("x", "", "y")]),
            Node(),
        ]
    )
    graph.mark_values()
    return graph


def test_written_and_read():
    graph = sample()
    read = ObjectGraph.FromString(graph.SerializeToString())
    assert read.nodes == graph.nodes
    assert [node.has_checkpoint_values for node in read.nodes] == [True, True, True, True, False]
    assert read.names() == {0: "(root)", 1: "(root).a", 2: "(root).b.c/d", 3: "(root).b.c/d's state 'm' for (root).a"}


def test_text():
    text = str(sample().nodes[1])
    assert text.startswith('children {\n  local_name: "up"\n}\nattributes {\n  name: "VARIABLE_VALUE"\n  full_name: "w"\n')
    assert text.endswith("has_checkpoint_values {\n  value: true\n}\n")


def test_damaged_bytes_are_errors():
    whole = sample().SerializeToString()
    generator = random.Random(1)
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(generator.randint(1, 3)):
            data[generator.randrange(len(data))] = generator.randrange(256)
        cut = bytes(data[: generator.randint(0, len(data))]) if generator.random() < 0.3 else bytes(data)
        try:
            graph = ObjectGraph.FromString(cut)
        except ValueError:
            continue
        graph.mark_values()
        assert graph.names() and all(str(node) is not None for node in graph.nodes)


def test_references_to_nothing():
    with pytest.raises(ValueError, match="has 1 objects and refers to number 7"):
        ObjectGraph.FromString(ObjectGraph([Node(children=[Child(7, "a")])]).SerializeToString())
    with pytest.raises(ValueError, match="is empty"):
        ObjectGraph.FromString(b"")


def test_keys():
    assert attribute_key("a/b..c", "x/y.z") == "a/b..c/.ATTRIBUTES/x.Sy..z"
    assert path_of_key("a/b/.ATTRIBUTES/x") == "a/b/.ATTRIBUTES/" and path_of_key("name") == "name"


@pytest.mark.parametrize("path", ["plain", 'with "quotes"', "back\\slash", "line\nbreak", "tab\t", "ünï", "\udcff"])
def test_states_are_read_as_written(path):
    state = CheckpointState(path, [path, "other"], [1.5, 2e9], 3.25)
    assert CheckpointState.parse(str(state)) == state


def test_damaged_states_are_errors_or_other_states():
    whole = str(CheckpointState("a", ["a", "b"], [1.5, 2.5], 3.0))
    generator = random.Random(2)
    for _ in range(2000):
        at = generator.randrange(len(whole))
        text = whole[:at] + chr(generator.randrange(32, 127)) + whole[at + generator.randint(0, 2) :]
        try:
            state = CheckpointState.parse(text)
        except ValueError:
            continue
        assert repr(CheckpointState.parse(str(state))) == repr(state)


def test_long_comments_take_no_time():
    with pytest.raises(ValueError, match="expected a field"):
        CheckpointState.parse("#" * 10_000 + "\n" + "# " * 1000 + "\n!")
