"""`tf.CriticalSection`: one function at a time."""

import threading

import pytest

pytestmark = pytest.mark.rule("surface")


def test_counts(tf):
    section, v = tf.CriticalSection(), tf.Variable(0)

    def count():
        before = v.read_value()
        v.assign(before + 1)
        return tf.identity(before)

    assert [int(section.execute(count)) for _ in range(3)] == [0, 1, 2]
    assert int(v) == 3


def test_in_a_function(tf):
    section, v = tf.CriticalSection(name="section"), tf.Variable(0)

    def count():
        value = v.read_value()
        with tf.control_dependencies([value]), tf.control_dependencies([v.assign_add(1)]):
            return tf.identity(value)

    @tf.function
    def twice():
        return section.execute(count), section.execute(count)

    assert [int(x) for x in twice()] == [0, 1]
    assert [int(x) for x in twice()] == [2, 3]


def test_threads(tf):
    section, v = tf.CriticalSection(), tf.Variable(0)

    @tf.function
    def count():
        def body():
            value = v.read_value()
            with tf.control_dependencies([v.assign(value + 1)]):
                return tf.identity(value)

        return section.execute(body)

    count()
    threads = [threading.Thread(target=lambda: [count() for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert int(v) == 201


def test_structures(tf):
    section = tf.CriticalSection()
    assert section.execute(lambda: {"a": tf.constant(1), "b": [tf.constant(2)]}) == {"a": 1, "b": [2]}


def test_it_cannot_run_itself(tf):
    section = tf.CriticalSection()
    with pytest.raises(ValueError, match="Attempting to lock a CriticalSection .* in which we are already running"):
        section.execute(lambda: section.execute(lambda: tf.constant(1)))
    assert int(section.execute(lambda: tf.constant(2))) == 2


def test_errors_release_it(tf):
    section = tf.CriticalSection()

    def fails():
        raise KeyError("boo")

    with pytest.raises(KeyError):
        section.execute(fails)
    assert int(section.execute(lambda: tf.constant(2))) == 2


def test_exclusive_resources(tf):
    one, other, v = tf.CriticalSection(name="one"), tf.CriticalSection(name="other"), tf.Variable(1)

    @tf.function
    def both(exclusive):
        a = one.execute(lambda: v.assign_add(1), exclusive_resource_access=exclusive)
        b = other.execute(lambda: v.assign_add(1), exclusive_resource_access=exclusive)
        return a, b

    with pytest.raises(ValueError, match="This execution would access resources"):
        both(True)
    both.get_concrete_function(False)


def test_arguments(tf):
    with pytest.raises(ValueError, match="Argument `critical_section_def` is not supported"):
        tf.CriticalSection(critical_section_def=3)
    with pytest.raises(ValueError, match="are mutually exclusive"):
        tf.CriticalSection(name="a", critical_section_def=3)
