"""Classes of `tf.experimental.ExtensionType`: what is told of their fields, which names these may have, and equality."""

import inspect
import typing

import pytest

pytestmark = pytest.mark.rule("surface")


@pytest.fixture
def shot(tf):
    class Shot(tf.experimental.ExtensionType):
        values: tf.Tensor
        score: tf.Tensor
        name: str = "a"

    return Shot


def test_constructors_tell_their_fields(tf, shot):
    class Long(shot):
        size: typing.Annotated[int, "metres"]
        note: typing.Optional[typing.Annotated[str, "short"]] = None  # noqa: UP045 - TensorFlow takes either spelling
        name: str = "b"

    kinds = inspect.Parameter
    for cls, fields in ((shot, ["values", "score", "name"]), (Long, ["values", "score", "name", "size", "note"])):
        signature = inspect.signature(cls.__init__)
        assert list(signature.parameters) == ["self", *fields]
        assert list(inspect.signature(cls).parameters) == fields
        assert signature.parameters["self"].kind is kinds.POSITIONAL_OR_KEYWORD
        assert signature.return_annotation is cls
    assert signature.parameters["size"].kind is kinds.KEYWORD_ONLY
    assert (signature.parameters["size"].annotation, signature.parameters["note"].annotation) == (int, typing.Optional[str])  # noqa: UP045
    assert signature.parameters["name"].default == "b"
    assert Long([1], 2, size=3).size == 3
    assert list(inspect.signature(shot.Spec.__init__).parameters) == ["self", "values", "score", "name"]


def test_fields(tf, internal, shot):
    field = internal("framework.extension_type_field").ExtensionTypeField
    for owner in (shot, shot([1], 2), shot.Spec):
        assert tuple(owner._tf_extension_type_fields()) == (
            field("values", tf.Tensor), field("score", tf.Tensor), field("name", str, "a")
        )  # fmt: skip
        assert owner._tf_extension_type_has_field("score")
        assert not owner._tf_extension_type_has_field("scores")
    assert shot._tf_extension_type_fields()[0].default is field.NO_DEFAULT


def test_reserved_names(tf):
    for name in ("_to_components", "value_type", "_keras_mask", "_tf_extension_type_x", "self"):
        with pytest.raises(ValueError, match=f"The field annotations for Own are invalid. Field '{name}' is reserved."):
            type("Own", (tf.experimental.ExtensionType,), {"__annotations__": {name: int}})
    with pytest.raises(ValueError, match="Field 'is_compatible_with' is reserved."):

        class Own(tf.experimental.ExtensionType):
            def is_compatible_with(self, other):
                return False


def test_validation_of_bases(tf, shot):
    class Checked(shot):
        def __validate__(self):
            super().__validate__()
            self.values.shape.assert_is_compatible_with([2])

    Checked([1, 2], 3)
    with pytest.raises(ValueError, match="incompatible"):
        Checked([1], 3)


def test_equality(tf, shot):
    one = shot([1, 1, 1, 1], 0)
    different = [shot([1, 1, 1, 2], 0), shot([[1, 1, 1, 1]], 0), shot([[1, 1], [1, 1]], 0), shot([1], 0), shot([1, 1, 1, 1], 0, "b")]
    unknown = shot.Spec(tf.TensorSpec(None, tf.int32), tf.TensorSpec(None, tf.int32), "a")
    compared = tf.function(lambda x, y: (x == y, x != y), input_signature=[unknown, unknown])
    for way in (lambda x, y: (x == y, x != y), tf.function(lambda x, y: (x == y, x != y)), compared):
        assert [bool(result) for result in way(one, shot([1, 1, 1, 1], 0))] == [True, False]
        for other in different[: 4 if way is compared else None]:
            assert [bool(result) for result in way(one, other)] == [False, True]


def test_equality_in_a_graph(tf, shot):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        one, same, other = shot([1, 2], 0), shot([1, 2], 0), shot([1, 3], 0)
        assert session.run([one == same, one != same, one == other]) == [True, False, False]
