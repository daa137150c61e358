// HostValue on the CPython API. Each method takes the GIL, for the core calls them on any thread.
#include "bind/structure/host_value.h"

#include <cmath>

#include "bind/gil.h"
#include "bind/structure/types.h"

namespace tracefn::bind {
namespace {

std::string text_of(PyObject* new_text) {
  PyRef text = owned(new_text);
  Py_ssize_t size;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text.get(), &size);
  if (!utf8) throw_python_error();
  return std::string(utf8, static_cast<std::size_t>(size));
}

// Python hashes NaN by address; here all NaNs are one value (tracing rule 33).
bool is_nan(PyObject* value) {
  if (PyFloat_Check(value)) return std::isnan(PyFloat_AS_DOUBLE(value));
  if (!PyComplex_Check(value)) return false;
  return std::isnan(PyComplex_RealAsDouble(value)) || std::isnan(PyComplex_ImagAsDouble(value));
}

std::size_t hash_of(PyObject* value) {
  constexpr std::size_t kHashOfNan = 0x7ff8;
  if (is_nan(value)) return kHashOfNan;
  Py_hash_t hash = PyObject_Hash(value);
  if (hash == -1) throw_python_error();
  return static_cast<std::size_t>(hash);
}

bool equal(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (is_nan(a) && is_nan(b)) return true;
  return checked(PyObject_RichCompareBool(a, b, Py_EQ)) != 0;
}

// Shared by the three kinds. `Base` is HostValue or HostTypeValue.
template <typename Base>
class Held : public Base {
 public:
  Held(PyRef held, std::size_t hash, bool weak) : held_(std::move(held)), hash_(hash), weak_(weak) {}
  ~Held() override {
    if (Py_IsInitialized()) {
      const EnsuredGil gil;
      held_ = PyRef();
    } else {
      held_.release();  // too late to free it
    }
  }

  PyRef object() const { return weak_ ? weak_target(held_.get()) : PyRef::borrow(held_.get()); }

  std::size_t hash() const override { return hash_; }
  bool equals(const HostValue& other) const override {
    const EnsuredGil gil;
    if (hash_ != other.hash()) return false;
    PyRef mine = object(), theirs = static_cast<const Held&>(other).object();
    return mine && theirs && equal(mine.get(), theirs.get());
  }
  bool less(const HostValue& other) const override {
    const EnsuredGil gil;
    PyRef mine = object(), theirs = static_cast<const Held&>(other).object();
    return checked(PyObject_RichCompareBool(mine.get(), theirs.get(), Py_LT)) != 0;
  }
  std::string repr() const override {
    const EnsuredGil gil;
    PyRef value = object();
    return value ? text_of(PyObject_Repr(value.get())) : text_of(PyObject_Repr(held_.get()));
  }
  // A range reaches the traced function as a list.
  std::string str() const override {
    const EnsuredGil gil;
    PyRef value = object();
    if (!value) return text_of(PyObject_Repr(held_.get()));
    if (!PyRange_Check(value.get())) return text_of(PyObject_Str(value.get()));
    PyRef list = owned(PySequence_List(value.get()));
    return text_of(PyObject_Str(list.get()));
  }
  std::string reference_text() const override {
    const EnsuredGil gil;
    return text_of(PyObject_Repr(held_.get()));
  }
  bool alive() const override {
    const EnsuredGil gil;
    return static_cast<bool>(object());
  }

 private:
  PyRef held_;  // the object, or its weak reference
  std::size_t hash_;
  bool weak_;
};

using PyValue = Held<HostValue>;

class PyTypeValue final : public Held<HostTypeValue> {
 public:
  using Held::Held;

  bool is_subtype_of(const HostTypeValue& other) const override {
    const EnsuredGil gil;
    PyRef theirs = object_of(other);
    PyRef answer = owned(PyObject_CallMethod(object().get(), "is_subtype_of", "(O)", theirs.get()));
    return checked(PyObject_IsTrue(answer.get())) != 0;
  }
  TraceTypePtr most_specific_common_supertype(const HostTypeValue& other) const override {
    const EnsuredGil gil;
    PyRef others = owned(PyList_New(1));
    PyList_SET_ITEM(others.get(), 0, object_of(other).release());
    PyRef joined = owned(PyObject_CallMethod(object().get(), "most_specific_common_supertype", "(O)", others.get()));
    return joined.get() == Py_None ? TraceTypePtr() : trace_type_from_python(joined.get());
  }
};

}  // namespace

HostValuePtr hold_strongly(PyObject* value) {
  std::size_t hash = hash_of(value);
  return make_ref<PyValue>(PyRef::borrow(value), hash, false);
}

HostValuePtr hold_unhashed(PyObject* value) { return make_ref<PyValue>(PyRef::borrow(value), 0, false); }

HostValuePtr hold_weakly(PyObject* object) {
  PyRef reference = PyRef::steal(PyWeakref_NewRef(object, nullptr));
  if (!reference) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw_python_error();
    PyErr_Clear();
    return {};
  }
  std::size_t hash = hash_of(object);
  return make_ref<PyValue>(std::move(reference), hash, true);
}

Ref<const HostTypeValue> hold_type(PyObject* type) {
  std::size_t hash = hash_of(type);
  return make_ref<PyTypeValue>(PyRef::borrow(type), hash, false);
}

PyRef object_of(const HostValue& value) { return static_cast<const PyValue&>(value).object(); }
PyRef object_of(const HostTypeValue& type) { return static_cast<const PyTypeValue&>(type).object(); }

}  // namespace tracefn::bind
