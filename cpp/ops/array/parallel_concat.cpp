// ParallelConcat: tensors with one row each, one below the other.
#include "ops/array/array_families.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

void infer_parallel_concat(InferContext& c) {
  const Shape& given = c.attr("shape").shape();
  if (!given.is_fully_known()) invalid_argument("shape attr must be fully defined.");
  if (given.rank() == 0) invalid_argument("shape attr must have at least one dimension.");
  Shape row = given;
  row[0] = 1;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    const Shape& shape = c.shape(i);
    if (!shape.has_rank()) continue;
    if (shape.rank() == 0 || (shape[0] >= 0 && shape[0] != 1)) invalid_argument("All input shapes must start with 1.");
    static_cast<void>(merge_or_explain(row, shape));
  }
  c.set_output(0, given);
}

void check_parallel_concat(const KernelContext& c) {
  const Shape& given = c.attr("shape").shape();
  if (given[0] != static_cast<std::int64_t>(c.num_inputs()))
    invalid_argument("The number of rows in `shape` (", given[0], ") is not the number of values (", c.num_inputs(),
                     ").");
}

void parallel_concat(KernelContext& c) {
  const std::int64_t row = c.input(0).num_elements();
  const auto bytes = static_cast<std::size_t>(row) * size_of(c.input(0).dtype());
  auto* to = static_cast<char*>(c.output(0).mutable_raw());
  for (std::size_t i = 0; i < c.num_inputs(); ++i)
    copy_elements(c.input(i).dtype(), c.input(i).raw(), to + i * bytes, row);
}

}  // namespace

void register_parallel_concat(Registry& r) {
  r.add({.name = "ParallelConcat",
         .inputs = {"values: N * T"},
         .outputs = {"output: T"},
         .attrs = {"N: int >= 1", "T: type", "shape: shape"},
         .doc = "Tensors with one row each, one below the other.",
         .infer = infer_parallel_concat,
         .check = check_parallel_concat,
         .kernel = parallel_concat,
         .grad = without_gradient});
}

}  // namespace tracefn
