"""The graph of a saved model: nodes for Variables, constants, tables and signatures, for loaders that run graphs."""

from __future__ import annotations

import re

from tracefn import _core, nest
from tracefn._saved_model.call_nodes import call_node
from tracefn._saved_model.function_records import argument_keywords, given_inputs
from tracefn._saved_model.messages import Record, decoded, encoded
from tracefn._saved_model.node_gradients import NodeGradient, gradients_in
from tracefn._saved_model.signatures import INIT_KEY
from tracefn._saved_model.stripping import strip_defaults
from tracefn._structured_value import shape_proto, type_spec_proto
from tracefn._wire import delimited
from tracefn.framework import Graph, control_dependencies, default_graph
from tracefn.function import function as traced_function
from tracefn.ops.sparse.tensor import SparseTensorSpec
from tracefn.tensor_spec import TensorSpec
from tracefn.type_spec import TypeSpec, type_spec_from_value

raw = _core.raw_op
PREDICT = "tensorflow/serving/predict"
UNKNOWN_SHAPE = b"\x18\x01"  # TensorShapeProto with unknown_rank


def _tensor_info(name: str, tensor) -> Record:
    return Record(
        "TensorInfo",
        name=name,
        dtype=tensor.dtype.as_datatype_enum,
        tensor_shape=shape_proto(tensor.shape),
    )


def _info_of_parts(spec: TypeSpec, parts: list[Record]) -> Record:
    """The TensorInfo of a value that is made of these tensors."""
    if isinstance(spec, TensorSpec):
        return parts[0]
    if isinstance(spec, SparseTensorSpec):
        indices, values, dense_shape = (part.name for part in parts)
        names = Record(
            "CooSparse",
            values_tensor_name=values,
            indices_tensor_name=indices,
            dense_shape_tensor_name=dense_shape,
        )
        return Record(
            "TensorInfo", coo_sparse=names, dtype=spec.dtype.as_datatype_enum, tensor_shape=shape_proto(spec.shape)
        )
    return Record(
        "TensorInfo", composite_tensor=Record("CompositeTensor", type_spec=type_spec_proto(spec), components=parts)
    )


def _node_name(text: str) -> str:
    """The text as the name of a node: what a name may not begin with or hold is left out or replaced.

    >>> _node_name("serving_default_x"), _node_name("_own key_x")
    ('serving_default_x', 'own_key_x')
    """
    return re.sub(r"[^A-Za-z0-9_.\\\-]", "_", re.sub(r"^[^A-Za-z0-9.]*", "", text))


class ExportGraph:
    """Builds the graph. Made for one model, on one thread.

    Attributes:
      signatures: dict from names to SignatureDef.
      assets: list of AssetFileDef.
      saver: SaverDef.
      gradients: the gradient rules of the nodes in the functions, by name.
    """

    def __init__(self) -> None:
        self._graph = Graph()
        self._values: dict[int, str] = {}  # the name of the node for each object
        self._variables: list = []
        self._calls: list[Record] = []
        self._initializers: list[str] = []
        self._asset_paths: dict[int, tuple] = {}  # the variable of each, and the operation that sets it
        self._functions: dict[str, bytes] = {}
        self.signatures: dict[str, Record] = {}
        self.assets: list[Record] = []
        self.saver: Record | None = None
        self.gradients: dict[str, NodeGradient] = {}
        self._registered: list[Record] = []

    def add_variable(self, number: int, variable, key: str, device: str = "") -> None:
        """A node for the handle of a Variable, whose value has `key` in the checkpoint."""
        name = variable.name.partition(":")[0]
        with self._graph.as_default(), self._graph.device(device or None):
            handle = raw("VarHandleOp")(
                dtype=variable.dtype, shape=variable.shape, shared_name=name, name=name or "Variable"
            )  # fmt: skip
        self._values[number] = handle.op.name
        if key:
            self._variables.append((handle, variable, key))

    def add_constant(self, number: int, tensor) -> str:
        """A node for a constant; returns its name."""
        with self._graph.as_default():
            made = raw("Const")(value=tensor, dtype=tensor.dtype, name="Const")
        self._values[number] = made.op.name
        return made.op.name

    def add_asset(self, number: int, filename: str) -> int:
        """A node for the path of a file; returns the number of the file."""
        name = "asset_path_initializer"
        with self._graph.as_default():
            # Loaders feed the path that the file has where the model is. The model is used by later runs of a session, and so
            # a variable keeps it.
            path = raw("Placeholder")(dtype="string", shape=[], name=name)
            holder = raw("VarHandleOp")(
                dtype="string", shape=[], shared_name=f"{name}/{len(self.assets)}", name="asset_path"
            )
            kept = raw("AssignVariableOp")(resource=holder, value=path, name="asset_path/Assign")
            read = raw("ReadVariableOp")(resource=holder, dtype="string", name="asset_path/Read")
        self._values[number] = read.op.name
        self._asset_paths[number] = holder, kept
        self._initializers.append(kept.name)
        self.assets.append(Record("AssetFileDef", tensor_info=_tensor_info(path.name, path), filename=filename))
        return len(self.assets) - 1

    def add_resource(self, number: int, create) -> None:
        """A node for a resource that a trace makes."""
        self._values[number] = self._call(create, [], [])

    def add_initializer(self, concrete, bound: list[int]) -> None:
        """A trace that runs before the model is used."""
        paths = {}
        for number in set(bound) & self._asset_paths.keys():
            holder, kept = self._asset_paths[number]
            with self._graph.as_default(), control_dependencies([kept]):
                read = raw("ReadVariableOp")(resource=holder, dtype="string", name="asset_path/Read")
            paths[number] = read.op.name
        self._initializers.append(self._call(concrete, [], bound, paths))

    def _call(self, concrete, inputs: list[str], bound: list[int], instead: dict[int, str] | None = None) -> str:
        """A node that calls a trace; returns its name.

        Args:
          concrete: ConcreteFunction.
          inputs: the names of the nodes that give its arguments.
          bound: the numbers of the objects that it captures.
          instead: nodes for some of these in the place of those that all others take.
        """
        values = {**self._values, **(instead or {})}
        name = "StatefulPartitionedCall" + (f"_{len(self._calls)}" if self._calls else "")
        names = [*inputs, *(values[number] for number in bound)]
        signature = decoded("FunctionDef", self._functions[concrete.name.decode()]).signature
        in_types, out_types = ([one.type for one in args] for args in (signature.input_arg, signature.output_arg))
        self._calls.append(call_node(name, concrete.name.decode(), names, in_types, out_types))
        return name

    def add_signature(self, key: str, concrete, bound: list[int]) -> None:
        """The nodes of a signature."""
        names = argument_keywords(concrete)
        with self._graph.as_default():
            inputs = [
                raw("Placeholder")(dtype=tensor.dtype, shape=tensor.shape, name=_node_name(f"{key}_{name}"))
                for name, tensor in zip(names, given_inputs(concrete), strict=True)
            ]
        call = self._call(concrete, [node.op.name for node in inputs], bound)
        outputs, done = {}, 0
        for name, result in sorted(concrete.structured_outputs.items()):
            spec = result if isinstance(result, TypeSpec) else type_spec_from_value(result)
            count = len(nest.flatten(spec, expand_composites=True))
            parts = [_tensor_info(f"{call}:{i}", concrete.outputs[i]) for i in range(done, done + count)]
            outputs[name] = _info_of_parts(spec, parts)
            done += count
        self.signatures[key] = Record(
            "SignatureDef",
            inputs={name: _tensor_info(node.name, node) for name, node in zip(names, inputs, strict=True)},
            outputs=outputs,
            method_name=PREDICT,
        )

    def add_function(self, concrete) -> list[str]:
        """Adds a trace to the library, with the functions that it calls; returns the names of its arguments there."""
        # As others call it: with the constants that it captures among its arguments.
        def caller(*args):
            default_graph().set_captures_others(True)  # those that a gradient function captures
            return concrete._call_flat(list(args))

        specs = [TensorSpec(tensor.shape, tensor.dtype) for tensor in given_inputs(concrete)]
        graph = traced_function(caller, autograph=False).get_concrete_function(*specs).graph
        for function in graph.as_graph_def().library.function:
            strip_defaults(function.node_def)
            self._functions.setdefault(function.signature.name, function.SerializeToString())
        for gradient in gradients_in(graph):
            self.gradients.setdefault(gradient.name, gradient)
        return self.arguments(concrete.name.decode())

    def arguments(self, function: str) -> list[str]:
        """The names of the arguments of a function in the library."""
        return [one.name for one in decoded("FunctionDef", self._functions[function]).signature.input_arg]

    def register_gradient(self, name: str, function: str) -> None:
        """Says that a function of the library is the gradient of the nodes that name it."""
        self._registered.append(Record("RegisteredGradient", gradient_func=function, registered_op_type=name))

    def _add_saver(self) -> None:
        """Nodes that write and read a checkpoint."""
        keys = [key for _, _, key in self._variables]
        types = [variable.dtype for _, variable, _ in self._variables]
        whole = [""] * len(keys)
        saves, restores = [], []
        with self._graph.as_default():
            filename = raw("Placeholder")(dtype="string", shape=[], name="saver_filename")
            if keys:
                handles = [handle for handle, _, _ in self._variables]
                values = [
                    raw("ReadVariableOp")(resource=h, dtype=dtype) for h, dtype in zip(handles, types, strict=True)
                ]
                saves = [raw("SaveV2")(prefix=filename, tensor_names=keys, shape_and_slices=whole, tensors=values)]
                restored = raw("RestoreV2")(prefix=filename, tensor_names=keys, shape_and_slices=whole, dtypes=types)
                restores = [
                    raw("AssignVariableOp")(resource=h, value=value) for h, value in zip(handles, restored, strict=True)
                ]
            with control_dependencies(saves):
                saved = raw("Identity")(input=filename, name="saver_identity")
            with control_dependencies(restores):
                restore = raw("NoOp")(name="saver_restore_all")
        self.saver = Record(
            "SaverDef",
            filename_tensor_name=filename.name,
            save_tensor_name=saved.name,
            restore_op_name=restore.name,
            version=2,
        )

    def graph_def(self) -> bytes:
        """The GraphDef's bytes, with all functions."""
        self._add_saver()
        done = Record("NodeDef", name="init", op="NoOp", input=[f"^{name}" for name in self._initializers])
        unknown = Record("TensorInfo", name=done.name, dtype=0, tensor_shape=UNKNOWN_SHAPE)
        self.signatures[INIT_KEY] = Record("SignatureDef", outputs={INIT_KEY: unknown})
        # Messages that follow each other are merged: these nodes and functions join those of the graph.
        more = encoded(Record("GraphDef", node=[*self._calls, done]))
        library = b"".join(delimited(1, data) for _, data in sorted(self._functions.items()))
        library += encoded(Record("FunctionDefLibrary", registered_gradients=self._registered))
        graph = self._graph.as_graph_def()
        strip_defaults(graph.node)
        return graph.SerializeToString() + more + delimited(2, library)
