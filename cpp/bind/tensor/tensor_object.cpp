// The three tensor types: allocation, a free list for eager tensors, garbage collection and attribute access.
#include "bind/tensor/tensor_object.h"

#include <structmember.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "autodiff/backprop.h"
#include "base/check.h"
#include "bind/convert/from_python.h"
#include "bind/errors.h"
#include "bind/garbage.h"
#include "bind/living_objects.h"
#include "bind/tensor/shown_attributes.h"
#include "bind/tensor/tensor_iterator.h"
#include "bind/tensor/tensor_slots.h"

namespace tracefn::bind {

PyTypeObject* tensor_type = nullptr;
PyTypeObject* eager_tensor_type = nullptr;
PyTypeObject* symbolic_tensor_type = nullptr;
SymbolicHooks symbolic_hooks;
PyObject* (*tracing_type_hook)(PyObject*, PyObject*) = nullptr;

namespace {

// Guarded by the GIL. Objects on it are dead: no operand, no type reference.
constexpr int kFreelistSize = 64;
TensorObject* freelist[kFreelistSize];
int freelist_length = 0;

TensorObject* as_tensor(PyObject* self) { return reinterpret_cast<TensorObject*>(self); }

TensorObject* allocate(PyTypeObject* type) {
  if (type == eager_tensor_type && freelist_length > 0) {
    TensorObject* self = freelist[--freelist_length];
    PyObject_Init(reinterpret_cast<PyObject*>(self), type);
    return self;
  }
  TensorObject* self = PyObject_GC_New(TensorObject, type);
  if (!self) throw_python_error();
  return self;
}

LivingKey key_of(const Operand& symbolic) { return {symbolic.graph.get(), symbolic.value.node, symbolic.value.output}; }

void tensor_dealloc(PyObject* object) {
  TensorObject* self = as_tensor(object);
  PyTypeObject* type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (!self->operand.is_eager()) remove_living(key_of(self->operand), object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->dict);
  Py_CLEAR(self->owner);
  self->operand.~Operand();
  if (type == eager_tensor_type && freelist_length < kFreelistSize) {
    freelist[freelist_length++] = self;
  } else {
    PyObject_GC_Del(object);
  }
  Py_DECREF(type);
}

int tensor_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(as_tensor(object)->dict);
  Py_VISIT(as_tensor(object)->owner);
  return visit_owned(as_tensor(object)->operand.graph.get(), visit, arg);
}

int tensor_clear(PyObject* object) {
  Py_CLEAR(as_tensor(object)->dict);
  Py_CLEAR(as_tensor(object)->owner);
  return 0;
}

// An eager tensor can be part of a reference cycle only through its __dict__, so it is tracked once it has one.
void track_dict_owner(PyObject* object) {
  if (as_tensor(object)->dict && !PyObject_GC_IsTracked(object)) PyObject_GC_Track(object);
}

// A refused attribute without a setter has the interpreter's words for properties, which it is in TensorFlow.
int set_attribute(PyObject* object, PyObject* name, PyObject* value) {
  const int result = PyObject_GenericSetAttr(object, name, value);
  track_dict_owner(object);
  if (result == 0 || !PyErr_ExceptionMatches(PyExc_AttributeError)) return result;
  PyObject* member = _PyType_Lookup(Py_TYPE(object), name);
  if (member && Py_IS_TYPE(member, &PyGetSetDescr_Type) &&
      !reinterpret_cast<PyGetSetDescrObject*>(member)->d_getset->set)
    PyErr_Format(PyExc_AttributeError, "property '%U' of '%s' object has no %s", name, short_type_name(object).c_str(),
                 value ? "setter" : "deleter");
  return result;
}

PyObject* refuse_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyErr_Format(PyExc_TypeError, "cannot create '%.100s' instances; use tf.constant or tf.convert_to_tensor",
               type->tp_name);
  return nullptr;
}

PyMemberDef tensor_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weakrefs), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <typename F>
void* slot_function(F* function) {
  return reinterpret_cast<void*>(function);
}

void add_lifetime_slots(Slots& slots) {
  slots.push_back({Py_tp_dealloc, slot_function(tensor_dealloc)});
  slots.push_back({Py_tp_traverse, slot_function(tensor_traverse)});
  slots.push_back({Py_tp_clear, slot_function(tensor_clear)});
  slots.push_back({Py_tp_setattro, slot_function(set_attribute)});
  slots.push_back({Py_tp_new, slot_function(refuse_new)});
  slots.push_back({Py_tp_members, tensor_members});
}

PyTypeObject* make_type(const char* qualified_name, Slots& slots, PyTypeObject* base) {
  slots.push_back({0, nullptr});
  unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | (base ? 0 : Py_TPFLAGS_BASETYPE);
  PyType_Spec spec = {qualified_name, sizeof(TensorObject), 0, flags, slots.data()};
  PyRef bases = PyRef::steal(base ? checked(PyTuple_Pack(1, base)) : nullptr);
  PyObject* type = checked(PyType_FromSpecWithBases(&spec, bases.get()));
  // Without the module, so that the interpreter's messages read "'SymbolicTensor' object ...", as TensorFlow's do.
  const char* dot = std::strrchr(qualified_name, '.');
  PyRef short_name = owned(PyUnicode_FromString(dot + 1));
  checked(PyObject_SetAttrString(type, "__name__", short_name.get()));
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

PyObject* tensor_get_dict(PyObject* object, void*) {
  PyObject* dict = PyObject_GenericGetDict(object, nullptr);
  track_dict_owner(object);
  return dict;
}
int tensor_set_dict(PyObject* object, PyObject* value, void*) {
  int result = PyObject_GenericSetDict(object, value, nullptr);
  track_dict_owner(object);
  return result;
}

PyObject* wrap_apart(Operand operand) {
  TRACEFN_CHECK(operand.defined());
  // From creation, so that a tape may watch a tensor that a graph has already captured.
  if (operand.id == 0 && operand.is_eager()) operand.id = new_operand_id();
  PyRef owner;
  if (!operand.is_eager() && symbolic_hooks.owner) owner = PyRef::steal(symbolic_hooks.owner(operand));
  TensorObject* self = allocate(operand.is_eager() ? eager_tensor_type : symbolic_tensor_type);
  new (&self->operand) Operand(std::move(operand));
  self->weakrefs = nullptr;
  self->dict = nullptr;
  self->owner = owner.release();
  if (!self->operand.is_eager()) PyObject_GC_Track(reinterpret_cast<PyObject*>(self));
  return reinterpret_cast<PyObject*>(self);
}

PyObject* wrap(Operand operand) {
  if (operand.is_eager()) return wrap_apart(std::move(operand));
  const LivingKey key = key_of(operand);
  if (PyObject* living = find_living(key)) return living;
  PyObject* made = wrap_apart(std::move(operand));
  add_living(key, made);
  return made;
}

void init_tensor_object(PyObject* module) {
  Slots tensor, eager, symbolic;
  for (Slots* slots : {&tensor, &eager, &symbolic}) add_lifetime_slots(*slots);
  add_operator_slots(tensor);
  add_index_slots(tensor);
  add_text_slots(tensor);
  add_scalar_slots(tensor, eager);
  add_buffer_slots(eager);
  add_method_slots(tensor, symbolic);
  add_eager_method_slots(eager);
  tensor_type = make_type("tracefn.Tensor", tensor, nullptr);
  eager_tensor_type = make_type("tracefn._core.EagerTensor", eager, tensor_type);
  symbolic_tensor_type = make_type("tracefn._core.SymbolicTensor", symbolic, tensor_type);
  for (PyTypeObject* type : {tensor_type, eager_tensor_type, symbolic_tensor_type})
    checked(PyModule_AddObjectRef(module, type->tp_name, reinterpret_cast<PyObject*>(type)));
  // The interpreter's messages name this type as TensorFlow's, which programs' tests look for.
  eager_tensor_type->tp_name = "tensorflow.python.framework.ops.EagerTensor";
  // numpy leaves operators with arrays to the tensor, on either side.
  PyRef priority = owned(PyLong_FromLong(100));
  checked(PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), "__array_priority__", priority.get()));
  checked(PyObject_SetAttrString(reinterpret_cast<PyObject*>(tensor_type), "_USE_EQUALITY", Py_True));
  init_tensor_iterator();
  init_eager_methods(module);
  init_shown_attributes(module);
}

}  // namespace tracefn::bind
