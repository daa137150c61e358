"""`tf.saved_model.load`."""

from __future__ import annotations

import os
from functools import partial

from tracefn import _core
from tracefn._checkpoint.files import load_checkpoint
from tracefn._checkpoint.object_graph import VARIABLE_VALUE, read_object_graph
from tracefn._checkpoint.status import check_bound
from tracefn._device import device
from tracefn._paths import text_of_path
from tracefn._saved_model.messages import Record, decoded
from tracefn._saved_model.node_gradients import CapturedTensor
from tracefn._saved_model.options import LoadOptions
from tracefn._saved_model.reading import PB, TEXT, read_saved_model
from tracefn._saved_model.resources import RestoredResource
from tracefn._saved_model.restored_functions import Library, RestoredTraces, restored_function
from tracefn._saved_model.restored_gradients import register_gradients
from tracefn._saved_model.signatures import SignatureMap
from tracefn._saved_model.user_objects import UserObject, revived
from tracefn._structured_value import shape_from_proto
from tracefn._tracking.asset import Asset
from tracefn._variable.options import VariableAggregation, VariableSynchronization
from tracefn._wire import DecodeError
from tracefn.dtypes import as_dtype
from tracefn.errors import NotFoundError
from tracefn.variable import Variable

_OTHER_DEVICE = (
    "You may be trying to load on a different device from the computational device. Consider setting the "
    "`experimental_io_device` option in `tf.saved_model.LoadOptions` to the io_device such as '/job:localhost'."
)


def contains_saved_model(export_dir) -> bool:
    """Whether there is a saved model in a directory.

    Args:
      export_dir: str or path.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> tf.saved_model.contains_saved_model(tempfile.mkdtemp())
      False
    """
    directory = os.fspath(export_dir)
    return any(os.path.isfile(os.path.join(directory, name)) for name in (PB, TEXT))


def set_loader_of_graphs(find) -> None:
    """Sets what gives the function that loads models without objects."""
    global _graph_loader
    _graph_loader = find


def _graph_loader():
    raise NotImplementedError("Models without objects are loaded by `tf.saved_model.load`.")


# What functions may capture: Variables, resources, constants, files, and what gradient functions do.
_CAPTURED = (Variable, RestoredResource, _core.Tensor, CapturedTensor, Asset)


class Loading:
    """One call of `load`."""

    def __init__(self, directory: str, graph: Record, options: LoadOptions) -> None:
        self._directory = directory
        self._graph = graph
        self._options = options
        self._saved = graph.object_graph_def
        self._objects: list = [None] * len(self._saved.nodes)
        self._setters: list = [None] * len(self._saved.nodes)
        try:
            graph_def = decoded("GraphDef", graph.graph_def or b"")
            found = graph_def.library or Record("FunctionDefLibrary")
            library = Library(found.function, found.registered_gradients)
        except DecodeError as error:
            raise ValueError(f"The graph of the saved model in {directory} cannot be read: {error}") from None
        self._constants = {
            node.name: node.attr["value"].tensor
            for node in graph_def.node
            if node.op == "Const" and "value" in node.attr
        }
        self._check_references()
        specs = {}
        for node in self._saved.nodes:
            if node.bare_concrete_function is not None:
                specs[node.bare_concrete_function.concrete_function_name] = node.bare_concrete_function.function_spec
        for node in self._saved.nodes:
            if node.function is not None:
                specs.update(dict.fromkeys(node.function.concrete_functions, node.function.function_spec))
        self._held: dict[int, object] = {}
        self._traces = RestoredTraces(library, self._saved.concrete_functions, specs, partial(_captured, self._held))
        register_gradients(self._traces)

    def _check_references(self) -> None:
        count = len(self._saved.nodes)
        numbers = [reference.node_id or 0 for node in self._saved.nodes for reference in node.children]
        numbers += [slot.slot_variable_node_id or 0 for node in self._saved.nodes for slot in node.slot_variables]
        numbers += [number for one in self._saved.concrete_functions.values() for number in one.bound_inputs]
        for number in numbers:
            if not 0 <= number < count:
                raise ValueError(f"The saved model has {count} objects and refers to number {number}.")

    def run(self):
        """The root."""
        values = {} if self._options.experimental_skip_checkpoint else self._values()
        wanted = [(number, node) for number, node in enumerate(self._saved.nodes) if self._is_wanted(number)]
        for number, node in wanted:
            self._objects[number], self._setters[number] = self._made(number, node, values)
            if isinstance(self._objects[number], _CAPTURED):
                self._held[number] = self._objects[number]
        if not (self._options.allow_partial_checkpoint or self._options.experimental_skip_checkpoint):
            check_bound([self._objects[n] for n, node in wanted if node.variable is not None and n not in values])
        for number, node in wanted:
            self._add_children(number, node)
        for number, node in wanted:
            if node.resource is not None:
                self._initialize(number)
        return self._objects[0]

    def _is_wanted(self, number: int) -> bool:
        """Whether an object is loaded."""
        del number
        return True

    def aliases(self, info: Record) -> dict:
        """The functions that have other names, by these."""
        numbers = {
            name: number
            for number, node in enumerate(self._saved.nodes)
            if node.function is not None
            for name in node.function.concrete_functions
        }
        return {alias: self._objects[numbers[name]] for name, alias in info.function_aliases.items() if name in numbers}

    def _values(self) -> dict[int, object]:
        """The values of Variables by their numbers: the objects of the checkpoint have the names of the model's."""
        prefix = os.path.join(self._directory, "variables", "variables")
        try:
            reader = load_checkpoint(prefix)
        except NotFoundError as error:
            raise FileNotFoundError(f"{error}\n {_OTHER_DEVICE}") from error
        if not any(node.variable is not None for node in self._saved.nodes):
            return {}
        kept = read_object_graph(reader)
        place_of, waiting = {0: 0}, [0]
        while waiting:
            number = waiting.pop()
            node, there = self._saved.nodes[number], kept.nodes[place_of[number]]
            places = {child.local_name: child.node_id for child in there.children}
            pairs = [(reference.node_id or 0, places.get(reference.local_name)) for reference in node.children]
            slots: dict = {
                (slot.original_variable_node_id, slot.slot_name): slot.slot_variable_node_id
                for slot in there.slot_variables
            }
            pairs += [
                (
                    slot.slot_variable_node_id or 0,
                    slots.get((place_of.get(slot.original_variable_node_id or 0), slot.slot_name)),
                )
                for slot in node.slot_variables
            ]
            for child, place in pairs:
                if place is not None and child not in place_of:
                    place_of[child] = place
                    waiting.append(child)
        found = {}
        for number, place in place_of.items():
            for attribute in kept.nodes[place].attributes:
                node = self._saved.nodes[number]
                if node.variable is not None and attribute.name == VARIABLE_VALUE:
                    found[number] = reader.get_tensor(attribute.checkpoint_key)
                elif node.saveable_objects:
                    raise NotImplementedError(
                        "Saved models with tables that change are not supported: their contents are in the checkpoint."
                    )
        return found

    def _made(self, number: int, node: Record, values: dict):
        """(the object of a node, the function that gives it a child)."""
        if node.variable is not None:
            return self._variable(node.variable, values.get(number)), setattr
        if node.function is not None:
            return self._function(number, node), None
        if node.bare_concrete_function is not None:
            return node.bare_concrete_function.concrete_function_name, None
        if node.constant is not None:
            tensor = self._constants.get(node.constant.operation)
            if tensor is None:
                raise ValueError(f"The saved model has no constant {node.constant.operation!r}.")
            return _core.read_tensor(tensor), None
        if node.asset is not None:
            index = node.asset.asset_file_def_index or 0
            if index >= len(self._graph.asset_file_def):
                raise ValueError(f"The saved model has no file number {index}.")
            name = os.path.basename(self._graph.asset_file_def[index].filename or "")
            return _in_collection(Asset(os.path.join(self._directory, "assets", name))), setattr
        if node.resource is not None:
            resource = RestoredResource(number, partial(_function_of, self._traces, self._functions_among(node)))
            return resource, RestoredResource._add_trackable_child
        if node.captured_tensor is not None:
            return CapturedTensor(node.captured_tensor.name or "", node.captured_tensor.concrete_function or ""), None
        if node.user_object is not None:
            return revived(node.user_object)
        raise ValueError(f"Object number {number} of the saved model is of no known kind.")

    def _variable(self, saved: Record, value):
        dtype, shape = as_dtype(saved.dtype), shape_from_proto(saved.shape or b"")
        if value is None:
            value = _core.raw_op("Fill")(
                dims=[size or 0 for size in shape.as_list()], value=_core.convert_to_tensor(0, dtype=dtype)
            )
        policy = self._options.experimental_variable_policy
        with device(saved.device if policy._save_variable_devices() and saved.device else None):
            variable = Variable(
                value,
                trainable=bool(saved.trainable),
                name=saved.name or None,
                dtype=dtype,
                shape=shape,
                synchronization=VariableSynchronization(saved.synchronization or 0),
                aggregation=VariableAggregation(saved.aggregation or 0),
            )
        graph = _core.current_graph()
        if graph is not None and not graph.building_function:
            # Whoever loads a model into a graph decides whether it is trained there.
            trainable = graph.get_collection_ref("trainable_variables")
            trainable[:] = [one for one in trainable if one is not variable]
        return variable

    def _function(self, number: int, node: Record):
        names = node.function.concrete_functions
        for name in names:
            if name not in self._saved.concrete_functions:
                raise ValueError(f"The saved model has no function {name!r}.")
        own = next(
            (one.local_name for parent in self._saved.nodes for one in parent.children if (one.node_id or 0) == number),
            "",
        )
        return restored_function(own if own.isidentifier() else "function", self._traces, node.function)

    def _add_children(self, number: int, node: Record) -> None:
        setter = self._setters[number]
        if setter is None:
            return
        for reference in node.children:
            child_number, name = reference.node_id or 0, reference.local_name or ""
            parent, child, kind = self._objects[number], self._objects[child_number], self._saved.nodes[child_number]
            is_function = kind.bare_concrete_function is not None or kind.function is not None
            if isinstance(parent, Variable) or (isinstance(parent, RestoredResource) and is_function):
                continue  # its functions are found when they are needed
            if kind.bare_concrete_function is not None:
                child = self._traces.concrete(child)
            setter(parent, name, child)

    def _child(self, node: Record, name: str) -> int | None:
        return next((one.node_id or 0 for one in node.children if one.local_name == name), None)

    def _functions_among(self, node: Record) -> dict[str, str]:
        """The names of the traces that are children, by the names of these."""
        found = {}
        for reference in node.children:
            child = self._saved.nodes[reference.node_id or 0]
            if child.bare_concrete_function is not None:
                found[reference.local_name] = child.bare_concrete_function.concrete_function_name
            elif child.function is not None and child.function.concrete_functions:
                found[reference.local_name] = child.function.concrete_functions[0]
        return found

    def _initialize(self, number: int) -> None:
        self._held[number] = self._objects[number].resource_handle
        self._objects[number]._initialize()


def _in_collection(asset: Asset) -> Asset:
    """The asset; in a graph of TensorFlow 1 its path is in the collection of these."""
    graph = _core.current_graph()
    if graph is not None and not graph.building_function:
        graph.add_to_collection("asset_filepaths", asset.asset_path)
    return asset


# Functions of their own: what a loaded model's functions hold must not lead back to the model, so that it goes with its last
# reference.
def _captured(objects: dict, number: int):
    """The tensor that functions capture of an object, or the file; the name of one that a gradient function does."""
    value = objects.get(number)
    if isinstance(value, Variable):
        # Of a distributed Variable, the copy of the replica that runs here; in no replica, one of them.
        is_distributed = getattr(value, "is_distributed_variable", False)
        return (value._get_on_device_or_primary() if is_distributed else value).handle
    if value is None:
        raise NotImplementedError(
            f"A function of the saved model captures object number {number}, of a kind that is not supported."
        )
    return value.resource_handle if isinstance(value, RestoredResource) else value


def _function_of(traces: RestoredTraces, names: dict[str, str], name: str):
    """The trace that is a child of a resource; None without one."""
    return traces.concrete(names[name]) if name in names else None


def has_objects(model: Record) -> bool:
    """Whether a model has objects; one of TensorFlow 1 has graphs only."""
    if len(model.meta_graphs) != 1:
        return False
    objects = model.meta_graphs[0].object_graph_def
    return objects is not None and bool(objects.nodes)


def opened(export_dir, tags, model: Record | None = None) -> tuple[str, Record, Record]:
    """(the directory of a saved model, its graph, what it says of itself).

    Raises:
      ValueError: it has other tags.
      NotImplementedError: it is a model of TensorFlow 1.
    """
    directory = text_of_path(export_dir)
    model = model or read_saved_model(directory)
    if not has_objects(model):
        raise NotImplementedError(
            f"The saved model in {directory} has no objects: it is one of TensorFlow 1, of which no parts can be loaded."
        )
    graph = model.meta_graphs[0]
    info = graph.meta_info_def or Record("MetaInfoDef")
    if tags is not None:
        tags = [tags] if isinstance(tags, str) else list(tags)
        if set(tags) != set(info.tags):
            raise ValueError(
                f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {directory} has one MetaGraph with tags "
                f"{sorted(info.tags)}. You may omit the argument, pass 'None', or pass matching tags."
            )
    return directory, graph, info


def load(export_dir, tags=None, options=None):
    """Loads a saved model, of this package or of TensorFlow.

    Args:
      export_dir: str or path, its directory.
      tags: str or list of str, those of the model; None for any.
      options: LoadOptions.

    Returns:
      An object with the attributes of the one that was saved: Variables, functions, and objects with theirs. Functions call the
      traces that were saved. `signatures` has the signatures by name. That of a model of TensorFlow 1 has `signatures`,
      `variables`, `graph`, and `prune(feeds, fetches)`, as the results of `tf.compat.v1.wrap_function` have it.

    Raises:
      OSError: there is no model, or its files are missing or damaged.
      AssertionError: the checkpoint lacks the value of a Variable.
      ValueError: it has other tags, or what is in its files does not fit together.
      RuntimeError: it is a model of TensorFlow 1 without a graph of these tags.
      NotImplementedError: it uses what is not supported.

    Example:
      >>> import tempfile
      >>> import tracefn as tf
      >>> module, path = tf.Module(), tempfile.mkdtemp()
      >>> module.double = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([None])])
      >>> tf.saved_model.save(module, path)
      >>> loaded = tf.saved_model.load(path)
      >>> loaded.double(tf.constant([1.0, 2.0])).numpy().tolist(), list(loaded.signatures)
      ([2.0, 4.0], ['serving_default'])
    """
    options = options or LoadOptions()
    model = read_saved_model(export_dir)
    if not has_objects(model):
        return _graph_loader()(text_of_path(export_dir), model, tags, options)
    directory, graph, info = opened(export_dir, tags, model)
    try:
        loading = Loading(directory, graph, options)
        root = loading.run()
        aliases = loading.aliases(info) if options.experimental_load_function_aliases else {}
    except DecodeError as error:
        raise ValueError(f"The saved model in {directory} cannot be read: {error}") from None
    if isinstance(root, UserObject):
        root.tensorflow_version = info.tensorflow_version
        root.tensorflow_git_version = info.tensorflow_git_version
        root.graph_debug_info = None
        if options.experimental_load_function_aliases:
            root.function_aliases = aliases
        if not hasattr(root, "signatures"):
            root.signatures = SignatureMap()
    return root
