// Maps error kinds to Python classes, and stores Python exceptions.
#include "bind/errors.h"

#include <cxxabi.h>

#include <new>
#include <string_view>

#include "bind/gil.h"
#include "ops/emit.h"

namespace tracefn::bind {
namespace {

const char* status_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCancelled:
      return "CancelledError";
    case ErrorKind::kInvalidArgument:
      return "InvalidArgumentError";
    case ErrorKind::kDeadlineExceeded:
      return "DeadlineExceededError";
    case ErrorKind::kNotFound:
      return "NotFoundError";
    case ErrorKind::kAlreadyExists:
      return "AlreadyExistsError";
    case ErrorKind::kPermissionDenied:
      return "PermissionDeniedError";
    case ErrorKind::kResourceExhausted:
      return "ResourceExhaustedError";
    case ErrorKind::kFailedPrecondition:
      return "FailedPreconditionError";
    case ErrorKind::kAborted:
      return "AbortedError";
    case ErrorKind::kOutOfRange:
      return "OutOfRangeError";
    case ErrorKind::kUnimplemented:
      return "UnimplementedError";
    case ErrorKind::kInternal:
      return "InternalError";
    case ErrorKind::kUnavailable:
      return "UnavailableError";
    case ErrorKind::kDataLoss:
      return "DataLossError";
    case ErrorKind::kUnauthenticated:
      return "UnauthenticatedError";
    default:
      return "UnknownError";
  }
}

// Null for the kinds that are classes of tracefn.errors.
PyObject* builtin_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kType:
      return PyExc_TypeError;
    case ErrorKind::kValue:
      return PyExc_ValueError;
    case ErrorKind::kIndex:
      return PyExc_IndexError;
    case ErrorKind::kKey:
      return PyExc_KeyError;
    case ErrorKind::kLookup:
      return PyExc_LookupError;
    case ErrorKind::kAttribute:
      return PyExc_AttributeError;
    case ErrorKind::kOverflow:
      return PyExc_OverflowError;
    case ErrorKind::kRuntime:
      return PyExc_RuntimeError;
    case ErrorKind::kNotImplemented:
      return PyExc_NotImplementedError;
    case ErrorKind::kImport:
      return PyExc_ImportError;
    case ErrorKind::kKeyboardInterrupt:
      return PyExc_KeyboardInterrupt;
    default:
      return nullptr;
  }
}

// Messages may contain bytes of a user's strings: invalid UTF-8 is escaped.
PyObject* text_of(const std::string& message) {
  return PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace");
}

// The prefixes of messages for which `_advice` may explain a cause in the user's program.
bool is_advised(const Error& error) {
  if (error.kind() != ErrorKind::kType && error.kind() != ErrorKind::kValue &&
      error.kind() != ErrorKind::kInvalidArgument)
    return false;
  std::string_view text = error.message();
  for (std::string_view head :
       {"None values not supported", "Tried to convert", "Attempt to convert a value (None)", "cannot compute ",
        "Expected ", "Cannot convert ", "Value for attr ", "Tensor conversion requested ",
        "'tensorflow.python.framework.ops.EagerTensor' object does", "{{function_node", "The truth value of an array",
        "Only integers, slices", "Length for attr 'output_types'"})
    if (text.starts_with(head)) return true;
  return false;
}

// The message of an eager op with advice appended, if any. A failure while searching for advice must not hide the error
// itself.
PyObject* with_advice(PyObject* message) {
  PyRef module = PyRef::steal(PyImport_ImportModule("tracefn._advice.errors"));
  PyRef advice = PyRef::steal(module ? PyObject_CallMethod(module.get(), "of_eager", "(O)", message) : nullptr);
  if (advice) return PyUnicode_Concat(message, advice.get());
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return nullptr;
  if (PyErr_ExceptionMatches(PyExc_RecursionError) || PyErr_ExceptionMatches(PyExc_MemoryError))
    PyErr_Clear();
  else
    PyErr_WriteUnraisable(nullptr);
  return Py_NewRef(message);
}

// A new exception object, or null with the error of its creation set.
PyObject* make_exception(const Error& error) {
  PyRef message = PyRef::steal(text_of(error.message()));
  if (!message) return nullptr;
  if (is_advised(error) && current_target().is_eager()) message = PyRef::steal(with_advice(message.get()));
  if (!message) return nullptr;
  if (PyObject* type = builtin_class(error.kind())) return PyObject_CallOneArg(type, message.get());
  PyRef errors = PyRef::steal(PyImport_ImportModule("tracefn.errors"));
  if (!errors) return nullptr;
  if (is_status(error.kind())) {
    PyRef type = PyRef::steal(PyObject_GetAttrString(errors.get(), status_class(error.kind())));
    if (!type) return nullptr;
    return PyObject_CallFunctionObjArgs(type.get(), Py_None, Py_None, message.get(), nullptr);
  }
  const char* name =
      error.kind() == ErrorKind::kInaccessibleTensor ? "InaccessibleTensorError" : "OperatorNotAllowedInGraphError";
  PyRef type = PyRef::steal(PyObject_GetAttrString(errors.get(), name));
  return type ? PyObject_CallOneArg(type.get(), message.get()) : nullptr;
}

void set_from(const Error& error) {
  auto* cause = static_cast<PyObject*>(error.cause().get());
  if (cause && error.reraise()) {
    // Keeps the existing traceback; the interpreter adds this frame's.
    PyRef traceback = PyRef::steal(PyException_GetTraceback(cause));
    Py_INCREF(Py_TYPE(cause));
    Py_INCREF(cause);
    PyErr_Restore(reinterpret_cast<PyObject*>(Py_TYPE(cause)), cause, traceback.release());
    return;
  }
  PyRef exception = PyRef::steal(make_exception(error));
  if (!exception) return;
  if (cause) {
    Py_INCREF(cause);
    PyException_SetCause(exception.get(), cause);
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
}

bool (*foreign_errors)(const std::exception&) = nullptr;

// The current exception as one normalized object with its traceback; clears the indicator.
PyObject* take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return PyErr_GetRaisedException();
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value && traceback) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value;
#endif
}

}  // namespace

bool is_type_or_value_error(const Error& error) {
  auto* exception = static_cast<PyObject*>(error.cause().get());
  if (!error.reraise() || !exception) return error.kind() == ErrorKind::kType || error.kind() == ErrorKind::kValue;
  return PyErr_GivenExceptionMatches(exception, PyExc_TypeError) ||
         PyErr_GivenExceptionMatches(exception, PyExc_ValueError);
}

void set_python_error(const std::exception& error) noexcept {
  if (auto* e = dynamic_cast<const Error*>(&error)) {
    set_from(*e);
  } else if (foreign_errors && foreign_errors(error)) {
    return;
  } else if (dynamic_cast<const std::bad_alloc*>(&error)) {
    PyErr_NoMemory();
  } else {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void set_python_error_from_current() noexcept {
  try {
    throw;
  } catch (std::exception& e) {
    set_python_error(e);
  } catch (const abi::__forced_unwind&) {
    block_forever();  // Python ends the thread; see bind/gil.h
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "an unknown C++ exception reached Python");
  }
}

std::shared_ptr<void> hold(PyObject* object) {
  Py_INCREF(object);
  return std::shared_ptr<void>(object, [](void* held) {
    if (!Py_IsInitialized()) return;  // too late to free it
    const EnsuredGil gil;
    Py_DECREF(static_cast<PyObject*>(held));
  });
}

Error error_of(PyObject* exception) {
  PyRef text = PyRef::steal(PyObject_Str(exception));
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!utf8) PyErr_Clear();  // an exception without text is still raised as it is
  bool interrupt = PyErr_GivenExceptionMatches(exception, PyExc_KeyboardInterrupt);
  Error error(interrupt ? ErrorKind::kKeyboardInterrupt : ErrorKind::kUnknown,
              concat(Py_TYPE(exception)->tp_name, ": ", utf8 ? utf8 : ""));
  error.set_cause(hold(exception));
  error.set_reraise(true);
  return error;
}

void throw_python_error() {
  PyRef exception = PyRef::steal(take_exception());
  if (!exception) fail(ErrorKind::kInternal, "a Python call failed without setting an exception");
  throw error_of(exception.get());
}

void drop_ordinary_error() {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw_python_error();
  PyErr_Clear();
}

void throw_interrupt() {
  try {
    throw_python_error();
  } catch (const Error& e) {
    Error error(ErrorKind::kKeyboardInterrupt, e.message());
    error.set_cause(e.cause());
    error.set_reraise(true);
    throw error;
  }
}

void set_foreign_errors(bool (*set_python_error)(const std::exception&)) { foreign_errors = set_python_error; }

}  // namespace tracefn::bind
