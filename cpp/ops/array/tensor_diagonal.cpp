// Diag and DiagPart: tensors [..., ...] whose two halves of dimensions are equal, and their diagonals.
#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/linalg/linalg_families.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_diag(InferContext& c) {
  c.require_rank_at_least(0, 1);
  Shape out = c.shape(0);
  if (out.has_rank()) {
    check_rank(static_cast<std::size_t>(2 * out.rank()));
    for (int i = 0, rank = out.rank(); i < rank; ++i) out.push_back(out[i]);
  }
  c.set_output(0, std::move(out));
}

void check_diag(const KernelContext& c) {
  if (c.input(0).rank() < 1) invalid_argument("Input must be at least rank 1, got 0");
}

// f(element) for elements of the type.
template <typename F>
void with_type(const Tensor& x, const F& f) {
  with_any_number(x.dtype(), [&]<typename T>(std::type_identity<T> type) { f(type); });
}

void diag(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  out.fill_zeros();
  with_type(x, [&]<typename T>(std::type_identity<T>) {
    const std::int64_t n = x.num_elements();
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    in_slices(n, 5, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i * (n + 1)] = from[i];
    });
  });
}

void infer_diag_part(InferContext& c) {
  const Shape& x = c.shape(0);
  if (!x.has_rank()) return c.set_output(0, Shape::unknown());
  if (x.rank() % 2 != 0 || (x.rank() == 0 && !c.running()))
    invalid_argument("Input must have even and non-zero rank, input rank is ", x.rank());
  Shape out;
  for (int i = 0; i < x.rank() / 2; ++i) out.push_back(merge_dims(x[i], x[i + x.rank() / 2]));
  c.set_output(0, std::move(out));
}

void check_diag_part(const KernelContext& c) {
  const Shape& x = c.input(0).shape();
  if (x.rank() % 2 != 0)
    invalid_argument(
        "The rank of the tensor should be                                          even and positive, got shape ",
        x.text());
  for (int i = 0; i < x.rank() / 2; ++i)
    if (x[i] != x[i + x.rank() / 2])
      invalid_argument("Invalid shape ", x.text(), ": dimensions ", i, " and ", i + x.rank() / 2, " do not match.");
}

void diag_part(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  with_type(x, [&]<typename T>(std::type_identity<T>) {
    const std::int64_t n = out.num_elements();
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    in_slices(n, 5, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = from[i * (n + 1)];
    });
  });
}

}  // namespace

void register_tensor_diagonal(Registry& r) {
  constexpr std::string_view types = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";
  r.add({.name = "Diag",
         .python = "linalg.tensor_diag(diagonal)",
         .inputs = {"diagonal: T"},
         .outputs = {"output: T"},
         .attrs = {types},
         .doc =
             "The tensor of shape diagonal.shape + diagonal.shape with output[i, ..., i, ...] = diagonal[i, ...], and "
             "zeros elsewhere.",
         .infer = infer_diag,
         .check = check_diag,
         .kernel = diag,
         .grad = [](GradContext& c) { c.to_input(0, emit1("DiagPart", {c.dy(0)})); }});
  r.add({.name = "DiagPart",
         .python = "linalg.tensor_diag_part(input)",
         .inputs = {"input: T"},
         .outputs = {"diagonal: T"},
         .attrs = {types},
         .doc = "The diagonal of a tensor whose shape is some shape twice: diagonal[i, ...] = input[i, ..., i, ...].",
         .infer = infer_diag_part,
         .check = check_diag_part,
         .kernel = diag_part,
         .grad = [](GradContext& c) { c.to_input(0, emit1("Diag", {c.dy(0)})); }});
}

}  // namespace tracefn
