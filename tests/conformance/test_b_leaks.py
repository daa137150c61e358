"""Section B of the tracing rules: symbolic tensors that leave their function, loop or branch."""

import pytest


@pytest.mark.rule(23)
def test_leaked_tensor_used_eagerly(tf, traces):
    @tf.function
    def leak(x):
        traces.append(x + 1)
        return x

    leak(tf.constant(1))
    with pytest.raises(TypeError, match="is out of scope|out of scope"):
        tf.add(traces[0], 1)


def leak(tf, traces):
    """Puts a tensor of the trace of `lk` into a list."""

    def lk(x):
        traces.append(x + 1)
        return x

    tf.function(lk)(tf.constant(1))


@pytest.mark.rule(23)
def test_leaked_tensor_used_in_another_trace(tf, traces):
    leak(tf, traces)
    with pytest.raises(TypeError) as error:
        tf.function(lambda: traces[0] * 2)()
    text = str(error.value)
    leaked = "<tf.Tensor 'add:0' shape=() dtype=int32>"
    assert f"{leaked} cannot be accessed from here" in text
    assert "FuncGraph(name=lk, id=" in text and "which is out of scope" in text


@pytest.mark.rule(23)
def test_leaked_tensor_used_eagerly_says_where_it_was_defined(tf, traces):
    leak(tf, traces)
    with pytest.raises(TypeError) as error:
        traces[0] * 2
    text = str(error.value)
    leaked = "<tf.Tensor 'add:0' shape=() dtype=int32>"
    assert text.startswith(
        f"{leaked} is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow "
        "collections to access it.\nPlease see https://www.tensorflow.org/guide/function#"
        "all_outputs_of_a_tffunction_must_be_return_values for more information.\n\n"
        f'{leaked} was defined here:\n    File "'
    )
    assert ", in lk" in text and f"\n\nThe tensor {leaked} cannot be accessed from here, because it was defined in" in text


@pytest.mark.rule(23)
def test_a_leaked_argument_says_which_call_made_it(tf, traces):
    f = tf.function(lambda x: traces.append(x), autograph=False)

    def call_it():
        f(tf.constant(1))

    call_it()
    with pytest.raises(TypeError, match="'x:0'.* was defined here:\\n(.*\\n)*.*, in call_it"):
        traces[0] + 1


@pytest.mark.rule(23)
def test_leaked_tensor_returned_by_another_trace(tf, traces):
    tf.function(lambda x: traces.append(x))(tf.constant(1))
    with pytest.raises(TypeError, match="out of scope"):
        tf.function(lambda: traces[0])()


@pytest.mark.needs("autograph")
@pytest.mark.rule(24)
def test_tensor_leaving_a_loop_through_a_container(tf):
    hidden = []

    @tf.function
    def f(n):
        for i in tf.range(n):
            hidden.append(i * 2)
        return hidden[0] + 1

    with pytest.raises(ValueError) as error:
        f(tf.constant(3))
    assert type(error.value).__name__ == "InaccessibleTensorError" and "out of scope" in str(error.value)
    assert "was defined in FuncGraph(name=while_body_" in str(error.value)


@pytest.mark.needs("autograph")
@pytest.mark.rule(24)
def test_tensor_leaving_a_branch_through_a_container(tf):
    hidden = []

    @tf.function
    def f(x):
        if x > 0:
            hidden.append(x + 1)
        return hidden[0] + 1

    with pytest.raises(ValueError) as error:
        f(tf.constant(1))
    assert type(error.value).__name__ == "InaccessibleTensorError" and "out of scope" in str(error.value)
    assert "was defined in FuncGraph(name=cond_true_" in str(error.value)


@pytest.mark.rule(24)
def test_tensor_leaving_tf_cond_through_a_container(tf):
    hidden = []

    @tf.function(autograph=False)
    def f(x):
        tf.cond(x > 0, lambda: hidden.append(x + 1), lambda: None)
        return hidden[0]

    with pytest.raises(ValueError, match="out of scope") as error:
        f(tf.constant(1))
    assert type(error.value).__name__ == "InaccessibleTensorError"
    assert "cond_true" in str(error.value)


@pytest.mark.rule(24)
def test_tensor_leaving_an_inner_function(tf, traces):
    inner = tf.function(lambda x: (traces.append(x + 1), x)[1], autograph=False)

    def outer(x):
        inner(x)
        return traces[0] * 2

    with pytest.raises(ValueError, match="out of scope") as error:
        tf.function(outer, autograph=False)(tf.constant(1))
    assert type(error.value).__name__ == "InaccessibleTensorError"


@pytest.mark.rule(24)
def test_tensor_of_the_other_branch(tf, traces):
    def f(x):
        return tf.cond(x > 0, lambda: (traces.append(x * 2), x)[1], lambda: traces[0])

    with pytest.raises(ValueError, match="cond/mul:0"):
        tf.function(f, autograph=False)(tf.constant(1))


@pytest.mark.rule(23)
def test_tensor_of_a_branch_after_the_trace(tf, traces):
    def f(x):
        return tf.cond(x > 0, lambda: (traces.append(x * 2), x)[1], lambda: x)

    tf.function(f, autograph=False)(tf.constant(1))
    for use in (lambda: traces[0] + 1, tf.function(lambda: traces[0] + 1, autograph=False)):
        with pytest.raises(TypeError, match="out of scope"):
            use()


@pytest.mark.rule(23)
def test_tensor_of_a_graph_used_elsewhere(tf):
    graph = tf.Graph()
    with graph.as_default():
        inside = tf.constant([1, 2])
    for use in (lambda: inside + 1, lambda: list(inside), tf.function(lambda: inside + 1, autograph=False)):
        with pytest.raises(TypeError, match="out of scope"):
            use()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(tf.constant([1, 2]), inside)


@pytest.mark.rule(24, "Y2")
def test_list_of_a_loop_that_is_returned(tf):
    def over_range(n):
        found = []
        for i in tf.range(n):
            found.append(i)
        return found

    def over_dataset(dataset):
        found = []
        for i in dataset:
            found.append(i)
        return {"found": found}

    refused = "is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow collections"
    for function, argument in ((over_range, tf.constant(3)), (over_dataset, tf.data.Dataset.range(3))):
        with pytest.raises(ValueError, match=refused) as caught:
            tf.function(function)(argument)
        assert type(caught.value).__name__ == "InaccessibleTensorError"
