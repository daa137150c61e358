// Heap types from tables.
#include "bind/class_table.h"

#include <structmember.h>

#include <cstddef>
#include <vector>

namespace tracefn::bind {
namespace {

PyMemberDef class_table_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Boxed<char>, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

}  // namespace

PyTypeObject* add_class(PyObject* module, const char* name, const char* doc, std::size_t size, destructor dealloc,
                        std::initializer_list<PyType_Slot> slots) {
  std::vector<PyType_Slot> all(slots);
  bool is_made_by_calls = false;
  for (const PyType_Slot& slot : slots) is_made_by_calls |= slot.slot == Py_tp_new;
  all.push_back({Py_tp_doc, const_cast<char*>(doc)});
  all.push_back({Py_tp_dealloc, reinterpret_cast<void*>(dealloc)});
  all.push_back({Py_tp_members, class_table_members});
  all.push_back({0, nullptr});
  unsigned flags = Py_TPFLAGS_DEFAULT | (is_made_by_calls ? Py_TPFLAGS_BASETYPE : Py_TPFLAGS_DISALLOW_INSTANTIATION);
  PyType_Spec spec = {name, static_cast<int>(size), 0, flags, all.data()};
  PyObject* type = checked(PyType_FromSpec(&spec));
  checked(PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type)));
  return reinterpret_cast<PyTypeObject*>(type);
}

void free_object(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

}  // namespace tracefn::bind
