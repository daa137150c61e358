"""The threads of a Supervisor save in the graph of its session; in TensorFlow they do only with eager execution disabled."""

import os
import time

import tracefn as tf

v1 = tf.compat.v1


def test_threads_that_save(tmp_path):
    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        train = v1.assign_add(step, 1)
        v1.summary.scalar("step", step)
        supervisor = v1.train.Supervisor(logdir=str(tmp_path), save_model_secs=60, save_summaries_secs=60)
        with supervisor.managed_session() as session:
            session.run(train)
            end = time.monotonic() + 30
            while "checkpoint" not in os.listdir(tmp_path) and not supervisor.should_stop() and time.monotonic() < end:
                time.sleep(0.01)
    assert {"checkpoint", "graph.pbtxt"} <= set(os.listdir(tmp_path))
    (events,) = [name for name in os.listdir(tmp_path) if "tfevents" in name]
    found = list(v1.train.summary_iterator(str(tmp_path / events)))
    assert [event.session_log.status for event in found if event.HasField("session_log")] == [1, 2]
    assert "step" in [value.tag for event in found for value in event.summary.value]
