"""Warnings about deprecated arguments, each shown once."""

import logging

import tracefn as tf
from tracefn.python.util import deprecation


def test_each_argument_warns_once(caplog):
    @deprecation.deprecated_args("2030-01-01", "Use y.", "older", ("oldest", None))
    def f(older=None, y=None, oldest=None):
        return y

    with caplog.at_level(logging.WARNING, tf.get_logger().name):
        f(y=3), f(oldest=None)
        assert not caplog.messages
        f(older=3), f(5), f(oldest=1), f(oldest=2)
    assert [" with older is " in caplog.messages[0], " with oldest is " in caplog.messages[1]] == [True, True]
    assert len(caplog.messages) == 2
