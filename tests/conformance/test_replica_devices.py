"""`tf.compat.v1.train.replica_device_setter`: where the nodes of a graph are to run."""

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def devices(tf):
    """Gives the devices that a setter chooses for two Variables and a constant."""

    def choose(placed="", **options):
        choice = tf.compat.v1.train.replica_device_setter(**options)
        with tf.Graph().as_default(), tf.compat.v1.device(placed):
            variables = [tf.compat.v1.get_variable(name, [], use_resource=True) for name in "ab"]
            return [choice(op) for op in (*(v.handle.op for v in variables), tf.constant(1).op)]

    return choose


def test_variables_take_turns(devices):
    assert devices(ps_tasks=2) == ["/job:ps/task:0", "/job:ps/task:1", "/job:worker"]
    assert devices(ps_tasks=1, worker_device="/job:worker/task:3") == ["/job:ps/task:0", "/job:ps/task:0", "/job:worker/task:3"]
    here = "/job:p/task:0/device:CPU:0"
    assert devices(ps_tasks=1, ps_device="/job:p/cpu:0", worker_device="") == [here, here, ""]
    assert devices(ps_tasks=2, ps_device="/cpu:0") == ["/device:CPU:0", "/device:CPU:0", "/job:worker"]


def test_devices_that_are_there_already(devices):
    whole = ["/job:ps/task:0/device:CPU:0", "/job:ps/task:1/device:CPU:0", "/job:worker/device:CPU:0"]
    assert devices("/cpu:0", ps_tasks=2) == whole
    assert devices("/job:other", ps_tasks=1) == ["/job:other"] * 3
    assert devices("/job:ps/task:7", ps_tasks=2) == ["/job:ps/task:7", "/job:ps/task:7", "/job:ps/task:7"]
    assert devices("/cpu:0", ps_tasks=1, merge_devices=False) == ["/device:CPU:0"] * 3


def test_clusters(tf, devices):
    cluster = {"ps": ["a:1", "b:1"], "worker": ["c:1"]}
    for given in (cluster, tf.train.ClusterSpec(cluster), tf.train.ClusterSpec(cluster).as_cluster_def()):
        assert devices(cluster=given)[:2] == ["/job:ps/task:0", "/job:ps/task:1"]
    setter = tf.compat.v1.train.replica_device_setter
    assert setter(cluster={"worker": ["c:1"]}) is None and setter() is None
    with pytest.raises(TypeError, match="`cluster` must be a dictionary mapping one or more job names"):
        setter(cluster=5)


def test_other_ops_and_other_orders(tf, devices):
    assert devices(ps_tasks=2, ps_ops=["Const"]) == ["/job:worker", "/job:worker", "/job:ps/task:0"]
    assert devices(ps_tasks=2, ps_strategy=lambda op: 1)[0] == "/job:ps/task:1"
    with pytest.raises(TypeError, match="ps_strategy must be callable"):
        tf.compat.v1.train.replica_device_setter(ps_tasks=1, ps_strategy=3)
