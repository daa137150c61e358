// Ops that distribute rows to places given for each: DynamicStitch, ParallelDynamicStitch, DynamicPartition.
#include <array>
#include <cstring>
#include <vector>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/rows.h"
#include "ops/contents.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Nanoseconds, for the choice of slices.
constexpr double kIdCost = 2;
double row_cost(DType dtype, std::int64_t length) {
  return 10 + static_cast<double>(length) * (is_plain(dtype) ? 0.1 * static_cast<double>(size_of(dtype)) : 20);
}

// f(copy), where copy(from, i, to, j) copies row i of `from` to row j of `to`, rows of `length` elements: short ones of
// plain elements without a call.
template <typename F>
void with_row_copy(DType dtype, std::int64_t length, const F& f) {
  const std::int64_t bytes = length * static_cast<std::int64_t>(size_of(dtype));
  auto of = [&]<typename Row>(std::type_identity<Row>) {
    f([](const char* from, std::int64_t i, char* to, std::int64_t j) {
      std::memcpy(to + j * static_cast<std::int64_t>(sizeof(Row)), from + i * static_cast<std::int64_t>(sizeof(Row)),
                  sizeof(Row));
    });
  };
  if (is_plain(dtype)) {
    switch (bytes) {
      case 1:
        return of(std::type_identity<std::uint8_t>());
      case 2:
        return of(std::type_identity<std::uint16_t>());
      case 4:
        return of(std::type_identity<std::uint32_t>());
      case 8:
        return of(std::type_identity<std::uint64_t>());
      case 16:
        return of(std::type_identity<std::array<std::uint64_t, 2>>());
      default:
        break;
    }
  }
  f([&](const char* from, std::int64_t i, char* to, std::int64_t j) {
    copy_elements(dtype, from + i * bytes, to + j * bytes, length);
  });
}

void infer_stitch(InferContext& c) {
  std::size_t n = c.num_inputs() / 2;
  Shape row = Shape::unknown();
  std::int64_t size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Shape& ids = c.shape(i);
    const Shape& data = c.shape(n + i);
    if (ids.has_rank() && data.has_rank()) {
      c.require_rank_at_least(n + i, ids.rank());
      for (int d = 0; d < ids.rank(); ++d) require_equal(data[d], ids[d]);
      row = merge(row, tail(data, ids.rank()));
    }
    if (const Tensor* value = c.value(i)) {
      const std::int32_t* places = value->data<std::int32_t>();
      in_slices(size < 0 ? 0 : value->num_elements(), kIdCost, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) size = std::max(size, std::int64_t{places[k]} + 1);
      });
    } else {
      size = kUnknownDim;
    }
  }
  c.set_output(0, with_first(size, row));
}

void check_stitch(const KernelContext& c) {
  std::size_t n = c.num_inputs() / 2;
  Shape row = tail(c.input(n).shape(), c.input(0).rank());
  for (std::size_t i = 0; i < n; ++i) {
    const Tensor& ids = c.input(i);
    const Tensor& data = c.input(n + i);
    if (!starts_with(data.shape(), ids.shape()))
      invalid_argument("data[", i, "].shape = ", data.shape().text(), " does not start with indices[", i,
                       "].shape = ", ids.shape().text());
    if (!(tail(data.shape(), ids.rank()) == row))
      invalid_argument("Need data[0].shape[", c.input(0).rank(), ":] = data[", i, "].shape[", ids.rank(),
                       ":], got data[0].shape = ", c.input(n).shape().text(), ", data[", i,
                       "].shape = ", data.shape().text(), ", indices[0].shape = ", c.input(0).shape().text(),
                       ", indices[", i, "].shape = ", ids.shape().text());
    in_slices(ids.num_elements(), kIdCost, [&](std::int64_t begin, std::int64_t end) {
      const std::int32_t* places = ids.data<std::int32_t>();
      for (std::int64_t k = begin; k < end; ++k)
        if (places[k] < 0) invalid_argument("indices[", k, "] is out of range");
    });
  }
}

void stitch(KernelContext& c) {
  std::size_t n = c.num_inputs() / 2;
  Tensor& out = c.output(0);
  DType dtype = out.dtype();
  const std::int64_t length = tail(out.shape(), 1).num_elements();
  out.fill_zeros();  // places without an index
  char* to = static_cast<char*>(out.mutable_raw());
  with_row_copy(dtype, length, [&](const auto& copy) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::int32_t* places = c.input(i).data<std::int32_t>();
      const char* from = c.input(n + i).data<char>();
      in_slices(c.input(i).num_elements(), row_cost(dtype, length), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) copy(from, k, to, places[k]);
      });
    }
  });
}

void infer_partition(InferContext& c) {
  const Shape& data = c.shape(0);
  const Shape& parts = c.shape(1);
  Shape out = Shape::unknown();
  if (data.has_rank() && parts.has_rank()) {
    if (!starts_with(data, parts))
      invalid_argument("data.shape must start with partitions.shape, got data.shape = ", data.text(),
                       ", partitions.shape = ", parts.text());
    out = with_first(kUnknownDim, tail(data, parts.rank()));
  }
  for (std::size_t j = 0; j < c.num_outputs(); ++j) c.set_output(j, out);
}

void partition(KernelContext& c) {
  const Tensor& data = c.input(0);
  const Tensor& parts = c.input(1);
  if (!starts_with(data.shape(), parts.shape()))
    invalid_argument("data.shape must start with partitions.shape, got data.shape = ", data.shape().text(),
                     ", partitions.shape = ", parts.shape().text());
  std::size_t n = c.num_outputs();
  const std::int32_t* numbers = parts.data<std::int32_t>();
  std::vector<std::int64_t> counts(n, 0);
  in_slices(parts.num_elements(), kIdCost, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t p = numbers[i];
      if (p < 0 || p >= static_cast<std::int64_t>(n))
        invalid_argument("partitions[", i, "] = ", p, " is not in [0, ", n, ")");
      ++counts[static_cast<std::size_t>(p)];
    }
  });
  Shape row = tail(data.shape(), parts.rank());
  const std::int64_t length = row.num_elements();
  std::vector<char*> outputs(n);
  for (std::size_t j = 0; j < n; ++j)
    outputs[j] = static_cast<char*>(c.allocate_output(j, data.dtype(), with_first(counts[j], row)).mutable_raw());
  std::vector<std::int64_t> next(n, 0);
  with_row_copy(data.dtype(), length, [&](const auto& copy) {
    in_slices(parts.num_elements(), row_cost(data.dtype(), length), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto p = static_cast<std::size_t>(numbers[i]);
        copy(data.data<char>(), i, outputs[p], next[p]++);
      }
    });
  });
}

// The row numbers are partitioned like the rows, and say where their gradients belong.
void grad_partition(GradContext& c) {
  const Operand& parts = c.input(1);
  Operand zero = build::scalar(DType::kInt32, 0), one = build::scalar(DType::kInt32, 1);
  Operand numbers = build::reshape(emit1("Range", {zero, emit1("Size", {parts}), one}), build::shape_of(parts));
  Operand args[] = {numbers, parts};
  Operands all = emit_all("DynamicPartition", args, {{"num_partitions", c.attr("num_partitions")}});
  for (std::size_t j = 0; j < c.num_outputs(); ++j) all.push_back(c.dy(j));
  c.to_input(0, build::reshape(emit_all("DynamicStitch", all)[0], build::shape_of(c.input(0))));
}

// TensorFlow does not specify which of several rows for one index ParallelDynamicStitch keeps.
Shape stitched_contents(const ContentsContext& c) {
  const std::size_t n = c.node.inputs.size() / 2;
  const std::optional<std::int64_t> length = c.node.outputs[c.output].shape.maybe_num_elements();
  if (!length || *length > kMaxRank) return Shape::unknown();
  Shape out = Shape::of_rank(static_cast<int>(*length));
  for (std::size_t k = 0; k < n; ++k) {
    const Shape indices = c.contents(k), data = c.contents(n + k);
    if (!indices.has_rank() || !data.has_rank() || indices.rank() != data.rank()) return Shape::unknown();
    for (int i = 0; i < indices.rank(); ++i) {
      if (indices[i] < 0 || indices[i] >= *length) return Shape::unknown();
      out[static_cast<int>(indices[i])] = data[i];
    }
  }
  return out;
}

OpRecord stitch_record(std::string_view name, std::string_view python) {
  return {.name = name,
          .python = python,
          .inputs = {"indices: N * int32", "data: N * T"},
          .outputs = {"merged: T"},
          .attrs = {"N: int >= 1", "T: type"},
          .facts = {.contents = stitched_contents},
          .doc =
              "Merges the rows of several tensors: row indices[n][i] of the result is data[n][i]. For a repeated index "
              "the last row wins.\n\nRows without an index are zeros. Raises InvalidArgumentError if an index is "
              "negative or the shapes do not match.",
          .infer = infer_stitch,
          .check = check_stitch,
          .kernel = stitch,
          .grad = [](GradContext& c) {
            std::size_t n = c.num_inputs() / 2;
            for (std::size_t i = 0; i < n; ++i)
              c.to_input(n + i, emit1("GatherV2", {c.dy(0), c.input(i), build::scalar(DType::kInt32, 0)}));
          }};
}

}  // namespace

void register_partition(Registry& r) {
  r.add(stitch_record("DynamicStitch", "dynamic_stitch(indices, data)"));
  r.add(stitch_record("ParallelDynamicStitch", ""));
  r.add({.name = "DynamicPartition",
         .python = "dynamic_partition(data, partitions, num_partitions)",
         .inputs = {"data: T", "partitions: int32"},
         .outputs = {"outputs: num_partitions * T"},
         .attrs = {"num_partitions: int >= 1", "T: type"},
         .doc = "Splits the rows of `data` into num_partitions tensors: row i goes to output partitions[i].\n\nRaises "
                "InvalidArgumentError if an element of `partitions` is out of range.",
         .infer = infer_partition,
         .kernel = partition,
         .allocation = Allocation::kByValues,
         .grad = grad_partition});
}

}  // namespace tracefn
