"""Names of TensorFlow 1 and of tf.__internal__, variables by name, and settings that a CPU can only accept."""

import subprocess
import sys

import pytest
import tracefn as tf

v1 = tf.compat.v1


def test_an_old_name_warns_once_and_works():
    program = (
        "import tracefn as tf\n"
        "f = tf.contrib.eager.function(lambda x: tf.to_float(x) + 1.0)\n"
        "print(float(f(2)), float(tf.to_float(3)), tf.random_uniform([2]).shape, tf.py_func.__name__)\n"
        "v = tf.Variable(1.0)\n"
        "tf.assign(v, 5.0)\n"
        "print(float(v))\n"
        "for module, name in ((tf.contrib.eager, 'nothing'), (tf.contrib, 'layers')):\n"
        "    try:\n"
        "        getattr(module, name)\n"
        "    except AttributeError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "3.0 3.0 (2,) py_func",
        "5.0",
        "module 'contrib.eager' has no attribute 'nothing'. TensorFlow 2 has no contrib.",
        "module 'contrib' has no attribute 'layers'. TensorFlow 2 has no contrib.",
    ]
    warned = [line.partition("tf.")[2] for line in done.stderr.splitlines()]
    assert warned == [
        "contrib.eager.function is a name of TensorFlow 1. Write tf.function.",
        "to_float is a name of TensorFlow 1. Write tf.cast(x, tf.float32).",
        "random_uniform is a name of TensorFlow 1. Write tf.random.uniform(shape).",
        "py_func is a name of TensorFlow 1. Write tf.numpy_function(func, inp, Tout).",
        "assign is a name of TensorFlow 1. Write v.assign(value).",
    ]


def test_old_names_say_what_to_write():
    names = {
        "placeholder": "TensorFlow 2 has no placeholders: make it a parameter of a tf.function.",
        "Session": "TensorFlow 2 has no sessions: call a tf.function, which runs its graph and returns the values.",
        "get_variable": "Write tf.Variable(initial_value), once, and keep it.",
        "matrix_inverse": "Write tf.linalg.inv.",
        "multinomial": "Write tf.random.categorical(logits, num_samples).",
        "colocate_with": "Write tf.compat.v1.colocate_with.",
        "div": "Write tf.divide(x, y), or x // y for whole numbers.",
    }
    program = "import tracefn as tf\n" + "".join(f"tf.{name}; tf.{name}\n" for name in names)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    warned = [line.partition("tf.")[2] for line in done.stderr.splitlines()]
    assert warned == [f"{name} is a name of TensorFlow 1. {advice}" for name, advice in names.items()]


def test_a_program_of_tensorflow_1():
    program = (
        "import tracefn as tf\n"
        "tf.disable_v2_behavior()\n"
        "x = tf.placeholder(tf.float32, [None])\n"
        "w = tf.get_variable('w', [], initializer=tf.zeros_initializer())\n"
        "loss = tf.reduce_mean(tf.squared_difference(w, x))\n"
        "step = tf.assign_sub(w, 0.5 * tf.gradients(loss, [w])[0])\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    sess.run(step, {x: [2.0, 4.0]})\n"
        "    print(sess.run(w))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "3.0\n"


def test_variables_by_name():
    made = []

    @tf.function
    def f():
        with v1.variable_scope("outer"), v1.variable_scope("inner"):
            v = v1.get_variable("v", [2], initializer=tf.ones_initializer())
            assert v.name == "outer/inner/v:0" and v1.get_variable("v", [2]) is v
            with pytest.raises(ValueError, match="Trying to share variable outer/inner/v"):
                v1.get_variable("v", [3])
        with v1.variable_scope("outer/inner", reuse=True):
            assert v1.get_variable("v") is v
            with pytest.raises(ValueError, match="Variable outer/inner/q does not exist"):
                v1.get_variable("q", [1])
        made.append(v)
        return v + 1

    assert f().numpy().tolist() == [2, 2] and len(set(map(id, made))) == 1
    assert v1.get_variable("n", [2], tf.int32).numpy().tolist() == [0, 0]
    assert v1.get_variable("k", initializer=tf.constant(3.0)).numpy() == 3
    assert v1.get_variable_scope().name == ""


@pytest.mark.parametrize("name", ["control_flow_v2", "resource_variables"])
def test_switches_tell_what_was_asked_for(name):
    v1 = tf.compat.v1
    enabled = getattr(v1, f"{name}_enabled")
    assert enabled()
    getattr(v1, f"disable_{name}")()
    try:
        assert not enabled()
        v = tf.Variable(2.0)
        assert float(tf.function(lambda x: tf.cond(x > 0, lambda: x * v, lambda: -x))(tf.constant(3.0))) == 6
    finally:
        getattr(v1, f"enable_{name}")()
    assert enabled()


def test_decorators_are_found_again():
    decorator = tf.__internal__.decorator

    def twice(f):
        return decorator.make_decorator(f, lambda *args: 2 * f(*args))

    def plus(x, amount=1):
        """Adds."""
        return x + amount

    plus.label = 1
    wrapped = twice(twice(plus))
    assert wrapped(1) == 8 and wrapped.__doc__ == "Adds." and wrapped.label == 1
    found, target = decorator.unwrap(wrapped)
    assert target is plus and [d.decorator_name for d in found] == ["twice", "twice"]
    assert int(tf.function(wrapped)(tf.constant(1))) == 8


def test_shallow_structures():
    nest = tf.__internal__.nest
    assert nest.map_structure_up_to({"a": 0, "b": 0}, len, {"b": [1, 2], "a": ()}) == {"a": 0, "b": 2}
    with pytest.raises(ValueError, match="don't have the same sequence length"):
        nest.flatten_up_to([0, 0], [1])
    with pytest.raises(TypeError, match="input must also be a sequence"):
        nest.flatten_up_to([0], 1)
    assert nest.list_to_tuple([1, {"a": [2]}]) == (1, {"a": (2,)})


def test_settings_of_devices():
    cpu = tf.config.list_physical_devices("CPU")[0]
    one = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [one])
    assert tf.config.get_logical_device_configuration(cpu) == [one]
    with pytest.raises(ValueError, match="memory limit on CPU"):
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration(memory_limit=3)])
    tf.config.set_logical_device_configuration(cpu, [one, one])
    assert [device.name for device in tf.config.list_logical_devices()] == ["/device:CPU:0", "/device:CPU:1"]
    tf.config.set_logical_device_configuration(cpu, [one])
    assert len(tf.config.list_logical_devices()) == 1
    with pytest.raises(ValueError, match="Invalid argument `device_policy`"):
        tf.config.experimental.set_device_policy("loud")


def test_names_of_the_root():
    proto = tf.make_tensor_proto(3, tf.float32, [2, 2])
    assert tf.make_ndarray(proto).tolist() == [[3, 3], [3, 3]]
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True)
    with pytest.raises(tf.errors.NotFoundError, match="x.so: cannot open shared object file"):
        tf.load_op_library("x.so")
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        tf.parallel_stack([[1], [2]])
    assert float(tf.nn.compute_average_loss([1.0, 2.0, 6.0], sample_weight=[1.0, 1.0, 0.5])) == 2
    with pytest.raises(ValueError, match="at least rank 1"):
        tf.nn.compute_average_loss(1.0)
