"""The steps of optimizers (raw_ops.ResourceApply…, ResourceSparseApply…) against their formulas in NumPy."""

import inspect
import re

import numpy as np
import pytest

pytestmark = pytest.mark.rule(50)

STATES = {"accum", "accum_update", "m", "v", "vhat", "ms", "mg", "mom", "linear"}
FLAGS = {"use_nesterov", "update_slots", "multiply_linear_by_lr"}


def momentum(s, c, g):
    s["accum"] = s["accum"] * c["momentum"] + g
    s["var"] -= c["lr"] * (g + c["momentum"] * s["accum"] if c["use_nesterov"] else s["accum"])


def keras_momentum(s, c, g):
    s["accum"] = s["accum"] * c["momentum"] - c["lr"] * g
    s["var"] += s["accum"] * c["momentum"] - c["lr"] * g if c["use_nesterov"] else s["accum"]


def adam(s, c, g, largest=None):
    rate = c["lr"] * np.sqrt(1 - c["beta2_power"]) / (1 - c["beta1_power"])
    s["m"] += (g - s["m"]) * (1 - c["beta1"])
    s["v"] += (g * g - s["v"]) * (1 - c["beta2"])
    slope = g * (1 - c["beta1"]) + c["beta1"] * s["m"] if c.get("use_nesterov") else s["m"]
    if "vhat" in s:
        s["vhat"] = np.maximum(s["vhat"], s["v"])
    s["var"] -= rate * slope / (np.sqrt(s["vhat"] if "vhat" in s else s["v"]) + c["epsilon"])


def adamax(s, c, g):
    s["m"] += (g - s["m"]) * (1 - c["beta1"])
    s["v"] = np.maximum(c["beta2"] * s["v"], np.abs(g))
    s["var"] -= c["lr"] / (1 - c["beta1_power"]) * s["m"] / (s["v"] + c["epsilon"])


def adagrad(s, c, g):
    if c["update_slots"]:
        s["accum"] += g * g
    s["var"] -= c["lr"] * g / (np.sqrt(s["accum"]) + c.get("epsilon", 0))


def adadelta(s, c, g):
    s["accum"] = c["rho"] * s["accum"] + (1 - c["rho"]) * g * g
    update = np.sqrt(s["accum_update"] + c["epsilon"]) / np.sqrt(s["accum"] + c["epsilon"]) * g
    s["accum_update"] = c["rho"] * s["accum_update"] + (1 - c["rho"]) * update * update
    s["var"] -= c["lr"] * update


def rmsprop(s, c, g):
    s["ms"] += (g * g - s["ms"]) * (1 - c["rho"])
    mean = 0
    if "mg" in s:
        s["mg"] += (g - s["mg"]) * (1 - c["rho"])
        mean = s["mg"]
    s["mom"] = c["momentum"] * s["mom"] + c["lr"] * g / np.sqrt(s["ms"] - mean * mean + c["epsilon"])
    s["var"] -= s["mom"]


def ftrl(s, c, g):
    lr, power = c["lr"], -c["lr_power"]
    factor, divisor = (lr, 1) if c["multiply_linear_by_lr"] else (1, lr)
    total = s["accum"] + g * g
    shrunk = g + 2 * c.get("l2_shrinkage", 0) * s["var"]
    s["linear"] += shrunk * factor - (total**power - s["accum"] ** power) / divisor * s["var"]
    pulled = c["l1"] * factor * np.sign(s["linear"]) - s["linear"]
    s["var"] = np.where(
        np.abs(s["linear"]) > c["l1"] * factor, pulled / (total**power / divisor + 2 * c["l2"] * factor), 0
    )
    s["accum"] = total


def sign(s, c, g):
    s["m"] = c["beta"] * s["m"] + (1 - c["beta"]) * g
    agree = c["sign_decay"] * np.sign(g) * np.sign(s["m"])
    s["var"] -= c["lr"] * (c["alpha"] + agree if "alpha" in c else np.exp(c["logbase"] * agree)) * g


def proximal(s, c, g):
    rate = c.get("lr", c.get("alpha"))
    if "accum" in s:
        s["accum"] += g * g
        rate = rate / np.sqrt(s["accum"])
    x = s["var"] - rate * g
    if c["l1"] > 0:
        x = np.sign(x) * np.maximum(np.abs(x) - rate * c["l1"], 0)
    s["var"] = x / (1 + rate * c["l2"])


RULES = {
    "Momentum": (momentum, True),
    "KerasMomentum": (keras_momentum, True),
    "Adam": (adam, False),
    "AdamWithAmsgrad": (adam, False),
    "AdaMax": (adamax, False),
    "Adagrad": (adagrad, True),
    "AdagradV2": (adagrad, True),
    "Adadelta": (adadelta, True),
    "RMSProp": (rmsprop, True),
    "CenteredRMSProp": (rmsprop, True),
    "Ftrl": (ftrl, True),
    "FtrlV2": (ftrl, True),
    "AddSign": (sign, False),
    "PowerSign": (sign, False),
    "ProximalGradientDescent": (proximal, True),
    "ProximalAdagrad": (proximal, True),
}
OPS = ["ResourceApply" + rule for rule in RULES] + ["ResourceSparseApply" + rule for rule in RULES if RULES[rule][1]]
SETTINGS = [{}, {"l1": 0.0, "lr_power": -0.7}, {"beta1": 0.9, "lr": 2.0}]


def parameters(tf, op):
    return [p for p in inspect.signature(getattr(tf.raw_ops, op)).parameters if not p.startswith("T") and p != "name"]


def arguments(tf, op, rng, shape, dtype, settings, flag):
    """The variables, and the other arguments of the op."""
    variables, rest = {}, {}
    for name in parameters(tf, op):
        if name == "var" or name in STATES:
            # The mean of squares is larger than the mean's square.
            value = rng.normal(size=shape) if name == "var" else rng.uniform(0.1, 0.3, shape) + (name == "ms")
            variables[name] = tf.Variable(tf.cast(value, dtype))
        elif name in ("grad", "delta"):
            rows = (5, *shape[1:]) if "Sparse" in op else shape
            rest[name] = tf.cast(rng.normal(size=rows), dtype)
        elif name == "indices":
            rest[name] = rng.permutation(shape[0])[:5].astype(np.int64)
        elif name in FLAGS:
            rest[name] = flag
        elif name != "use_locking":
            default = {"lr": 0.3, "l1": 0.2, "l2": 0.1, "lr_power": -0.5, "epsilon": 0.01}.get(name, 0.6)
            rest[name] = tf.cast(settings.get(name, default), dtype)
    return variables, rest


def wide(tf, x):
    return x if isinstance(x, bool) else tf.cast(x, "float64").numpy()


# TensorFlow has no proximal steps of float16; a sign of what rounds to zero is anything.
@pytest.mark.parametrize(
    ("op", "dtype"),
    [
        (op, d)
        for op in OPS
        for d in ("float16", "float32", "float64")
        if d != "float16" or not re.search("Proximal|Sign", op)
    ],
)
def test_formulas(tf, op, dtype):
    rule, limit = RULES[op.split("Apply")[1]][0], {"float16": 2e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
    rng = np.random.default_rng(1)
    for settings in SETTINGS:
        for flag in (False, True):
            for shape in ((9, 37), (300, 7)):
                variables, rest = arguments(tf, op, rng, shape, dtype, settings, flag)
                expected = {name: wide(tf, v.read_value()) for name, v in variables.items()}
                numbers = {name: wide(tf, x) for name, x in rest.items() if name != "indices"}
                gradient = numbers.pop("delta" if "delta" in numbers else "grad")
                if "indices" in rest:
                    rows = {name: x[rest["indices"]] for name, x in expected.items()}
                    rule(rows, numbers, gradient)
                    for name, x in rows.items():
                        expected[name][rest["indices"]] = x
                else:
                    rule(expected, numbers, gradient)
                getattr(tf.raw_ops, op)(**{name: v.handle for name, v in variables.items()}, **rest)
                for name, v in variables.items():
                    got = wide(tf, v.read_value())
                    np.testing.assert_allclose(got, expected[name], rtol=limit, atol=limit, err_msg=f"{op} {name}")


@pytest.mark.parametrize("op", [op for op in OPS if "Sparse" in op])
def test_an_index_that_comes_twice_makes_two_steps(tf, op):
    rng = np.random.default_rng(2)
    variables, rest = arguments(tf, op, rng, (9, 20), "float64", {}, True)
    once = {name: tf.Variable(v.read_value()) for name, v in variables.items()}
    rest["indices"] = np.int64([3, 3, 1, 3, 0])
    getattr(tf.raw_ops, op)(**{name: v.handle for name, v in variables.items()}, **rest)
    for i in range(5):
        one = {**rest, "indices": rest["indices"][i : i + 1], "grad": rest["grad"][i : i + 1]}
        getattr(tf.raw_ops, op)(**{name: v.handle for name, v in once.items()}, **one)
    for name, v in variables.items():
        np.testing.assert_allclose(v.numpy(), once[name].numpy(), rtol=1e-12)


@pytest.mark.parametrize("op", OPS)
def test_a_traced_step_is_an_eager_one(tf, op):
    rng = np.random.default_rng(3)
    variables, rest = arguments(tf, op, rng, (6, 50), "float32", {}, False)
    eager = {name: tf.Variable(v.read_value()) for name, v in variables.items()}
    getattr(tf.raw_ops, op)(**{name: v.handle for name, v in eager.items()}, **rest)

    @tf.function
    def step():
        getattr(tf.raw_ops, op)(**{name: v.handle for name, v in variables.items()}, **rest)

    step()
    for name, v in variables.items():
        np.testing.assert_array_equal(v.numpy(), eager[name].numpy())


def failing(tf, op, **changed):
    variables, rest = arguments(tf, op, np.random.default_rng(4), (9, 4), "float32", {}, False)
    handles = {name: v.handle for name, v in variables.items()}
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        getattr(tf.raw_ops, op)(**{**handles, **rest, **changed})
    return str(error.value)


@pytest.mark.parametrize("op", [op for op in OPS if "Sign" not in op])
def test_what_does_not_fit_is_refused(tf, op):
    sparse = "Sparse" in op
    gradient = "delta" if "delta" in parameters(tf, op) else "grad"
    wrong = np.ones((5 if sparse else 9, 6), np.float32)
    expected = "must match in dimension 1" if sparse else f"var and {gradient} do not have the same shape"
    assert expected in failing(tf, op, **{gradient: wrong})
    for name in parameters(tf, op):
        if name in STATES - {"vhat", "accum_update"}:
            message = failing(tf, op, **{name: tf.Variable(np.ones((9, 6), np.float32)).handle})
            assert "do not have the same shape" in message and name in message
        elif name in ("lr", "alpha", "momentum", "rho", "epsilon", "beta1", "beta1_power", "l1", "l2"):
            message = failing(tf, op, **{name: np.ones(2, np.float32)})
            shown = "lr" if op == "ResourceSparseApplyProximalGradientDescent" and name == "alpha" else name
            assert f"{shown} " in message and "scalar" in message
    if sparse:
        assert "indices must be one-dimensional" in failing(tf, op, indices=np.zeros((5, 1), np.int64))
        assert "same size as indices" in failing(tf, op, indices=np.int64([0]))
        out_of_range = failing(tf, op, indices=np.int64([0, 1, 2, 3, 9]))
        assert "out of range" in out_of_range or "is not in [0, 9)" in out_of_range


def test_variables_without_a_value_are_refused(tf):
    empty = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[9, 4], shared_name="without a value")
    _, rest = arguments(tf, "ResourceApplyMomentum", np.random.default_rng(5), (9, 4), "float32", {}, False)
    full = tf.Variable(np.ones((9, 4), np.float32))
    for handles in ({"var": empty, "accum": full.handle}, {"var": full.handle, "accum": empty}):
        with pytest.raises(tf.errors.InternalError, match="Invalid variable reference"):
            tf.raw_ops.ResourceApplyMomentum(**handles, **rest)


def test_what_was_read_before_a_step_stays(tf):
    variables, rest = arguments(tf, "ResourceApplyAdam", np.random.default_rng(6), (9, 4), "float32", {}, False)
    before = {name: v.read_value() for name, v in variables.items()}
    kept = {name: x.numpy().copy() for name, x in before.items()}
    tf.raw_ops.ResourceApplyAdam(**{name: v.handle for name, v in variables.items()}, **rest)
    for name, x in before.items():
        np.testing.assert_array_equal(x.numpy(), kept[name])
        assert (variables[name].numpy() != kept[name]).any()
