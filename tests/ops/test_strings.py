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


@pytest.mark.parametrize(
    ("pattern", "rewrite", "text", "expected"),
    [
        ("", "-", "aé", "-a-é-"),
        ("(a)(b)?", r"<\1\2>", "abac", "<ab><a>c"),
        ("x*", "-", "axb", "-a-b-"),
        (r"\bfoo\b", "bar", "foo food foo", "bar food bar"),
        ("(?i)k", "_", "kK\u212a", "___"),
        (r"\p{Greek}+", "_", "aαβb", "a_b"),
        ("a", r"\1", "abc", "abc"),
        ("(a+?)(a*)", r"\2|\1", "aaa", "aa|a"),
    ],
)
def test_regex_replace(pattern, rewrite, text, expected):
    assert tf.strings.regex_replace(text, pattern, rewrite).numpy().decode() == expected
    with_tensors = tf.function(tf.strings.regex_replace)
    assert with_tensors(tf.constant([text]), tf.constant(pattern), tf.constant(rewrite)).numpy()[0].decode() == expected


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        ("[a", r"missing \]: \[a"),
        ("(a", r"missing \): \(a"),
        ("a)", r"unexpected \): a\)"),
        ("a**", r"bad repetition operator: \*\*"),
        ("*", r"no argument for repetition operator: \*"),
        ("a{1001}", r"invalid repetition size: \{1001\}"),
        ("((a{100}){100}){100}", r"invalid repetition size: \{100\}"),
        (r"\8", r"invalid escape sequence: \\8"),
        ("(?=a)", r"invalid perl operator: \(\?="),
        (r"\p{Foo}", r"invalid character class range: \\p\{Foo\}"),
        ("(" * 5000 + ")" * 5000, "nests too deeply"),
        (r"\C", "not implemented"),
    ],
)
def test_wrong_patterns(pattern, error):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern: .*" + error):
        tf.strings.regex_full_match(["a"], pattern)


def test_matching_takes_linear_time():
    # Backtracking would take 2**5000 steps.
    assert not tf.strings.regex_full_match(["a" * 5000 + "b"], "(a*)*(a|aa)*c").numpy()[0]


def test_hashes():
    words = ["", "a", "abc", "hello world", "x" * 20, "y" * 40, "z" * 70, "w" * 200]
    fast = [912170738, 384735799, 775161712, 253301321, 116240151, 475450229, 107811520, 140394510]
    assert tf.strings.to_hash_bucket_fast(words, 1000000007).numpy().tolist() == fast
    assert tf.strings.to_hash_bucket(words[1:4], 1000000007).numpy().tolist() == [395105680, 448961118, 651585384]
    strong = tf.strings.to_hash_bucket_strong(words[1:4], 1000000007, [1, 2])
    assert strong.numpy().tolist() == [142192448, 170813715, 503275796]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Key must have 2 elements"):
        tf.strings.to_hash_bucket_strong(["a"], 3, [1])


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        ("AbC", "abc", "ABC"),
        ("ΟΔΥΣΣΕΥΣ ΣΑΣ. Σ", "οδυσσευς σας. σ", "ΟΔΥΣΣΕΥΣ ΣΑΣ. Σ"),
        ("İß ŉ ﬁ ǆ", "i̇ß ŉ ﬁ ǆ", "İSS ʼN FI Ǆ"),
        (b"A\xffB", "a\ufffdb", "A\ufffdB"),
    ],
)
def test_case_of_all_letters(text, lower, upper):
    assert tf.strings.lower(text, encoding="utf-8").numpy().decode() == lower
    assert tf.strings.upper(text, encoding="utf-8").numpy().decode() == upper


def test_unsorted_segment_join():
    joined = tf.strings.unsorted_segment_join(["this", "a", "test", "is"], [0, 1, 1, 0], 2, " ")
    assert joined.numpy().tolist() == [b"this is", b"a test"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not allowed to exceed num_segments"):
        tf.strings.unsorted_segment_join(["a"], [-1], 2)


def test_transcoding():
    latin = tf.strings.unicode_transcode([b"\xe9\x80"], "ISO-8859-1", "UTF-8")
    assert latin.numpy().tolist() == ["é\x80".encode()]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not create converter for input encoding: nope"):
        tf.strings.unicode_transcode(["a"], "nope", "UTF-8")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting on input string"):
        tf.strings.unicode_transcode([b"\xff"], "UTF-8", "UTF-8", errors="strict")


@pytest.mark.parametrize(
    ("pattern", "texts", "expected"),
    [
        # Prefixes, anchors, and assertions about both sides of a place.
        ("foo[0-9]*", ["a foo12 foofoo", "fo"], ["a <foo12> <foo><foo>", "fo"]),
        ("^ab|c", ["abab c", "b"], ["<ab>ab <c>", "b"]),
        (r"(?m:^)a|b(?m:$)", ["a a\nab\nb b"], ["<a> a\n<a><b>\nb <b>"]),
        (r"\bx|x\B", ["x xx_ ax axb"], ["<x> <x><x>_ ax a<x>b"]),
        # Of the alternatives the first, not the longest.
        ("a|ab|abc", ["abc"], ["<a>bc"]),
        ("(?:ab?)+?c|b", ["ababc", "aab"], ["<ababc>", "aa<b>"]),
        # Tried at each place, up to the end.
        ("a*b", ["a" * 3000, "a" * 3000 + "b"], ["a" * 3000, "<" + "a" * 3000 + "b>"]),
        # More states than are kept: (a|b)*a followed by twelve characters.
        ("[ab]*a[ab]{12}$", ["ab" * 2000 + "a" + "b" * 12, "b" * 4000], ["<" + "ab" * 2000 + "a" + "b" * 12 + ">", "b" * 4000]),
        # Beyond ASCII, and more classes of characters than an automaton has.
        ("[α-ω]+|日", ["aαβ日b"], ["a<αβ><日>b"]),
        ("|".join(chr(0x4E00 + 2 * i) for i in range(300)), ["a\u4e02\u4e03"], ["a<\u4e02>\u4e03"]),
    ],
)
def test_matches_are_leftmost_and_first(pattern, texts, expected):
    assert [t.decode() for t in tf.strings.regex_replace(texts, pattern, r"<\0>").numpy()] == expected
    # The same through groups, which are found in another way.
    assert [t.decode() for t in tf.strings.regex_replace(texts, f"({pattern})", r"<\1>").numpy()] == expected
    whole = tf.strings.regex_full_match(texts, f"(?s:.*)(?:{pattern})(?s:.*)").numpy().tolist()
    assert whole == [new != old for new, old in zip(expected, texts, strict=True)]


def test_invalid_bytes_match_nothing():
    texts = [b"a\xffb", b"a\xe2\x82b", b"\xed\xa0\x80"]
    assert tf.strings.regex_replace(texts, ".", "-").numpy().tolist() == [b"-\xff-", b"-\xe2\x82-", b"-"]
    assert tf.strings.regex_full_match(texts, "a.b").numpy().tolist() == [False, False, False]


def test_the_first_string_that_is_too_short_is_named():
    texts = ["long enough"] * 50_000
    texts[40_000] = texts[49_000] = "x"
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos 2 out of range for string b'x' at index 40000"):
        tf.strings.substr(texts, 2, 1)
