"""tf.compat.v1.train.Saver: Variables by their names, in sessions and eagerly; sessions and tf.train.Checkpoint."""

import os

import pytest

pytestmark = pytest.mark.rule("surface")


def test_in_sessions(v1, graph, tmp_path):
    a = v1.get_variable("a", initializer=[1.0, 2.0])
    with v1.variable_scope("scope"):
        b = v1.get_variable("b", initializer=3)
    saver = v1.train.Saver()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(a.assign([5.0, 6.0]))
        path = saver.save(session, str(tmp_path / "model"), write_meta_graph=False)
    assert path == str(tmp_path / "model") and v1.train.list_variables(path) == [("a", [2]), ("scope/b", [])]
    with v1.Session() as session:
        saver.restore(session, path)
        assert session.run(a).tolist() == [5.0, 6.0] and session.run(b) == 3


def test_steps(tf, v1, graph, tmp_path):
    step = v1.train.get_or_create_global_step()
    a = v1.get_variable("a", initializer=1.0)
    saver = v1.train.Saver([a], max_to_keep=2)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        paths = [saver.save(session, str(tmp_path / "m"), number, write_meta_graph=False) for number in (1, 2, step)]
        assert paths[2].endswith("m-0") and saver.last_checkpoints == paths[1:]
        assert min(os.listdir(tmp_path)) == "checkpoint" and len(os.listdir(tmp_path)) == 5
        assert v1.train.latest_checkpoint(str(tmp_path)) == paths[2]
        padded = v1.train.Saver([a], pad_step_number=True).save(session, str(tmp_path / "p"), 3, write_meta_graph=False)
        assert padded.endswith("p-00000003")
        saver.set_last_checkpoints(["x"])
        assert saver.last_checkpoints == ["x"]
        saver.recover_last_checkpoints([*paths, "none"])
        assert saver.last_checkpoints == paths[1:]


def test_names(tf, v1, graph, tmp_path):
    a, b = v1.get_variable("a", initializer=1.0), v1.get_variable("b", initializer=2.0)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver({"x": a, "y": b}).save(session, str(tmp_path / "m"), write_meta_graph=False)
        assert [name for name, _ in v1.train.list_variables(path)] == ["x", "y"]
        session.run(a.assign(9.0))
        v1.train.Saver({"y": a}).restore(session, path)
        assert session.run([a, b]) == [2.0, 2.0]
        with pytest.raises(tf.errors.NotFoundError, match="Restoring from checkpoint failed. This is most likely due to a Variable name"):
            v1.train.Saver([a]).restore(session, path)


def test_pieces(v1, graph, tmp_path):
    part = v1.fixed_size_partitioner(2)
    with v1.variable_scope("s", partitioner=part):
        whole = v1.get_variable("w", [4, 2], initializer=v1.ones_initializer())
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        path = v1.train.Saver().save(session, str(tmp_path / "m"), write_meta_graph=False)
    assert v1.train.list_variables(path) == [("s/w", [4, 2])]
    assert v1.train.load_variable(path, "s/w").tolist() == [[1.0, 1.0]] * 4
    pieces = list(whole)
    with v1.Session() as session:
        v1.train.Saver().restore(session, path)
        assert session.run(pieces[1]).tolist() == [[1.0, 1.0]] * 2


def test_tables_in_sessions(tf, v1, graph, tmp_path):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="t")
    v1.get_variable("a", initializer=1.0)
    saver = v1.train.Saver()
    insert, lookup = table.insert(["a"], tf.constant([5], tf.int64)), table.lookup(tf.constant(["a"]))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(insert)
        path = saver.save(session, str(tmp_path / "m"), write_meta_graph=False)
        assert [name for name, _ in v1.train.list_variables(path)] == ["a", "t-keys", "t-values"]
        session.run(table.remove(tf.constant(["a"])))
        assert session.run(lookup).tolist() == [-1]
        saver.restore(session, path)
        assert session.run(lookup).tolist() == [5]


def test_mistakes(tf, v1, graph, tmp_path):
    with pytest.raises(ValueError, match="No variables to save"):
        v1.train.Saver()
    assert v1.train.Saver(allow_empty=True).save(v1.Session(), str(tmp_path / "m"), write_meta_graph=False) is None
    a = v1.get_variable("a", initializer=1.0)
    saver = v1.train.Saver()
    with pytest.raises(TypeError, match="'sess' must be a Session"):
        saver.save(None, str(tmp_path / "m"))
    with v1.Session() as session:
        session.run(a.initializer)
        with pytest.raises(ValueError, match="'latest_filename' collides with 'save_path'"):
            saver.save(session, str(tmp_path / "checkpoint"))
        with pytest.raises(ValueError, match="'latest_filename' must not contain path components"):
            saver.save(session, str(tmp_path / "m"), latest_filename="a/b")
        with pytest.raises(ValueError, match="The passed save_path is not a valid checkpoint: none"):
            saver.restore(session, "none")
        with pytest.raises(ValueError, match="Can't load save_path when it is None"):
            saver.restore(session, None)
    with pytest.raises(ValueError, match="If `var_list` is provided then build cannot be deferred"):
        v1.train.Saver([a], defer_build=True)
    deferred = v1.train.Saver(defer_build=True)
    with pytest.raises(RuntimeError, match=r"`build\(\)` should be called before save"):
        deferred.save(v1.Session(), str(tmp_path / "m"))


def test_eagerly(tf, v1, tmp_path):
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable(3, name="b")
    saver = v1.train.Saver([a, b])
    path = saver.save(None, str(tmp_path / "m"), global_step=tf.Variable(4, dtype=tf.int64))
    assert path.endswith("m-4") and tf.train.list_variables(path) == [("a", [2]), ("b", [])]
    a.assign([0.0, 0.0])
    saver.restore(None, path)
    assert a.numpy().tolist() == [1.0, 2.0]
    assert v1.train.latest_checkpoint(str(tmp_path)) == path
    with pytest.raises(RuntimeError, match="When eager execution is enabled, `var_list` must specify"):
        v1.train.Saver()
    with pytest.raises(ValueError, match="with the same shared_name 'a' were passed to the Saver"):
        v1.train.Saver([a, tf.Variable(1.0, name="a")]).save(None, path)


def test_missing_folders(tf, v1, tmp_path):
    with pytest.raises(ValueError, match=r"Parent directory of .*no/such/m doesn't exist, can't save\."):
        v1.train.Saver([tf.Variable(1.0, name="a")]).save(None, str(tmp_path / "no" / "such" / "m"))


def test_restoring_again_adds_no_ops(tf, v1, graph, tmp_path):
    v, table = v1.get_variable("v", initializer=1.0), tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    checkpoint = v1.train.Checkpoint(v=v, table=table)
    with v1.Session() as session:
        session.run([v.initializer, table.insert(["a"], tf.constant([5], tf.int64))])
        counts, lookup = [], table.lookup(tf.constant(["a"]))
        for i in range(3):
            path = checkpoint.save(str(tmp_path / "c"))
            session.run(v.assign(7.0 + i))
            checkpoint.restore(path).assert_consumed().run_restore_ops()
            assert session.run(v) == 1.0 and session.run(lookup).tolist() == [5]
            counts.append(len(graph.get_operations()))
    assert counts[2] - counts[1] <= 3  # those of `assign`


def test_by_name_into_objects(tf, v1, tmp_path):
    path = v1.train.Saver([tf.Variable([1.0, 2.0], name="w"), tf.Variable(5, name="n")]).save(None, str(tmp_path / "m"))
    module = tf.Module()
    module.w, module.n = tf.Variable([0.0, 0.0], name="w"), tf.Variable(0, name="n")
    status = tf.train.Checkpoint(module).read(path)
    status.assert_existing_objects_matched()
    assert module.w.numpy().tolist() == [1.0, 2.0] and int(module.n) == 5
    later = tf.Module()
    tf.train.Checkpoint(later).restore(path)
    later.held = tf.Variable([0.0, 0.0], name="w")
    assert later.held.numpy().tolist() == [1.0, 2.0]
    other = tf.Module()
    other.w = tf.Variable(0.0, name="other")
    with pytest.raises(AssertionError, match="Some objects had attributes which were not restored"):
        tf.train.Checkpoint(other).restore(path).assert_consumed()


def test_objects_by_name(tf, v1, tmp_path):
    module = tf.Module()
    module.w = tf.Variable([1.0, 2.0], name="w")
    path = tf.train.Checkpoint(module=module).save(tmp_path / "c")
    w = tf.Variable([0.0, 0.0], name="w")
    v1.train.Saver([w]).restore(None, path)
    assert w.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.NotFoundError, match="Existing variables not in the checkpoint: q"):
        v1.train.Saver([tf.Variable(1.0, name="q")]).restore(None, path)


def test_checkpoints_in_sessions(tf, v1, graph, tmp_path):
    v = v1.get_variable("v", initializer=1.0)
    checkpoint = v1.train.Checkpoint(v=v)
    with v1.Session() as session:
        session.run(v.initializer)
        path = checkpoint.save(str(tmp_path / "c"))
        session.run(v.assign(2.0))
        assert checkpoint.save(str(tmp_path / "c"), session=session) == str(tmp_path / "c-2")
        checkpoint.restore(path).assert_consumed().run_restore_ops()
        assert session.run(v) == 1.0
    later = v1.train.Checkpoint()
    status = later.restore(path)
    later.v, later.w = v1.get_variable("v2", initializer=0.0), v1.get_variable("w", initializer=7.0)
    with v1.Session() as session:
        status.initialize_or_restore(session)
        assert session.run([later.v, later.w]) == [1.0, 7.0]
    assert v1.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "c-2")


def test_optimizers(tf, v1, tmp_path):
    def made(value):
        w = tf.Variable([value, value], name="w")
        return w, v1.train.AdamOptimizer(0.1)

    def step(w, optimizer):
        optimizer.minimize(lambda: tf.reduce_sum(w * w), var_list=[w])

    w, optimizer = made(1.0)
    step(w, optimizer)
    path = tf.train.Checkpoint(w=w, optimizer=optimizer).write(str(tmp_path / "c"))
    names = [name for name, _ in tf.train.list_variables(path)][1:]
    value = ".ATTRIBUTES/VARIABLE_VALUE"
    assert names == [f"optimizer/beta1_power/{value}", f"optimizer/beta2_power/{value}", f"w/{value}",
                     f"w/.OPTIMIZER_SLOT/optimizer/m/{value}", f"w/.OPTIMIZER_SLOT/optimizer/v/{value}"]  # fmt: skip
    other, later = made(0.0)
    status = tf.train.Checkpoint(w=other, optimizer=later).read(path)
    for _ in range(2):
        step(w, optimizer)
        step(other, later)
    status.assert_consumed()
    assert other.numpy().tolist() == w.numpy().tolist()
    assert later.get_slot(other, "m").numpy().tolist() == optimizer.get_slot(w, "m").numpy().tolist()


def test_iterators_in_sessions(tf, v1, graph, tmp_path):
    iterator = v1.data.make_one_shot_iterator(v1.data.Dataset.range(9).map(lambda x: x * 2))
    step = iterator.get_next()
    v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
    v1.get_variable("a", initializer=1.0)
    saver = v1.train.Saver()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(step) == 0
        path = saver.save(session, str(tmp_path / "m"), write_meta_graph=False)
        assert [session.run(step), session.run(step)] == [2, 4]
        saver.restore(session, path)
        assert session.run(step) == 2
    with pytest.raises(ValueError, match="Invalid `ExternalStatePolicy.`"):
        tf.data.experimental.make_saveable_from_iterator(iterator, "other")


@pytest.fixture
def written(tf, tmp_path):
    """A checkpoint with Variables by their names."""
    variables = [tf.Variable([1.0, 2.0], name="old/w"), tf.Variable(3.0, name="old/in/b"), tf.Variable([[1.0], [2.0]], name="p")]
    return tf.compat.v1.train.Saver(variables).save(None, str(tmp_path / "m"))


def test_initial_values(v1, written):
    with v1.Graph().as_default():
        with v1.variable_scope("new"):
            w = v1.get_variable("w", [2])
            with v1.variable_scope("in"):
                b = v1.get_variable("b", [])
        other = v1.get_variable("other", [2])
        with v1.variable_scope("s", partitioner=v1.fixed_size_partitioner(2)):
            pieces = list(v1.get_variable("p", [2, 1]))
        v1.train.init_from_checkpoint(written, {"old/": "new/", "old/w": other, "p": pieces})
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(w).tolist() == [1.0, 2.0] == session.run(other).tolist() and session.run(b) == 3.0
            assert session.run(pieces[1]).tolist() == [[2.0]]


def test_initial_values_by_name(v1, written):
    with v1.Graph().as_default():
        w = v1.get_variable("w", [2])
        v1.train.init_from_checkpoint(written, [("old/w", "w")])
        with v1.Session() as session:
            session.run(w.initializer)
            assert session.run(w).tolist() == [1.0, 2.0]
        wrong = v1.get_variable("wrong", [3])
        with pytest.raises(ValueError, match="Tensor none is not found in .* checkpoint"):
            v1.train.init_from_checkpoint(written, {"none": w})
        with pytest.raises(ValueError, match=r"Shape of variable wrong:0 \(\(3,\)\) doesn't match with shape of tensor old/w"):
            v1.train.init_from_checkpoint(written, {"old/w": wrong})
        with pytest.raises(ValueError, match=r"Assignment map with scope only name x should map to scope only old/w"):
            v1.train.init_from_checkpoint(written, {"old/w": "x/"})
        with pytest.raises(ValueError, match=r"Tensor old/wrong \(w?rong in old/\) is not found in"):
            v1.train.init_from_checkpoint(written, {"old/": "/"})


def test_initial_values_eagerly(tf, v1, written):
    w = tf.Variable([0.0, 0.0])
    v1.train.init_from_checkpoint(written, {"old/w": w})
    assert w.numpy().tolist() == [1.0, 2.0]


def test_a_variable_is_saved_under_one_name(tf, v1):
    with v1.Graph().as_default():
        v, w = v1.get_variable("v", []), v1.get_variable("w", [])
        v1.train.Saver([[v], (w,)])
        mapping = "names_to_saveables must be a dict mapping string names to"
        for wrong, error, text in (
            ([v, v], ValueError, "At least two variables have the same name: v"),
            ([v, w, v], ValueError, "At least two variables have the same name: v"),
            ({"a": v, "b": v}, ValueError, "The same saveable will be restored with two names: b"),
            (3, TypeError, "Variables to save should be passed in a dict or a list. Got 3"),
            ("v", TypeError, "Variables to save should be passed in a dict or a list. Got v"),
            ({3: v}, TypeError, f"{mapping} trackable operations. Name is not a string: 3"),
        ):
            with pytest.raises(error) as caught:
                v1.train.Saver(wrong)
            assert str(caught.value) == text
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        v1.train.Saver([table, table])
    v = tf.Variable(1.0)
    v1.train.Saver([v, v])
