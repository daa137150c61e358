// The structures of DLPack 1.0, declared here so that no header of theirs is needed, and the capsules around them.
#include "bind/tensor/dlpack.h"

#include <cstring>
#include <memory>
#include <vector>

#include "base/poll.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/method.h"
#include "bind/tensor/tensor_object.h"
#include "tensor/stored_types.h"

namespace tracefn::bind {
namespace {

struct Device {
  std::int32_t type;
  std::int32_t id;
};
struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct View {
  void* data;
  Device device;
  std::int32_t rank;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null when dense
  std::uint64_t byte_offset;
};
struct Managed {
  View view;
  void* context;
  void (*deleter)(Managed*);
};
struct VersionedManaged {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(VersionedManaged*);
  std::uint64_t flags;
  View view;
};

constexpr std::int32_t kCpu = 1;
constexpr std::uint64_t kReadOnly = 1, kIsCopied = 2;
enum Code : std::uint8_t { kInt = 0, kUInt = 1, kFloatCode = 2, kBfloat = 4, kComplex = 5, kBoolCode = 6 };
constexpr const char* kPlainName = "dltensor";
constexpr const char* kVersionedName = "dltensor_versioned";
constexpr const char* kUsedPlainName = "used_dltensor";
constexpr const char* kUsedVersionedName = "used_dltensor_versioned";

DataType type_of(DType dtype) {
  auto bits = static_cast<std::uint8_t>(8 * size_of(dtype));
  if (dtype == DType::kBool) return {kBoolCode, bits, 1};
  if (dtype == DType::kBFloat16) return {kBfloat, bits, 1};
  if (is_signed_integer(dtype)) return {kInt, bits, 1};
  if (is_unsigned_integer(dtype)) return {kUInt, bits, 1};
  if (is_floating(dtype)) return {kFloatCode, bits, 1};
  if (is_complex(dtype)) return {kComplex, bits, 1};
  invalid_argument(name(dtype), " is not a type that DLPack supports");
}

DType dtype_of(DataType type) {
  for (int n = 0; n < kDTypeSlots; ++n) {
    auto dtype = static_cast<DType>(n);
    if (!is_dtype(n) || !is_plain(dtype) || is_stored_only(dtype)) continue;
    DataType own = type_of(dtype);
    if (own.code == type.code && own.bits == type.bits && type.lanes == 1) return dtype;
  }
  invalid_argument("Unsupported DLPack element type: code ", int{type.code}, ", ", int{type.bits}, " bits, ",
                   type.lanes, " lanes");
}

// Owned by an exported capsule. Dropped by the consumer, on any thread.
template <typename M>
struct Export {
  M managed{};
  Tensor tensor;
  std::vector<std::int64_t> shape, strides;
};

template <typename M>
M* make_export(const Tensor& tensor) {
  auto made = std::make_unique<Export<M>>();
  made->tensor = tensor;
  made->shape.assign(tensor.shape().dims().begin(), tensor.shape().dims().end());
  made->strides.resize(made->shape.size());
  std::int64_t step = 1;
  for (std::size_t i = made->shape.size(); i-- > 0; step *= made->shape[i]) made->strides[i] = step;
  View& view = made->managed.view;
  view.data = const_cast<void*>(made->tensor.raw());
  view.device = {kCpu, 0};
  view.rank = tensor.rank();
  view.dtype = type_of(tensor.dtype());
  view.shape = made->shape.data();
  view.strides = made->strides.data();
  made->managed.context = made.get();
  made->managed.deleter = [](M* managed) { delete static_cast<Export<M>*>(managed->context); };
  return &made.release()->managed;
}

// An unconsumed capsule frees what it holds.
template <typename M>
void drop_capsule(PyObject* capsule) {
  const char* unused = std::is_same_v<M, Managed> ? kPlainName : kVersionedName;
  if (!PyCapsule_IsValid(capsule, unused)) return;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, unused));
  if (managed->deleter) managed->deleter(managed);
}

template <typename M>
PyObject* capsule_of(M* managed, const char* capsule_name) {
  PyObject* capsule = PyCapsule_New(managed, capsule_name, drop_capsule<M>);
  if (!capsule) managed->deleter(managed);
  return checked(capsule);
}

bool is_dense(const View& view, const Shape& shape) {
  if (!view.strides) return true;
  std::int64_t step = 1;
  for (int i = shape.rank(); i-- > 0;) {
    if (shape[i] != 1 && view.strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

void copy_strided(const View& view, const Shape& shape, std::size_t size, const char* from, int axis, char*& to,
                  PolledSteps& polled) {
  if (axis == shape.rank()) {
    std::memcpy(to, from, size);
    to += size;
    return polled.step();
  }
  std::ptrdiff_t step = static_cast<std::ptrdiff_t>(view.strides[axis]) * static_cast<std::ptrdiff_t>(size);
  for (std::int64_t i = 0; i < shape[axis]; ++i) copy_strided(view, shape, size, from + i * step, axis + 1, to, polled);
}

// The tensor of a view; `release` frees the view and runs exactly once in every case.
Tensor tensor_of(const View& view, std::function<void()> release) {
  struct Once {
    std::function<void()> release;
    ~Once() {
      if (release) release();
    }
  } once{std::move(release)};
  if (view.device.type != kCpu) invalid_argument("DLPack tensors on device type ", view.device.type, " cannot be read");
  DType dtype = dtype_of(view.dtype);
  if (view.rank < 0 || view.rank > kMaxRank) invalid_argument("A DLPack tensor has rank ", view.rank);
  Shape shape;
  for (int i = 0; i < view.rank; ++i) {
    if (view.shape[i] < 0) invalid_argument("A DLPack tensor has a negative dimension");
    shape.push_back(view.shape[i]);
  }
  std::int64_t n = shape.num_elements();
  if (n == 0) return Tensor(dtype, shape);
  std::size_t size = size_of(dtype);
  char* data = static_cast<char*>(view.data) + view.byte_offset;
  if (!is_dense(view, shape)) {
    Tensor out(dtype, shape);
    char* to = static_cast<char*>(out.mutable_raw());
    PolledSteps polled(4096);
    copy_strided(view, shape, size, data, 0, to, polled);
    return out;
  }
  std::size_t bytes = static_cast<std::size_t>(n) * size;
  if (reinterpret_cast<std::uintptr_t>(data) % std::min<std::size_t>(size, 8) != 0) {
    Tensor out(dtype, shape);
    copy_elements(DType::kUInt8, data, out.mutable_raw(), static_cast<std::int64_t>(bytes));
    return out;
  }
  Ref<Buffer> buffer = Buffer::adopt(data, bytes, once.release);
  once.release = nullptr;
  return Tensor(dtype, shape, std::move(buffer), data);
}

// Producers may need the GIL to free their memory; the last Ref may die on any thread.
template <typename M>
std::function<void()> releaser(M* managed) {
  return [managed] {
    if (!managed->deleter || !Py_IsInitialized()) return;
    const EnsuredGil gil;
    managed->deleter(managed);
  };
}

Tensor from_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kVersionedName)) {
    auto* managed = static_cast<VersionedManaged*>(PyCapsule_GetPointer(capsule, kVersionedName));
    if (managed->major != 1) invalid_argument("DLPack version ", managed->major, " is not known");
    checked(PyCapsule_SetName(capsule, kUsedVersionedName));
    return tensor_of(managed->view, releaser(managed));
  }
  if (PyCapsule_IsValid(capsule, kPlainName)) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kPlainName));
    checked(PyCapsule_SetName(capsule, kUsedPlainName));
    return tensor_of(managed->view, releaser(managed));
  }
  invalid_argument("DLPack tensor must be a capsule with name \"dltensor\", got \"", PyCapsule_GetName(capsule),
                   "\". Note that a DLPack tensor may be consumed at most once.");
}

PyRef ask_for_capsule(PyObject* value) {
  PyRef method = owned(PyObject_GetAttrString(value, "__dlpack__"));
  PyRef keywords = owned(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  PyRef empty = owned(PyTuple_New(0));
  PyObject* capsule = PyObject_Call(method.get(), empty.get(), keywords.get());
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {  // a producer from before version 1
    PyErr_Clear();
    capsule = PyObject_CallNoArgs(method.get());
  }
  return owned(capsule);
}

PyObject* py_to_dlpack(PyObject*, PyObject* tensor) {
  return guarded([&] {
    if (!is_eager(tensor)) fail(ErrorKind::kType, "The argument to `to_dlpack` must be a TF tensor, not Python object");
    return to_dlpack(operand_of(tensor).tensor, false, true);
  });
}
PyObject* py_from_dlpack(PyObject*, PyObject* value) {
  return guarded([&] { return wrap(Operand(from_dlpack(value))); });
}

PyMethodDef dlpack_functions[] = {
    {"to_dlpack", py_to_dlpack, METH_O,
     "to_dlpack(tf_tensor, /)\n--\n\n"
     "A DLPack capsule of a copy of an eager tensor, which its consumer may write. Pass the tensor itself to the other "
     "library's `from_dlpack` to share memory.\n\n"
     "Raises:\n"
     "  TypeError: not an eager tensor.\n"
     "  tf.errors.InvalidArgumentError: strings, resources and variants."},
    {"from_dlpack", py_from_dlpack, METH_O,
     "from_dlpack(dlcapsule, /)\n--\n\n"
     "The tensor of a DLPack capsule, or of an object with `__dlpack__`. Shares memory where it is dense; it must not "
     "be "
     "written afterwards.\n\n"
     "Raises:\n"
     "  tf.errors.InvalidArgumentError: a used capsule, a device other than the CPU, an element type without equal."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyObject* to_dlpack(const Tensor& tensor, bool versioned, bool copy) {
  type_of(tensor.dtype());
  Tensor given = copy ? tensor.copy() : tensor;
  if (!versioned) return capsule_of(make_export<Managed>(given), kPlainName);
  auto* managed = make_export<VersionedManaged>(given);
  managed->major = 1;
  managed->flags = copy ? kIsCopied : kReadOnly;
  return capsule_of(managed, kVersionedName);
}

Tensor from_dlpack(PyObject* value) {
  if (PyCapsule_CheckExact(value)) return from_capsule(value);
  PyRef capsule = ask_for_capsule(value);
  if (!PyCapsule_CheckExact(capsule.get())) fail(ErrorKind::kType, "__dlpack__ did not return a capsule");
  return from_capsule(capsule.get());
}

bool is_dlpack(PyObject* value) {
  return !PyType_Check(value) && PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(value)), "__dlpack__");
}

void init_dlpack(PyObject* module) { checked(PyModule_AddFunctions(module, dlpack_functions)); }

}  // namespace tracefn::bind
