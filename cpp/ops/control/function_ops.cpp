// Ops that call a graph many times: For, MapDefun. And FakeParam, which stands for a value that nobody reads.
#include "base/poll.h"
#include "ops/array/rows.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/state/effect_records.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

std::int64_t scalar_input(const KernelContext& c, std::size_t i) {
  if (c.input(i).rank() != 0) invalid_argument(c.op().signature.inputs[i].name, " must be a scalar");
  return c.input(i).item<std::int32_t>();
}

void run_for(KernelContext& c) {
  const std::int64_t start = scalar_input(c, 0), limit = scalar_input(c, 1), delta = scalar_input(c, 2);
  if (delta == 0 || (delta > 0 ? start > limit : start < limit))
    invalid_argument("Invalid start/limit/delta: ", start, " ", limit, " ", delta);
  std::vector<Tensor> values, results;
  for (std::size_t i = 3; i < c.num_inputs(); ++i) values.push_back(c.take_input(i));
  for (std::int64_t i = start; delta > 0 ? i < limit : i > limit; i += delta, poll()) {
    Tensor number = Tensor::scalar(static_cast<std::int32_t>(i));
    std::vector<TensorRef> args{{&number, true}};
    for (Tensor& value : values) args.push_back({&value, true});
    c.run_body(0, args, results);
    if (results.size() != values.size())
      invalid_argument("For loop body returned ", results.size(), " arguments. Expected: ", values.size());
    for (std::size_t j = 0; j < results.size(); ++j)
      if (results[j].dtype() != c.attr("T").types()[j])
        invalid_argument("For loop body returned a value of type ", runtime_name(results[j].dtype()), ", expected ",
                         runtime_name(c.attr("T").types()[j]));
    std::swap(values, results);
  }
  for (std::size_t j = 0; j < values.size(); ++j) c.set_output(j, std::move(values[j]));
}

void infer_map(InferContext& c) {
  const std::size_t arguments = c.attr("Targuments").types().size();
  std::int64_t n = kUnknownDim;
  for (std::size_t i = 0; i < arguments; ++i) {
    c.require_rank_at_least(i, 1);
    n = merge_dims(n, dim_of(c.shape(i), 0));
  }
  const std::vector<Shape>& shapes = c.attr("output_shapes").shapes();
  if (shapes.size() != c.num_outputs())
    invalid_argument("`output_shapes` must be the same length as `output_types` (", shapes.size(), " vs. ",
                     c.num_outputs(), ")");
  for (std::size_t j = 0; j < shapes.size(); ++j)
    c.set_output(j, shapes[j].has_rank() ? with_first(n, shapes[j]) : Shape::unknown());
}

// The graph on every row of the arguments, one after the other.
void run_map(KernelContext& c) {
  const std::size_t arguments = c.attr("Targuments").types().size();
  for (std::size_t i = 0; i < arguments; ++i) {
    if (c.input(i).rank() == 0)
      invalid_argument("All inputs must have rank at least 1. Input ", i, " has a rank of 0.");
    if (c.input(i).dim(0) != c.input(0).dim(0))
      invalid_argument("All inputs must have the same dimension 0. Input ", i, " has leading dimension ",
                       c.input(i).dim(0), ", while all previous inputs have leading dimension ", c.input(0).dim(0));
  }
  const std::int64_t n = c.input(0).dim(0);
  const std::vector<Shape>& shapes = c.attr("output_shapes").shapes();
  const std::vector<DType>& types = c.attr("output_types").types();
  std::vector<Tensor> results;
  std::vector<std::vector<Tensor>> found(types.size());
  for (std::int64_t row = 0; row < n; ++row, poll()) {
    std::vector<Tensor> rows;
    for (std::size_t i = 0; i < arguments; ++i)
      rows.push_back(c.input(i).rows(row, row + 1).reshaped(tail(c.input(i).shape(), 1)));
    std::vector<TensorRef> args;
    for (const Tensor& part : rows) args.push_back(borrowed(part));
    for (std::size_t i = arguments; i < c.num_inputs(); ++i) args.push_back(borrowed(c.input(i)));
    c.run_body(0, args, results);
    if (results.size() != types.size())
      invalid_argument("The function of MapDefun returned ", results.size(), " values, expected ", types.size());
    for (std::size_t j = 0; j < types.size(); ++j) {
      const Shape& shape = results[j].shape();
      if (results[j].dtype() != types[j] || !shapes[j].is_supertype_of(shape) ||
          (row > 0 && !(shape == found[j][0].shape())))
        invalid_argument("Function output ", j, " has shape ", shape.text(), " and type ",
                         runtime_name(results[j].dtype()), ", expected ",
                         (row > 0 ? found[j][0].shape() : shapes[j]).text(), " and ", runtime_name(types[j]));
      found[j].push_back(results[j]);
    }
  }
  for (std::size_t j = 0; j < types.size(); ++j) {
    Shape shape = n > 0 ? found[j][0].shape() : shapes[j];
    if (!shape.is_fully_known()) invalid_argument("Function has no rows, and its output ", j, " has an unknown shape.");
    Tensor& out = c.allocate_output(j, types[j], with_first(n, shape));
    const std::int64_t size = shape.num_elements();
    auto* to = static_cast<char*>(out.mutable_raw());
    for (std::int64_t row = 0; row < n; ++row)
      copy_elements(types[j], found[j][static_cast<std::size_t>(row)].raw(),
                    to + row * size * static_cast<std::int64_t>(size_of(types[j])), size);
  }
}

void infer_fake(InferContext& c) {
  Shape shape = c.attr("shape").shape();
  if (c.running()) {
    if (!shape.has_rank()) shape = Shape();
    for (int i = 0; i < shape.rank(); ++i)
      if (shape[i] < 0) shape[i] = 0;
  }
  c.set_output(0, shape);
}

void fake(KernelContext& c) { c.output(0).fill_zeros(); }

}  // namespace

void register_function_ops(Registry& r) {
  r.add({.name = "For",
         .inputs = {"start: int32", "limit: int32", "delta: int32", "input: T"},
         .outputs = {"output: T"},
         .attrs = {"T: list(type) >= 0", "body: func"},
         .doc = "Calls `body` with each number from start to limit and the values that it returned before, at first "
                "the inputs.",
         .infer = infer::unknown,
         .kernel = run_for,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
  r.add({.name = "MapDefun",
         .inputs = {"arguments: Targuments", "captured_inputs: Tcaptured"},
         .outputs = {"output: output_types"},
         .attrs = {"Targuments: list(type) >= 1", "Tcaptured: list(type) >= 0 = []", "output_types: list(type) >= 1",
                   "output_shapes: list(shape) >= 1", "f: func", "max_intra_op_parallelism: int = 1"},
         .doc = "The results of `f` for each row of the arguments, followed by the captured inputs, one below the "
                "other.",
         .infer = infer_map,
         .kernel = run_map,
         .allocation = Allocation::kObjects,
         .grad = without_gradient});
  r.add({.name = "FakeParam",
         .outputs = {"output: dtype"},
         .attrs = {"dtype: type", "shape: shape"},
         .doc = "A value that nobody reads, of a shape; zeros.",
         .infer = infer_fake,
         .kernel = fake,
         .grad = without_gradient});
}

}  // namespace tracefn
