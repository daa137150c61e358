"""What libraries ask about structures and functions: `tensorflow.python.util.nest`, `function_utils`, `custom_nest_protocol`."""

import collections
import functools

import pytest

pytestmark = pytest.mark.rule("surface")

Pair = collections.namedtuple("Pair", "a b")


def test_namedtuples_of_one_name(internal):
    nest = internal("util.nest")
    assert nest.same_namedtuples(Pair(1, 2), collections.namedtuple("Pair", "a b")(3, 4))
    assert not nest.same_namedtuples(Pair(1, 2), collections.namedtuple("Other", "a b")(1, 2))
    assert not nest.same_namedtuples(Pair(1, 2), collections.namedtuple("Pair", "a")(1))
    for other in ((1, 2), 3):
        with pytest.raises(RuntimeError, match="Expected namedtuple-like objects"):
            nest.same_namedtuples(Pair(1, 2), other)


def test_what_is_nested(tf, internal):
    is_nested = internal("util.nest").is_sequence_or_composite
    values = (1, "a", [1], {}, Pair(1, 2), tf.ragged.constant([[1]]))
    assert [is_nested(value) for value in values] == [False, False, True, True, True, True]


def test_only_nested_keys_are_taken_apart(internal):
    flat = internal("util.nest").flatten_dict_items
    assert flat({"a": {}, "b": [1, 2]}) == {"a": {}, "b": [1, 2]}
    assert flat({("a", "b"): {"x": 1, "y": 2}, "c": (3,)}) == {"a": 1, "b": 2, "c": (3,)}
    for mapping in (collections.OrderedDict(b=1, a=2), collections.defaultdict(int, {"z": 1})):
        assert type(flat(mapping)) is dict and flat(mapping) == dict(mapping)
    with pytest.raises(ValueError, match="not unique"):
        flat({1: 3, (1,): 2})


class Callable:
    def __call__(self, x, y=1, **options):
        return x

    def method(self, a, b):
        return a

    def with_any(*args):
        return args


def plain(a, b=2, *args, c=3, **options):
    return a


def test_arguments_of_functions(internal):
    utils, decorator = internal("util.function_utils"), internal("util.tf_decorator")
    decorated = decorator.make_decorator(plain, lambda *args, **options: plain(*args, **options))
    for function, names, takes_any in (
        (plain, ("a", "b"), True), (decorated, ("a", "b"), True), (functools.partial(plain, 1), ("b",), True),
        (functools.partial(plain, b=1), ("a",), True), (Callable(), ("x", "y"), True), (Callable().method, ("a", "b"), False),
        (Callable.method, ("self", "a", "b"), False), (Callable().with_any, (), False), (lambda: 1, (), False),
        (functools.partial(Callable().method, 1), ("b",), False),
    ):  # fmt: skip
        assert utils.fn_args(function) == names and utils.has_kwargs(function) is takes_any
    with pytest.raises(TypeError, match="Argument `fn` should be a callable."):
        utils.has_kwargs(1)


def test_names_and_code_of_functions(internal):
    utils = internal("util.function_utils")
    assert utils.get_func_name(plain) == "plain" and utils.get_func_name(Callable().method) == "Callable.method"
    assert utils.get_func_name(Callable()) == str(Callable)
    assert utils.get_func_code(plain) is plain.__code__ and utils.get_func_code(Callable()) is Callable.__call__.__code__
    assert utils.get_func_code(len) is None
    for ask in (utils.get_func_name, utils.get_func_code):
        with pytest.raises(ValueError, match="Argument `func` must be a callable."):
            ask(1)


def test_classes_that_take_themselves_apart(tf, internal):
    protocol = internal("util.custom_nest_protocol").CustomNestProtocol

    class Measured:
        def __init__(self, unit, value):
            self.unit, self.value = unit, value

        def __tf_flatten__(self):
            return (self.unit,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(*metadata, *components)

    assert isinstance(Measured("m", 3), protocol) and not isinstance(Callable(), protocol)
    assert tf.nest.map_structure(lambda x: x + 1, Measured("m", 3)).value == 4
