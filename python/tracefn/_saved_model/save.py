"""`tf.saved_model.save`."""

from __future__ import annotations

import os
import re
from typing import Any, NoReturn

from tracefn import _core
from tracefn._checkpoint.graph_view import Walk
from tracefn._checkpoint.object_graph import VARIABLE_VALUE, attribute_key
from tracefn._checkpoint.writing import Writer
from tracefn._saved_model import function_records as functions
from tracefn._saved_model import signatures as signature_functions
from tracefn._saved_model.assets import asset_name, copy_assets
from tracefn._saved_model.context import save_context
from tracefn._saved_model.export_graph import ExportGraph
from tracefn._saved_model.fingerprints import fingerprint_of
from tracefn._saved_model.messages import Record, encoded
from tracefn._saved_model.node_gradients import CapturedTensor, NodeGradient, warn_unsaved
from tracefn._saved_model.options import SaveOptions
from tracefn._saved_model.resources import is_resource, made_by
from tracefn._saved_model.view import Children, ConcreteFunction, Function, SavedObjects, SavedView, identity, traces
from tracefn._static_value import get_static_value
from tracefn._structured_value import shape_proto
from tracefn._tracking.asset import Asset
from tracefn._tracking.base import Trackable, is_trackable
from tracefn._tracking.lists import List
from tracefn._tracking.mappings import Mapping, _DictWrapper
from tracefn._tracking.tuples import _TupleWrapper
from tracefn.framework import init_scope, inside_function
from tracefn.ops.gfile import makedirs
from tracefn.variable import Variable

SCHEMA_VERSION = 1
SERVING = "serve"
VERSION = "2.21.0"  # of TensorFlow, whose format it is


def variable_of(value):
    """The Variable that an object is, or that it stands for as Keras's Variables do; else None."""
    if isinstance(value, Variable):
        return value
    if hasattr(type(value), "_write_object_proto"):
        inner = getattr(value, "value", None)
        return inner if isinstance(inner, Variable) else None
    return None


def identifier_of(value) -> str:
    """What kind of object a loaded model makes of it."""
    kinds: dict[str, Any] = {
        "signature_map": signature_functions.SignatureMap,
        "trackable_tuple_wrapper": _TupleWrapper,
        "trackable_dict_wrapper": (_DictWrapper, Mapping),
        "trackable_list_wrapper": List,
    }
    for name, kind in kinds.items():
        if isinstance(value, kind):
            return name
    return getattr(value, "_object_identifier", None) or "_generic_user_object"


def argument_name(tensor_name: str) -> str:
    """The name that an input has among the arguments of its function in a GraphDef."""
    return re.sub(r"[^a-z0-9_]", "_", tensor_name.partition(":")[0].lower())


class _Saving:
    """One call of `save`: numbers of objects, and what functions capture."""

    def __init__(self, root, signatures, options: SaveOptions) -> None:
        self._root = root
        self._options = options
        self._graph = ExportGraph()
        self._children = children = Children()
        if signatures is None:
            signatures = signature_functions.function_to_export(root, children)
        given = signature_functions.canonical(signatures)
        signature_functions.refuse_other_signatures(root, children)
        signature_map = signature_functions.SignatureMap()
        for name, concrete in given.items():
            signature_map._add_signature(name, concrete)
        self._signatures = given
        self._view = SavedObjects(root, {"signatures": signature_map}, children)
        self._by_resource: dict[int, int] = {}
        self._constants: dict[tuple, int] = {}
        self._concretes: dict[str, tuple] = {}
        self._records: list[Record] = []
        self._asset_numbers: dict[int, int] = {}
        self._tensors: dict = {}  # what gradient functions capture of the graphs that they are for, by reference
        self._assets: dict[str, str] = {}  # the paths of files by their names in the model

    @property
    def view(self) -> SavedObjects:
        """The objects that are saved."""
        return self._view

    def run(self, directory: str, with_values: bool = True) -> None:
        """Writes the files; the values of Variables are one of them."""
        view = SavedView(self._root, self._children)
        walk = Walk(view)
        keys = {
            identity(one): attribute_key(path, VARIABLE_VALUE)
            for one, path in zip(walk.objects, walk.paths, strict=True)
        }
        self._place_resources(keys)
        self._collect_functions()
        for number, value in enumerate(self._view.objects):
            self._records.append(self._record(number, value))
        self._add_initializers()
        self._add_slots(walk)
        for name, concrete in self._signatures.items():
            self._graph.add_signature(name, concrete, self._concretes[concrete.name.decode()][1])
        message = self._message()
        makedirs(directory)
        copy_assets(self._assets, directory)
        if with_values:
            makedirs(os.path.join(directory, "variables"))
            Writer(view).write(os.path.join(directory, "variables", "variables"))
        data = encoded(message)
        with open(os.path.join(directory, "saved_model.pb"), "wb") as file:
            file.write(data)
        with open(os.path.join(directory, "fingerprint.pb"), "wb") as file:
            file.write(encoded(fingerprint_of(message, data, directory)))

    def _place_resources(self, keys: dict) -> None:
        """Nodes of the graph for what functions may capture."""
        for number, value in enumerate(self._view.objects):
            variable = variable_of(value)
            if variable is not None:
                self._by_resource.setdefault(_core.resource_key(variable.handle), number)
                self._graph.add_variable(number, variable, keys.get(identity(value), ""), self._device_of(variable))
            elif isinstance(value, Asset):
                self._asset_numbers[number] = self._graph.add_asset(number, asset_name(value.path, self._assets))
                self._constants["string", (), repr(value.static_path)] = number
            elif is_resource(value):
                # The initializer of a model of TensorFlow 1 has none.
                if value.resource_handle.dtype.name in ("resource", "variant"):
                    self._by_resource.setdefault(_core.resource_key(value.resource_handle), number)
                self._graph.add_function(self._create(number))
                self._graph.add_resource(number, self._create(number))

    def _device_of(self, variable) -> str:
        """The device that the model says a Variable is on; "" if its options leave that to whoever loads it."""
        return variable.device if self._options.experimental_variable_policy._save_variable_devices() else ""

    def _create(self, number: int):
        """The function that makes a resource."""
        return self._view.objects[self._view.children[number]["_create_resource"]]

    def _collect_functions(self) -> None:
        # Constants that functions capture become further objects.
        for value in list(self._view.objects):
            if isinstance(value, ConcreteFunction):
                self._concretes[value.name.decode()] = value, self._bound(value)

        if self._options.experimental_custom_gradients:
            self._collect_gradients()

    def _collect_gradients(self) -> None:
        """The gradient functions of nodes become functions of the model; their nodes may have some, too."""
        done: set = set()
        while waiting := [one for name, one in self._graph.gradients.items() if name not in done]:
            for gradient in waiting:
                done.add(gradient.name)
                concrete = gradient.traced()
                if concrete is not None:
                    self._add_gradient(gradient, concrete)

    def _add_gradient(self, gradient: NodeGradient, concrete) -> None:
        for tensor in concrete.captured_inputs:
            if isinstance(tensor, _core.SymbolicTensor):
                captured = gradient.captured(tensor, argument_name, self._graph.arguments(gradient.function))
                if captured is None:
                    warn_unsaved(gradient, tensor)
                    return
                self._tensors[tensor.ref()] = captured
        self._concretes[concrete.name.decode()] = concrete, self._bound(concrete)
        self._graph.register_gradient(gradient.name, concrete.name.decode())

    def _add_initializers(self) -> None:
        for value in self._view.objects:
            if is_resource(value):
                children = self._view.children[self._view.number(value)]
                if "_initialize" in children:
                    concrete = self._view.objects[children["_initialize"]]
                    self._graph.add_initializer(*self._concretes[concrete.name.decode()])

    def _bound(self, concrete) -> list[int]:
        """The numbers of the objects that a trace captures and takes as arguments: small constants are in its graph."""
        names = self._graph.add_function(concrete)[len(functions.given_inputs(concrete)) :]
        captured = concrete.captured_inputs
        internal = concrete.inputs[len(concrete.inputs) - len(captured) :]
        known = {argument_name(inner.name): (outer, inner) for outer, inner in zip(captured, internal, strict=True)}
        return [self._captured(concrete, *known[name]) for name in names]

    def _captured(self, concrete, external, internal) -> int:
        if isinstance(external, _core.SymbolicTensor) and external.ref() in self._tensors:
            tensor = self._tensors[external.ref()]
            if tensor not in self._constants:
                self._constants[tensor] = self._view.add(tensor)
            return self._constants[tensor]
        if external.dtype.name in ("resource", "variant"):
            number = self._by_resource.get(_core.resource_key(external))
            if number is not None:
                return number
            self._refuse(concrete, external, internal)
        if not isinstance(external, _core.EagerTensor):  # a constant of a graph of TensorFlow 1
            known = get_static_value(external)
            if known is None:
                self._refuse(concrete, external, internal)
            with init_scope(), _core.TargetContext(None):
                external = _core.convert_to_tensor(known, dtype=external.dtype)
        value = external.numpy()
        shape = tuple(external.shape.as_list())
        key = (
            external.dtype.name,
            shape,
            repr(value.tolist() if shape else value) if external.dtype.name == "string" else value.tobytes(),
        )
        if key not in self._constants:
            self._constants[key] = self._view.add(external)
        return self._constants[key]

    def _refuse(self, concrete, external, internal) -> NoReturn:
        holder = None
        if external.dtype.name == "resource":
            key = _core.resource_key(external)
            variables = (one for one in concrete.variables if _core.resource_key(one.handle) == key)
            holder = next(variables, None) or made_by(external)
        raise AssertionError(
            "Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. tf.Variable) captured "
            "by functions must be 'tracked' by assigning them to an attribute of a tracked object or assigned to an attribute of "
            "the main object directly. See the information below:"
            f"\n\tFunction name = {concrete.name!r}"
            f"\n\tCaptured Tensor = {external!r}"
            f"\n\tTrackable referencing this tensor = {holder!r}"
            f"\n\tInternal Tensor = {internal}"
        )

    def _record(self, number: int, value) -> Record:
        """What the model says of one object."""
        record = Record("SavedObject")
        record.children = [
            Record("ObjectReference", node_id=child, local_name=name)
            for name, child in self._view.children[number].items()
        ]
        variable = variable_of(value)
        if variable is not None:
            record.variable = Record(
                "SavedVariable",
                dtype=variable.dtype.as_datatype_enum,
                shape=shape_proto(variable.shape),
                trainable=bool(variable.trainable),
                synchronization=variable.synchronization.value,
                aggregation=variable.aggregation.value,
                name=variable.name.partition(":")[0],
                device=self._device_of(variable),
            )
        elif isinstance(value, Function):
            record.function = Record(
                "SavedFunction",
                concrete_functions=[concrete.name.decode() for concrete in traces(value)],
                function_spec=functions.function_spec(value),
            )
        elif isinstance(value, ConcreteFunction):
            record.bare_concrete_function = functions.bare_concrete_function(value)
        elif isinstance(value, CapturedTensor):
            record.captured_tensor = Record(
                "CapturedTensor", name=value.name, concrete_function=value.concrete_function
            )
        elif isinstance(value, _core.Tensor):
            record.constant = Record("SavedConstant", operation=self._graph.add_constant(number, value))
        elif isinstance(value, Asset):
            record.asset = Record("SavedAsset", asset_file_def_index=self._asset_numbers[number])
        elif is_resource(value):
            record.resource = Record("SavedResource", device="")
        else:
            record.user_object = Record(
                "SavedUserObject",
                identifier=identifier_of(value),
                version=Record("VersionDef", producer=1, min_consumer=1),
            )
        return record

    def _add_slots(self, walk: Walk) -> None:
        """What optimizers keep for Variables."""
        for value, node in zip(walk.objects, walk.graph.nodes, strict=True):
            for slot in node.slot_variables:
                variable, kept = walk.objects[slot.original_variable_node_id], walk.objects[slot.slot_variable_node_id]
                if not (self._view.has(value) and self._view.has(variable)):
                    continue
                if not self._view.has(kept):
                    number = self._view.add(kept)
                    self._records.append(self._record(number, kept))
                self._records[self._view.number(value)].slot_variables.append(
                    Record(
                        "SlotVariableReference",
                        original_variable_node_id=self._view.number(variable),
                        slot_name=slot.slot_name,
                        slot_variable_node_id=self._view.number(kept),
                    )
                )

    def _message(self) -> Record:
        objects = Record("SavedObjectGraph", nodes=self._records)
        objects.concrete_functions = {
            name: functions.concrete_function(concrete, bound) for name, (concrete, bound) in self._concretes.items()
        }
        aliases = {}
        for alias, function in self._options.function_aliases.items():
            names = [
                concrete.name.decode()
                for concrete in (traces(function) if isinstance(function, Function) else [function])
            ]
            aliases.update({name: alias for name in names if name in self._concretes})
        info = Record(
            "MetaInfoDef",
            tags=sorted({SERVING, *(self._options.extra_tags or ())}),
            tensorflow_version=VERSION,
            tensorflow_git_version="unknown",
            stripped_default_attrs=True,
            function_aliases=aliases,
        )
        graph = Record("MetaGraphDef", meta_info_def=info, graph_def=self._graph.graph_def(), object_graph_def=objects)
        graph.saver_def = self._graph.saver
        graph.signature_def = self._graph.signatures
        graph.asset_file_def = self._graph.assets
        return Record("SavedModel", saved_model_schema_version=SCHEMA_VERSION, meta_graphs=[graph])


def saved_objects(obj, export_dir, signatures, options, with_values: bool = True) -> SavedObjects:
    """Saves an object as `save` does; the objects that were saved."""
    if inside_function():
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to the outer eagerly-executed "
            "context."
        )
    if not (isinstance(obj, Trackable) or is_trackable(obj)) or isinstance(obj, type):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, for export. Got "
            f"{obj} with type {type(obj)}."
        )
    options = options or SaveOptions()
    with save_context(options):
        saving = _Saving(obj, signatures, options)
        saving.run(os.fspath(export_dir), with_values)
    return saving.view


def save(obj, export_dir, signatures=None, options=None) -> None:
    """Saves an object with its functions and Variables in TensorFlow's SavedModel format, which TensorFlow loads, too.

    Saved are the traces of each Function that is an attribute; one with an input_signature is traced for it first.

    Args:
      obj: Trackable, such as a `tf.Module`.
      export_dir: str or path, a directory, which is made.
      signatures: what `loaded.signatures` has: a Function with an input_signature or a concrete function, or a dict of these by
        name. Without it, the only such attribute of `obj`, if there is one.
      options: SaveOptions.

    Raises:
      AssertionError: a function is being traced, or a saved function uses a Variable that no object here holds.
      ValueError: `obj` is no Trackable, or a signature is no function with known inputs and tensors as results.
      NotEncodableError: an argument of a trace is a Python object that a file cannot hold.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> class Adder(tf.Module):
      ...     def __init__(self):
      ...         super().__init__()
      ...         self.amount = tf.Variable(2.0)
      ...     @tf.function(input_signature=[tf.TensorSpec([None])])
      ...     def add(self, x):
      ...         return x + self.amount
      >>> path = tempfile.mkdtemp()
      >>> tf.saved_model.save(Adder(), path)
      >>> tf.saved_model.load(path).add(tf.constant([1.0])).numpy().tolist()
      [3.0]
    """
    saved_objects(obj, export_dir, signatures, options)
