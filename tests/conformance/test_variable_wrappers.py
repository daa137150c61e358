"""Results of updates, and Variables that wrap others, as quantization and mixed precision make them."""

import copy

import pytest

pytestmark = pytest.mark.rule("surface")


def test_updates_of_the_result_of_an_update_are_ordered_in_a_graph(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        session.run(v.initializer)
        assert session.run(v.assign_add([1.0, 1.0]).assign_add([1.0, 1.0])).tolist() == [3.0, 4.0]
        assert session.run(v.assign([0.0, 0.0]).assign_sub([1.0, 1.0]).assign_add([3.0, 3.0])).tolist() == [2.0, 2.0]
        rows = tf.IndexedSlices(values=[5.0], indices=[1])
        assert session.run(v.assign([1.0, 1.0]).scatter_add(rows)).tolist() == [1.0, 6.0]
        assert session.run(v.assign([1.0, 1.0]).scatter_nd_add([[0]], [4.0])).tolist() == [5.0, 1.0]


def test_wrapper_that_is_a_variable(tf, tmp_path):
    """A subclass that wraps a Variable, as quantization and mixed precision do: operators and checkpoints."""

    class Doubled(tf.Variable):
        def __init__(self, inner):
            self.inner = inner

        def value(self):
            return 2.0 * self.inner.value()

        def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
            return 2.0 * self.inner._dense_var_to_tensor(dtype=dtype, name=name, as_ref=as_ref)

        def _gather_saveables_for_checkpoint(self):
            return self.inner._gather_saveables_for_checkpoint()

        def __getattr__(self, name):
            return getattr(self.__dict__["inner"], name)

        @property
        def dtype(self):
            return self.inner.dtype

        @property
        def shape(self):
            return self.inner.shape

        @property
        def _shared_name(self):
            return self.inner._shared_name

    Doubled._OverloadAllOperators()
    tf.register_tensor_conversion_function(Doubled, Doubled._dense_var_to_tensor)
    inner = tf.Variable(1.5)
    wrapper = Doubled(inner)
    assert (wrapper + 1.0).numpy() == 4.0 and (1.0 - wrapper).numpy() == -2.0 and (-wrapper).numpy() == -3.0
    assert bool(wrapper > 2.0)
    path = tf.train.Checkpoint(v=wrapper).save(tmp_path / "c")
    inner.assign(7.0)
    tf.train.Checkpoint(v=wrapper).restore(path).assert_consumed()
    assert inner.numpy() == 1.5
    plain = tf.Variable(0.0)
    tf.train.Checkpoint(v=plain).restore(path).assert_consumed()
    assert plain.numpy() == 1.5


def test_only_the_class_of_variables_can_be_extended_with_a_value(tf):
    class Abstract(tf.Variable):
        """Has no value: its constructor is not implemented, which mixed classes rely on."""

    for arguments in ((), (1.0,)):
        with pytest.raises(NotImplementedError):
            Abstract(*arguments)

    class Named(tf.Variable):
        def __init__(self, name):
            try:
                super().__init__(name=name)
            except NotImplementedError:
                self.given = name

    assert Named("x").given == "x" and isinstance(Named("x"), tf.Variable)
    # Such an object is copied as any other, also for pickles.
    for copied in (copy.copy(Named("x")), copy.deepcopy(Named("x")), *copy.deepcopy([Named("x")])):
        assert type(copied) is Named and copied.given == "x"

    class Extended(type(tf.Variable(1.0))):
        def doubled(self):
            return 2.0 * self

    assert float(Extended(3.0).doubled()) == 6.0
    with pytest.raises(ValueError, match="initial_value"):
        Extended()
