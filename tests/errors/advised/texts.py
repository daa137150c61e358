"""Methods of Python's texts, called on tensors of strings."""

from advised.case import Case


def _case(expression: str, result: str) -> Case:
    source = f"\ndef f(x):\n    return {expression}\n"
    return Case(source, ('tf.constant("data/Cat.jpg")',), "object has no attribute", (result,))


CASES = {
    "text_split": _case('x.split("/")', '[b"data", b"Cat.jpg"]'),
    "text_split_and_indexed": _case('x.split("/")[-1]', 'b"Cat.jpg"'),
    "text_split_at_spaces": _case("x.split()", '[b"data/Cat.jpg"]'),
    "text_lowered": _case("x.lower()", 'b"data/cat.jpg"'),
    "text_replaced": _case('x.replace("data", "d")', 'b"d/Cat.jpg"'),
    "beginning_of_a_text": _case('x.startswith("data")', "True"),
    "end_of_a_text": _case('x.endswith("png")', "False"),
}
