// UnravelIndex: the coordinates of flat indices.
#include <limits>

#include "ops/array/array_families.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

void infer_unravel(InferContext& c) {
  c.require_rank(1, 1);
  const Shape& indices = c.shape(0);
  const std::int64_t rank = dim_of(c.shape(1), 0);
  if (!indices.has_rank()) return c.set_output(0, Shape::unknown());
  if (indices.rank() == 0) return c.set_output(0, Shape({rank}));
  c.set_output(0, Shape({rank, indices.rank() == 1 ? indices[0] : indices.maybe_num_elements().value_or(kUnknownDim)}));
}

void check_unravel(const KernelContext& c) {
  const Tensor &indices = c.input(0), &dims = c.input(1);
  if (indices.num_elements() == 0)
    invalid_argument("received empty tensor indices: Tensor<type: ", runtime_name(indices.dtype()),
                     " shape: ", indices.shape().text(), " values: >");
  if (indices.rank() > 1)
    invalid_argument("The indices can only be scalar or vector, got \"", indices.shape().text(), "\"");
  if (dims.rank() != 1) invalid_argument("The indices can only be 1-D, got \"", dims.shape().text(), "\"");
  const std::int64_t most = dims.dtype() == DType::kInt32 ? std::numeric_limits<std::int32_t>::max()
                                                          : std::numeric_limits<std::int64_t>::max();
  std::int64_t size = 1;
  for (std::int64_t i = 0; i < dims.num_elements(); ++i) {
    const std::int64_t dim = dims.int_at(i);
    if (dim == 0) invalid_argument("Input dims cannot contain a dim of zero, but dims contains zero at index ", i);
    if (dim < 0) invalid_argument("Input dims cannot be negative. Got dim = ", dim, " at index ", i);
    if (size > most / dim) {
      std::string all;
      for (std::int64_t j = 0; j < dims.num_elements(); ++j) all += concat(j ? " " : "", dims.int_at(j));
      invalid_argument("Input dims product is causing integer overflow: (", all, ")");
    }
    size *= dim;
  }
  for (std::int64_t i = 0; i < indices.num_elements(); ++i)
    if (indices.int_at(i) >= size) invalid_argument("index is out of bound as with dims");
}

// A negative index counts from the end within each dimension's remainder, as C++ divides.
template <typename T>
void unravel_as(const Tensor& indices, const Tensor& dims, Tensor& out) {
  const std::int64_t n = indices.num_elements();
  T* to = out.mutable_data<T>();
  T stride = 1;
  for (std::int64_t d = dims.num_elements(); d-- > 0;) {
    const T dim = dims.data<T>()[d];
    for (std::int64_t i = 0; i < n; ++i) to[d * n + i] = static_cast<T>(indices.data<T>()[i] / stride % dim);
    stride = static_cast<T>(stride * dim);
  }
}

void unravel(KernelContext& c) {
  if (c.input(0).dtype() == DType::kInt32) return unravel_as<std::int32_t>(c.input(0), c.input(1), c.output(0));
  unravel_as<std::int64_t>(c.input(0), c.input(1), c.output(0));
}

}  // namespace

void register_unravel(Registry& r) {
  r.add({.name = "UnravelIndex",
         .inputs = {"indices: Tidx", "dims: Tidx"},
         .outputs = {"output: Tidx"},
         .attrs = {"Tidx: {int32, int64} = DT_INT32"},
         .doc = "The coordinates of flat indices in a tensor of shape `dims`: a row for each dimension.",
         .infer = infer_unravel,
         .check = check_unravel,
         .kernel = unravel,
         .grad = not_differentiable});
}

}  // namespace tracefn
