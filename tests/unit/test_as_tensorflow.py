"""This package in the place of TensorFlow: imports, programs, child processes, and what is missing."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

PACKAGE = pathlib.Path(__import__("tracefn").__file__).parents[1]


def run(*arguments: str, code: str | None = None, **variables: str):
    """(status, what it prints, its errors) of a Python process."""
    path = os.pathsep.join(filter(None, [str(PACKAGE), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, *arguments],
        input=None if code is None else textwrap.dedent(code),
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def output(code: str, *arguments: str, **variables: str) -> str:
    """What a program prints that calls install_as_tensorflow first."""
    status, out, errors = run(*(arguments or ("-",)), code=START + textwrap.dedent(code), **variables)
    assert status == 0, errors
    return out


START = "import tracefn\ntracefn.install_as_tensorflow()\n"


def test_import_tensorflow_gives_this_package():
    assert output("import tensorflow as tf; print(tf is tracefn, tf.__version__)") == "True 2.21.0"


def test_without_it_there_is_no_tensorflow():
    assert run("-c", "import tracefn, sys; print('tensorflow' in sys.modules)")[1] == "False"


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("import tensorflow.compat.v2 as m", "tracefn.compat.v2"),
        ("import tensorflow.compat.v2.math as m", "tracefn.math"),
        ("import tensorflow.compat.v1 as m", "tracefn.compat.v1"),
        ("import tensorflow.compat.v1.nn as m", "tracefn.compat.v1.nn"),
        ("from tensorflow import math as m", "tracefn.math"),
        ("import tensorflow.io.gfile as m", "tracefn.io.gfile"),
        ("import tensorflow.experimental.numpy as m", "tracefn.experimental.numpy"),
        ("import tensorflow.summary as m", "tracefn.summary"),
        ("from tensorflow.python.eager import context as m", "tracefn.python.eager.context"),
        ("import tensorflow.python.ops.check_ops as m", "tensorflow.python.ops.check_ops"),
        ("import tensorflow._api.v2.v2 as m", "tracefn"),
    ],
)
def test_modules(statement, value):
    assert output(f"{statement}; print(m.__name__)") == value


def test_modules_that_are_only_attributes():
    program = """
        import tensorflow as tf
        import tensorflow.python as tfpy
        print(hasattr(tfpy.eager.context, "executing_eagerly"), isinstance(tfpy.eager.tape, type(tf)), tfpy.ops.math_ops.add is tf.add, hasattr(tfpy.eager, "nothing"))
    """
    assert output(program) == "True True True False"


def test_modules_of_messages():
    pytest.importorskip("tensorboard")
    program = """
        from tensorflow.core.framework import graph_pb2
        print(graph_pb2.GraphDef(node=[{"name": "x", "op": "Const"}]).node[0].op)
    """
    assert output(program) == "Const"


def test_files_that_import_files_of_messages():
    pytest.importorskip("tensorboard")
    program = """
        import pickle
        import tensorflow as tf
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
        from tensorflow.core.example import example_pb2
        from tensorflow.core.framework import summary_pb2, tensor_shape_pb2, types_pb2
        from tensorflow.core.profiler import tfprof_log_pb2
        from tensorflow.core.util import event_pb2

        imported = {"shape": "framework/tensor_shape", "dtype": "framework/types", "example": "example/example"}
        kinds = {"shape": "TensorShapeProto", "dtype": "DataType", "example": "Example"}
        file = descriptor_pb2.FileDescriptorProto(name="mine.proto", package="mine", syntax="proto3")
        file.dependency.extend(f"tensorflow/core/{path}.proto" for path in imported.values())
        message = file.message_type.add(name="Mine")
        for number, (name, kind) in enumerate(kinds.items(), 1):
            message.field.add(name=name, number=number, label=1, type=14 if name == "dtype" else 11, type_name=f".tensorflow.{kind}")
        pool = descriptor_pool.Default()
        pool.AddSerializedFile(file.SerializeToString())
        mine = message_factory.GetMessageClass(pool.FindMessageTypeByName("mine.Mine"))(dtype=types_pb2.DT_INT32)
        mine.shape.CopyFrom(tf.TensorShape([2, None]).as_proto())
        mine.example.features.feature["x"].int64_list.value.append(3)
        assert tf.TensorShape(mine.shape).as_list() == [2, None] and tf.dtypes.as_dtype(mine.dtype) == tf.int32
        assert tf.train.Example.FromString(mine.example.SerializeToString()).features.feature["x"].int64_list.value == [3]

        kind = tensor_shape_pb2.TensorShapeProto
        assert type(pickle.loads(pickle.dumps(mine.shape))) is kind and kind.__module__ == tensor_shape_pb2.__name__
        assert (kind.DESCRIPTOR.full_name, kind.DESCRIPTOR.file.name) == (
            "tensorflow.TensorShapeProto", "tensorflow/core/framework/tensor_shape.proto")
        assert tfprof_log_pb2.OpLogProto.DESCRIPTOR.full_name == "tensorflow.tfprof.OpLogProto"
        assert event_pb2.Event is tf.compat.v1.Event and type(event_pb2.Event().summary) is summary_pb2.Summary
        assert tf.train.ServerDef.DESCRIPTOR.full_name == "tensorflow.ServerDef"
        print("done")
    """
    assert output(program) == "done"


def test_renamed_classes_are_found_under_their_names():
    program = """
        import pickle
        import tensorflow as tf

        tensor = tf.constant(1)
        dataset = tf.data.Dataset.range(2)
        graph = tf.Graph()
        with graph.as_default():
            symbolic = tf.compat.v1.placeholder(tf.float32)
        values = [tensor, symbolic, tf.Variable(1), tf.ragged.constant([[1]]), tf.sparse.eye(2), iter(dataset), graph,
                  dataset.element_spec, tf.TensorShape([]), tf.float32, tf.Module(), tf.data.Options(), tf.GradientTape(),
                  tf.random.get_global_generator(), tf.TensorArray(tf.float32, 1), tf.IndexedSlices(1, 0)]
        for kind in [tf.Variable, tf.data.Dataset, *map(type, values)]:
            assert pickle.loads(pickle.dumps(kind)) is kind, kind
        print("done")
    """
    assert output(program) == "done"


def test_names_below_tensorflow_python_are_the_public_objects():
    program = """
        import tensorflow as tf
        from tensorflow.python.ops import array_ops, math_ops, gen_math_ops, control_flow_ops
        from tensorflow.python.framework import dtypes, ops, tensor_shape
        from tensorflow.python.ops.gen_array_ops import reshape
        print(array_ops.reshape is tf.reshape, math_ops.reduce_sum is tf.reduce_sum, dtypes.float32 is tf.float32)
        print(ops.Graph is tf.Graph, tensor_shape.TensorShape is tf.TensorShape, math_ops.cast is tf.cast)
        print(gen_math_ops.add_v2(1, 2).numpy(), gen_math_ops.AddV2(x=1, y=2).numpy(), reshape([1, 2], [2, 1]).shape)
        try:
            gen_math_ops.add_v2(1, 2, "name", 4)
        except TypeError as error:
            print(error)
    """
    assert output(program).splitlines() == [
        "True True True",
        "True True True",
        "3 3 (2, 1)",
        "add_v2() takes at most 3 arguments, 4 were given.",
    ]


def test_a_missing_name_fails_where_it_is_used():
    program = """
        from tensorflow.python.framework.c_api_util import ScopedTFBuffer
        class Mine(ScopedTFBuffer):
            pass
        print(isinstance(1, ScopedTFBuffer))
        for use in (ScopedTFBuffer, Mine, lambda: ScopedTFBuffer.create):
            try:
                use()
            except (NotImplementedError, AttributeError) as error:
                print(type(error).__name__, "no tensorflow.python.framework.c_api_util.ScopedTFBuffer" in str(error),
                      "docs/coverage.md" in str(error), "<stdin>:4" in str(error))
    """
    assert output(program).splitlines() == [
        "False",
        "NotImplementedError True True True",
        "NotImplementedError True True True",
        "AttributeError True True True",
    ]


def test_a_missing_name_can_be_mentioned():
    program = """
        from tensorflow.python.framework import c_api_util
        from tensorflow.python.data.ops import range_op
        import tensorflow as tf
        kinds = [c_api_util.ScopedTFBuffer]
        print(isinstance(1, kinds[0]), isinstance(tf.data.Dataset.range(2), range_op._RangeDataset), hasattr(c_api_util, "nope"))
    """
    assert output(program) == "False True False"


def test_a_name_that_tensorflow_has_not_got_cannot_be_imported():
    program = """
        import importlib.util
        try:
            from tensorflow.python.framework.ops import no_such_name
        except ImportError as error:
            print("no_such_name" in str(error))
        for name in ("python.no_such_module", "keras.layer", "contrib.slim", "python.ops.aray_ops", "lite.python"):
            try:
                importlib.import_module(f"tensorflow.{name}")
            except ModuleNotFoundError as error:
                print(error)
        print(importlib.util.find_spec("tensorflow") is not None, importlib.util.find_spec("tensorflow.nope"))
    """
    lines = output(program).splitlines()
    assert lines[0] == "True" and lines[-1] == "True None"
    none = "TensorFlow has none either. It is imported by <stdin>:11."
    assert lines[1] == f"No module named 'tensorflow.python.no_such_module': {none}"
    assert "keras" in lines[2]  # or Keras is not installed
    assert lines[3].startswith(f"No module named 'tensorflow.contrib': {none} TensorFlow 2 has no contrib")
    assert lines[4].endswith(f"{none} Did you mean tensorflow.python.ops.array_ops?")
    assert "has no module 'tensorflow.lite.python'. It is imported by <stdin>:11" in lines[5]


def test_it_is_refused_when_tensorflow_is_imported_already():
    program = """
        import sys, types
        sys.modules["tensorflow"] = types.ModuleType("tensorflow")
        import tracefn
        try:
            tracefn.install_as_tensorflow()
        except RuntimeError as error:
            print(error)
    """
    status, out, _ = run("-", code=program)
    assert status == 0 and out.startswith("TensorFlow is imported already")


def test_classes_say_that_they_are_tensorflows():
    program = """
        import importlib.metadata
        import pickle
        import tensorflow as tf
        values = tf.constant(1), tf.Variable(1), tf.TensorShape([1]), tf.float32, tf.TensorSpec([1]), tf.Graph()
        print({type(value).__module__.split(".")[0] for value in values})
        print(pickle.loads(pickle.dumps(tf.TensorShape([2, None]))), importlib.metadata.version("tensorflow"))
    """
    assert output(program).splitlines() == ["{'tensorflow'}", "(2, None) 2.21.0"]


PROGRAM = """
import multiprocessing
import sys
import tensorflow as tf

def child(x):
    import tensorflow as tf
    return int(tf.square(x)), tf.__name__

if __name__ == "__main__":
    print(tf.__name__, sys.argv[1:], __name__)
    if "spawn" in sys.argv:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(child, [3]))
"""


def test_a_program_that_knows_nothing_of_it(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    status, out, errors = run("-m", "tracefn.as_tensorflow", str(script), "a", "-b")
    assert (status, out) == (0, "tracefn ['a', '-b'] __main__"), errors


def test_a_module_and_a_line_of_code(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    path = os.pathsep.join([str(tmp_path), str(PACKAGE)])
    status, out, errors = run("-m", "tracefn.as_tensorflow", "-m", "program", "x", PYTHONPATH=path)
    assert (status, out) == (0, "tracefn ['x'] __main__"), errors
    status, out, errors = run("-m", "tracefn.as_tensorflow", "-c", "import tensorflow, sys; print(sys.argv)", "y")
    assert (status, out) == (0, "['-c', 'y']"), errors


def test_the_status_of_the_program_is_kept(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import sys; sys.exit(7)")
    assert run("-m", "tracefn.as_tensorflow", str(script))[0] == 7
    assert run("-m", "tracefn.as_tensorflow")[0] == 2


def test_pytest_runs_under_it(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import tensorflow as tf\ndef test_it():\n    assert tf.__name__ == 'tracefn'\n"
    )
    status, out, _ = run("-m", "tracefn.as_tensorflow", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path))
    assert status == 0 and "1 passed" in out, out


def test_the_environment_variable(tmp_path):
    """The file that a Python process reads at start, as it lies in site-packages."""
    line = (pathlib.Path(__file__).parents[2] / "python" / "tracefn_as_tensorflow.pth").read_text()
    code = f"{line}\nimport sys; print('tracefn' in sys.modules)\nimport tensorflow; print(tensorflow.__name__)"
    assert run("-c", code, TRACEFN_AS_TENSORFLOW="1")[1].split() == ["True", "tracefn"]
    code = f"{line}\nimport sys; print('tracefn' in sys.modules)"
    for off in ("", "0"):
        assert run("-c", code, TRACEFN_AS_TENSORFLOW=off)[1] == "False"


def test_child_processes(tmp_path):
    """With the file of the environment variable in place, which a wheel installs."""
    (tmp_path / "sitecustomize.py").write_text(
        (pathlib.Path(__file__).parents[2] / "python" / "tracefn_as_tensorflow.pth").read_text()
    )
    (tmp_path / "program.py").write_text(PROGRAM)
    path = os.pathsep.join([str(tmp_path), str(PACKAGE)])
    status, out, errors = run("-m", "tracefn.as_tensorflow", str(tmp_path / "program.py"), "spawn", PYTHONPATH=path)
    assert status == 0, errors
    assert out.splitlines()[-1] == "[(9, 'tracefn')]"


def test_modules_of_classes():
    program = """
        import tensorflow as tf
        kinds = [tf.RaggedTensor, tf.RaggedTensorSpec, tf.data.Dataset, tf.data.Options, tf.OptionalSpec]
        print(*(f"{kind.__module__}.{kind.__name__}" for kind in kinds), sep="\\n")
    """
    assert output(program).splitlines() == [
        "tensorflow.python.ops.ragged.ragged_tensor.RaggedTensor",
        "tensorflow.python.ops.ragged.ragged_tensor.RaggedTensorSpec",
        "tensorflow.python.data.ops.dataset_ops.DatasetV2",
        "tensorflow.python.data.ops.options.Options",
        "tensorflow.python.data.ops.optional_ops.OptionalSpec",
    ]


def test_texts_of_classes():
    program = """
        import tensorflow as tf

        numbers = tf.data.Dataset.range(3)
        values = [tf.function(lambda: 1), tf.function(lambda: 1).get_concrete_function(), iter(numbers), numbers,
                  numbers.map(tf.square, num_parallel_calls=2), numbers.padded_batch(2), tf.data.TextLineDataset("a"),
                  tf.train.Checkpoint(), tf.train.Int64List(), tf.lookup.KeyValueTensorInitializer([1], [2]),
                  tf.distribute.OneDeviceStrategy("cpu:0"), tf.constant_initializer(1), tf.io.VarLenFeature(tf.int64)]
        print(*(f"{type(value).__module__}.{type(value).__name__}" for value in values), tf.errors.NotFoundError, sep="\\n")
        print(repr(values[0]).partition(" at ")[0], tf.linalg.LinearOperatorDiag([1.0]).to_dense().numpy())
    """
    assert output(program).splitlines() == [
        "tensorflow.python.eager.polymorphic_function.polymorphic_function.Function",
        "tensorflow.python.eager.polymorphic_function.concrete_function.ConcreteFunction",
        "tensorflow.python.data.ops.iterator_ops.OwnedIterator",
        "tensorflow.python.data.ops.range_op._RangeDataset",
        "tensorflow.python.data.ops.map_op._ParallelMapDataset",
        "tensorflow.python.data.ops.padded_batch_op._PaddedBatchDataset",
        "tensorflow.python.data.ops.readers.TextLineDatasetV2",
        "tensorflow.python.checkpoint.checkpoint.Checkpoint",
        "tensorflow.core.example.feature_pb2.Int64List",
        "tensorflow.python.ops.lookup_ops.KeyValueTensorInitializer",
        "tensorflow.python.distribute.one_device_strategy.OneDeviceStrategy",
        "tensorflow.python.ops.init_ops_v2.Constant",
        "tensorflow.python.ops.parsing_config.VarLenFeature",
        "<class 'tensorflow.python.framework.errors_impl.NotFoundError'>",
        "<tensorflow.python.eager.polymorphic_function.polymorphic_function.Function object [[1.]]",
    ]


def test_every_class_with_a_module_of_tensorflow_is_found_there():
    program = """
        import importlib
        import pickle
        import tensorflow as tf
        from tracefn.as_tensorflow import class_modules

        # not public: nothing pickles them
        apart = {"CheckpointLoadStatus", "InitializationOnlyStatus", "NameBasedSaverStatus", "Function", "Reference",
                 "_DefaultDistributionStrategy"}
        for module, classes in class_modules._names().items():
            for name, theirs in classes:
                kind = vars(importlib.import_module(module))[name]
                assert kind.__module__ == theirs, kind
                assert name in apart or pickle.loads(pickle.dumps(kind)) is kind, kind
        print("done")
    """
    assert output(program) == "done"


def test_sizes_of_batches():
    program = """
        import tensorflow as tf
        from tensorflow.python.data.experimental.ops.distribute import compute_batch_size

        numbers = tf.data.Dataset.range(100)
        batches = numbers.batch(8)
        cases = [
            batches, batches.take(2).shuffle(4).prefetch(1), batches.map(lambda x: x), tf.data.Dataset.zip((batches, batches)),
            tf.data.Dataset.zip((batches, numbers.batch(4))), batches.concatenate(batches), batches.batch(3),
            numbers.padded_batch(5, []), batches.with_options(tf.data.Options()), numbers,
        ]
        print(*(int(compute_batch_size(case)) for case in cases))
    """
    assert output(program) == "8 8 -1 8 -1 8 3 5 8 -1"


def test_names_that_are_not_public_there():
    program = """
        import tensorflow as tf
        from tensorflow.python.data.ops.iterator_ops import OwnedIterator
        from tensorflow.python.distribute import input_lib, values
        from tensorflow.python.eager import def_function
        from tensorflow.python.eager.polymorphic_function import concrete_function
        from tensorflow.python.framework.func_graph import FuncGraph
        from tensorflow.python.framework.smart_cond import smart_cond
        from tensorflow.python.framework.sparse_tensor import is_sparse
        from tensorflow.python.ops.ragged.ragged_tensor import is_ragged

        f = tf.function(lambda: tf.constant(isinstance(tf.compat.v1.get_default_graph(), FuncGraph)))
        print(isinstance(f, def_function.Function), isinstance(f.get_concrete_function(), concrete_function.ConcreteFunction))
        print(bool(f()), isinstance(tf.Graph(), FuncGraph))
        dataset = tf.data.Dataset.range(3)
        print(isinstance(iter(dataset), OwnedIterator), isinstance(dataset.as_numpy_iterator(), OwnedIterator))
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with strategy.scope():
            print(isinstance(tf.Variable(1.0), values.MirroredVariable))
        print(isinstance(strategy.experimental_distribute_dataset(dataset), input_lib.DistributedDataset))
        print(smart_cond(True, lambda: "a", lambda: "b"), is_sparse(tf.sparse.from_dense([1])), is_ragged(tf.constant([1])))
    """
    assert output(program).split() == "True True True False True False True True a True False".split()


def test_the_root_has_no_names_of_tensorflow_1():
    program = """
        import tensorflow as tf

        print([name for name in ("Session", "to_float", "batch_gather", "contrib", "log") if hasattr(tf, name)])
        try:
            tf.to_float(1)
        except AttributeError as error:
            print("tf.compat.v1.to_float" in str(error))
        print(hasattr(tf.compat.v1, "Session"))
    """
    assert output(program).split() == ["[]", "True", "True"]


def test_files_that_other_files_import_have_all_names():
    program = (
        "from tensorflow.python.framework import test_util, config, ops\n"
        "import tensorflow.python.framework as framework\n"
        "print(config.list_physical_devices('CPU')[0].device_type, framework.config is config, ops.Graph.__name__)"
    )
    assert run("-m", "tracefn.as_tensorflow", "-c", program)[1] == "CPU True Graph"


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("ops.array_ops", "reshape tile_one_dimension"),  # a file here, and what it has not got
        ("framework.ops", "Graph Operation convert_to_tensor"),
        ("ops.init_ops", "zeros_initializer"),  # without a file
        ("framework.errors_impl", "NotFoundError"),
    ],
)
def test_star_imports(module, names):
    found = output(
        f"""
        from tensorflow.python.{module} import *
        print([name for name in {names.split()} if name not in globals()], [n for n in globals() if n == "_sys"])
        """
    )
    assert found == "[] []"
