"""tf.strings: joining, numbers, substrings."""

import pytest
import tracefn as tf


def test_join():
    assert tf.strings.join(["a", ["b", "c"]], separator="-").numpy().tolist() == [b"a-b", b"a-c"]
    assert tf.strings.join([], "x").numpy() == b""
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Input shapes do not match: \[2\] vs. \[1\]"):
        tf.strings.join([["a", "b"], ["c"]])


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        ([1.5, 1e10], {}, [b"1.500000", b"10000000000.000000"]),
        ([1.5], {"precision": 2}, [b"1.50"]),
        ([0.1, 1e10], {"shortest": True}, [b"0.1", b"1e+10"]),
        ([1, -3], {"width": 5, "fill": "0"}, [b"00001", b"-0003"]),
        ([True, False], {}, [b"true", b"false"]),
        ([1 + 2j], {"precision": 1}, [b"(1.0,2.0)"]),
    ],
)
def test_as_string(value, options, expected):
    assert tf.strings.as_string(value, **options).numpy().tolist() == expected


def test_to_number():
    assert tf.strings.to_number(["1", " 2.5 ", "0x1A"]).numpy().tolist() == [1.0, 2.5, 26.0]
    assert tf.strings.to_number(["7"], tf.int64).dtype == tf.int64
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string: abc"):
        tf.strings.to_number(["abc"])


def test_pieces():
    assert tf.strings.substr(["hello"], -3, 2).numpy().tolist() == [b"ll"]
    assert tf.strings.length(["häß"], unit="UTF8_CHAR").numpy().tolist() == [3]
    assert tf.strings.reduce_join([["a", "b"], ["c", "d"]]).numpy() == b"abcd"
    assert tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0, separator="-").numpy().tolist() == [b"a-c", b"b-d"]
    assert tf.strings.lower("AbC").numpy() == b"abc"
    assert tf.strings.strip([" a b\n"]).numpy().tolist() == [b"a b"]
