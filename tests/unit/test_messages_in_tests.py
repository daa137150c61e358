"""TestCase.assertProtoEquals: messages compared with others and with their text. (TensorFlow's own fails with the protobuf
that it installs.)"""

import pytest
import tracefn as tf


@pytest.fixture
def case():
    class Case(tf.test.TestCase):
        def runTest(self):
            pass

    return Case()


def example(*values, name="a"):
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Example(features=tf.train.Features(feature={name: feature}))


TEXTS = [
    'features { feature { key: "a" value { float_list { value: 1.5 value: 2 } } } }',
    'features: < feature: { key: "\\x61"; value: { float_list: { value: [1.5, 2.0] } } } >  # a comment',
    "features {\n  feature {\n    value { float_list { value: 1.5f value: 2 } } key: 'a' }\n}\n",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("as_bytes", [False, True])
def test_equal_texts(case, text, as_bytes):
    case.assertProtoEquals(text.encode() if as_bytes else text, example(1.5, 2))


def test_messages(case):
    case.assertProtoEquals(example(1.5), example(1.5))
    case.assertProtoEquals("", tf.train.Example())
    for other in (example(1.25), example(1.5, 1.5), example(1.5, name="b"), tf.train.Example()):
        with pytest.raises(AssertionError):
            case.assertProtoEquals(other, example(1.5))


def test_numbers_that_are_near(case):
    case.assertProtoEquals(example(1.0), example(1.001), relative_tolerance=0.01)
    with pytest.raises(AssertionError):
        case.assertProtoEquals(example(1.0), example(1.1), relative_tolerance=0.01)
    with pytest.raises(AssertionError):
        case.assertProtoEquals(example(1.0), example(1.001))


@pytest.mark.parametrize("text", ["features {", "features { } }", "nothing_of_the_kind: 1", 'features { "'])
def test_texts_that_are_wrong(case, text):
    with pytest.raises(Exception):  # noqa: B017 - of the parser, or an AssertionError
        case.assertProtoEquals(text, example(1.0))


def test_other_classes(case):
    with pytest.raises(AssertionError, match="Can't compare protos"):
        case.assertProtoEquals(tf.train.Feature(), example(1.0))


def test_graphs(case):
    with tf.Graph().as_default() as graph:
        tf.no_op(name="nothing")
    case.assertProtoEqualsVersion("node { name: 'nothing' op: 'NoOp' }", graph.as_graph_def())
    with pytest.raises(AssertionError):
        case.assertProtoEqualsVersion("node { name: 'other' op: 'NoOp' }", graph.as_graph_def())


def test_lists_of_messages(case):
    one, same, more = tf.compat.v1.GraphDef(), tf.compat.v1.GraphDef(), tf.compat.v1.GraphDef()
    for graph_def, names in ((one, "a"), (same, "a"), (more, "ab")):
        for name in names:
            graph_def.node.add(name=name)
    case.assertProtoEquals(one.node, same.node)
    with pytest.raises(AssertionError, match="Expected the messages"):
        case.assertProtoEquals(one.node, more.node)
    with pytest.raises(AssertionError, match="Can't compare protos of type"):
        case.assertProtoEquals(one.node, list(same.node))
