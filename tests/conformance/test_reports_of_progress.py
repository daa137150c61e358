"""What is logged, with the level INFO, of saving models and of making strategies."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def told(tf, log_lines):
    """What is logged with this level."""
    tf.get_logger().setLevel("INFO")
    return lambda: [text for level, text in log_lines if level == "INFO"]


def test_saving_a_module(tf, tmp_path, told, log_lines):
    model = tf.Module()
    model.v = tf.Variable(1.0)
    tf.saved_model.save(model, str(tmp_path / "plain"))
    assert told() == [f"Assets written to: {tmp_path}/plain/assets"]
    log_lines.clear()
    (tmp_path / "words").write_text("a")
    model.words = tf.saved_model.Asset(str(tmp_path / "words"))
    tf.saved_model.save(model, str(tmp_path / "with_assets"))
    assert told() == [f"Assets written to: {tmp_path}/with_assets/assets"]


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("assets", [False, True])
def test_saving_a_graph(tf, v1, graph, tmp_path, told, as_text, assets):
    (tmp_path / "words").write_text("a")
    files = [tf.constant(str(tmp_path / "words"))] if assets else None
    builder = v1.saved_model.Builder(str(tmp_path / "model"))
    with v1.Session() as session:
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=files)
        builder.add_meta_graph(["other"])
        builder.save(as_text)
    none = ["No assets to save.", "No assets to write."]
    some = ["Assets added to graph.", f"Assets written to: {tmp_path}/model/assets"]
    written = f"SavedModel written to: {tmp_path}/model/saved_model.pb{'txt' if as_text else ''}"
    assert told() == [*(some if assets else none), *none, written]


def test_making_strategies(tf, told, log_lines):
    here = "/job:localhost/replica:0/task:0/device:CPU:0"
    experimental = tf.distribute.experimental
    ring = experimental.CommunicationOptions(implementation=experimental.CommunicationImplementation.RING)
    central = "ParameterServerStrategy (CentralStorageStrategy if you are using a single machine) with compute_devices = "
    alone = "Single-worker MultiWorkerMirroredStrategy with local_devices = ('/device:CPU:0',), communication = "
    for make, lines in [
        (lambda: tf.distribute.MirroredStrategy(["CPU:0"]), [f"Using MirroredStrategy with devices ('{here}',)"]),
        (tf.distribute.MirroredStrategy, [f"Using MirroredStrategy with devices ('{here}',)"]),
        (
            lambda: tf.distribute.MultiWorkerMirroredStrategy(communication_options=ring),
            ["Using MirroredStrategy with devices ('/device:CPU:0',)", f"{alone}CommunicationImplementation.RING"],
        ),
        (experimental.CentralStorageStrategy, [f"{central}['{here}'], variable_device = '{here}'"]),
        (
            lambda: experimental.CentralStorageStrategy(["CPU:0"], "CPU:0"),
            [f"{central}['{here}'], variable_device = 'CPU:0'"],
        ),
        (lambda: tf.distribute.OneDeviceStrategy("/cpu:0"), []),
    ]:
        log_lines.clear()
        make()
        assert told() == lines


def test_nothing_is_told_otherwise(run_program):
    out, err = run_program("""
        import tempfile
        tf.saved_model.save(tf.Module(), tempfile.mkdtemp())
        tf.distribute.MirroredStrategy(["CPU:0"])
    """)
    assert not out and "Assets" not in err and "MirroredStrategy" not in err
