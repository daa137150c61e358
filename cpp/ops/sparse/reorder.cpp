// SparseReorder: a sparse tensor with its places in row-major order.
#include "ops/gradient.h"
#include "ops/registry.h"
#include "ops/sparse/sparse.h"

namespace tracefn {
namespace {

void reorder(KernelContext& c) {
  const SparseParts s(c, 0);
  require_sparse(s);
  if (is_row_major(s.indices)) {
    c.set_output(0, c.take_input(0));
    return c.set_output(1, c.take_input(1));
  }
  const std::vector<std::int64_t> order = row_major_order(s.indices);
  c.set_output(0, picked_places(s.indices, order));
  c.set_output(1, picked_values(s.values, order));
}

// Reorders the numbers of the places along, to know where each came from.
void grad_reorder(GradContext& c) {
  const Operand& places = c.input(0);
  const Operand n =
      emit1("StridedSlice", {build::shape_of(places), build::ints({0}), build::ints({1}), build::ints({1})},
            {{"shrink_axis_mask", std::int64_t{1}}});
  const Operand numbers = emit1("Range", {build::scalar(DType::kInt32, 0), n, build::scalar(DType::kInt32, 1)});
  const Operand parts[] = {places, numbers, c.input(2)};
  const Operand order = emit_all("SparseReorder", parts)[1];
  c.to_input(1, emit1("GatherV2", {c.dy(1), emit1("InvertPermutation", {order}), build::scalar(DType::kInt32, 0)}));
}

}  // namespace

void register_sparse_reorder(Registry& r) {
  r.add({.name = "SparseReorder",
         .inputs = {"input_indices: int64", "input_values: T", "input_shape: int64"},
         .outputs = {"output_indices: int64", "output_values: T"},
         .attrs = {"T: type"},
         .doc = "A sparse tensor with its places in row-major order.",
         .infer =
             [](InferContext& c) {
               require_sparse_ranks(c, 0);
               c.set_output(0, c.shape(0).has_rank() ? c.shape(0) : Shape::of_rank(2));
               c.set_output(1, c.shape(1).has_rank() ? c.shape(1) : Shape::of_rank(1));
             },
         .kernel = reorder,
         .allocation = Allocation::kShared,
         .grad = grad_reorder});
}

}  // namespace tracefn
