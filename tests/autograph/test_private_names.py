"""Names that a class makes private mean in staged statements what they mean in Python."""

import tracefn as tf


class _Counter:
    @tf.function
    def branch(self, x):
        __local = x
        if x > 0:
            __local = x + 1
        else:
            __local = x + 2
        return __local

    @tf.function
    def loops(self, x):
        __local = x
        for __i in tf.range(3):
            __local = __local + __i
        while __local < 100:
            __local = __local * 2
        return __local

    @tf.function
    def attribute(self, x):
        self.__value = x
        if x > 0:
            self.__value = x * 7
        for i in tf.range(3):
            self.__value += i
        return self.__value

    @tf.autograph.experimental.do_not_convert
    def maker(self, table):
        def nested(x):
            __local = self.__table(table)
            if x > 0:
                __local = __local + x
            return __local

        return nested

    def __table(self, table):
        return table["k"]


def test_local_names():
    counter = _Counter()
    assert [int(counter.branch(tf.constant(n))) for n in (1, -1)] == [2, 1]
    assert int(counter.loops(tf.constant(1))) == 128


def test_attributes():
    counter = _Counter()
    assert int(counter.attribute(tf.constant(2))) == 17
    assert "_Counter__value" in vars(counter)


def test_functions_nested_in_methods_that_are_not_converted():
    nested = _Counter().maker({"k": 5})
    assert [int(tf.function(nested)(tf.constant(n))) for n in (3, -3)] == [8, 5]


class _Other:
    @tf.function
    def grows(self, n):
        __rows = tf.ones([1, 2])
        for _ in tf.range(n):
            __rows = tf.concat([__rows, __rows], axis=0)
        return __rows


def test_messages_show_the_names_of_the_source():
    try:
        _Other().grows(tf.constant(2))
    except ValueError as error:
        assert "'__rows' has shape (1, 2) before the loop" in str(error)
    else:
        raise AssertionError("no error")
