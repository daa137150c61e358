"""Section S of the tracing rules: methods and other callables."""

import functools
import gc
import weakref

import pytest


@pytest.fixture
def scale_class(tf):
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @tf.function
        def times(self, x):
            return x * self.factor

        def plus(self, x):
            return x + self.factor

        def __call__(self, x):
            return x - self.factor

    return Scale


@pytest.mark.rule(203)
def test_access_through_the_instance_and_the_class(scale_class):
    scale = scale_class(3)
    assert scale.times is scale.times and scale.times is not scale_class(3).times
    assert type(scale_class.times) is type(scale.times)
    assert scale.times(2).numpy() == 6 and scale_class.times(scale, 2).numpy() == 6


@pytest.mark.rule(203, 7)
def test_metadata_of_a_method(scale_class):
    scale = scale_class(3)
    assert scale.times.__name__ == scale_class.times.__name__ == "times"
    assert str(scale.times.function_type) == "(x)" and str(scale_class.times.function_type) == "(self, x)"


@pytest.mark.rule(204)
def test_each_instance_has_its_own_cache(tf, scale_class):
    a, b = scale_class(2), scale_class(5)
    assert a.times(tf.constant(3)).numpy() == 6 and b.times(tf.constant(3)).numpy() == 15
    a.times(tf.constant([3]))
    assert a.times.experimental_get_tracing_count() == 2 and b.times.experimental_get_tracing_count() == 1


@pytest.mark.rule(204)
def test_methods_of_derived_classes(tf):
    class Base:
        @tf.function
        def run(self, x):
            return self.step(x)

        def step(self, x):
            return x + 1

    class Derived(Base):
        def step(self, x):
            return x + 100

        @tf.function
        def run(self, x):
            return super().run(x) * 2

    base, derived = Base(), Derived()
    assert base.run(tf.constant(1)).numpy() == 2 and derived.run(tf.constant(1)).numpy() == 202


@pytest.mark.rule(205, 40)
def test_instances_are_held_weakly(tf, scale_class):
    scale = scale_class(2)
    scale.times(tf.constant(1))
    bound = scale.times
    alive = weakref.ref(scale)
    del scale, bound
    gc.collect()
    assert alive() is None


@pytest.mark.rule(205)
@pytest.mark.superset("205")
def test_a_temporary_instance(tf, scale_class):
    assert scale_class(5).times(tf.constant(2)).numpy() == 10
    method = scale_class(6).times
    assert method(tf.constant(2)).numpy() == 12


@pytest.mark.rule(206)
def test_callables_of_many_kinds(tf, scale_class):
    scale = scale_class(3)
    one = tf.constant(10)
    assert tf.function(scale.plus)(one).numpy() == 13
    assert tf.function(scale)(one).numpy() == 7
    assert tf.function(lambda x: x * 2)(one).numpy() == 20
    assert tf.function(functools.partial(lambda a, b: a - b, b=1))(one).numpy() == 9
    assert tf.function(functools.partial(scale.plus))(one).numpy() == 13


@pytest.mark.rule(206)
def test_the_method_of_an_object_keeps_its_own_traces(tf, scale_class):
    scale = scale_class(3)
    f, g = tf.function(scale.plus), tf.function(scale.plus)
    f(tf.constant(1)), f(tf.constant(2)), g(tf.constant(1))
    assert f.experimental_get_tracing_count() == g.experimental_get_tracing_count() == 1


@pytest.mark.rule(206)
def test_other_decorators_outside(tf):
    class Tools:
        offset = 7

        @staticmethod
        @tf.function
        def increment(x):
            return x + 1

        @classmethod
        @tf.function
        def shift(cls, x):
            return x + cls.offset

        @property
        @tf.function
        def constant(self):
            return self.offset

    one = tf.constant(1)
    assert Tools.increment(one).numpy() == Tools().increment(one).numpy() == 2
    assert Tools.shift(one).numpy() == Tools().shift(one).numpy() == 8
    assert Tools().constant.numpy() == 7


@pytest.mark.rule(206)
def test_over_a_static_method_object(tf):
    with pytest.raises(TypeError):

        class Wrong:
            @tf.function
            @staticmethod
            def f(x):
                return x

        Wrong().f(tf.constant(1))


@pytest.mark.rule(206)
def test_a_decorated_function_inside_a_function(tf):
    def make(factor):
        @tf.function
        def f(x):
            return x * factor

        return f

    double, triple = make(2), make(3)
    assert double(tf.constant(5)).numpy() == 10 and triple(tf.constant(5)).numpy() == 15


@pytest.mark.rule(207)
def test_attributes_are_constants_and_variables_are_captured(tf):
    class Model:
        def __init__(self):
            self.w = tf.Variable(2.0)
            self.bias = 1.0

        @tf.function
        def __call__(self, x):
            return x * self.w + self.bias

    model = Model()
    assert model(tf.constant(3.0)).numpy() == 7.0
    model.bias = 100.0
    model.w.assign(10.0)
    assert model(tf.constant(3.0)).numpy() == 31.0


@pytest.mark.rule(205, 207)
def test_a_module_with_a_decorated_method(tf):
    class Dense(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            self.w = tf.Variable([[1.0], [2.0]], name="w")
            self.frozen = tf.Variable(1.0, trainable=False)

        @tf.function
        def __call__(self, x):
            return tf.matmul(x, self.w) + self.frozen

    layer = Dense()
    assert layer(tf.constant([[3.0, 4.0]])).numpy().tolist() == [[12.0]]
    assert len(layer.variables) == 2 and [v.name for v in layer.trainable_variables] == ["w:0"]


@pytest.mark.rule(203, 206)
def test_a_function_over_a_bound_function(tf):
    import inspect

    class Pair:
        @tf.function
        def minus(self, a, b):
            return a - b

    pair = Pair()
    again = tf.function(pair.minus)
    assert list(inspect.signature(pair.minus).parameters) == ["a", "b"]
    assert again(tf.constant(5), tf.constant(2)).numpy() == 3
    assert again(b=tf.constant(5), a=tf.constant(2)).numpy() == -3
    with pytest.raises(TypeError, match="missing a required argument: 'a'"):
        again(b=tf.constant(5))
