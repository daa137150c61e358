"""Linear operators made of Variables: in modules, functions, loops and results; and gradients of operators."""

import collections

import pytest

pytestmark = pytest.mark.rule("surface")

Pair = collections.namedtuple("Pair", "first second")


@pytest.fixture
def variable(tf):
    return tf.Variable([1.0, 2.0])


@pytest.fixture
def operator(tf, variable):
    return tf.linalg.LinearOperatorDiag(variable)


def test_a_module_has_the_variables_of_its_operators(tf, variable, operator):
    fixed, last = tf.Variable([1.0], trainable=False), tf.Variable([[2.0]])
    module = tf.Module()
    module.parts = [operator, {"x": tf.linalg.LinearOperatorFullMatrix(last)}]
    module.weight = fixed  # the parts of an operator come at its place, those of other submodules last
    assert [v is w for v, w in zip(module.variables, (variable, last, fixed), strict=True)] == [True] * 3
    assert [v is w for v, w in zip(module.trainable_variables, (variable, last), strict=True)] == [True] * 2
    assert len(module.non_trainable_variables) == 1
    block = tf.linalg.LinearOperatorBlockDiag([operator, operator])
    module.parts = block
    assert len(module.variables) == 2 and len(block.trainable_variables) == 1


def test_its_parts_are_the_variables(tf, variable, operator):
    (part,) = tf.nest.flatten(operator, expand_composites=True)
    assert part is variable
    assert type(next(iter(operator._type_spec._component_specs.values()))).__name__ == "VariableSpec"
    doubled = tf.nest.map_structure(lambda x: 2 * x, operator, expand_composites=True)
    assert doubled.diag.numpy().tolist() == [2, 4]


def test_arguments_of_functions(tf, variable, operator):
    traces = []

    @tf.function
    def row_sums(operator):
        traces.append(1)
        return tf.reduce_sum(operator.to_dense(), 1)

    assert row_sums(operator).numpy().tolist() == [1, 2]
    variable.assign([3.0, 4.0])
    assert row_sums(operator).numpy().tolist() == [3, 4] and len(traces) == 1
    assert row_sums(tf.linalg.LinearOperatorDiag([5.0, 6.0])).numpy().tolist() == [5, 6] and len(traces) == 2
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(row_sums(operator) ** 2)
    assert tape.gradient(loss, variable).numpy().tolist() == [6, 8]


def test_a_function_may_assign_to_them(tf, variable, operator):
    @tf.function
    def add(operator):
        operator.diag.assign_add([1.0, 1.0])

    add(operator)
    assert variable.numpy().tolist() == [2, 3]


def test_results_of_functions_hold_values(tf, variable, operator):
    def tensors(*found):
        assert all(tf.is_tensor(x) and not isinstance(x, tf.Variable) for x in found)
        return [x.numpy().tolist() for x in found]

    assert tensors(tf.function(lambda: operator)().diag) == [[1, 2]]
    assert tensors(tf.function(lambda x: x)(operator).diag) == [[1, 2]]
    pair = tf.function(lambda: Pair(operator, variable))()
    assert tensors(pair.first.diag, pair.second) == [[1, 2], [1, 2]]
    nested = tf.function(lambda: {"x": [operator, (tf.linalg.LinearOperatorBlockDiag([operator]),)]})()
    assert tensors(nested["x"][1][0].operators[0].diag) == [[1, 2]]
    assert tensors(operator._convert_variables_to_tensors().diag) == [[1, 2]]


@pytest.mark.parametrize("by_variable", [True, False])
@pytest.mark.parametrize("in_graph", [True, False])
def test_loops(tf, variable, by_variable, in_graph):
    start = tf.linalg.LinearOperatorDiag(variable if by_variable else variable.read_value())

    def by_function():
        return tf.while_loop(
            lambda i, _: i < 3, lambda i, o: (i + 1, tf.linalg.LinearOperatorDiag(o.diag * 2.0)), [0, start]
        )[1].diag

    def by_statement(count):
        operator = start
        while count > 0:
            operator = tf.linalg.LinearOperatorDiag(operator.diag * 2.0)
            count -= 1
        return operator.diag

    if in_graph:
        by_function, by_statement = tf.function(by_function), tf.function(by_statement)
    assert by_function().numpy().tolist() == [8, 16]
    assert by_statement(tf.constant(2)).numpy().tolist() == [4, 8]


@pytest.mark.parametrize("in_graph", [True, False])
def test_branches(tf, operator, in_graph):
    def chosen(truth):
        return tf.cond(truth, lambda: operator, lambda: tf.linalg.LinearOperatorDiag([3.0, 4.0])).diag

    if in_graph:
        chosen = tf.function(chosen)
    assert chosen(tf.constant(True)).numpy().tolist() == [1, 2]
    assert chosen(tf.constant(False)).numpy().tolist() == [3, 4]


@pytest.mark.parametrize("in_graph", [True, False])
def test_gradients_of_operators(tf, in_graph):
    diagonal = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    full = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])

    def gradient(operator, of=lambda operator: operator.to_dense()):
        def run():
            with tf.GradientTape() as tape:
                tape.watch(operator)
                loss = tf.reduce_sum(of(operator) ** 2)
            return tape.gradient(loss, operator)

        found = (tf.function(run) if in_graph else run)()
        return [x.numpy().tolist() for x in tf.nest.flatten(found, expand_composites=True)]

    assert gradient(diagonal) == [[2, 4]]
    assert gradient(tf.linalg.LinearOperatorAdjoint(full)) == [[[2, 4], [6, 8]]]
    product = tf.linalg.LinearOperatorKronecker([diagonal, full])
    assert gradient(product) == [[60, 120], [[10, 20], [30, 40]]]
    # Zeros for a part that does not matter.
    assert gradient(product, lambda product: product.operators[0].diag) == [[2, 4], [[0, 0], [0, 0]]]


def test_no_part_has_a_gradient(tf):
    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(operator)
        loss = tf.constant(2.0) * 3.0
    assert tape.gradient(loss, operator) is None


def test_operators_as_targets(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        operator = tf.linalg.LinearOperatorDiag(x * x)
    assert tape.gradient(operator, x).numpy().tolist() == [2, 4]
    weights = tf.linalg.LinearOperatorDiag([3.0, 4.0])
    assert tape.gradient(operator, x, output_gradients=weights).numpy().tolist() == [6, 16]


@pytest.mark.parametrize("in_graph", [True, False])
def test_custom_gradients(tf, in_graph):
    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])

    @tf.custom_gradient
    def dense(operator):
        return operator.to_dense(), lambda d: tf.linalg.LinearOperatorDiag(tf.linalg.diag_part(d) * 10)

    def run():
        with tf.GradientTape() as tape:
            tape.watch(operator)
            loss = tf.reduce_sum(dense(operator) ** 2)
        return tape.gradient(loss, operator).diag

    assert (tf.function(run) if in_graph else run)().numpy().tolist() == [20, 40]


def test_custom_gradients_of_variables_in_operators(tf, variable, operator):
    @tf.custom_gradient
    def doubled(operator):
        return operator.diag * 2.0, lambda d: tf.linalg.LinearOperatorDiag(d)

    assert doubled(operator).numpy().tolist() == [2, 4]  # no Variables beside the argument: no argument "variables"
