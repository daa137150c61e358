"""Variables of a tf.Graph: which ones a tape has watched, and which ones the gradient of a `tf.custom_gradient` gets."""

import pytest

pytestmark = [pytest.mark.rule(27), pytest.mark.needs("gradient")]


@pytest.fixture
def resource(tf, v1, graph):
    """Makes a Variable of the graph by its name."""
    return lambda name, **kwargs: v1.get_variable(name, [3], use_resource=True, initializer=v1.ones_initializer(), **kwargs)


def uses(tf, v1, resource, form, x):
    """The product of x and a Variable, read in one of several ways."""
    if form == "nested function":
        v = resource("w")
        return tf.function(lambda x: x * v)(x)
    if form == "branch":
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x * resource("w"), lambda: x)
    if form == "twice":
        with v1.variable_scope("", reuse=v1.AUTO_REUSE):
            return x * resource("w") * resource("w")
    if form == "gather":
        return x * tf.gather(resource("w"), [0, 1, 2])
    if form == "two":
        return x * resource("w") * resource("a")
    if form == "class":
        return x * tf.Variable([1.0, 1.0, 1.0], name="w")
    return x * resource("w", trainable=form != "fixed")


FORMS = ["plain", "nested function", "branch", "twice", "gather", "two", "class", "fixed"]
NAMES = {"two": ["a:0", "w:0"], "fixed": []}


@pytest.mark.parametrize("form", FORMS)
def test_watched_variables(tf, v1, resource, form):
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        y = uses(tf, v1, resource, form, x)
        assert sorted(v.name for v in tape.watched_variables()) == NAMES.get(form, ["w:0"])
    watched = tape.watched_variables()
    assert sorted(v.name for v in watched) == NAMES.get(form, ["w:0"])
    known = v1.global_variables()
    assert all(any(v is other for other in known) for v in watched)
    if form not in ("nested function", "branch"):
        assert all(g is not None for g in tape.gradient(y, watched))


@pytest.mark.parametrize("form", FORMS)
def test_custom_gradients_get_the_variables(tf, v1, resource, form):
    got = []

    @tf.custom_gradient
    def f(x):
        def gradient(dy, variables=()):
            got.append([v.name for v in variables])
            ours = 10.0 * dy
            return (ours, [5.0 * tf.ones([3]) for _ in variables]) if variables else ours

        return uses(tf, v1, resource, form, x), gradient

    x = tf.ones([2, 3])
    y = f(x)
    names = NAMES.get(form, ["w:0"])
    sources = [v for v in v1.global_variables() if v.name in names]
    found = v1.gradients(y, [x, *sources])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        values = session.run(found)
    assert got == [names]
    assert values[0].tolist() == [[10.0] * 3] * 2 and [value.tolist() for value in values[1:]] == [[5.0] * 3] * len(names)


def test_variables_of_an_imported_graph(tf, v1, resource):
    resource("w")
    meta = v1.train.export_meta_graph()
    with tf.Graph().as_default():
        v1.train.import_meta_graph(meta)
        (v,) = v1.global_variables()
        with tf.GradientTape() as tape:
            y = 2.0 * v
        assert tape.watched_variables() == (v,) and tape.gradient(y, v) is not None
