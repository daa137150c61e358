// Ops that write slices at given indices: ScatterNd and TensorScatterUpdate, Add, Sub, Min, Max. Every index is checked
// before anything is written; updates are applied in order.
#include <algorithm>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/indexed_elements.h"
#include "ops/array/indexing.h"
#include "ops/array/row_updates.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

Shape part(const Shape& s, int from, int to) {
  return Shape(Dims(s.dims().begin() + std::min(from, to), s.dims().begin() + to));
}

// Checks shapes of indices and updates against the output's, with the words of TensorFlow's shape rules.
void check_partial(const Shape& indices, const Shape& updates, const Shape& output) {
  if (!indices.has_rank() || !updates.has_rank() || indices.rank() == 0) return;
  int outer = indices.rank() - 1;
  std::int64_t depth = indices[outer];
  auto mismatch = [](std::string_view what, const Shape& a, int a0, int a1, const Shape& b, int b0, int b1) {
    const std::string dims = concat("Dimensions [", a0, ",", a1, ") of ", what, "[shape=", a.text(),
                                    "] = ", part(a, a0, a1).text(), " must match dimensions [", b0, ",", b1,
                                    ") of updates[shape=", b.text(), "] = ", part(b, b0, b1).text());
    try {
      merge_or_explain(part(a, a0, a1), part(b, b0, b1));
    } catch (const Error& e) {
      invalid_argument(dims, ": ", e.message());
    }
    invalid_argument(dims);
  };
  auto fits = [](const Shape& a, int a0, int a1, const Shape& b, int b0, int b1) {
    if (a1 - a0 != b1 - b0) return false;
    for (int i = 0; i < a1 - a0; ++i)
      if (a[a0 + i] >= 0 && b[b0 + i] >= 0 && a[a0 + i] != b[b0 + i]) return false;
    return true;
  };
  if (updates.rank() < outer || !fits(indices, 0, outer, updates, 0, outer))
    mismatch("indices", indices, 0, outer, updates, 0, std::min(outer, updates.rank()));
  if (depth < 0 || !output.has_rank()) return;
  int d = static_cast<int>(std::min<std::int64_t>(depth, output.rank()));
  if (depth > output.rank() || !fits(output, d, output.rank(), updates, outer, updates.rank()))
    mismatch("input", output, d, output.rank(), updates, outer, updates.rank());
}

void infer_scatter_nd(InferContext& c) {
  c.require_rank_at_least(0, 1);
  Shape out = c.shape_value(2);
  check_partial(c.shape(0), c.shape(1), out);
  c.set_output(0, std::move(out));
}

void infer_tensor_scatter(InferContext& c) {
  c.require_rank_at_least(1, 1);
  check_partial(c.shape(1), c.shape(2), c.shape(0));
  c.set_output(0, c.shape(0));
}

// The rows to write, -1 for one that is out of bounds and skipped, and their length.
struct ScatterPlaces {
  Tensor at;  // int64
  std::int64_t length = 1;

  RowUpdates updates() const { return {at.num_elements(), at.data<std::int64_t>(), nullptr, length}; }
};

ScatterPlaces find_places(const KernelContext& c, const Tensor& indices, const Shape& output, bool ignore_bad) {
  std::int64_t depth = indices.dim(indices.rank() - 1);
  ScatterPlaces p;
  for (int i = static_cast<int>(depth); i < output.rank(); ++i) p.length *= output[i];
  std::int64_t n = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) n *= indices.dim(i);
  p.at = Tensor(DType::kInt64, Shape({n}));
  std::int64_t* places = p.at.mutable_data<std::int64_t>();
  with_index(indices.dtype(), [&]<typename I>(std::type_identity<I>) {
    const I* index = indices.data<I>();
    if (depth == 1) {
      const auto limit = static_cast<std::uint64_t>(output[0]);
      return c.parallel_for(n, 0.5, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const auto v = static_cast<std::int64_t>(index[i]);
          places[i] = static_cast<std::uint64_t>(v) < limit ? v : -1;
        }
      });
    }
    c.parallel_for(n, 1 + static_cast<double>(depth), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::int64_t at = 0;
        bool inside = true;
        for (std::int64_t k = 0; k < depth; ++k) {
          const std::int64_t v = index[i * depth + k], limit = output[static_cast<int>(k)];
          inside = inside && v >= 0 && v < limit;
          at = at * limit + (inside ? v : 0);
        }
        places[i] = inside ? at : -1;
      }
    });
  });
  if (ignore_bad) return p;
  in_slices(n, 0.3, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t* bad = std::find_if(places + begin, places + end, [](std::int64_t at) { return at < 0; });
    if (bad != places + end)
      invalid_argument(index_vector_text(indices, bad - places), " does not index into shape ", output.text());
  });
  return p;
}

// Sums; concatenates strings, ors booleans, as in TensorFlow.
void accumulate(const KernelContext& c, Tensor& out, const ScatterPlaces& places, const Tensor& updates) {
  if (out.dtype() != DType::kString && out.dtype() != DType::kBool)
    return update_rows(c, RowUpdate::kAdd, out, updates, places.updates());
  const RowUpdates rows = places.updates();
  in_slices(rows.n, 20 * static_cast<double>(rows.length) + 5, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (rows.to[i] < 0) continue;
      for (std::int64_t k = 0; k < rows.length; ++k) {
        const std::int64_t to = rows.to[i] * rows.length + k, from = i * rows.length + k;
        if (out.dtype() == DType::kString) {
          out.mutable_data<std::string>()[to] += updates.data<std::string>()[from];
        } else {
          out.mutable_data<bool>()[to] |= updates.data<bool>()[from];
        }
      }
    }
  });
}

void check_scatter_nd(const KernelContext& c) {
  ignores_bad_indices(c.attr("bad_indices_policy").s());
  const Tensor& indices = c.input(0);
  const Tensor& updates = c.input(1);
  const Tensor& sizes = c.input(2);
  if (sizes.rank() != 1) invalid_argument("Shape must be a vector");
  if (indices.rank() < 1) invalid_argument("Indices shape must have rank at least one. Found:", indices.shape().text());
  Shape shape;
  for (std::int64_t i = 0; i < sizes.num_elements(); ++i) {
    shape.push_back(index_at(sizes, i));
    if (shape.dims().back() < 0) invalid_argument("Dimension ", shape.dims().back(), " must be >= 0");
  }
  int outer = indices.rank() - 1, depth = static_cast<int>(indices.dim(outer));
  bool outer_fits = updates.rank() >= outer, inner_fits = indices.dim(outer) <= shape.rank();
  for (int i = 0; i < outer && outer_fits; ++i) outer_fits = updates.dim(i) == indices.dim(i);
  if (!outer_fits)
    invalid_argument("Dimensions [0,", outer, ") of indices[shape=", indices.shape().text(),
                     "] must match dimensions [0,", outer, ") of updates[shape=", updates.shape().text(), "]");
  inner_fits = inner_fits && updates.rank() - outer == shape.rank() - depth;
  for (int i = 0; inner_fits && i < shape.rank() - depth; ++i) inner_fits = updates.dim(outer + i) == shape[depth + i];
  if (!inner_fits)
    invalid_argument("Dimensions [", indices.dim(outer), ",", shape.rank(), ") of input[shape=", shape.text(),
                     "] must match dimensions [", outer, ",", updates.rank(),
                     ") of updates[shape=", updates.shape().text(), "]");
  if (shape.num_elements() == 0 && updates.num_elements() > 0)
    invalid_argument("Indices and updates specified for empty output.  indices shape: ", indices.shape().text());
}

void scatter_nd(KernelContext& c) {
  bool ignore = ignores_bad_indices(c.attr("bad_indices_policy").s());
  const Tensor& updates = c.input(1);
  Tensor& out = c.output(0);
  out.fill_zeros();
  if (updates.num_elements() > 0) accumulate(c, out, find_places(c, c.input(0), out.shape(), ignore), updates);
}

// A copy made by several threads.
Tensor copied(const KernelContext& c, const Tensor& x) {
  Tensor out(x.dtype(), x.shape());
  with_element(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    c.parallel_for(x.num_elements(), copy_cost<T>,
                   [&](std::int64_t begin, std::int64_t end) { std::copy(from + begin, from + end, to + begin); });
  });
  return out;
}

template <RowUpdate how>
void tensor_scatter(KernelContext& c) {
  bool ignore = ignores_bad_indices(c.attr("bad_indices_policy").s());
  const Tensor& indices = c.input(1);
  const Tensor& updates = c.input(2);
  Shape shape = c.input(0).shape();
  if (indices.rank() < 1) invalid_argument("Indices shape must have rank at least one. Found:", indices.shape().text());
  int outer = indices.rank() - 1;
  std::int64_t depth = indices.dim(outer);
  bool outer_fits = updates.rank() >= outer;
  for (int i = 0; i < outer && outer_fits; ++i) outer_fits = updates.dim(i) == indices.dim(i);
  if (!outer_fits)
    invalid_argument("Outer dimensions of indices and update must match. Indices shape: ", indices.shape().text(),
                     ", updates shape:", updates.shape().text());
  if (depth > shape.rank() || updates.rank() - outer != shape.rank() - depth)
    invalid_argument("Inner dimensions of output shape must match inner dimensions of updates shape. Output: ",
                     shape.text(), " updates: ", updates.shape().text());
  for (int i = 0; i < shape.rank() - depth; ++i)
    if (updates.dim(outer + i) != shape[static_cast<int>(depth) + i])
      invalid_argument("The inner ", shape.rank() - depth, " dimensions of output.shape=", shape.text(),
                       " must match the inner ", updates.rank() - outer,
                       " dimensions of updates.shape=", updates.shape().text());
  if (updates.num_elements() == 0) return c.set_output(0, c.take_input(0));
  if (shape.num_elements() == 0)
    invalid_argument("Indices and updates specified for empty output.  indices shape: ", indices.shape().text());
  const ScatterPlaces places = find_places(c, indices, shape, ignore);
  Tensor out = c.take_input(0);
  if (!out.writable()) out = copied(c, out);
  update_rows(c, how, out, updates, places.updates());
  c.set_output(0, std::move(out));
}

// GatherNd and ScatterNd do not support uint16.
Operand wide(const Operand& indices) {
  return is_integer(indices.dtype()) && size_of(indices.dtype()) < 4 ? build::cast(indices, DType::kInt32) : indices;
}

// The elements of x at the op's indices; zeros at skipped ones.
Operand at_indices(const GradContext& c, const Operand& x, const Operand& indices) {
  return emit1("GatherNd", {x, wide(indices)}, {{"bad_indices_policy", c.attr("bad_indices_policy")}});
}

void grad_scatter_update(GradContext& c) {
  c.to_input(0, emit1("TensorScatterUpdate", {c.dy(0), c.input(1), build::zeros_like(c.input(2))},
                      {{"bad_indices_policy", c.attr("bad_indices_policy")}}));
  c.to_input(2, at_indices(c, c.dy(0), c.input(1)));
}
void grad_add(GradContext& c) {
  c.to_input(0, c.dy(0));
  c.to_input(2, at_indices(c, c.dy(0), c.input(1)));
}
void grad_sub(GradContext& c) {
  c.to_input(0, c.dy(0));
  c.to_input(2, build::neg(at_indices(c, c.dy(0), c.input(1))));
}

// All elements equal to the result share the gradient.
void grad_extreme(GradContext& c) {
  const Operand& x = c.input(0);
  const Operand& indices = c.input(1);
  const Operand& updates = c.input(2);
  DType dtype = c.dy(0).dtype();
  Operand kept = build::cast(emit1("Equal", {x, c.output(0)}), dtype);
  Operand taken = build::cast(emit1("Equal", {updates, at_indices(c, c.output(0), indices)}), dtype);
  Operand shape = build::cast(build::shape_of(x), indices.dtype());
  Operand takers = emit1("ScatterNd", {indices, taken, shape}, {{"bad_indices_policy", c.attr("bad_indices_policy")}});
  Operand share = build::div(c.dy(0), kept + takers);
  c.to_input(0, share * kept);
  c.to_input(2, at_indices(c, share, indices) * taken);
}

template <typename F>
bool scatter_by(ElementsContext& c) {
  return is_plain(c.dtype(0)) && F::kDTypes.has(c.dtype(0)) &&
         scatter_elements(c, [](ElementsContext& context, DType dtype, ElementsContext::Element old,
                                ElementsContext::Element value) {
           return context.apply<F>(dtype, {old, value});
         });
}

OpRecord tensor_scatter_record(std::string_view name, std::string_view python, std::string_view index,
                               std::string_view doc, KernelFn kernel, GradFn grad, std::string_view moves = {},
                               ElementsFn elements = nullptr) {
  return {.name = name,
          .python = python,
          .inputs = {"tensor: T", "indices: Tindices", "updates: T"},
          .outputs = {"output: T"},
          .attrs = {"T: type", index, "bad_indices_policy: string = ''"},
          .facts = {.moves = moves, .elements = elements, .indexing = elements ? Indexing::kUpdates : Indexing::kNone},
          .doc = doc,
          .infer = infer_tensor_scatter,
          .kernel = kernel,
          .allocation = Allocation::kShared,
          .grad = grad};
}

}  // namespace

void register_scatter(Registry& r) {
  r.add({.name = "ScatterNd",
         .python = "scatter_nd(indices, updates, shape, bad_indices_policy)",
         .inputs = {"indices: Tindices", "updates: T", "shape: Tindices"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tindices: {int16, int32, int64}", "bad_indices_policy: string = ''"},
         .doc = "Zeros of the given shape with `updates` added at the index vectors in the last dimension of "
                "`indices`.\n\nRaises InvalidArgumentError if an index is out of bounds or the shapes do not match.",
         .infer = infer_scatter_nd,
         .check = check_scatter_nd,
         .kernel = scatter_nd,
         .grad = [](GradContext& c) { c.to_input(1, at_indices(c, c.dy(0), c.input(0))); }});
  constexpr std::string_view index = "Tindices: {int32, int64}";
  r.add(tensor_scatter_record("TensorScatterUpdate", "tensor_scatter_nd_update(tensor, indices, updates)",
                              "Tindices: {int16, int32, int64, uint16}",
                              "The tensor with `updates` written at `indices`. For a repeated index the last update "
                              "wins.\n\nRaises InvalidArgumentError if an index is out of bounds.",
                              tensor_scatter<RowUpdate::kAssign>, grad_scatter_update, "T",
                              [](ElementsContext& c) { return scatter_elements(c, nullptr); }));
  r.add(tensor_scatter_record(
      "TensorScatterAdd", "tensor_scatter_nd_add(tensor, indices, updates, bad_indices_policy)", index,
      "The tensor with `updates` added at `indices`.\n\nRaises InvalidArgumentError if an index is out of bounds.",
      tensor_scatter<RowUpdate::kAdd>, grad_add, {}, scatter_by<functions::Add>));
  r.add(tensor_scatter_record(
      "TensorScatterSub", "tensor_scatter_nd_sub(tensor, indices, updates, bad_indices_policy)", index,
      "The tensor with `updates` subtracted at `indices`.\n\nRaises InvalidArgumentError if an index is out of bounds.",
      tensor_scatter<RowUpdate::kSub>, grad_sub, {}, scatter_by<functions::Sub>));
  r.add(tensor_scatter_record(
      "TensorScatterMin", "tensor_scatter_nd_min(tensor, indices, updates, bad_indices_policy)", index,
      "The tensor with min(tensor, updates) at `indices`.\n\nRaises InvalidArgumentError if an index is out of bounds.",
      tensor_scatter<RowUpdate::kMin>, grad_extreme));
  r.add(tensor_scatter_record(
      "TensorScatterMax", "tensor_scatter_nd_max(tensor, indices, updates, bad_indices_policy)", index,
      "The tensor with max(tensor, updates) at `indices`.\n\nRaises InvalidArgumentError if an index is out of bounds.",
      tensor_scatter<RowUpdate::kMax>, grad_extreme));
}

}  // namespace tracefn
