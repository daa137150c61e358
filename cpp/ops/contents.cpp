#include "ops/contents.h"

#include <algorithm>

#include "ops/op_def.h"

namespace tracefn {
namespace {

// Whether an output can be read as a list of sizes: not a matrix.
bool is_list(const OutputInfo& info) {
  return is_size_dtype(info.dtype) && (!info.shape.has_rank() || info.shape.rank() <= 1);
}

}  // namespace

bool is_size_dtype(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kInt64; }

Shape contents_of(const ContentsContext& c, const OutputInfo& info) {
  if (!is_list(info)) return Shape::unknown();
  Shape found = Shape::unknown();
  if (const ContentsFn rule = op_def(*c.node.op).facts.contents) found = rule(c);
  const std::optional<std::int64_t> length = info.shape.maybe_num_elements();
  if (found.has_rank() && length && *length != found.rank()) found = Shape::unknown();
  if (found.has_rank() && found.rank() > kMaxRank) return Shape::unknown();
  if (!found.has_rank() && length && *length <= kMaxRank) return Shape::of_rank(static_cast<int>(*length));
  return found;
}

Shape contents_of(const Tensor& value) {
  if (!is_size_dtype(value.dtype()) || value.rank() > 1 || value.num_elements() > kMaxRank) return Shape::unknown();
  Dims dims;
  for (std::int64_t i = 0; i < value.num_elements(); ++i) dims.push_back(std::max(value.int_at(i), kUnknownDim));
  return Shape(std::move(dims));
}

Tensor tensor_of_contents(const Shape& contents, DType dtype, const Shape& shape) {
  if (!contents.is_fully_known() || shape.maybe_num_elements() != contents.rank()) return {};
  Tensor t(dtype, shape);
  for (int i = 0; i < contents.rank(); ++i) {
    if (dtype == DType::kInt64) {
      t.mutable_data<std::int64_t>()[i] = contents[i];
    } else if (contents[i] > INT32_MAX) {
      return {};  // an error when it runs
    } else {
      t.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(contents[i]);
    }
  }
  return t;
}

namespace contents {

Shape of_input(const ContentsContext& c) { return c.contents(0); }

}  // namespace contents

}  // namespace tracefn
