"""Signatures of TensorFlow 1's classes and their methods."""

import inspect
import operator

import pytest

pytestmark = pytest.mark.rule("surface")

READER = "filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None"
SIGNATURES = {
    "data.TFRecordDataset": f"({READER})",
    "data.TextLineDataset": f"({READER})",
    "data.FixedLengthRecordDataset": (
        "(filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None, "
        "num_parallel_reads=None, name=None)"
    ),
    "data.experimental.SqlDataset": "(driver_name, data_source_name, query, output_types)",
    "train.QueueRunner.from_proto": "(queue_runner_def, import_scope=None)",
    "train.MonitoredSession.StepContext": "(session, run_with_hooks_fn)",
    "train.SummarySaverHook.end": "(self, session=None)",
    "saved_model.Builder.save": "(self, as_text=False, experimental_image_format=False, experimental_image_writer_options=None)",
}


@pytest.mark.parametrize("path", SIGNATURES)
def test_signatures(tf, path):
    signature = inspect.signature(operator.attrgetter(path)(tf.compat.v1))
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    assert str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)) == SIGNATURES[path]


def test_defaults(tf):
    v1 = tf.compat.v1
    parameters = inspect.signature(v1.train.Supervisor.__init__).parameters
    assert v1.train.Supervisor.USE_DEFAULT == 0 == parameters["saver"].default == parameters["summary_writer"].default
    mode = inspect.signature(v1.distribute.Strategy.make_input_fn_iterator).parameters["replication_mode"].default
    assert mode == tf.distribute.InputReplicationMode.PER_WORKER
    assert inspect.signature(v1.Graph.as_graph_def).parameters["use_pybind11_proto"].default is False
    assert "kwargs" in inspect.signature(v1.train.export_meta_graph).parameters


def test_names_of_supervisors(tf):
    supervisor = tf.compat.v1.train.Supervisor
    assert supervisor.StopOnException is supervisor.stop_on_exception and supervisor.WaitForStop is supervisor.wait_for_stop
    with tf.Graph().as_default():
        assert supervisor(ready_for_local_init_op=None, saver=None).ready_for_local_init_op is None


def test_namespaces_are_listed(tf):
    assert {"v1", "v2", "as_bytes"} <= set(dir(tf.compat))


def test_input_functions_of_strategies(tf):
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    modes = tf.distribute.InputReplicationMode
    iterator = strategy.make_input_fn_iterator(lambda context: tf.data.Dataset.range(2), modes.PER_WORKER)
    assert iterator is not None
    with pytest.raises(ValueError, match="Input replication mode not supported: <InputReplicationMode.PER_REPLICA"):
        strategy.make_input_fn_iterator(lambda context: tf.data.Dataset.range(2), modes.PER_REPLICA)
