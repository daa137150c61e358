// RaggedGather: rows of a ragged tensor, by index.
#include <algorithm>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/rows.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/ragged/ragged.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

std::size_t params_rank(const AttrList& attrs, const OpSignature& s) {
  return static_cast<std::size_t>(attrs[static_cast<std::size_t>(s.attr_index("PARAMS_RAGGED_RANK"))].i());
}

void infer_gather(InferContext& c) {
  const std::size_t rank = params_rank(c.attrs(), c.op());
  const Shape& indices = c.shape(rank + 1);
  c.require_rank_at_least(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) c.require_rank(i, 1);
  const std::size_t splits = c.num_outputs() - 1;
  if (indices.has_rank() && static_cast<std::int64_t>(splits) != static_cast<std::int64_t>(rank) + indices.rank() - 1)
    invalid_argument("OUTPUT_RAGGED_RANK must be PARAMS_RAGGED_RANK + indices.rank - 1 = ",
                     static_cast<std::int64_t>(rank) + indices.rank() - 1, ", but is ", splits);
  for (std::size_t i = 0; i < splits; ++i) c.set_output(i, Shape({kUnknownDim}));
  const Shape& values = c.shape(rank);
  c.set_output(splits, values.has_rank() ? with_first(kUnknownDim, tail(values, 1)) : Shape::unknown());
}

void check_splits(std::span<const Splits> nested, std::int64_t values) {
  for (std::size_t d = 0; d < nested.size(); ++d) {
    const Splits& splits = nested[d];
    if (splits.empty()) invalid_argument("Ragged splits may not be empty");
    if (splits[0] < 0) invalid_argument("Ragged splits must be non-negative");
    const std::int64_t last = d + 1 < nested.size() ? static_cast<std::int64_t>(nested[d + 1].size()) - 1 : values;
    if (splits.back() > last) invalid_argument("Ragged splits must not point past values");
    if (!std::is_sorted(splits.begin(), splits.end())) invalid_argument("Ragged splits must be sorted");
  }
}

// The places of an index in a message: "[1,0]".
std::string place_text(const Shape& shape, std::int64_t i) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = concat(axis ? "," : "", i % shape[axis], text);
    i /= shape[axis];
  }
  return shape.rank() == 0 ? "" : concat("[", text, "]");
}

struct Range {
  std::int64_t begin, end;
};

void ragged_gather(KernelContext& c) {
  const std::size_t rank = params_rank(c.attrs(), c.op().signature);
  const Tensor& values = c.input(rank);
  const Tensor& indices = c.input(rank + 1);
  if (values.rank() == 0) invalid_argument("params.rank must be nonzero");
  std::vector<Splits> nested;
  for (std::size_t i = 0; i < rank; ++i) {
    if (c.input(i).rank() != 1) invalid_argument("Shape must be rank 1 but is rank ", c.input(i).rank());
    nested.push_back(read_splits(c.input(i)));
  }
  const std::size_t outputs = c.num_outputs() - 1;
  if (outputs + 1 != rank + static_cast<std::size_t>(indices.rank()))
    invalid_argument("OUTPUT_RAGGED_RANK must be PARAMS_RAGGED_RANK + indices.rank - 1");
  const std::int64_t n = indices.num_elements();
  const std::int64_t limit = static_cast<std::int64_t>(nested[0].size()) - 1;
  std::vector<Range> ranges(static_cast<std::size_t>(n));
  in_slices(n, 2, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t at = indices.int_at(i);
      if (at < 0 || at >= limit)
        invalid_argument("indices", place_text(indices.shape(), i), " = ", at, " is not in [0, ",
                         std::max<std::int64_t>(limit, 0), ")");
      ranges[static_cast<std::size_t>(i)] = {at, at + 1};
    }
  });
  check_splits(nested, values.dim(0));
  const DType splits_type = c.input(0).dtype();
  std::size_t made = 0;
  auto set_splits = [&](const Splits& splits) {
    Tensor& out = c.allocate_output(made++, splits_type, Shape({static_cast<std::int64_t>(splits.size())}));
    write_numbers(splits, out);
  };
  // The dimensions of the indices but the last are uniform ones of the result.
  std::int64_t rows = 1;
  for (int axis = 0; axis + 1 < indices.rank(); ++axis) {
    rows *= indices.dim(axis);
    Splits splits(static_cast<std::size_t>(rows) + 1);
    for (std::size_t i = 0; i < splits.size(); ++i) splits[i] = static_cast<std::int64_t>(i) * indices.dim(axis + 1);
    set_splits(splits);
  }
  // A level of rows after the other: the ranges become those of the next level's elements. The rows of a scalar index
  // are not a dimension of the result.
  PolledSteps polled(4096);
  for (std::size_t d = 0; d < rank; ++d) {
    const bool kept = d > 0 || indices.rank() > 0;
    Splits splits{0};
    for (Range& range : ranges) {
      if (kept)
        for (std::int64_t i = range.begin; i < range.end; ++i, polled.step())
          splits.push_back(splits.back() + nested[d][static_cast<std::size_t>(i) + 1] -
                           nested[d][static_cast<std::size_t>(i)]);
      range = {nested[d][static_cast<std::size_t>(range.begin)], nested[d][static_cast<std::size_t>(range.end)]};
    }
    if (kept) set_splits(splits);
  }
  std::int64_t total = 0;
  for (const Range& range : ranges) total += range.end - range.begin;
  const std::int64_t inner = tail(values.shape(), 1).num_elements();
  Tensor& out = c.allocate_output(outputs, values.dtype(), with_first(total, tail(values.shape(), 1)));
  with_element(values.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* to = out.mutable_data<T>();
    for (const Range& range : ranges) {
      const std::int64_t count = (range.end - range.begin) * inner;
      const T* from = values.data<T>() + range.begin * inner;
      in_slices(count, copy_cost<T>,
                [&](std::int64_t begin, std::int64_t end) { std::copy(from + begin, from + end, to + begin); });
      to += count;
      polled.step();
    }
  });
}

// The rows picked are ranges of the flat values; the gradient of the values is the slices at these places.
void grad_gather(GradContext& c) {
  const std::size_t rank = params_rank(c.attrs(), c.op().signature);
  const Operand zero = build::scalar(DType::kInt32, 0);
  auto pick = [&](const Operand& from, const Operand& at) { return emit1("GatherV2", {from, at, zero}); };
  Operand splits = c.input(0);
  for (std::size_t d = 1; d < rank; ++d) splits = pick(c.input(d), splits);
  const Operand rows = build::reshape(c.input(rank + 1), build::ints({-1}));
  const Operand next = emit1("AddV2", {rows, build::scalar(rows.dtype(), 1)});
  const DType type = splits.dtype();
  Operand ranges[] = {pick(splits, rows), pick(splits, next), build::scalar(type, 1)};
  const Operand at = emit_all("RaggedRange", ranges, {{"Tsplits", type}})[1];
  c.to_input(rank, Gradient(c.dy(c.num_outputs() - 1), at, build::shape_of(c.input(rank))));
}

}  // namespace

void register_ragged_gather(Registry& r) {
  r.add({.name = "RaggedGather",
         .inputs = {"params_nested_splits: PARAMS_RAGGED_RANK * Tsplits", "params_dense_values: Tvalues",
                    "indices: Tindices"},
         .outputs = {"output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits", "output_dense_values: Tvalues"},
         .attrs = {"Tvalues: type", "Tindices: {int32, int64}", "Tsplits: {int32, int64} = DT_INT64",
                   "PARAMS_RAGGED_RANK: int >= 1", "OUTPUT_RAGGED_RANK: int >= 0"},
         .doc = "Rows of a ragged tensor, by index, as row splits and values.\n\nOUTPUT_RAGGED_RANK is "
                "PARAMS_RAGGED_RANK + indices.rank - 1. Raises InvalidArgumentError if an index is out of range or the "
                "splits are invalid.",
         .infer = infer_gather,
         .kernel = ragged_gather,
         .allocation = Allocation::kByValues,
         .grad = grad_gather});
}

}  // namespace tracefn
