"""Reads with real TensorFlow the GraphDef that the C++ test graph_def_of_everything leaves, and runs it.

    TRACEFN_GRAPH_DEF_OUT=/tmp/graph.pb tracefn_tests graph_def_of_everything
    python tests/oracle/read_graph_def.py /tmp/graph.pb      # in an environment with TensorFlow
"""

import sys

import numpy as np
import tensorflow as tf


def main(path: str) -> None:
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        data = file.read()
    definition.ParseFromString(data)
    with open(path + ".txt") as file:
        assert str(definition) == file.read(), "the text form differs from TensorFlow's"
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        with tf.compat.v1.Session(graph=graph) as session:
            names = ["Identity:0", "Identity_1:0", "ReadVariableOp:0"]
            twice, total, read = session.run(names, {"x:0": np.float32([1, 2, 3])})
            np.testing.assert_array_equal(twice, [2, 4, 6])
            assert total == 3 and read.shape == (1, 2)
            constants = [node for node in definition.node if node.op == "Const"]
            for node, value in zip(constants, session.run([node.name + ":0" for node in constants]), strict=True):
                expected = tf.make_ndarray(node.attr["value"].tensor)
                assert value.dtype == expected.dtype and value.shape == expected.shape, node.name
    print(f"read and ran {len(definition.node)} nodes, {len(constants)} of them constants")


if __name__ == "__main__":
    main(sys.argv[1])
