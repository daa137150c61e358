// The buffer protocol of eager tensors: read-only views that hold the tensor's memory.
#include <memory>
#include <vector>

#include "bind/errors.h"
#include "bind/tensor/tensor_object.h"
#include "bind/tensor/tensor_slots.h"
#include "tensor/stored_types.h"

namespace tracefn::bind {
namespace {

// The state of a view until it is released.
struct ViewState {
  Tensor tensor;
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
};

// Codes of the struct module; null if there is none. int64 is `l` if long has 64 bits, as in numpy.
const char* format_of(DType dtype) {
  switch (is_quantized(dtype) ? number_dtype(dtype) : dtype) {
    case DType::kBool:
      return "?";
    case DType::kInt8:
      return "b";
    case DType::kUInt8:
      return "B";
    case DType::kInt16:
      return "h";
    case DType::kUInt16:
      return "H";
    case DType::kInt32:
      return "i";
    case DType::kUInt32:
      return "I";
    case DType::kInt64:
      return sizeof(long) == 8 ? "l" : "q";
    case DType::kUInt64:
      return sizeof(long) == 8 ? "L" : "Q";
    case DType::kHalf:
      return "e";
    case DType::kFloat:
      return "f";
    case DType::kDouble:
      return "d";
    case DType::kComplex64:
      return "Zf";
    case DType::kComplex128:
      return "Zd";
    default:
      return nullptr;
  }
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  const Tensor& tensor = operand_of(self).tensor;
  const char* format = format_of(tensor.dtype());
  if (!format || (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
    std::string type_name(name(tensor.dtype()));
    PyErr_Format(PyExc_BufferError,
                 format ? "the memory of a tensor is read-only" : "a tensor of type %s has no buffer",
                 type_name.c_str());
    return -1;
  }
  return guarded(
      [&]() -> int {
        auto state = std::make_unique<ViewState>();
        state->tensor = tensor;
        auto rank = static_cast<std::size_t>(tensor.rank());
        auto step = static_cast<Py_ssize_t>(size_of(tensor.dtype()));
        state->strides.resize(rank);
        for (std::size_t i = rank; i-- > 0;) {
          state->strides[i] = step;
          step *= tensor.dim(static_cast<int>(i));
        }
        state->shape.assign(tensor.shape().dims().begin(), tensor.shape().dims().end());
        view->buf = const_cast<void*>(tensor.raw());
        view->len = static_cast<Py_ssize_t>(tensor.bytes());
        view->itemsize = static_cast<Py_ssize_t>(size_of(tensor.dtype()));
        view->readonly = 1;
        view->ndim = tensor.rank();
        view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
        view->shape = (flags & PyBUF_ND) == PyBUF_ND ? state->shape.data() : nullptr;
        view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? state->strides.data() : nullptr;
        view->suboffsets = nullptr;
        view->internal = state.release();
        view->obj = Py_NewRef(self);
        return 0;
      },
      -1);
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<ViewState*>(view->internal); }

}  // namespace

void add_buffer_slots(Slots& eager) {
  eager.push_back({Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)});
  eager.push_back({Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)});
}

}  // namespace tracefn::bind
